# Called by debian_root.py in namespaces of its own: LOWER is laid under a folder of memory, so that nothing that happens
# inside reaches it, and systemd starts there as the first process of a machine would.
set -e
lower=$1 folder=$2
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t sysfs sysfs sys -o ro
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 sys/fs/cgroup
else
    mount -t tmpfs tmpfs sys/fs/cgroup -o mode=755
    mkdir sys/fs/cgroup/systemd
    mount -t cgroup cgroup sys/fs/cgroup/systemd -o none,name=systemd
fi
for place in run tmp dev; do mount -t tmpfs tmpfs "$place"; done
chmod 1777 tmp
for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx dev/ptmx
touch dev/console
mount --bind /dev/null proc/cmdline
# What is synced here lies in memory: it need not be.
mkdir -p etc/dpkg/dpkg.cfg.d
echo force-unsafe-io >etc/dpkg/dpkg.cfg.d/felt-test
exec chroot . env -i container=felt SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --show-status=0 --log-target=null --unit=basic.target
