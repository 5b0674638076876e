"""`felt odds`: the exact odds and the house edge of every wager of a game, by enumeration of every deal."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from felt.config import ConfigError, load
from felt.config.loading import demo_table
from felt.config.terms import terms_of
from felt.rules import shelf
from felt.rules.rulebook import RulesError

DESCRIPTION = "Counts every deal of a game and says what each of its wagers costs, exactly."
EPILOG = """examples:
  felt odds progressive-3-card-poker
  felt odds stax-three-card --table table.toml --meter star=4000000
  felt odds lucky-three-pictures --json
  felt odds stax-three-card --table table.toml --html odds.html
"""
OK, FAILED, WRONG_USE = 0, 1, 2
MONEY_MAX = 10**15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game", metavar="GAME", help="the id of a game: felt rules lists them")
    parser.add_argument("--table", type=Path, metavar="FILE", help="a table file with the house's terms")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides", help="change one setting"
    )
    parser.add_argument("--meter", action="append", default=[], metavar="NAME=MINOR", help="what a meter stands at")
    parser.add_argument("--ante", type=int, metavar="MINOR", help="the Ante beside a bet that a fold forfeits")
    parser.add_argument("--plot", action="store_true", help="draw the return against each meter")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page that can be printed")
    parser.add_argument("--json", action="store_true", help="for a program to read")


def run(arguments: argparse.Namespace) -> int:
    try:
        book = shelf.rulebook(arguments.game)
        meters = dict(_meter(text) for text in arguments.meter)
        config = load(arguments.table or demo_table(book.id), arguments.overrides)
        if config.game.id != book.id:
            raise RulesError(f"{arguments.table} is a table of {config.game.id}, not of {book.id}")
    except (RulesError, ConfigError) as error:
        print(f"felt odds: {error}", file=sys.stderr)
        return WRONG_USE
    if find_spec("numpy") is None:
        print("felt odds: numpy is not installed: pip install 'felt[odds]'", file=sys.stderr)
        return FAILED
    from felt.odds.html import page
    from felt.odds.kinds import Enumerated
    from felt.odds.making import sheet_of
    from felt.odds.plain import plain
    from felt.odds.telling import plot, told

    try:
        sheet = sheet_of(book, terms_of(config), meters, Enumerated(_say_progress), arguments.ante)
    except RulesError as error:
        print(f"felt odds: {error}", file=sys.stderr)
        return WRONG_USE
    source = str(arguments.table or "the built-in demo table")
    if arguments.html:
        return _write(arguments.html, page(sheet, config.digest, source))
    if arguments.json:
        print(json.dumps(plain(sheet, config.digest), indent=2))
        return OK
    print("\n".join(told(sheet, source, config.digest)))
    if arguments.plot:
        for wager in sheet.wagers:
            for meter in dict.fromkeys(outcome.meter for outcome in wager.outcomes if outcome.meter):
                print()
                print("\n".join(plot(sheet, wager, meter)))
    return OK


def _write(path: Path, text: str) -> int:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}; name a file in a folder of yours"
        print(f"felt odds: {problem}", file=sys.stderr)
        return FAILED
    print(f"felt odds: {path} is written", file=sys.stderr)
    return OK


def _meter(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not equals or not value.isascii() or not value.isdigit() or int(value) > MONEY_MAX:
        raise RulesError(f"{text!r} is not a meter and its value: write it as in --meter major=20000000 (minor units)")
    return name, int(value)


def _say_progress(step: str) -> None:
    if sys.stderr.isatty():
        print(f"felt odds: counting {step}", file=sys.stderr)
