"""What a house has agreed for its meters and for the link between its tables: amounts, rates, readings, waiting
times. Checked here and nowhere else; this module moves no money."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from felt.nouns.money import BASIS_POINTS, MICRO_PER_MINOR
from felt.nouns.values import Value

ODDS_TO_ONE_MAX = 100_000_000  # no top award may be rarer
TOTAL_MICRO_MAX = 10**18  # in all purses of a meter together: far inside the 64 bits of a database's number
AMOUNT_MINOR_MAX = TOTAL_MICRO_MAX // MICRO_PER_MINOR // 10  # of what a house agrees on


class PartialWin(StrEnum):
    """What a win of less than the whole leaves on the meter."""

    DEDUCT = "deduct"
    RESET = "reset"  # what was not paid goes to the reserve
    DEDUCT_NOT_BELOW_RESET = "deduct_not_below_reset"


class OnHit(StrEnum):
    """What becomes of a side purse when the meter is won."""

    KEPT_APART = "kept_apart"
    ADDED = "added_to_reset"


class FractionalCent(StrEnum):
    DOWN = "down"
    NEAREST = "nearest"  # a half goes up


class SameLevelHits(StrEnum):
    """Several hits of one level in one round."""

    IN_DEAL_ORDER = "in_deal_order"
    SPLIT_EQUALLY = "split_equally"


class IncrementTiming(StrEnum):
    """Whether the bets of a winning round are on the meter that they win."""

    BEFORE_SETTLEMENT = "before_settlement"
    ONLY_IF_NOT_WON = "only_if_not_won"
    AFTER_SETTLEMENT = "after_settlement"


class MajorsAcrossTables(StrEnum):
    BY_TIME_OF_EACH_HAND = "by_time_of_each_hand"
    TABLES_TOGETHER = "tables_together"


class VoidAfterAward(StrEnum):
    """What becomes of bets that are void after an award has closed their stretch of the meter."""

    HOUSE_MAKES_GOOD = "house_makes_good"  # the meter of the stretch after it gives nothing
    TAKE_BACK_WHAT_IS_LEFT = "take_back_what_is_left"  # from what the meter shows now; the house adds what is missing


class HouseOrder(StrEnum):
    """An order of claims by the house that the clocks contradict."""

    ACCEPTED_AND_FLAGGED = "accepted_and_flagged"
    REFUSED = "refused"


class TermsTakeEffect(StrEnum):
    """When agreed terms come into force."""

    NEXT_CYCLE = "next_cycle"  # with its seed: reset value, limit and folding are the new ones
    AT_CLEAR_ONLY = "at_clear_only"  # no hit brings them


class TermsError(ValueError):
    """Terms of a meter that cannot be kept, in one sentence."""


class MeterTerms(Value):
    name: str  # a level; on one of several links `link/level`
    reset_minor: int
    rate_bp: int  # the whole growth, in hundredths of a per cent of the stake
    reserve_bp: int = 0  # the part of the growth that goes to the reserve; the meter takes the rest
    limit_minor: int = 0  # nought: no limit
    partial_win_meter: PartialWin = PartialWin.DEDUCT
    reserve_on_hit: OnHit = OnHit.KEPT_APART
    overflow_on_hit: OnHit = OnHit.ADDED
    base_minor: int = 0  # what a new meter begins at; nought: its reset value
    threshold_minor: int = 0  # a larger stake of one bet is unreasonable; nought: no threshold
    fractional_cent: FractionalCent = FractionalCent.DOWN
    same_level_hits: SameLevelHits = SameLevelHits.IN_DEAL_ORDER
    increment_timing: IncrementTiming = IncrementTiming.BEFORE_SETTLEMENT
    void_after_award: VoidAfterAward = VoidAfterAward.HOUSE_MAKES_GOOD
    odds_to_one: int = 0  # against the top award, for the approver; nought: not stated
    secondary_award: str = ""  # what else the contributions pay for, as the sign must say it


class Procedure(Value):
    """How the controller deals with time and people. It moves no money, so it may change between two starts."""

    claim_wait_s: int = 600  # a claim waits so long for the results of earlier rounds, then a supervisor decides
    pending_alert_s: int = 1800  # contributions that pend for longer are an alert
    bets_max: int = 9  # more progressive bets in one round are unreasonable
    drift_ppm: int = 200  # how far two clocks may run apart, in millionths
    card_late_ms: int = 20  # how late a card's stamp may be, where its table does not say
    majors_across_tables: MajorsAcrossTables = MajorsAcrossTables.BY_TIME_OF_EACH_HAND
    house_order_against_evidence: HouseOrder = HouseOrder.ACCEPTED_AND_FLAGGED
    terms_take_effect: TermsTakeEffect = TermsTakeEffect.NEXT_CYCLE
    links: tuple[tuple[str, str], ...] = ()  # table and link; empty: every table is on the only link


def level_of(name: str) -> str:
    return name.rpartition("/")[2]


def link_of(name: str) -> str:
    return name.rpartition("/")[0]


def check_terms(all_terms: Iterable[MeterTerms]) -> tuple[MeterTerms, ...]:
    """The same terms, or a `TermsError` that names the meter and what to change."""
    checked = tuple(all_terms)
    names = [terms.name for terms in checked]
    for place, terms in enumerate(checked):
        problem = "its name is used twice" if terms.name in names[:place] else problem_of(terms)
        if problem:
            raise TermsError(f"The meter {terms.name!r} cannot be opened: {problem}.")
    problem = problem_together(checked)
    if problem:
        raise TermsError(f"The terms cannot be kept: {problem}.")
    return checked


def problem_together(all_terms: tuple[MeterTerms, ...]) -> str:
    """Why these meters cannot be beside each other, or nothing."""
    for link in sorted({link_of(terms.name) for terms in all_terms}):
        total_bp = sum(terms.rate_bp for terms in all_terms if link_of(terms.name) == link)
        if total_bp > BASIS_POINTS:
            return f"the meters together grow by {total_bp} bp of a stake, more than the whole stake"
    return ""


def problem_of(terms: MeterTerms) -> str:
    """Why these terms cannot be kept, or nothing."""
    if not all(terms.name.split("/")) or terms.name.count("/") > 1:
        return "its name is empty or has a slash that does not part a link from a level"
    if min(terms.reset_minor, terms.limit_minor, terms.base_minor, terms.threshold_minor) < 0:
        return "reset_minor, limit_minor, base_minor and threshold_minor are never negative"
    if max(terms.reset_minor, terms.limit_minor, terms.base_minor, terms.threshold_minor) > AMOUNT_MINOR_MAX:
        return f"reset_minor, limit_minor, base_minor and threshold_minor are {AMOUNT_MINOR_MAX} at most"
    if not 0 <= terms.reserve_bp <= terms.rate_bp <= BASIS_POINTS:
        return f"0 <= reserve_bp ({terms.reserve_bp}) <= rate_bp ({terms.rate_bp}) <= {BASIS_POINTS} must hold"
    if 0 < terms.limit_minor < max(terms.reset_minor, terms.base_minor):
        least = max(terms.reset_minor, terms.base_minor)
        return f"its limit ({terms.limit_minor}) is below its reset or base value ({least})"
    if not 0 <= terms.odds_to_one <= ODDS_TO_ONE_MAX:
        return f"odds of {terms.odds_to_one} to 1 are not from 0 (not stated) to {ODDS_TO_ONE_MAX}"
    return ""
