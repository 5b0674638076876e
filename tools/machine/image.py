"""The machine's kernel, initial RAM disk and root file system, made only of Debian's packages and kept in the user's
cache until one of their inputs changes. Felt is not in the image: it is installed in the running machine, as on a
box."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

GUEST = Path(__file__).resolve().parent / "guest"
SUITE, SERIES = "bookworm", "6.1"
SOURCE = Path(f"/usr/src/linux-source-{SERIES}.tar.xz")
HEADERS = re.compile(rf"linux-headers-({re.escape(SERIES)}\.0-\d+-amd64)")
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "depmod": "kmod",
    "cpio": "cpio",
    "make": "build-essential",
    "mosquitto": "mosquitto",
    "openssl": "openssl",
    "busybox": "busybox-static",
    "dpkg-deb": "dpkg",
}
PACKAGES = (
    "systemd-sysv", "udev", "kmod", "python3", "openssl", "procps", "iproute2", "e2fsprogs", "util-linux", "less",
    "systemd-timesyncd", "dbus",
)  # fmt: skip
# The modules of the initial RAM disk, in the order in which they are loaded.
EARLY_MODULES = (
    "drivers/virtio/virtio_ring", "drivers/virtio/virtio", "drivers/virtio/virtio_pci_legacy_dev",
    "drivers/virtio/virtio_pci_modern_dev", "drivers/virtio/virtio_pci", "drivers/block/virtio_blk", "lib/crc16",
    "crypto/crc32c_generic", "fs/mbcache", "fs/jbd2/jbd2", "fs/ext4/ext4",
)  # fmt: skip
MODULES = (
    "drivers/usb", "drivers/virtio", "drivers/char/virtio_console.ko", "drivers/char/hw_random",
    "drivers/net/virtio_net.ko", "drivers/net/net_failover.ko", "net/core/failover.ko", "drivers/watchdog", "fs/ext4",
    "fs/jbd2", "fs/mbcache.ko", "fs/configfs", "lib/crc16.ko", "crypto/crc32c_generic.ko",
    "drivers/block/virtio_blk.ko",
)  # fmt: skip
LOADED = ("virtio_net", "virtio_console", "virtio_rng", "ftdi_sio", "uhci_hcd", "i6300esb")
# A header like a Raspberry Pi's and its expanders: the chips of every board profile that is shipped.
CHIPS = (
    ("header", "pinctrl-bcm2711", 58),
    ("first", "mcp23017@1-0020", 16),
    ("second", "mcp23017@1-0021", 16),
    ("third", "mcp23017@1-0022", 16),
    ("only", "mcp23017", 16),
)
MASKED = (
    "serial-getty@ttyS0.service", "getty@tty1.service", "systemd-logind.service", "apt-daily.timer",
    "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer",
    "systemd-networkd-wait-online.service", "modprobe@drm.service", "modprobe@fuse.service",
)  # fmt: skip
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc; /bin/busybox mount -t sysfs sysfs /sys; /bin/busybox mount -t devtmpfs dev /dev
while read -r module; do /bin/busybox insmod "/modules/$module.ko"; done </modules/order
i=0; while [ ! -b /dev/vda ] && [ $i -lt 100 ]; do /bin/busybox sleep 0.1; i=$((i+1)); done
/bin/busybox mount -t ext4 -o rw,noatime /dev/vda /new || exec /bin/busybox sh
/bin/busybox umount /proc; /bin/busybox umount /sys; /bin/busybox mount --move /dev /new/dev
exec /bin/busybox switch_root /new /sbin/init
"""
DISK_BYTES = 1400 * 1024 * 1024
MEGABYTE = 1_000_000
MEMORY_LEAST, ROOM_LEAST = 1200 * MEGABYTE, 3000 * MEGABYTE


class MachineError(Exception):
    """One sentence: what is missing or went wrong, and what to do."""


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "felt" / "machine"


