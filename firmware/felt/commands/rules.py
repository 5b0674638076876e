"""`felt rules`: lists the games on the shelf, and one game's versions, wagers, pay tables, readings and the terms
that the house must set."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from felt.nouns.money import Currency
from felt.nouns.texts import fitted
from felt.nouns.values import to_plain
from felt.rules import shelf
from felt.rules.rulebook import OddsKind, PayTable, Rulebook, RulesError, Terms, missing_terms
from felt.rules.verdicts import say_units

DESCRIPTION = "Lists the games, or shows one game's versions, wagers, pay tables, readings and what the house must set."
EPILOG = """examples:
  felt rules
  felt rules multi-link-3-card-poker
  felt rules stax-three-card --json
"""
OK, WRONG_USE = 0, 2
WIDTH = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game", nargs="?", metavar="GAME", help="a game of the list")
    parser.add_argument(
        "--at", metavar="TIME", help="the version in force at this time, such as 2024-01-04T08:00:00+08:00"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")


def run(arguments: argparse.Namespace) -> int:
    try:
        text = _answer(arguments.game, arguments.at, as_json=arguments.json)
    except RulesError as error:
        print(f"felt rules: {error}", file=sys.stderr)
        return WRONG_USE
    print(text)
    return OK


def _answer(game: str | None, at: str | None, *, as_json: bool) -> str:
    if game is not None:
        book = shelf.rulebook(game, at)
        return _as_json(plain_rulebook(book)) if as_json else "\n".join(map(_fitted, _told(book)))
    books = [shelf.rulebook(game_id, at) for game_id in shelf.GAMES]
    if as_json:
        return _as_json({"games": [plain_rulebook(book) for book in books]})
    return "\n".join(
        _fitted(f"{book.id:28} version {book.version:3} {_in_force(book)}\n    {book.title}") for book in books
    )


def _fitted(text: str) -> str:
    """Wraps lines of any length; continuation lines are indented further."""
    return "\n".join(fitted(line, WIDTH) for line in text.split("\n"))


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain_rulebook(book: Rulebook) -> dict[str, Any]:
    """A rulebook as plain JSON values."""
    return {
        "game": book.id,
        "version": book.version,
        "title": book.title,
        "effective": book.effective,
        "versions": [
            {"version": version.version, "effective": version.effective} for version in shelf.versions(book.id)
        ],
        "wagers": [to_plain(wager) for wager in book.wagers],
        "pay_tables": [_plain_table(table) for table in book.pay_tables],
        "posted_by_the_house": {bet: list(rows) for bet, rows in book.posted_rows},
        "chosen_by_letter": list(book.letters),
        "meters": list(book.meters),
        "printed_meters": [to_plain(meter) for meter in book.printed_meters],
        "community_cards": book.community_cards,
        "has_fold": book.has_fold,
        "has_envy": book.has_envy,
        "readings": [
            {
                "name": reading.name,
                "default": reading.default,
                "alternatives": list(reading.alternatives),
                "paragraph": reading.paragraph,
                "meaning": reading.meaning,
            }
            for reading in book.readings
        ],
        "house_must_set": missing_terms(book, Terms()),
    }


def _plain_table(table: PayTable) -> dict[str, Any]:
    rows = [{"hand": hand, "pays": _pays(odds.kind, odds.amount, odds.text)} for hand, odds in table.rows]
    return {"bet": table.bet, "letter": table.letter, "paragraph": table.paragraph, "rows": rows}


def _pays(kind: OddsKind, amount: int, text: str) -> str:
    return say_units(amount, Currency()) if kind is OddsKind.SUM else text


def _in_force(book: Rulebook) -> str:
    return "undated" if book.effective.startswith("1970") else f"from {book.effective}"


def _told(book: Rulebook) -> Iterator[str]:
    yield f"{book.title} ({book.id}), version {book.version}, {_in_force(book)}"
    yield ""
    yield "Wagers"
    for wager in book.wagers:
        needs = f", needs {wager.needs}" if wager.needs else ""
        yield f"  {wager.name:18} {wager.title}{needs}  [{wager.paragraph}]"
    for table in book.pay_tables:
        yield ""
        letter = f", table {table.letter}" if table.letter else ""
        yield f"Pays: {table.bet}{letter}  [{table.paragraph}]"
        for hand, odds in table.rows:
            yield f"  {hand.replace('_', ' '):26} {_pays(odds.kind, odds.amount, odds.text)}"
    for bet, rows in book.posted_rows:
        yield ""
        yield f"Posted by the house, odds to 1: {bet}"
        yield f"  {', '.join(rows)}"
    yield from _meters_told(book)
    yield ""
    yield "Readings (the first value is the default)"
    for reading in book.readings:
        yield f"  {reading.name}: {' | '.join(reading.values)}  [{reading.paragraph}]"
        yield f"      {reading.meaning}"
    yield ""
    yield "The house must set"
    for sentence in missing_terms(book, Terms()):
        yield f"  {sentence.removeprefix(book.id + ' needs ')}"


def _meters_told(book: Rulebook) -> Iterator[str]:
    if book.meters:
        yield ""
        yield f"Meters: {', '.join(book.meters)}"
    for meter in book.printed_meters:
        rate = f"{meter.rate_bp // 100}.{meter.rate_bp % 100:02d}%"
        yield f"  {meter.meter:10} reset {say_units(meter.reset_units, Currency())}, growth {rate} of the stake"
