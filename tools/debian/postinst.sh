#!/bin/sh
set -e
@SHARED@

# Bytecode that the package brought is in its signed manifest. Where the building host had no such Python, it is made
# here, by the Python that will run it, and its digests are kept in the same form.
compile() {
    for python in @PYTHONS@; do
        venv=/opt/felt/python$python
        if [ -x "/usr/bin/python$python" ] && [ ! -d "$venv/lib/python$python/site-packages/felt/__pycache__" ]; then
            "$venv/bin/python3" -I -m compileall -q -j 0 --invalidation-mode unchecked-hash "$venv/lib" || true
            find "$venv" -name '*.pyc' -type f -exec sha256sum {} + >>"$compiled"
        fi
    done
}

case $1 in
    configure)
        systemd-sysusers felt.conf
        systemd-tmpfiles --create felt.conf || true # a folder of /run or a group may be missing outside a running system
        compile
        note "installed @VERSION@${2:+, before it $2}"
        if has_systemd; then
            systemctl daemon-reload
            # Rights on the pins and the shuffler's name.
            udevadm control --reload 2>/dev/null || true
        fi
        if "$felt" check --config "$table" >/dev/null; then
            start_units
        else
            say "the table is not started, because its configuration is not good: correct it, then systemctl start felt"
        fi
        ;;
    abort-upgrade | abort-remove | abort-deconfigure)
        compile
        start_units
        ;;
esac
exit 0