def build(say: Callable[[str], None]) -> Path:
    """The folder of vmlinuz, initrd.gz and disk.img, made if it is not there yet."""
    refuse_missing()
    kernel = kernel_version()
    folder = cache() / f"image-{_inputs(kernel)}"
    if folder.is_dir():
        return folder
    if os.geteuid() != 0:
        raise MachineError("the image holds files of several owners: make it as root, with sudo tools/vm build")
    if shutil.disk_usage(_existing(cache())).free < ROOM_LEAST:
        needed = f"less than {ROOM_LEAST // MEGABYTE} MB are free there"
        raise MachineError(f"{cache()}: {needed}: make room, or set XDG_CACHE_HOME")
    cache().mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=cache(), prefix="making-") as work:
        making = Path(work) / "image"
        making.mkdir()
        say(f"kernel {kernel} from Debian's packages, with gpio-sim from its source")
        modules = _kernel(Path(work), making, kernel)
        say(f"a root of Debian {SUITE}: {', '.join(PACKAGES)}")
        root = _root(Path(work), kernel, modules)
        say("the disk")
        _disk(root, making / "disk.img")
        making.rename(folder)
    say(f"made in {time.monotonic() - began:.0f} s: {folder}")
    return folder


def refuse_missing() -> None:
    """Names what this host lacks. Raises MachineError."""
    lacking = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    lacking += [] if SOURCE.exists() else [f"linux-source-{SERIES}"]
    lacking += [] if _headers() else ["linux-headers-amd64"]
    if lacking:
        remedy = f"apt install --no-install-recommends {' '.join(dict.fromkeys(lacking))}"
        raise MachineError(f"this host lacks what the machine is made of (Debian 12): {remedy}")
    free = _memory_available()
    if free < MEMORY_LEAST:
        needed = f"the machine needs {MEMORY_LEAST // MEGABYTE} MB"
        raise MachineError(f"{free // MEGABYTE} MB of memory are free, {needed}: end something else first")


def kernel_version() -> str:
    return _headers()[-1]


def _headers() -> list[str]:
    found = [match[1] for path in Path("/usr/src").iterdir() if (match := HEADERS.fullmatch(path.name))]
    return sorted(found, key=lambda name: int(name.split("-")[1]))


def _memory_available() -> int:
    found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    return int(found[1]) * 1024 if found else sys.maxsize


def _existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _inputs(kernel: str) -> str:
    """A digest of everything that the image is made of."""
    digest = hashlib.sha256(kernel.encode())
    for file in [Path(__file__), *sorted(GUEST.iterdir())]:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()[:16]


