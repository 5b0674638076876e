"""What a jackpot pays where its system has failed in the round: the value that was registered with the lock, by the
readings that the controller would have gone by. Knows no controller."""

from __future__ import annotations

from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.rules.meters import reset_value
from felt.rules.verdicts import rounded
from felt.table.settle import book_of, is_of, round_of, staked_minor
from felt.table.state import ClaimState, Table


def registered_award(table: Table, claim: ClaimState) -> tuple[int, int]:
    """The share of the value registered with the lock, in whole minor units. A second winner of the round is
    paid from what the first has left of it, or by one reading an equal part; whoever was denied has none."""
    assert table.settings is not None
    playing = round_of(table)
    same = [one for one in playing.claims if one.level == claim.level]
    paid = [one for one in same if one.verdict == "confirmed"]
    left = [one for one in same if one.verdict != "denied"]
    shares = table.settings.reading("same_level_hits", "in_deal_order") == "split_equally"
    if shares and paid and paid[-1].award_minor != _share(table, paid[-1], paid[-1].value_micro or 0):
        return paid[-1].value_micro or 0, paid[-1].award_minor or 0  # it was a part, and all parts are equal
    if paid:
        value_micro = _value_after(table, paid[-1])
    else:
        value_micro = value_registered(table, claim.level)
        if shares and len(left) > 1:
            rounding = table.settings.reading("fractional_cent", "down")
            return value_micro, rounded(value_micro, len(left) * MICRO_PER_MINOR, rounding)
    return value_micro, _share(table, claim, value_micro)


def _share(table: Table, claim: ClaimState, value_micro: int) -> int:
    assert table.settings is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    rounding = table.settings.reading("fractional_cent", "down")
    return rounded(value_micro * line.share_num, line.share_den * MICRO_PER_MINOR, rounding)


def value_registered(table: Table, level: str) -> int:
    assert table.settings is not None
    playing, terms = round_of(table), table.settings.terms
    value_micro = dict(playing.registered).get(level, 0)
    if table.settings.reading("registered_value", "at_lock") == "with_own_contribution":
        rate_bp = dict(terms.rates_bp).get(level, 0) - dict(terms.reserves_bp).get(level, 0)
        value_micro += growth_micro(staked_minor(playing), rate_bp)
    return value_micro


def _value_after(table: Table, claim: ClaimState) -> int:
    """What the display would show once this claim is paid."""
    assert table.settings is not None and claim.value_micro is not None and claim.award_minor is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    reading = table.settings.reading("partial_win_meter", "deduct")
    left_micro = claim.value_micro - claim.award_minor * MICRO_PER_MINOR
    if reading == "deduct" and line.share_num < line.share_den:
        return left_micro
    reset_micro = reset_value(book_of(table), claim.level, table.settings.terms) * MICRO_PER_MINOR
    is_part = line.share_num < line.share_den and reading == "deduct_not_below_reset"
    return max(left_micro, reset_micro) if is_part else reset_micro
