#!/bin/sh
# Before anything of the old version is replaced: the new version judges the configuration, the old one says whether the
# table stands still, and an orderly stop closes its era. Whatever fails here leaves the old version as it was, running.
set -e
@SHARED@

# The new firmware travels with this script for this one question. It borrows the installed version's libraries.
refuse_bad_configuration() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for python in @PYTHONS@; do
        [ -x "/usr/bin/python$python" ] || continue
        interpreter=/opt/felt/python$python/bin/python3
        [ -x "$interpreter" ] || interpreter=/usr/bin/python$python
        "$interpreter" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \
            "$(dirname "$0")/firmware.zip" "$work"
        judge "$interpreter" check --config "$table"
        if has_systemd && systemctl is-active --quiet felt-jackpot.service; then
            judge "$interpreter" jackpot check --config "$jackpot"
        fi
        return 0
    done
    say "@VERSION@ runs under Python @PYTHONS@, and none of them is installed: apt install python3"
    exit 1
}

judge() {
    interpreter=$1
    shift
    if ! PYTHONPATH=$work "$interpreter" -B -m felt.cli "$@" >/dev/null; then
        note "refused: @VERSION@, because it does not accept the configuration"
        say "@VERSION@ does not accept the configuration (see above) and is refused; nothing was changed"
        exit 1
    fi
}

case $1 in
    upgrade)
        if [ -x "$felt" ] && [ -f "$table" ]; then
            refuse_bad_configuration
            refuse_open_round "the change from $2 to @VERSION@"
        fi
        stop_units
        refuse_open_era "the change from $2 to @VERSION@"
        # Bytecode that does not look at its source must not outlive it.
        forget_compiled
        ;;
esac
exit 0
