"""What a jackpot pays where its system has failed in the round before it had told a value: the one that was
registered with the lock, by the readings that the controller would have gone by. Knows no controller."""

from __future__ import annotations

from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.rules.meters import reset_value
from felt.rules.verdicts import rounded
from felt.table.settle import book_of, is_of, round_of, staked_minor
from felt.table.state import ClaimState, Table, with_round


def registered_award(table: Table, claim: ClaimState) -> tuple[int, int]:
    """The share of the value registered with the lock, in whole minor units. A second winner of the round is
    paid from what the first has left of it, or by one reading an equal part; whoever was denied has none."""
    sharing = _sharing(table, claim.level)
    parts = _parts(table, claim.level, sharing) if claim in sharing else 1
    paid = [one for one in sharing if one.verdict == "confirmed"]
    if parts > 1 and paid:
        return paid[-1].value_micro or 0, paid[-1].award_minor or 0  # it was a part, and all parts are equal
    value_micro = _value_left(table, claim.level)
    return value_micro, _share(table, claim, value_micro) if parts == 1 else _part(table, value_micro, parts)


def shares_equally(table: Table) -> bool:
    """By one reading the hits of one level in one round share its value."""
    assert table.settings is not None
    return table.settings.reading("same_level_hits", "in_deal_order") == "split_equally"


def _sharing(table: Table, level: str) -> list[ClaimState]:
    """The hits that the settlement has found. A reported one comes after them and stands outside: the controller may
    have told their parts before it hears of it. So does one that was corrected onto the level after that."""
    if not shares_equally(table):
        return []
    found = [one for one in round_of(table).claims if one.level == level and not one.reported_by]
    return [one for one in found if not _was_told_alone(table, one)]


def _was_told_alone(table: Table, claim: ClaimState) -> bool:
    """The whole of its share, where the others of its level were told parts."""
    if claim.value_micro is None or dict(round_of(table).parts).get(claim.level, 1) == 1:
        return False
    has_its_line = any(is_of(line, claim) for line in round_of(table).lines)
    return has_its_line and claim.award_minor == _share(table, claim, claim.value_micro)


def _parts(table: Table, level: str, sharing: list[ClaimState]) -> int:
    """As many as were told before the system failed, or paid; else as many as are not denied."""
    known = dict(round_of(table).parts).get(level)
    return known or max(1, sum(one.verdict != "denied" for one in sharing))


def with_parts_told(table: Table, claim: ClaimState) -> Table:
    """Once a part was told or paid it is that part for all, whatever becomes of the claims."""
    playing = round_of(table)
    if not claim.award_minor or claim.value_micro is None or claim.level in dict(playing.parts):
        return table
    if claim not in _sharing(table, claim.level):
        return table
    has_its_line = any(is_of(line, claim) for line in playing.lines)  # a box that is out of the round has none
    alone = has_its_line and claim.award_minor == _share(table, claim, claim.value_micro)
    parts = 1 if alone else max(1, rounded(claim.value_micro, claim.award_minor * MICRO_PER_MINOR, "nearest"))
    return with_round(table, parts=(*playing.parts, (claim.level, parts)))


def _part(table: Table, value_micro: int, parts: int) -> int:
    assert table.settings is not None
    return rounded(value_micro, parts * MICRO_PER_MINOR, table.settings.reading("fractional_cent", "down"))


def _share(table: Table, claim: ClaimState, value_micro: int) -> int:
    assert table.settings is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    rounding = table.settings.reading("fractional_cent", "down")
    return rounded(value_micro * line.share_num, line.share_den * MICRO_PER_MINOR, rounding)


def meters_unheard(table: Table) -> tuple[str, ...]:
    """A jackpot whose value nobody has told the table by the lock could not be paid if its system failed: an award is
    never a guess."""
    heard = dict(round_of(table).registered)
    return tuple(meter for meter in book_of(table).meters if meter not in heard)


def value_registered(table: Table, level: str) -> int:
    assert table.settings is not None
    playing, terms = round_of(table), table.settings.terms
    value_micro = dict(playing.registered).get(level, 0)  # with no progressive bet nobody may have told it
    if table.settings.reading("registered_value", "at_lock") == "with_own_contribution":
        rate_bp = dict(terms.rates_bp).get(level, 0) - dict(terms.reserves_bp).get(level, 0)
        value_micro += growth_micro(staked_minor(playing), rate_bp)
    return value_micro


def _value_left(table: Table, level: str) -> int:
    """What the display would show once what is paid is paid: claims that are paid stand in the order of that."""
    paid = [one for one in round_of(table).claims if one.level == level and one.verdict == "confirmed"]
    return _value_after(table, paid[-1]) if paid else value_registered(table, level)


def _value_after(table: Table, claim: ClaimState) -> int:
    assert table.settings is not None and claim.value_micro is not None and claim.award_minor is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    reading = table.settings.reading("partial_win_meter", "deduct")
    left_micro = claim.value_micro - claim.award_minor * MICRO_PER_MINOR
    reset_micro = reset_value(book_of(table), claim.level, table.settings.terms) * MICRO_PER_MINOR
    sharing = _sharing(table, claim.level)
    if not claim.reported_by and _parts(table, claim.level, sharing) > 1:
        not_denied = sum(one.verdict != "denied" for one in sharing)
        return max(claim.value_micro - not_denied * claim.award_minor * MICRO_PER_MINOR, reset_micro)
    if reading == "deduct" and line.share_num < line.share_den:
        return left_micro
    is_part = line.share_num < line.share_den and reading == "deduct_not_below_reset"
    return max(left_micro, reset_micro) if is_part else reset_micro
