"""Compares a fleet's ledger with the books of its tables and the plans of its dealers: to the micro-unit, letter by
letter, claim by claim."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from felt.config.jackpot_file import JackpotConfig
from felt.jackpot.books.accounts import AWARDS, Code
from felt.jackpot.books.hits import ONE_SIDE_ONLY
from felt.jackpot.books.standing import Standing
from felt.jackpot.controller.office import GAP_TOLD
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import Ledger
from felt.wiring.jackpot_controller import open_office
from tests.real.fleet_awards import check_awards
from tests.real.fleet_outbox import TableBook, read_books
from tests.real.fleet_plan import LEVELS, MAJOR, Expected, Link, expected, link_of, meter_name, plan_of

# A letter is refused until the lost one before it has come. A house may order claims against a clock that is known
# better by the time its order arrives. Some hits are reported by people only.
EXPECTED_ALARMS = (GAP_TOLD, "The house ordered claims against the evidence", ONE_SIDE_ONLY)


class Found(NamedTuple):
    rounds: int
    letters: int
    claims_paid: int
    claims_denied: int
    alarms: int
    stakes_minor: int
    awards_minor: int


def audit(
    config: JackpotConfig,
    seed: int,
    rounds: int,
    outboxes: Mapping[str, list[str]],
    signs: Mapping[str, dict[str, int]],
) -> Found:
    """Raises an AssertionError for anything that is lost or doubled."""
    books: dict[str, TableBook] = {}
    for path, tables in outboxes.items():
        books.update(read_books(Path(path), seed, tables, rounds))
    paid = [award for book in books.values() for award in book.awards.values()]
    wanted = expected(seed, sorted(books), rounds, paid)
    with contextlib.closing(open_office(config)) as office:
        report = office.report()
        assert report.conserved, report.problem
        _check_meters(office.standing, wanted)
        assert office.standing.claims == ()
    for table, sign in signs.items():
        shown = {level.name: wanted[meter_name(link_of(table), level)].display for level in LEVELS}
        assert sign == shown, f"the sign of table {table} shows {sign}, not {shown}"
    where = config.controller.ledger
    with contextlib.closing(open_ledger(where if "://" in where else str(config.path(where)))) as ledger:
        letters = _check_letters(ledger, books)
        resolved = _check_claims(ledger, seed, rounds, books)
        awards = check_awards(ledger.entries(), seed, rounds, books)
        alarms = _check_alarms(ledger)
    played = sum(book.number - 1 for book in books.values())
    assert played == rounds * len(books)
    stakes = sum(wanted[meter_name(link, MAJOR)].stakes_minor for link in Link)
    assert awards == sum(award.award_minor for award in paid)
    return Found(played, letters, resolved[True], resolved[False], alarms, stakes, awards)


def signs_agree(signs: Mapping[str, dict[str, int]]) -> bool:
    """Every table shows what the others on its link show."""
    links: dict[Link, dict[str, int]] = {}
    return bool(signs) and all(sign and links.setdefault(link_of(table), sign) == sign for table, sign in signs.items())


def _check_meters(standing: Standing, wanted: Mapping[str, Expected]) -> None:
    found = {
        meter.name: Expected(meter.display, meter.reserve, meter.wagers, meter.stakes, meter.hits, meter.wins)
        for meter in standing.meters
    }
    assert found == wanted, f"the ledger says {found}, the dealers did {wanted}"
    assert all((meter.pending, meter.waiting, meter.overflow) == (0, 0, 0) for meter in standing.meters)


def _check_letters(ledger: Ledger, books: Mapping[str, TableBook]) -> int:
    """Every letter of every table is in the ledger once, in its table's order, as it was written."""
    stored: dict[str, list[tuple[int, str, str]]] = {table: [] for table in books}
    for letter in ledger.letters():
        stored[letter.table].append((letter.sequence, letter.kind, letter.body))
    for table, book in books.items():
        written = [(place, kind, text) for place, (kind, text) in enumerate(book.letters, 1)]
        assert stored[table] == written, f"the letters of table {table} differ"
    return sum(map(len, stored.values()))


def _check_claims(ledger: Ledger, seed: int, rounds: int, books: Mapping[str, TableBook]) -> Counter[bool]:
    """Every claim is paid once or denied once, as its supervisor did."""
    planned = {
        (table, claim.claim): claim.granted
        for table in books
        for number in range(1, rounds + 1)
        for claim in plan_of(seed, table, number).claims
    }
    ends: dict[tuple[str, str], list[bool]] = {key: [] for key in planned}
    for entry in ledger.entries():
        if entry.code in AWARDS:
            ends[entry.table, entry.claim].append(True)
        elif entry.code is Code.DENIED:
            ends[entry.table, entry.claim].append(False)
    assert ends == {key: [granted] for key, granted in planned.items()}
    return Counter(planned.values())


def _check_alarms(ledger: Ledger) -> int:
    alarms = [entry.detail for entry in ledger.entries(Code.ALARM)]
    unexpected = [alarm for alarm in alarms if not alarm.startswith(EXPECTED_ALARMS)]
    assert not unexpected, unexpected[:5]
    return len(alarms)
