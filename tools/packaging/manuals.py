"""Manual pages and completion scripts, made from the commands' parsers, and where Debian looks for them."""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Mapping
from pathlib import Path

from felt.cli import COMMANDS
from felt.commands.completion import bash, shown_name, takes_value, zsh
from felt.commands.parser import Parser, folded

MANUALS = "usr/share/man/man1"
BASH = "usr/share/bash-completion/completions/felt"
ZSH = "usr/share/zsh/vendor-completions/_felt"
WIDTH = 72  # of examples, on a terminal of 80 columns
_FILES = (
    ("/etc/felt/table.toml", "the settings of the table"),
    ("/etc/felt/jackpot.toml", "the settings of the jackpot controller"),
    ("/var/lib/felt", "journal and ledger of the table"),
    ("/usr/share/doc/felt", "the guides"),
)


def lay_out(stage: Path, parsers: Mapping[str, Parser], version: str) -> None:
    for name, text in manuals(parsers, version).items():
        _write(stage / MANUALS / f"{name}.gz", gzip.compress(text.encode(), mtime=0))
    _write(stage / BASH, bash(parsers).encode())
    _write(stage / ZSH, zsh(parsers).encode())


def manuals(parsers: Mapping[str, Parser], version: str) -> dict[str, str]:
    """Every page by the name of its file."""
    pages = {"felt.1": _overview(parsers, version)}
    for command, parser in parsers.items():
        if command:
            pages[f"felt-{command}.1"] = _page(f"felt-{command}", COMMANDS[command], parser, version)
    return pages


def _overview(parsers: Mapping[str, Parser], version: str) -> str:
    commands = [
        line
        for name, about in COMMANDS.items()
        for line in (".TP", f"\\fBfelt\\-{_plain(name)}\\fR(1)", _plain(about))
    ]
    files = [line for place, about in _FILES for line in (".TP", f"\\fI{_plain(place)}\\fR", _plain(about))]
    about = "firmware of a casino card table with progressive jackpots"
    lines = [*_page("felt", about, parsers[""], version).splitlines(), ".SH COMMANDS", *commands, ".SH FILES", *files]
    return "\n".join(lines) + "\n"


def _page(name: str, about: str, parser: Parser, version: str) -> str:
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    lines = [
        f'.TH "{_plain(name.upper())}" 1 "" "felt {version}" "Felt"',
        ".ad l",
        ".nh",
        ".SH NAME",
        f"{_plain(name)} \\- {_plain(about)}",
        ".SH SYNOPSIS",
        _plain(usage),
        ".SH DESCRIPTION",
        _plain(parser.description or ""),
        ".SH ARGUMENTS",
        *(line for argument in parser.arguments for line in _argument(argument)),
        *_epilog(parser.epilog or ""),
    ]
    if name != "felt":
        lines += [".SH SEE ALSO", "\\fBfelt\\fR(1)"]
    return "\n".join(lines) + "\n"


def _argument(argument: argparse.Action) -> list[str]:
    named = ", ".join(f"\\fB{_plain(option)}\\fR" for option in argument.option_strings)
    value = f"\\fI{_plain(shown_name(argument))}\\fR" if takes_value(argument) else ""
    help_text = (argument.help or "").replace("%%", "%")
    if argument.choices is not None and argument.metavar is None:
        help_text += f" ({', '.join(map(str, argument.choices))})"
    return [".TP", " ".join(part for part in (named, value) if part), _plain(help_text)]


def _epilog(text: str) -> list[str]:
    """As --help shows it: examples stand as they are typed."""
    heading, _, rest = text.partition("\n")
    if heading.rstrip(":") not in ("example", "examples"):
        return [".SH NOTES", *map(_plain, text.splitlines())] if text else []
    lines = [_plain(part) for line in rest.splitlines() for part in folded(line, WIDTH)]
    return [".SH EXAMPLES", ".nf", *(line or "\\&" for line in lines), ".fi"]


def _plain(text: str) -> str:
    """Text in which no character is a command of roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _write(to: Path, content: bytes) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
