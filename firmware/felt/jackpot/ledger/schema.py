"""The tables of a ledger, version 1, for both databases. What no entry and no balance may be, the database itself
refuses."""

from __future__ import annotations

from felt.jackpot.books.accounts import OUTSIDE_THE_METER, WAYS

VERSION = 1

_WAYS = ", ".join(f"'{code} {debit} {credit}'" for code, ways in WAYS.items() for debit, credit in ways)
_BELOW_NOUGHT = ", ".join(f"'{account}'" for account in OUTSIDE_THE_METER)


KEPT = ("entries", "letters", "commits", "periods")  # only ever added to; periods tell besides where they are archived


def statements(whole: str, number: str, ending: str) -> tuple[str, ...]:
    """`whole` and `number`: how the database calls a number of 64 bits, and a primary key that counts. `ending`: what
    makes it keep to them."""
    return (
        # Whoever opened the ledger last has its epoch; the head of the chain, and its signature by the controller.
        f"CREATE TABLE generation (epoch {whole} NOT NULL, number {whole} NOT NULL, signature TEXT NOT NULL){ending}",
        "INSERT INTO generation VALUES (0, 0, '')",
        f"""CREATE TABLE commits (
            number {number}, written_ns {whole} NOT NULL, last_entry {whole} NOT NULL, last_letter {whole} NOT NULL,
            rows_sum TEXT NOT NULL, head TEXT NOT NULL){ending}""",
        f"""CREATE TABLE entries (
            id {number}, code TEXT NOT NULL, table_id TEXT NOT NULL, nonce TEXT NOT NULL, round {whole} NOT NULL,
            claim TEXT NOT NULL, meter TEXT NOT NULL, debit TEXT, credit TEXT, amount {whole} NOT NULL,
            stake_minor {whole} NOT NULL, wagers {whole} NOT NULL, at_wall_ns {whole} NOT NULL, detail TEXT NOT NULL,
            persons TEXT NOT NULL,
            CHECK ((debit IS NULL) = (credit IS NULL)),
            CHECK (debit IS NULL OR amount >= 0 AND code || ' ' || debit || ' ' || credit IN ({_WAYS}))){ending}""",
        f"""CREATE TABLE letters (
            id {number}, table_id TEXT NOT NULL, nonce TEXT NOT NULL, sequence {whole} NOT NULL, kind TEXT NOT NULL,
            body TEXT NOT NULL, head_sequence {whole} NOT NULL, head_hash TEXT NOT NULL, differs TEXT NOT NULL,
            UNIQUE (table_id, nonce, sequence)){ending}""",
        f"""CREATE TABLE balances (
            meter TEXT NOT NULL, account TEXT NOT NULL, micro {whole} NOT NULL, PRIMARY KEY (meter, account),
            CHECK (micro >= 0 OR account IN ({_BELOW_NOUGHT}))){ending}""",
        f"CREATE TABLE standing (key TEXT PRIMARY KEY, value TEXT NOT NULL){ending}",
        f"""CREATE TABLE periods (
            number {number}, day TEXT NOT NULL, last_commit {whole} NOT NULL, written_ns {whole} NOT NULL,
            content TEXT NOT NULL, digest TEXT NOT NULL, archived TEXT NOT NULL){ending}""",
    )