def run(*words: str | Path, cwd: Path | None = None, into: Path | None = None) -> None:
    """Raises MachineError with the program's last lines."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        last = " / ".join(done.stderr.decode("utf-8", "replace").strip().splitlines()[-3:])
        raise MachineError(f"{words[0]} failed: {last or done.returncode}")
    if into is not None:
        into.write_bytes(done.stdout)


def _kernel(work: Path, to: Path, kernel: str) -> Path:
    """Puts vmlinuz and initrd.gz there, and returns the folder of all modules, gpio-sim among them."""
    run("apt-get", "download", "-o", "APT::Sandbox::User=root", f"linux-image-{kernel}", cwd=work)
    (package,) = work.glob("linux-image-*.deb")
    run("dpkg-deb", "-x", package, work / "kernel")
    package.unlink()
    shutil.copy(work / f"kernel/boot/vmlinuz-{kernel}", to / "vmlinuz")
    modules = work / "kernel/lib/modules" / kernel
    (modules / "extra").mkdir()
    shutil.copy(_gpio_sim(work / "gpio-sim", kernel), modules / "extra")
    early = work / "early"
    for name in ("bin", "modules", "proc", "sys", "dev", "new"):
        (early / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", early / "bin")
    for name in EARLY_MODULES:
        shutil.copy(modules / f"kernel/{name}.ko", early / "modules")
    (early / "modules/order").write_text("".join(f"{Path(name).name}\n" for name in EARLY_MODULES))
    (early / "init").write_text(INIT)
    (early / "init").chmod(0o755)
    run("sh", "-c", "find . | cpio -o -H newc --quiet", cwd=early, into=work / "early.cpio")
    (to / "initrd.gz").write_bytes(gzip.compress((work / "early.cpio").read_bytes(), 1, mtime=0))
    return modules


def _gpio_sim(work: Path, kernel: str) -> Path:
    """Builds gpio-sim as a module: Debian's kernels leave out gpio-sim and the simulated interrupts that it needs. Two
    of its habits are removed, because no board has them: a claim with a pull moves a contact that is driven from
    outside, and an output falls back when its process dies."""
    work.mkdir()
    wanted = [f"*/{name}" for name in ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")]
    run("tar", "-xJf", SOURCE, "--strip-components=1", "--wildcards", *wanted, cwd=work)
    chips = (work / "drivers/gpio/gpio-sim.c").read_text()
    for habit in ("\tgc->set_config = gpio_sim_set_config;\n", "\tgc->free = gpio_sim_free;\n"):
        if habit not in chips:
            problem = f"linux-source-{SERIES} has another gpio-sim than this tool knows"
            raise MachineError(f"{problem}: {habit.strip()} is gone")
        chips = chips.replace(habit, "")
    (work / "gpio-sim-main.c").write_text(chips)
    shutil.copy(work / "drivers/gpio/gpiolib.h", work)
    # Debian's kernel does not export irq_to_desc.
    interrupts = (work / "kernel/irq/irq_sim.c").read_text()
    interrupts = re.sub(r".*EXPORT_SYMBOL.*\n", "", interrupts)
    interrupts = interrupts.replace("irq_to_desc(irqnum)", "irq_data_to_desc(irq_get_irq_data(irqnum))")
    interrupts = re.sub(r"(#include <linux/irq_sim.h>\n)", r"\1#include <linux/irqdesc.h>\n", interrupts)
    (work / "irq_sim.c").write_text(interrupts)
    (work / "Kbuild").write_text("obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-main.o irq_sim.o\n")
    run("make", "-s", "-C", f"/usr/src/linux-headers-{kernel}", f"M={work}", "modules")
    return work / "gpio-sim.ko"


def _root(work: Path, kernel: str, modules: Path) -> Path:
    root = work / "root"
    run(
        "mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", "--dpkgopt=force-unsafe-io",
        f"--include={','.join(PACKAGES)}", SUITE, root, *_mirror(),
    )  # fmt: skip
    # Documents are left out only now: a path-exclude would stay, and keep Felt's own documents out too.
    for folder in ("doc", "man", "locale"):
        shutil.rmtree(root / "usr/share" / folder, ignore_errors=True)
    shutil.rmtree(root / "var/lib/apt/lists")
    there = root / "lib/modules" / kernel
    shutil.copytree(modules / "extra", there / "extra")
    for file in [*modules.glob("modules.builtin*"), modules / "modules.order"]:
        shutil.copy(file, there)
    for name in MODULES:
        source, target = modules / "kernel" / name, there / "kernel" / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    run("depmod", "-b", root, kernel)
    _settle_in(root)
    return root


def _settle_in(root: Path) -> None:
    (root / "opt/machine").mkdir()
    for file in GUEST.iterdir():
        is_unit = file.suffix == ".service"
        shutil.copy(file, root / ("etc/systemd/system" if is_unit else "opt/machine"))
        if is_unit:
            wanted = root / "etc/systemd/system/sysinit.target.wants"
            wanted.mkdir(exist_ok=True)
            (wanted / file.name).symlink_to(f"/etc/systemd/system/{file.name}")
    texts = {
        "etc/machine-chips": "".join(f"{name} {label} {lines}\n" for name, label, lines in CHIPS),
        "etc/hostname": "felt-machine\n",
        "etc/hosts": "127.0.0.1 localhost felt-machine\n",
        "etc/fstab": "/dev/vda / ext4 rw,noatime 0 1\n",
        "etc/modules-load.d/machine.conf": "".join(f"{name}\n" for name in LOADED),
        "etc/systemd/network/10-machine.network": (
            "[Match]\nName=e*\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n"
        ),
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for unit in MASKED:
        mask = root / "etc/systemd/system" / unit
        mask.unlink(missing_ok=True)
        mask.symlink_to("/dev/null")
    run("systemctl", f"--root={root}", "enable", "systemd-networkd")


def _mirror() -> list[str]:
    """The mirror that this host itself uses."""
    listed = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.sources"))]
    for file in filter(Path.exists, listed):
        found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?) *(http\S+/debian)(?:/|\s)", file.read_text(), re.M)
        if found:
            return [found[1]]
    return []


def _disk(root: Path, to: Path) -> None:
    with to.open("wb") as file:
        file.truncate(DISK_BYTES)
    run("mke2fs", "-q", "-t", "ext4", "-d", root, "-L", "root", to)
