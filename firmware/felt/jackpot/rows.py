"""A standing as rows of text in the ledger, and read back strictly; of a change, the rows that it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from felt.jackpot.by_table import ByTable
from felt.jackpot.meters import Meter
from felt.jackpot.standing import HITS_KEPT, Agreed, Hit, Journal, Lot, OpenClaim, Round, Standing
from felt.nouns.values import read, to_text

Rows = dict[str, str]
Row = Meter | Round | OpenClaim | Journal | Hit | Agreed | Lot


_KEY_OF: dict[type, Callable[[Any], str]] = {
    Meter: lambda row: f"meter/{row.terms.name}",
    Round: lambda row: f"round/{row[0]}/{row[1]}/{row[2]}",
    OpenClaim: lambda row: f"claim/{row.place:09d}",
    Journal: lambda row: f"journal/{row[0]}/{row[1]}",
    Hit: lambda row: f"hit/{row.meter}/{row.number % HITS_KEPT:02d}",
    Agreed: lambda row: f"agreed/{row.terms.name}",
    Lot: lambda row: f"lot/{row.table}/{row.nonce}/{row.round}/{row.meter}",
}


def key_of(row: Row) -> str:
    return _KEY_OF[type(row)](row)


def rows_of(standing: Standing) -> Rows:
    return {key_of(row): to_text(row) for part in standing for row in part}


def changed_rows(before: Standing, after: Standing) -> dict[str, str | None]:
    """What to write; None for a row that is gone. `before` is as it was committed. Parts that did not change are the
    same objects, so that a letter costs what it changes and not what the whole link weighs."""
    changed: dict[str, str | None] = {}
    pairs: list[tuple[tuple[Row, ...], tuple[Row, ...]]] = [
        (before.meters, after.meters),
        (before.claims, after.claims),
        (before.hits, after.hits),
        (before.agreed, after.agreed),
    ]
    for former, latter in pairs:
        if former is not latter:
            _note_changes(changed, former, latter)
    for former_rounds, rounds in after.rounds.changes():
        _note_few(changed, former_rounds, rounds, 3)
    for former_journals, journals in after.journals.changes():
        _note_few(changed, former_journals, journals, 2)
    for former_lots, lots in after.lots.changes():
        _note_few(changed, former_lots, lots, 4)
    return changed


def _note_changes(changed: dict[str, str | None], former: tuple[Row, ...], latter: tuple[Row, ...]) -> None:
    before, now = set(map(id, former)), set(map(id, latter))
    for row in former:
        if id(row) not in now:
            changed[key_of(row)] = None
    for row in latter:
        if id(row) not in before:
            changed[key_of(row)] = to_text(row)


def _note_few(
    changed: dict[str, str | None], former: tuple[Any, ...], latter: tuple[Any, ...], key_length: int
) -> None:
    """The same for the rows of one table: of so few, each is looked for among all."""
    if len(former) == len(latter) == 1 and former[0][:key_length] == latter[0][:key_length]:
        changed[key_of(latter[0])] = to_text(latter[0])
        return
    for row in former:
        if row not in latter:
            changed[key_of(row)] = None
    for row in latter:
        if row not in former:
            changed[key_of(row)] = to_text(row)


_SHAPES: dict[str, type] = {
    "meter": Meter, "round": Round, "claim": OpenClaim, "journal": Journal, "hit": Hit, "agreed": Agreed,
    "lot": Lot,
}  # fmt: skip


def standing_of(rows: Rows) -> Standing:
    """What `rows_of` wrote; a ValueError for anything else."""
    parts: dict[str, list[Any]] = {name: [] for name in _SHAPES}
    for key in sorted(rows):
        name = key.partition("/")[0]
        if name not in parts:
            raise ValueError(f"{key!r} is no part of a standing")
        parts[name].append(read(_SHAPES[name], rows[key]))
    hits = sorted(parts["hit"], key=lambda hit: (hit.meter, hit.number))
    return Standing(
        tuple(parts["meter"]),
        _by_table(parts["round"]),
        tuple(parts["claim"]),
        _by_table(parts["journal"]),
        tuple(hits),
        tuple(parts["agreed"]),
        _by_table(parts["lot"]),
    )


def _by_table(rows: Iterable[Any]) -> ByTable[Any]:
    found: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        found[row.table] = (*found.get(row.table, ()), row)
    return ByTable(found)
