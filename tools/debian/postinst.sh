#!/bin/sh
set -e
@SHARED@

# Bytecode is made here, by the very Python that will run it, so that felt verify and the nightly audit can make it again
# and compare. Its digests are kept in the manifest's form.
compile() {
    forget_compiled
    for python in @PYTHONS@; do
        venv=/opt/felt/python$python
        [ -x "/usr/bin/python$python" ] || continue
        find "$venv" -name '*.pyc' -type f -delete
        "$venv/bin/python3" -I -m compileall -q -j 0 --invalidation-mode unchecked-hash "$venv/lib" || true
        find "$venv" -name '*.pyc' -type f -exec sha256sum {} + >>"$compiled"
    done
}

case $1 in
    configure)
        systemd-sysusers felt.conf
        systemd-tmpfiles --create felt.conf || true # a folder of /run or a group may be missing outside a running system
        compile
        note "installed @VERSION@${2:+, before it $2}"
        if [ -n "$2" ] && [ "$2" != "@VERSION@" ]; then
            mkdir -p /var/lib/felt-packages
            printf '%s\n' "$2" >/var/lib/felt-packages/previous # for felt-package rollback
        fi
        if has_systemd; then
            systemctl daemon-reload
            # Rights on the pins and the shuffler's name, for devices that are there already too: no reboot is needed.
            udevadm control --reload 2>/dev/null || true
            udevadm trigger --action=change --subsystem-match=gpio --subsystem-match=tty 2>/dev/null || true
            udevadm settle --timeout=10 2>/dev/null || true # or the table starts before it may open them
        fi
        if "$felt" check --config "$table" >/dev/null; then
            start_units
        else
            say "the table is not started, because its configuration is not good: correct it, then systemctl start felt"
        fi
        ;;
    triggered) compile ;; # the system has another Python now
    abort-upgrade | abort-remove | abort-deconfigure)
        compile
        start_units
        ;;
esac
exit 0
