"""Checks the game settings of a table file against the game's rulebook."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from felt.config.bounds import Violation
from felt.config.settings import Antes, MeterSettings, TableFile
from felt.config.terms import terms_of
from felt.nouns.texts import says_something
from felt.odds.cached import Return, odds_of_top_awards, returns_of
from felt.odds.exact import decimal, percent, percent_cut
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import PrintedMeter, Rulebook, missing_terms
from felt.rules.stax_three_card_tables import PRINTED_TERMS
from felt.rules.verdicts import minor_per_unit


def unknown_game(settings: TableFile) -> Iterator[Violation]:
    if settings.game.id not in shelf.GAMES:
        problem = f"{settings.game.id!r} is not a game on the shelf"
        yield Violation(("game", "id"), problem, _one_of(settings.game.id, shelf.GAMES))


def contradicted_by_rules(settings: TableFile) -> Iterator[Violation]:
    """Everything in the settings that contradicts the rulebook. The game must be on the shelf."""
    book = shelf.rulebook(settings.game.id)
    yield from _readings(settings, book)
    methods = [method.name for method in PROCEDURES[book.id].methods]
    if settings.game.dealing not in methods:
        problem = f"{settings.game.dealing!r} is not a dealing method of {book.id}"
        yield Violation(("game", "dealing"), problem, _one_of(settings.game.dealing, methods))
    wagers = [wager.name for wager in book.wagers]
    yield from _antes(settings, book)
    yield from _unknown(("game", "limits"), settings.game.limits, wagers, "a wager of this game")
    placed = [wager.name for wager in book.wagers if not wager.after_cards]
    yield from _unknown(("board", "sensed"), settings.board.sensed, placed, "a wager of this game before its cards")
    yield from _pay_tables(settings, book)
    yield from _unknown(("progressive", "meters"), settings.progressive.meters, book.meters, "a meter of this game")
    for meter in book.meters:
        if meter not in settings.progressive.meters:
            problem = f"{book.id} has a meter {meter} that is not set"
            remedy = f"add [progressive.meters.{meter}] with reset_minor, rate_bp, reserve_bp and limit_minor"
            yield Violation(("progressive", "meters"), problem, remedy)
    yield from _printed_meters(settings, book)
    missing = missing_terms(book, terms_of(settings))
    if missing:
        yield Violation(("game",), "; ".join(missing), "set each of them; the rulebook does not print it")
        return
    posted = {bet: table for bet, table in settings.game.pay_tables.items() if isinstance(table, dict)}
    for bet, problem, remedy in holes_in_pay_tables(book, posted):
        yield Violation(("game", "pay_tables", bet), problem, remedy)


def contradicted_by_returns(settings: TableFile) -> Iterator[Violation]:
    """Of terms that are complete: what they give back to the players."""
    book = shelf.rulebook(settings.game.id)
    returns = returns_of(book, terms_of(settings))
    for bet, problem in returned_too_much(returns, settings.table.seats):
        where = ("game", "pay_tables", bet) if bet in settings.game.pay_tables else ("progressive", "stake_minor")
        remedy = "that is above 100%: post lower odds, a higher stake, lower resets or lower rates"
        yield Violation(where, problem, remedy)
    yield from _unlike_the_approved(settings, returns)
    yield from _unlike_the_stated_odds(settings, book)


def returned_too_much(returns: Iterable[Return], seats: int) -> Iterator[tuple[str, str]]:
    """Each bet that gives back more than it takes, and a sentence with its return."""
    for wager in returns:
        back = wager.with_envy(seats)
        if back > 1:
            envy = f", {percent_cut(back - wager.whole)} of it by envy at a full table" if wager.envy else ""
            yield wager.bet, f"the {wager.bet} bet would return {percent_cut(back)} of its stakes to the players{envy}"


def holes_in_pay_tables(
    book: Rulebook, posted: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[str, str, str]]:
    """The bet, the problem and the remedy. A posted table pays every hand from the best one down to its lowest
    paying hand, and Pair Plus pays from a pair up."""
    for bet, hands in book.posted_rows:
        rows = posted.get(bet)
        if rows is None:
            continue
        if not rows:
            yield bet, "it has no rows", f"post what each hand pays, as in {hands[-1]} = 1"
            continue
        least = max(place for place, hand in enumerate(hands) if hand in rows)
        if bet == "pair_plus":
            least = len(hands) - 1
        for hand in hands[1 : least + 1]:  # the best straight flush of all may be paid as a straight flush
            if hand not in rows:
                example = rows.get(hands[least], 1)
                yield bet, f"it has no row for {hand.replace('_', ' ')}", f"post what it pays, as in {hand} = {example}"


def _unlike_the_stated_odds(settings: TableFile, book: Rulebook) -> Iterator[Violation]:
    """Compares the stated odds of a top award with the enumerated ones. Rounding is allowed."""
    stated = {name: meter.odds_to_one for name, meter in settings.progressive.meters.items() if meter.odds_to_one}
    if not stated:
        return
    found = odds_of_top_awards(book, terms_of(settings))
    for name, odds in stated.items():
        exact = found.get(name)
        if exact is not None and abs(odds - exact) > 1:
            told = f"{decimal(exact, 0)} to 1"
            problem = f"it states {odds} to 1, but the top award of this meter is hit {told}"
            yield Violation(
                ("progressive", "meters", name, "odds_to_one"), problem, f"set it to {decimal(exact, 0)}, or to 0"
            )


_PERCENT = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,6}))?%")


def _unlike_the_approved(settings: TableFile, returns: tuple[Return, ...]) -> Iterator[Violation]:
    """Compares computed returns with the approved sheet, to as many digits as the sheet prints."""
    computed = {wager.bet: wager.whole for wager in returns}
    yield from _unknown(("game", "approved"), settings.game.approved, computed, "a wager whose return is known")
    for bet, figure in settings.game.approved.items():
        printed = _PERCENT.fullmatch(figure)
        if printed is None:
            remedy = 'write the return as the sheet prints it, as in "94.43%"'
            yield Violation(("game", "approved", bet), f"{figure!r} is not a percentage", remedy)
        elif bet in computed and percent(computed[bet], len(printed[2] or "")) != figure:
            told = percent(computed[bet], len(printed[2] or ""))
            problem = f"the approved sheet says {figure}, this table returns {told}"
            remedy = "correct what the table pays, or the figure if the sheet says otherwise"
            yield Violation(("game", "approved", bet), problem, remedy)


def antes_of(settings: TableFile) -> str:
    """How this table knows of the bet that other bets need; empty if no wager of the game needs another."""
    needed = needed_bets(shelf.rulebook(settings.game.id))
    if not needed or settings.table.antes is not Antes.BY_THE_BOARD:
        return settings.table.antes.value if needed else ""
    sensed = all(name in settings.board.sensed for name in needed)
    return (Antes.SENSED if sensed else Antes.PRESUMED).value


def needed_bets(book: Rulebook) -> tuple[str, ...]:
    """The bets that others need: without them the others are returned when the round begins."""
    return tuple(dict.fromkeys(wager.needs for wager in book.wagers if wager.needs and not wager.after_cards))


def _antes(settings: TableFile, book: Rulebook) -> Iterator[Violation]:
    stated, needed, where = settings.table.antes, needed_bets(book), ("table", "antes")
    if stated is Antes.BY_THE_BOARD:
        return
    if not needed:
        yield Violation(where, f"wagers of {book.id} may stand alone: none needs another", "remove it")
        return
    unsensed = [name for name in needed if name not in settings.board.sensed]
    if stated is Antes.SENSED and unsensed:
        problem = f"it is sensed, but board.sensed lacks {', '.join(unsensed)}"
        yield Violation(where, problem, "add it to board.sensed, or choose keyed or presumed")
    if stated is Antes.PRESUMED and not unsensed:
        problem = f"it is set to presumed, but the board senses {', '.join(needed)}"
        yield Violation(where, problem, "remove it: a bet that is sensed is not presumed")


def _readings(settings: TableFile, book: Rulebook) -> Iterator[Violation]:
    known = {reading.name: (reading.default, *reading.alternatives) for reading in book.readings}
    yield from _unknown(("game", "readings"), settings.game.readings, known, "a reading of this game")
    for name, value in settings.game.readings.items():
        if name in known and value not in known[name]:
            problem = f"{value!r} is not a value of this reading"
            yield Violation(("game", "readings", name), problem, _one_of(value, known[name]))


def _pay_tables(settings: TableFile, book: Rulebook) -> Iterator[Violation]:
    """The house chooses among printed tables by letter, and posts the odds of bets for which the book prints none."""
    rows_of = dict(book.posted_rows)
    chosen = (*book.letters, *rows_of)
    noun = "a bet whose pay table the house chooses"
    yield from _unknown(("game", "pay_tables"), settings.game.pay_tables, chosen, noun)
    for bet, table in settings.game.pay_tables.items():
        where = ("game", "pay_tables", bet)
        if bet in rows_of and isinstance(table, dict):
            yield from _unknown(where, table, rows_of[bet], "a hand that this bet can pay")
        elif bet in rows_of:
            problem = f"{table!r} is a letter, but the rulebook prints no pay table for this bet"
            yield Violation(where, problem, "post odds to 1 by hand, as in { pair = 1, flush = 4 }")
        elif bet in book.letters:
            letters = [printed.letter for printed in book.pay_tables if printed.bet == bet]
            if table not in letters:
                problem = f"{table!r} is not a printed pay table of this bet"
                yield Violation(where, problem, f"use one of {', '.join(letters)}")


def _printed_meters(settings: TableFile, book: Rulebook) -> Iterator[Violation]:
    """Meter and reserve together must grow by the approved rate: the printed rate, unless the file names another."""
    if not book.printed_meters:
        return
    if settings.game.readings.get(PRINTED_TERMS.name, PRINTED_TERMS.default) != PRINTED_TERMS.default:
        if not says_something(settings.progressive.approval):
            problem = f"it is empty, but {PRINTED_TERMS.name} is {settings.game.readings[PRINTED_TERMS.name]}"
            yield Violation(("progressive", "approval"), problem, "name the approval, as in its number and date")
        return
    for printed in book.printed_meters:
        meter = settings.progressive.meters.get(printed.meter)
        if meter is not None:
            yield from _unlike_printed(settings, book, printed, meter)


def _unlike_printed(
    settings: TableFile, book: Rulebook, printed: PrintedMeter, meter: MeterSettings
) -> Iterator[Violation]:
    units = minor_per_unit(terms_of(settings).currency)
    for key, stated, right in (
        ("reset_minor", meter.reset_minor, printed.reset_units * units),
        ("rate_bp", meter.rate_bp, printed.rate_bp),
    ):
        if stated != right:
            problem = f"{stated} is not what {book.printed_meters_at} prints"
            remedy = (
                f"set it to {right}, or set game.readings.{PRINTED_TERMS.name} to {PRINTED_TERMS.alternatives[0]} and "
                "name the approval in progressive.approval"
            )
            yield Violation(("progressive", "meters", printed.meter, key), problem, remedy)


def _unknown(path: tuple[str, ...], names: Iterable[str], known: Iterable[str], noun: str) -> Iterator[Violation]:
    choices = tuple(known)
    for name in names:
        if name not in choices:
            yield Violation((*path, name), f"{name!r} is not {noun}", _one_of(name, choices))


def _one_of(wrong: str, choices: Iterable[str]) -> str:
    listed = tuple(choices)
    near = difflib.get_close_matches(wrong, listed, n=1)
    return f"did you mean {near[0]}?" if near else f"use one of {', '.join(listed)}" if listed else "remove it"
