"""`felt jackpot`: the jackpot controller of linked tables, and what people ask of it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from felt.commands import jackpot_backup, jackpot_report
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
  felt jackpot act ClearMeter --fields '{"meter": "major"}' \\
      --person Ann:supervisor --person Bob:shift_manager \\
      --reason "end of season" --config jackpot.toml
      what persons may do; most acts take two. Names are taken as they are
      typed, without a PIN: whoever may open the control socket (the service's
      user and group, and root) answers for them. At a table's own desk two
      persons sign with their PINs.
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
    parser.add_argument("--fields", default="{}", metavar="JSON", help="act: what it needs, as one JSON object")
    parser.add_argument("--person", action="append", default=[], metavar="NAME:ROLE", help="act: who signs; repeat it")
    parser.add_argument("--reason", default="", help="act: why, in words that are kept for ever")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    jackpot_report.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt jackpot"):
        _refuse_what_would_not_be_used(arguments)
        return _ACTIONS[arguments.action](load_jackpot(arguments.config), arguments)
    return 1


def _refuse_what_would_not_be_used(arguments: argparse.Namespace) -> None:
    """Whoever typed it meant something by it."""
    if arguments.what is not None and arguments.action not in OF_SOMETHING:
        problem = f"{arguments.what[:40]!r} is one word too many for {arguments.action}"
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
        counts = ", ".join(f"{count} {name}" for name, count in answer["counts"].get(table, {}).items())
        print(f"table {table}: {'there' if here else 'not there'}{'; ' + counts if counts else ''}")
    return 0


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
    if not arguments.what:
        raise WrongUse("", "", "no act is named", "write it as in felt jackpot act ClearMeter: see felt jackpot --help")
    fields = _fields_in(arguments.fields)
    persons = [[name.strip(), role.strip()] for name, _, role in (text.partition(":") for text in arguments.person)]
    words = {"act": arguments.what, "fields": fields, "persons": persons, "reason": arguments.reason}
    answer = _asked(config, words)
    if _is_refusal(answer):
        return 1
    print(json.dumps(answer) if arguments.json else f"{arguments.what} is done and written down")
    return 0


def _fields_in(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text, parse_constant=_refuse_number, parse_float=_refuse_number)
    except json.JSONDecodeError as error:
        problem = f"this is no JSON: {error.msg} at character {error.pos + 1} of {len(text)}"
        raise WrongUse("--fields", "", problem, "correct it there") from None
    except RecursionError:
        raise WrongUse("--fields", "", "lists within lists go too deep", f"write it as {_EXAMPLE}") from None
    except ValueError as error:  # of a number, ours or Python's own of thousands of digits
        raise WrongUse("--fields", "", str(error), "write whole numbers") from None
    if not isinstance(fields, dict):
        raise WrongUse("--fields", "", "this is JSON and no object", f"write it as {_EXAMPLE}")
    return fields


_EXAMPLE = """'{"meter": "major"}'"""


def _refuse_number(text: str) -> NoReturn:
    """What no act takes, and what cannot be sent either where it stands for no number at all."""
    raise ValueError(f"{text} is no whole number")


def _asked(config: JackpotConfig, words: dict[str, Any]) -> dict[str, Any]:
    from felt.wiring.sockets import ask_controller

    return ask_controller(config.path(config.controller.control), words)


def _is_refusal(answer: dict[str, Any]) -> bool:
    """Whatever was asked: a controller that has too much to do refuses to say how it is, too."""
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
