"""`felt upgrade-check`: may the table be stopped so that another version of the firmware can take over? The exit status
gives the answer. The package asks before every upgrade, rollback and removal."""

from __future__ import annotations

import argparse
import json
import sys

from felt import __version__
from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import Config, load
from felt.host.upgrade_gate import Activity, Readiness, readiness_of
from felt.ports import LinkUnavailable
from felt.wiring.devices import read_only_disk
from felt.wiring.sockets import desk_line

EPILOG = """examples:
  felt upgrade-check --config /etc/felt/table.toml             may it be stopped now?
  felt upgrade-check --config /etc/felt/table.toml --closed    was it stopped in good order?

The exit status is 0 for yes and 1 for no, with a sentence that says why and what to do."""
PATIENCE_S = 2.0
_IN_GOOD_ORDER = "systemctl start felt, and when it is in service systemctl stop felt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--closed", action="store_true", help="ask whether a stopped table has closed its era")
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        print("felt upgrade-check: no table file: name it with --config FILE", file=sys.stderr)
        return 2
    with one_sentence("felt upgrade-check"):
        config = load(arguments.config, arguments.overrides)
        found, running = _found(config), _is_running(config)
        obstacle = _obstacle(config, found, running=running, closed=arguments.closed)
        if arguments.json:
            answer = {"may_stop": not obstacle, "running": running, "rest": found.activity.value, "obstacle": obstacle}
            print(json.dumps(answer))
        elif not obstacle:
            print(_yes(config, found))
        if obstacle:
            print(f"felt upgrade-check: {obstacle}", file=sys.stderr)
        return 1 if obstacle else 0
    return 1


def _found(config: Config) -> Readiness:
    folder = config.path(config.journal.folder)
    return readiness_of(read_only_disk(folder)) if folder.exists() else Readiness(Activity.UNBORN)


def _is_running(config: Config) -> bool:
    if not config.desk.socket:
        return False
    try:
        desk_line(config, PATIENCE_S).close()
    except LinkUnavailable:
        return False
    return True


def _yes(config: Config, found: Readiness) -> str:
    said = {
        Activity.UNBORN: "has no journal yet",
        Activity.CLOSED: "has closed its era",
        Activity.QUIET: "has no round and no question open",
    }
    return f"table {config.table.id} {said[found.activity]}: another version may take it over"


def _obstacle(config: Config, found: Readiness, *, running: bool, closed: bool) -> str:
    """The obstacle, or an empty string. The remedy is that of F-404, made concrete."""
    table = f"table {config.table.id}"
    match found.activity:
        case Activity.ROUND:
            why = f"round {found.detail} of {table} is open"
            todo = "end or void it at the table" if running else f"start it ({_IN_GOOD_ORDER}), end or void the round"
        case Activity.QUESTION:
            why = f"question {found.detail} of {table} is not answered"
            todo = "answer it at the table or the console"
        case Activity.QUIET if closed or not running:
            why = f"{table} was not stopped in good order, so {found.firmware or __version__} has not closed its era"
            todo = _IN_GOOD_ORDER
        case _:
            return ""
    return f"F-404: {why}: {todo}; then try again"
