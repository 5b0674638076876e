"""The `felt` command. It parses arguments and decides nothing."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from types import ModuleType

from felt import __version__

# Each command is a module with `add_arguments` and `run`, imported only when it is called.
COMMANDS = {
    "demo": "a whole evening on one host",
    "run": "the table controller",
    "screens": "the sign and the virtual table in a browser",
    "training": "lessons for dealers in a browser, moving no live meter",
    "jackpot": "the jackpot controller of linked tables",
    "check": "is this configuration good?",
    "upgrade-check": "may the table be stopped for another version?",
    "config": "the effective configuration",
    "rules": "games, versions, wagers, pay tables, readings",
    "settle": "settle rounds given as JSON lines",
    "odds": "exact odds and house edge of every wager",
    "replay": "what a journal says happened",
    "audit": "is the journal whole, and does it lead to every recorded table?",
    "report": "a shift or a day of a table on paper",
    "verify": "digests of software, configuration and journal; evidence for a laboratory",
    "trace": "every paragraph and requirement, and the test that shows it",
    "console": "the door for technicians and supervisors of a running table",
    "pins": "a technician's tests of lamps, keys and sensors",
    "safe-outputs": "every lamp dark, after a controller that died",
    "explain": "what a fault means and what to do",
}

_EXAMPLE = re.compile(r"(  \S.*?) {2,}(\S.*)")  # a command and what it does
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


class _FoldedHelp(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples and wraps everything else to the terminal; a long example's explanation moves to
    the next line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{part}" for line in text.splitlines() for part in _folded(line, width - len(indent)))


def _folded(line: str, width: int) -> list[str]:
    example = _EXAMPLE.fullmatch(line)
    if len(line) <= width or (line.startswith(" ") and example is None):
        return [line]  # a command must stay on one line so that it can be copied
    if example is None:
        return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    command, meaning = example.groups()
    return [command, *textwrap.wrap(meaning, width, initial_indent=" " * 6, subsequent_indent=" " * 6)]


class _Parser(argparse.ArgumentParser):
    """Wraps its help to the terminal, and that of its subcommands too."""

    def format_help(self) -> str:
        self.formatter_class = _FoldedHelp
        return super().format_help()


def _parser(wanted: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="felt",
        description="The firmware of a casino card table with progressive jackpots.",
        epilog="example:\n  felt demo --autoplay --rounds 5",
    )
    parser.add_argument("--version", action="version", version=f"felt {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    # Once a command is named, only that command is listed.
    shown = {wanted: COMMANDS[wanted]} if wanted in COMMANDS else COMMANDS
    for name, about in shown.items():
        subparser = subparsers.add_parser(name, help=about, description=about)
        if name == wanted:
            module = _command(name)
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser


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
