"""`felt odds`: the exact odds and the house edge of every wager of a game, by enumeration of every deal."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from felt.commands.odds_terms import AskedOdds, House, house_of
from felt.config import ConfigError
from felt.rules import shelf
from felt.rules.rulebook import RulesError
from felt.settling.terms import MONEY_MAX

if TYPE_CHECKING:
    from felt.odds.sheet import Sheet
    from felt.rules.rulebook import Rulebook

DESCRIPTION = "Counts every deal of a game and prints the exact odds and house edge of every wager."
EPILOG = """examples:
  felt odds progressive-3-card-poker
  felt odds progressive-3-card-poker --meter major=20000000 --plot
  felt odds stax-three-card --stake 100
  felt odds lucky-three-pictures --reading three_pictures_points=none --json
  felt odds california-three-card-poker --table table.toml --html odds.html

The table file is the one that felt check reads, or as JSON the value of
"table" in a request of felt settle."""
OK, FAILED, WRONG_USE = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game", metavar="GAME", help="the id of a game: felt rules lists them")
    parser.add_argument("--table", type=Path, metavar="FILE", help="take the house's terms from this table file")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="overrides",
        help="set one value in place of the file's; repeat it for more",
    )
    parser.add_argument(
        "--meter", action="append", default=[], metavar="NAME=CENTS", help="the amount of one meter, in cents"
    )
    parser.add_argument(
        "--reading",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="choose one reading of the rules, as felt rules GAME lists them",
    )
    parser.add_argument("--stake", metavar="CENTS", help="the stake of the progressive bet, in cents")
    parser.add_argument("--ante", metavar="CENTS", help="the Ante beside a bet that a fold forfeits, in cents")
    parser.add_argument("--plot", action="store_true", help="draw the return against the amount of each meter")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page to print")
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")


def run(arguments: argparse.Namespace) -> int:
    try:
        book = shelf.rulebook(arguments.game)
        _refuse_what_makes_no_sense(book, arguments)
        meters, ante_minor = _meters(arguments.meter), _money("--ante", arguments.ante)
        house = house_of(book, arguments.table, _asked(arguments))
    except (RulesError, ConfigError) as error:
        print(f"felt odds: {error}", file=sys.stderr)
        return WRONG_USE
    if find_spec("numpy") is None:
        print("felt odds: numpy is not installed: pip install 'felt[odds]'", file=sys.stderr)
        return FAILED
    from felt.odds.kinds import Enumerated
    from felt.odds.making import sheet_of

    try:
        sheet = sheet_of(book, house.terms, meters, Enumerated(_say_progress), ante_minor)
    except RulesError as error:
        print(f"felt odds: {error}", file=sys.stderr)
        return WRONG_USE
    for sentence in house.refused:
        print(f"felt odds: no table may be run so: {sentence}", file=sys.stderr)
    return _tell(sheet, house, arguments)


def _tell(sheet: Sheet, house: House, arguments: argparse.Namespace) -> int:
    from felt.odds.html import page
    from felt.odds.plain import plain
    from felt.odds.telling import plot, told

    if arguments.html:
        written = _write(arguments.html, page(sheet, house.digest, house.source, house.refused))
        if written != OK or not arguments.json:
            return written
    if arguments.json:
        print(json.dumps(plain(sheet, house.digest, house.refused), indent=2))
        return OK
    print("\n".join(told(sheet, house.source, house.digest)))
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


def _asked(arguments: argparse.Namespace) -> AskedOdds:
    readings: dict[str, str] = {}
    for text in arguments.reading:
        name, equals, value = text.partition("=")
        if not equals or not name or "." in name:
            raise RulesError(f"{text!r} is not a reading and its value: write it as in --reading NAME=VALUE")
        if name in readings:
            raise RulesError(f"the reading {name} is given twice: leave one of them out")
        readings[name] = value
    return AskedOdds(tuple(arguments.overrides), tuple(readings.items()), _money("--stake", arguments.stake))


def _refuse_what_makes_no_sense(book: Rulebook, arguments: argparse.Namespace) -> None:
    if arguments.stake is not None and not book.meters:
        raise RulesError(f"{book.id} has no progressive bet: leave --stake out")
    if arguments.ante is not None and not book.has_fold:
        raise RulesError(f"{book.id} has no Ante: leave --ante out")
    if arguments.plot and arguments.json:
        raise RulesError("--plot is for people and --json for a program: leave one of them out")


def _meters(texts: list[str]) -> dict[str, int]:
    meters: dict[str, int] = {}
    for name, minor in map(_meter, texts):
        if name in meters:
            raise RulesError(f"the meter {name} is given twice: leave one of them out")
        meters[name] = minor
    return meters


def _meter(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not equals or not value.isascii() or not value.isdigit() or int(value[:16]) > MONEY_MAX or len(value) > 16:
        raise RulesError(f"{text!r} is not a meter and its value: write it as in --meter major=20000000 (minor units)")
    return name, int(value)


def _money(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) == 0:
        raise RulesError(f"{text[:20]!r} is not an amount: write minor units, as in {option} 2500")
    return int(text)


def _say_progress(step: str) -> None:
    print(f"felt odds: counting {step}", file=sys.stderr)
