"""The `felt` command. It parses arguments and decides nothing."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from felt import __version__
from felt.commands.parser import Parser

# Each command is a module with `add_arguments` and `run`, imported only when it is called.
COMMANDS = {
    "demo": "play a whole evening on this computer, in a browser or as text",
    "run": "run the table controller",
    "screens": "serve the sign, the dealer's screen and past rounds to browsers",
    "training": "give dealers lessons in a browser; no real meter moves",
    "jackpot": "run and administer the jackpot controller of linked tables",
    "check": "check a table file before a table uses it",
    "upgrade-check": "ask whether another version may take over the table now",
    "config": "print every setting of a table, defaults included",
    "rules": "list the games, or one game's wagers, pay tables and readings",
    "settle": "settle rounds from standard input, one JSON object a line",
    "odds": "count the exact odds and the house edge of every wager",
    "replay": "show past rounds from a journal",
    "audit": "check that a journal is whole and leads to every recorded table",
    "report": "report a shift, a day or any period of a table",
    "verify": "print digests of software, settings and journal, or export evidence",
    "trace": "show where each paragraph of the rules lives and which tests prove it",
    "console": "sign in at a running table, as technician or supervisor",
    "pins": "test lamps, keys and sensors while the controller is stopped",
    "safe-outputs": "switch every lamp off after the controller has died",
    "explain": "explain a fault code and what to do",
    "completion": "print the script that lets bash or zsh complete felt",
}

INTERRUPTED = 130  # the exit status that shells use for Ctrl-C


def main(words: Sequence[str] | None = None) -> int:
    closed = _closed_stream()
    if closed:
        print(f"felt: {closed} is closed: leave it open, or point it at /dev/null", file=sys.stderr)
        return 1
    given = list(sys.argv[1:] if words is None else words)
    try:
        # Inside the try block: importing a command takes a moment, and Ctrl-C may come during it.
        arguments = _parsed(given)
        status = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("felt: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; this is not an error of ours.
        _let_go_of_output()
        return 1
    except OSError as error:
        _let_go_of_output()
        print(f"felt: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)
        return 1
    return int(status)


def _parsed(given: list[str]) -> argparse.Namespace:
    """Parses the words. With `late_word` a command names a positional argument that may also follow an option;
    argparse alone fills every positional at the first one it meets."""
    parser = _parser(given[0] if given else "")
    arguments, late = parser.parse_known_args(given)
    place = getattr(arguments, "late_word", "")
    if place and late and getattr(arguments, place) is None and not any(word.startswith("-") for word in late):
        setattr(arguments, place, late.pop(0))
    if late:
        parser.error(f"unrecognized arguments: {' '.join(late)}")
    return arguments


def _closed_stream() -> str:
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # for the life of the process
    if sys.stdin is None:
        return "standard input"
    if sys.stdout is None:
        return "standard output"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without ¶ still shows the answer
    return ""


def _let_go_of_output() -> None:
    """Discards pending output, so that exiting does not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(wanted: str) -> Parser:
    parser = Parser(
        prog="felt",
        description="The firmware of a casino card table with progressive jackpots.",
        epilog="examples:\n"
        "  felt demo                                       play at a table in a browser\n"
        "  felt check --config table.toml                  is this table file good?\n"
        "  felt explain F-108                              what a fault code means\n\n"
        "Each command has --help with an example.",
    )
    parser.add_argument("--version", action="version", version=f"felt {__version__}", help="print the version and exit")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    # Once a command is named, only that command is listed.
    shown = {wanted: COMMANDS[wanted]} if wanted in COMMANDS else COMMANDS
    for name, about in shown.items():
        subparser = subparsers.add_parser(name, help=about, description=_sentence(about))
        if name == wanted:
            _prepare(subparser, name)
    return parser


def parsers() -> dict[str, Parser]:
    """The complete parser of every command, and under an empty name that of felt itself. Completion and manual pages
    are made from them."""
    found = {"": _parser("")}
    for name, about in COMMANDS.items():
        found[name] = Parser(prog=f"felt {name}", description=_sentence(about))
        _prepare(found[name], name)
    return found


def _prepare(parser: Parser, name: str) -> None:
    module = _command(name)
    module.add_arguments(parser)
    parser.set_defaults(run=module.run, parsers=parsers)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _command(name: str) -> ModuleType:
    """Imports a command's module. Garbage collection is off meanwhile and ignores these objects later, because they
    live as long as the process; it took a fifth of the start."""
    place = f"felt.commands.{name.replace('-', '_')}"
    if place in sys.modules:
        return sys.modules[place]
    gc.disable()
    try:
        module = importlib.import_module(place)
        gc.freeze()
        return module
    finally:
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
