"""`felt console`: the console for technicians and supervisors on this terminal, and the list of people who may sign
in."""

from __future__ import annotations

import argparse
import getpass
import signal
import sys
import termios
from pathlib import Path
from typing import Any

from felt.commands.check import add_source_arguments
from felt.commands.console_archive import DiskArchive
from felt.commands.failing import one_sentence
from felt.config import Config, ConfigError, load
from felt.config.people import LICENCE, NAME, PEOPLE_MAX, PIN, ListedPerson, Role, digest_of, read_people, write_people
from felt.console.all_commands import COMMANDS
from felt.console.ports import Gone
from felt.console.session import ConsoleSession
from felt.console.terminal import Terminal
from felt.ports import LinkUnavailable
from felt.wiring import sockets

EPILOG = """examples:
  felt console --config table.toml                              sign in and work
  felt console add-person Tess technician --config table.toml --licence T-77
  felt console remove-person Tess --config table.toml
  felt console people --config table.toml                       who may sign in"""
PATIENCE_S = 15.0
BAUDS = (9600, 19200, 38400, 57600, 115200)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "action",
        nargs="?",
        default="work",
        choices=("work", "add-person", "remove-person", "people"),
        metavar="ACTION",
        help="work (default), add-person, remove-person or people",
    )
    parser.add_argument("person", nargs="?", metavar="PERSON", help="add-person, remove-person: the name")
    parser.add_argument(
        "role", nargs="?", choices=[role.value for role in Role], metavar="ROLE",
        help="add-person: viewer, technician, supervisor or shift_manager",
    )  # fmt: skip
    parser.add_argument("--licence", default="", help="add-person: the person's licence number")
    parser.add_argument(
        "--baud",
        type=int,
        choices=BAUDS,
        metavar="BAUD",
        help="set the speed of this serial line first, such as 115200",
    )
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        print("felt console: no table file: name the one of felt run with --config FILE", file=sys.stderr)
        return 2
    with one_sentence("felt console"):
        return int(_ACTIONS[arguments.action](arguments))
    return 1


# --- the console ---------------------------------------------------------------------------------------


class _DeskLine:
    def __init__(self, config: Config) -> None:
        try:
            self._line = sockets.desk_line(config, PATIENCE_S)
        except LinkUnavailable as error:
            raise Gone(str(error)) from None

    def ask(self, words: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._line.ask(words)
        except LinkUnavailable as error:
            raise Gone(str(error)) from None

    def close(self) -> None:
        self._line.close()


def _work(arguments: argparse.Namespace) -> int:
    if arguments.baud is not None:
        _set_speed(arguments.baud)
    # An accidental key must not stop the only console of a table.
    signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        config = load(arguments.config, arguments.overrides)
    except ConfigError as error:
        return _work_on_a_broken_file(error, arguments)
    terminal = Terminal(config.desk.idle_s)
    archive = DiskArchive(config)
    ConsoleSession(terminal, lambda: _DeskLine(config), archive, COMMANDS, config.table.id).run()
    return 0


def _work_on_a_broken_file(error: ConfigError, arguments: argparse.Namespace) -> int:
    """The controller cannot run with this file either, so the error is what the technician needs to see."""
    print(f"felt console: F-501: {error}", file=sys.stderr)
    print(f"felt console: felt check --config {arguments.config} shows when the file is right", file=sys.stderr)
    return 1


def _set_speed(baud: int) -> None:
    speed = getattr(termios, f"B{baud}")
    try:
        attributes = termios.tcgetattr(sys.stdin.fileno())
        attributes[4] = attributes[5] = speed
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, attributes)
    except termios.error:
        print("felt console: this is not a serial line: --baud is without effect", file=sys.stderr)


# --- people --------------------------------------------------------------------------------------------


def _people_file(arguments: argparse.Namespace) -> Path:
    config = load(arguments.config, arguments.overrides)
    return config.path(config.desk.people)


def _add_person(arguments: argparse.Namespace) -> int:
    name, role, licence = arguments.person or "", arguments.role, arguments.licence
    if not NAME.fullmatch(name) or role is None or not LICENCE.fullmatch(licence):
        print("felt console: type add-person NAME ROLE; a name has letters, digits, - and _", file=sys.stderr)
        return 2
    path = _people_file(arguments)
    people = read_people(path)
    if len(people) >= PEOPLE_MAX:
        print(f"felt console: {path} holds {PEOPLE_MAX} people: remove one first", file=sys.stderr)
        return 1
    pin = _new_pin()
    if pin is None:
        return 1
    write_people(path, {**people, name: ListedPerson(Role(role), digest_of(pin), licence)})
    print(f"{name} may sign in as {role.replace('_', ' ')}; {path}")
    return 0


def _new_pin() -> str | None:
    """Reads the PIN twice without an echo or, without a terminal, once from standard input."""
    if not sys.stdin.isatty():
        pin = again = sys.stdin.readline().strip()
    else:
        pin, again = getpass.getpass("PIN: "), getpass.getpass("the same again: ")
    if pin != again:
        print("felt console: the two PINs differ: nothing was changed", file=sys.stderr)
        return None
    if not PIN.fullmatch(pin):
        print("felt console: a PIN has 4 to 12 digits: nothing was changed", file=sys.stderr)
        return None
    return pin


def _remove_person(arguments: argparse.Namespace) -> int:
    path = _people_file(arguments)
    people = read_people(path)
    if arguments.person not in people:
        print(f"felt console: {arguments.person} is not in {path}", file=sys.stderr)
        return 1
    del people[arguments.person]
    write_people(path, people)
    print(f"{arguments.person} may not sign in any more")
    return 0


def _list_people(arguments: argparse.Namespace) -> int:
    path = _people_file(arguments)
    people = read_people(path)
    for name, person in people.items():
        print(f"{name:<20}{person.role.replace('_', ' '):<16}{person.licence}")
    if not people:
        print(f"nobody: {path} does not exist or is empty; felt console add-person NAME ROLE", file=sys.stderr)
    return 0


_ACTIONS = {"work": _work, "add-person": _add_person, "remove-person": _remove_person, "people": _list_people}
