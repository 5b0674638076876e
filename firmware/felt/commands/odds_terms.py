"""Under whose terms `felt odds` counts: those of a table file, of the built-in demo table, or of a request's `table` as
`felt settle` reads it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TypeVar

from felt.config import load
from felt.config.against_rules import contradicted_by_returns, holes_in_pay_tables, returned_too_much
from felt.config.loading import demo_table
from felt.config.terms import terms_of
from felt.nouns.values import Value, replace, to_text
from felt.odds.cached import returns_of
from felt.rules.rulebook import Rulebook, RulesError, Terms, missing_terms
from felt.settling.terms import SettleRefused, read_terms

Term = TypeVar("Term")


class AskedOdds(Value):
    """What the command line says beside a table."""

    settings: tuple[str, ...] = ()  # each as in lock.drain_ms=200
    readings: tuple[tuple[str, str], ...] = ()
    stake_minor: int | None = None  # of the progressive bet

    def overrides(self) -> list[str]:
        readings = [f'game.readings.{name}="{value}"' for name, value in self.readings]
        stake = [] if self.stake_minor is None else [f"progressive.stake_minor={self.stake_minor}"]
        return [*self.settings, *readings, *stake]


class House(Value):
    terms: Terms
    digest: str
    source: str
    refused: tuple[str, ...] = ()  # why no table may be run under these terms


def house_of(book: Rulebook, path: Path | None, asked: AskedOdds) -> House:
    """Raises a ConfigError or a RulesError with one sentence."""
    if path is not None and _is_json(path):
        return _of_a_request(book, path, asked)
    config = load(path or demo_table(book.id), asked.overrides(), whatever_it_returns=True)
    if config.game.id != book.id:
        raise RulesError(f"{path} is a table of {config.game.id}, not of {book.id}")
    refused = tuple(violation.problem for violation in contradicted_by_returns(config))
    return House(terms_of(config), config.digest, str(path or "the built-in demo table"), refused)


def _is_json(path: Path) -> bool:
    """By its name or its first character: no TOML file begins with a brace."""
    if path.suffix == ".json":
        return True
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False  # reading it as a table file says what is wrong


def _of_a_request(book: Rulebook, path: Path, asked: AskedOdds) -> House:
    """What it leaves open is as the demo table has it."""
    if asked.settings:
        raise RulesError(f"{path}: a request has no settings: leave --set out")
    given = _terms_in(book, path)
    config = load(demo_table(book.id), asked.overrides(), whatever_it_returns=True)
    demo = terms_of(config)
    posted = {table.bet: dict(table.rows) for table in given.posted}
    for bet, problem, remedy in holes_in_pay_tables(book, posted):
        raise RulesError(f"{path}: pay_tables.{bet}: {problem}; {remedy}")
    asks_stake = asked.stake_minor is not None or given.progressive_stake is None
    terms = replace(
        demo,
        limits=given.limits or demo.limits,
        progressive_stake=demo.progressive_stake if asks_stake else given.progressive_stake,
        resets=_over(demo.resets, given.resets),
        rates_bp=_over(demo.rates_bp, given.rates_bp),
        reserves_bp=_over(demo.reserves_bp, given.reserves_bp),
        envy=demo.envy if given.envy is None else given.envy,
        pay_letters=_over(demo.pay_letters, given.pay_letters),
        posted=(*given.posted, *(table for table in demo.posted if table.bet not in posted)),
    )
    missing = missing_terms(book, terms)
    if missing:
        raise RulesError(f"{path}: {missing[0]}")
    refused = tuple(problem for _, problem in returned_too_much(returns_of(book, terms), config.table.seats))
    digest = hashlib.sha256(to_text((book.id, book.version, terms)).encode()).hexdigest()
    return House(terms, digest, str(path), refused)


def _terms_in(book: Rulebook, path: Path) -> Terms:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise RulesError(f"{path} cannot be read ({error.strerror}): check its name and permissions") from None
    if not text:
        raise RulesError(f"{path}: the file is empty: write a request's table, as felt settle reads it")
    try:
        return read_terms(book, text, b"")
    except SettleRefused as refusal:
        raise RulesError(f"{path}: {refusal.message}") from None


def _over(below: tuple[tuple[str, Term], ...], above: tuple[tuple[str, Term], ...]) -> tuple[tuple[str, Term], ...]:
    return tuple({**dict(below), **dict(above)}.items())
