#!/bin/sh
# A removal stops the table and is refused in the middle of a round. At an upgrade the new version's
# preinst does this.
set -e
@SHARED@

case $1 in
    remove | deconfigure)
        refuse_open_round "the removal of @VERSION@"
        stop_units
        refuse_open_era "the removal of @VERSION@"
        rm -f "$were_active"
        note "removed @VERSION@"
        forget_compiled
        ;;
esac
exit 0
