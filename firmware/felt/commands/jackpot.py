"""`felt jackpot`: runs the jackpot controller of linked tables, and its administration."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from felt.commands import jackpot_act, jackpot_backup, jackpot_report
from felt.commands.failing import WrongUse, one_sentence
from felt.commands.paper import money
from felt.config.jackpot_file import JackpotConfig, load_jackpot

EPILOG = """examples:
  felt jackpot --config jackpot.toml                        the controller, until it is told to stop
  felt jackpot check --config jackpot.toml                  is this file good?
  felt jackpot status --config jackpot.toml                 how the running controller is
  felt jackpot provision T1 --config jackpot.toml --to T1   keys (and certificates) for a table, into the folder T1
  felt jackpot provision T1 --config jackpot.toml --to T1 --rotate
      new keys beside the old ones; later --finish drops the old
  felt jackpot keys --config jackpot.toml                   the running controller reads its keys again (or SIGHUP)
  felt jackpot act ChangeTerms --set meter=major --set reset=10000.00 \\
      --set rate=3% --person Ann:supervisor --person Bob:shift_manager \\
      --reason "end of season" --config jackpot.toml
      what persons may do; most acts take two. Amounts are in the currency.
      What would change is shown first, and done when you type yes. Names are
      taken as they are typed, without a PIN: whoever may open the control
      socket (the service's user and group, and root) answers for them. At a
      table's own desk two persons sign with their PINs.
  felt jackpot report --shift --config jackpot.toml         this shift; --day, --from and --to, --csv, --json, --html
  felt jackpot backup FILE --config jackpot.toml            the whole ledger, while the controller runs
  felt jackpot restore FILE --config jackpot.toml           into an empty place, while none runs"""
ACTIONS = ("run", "check", "status", "provision", "keys", "act", "report", "backup", "restore")

OF_SOMETHING = ("provision", "act", "backup", "restore")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    said = f"{', '.join(ACTIONS[:-1])} or {ACTIONS[-1]} (default: run)"
    parser.add_argument("action", nargs="?", default="run", choices=ACTIONS, metavar="ACTION", help=said)
    parser.add_argument("what", nargs="?", help="provision: the table; act: its name; backup and restore: the file")
    parser.set_defaults(late_word="what")
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the controller's file")
    parser.add_argument("--to", metavar="WHERE", help="provision: the folder for the table's half; report: until then")
    parser.add_argument("--rotate", action="store_true", help="provision: bring in a new key beside the old one")
    parser.add_argument("--finish", action="store_true", help="provision: drop the old key")
    parser.add_argument("--today", action="store_true", help="backup: from the latest closing on, and not the whole")
    jackpot_act.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    jackpot_report.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt jackpot"):
        _refuse_what_would_not_be_used(arguments)
        return _ACTIONS[arguments.action](load_jackpot(arguments.config), arguments)
    return 1


def _refuse_what_would_not_be_used(arguments: argparse.Namespace) -> None:
    """Refuses unused arguments, because the person who typed them meant something."""
    if arguments.what is not None and arguments.action not in OF_SOMETHING:
        problem = f"{arguments.what[:40]!r} is not used by {arguments.action}"
        raise WrongUse("", "", problem, "leave it out")
    if arguments.rotate and arguments.finish:
        remedy = "rotate first, restart the table with its new folder, and finish then"
        raise WrongUse("", "", "--rotate and --finish are two steps", remedy)
    if sum((arguments.csv, arguments.html, arguments.json)) > 1:
        raise WrongUse("", "", "--csv, --html and --json are three forms of one report", "choose one of them")


def _run(config: JackpotConfig, _: argparse.Namespace) -> int:
    from felt.wiring.jackpot_controller import JackpotController

    controller = JackpotController(config)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        controller.stop()

    def renew_keys(_signal: int, _frame: FrameType | None) -> None:
        controller.renew_keys()

    signal.signal(signal.SIGHUP, renew_keys)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"felt jackpot: metrics at http://127.0.0.1:{controller.metrics_port}/metrics", file=sys.stderr, flush=True)
    controller.run()
    return 0


def _check(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    from felt.wiring.jackpot_controller import check_link

    check_link(config)
    if arguments.json:
        print(json.dumps({"good": True, "tables": sorted(config.tables), "meters": sorted(config.meters)}))
    else:
        print(f"{config.source} is good: {len(config.tables)} tables, meters {', '.join(sorted(config.meters))}")
    return 0


def _status(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    answer = _asked(config, {"ask": "status"})
    if _is_refusal(answer):
        return 1
    if arguments.json:
        print(json.dumps(answer))
        return 0
    if answer.get("standby"):
        print("standing by: another controller leads")
        return 0
    print(f"broker {'connected' if answer['connected'] else 'NOT CONNECTED'}, {answer['alarms']} alarms")
    for name, micro in answer["meters"].items():
        print(f"meter {name}: {money(micro, config.controller.minor_digits)}")
    for alert in answer["alerts"]:
        print(f"ALERT: {alert}")
    for table, here in answer["present"].items():
        counted = answer["counts"].get(table, {}).items()
        counts = ", ".join(f"{count} {_COUNTED.get(name, name)}" for name, count in counted)
        print(f"table {table}: {'there' if here else 'not there'}{'; ' + counts if counts else ''}")
    return 0


# What the exchange counts, for people.
_COUNTED = {
    "received": "messages heard", "acked": "letters taken", "answered_again": "letters answered again",
    "refused": "letters refused", "valued": "values told", "pong": "pings answered", "replayed": "old messages dropped",
    "recorded": "RECORDED MESSAGES PLAYED BY SOMEBODY", "forged": "FORGED", "malformed": "that are no message",
    "oversized": "too long", "misdirected": "misdirected", "unknown_key": "with an unknown key",
    "other_version": "of another version", "unreadable": "that cannot be read", "stranger": "of no table",
}  # fmt: skip


def _renew_keys(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    answer = _asked(config, {"ask": "keys"})
    if _is_refusal(answer):
        return 1
    named = "; ".join(f"table {table}: {', '.join(names)}" for table, names in answer["keys"].items())
    print(json.dumps(answer) if arguments.json else f"the keys were read again: {named}")
    return 0


def _provision(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    from felt.commands.provisioning import provision

    if not arguments.what or arguments.to is None:
        print("felt jackpot: say which table, and --to which folder: see felt jackpot --help", file=sys.stderr)
        return 2
    told = provision(config, arguments.what, Path(arguments.to), rotate=arguments.rotate, finish=arguments.finish)
    for sentence in told:
        print(sentence)
    return 0


def _act(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    return jackpot_act.act(config, arguments, lambda words: _asked(config, words))


def _asked(config: JackpotConfig, words: dict[str, Any]) -> dict[str, Any]:
    from felt.wiring.sockets import ask_controller

    return ask_controller(config.path(config.controller.control), words)


def _is_refusal(answer: dict[str, Any]) -> bool:
    """True for every request: a busy controller refuses a status request too."""
    if "refused" in answer:
        print(f"felt jackpot: {answer['refused']}", file=sys.stderr)
    return "refused" in answer


_ACTIONS = {
    "run": _run,
    "check": _check,
    "status": _status,
    "provision": _provision,
    "keys": _renew_keys,
    "act": _act,
    "report": jackpot_report.report,
    "backup": jackpot_backup.take_backup,
    "restore": jackpot_backup.put_back,
}
