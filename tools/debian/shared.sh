felt=/opt/felt/bin/felt
table=/etc/felt/table.toml
jackpot=/etc/felt/jackpot.toml
were_active=/run/felt-package/were-active # units that were stopped for the package, to be started again
compiled=/opt/felt/compiled.manifest # bytecode, which is made on this host
record=/var/log/felt-packages.log

say() { printf '%s\n' "felt: $*" >&2; }

note() { # every act of the package, for whoever asks later
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" >>"$record"
    if command -v logger >/dev/null 2>&1; then logger -t felt-package -- "$*" 2>/dev/null || true; fi
}

has_systemd() { [ -d /run/systemd/system ]; }

active_units() {
    systemctl list-units --plain --no-legend --state=active,activating,reloading 'felt*.service' 'felt*.timer' |
        while read -r unit rest; do printf '%s\n' "$unit"; done
}

# An orderly stop closes the table's era. What ran is remembered until the package is in place, or was refused.
stop_units() {
    has_systemd || return 0
    mkdir -p "$(dirname "$were_active")"
    active_units >"$were_active"
    while read -r unit; do systemctl stop "$unit"; done <"$were_active"
}

start_units() {
    has_systemd && [ -f "$were_active" ] || return 0
    while read -r unit; do
        wait=
        [ "$unit" != felt-audit.service ] || wait=--no-block # it has the whole journal to read
        systemctl start $wait "$unit" || say "$unit did not start: journalctl -u $unit says why"
    done <"$were_active"
    rm -f "$were_active"
}

# The manufacturer's way past a refusal. It is recorded, and the other version will refuse the journal (F-404).
may_overrule() {
    [ -n "${FELT_UPGRADE_ANYWAY:-}" ] || return 1
    say "$1, but FELT_UPGRADE_ANYWAY says: $FELT_UPGRADE_ANYWAY"
    note "OVERRULED: $1; reason: $FELT_UPGRADE_ANYWAY"
}

# Refused in the middle of a round: the table is asked before anything is touched.
refuse_open_round() {
    [ -x "$felt" ] && [ -f "$table" ] || return 0
    if ! "$felt" upgrade-check --config "$table" >/dev/null; then
        may_overrule "$1 in the middle of a round, or with its era open" && return 0
        note "refused: $1, because the table does not stand still"
        say "$1 is refused; nothing was changed"
        exit 1
    fi
}

# A round may have been opened between the question and the stop, and not every table was stopped by us.
refuse_open_era() {
    [ -x "$felt" ] && [ -f "$table" ] || return 0
    if ! "$felt" upgrade-check --closed --config "$table" >/dev/null; then
        may_overrule "$1 with the table's era open" && return 0
        note "refused: $1, because the table's era is not closed"
        say "$1 is refused, because the table has not closed its era"
        start_units
        exit 1
    fi
}

forget_compiled() {
    [ -f "$compiled" ] || return 0
    cut -c 67- "$compiled" | tr '\n' '\0' | xargs -0 rm -f
    rm -f "$compiled"
    find /opt/felt -type d -name __pycache__ -empty -delete # dpkg removes only folders that it made
}
