"""Settles meters in one step: the round's bets raise them, and its major awards are valued one after another. A live
table leaves this to the jackpot controller; settling from a file does it here. Values are exact: whole minor units
or fractions of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from felt.nouns.money import BASIS_POINTS
from felt.nouns.values import Value, replace
from felt.rules.rulebook import LOSE, WIN, Line, MissingTermsError, Rulebook, Terms, readings_in_force
from felt.rules.verdicts import minor_per_unit, rounded

Amount = int | Fraction  # minor units
RESERVE = ".reserve"  # the reserve of the meter `star` is stored beside it as `star.reserve`


def value_lines(
    rulebook: Rulebook, lines: Sequence[Line], meters: Mapping[str, Amount], terms: Terms
) -> tuple[tuple[Line, ...], dict[str, Amount]]:
    """Returns the lines in deal order with every share turned into a sum, and the meters afterwards."""
    (valued,), after = value_rounds(rulebook, ((lines, terms),), meters, terms)
    return valued, after


def value_rounds(
    rulebook: Rulebook,
    rounds: Sequence[tuple[Sequence[Line], Terms]],
    meters: Mapping[str, Amount],
    terms: Terms,
    order: Sequence[tuple[int, int]] | None = None,
) -> tuple[tuple[tuple[Line, ...], ...], dict[str, Amount]]:
    """Values rounds that share their meters, on one table or several. `terms` holds the meters' resets and readings;
    each round has its own stakes and rates. `order` lists the major lines (round, line) in order of payment."""
    majors = [
        (place, number) for place, (lines, _) in enumerate(rounds) for number, line in enumerate(lines) if line.level
    ]
    readings = readings_in_force(rulebook, terms)
    timing = readings.get("increment_timing", "before_settlement")
    after = dict(meters)
    if timing == "before_settlement" or (timing == "only_if_not_won" and not majors):
        _grow_all(rulebook, rounds, after)
    settled = [tuple(lines) for lines, _ in rounds]
    if majors:
        valued = [list(lines) for lines in settled]
        _pay(_House(rulebook, terms, readings), valued, majors if order is None else order, after)
        settled = [tuple(lines) for lines in valued]
    if timing == "after_settlement":
        _grow_all(rulebook, rounds, after)
    return tuple(settled), after


def accepted_stake(line: Line, prescribed: int | None) -> int:
    """The part of a progressive line that raises the meters; zero if the bet was returned."""
    if line.bet != "progressive" or line.outcome not in (WIN, LOSE) or line.stake is None:
        return 0
    return line.stake if prescribed is None else min(line.stake, prescribed)


def _grow_all(
    rulebook: Rulebook, rounds: Iterable[tuple[Sequence[Line], Terms]], meters: dict[str, Amount]
) -> None:
    for lines, terms in rounds:
        if not terms.rates_bp:
            continue
        prescribed = rulebook.prescribed_stake(terms)
        stakes = sum([accepted_stake(line, prescribed) for line in lines if line.bet == "progressive"])
        if stakes:
            _grow(stakes, terms, meters)


def _grow(stakes: int, terms: Terms, meters: dict[str, Amount]) -> None:
    reserves = dict(terms.reserves_bp)
    for meter, rate in terms.rates_bp:
        to_reserve = reserves.get(meter, 0)
        if meter in meters:
            meters[meter] = _plus(meters[meter], stakes * (rate - to_reserve))
        if to_reserve:
            meters[meter + RESERVE] = _plus(meters.get(meter + RESERVE, 0), stakes * to_reserve)


def _plus(value: Amount, in_basis_points: int) -> Amount:
    whole, part = divmod(in_basis_points, BASIS_POINTS)
    return whole_if_whole(value + whole + Fraction(part, BASIS_POINTS)) if part else value + whole


def whole_if_whole(value: Amount) -> Amount:
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


class _House(Value):
    """The rulebook, terms and readings that value the awards."""

    rulebook: Rulebook
    terms: Terms
    readings: Mapping[str, str]


def _pay(
    house: _House, rounds: list[list[Line]], order: Sequence[tuple[int, int]], meters: dict[str, Amount]
) -> None:
    if house.readings.get("same_level_hits") == "split_equally":
        _pay_equal_parts(house, rounds, order, meters)
        return
    for place, number in order:
        line = rounds[place][number]
        paid = _award(house, meters, line.level, line.share_num, line.share_den)
        rounds[place][number] = replace(line, paid=paid)
        if line.share_num == line.share_den:
            _reset(house, line.level, meters)
        else:
            _lower(house, line.level, paid, meters)


def _pay_equal_parts(
    house: _House, rounds: list[list[Line]], order: Sequence[tuple[int, int]], meters: dict[str, Amount]
) -> None:
    """Hits of one level share one value equally, and the meter is reset once."""
    by_level: dict[str, list[tuple[int, int]]] = {}
    for place, number in order:
        by_level.setdefault(rounds[place][number].level, []).append((place, number))
    for level, hits in by_level.items():
        paid = _award(house, meters, level, 1, len(hits))
        for place, number in hits:
            rounds[place][number] = replace(rounds[place][number], paid=paid)
        _reset(house, level, meters)


def _award(house: _House, meters: Mapping[str, Amount], level: str, share: int, parts: int) -> int:
    if level not in meters:
        raise MissingTermsError(f"the meter {level} pays an award and has no value: give it under meters.{level}")
    exact = Fraction(meters[level]) * Fraction(share, parts)
    return rounded(exact.numerator, exact.denominator, house.readings.get("fractional_cent", "down"))


def _reset(house: _House, level: str, meters: dict[str, Amount]) -> None:
    meters[level] = reset_value(house.rulebook, level, house.terms)
    reserve = meters.get(level + RESERVE)
    if reserve is not None and house.readings.get("reserve_on_hit") == "added_to_reset":
        meters[level] = whole_if_whole(meters[level] + reserve)
        meters[level + RESERVE] = 0


def _lower(house: _House, level: str, paid: int, meters: dict[str, Amount]) -> None:
    """Reduces a meter after a part of it was won."""
    reading = house.readings.get("partial_win_meter", "deduct")
    if reading == "reset":
        _reset(house, level, meters)
        return
    left = meters[level] - paid
    if reading == "deduct_not_below_reset":
        left = max(left, reset_value(house.rulebook, level, house.terms))
    meters[level] = whole_if_whole(left)


def reset_value(rulebook: Rulebook, level: str, terms: Terms) -> int:
    for meter, value in terms.resets:
        if meter == level:
            return value
    for printed in rulebook.printed_meters:
        if printed.meter == level:
            return printed.reset_units * minor_per_unit(terms.currency)
    raise MissingTermsError(f"{rulebook.id} prints no reset value for the meter {level}: set progressive.reset.{level}")
