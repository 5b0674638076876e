"""A standing as rows of text in the ledger, and read back strictly; of a change, the rows that it changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import HITS_KEPT, Bets, Hit, Journal, OpenClaim, Round, Standing
from felt.nouns.values import read, to_text

Rows = dict[str, str]


Row = Meter | Round | OpenClaim | Journal | Hit | Bets


def key_of(row: Row) -> str:
    match row:
        case Meter():
            return f"meter/{row.name}"
        case Round():
            return f"round/{row.table}/{row.nonce}/{row.number}"
        case OpenClaim():
            return f"claim/{row.place:09d}"
        case Journal():
            return f"journal/{row.table}/{row.nonce}"
        case Hit():
            return f"hit/{row.meter}/{row.number % HITS_KEPT:02d}"
        case Bets():
            return f"bets/{row.table}/{row.nonce}/{row.number}/{row.meter}"


_SHAPES: dict[str, type[Row]] = {
    "meter": Meter, "round": Round, "claim": OpenClaim, "journal": Journal, "hit": Hit, "bets": Bets,
}  # fmt: skip


def rows_of(standing: Standing) -> Rows:
    return {key_of(row): to_text(row) for part in _parts_of(standing) for row in part}


def _parts_of(standing: Standing) -> Iterator[tuple[Row, ...]]:
    """What is changed together is a part: of a table, its rounds are one and its journals another."""
    yield standing.meters
    yield standing.claims
    yield standing.hits
    yield from standing.rounds.values()
    yield from standing.journals.values()
    yield tuple(standing.bets.values())


def changed_rows(before: Standing, after: Standing) -> dict[str, str | None]:
    """What to write; None for a row that is gone. Parts that did not change are the same objects, so that a letter
    costs what it changes and not what the whole link weighs."""
    changed: dict[str, str | None] = {}
    for former, latter in (
        (before.meters, after.meters),
        (before.claims, after.claims),
        (before.hits, after.hits),
    ):
        if former is not latter:
            _note_changes(changed, former, latter)
    for was, now in ((before.rounds, after.rounds), (before.journals, after.journals)):
        if was is not now:
            for table, rows in now.items():
                if was.get(table) is not rows:
                    _note_changes(changed, was.get(table, ()), rows)
    if before.bets is not after.bets:
        _note_changes(changed, before.bets.values(), after.bets.values())
    return changed


def _note_changes(changed: dict[str, str | None], former: Iterable[Row], latter: Iterable[Row]) -> None:
    before, now = {id(row) for row in former}, {id(row) for row in latter}
    for row in former:
        if id(row) not in now:
            changed[key_of(row)] = None
    for row in latter:
        if id(row) not in before:
            changed[key_of(row)] = to_text(row)


def standing_of(rows: Rows) -> Standing:
    """What `rows_of` wrote; a ValueError for anything else."""
    meters: list[Meter] = []
    claims: list[OpenClaim] = []
    hits: list[Hit] = []
    standing = Standing((), {}, (), {}, (), {})
    for key in sorted(rows):
        shape = _SHAPES.get(key.partition("/")[0])
        if shape is None:
            raise ValueError(f"{key!r} is no part of a standing")
        row: Row = read(shape, rows[key])
        if key_of(row) != key:
            raise ValueError(f"{key!r} holds what belongs at {key_of(row)!r}")
        match row:
            case Meter():
                meters.append(row)
            case OpenClaim():
                claims.append(row)
            case Hit():
                hits.append(row)
            case Round():
                standing.rounds[row.table] = (*standing.rounds.get(row.table, ()), row)
            case Journal():
                standing.journals[row.table] = (*standing.journals.get(row.table, ()), row)
            case Bets():
                standing.bets[row.key] = row
    hits.sort(key=lambda hit: (hit.meter, hit.number))
    return Standing(tuple(meters), standing.rounds, tuple(claims), standing.journals, tuple(hits), standing.bets)
