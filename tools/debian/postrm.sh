#!/bin/sh
# A removal keeps configuration and state. A purge removes the configuration with its keys, the one that signs checkpoints
# too, and the kept packages, but not the journals and ledgers: they are the record of rounds and money that a regulator may ask for, and nobody may lose
# them to a word on a command line.
set -e

reload() { if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi; }

case $1 in
    remove) reload ;;
    purge)
        find /etc/systemd/system -type l -lname '*/systemd/system/felt*' -delete 2>/dev/null || true
        rm -rf /etc/felt /etc/credstore/felt.journal.key /run/felt-package /var/lib/felt-packages
        for folder in /var/lib/felt/journal /var/lib/felt/audit /var/lib/felt /var/lib/felt-jackpot; do
            rmdir "$folder" 2>/dev/null || true
        done
        for folder in /var/lib/felt /var/lib/felt-jackpot; do
            if [ -d "$folder" ]; then
                printf '%s\n' "felt: $folder is kept as evidence: remove it by hand when nobody needs its record any more" >&2
            fi
        done
        reload
        ;;
esac
exit 0
