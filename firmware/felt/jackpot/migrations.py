"""How a ledger's tables came to be, in numbered steps that are never changed afterwards: statements in the words of
either database, and what becomes of the standing's rows. Only whole steps are ever found in a database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from felt.jackpot.rows import Rows
from felt.nouns.values import to_text


class Dialect(NamedTuple):
    """Where the two databases have different words for the same."""

    whole: str
    key: str  # a whole number that is a primary key
    strict: str  # what follows a table that takes nothing but its types
    refusals: tuple[str, ...]  # how a table is made to refuse changes; {table} stands for its name


SQLITE = Dialect(
    "INTEGER",
    "INTEGER PRIMARY KEY",
    "STRICT",
    tuple(
        f"CREATE TRIGGER {{table}}_refuse_{act} BEFORE {act} ON {{table}} "
        "BEGIN SELECT RAISE(ABORT, '{table} are only ever added'); END"
        for act in ("UPDATE", "DELETE")
    ),
)
POSTGRESQL = Dialect(
    "BIGINT",
    "BIGINT PRIMARY KEY",
    "",
    (
        "CREATE OR REPLACE FUNCTION felt_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% are only ever added', TG_TABLE_NAME; END $$",
        "CREATE TRIGGER {table}_refuse BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION felt_refuse()",
        "CREATE TRIGGER {table}_refuse_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION felt_refuse()",
    ),
)


class Step(NamedTuple):
    statements: tuple[str, ...]
    rewrite: Callable[[Rows], Rows]  # of the standing


def _unchanged(rows: Rows) -> Rows:
    return rows


def steps(dialect: Dialect) -> tuple[Step, ...]:
    whole, key, strict, refusals = dialect
    refused = tuple(refusal.format(table=table) for table in ("entries", "letters") for refusal in refusals)
    first = (
        f"""CREATE TABLE entries (
            id {key}, kind TEXT NOT NULL, table_id TEXT NOT NULL, nonce TEXT NOT NULL,
            round {whole} NOT NULL, claim TEXT NOT NULL, meter TEXT NOT NULL, account TEXT,
            amount {whole} NOT NULL, at_wall_ns {whole} NOT NULL, detail TEXT NOT NULL) {strict}""",
        f"""CREATE TABLE letters (
            id {key}, table_id TEXT NOT NULL, nonce TEXT NOT NULL, sequence {whole} NOT NULL,
            kind TEXT NOT NULL, body TEXT NOT NULL, head_sequence {whole} NOT NULL, head_hash TEXT NOT NULL,
            UNIQUE (table_id, nonce, sequence)) {strict}""",
        f"CREATE TABLE standing (key TEXT PRIMARY KEY, value TEXT NOT NULL) {strict}",
        # Counts commits.
        f"CREATE TABLE generation (number {whole} NOT NULL) {strict}",
        "INSERT INTO generation VALUES (0)",
        *refused,
    )
    second = (
        # Counts openings: whoever opened last may write, and nobody else.
        f"ALTER TABLE generation ADD COLUMN epoch {whole} NOT NULL DEFAULT 0",
        "ALTER TABLE entries ADD COLUMN persons TEXT NOT NULL DEFAULT ''",
    )
    third = (
        # When an entry came into the books, by the controller's clock: what reports are made by.
        f"ALTER TABLE entries ADD COLUMN written_ns {whole} NOT NULL DEFAULT 0",
    )
    return (
        Step(first, _unchanged),
        Step(second, _moments_and_terms),
        Step(third, _unchanged),
        Step((), _bets_wait),
        Step((), _bets_in_lots),
        Step((), _values_shown),
    )


def _moments_and_terms(rows: Rows) -> Rows:
    """Terms gained readings and limits of reason, rounds and claims their raw stamps, journals their order."""
    upgraded = {}
    for key, text in rows.items():
        rewrite = _REWRITES.get(key.partition("/")[0])
        upgraded[key] = text if rewrite is None else to_text(rewrite(json.loads(text)))
    return upgraded


def _meter(row: list[object]) -> list[object]:
    terms, *balances = row
    assert isinstance(terms, list)
    added = [0, 0, "down", "in_deal_order", "before_settlement", 0, ""]
    return [[*terms, *added], *balances, 0]


def _moment(stamp: object) -> object:
    return None if stamp is None else [*_first_two(stamp), 0, "", 0, 0]


def _first_two(stamp: object) -> list[object]:
    assert isinstance(stamp, list)
    return stamp[:2]


_LONG_AGO: list[object] = ["", 0, 0]


def _round(row: list[object]) -> list[object]:
    table, nonce, number, contributions, stage, dealt_at, paid_claims, awards_minor = row
    dealt = _moment(dealt_at)
    return [
        table, nonce, number, contributions, dealt_at or _LONG_AGO, stage, dealt, dealt, [], paid_claims, awards_minor,
        [], [],
    ]  # fmt: skip


def _claim(row: list[object]) -> list[object]:
    table, nonce, number, claim, meter, num, den, hand_wall_ns, place, valuation = row
    moment: list[object] = ["", hand_wall_ns, 0, "", 0, 0]
    since: list[object] = ["", 0, hand_wall_ns]
    return [
        table, nonce, number, claim, meter, num, den, place, moment, moment, place, since, 1, False, 0, False, valuation
    ]  # fmt: skip


def _journal(row: list[object]) -> list[object]:
    return [*row, 0]


_REWRITES: dict[str, Callable[[list[object]], list[object]]] = {
    "meter": _meter,
    "round": _round,
    "claim": _claim,
    "journal": _journal,
}


def _bets_wait(rows: Rows) -> Rows:
    """Rounds know which meters count their bets for the next cycle. Of those before, one whose claim waits while its
    meter has such bets is taken for one of them."""
    bucket_of = {key.partition("/")[2]: json.loads(text)[4] for key, text in rows.items() if key.startswith("meter/")}
    waiting: dict[str, list[str]] = {}
    for key, text in rows.items():
        if key.startswith("claim/"):
            table, nonce, number, _, meter, *_, valuation = json.loads(text)
            if valuation is None and bucket_of[meter]:
                waiting.setdefault(f"round/{table}/{nonce}/{number}", []).append(meter)
    return {
        key: to_text([*json.loads(text), sorted(set(waiting.get(key, ())))]) if key.startswith("round/") else text
        for key, text in rows.items()
    }


def _bets_in_lots(rows: Rows) -> Rows:
    """What rounds have raised a next cycle by is kept apart from them, with what is known of it; the rest of a bucket
    is nobody's. Rounds know the place of their journal, hits whether they were a part: of those before, what was paid
    to a round of which others still share."""
    plain = {key: json.loads(text) for key, text in rows.items()}
    begun = {(row[0], row[1]): row[5] for key, row in plain.items() if key.startswith("journal/")}
    left = {row[0][0]: row[4] for key, row in plain.items() if key.startswith("meter/")}
    claims = [row for key, row in plain.items() if key.startswith("claim/")]
    sharing = [(*row[:3], row[4]) for row in claims if row[12] > 1]
    lots: dict[str, list[object]] = {}
    for key, row in plain.items():
        if key.startswith("round/"):
            table, nonce, number, contributions, *_, rates, _, waiting = row
            stake, place, dealt = sum(stake for _, stake in contributions), begun.get((table, nonce), 0), row[6]
            for meter, rate_bp, reserve_bp in rates:
                micro = min(left.get(meter, 0), stake * (rate_bp - reserve_bp) * 100) if meter in waiting else 0
                if micro:
                    left[meter] -= micro
                    lots[f"lot/{table}/{nonce}/{number}/{meter}"] = [table, nonce, number, meter, dealt, place, micro]
            row[-1] = place
        elif key.startswith("hit/"):
            row.append((*row[2:5], row[0]) in sharing)
    for meter, micro in left.items():
        if micro:
            lots[f"lot///0/{meter}"] = ["", "", 0, meter, None, 0, micro]
    return {key: to_text(row) for key, row in (plain | lots).items()}


def _values_shown(rows: Rows) -> Rows:
    """What meters have shown since a table's last lock was not kept before, and no stated award was accepted."""
    added: dict[str, list[object]] = {"journal": [None], "round": [[]], "claim": [0]}
    return {
        key: to_text([*json.loads(text), *more]) if (more := added.get(key.partition("/")[0])) else text
        for key, text in rows.items()
    }


# Last, because it counts what is defined above.
VERSION = len(steps(SQLITE))
