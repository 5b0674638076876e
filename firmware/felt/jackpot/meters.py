"""One meter, exactly. Every change is a list of movements between named accounts, and a meter is nothing but
the sum of its movements, so that the ledger and the meter cannot tell different stories. Whole numbers only:
micro-units of a minor unit. This module knows nothing of tables, rounds or who waits for whom."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from felt.jackpot.terms import FractionalCent, MeterTerms, OnHit, PartialWin, problem_of
from felt.nouns.money import MICRO_PER_MINOR, growth_micro


class Account(StrEnum):
    DISPLAY = "display"  # committed, and what the next award is a share of
    RESERVE = "reserve"
    OVERFLOW = "overflow"  # what the limit kept off the display
    BUCKET = "bucket"  # the next cycle's, while a claim is open
    PENDING = "pending"  # locked rounds without a result; in no sum of money yet
    WAGERS = "wagers"  # qualifying wagers, a plain count
    STAKES = "stakes"  # what those wagers were, in minor units
    HITS = "hits"  # a plain count
    WINS = "wins"  # awards paid, in minor units
    CARRIED = "carried"  # what former terms made of the stakes beyond what the present ones would have


MONEY = (Account.DISPLAY, Account.RESERVE, Account.OVERFLOW, Account.BUCKET)


class Kind(StrEnum):
    """Why an amount moved, or what was noted. The type of a typed record."""

    SEED = "seed"  # what the house puts in
    PENDED = "pended"
    COMMITTED = "committed"
    DROPPED = "dropped"
    ADDED_NOTHING = "added_nothing"  # the round's jackpot was won, so its bets add nothing to the meter
    CORRECTED = "corrected"  # a committed contribution taken back by a void
    AWARDED = "awarded"
    AWARDED_AS_REGISTERED = "awarded_as_registered"  # at the value registered before the link was lost
    FOLDED = "folded"  # between two purses of the same meter
    CLEARED = "cleared"  # the display to the reserve, by an authorised clear
    TERMS_CHANGED = "terms_changed"
    MALFUNCTION_CORRECTED = "malfunction_corrected"  # these four by two persons, with a reason
    OVER_LIMIT_CORRECTED = "over_limit_corrected"
    ADJUSTED = "adjusted"
    SEED_RECOVERED = "seed_recovered"
    CLAIMED = "claimed"
    VALUED = "valued"
    DENIED = "denied"
    WITHDRAWN = "withdrawn"
    CLAIM_CORRECTED = "claim_corrected"  # an open one: its level or share, by two persons
    AWARD_CORRECTED = "award_corrected"  # of a paid one, what was due; the amount is the difference, in no sum
    AWARD_ACCEPTED = "award_accepted"  # stated by a table and above what it can have registered; by two persons
    ORDERED = "ordered"  # claims, by the house
    RELEASED = "released"  # a claim from waiting, by a supervisor
    TERMS_AGREED = "terms_agreed"  # and in force from the next hit or clear
    REINSTATED = "reinstated"  # a journal that its table had left
    NOTED = "noted"
    ALERT = "alert"  # somebody should look
    ALARM = "alarm"


AWARDS = (Kind.AWARDED, Kind.AWARDED_AS_REGISTERED)
ADJUSTMENTS = (Kind.MALFUNCTION_CORRECTED, Kind.OVER_LIMIT_CORRECTED, Kind.ADJUSTED, Kind.SEED_RECOVERED)
INJECTIONS = (Kind.SEED, *ADJUSTMENTS)  # what the house puts in or takes out


Movement = tuple[Kind, Account, int]  # with the amount; a bare one, because a result alone has a dozen of them


class Meter(NamedTuple):
    """Each field after the terms is the balance of the account of its name."""

    terms: MeterTerms
    display: int = 0
    reserve: int = 0
    overflow: int = 0
    bucket: int = 0
    pending: int = 0
    wagers: int = 0
    stakes: int = 0
    hits: int = 0
    wins: int = 0
    carried: int = 0


# What every round moves. On Python 3.11 asking an enumeration for a member takes as long as the sum it is asked for.
_PENDED, _COMMITTED = Kind.PENDED, Kind.COMMITTED
_DISPLAY, _RESERVE, _OVERFLOW = Account.DISPLAY, Account.RESERVE, Account.OVERFLOW
_BUCKET, _PENDING, _WAGERS, _STAKES = Account.BUCKET, Account.PENDING, Account.WAGERS, Account.STAKES
_FIELD = {account: account.value for account in Account}  # asking a member for its value is slow
_PLACE = {account: Meter._fields.index(account.value) for account in Account}


class Moved(NamedTuple):
    meter: Meter
    movements: tuple[Movement, ...]


def open_meter(terms: MeterTerms) -> Moved:
    """A new meter begins at its base value, put in by the house."""
    base_minor = terms.base_minor or terms.reset_minor
    return _move(Meter(terms), ((Kind.SEED, Account.DISPLAY, base_minor * MICRO_PER_MINOR),))


def pend(meter: Meter, stake_minor: int) -> Moved:
    return _move(meter, ((_PENDED, _PENDING, _growth(meter, stake_minor)),))


def drop(meter: Meter, stake_minor: int) -> Moved:
    return _move(meter, ((Kind.DROPPED, Account.PENDING, -_growth(meter, stake_minor)),))


def add_nothing(meter: Meter, stake_minor: int) -> Moved:
    return _move(meter, ((Kind.ADDED_NOTHING, Account.PENDING, -_growth(meter, stake_minor)),))


def commit(meter: Meter, stake_minor: int, wagers: int, to_bucket: bool) -> Moved:
    """Pending contributions become the meter's. `to_bucket`: a claim is open and these came after it."""
    terms = meter.terms
    grown = growth_micro(stake_minor, terms.rate_bp)
    reserve = growth_micro(stake_minor, terms.reserve_bp)
    rise = grown - reserve
    into = ((_COMMITTED, _BUCKET, rise),) if to_bucket else _raised(meter, _COMMITTED, rise)
    away = (
        (_COMMITTED, _PENDING, -grown),
        (_COMMITTED, _WAGERS, wagers),
        (_COMMITTED, _STAKES, stake_minor),
        (_COMMITTED, _RESERVE, reserve),
    )
    return _move(meter, away + into)


class Rates(NamedTuple):
    """By what a round was committed; a change of terms does not reach back."""

    meter: str
    rate_bp: int
    reserve_bp: int


def rates_of(meter: Meter) -> Rates:
    terms = meter.terms
    return Rates(terms.name, terms.rate_bp, terms.reserve_bp)


def correct(
    meter: Meter, stake_minor: int, wagers: int, rates: Rates | None = None, *, waiting: int | None = None
) -> Moved:
    """Takes committed contributions back from where they are: the overflow and then the display, or the bucket, where
    so much of them is `waiting`. What has been paid away since is made good by the house: a display that has its reset
    value keeps it."""
    _, rate_bp, reserve_bp = rates or rates_of(meter)
    grown, reserve_part = growth_micro(stake_minor, rate_bp), growth_micro(stake_minor, reserve_bp)
    counts = (
        (Kind.CORRECTED, Account.WAGERS, -wagers),
        (Kind.CORRECTED, Account.STAKES, -stake_minor),
        (Kind.CORRECTED, Account.CARRIED, _growth(meter, stake_minor) - grown),
    )
    moved = _move(meter, counts)
    moved = _then(moved, _drawn(moved.meter, Kind.CORRECTED, reserve_part, (Account.RESERVE,)))
    if waiting is not None:
        others = moved.meter.bucket - waiting
        return _then(moved, _drawn(moved.meter, Kind.CORRECTED, grown - reserve_part, (Account.BUCKET,), others))
    sources = (Account.OVERFLOW, Account.DISPLAY)
    reset = meter.terms.reset_minor * MICRO_PER_MINOR
    kept = reset if meter.display >= reset else 0  # by one reading a partial win leaves it lower
    return _then(moved, _drawn(moved.meter, Kind.CORRECTED, grown - reserve_part, sources, kept))


def award_of(value_micro: int, share_num: int, share_den: int, rounding: FractionalCent = FractionalCent.DOWN) -> int:
    """A share in whole minor units; the fraction stays on the meter, or the house adds what it lacks."""
    exact, parts = value_micro * share_num, share_den * MICRO_PER_MINOR
    return (2 * exact + parts) // (2 * parts) if rounding is FractionalCent.NEAREST else exact // parts


def pay(meter: Meter, award_minor: int, whole: bool, kind: Kind = Kind.AWARDED) -> Moved:
    """Pays from the display. Where that ends the cycle, what is left there and is not paid goes to the reserve; what
    has waited comes in apart, and the next cycle begins with `begin_cycle`."""
    moved = _move(meter, _drawn(meter, kind, award_minor * MICRO_PER_MINOR, (Account.DISPLAY,)))
    moved = _then(moved, _hit(award_minor, kind))
    if whole or meter.terms.partial_win_meter is not PartialWin.RESET:
        return moved
    return _then(moved, _transferred(Account.DISPLAY, Account.RESERVE, moved.meter.display))


def ends_cycle(terms: MeterTerms, whole: bool) -> bool:
    return whole or terms.partial_win_meter is PartialWin.RESET


def begin_cycle(meter: Meter, whole: bool) -> Moved:
    """After an award: the seed where the reading says so, and side purses."""
    moved = _then(_move(meter, ()), _after_win(meter, whole))
    return _begun(moved, meter.terms, whole)


def _begun(moved: Moved, terms: MeterTerms, whole: bool) -> Moved:
    """The side purses that the readings add."""
    if terms.overflow_on_hit is OnHit.ADDED:
        moved = _then(moved, _folded(moved.meter, Account.OVERFLOW))
    if whole and terms.reserve_on_hit is OnHit.ADDED:
        moved = _then(moved, _folded(moved.meter, Account.RESERVE))
    return moved


def pay_part(meter: Meter, award_minor: int, kind: Kind = Kind.AWARDED) -> Moved:
    """Pays one of several equal parts; the next cycle begins with `end_split`."""
    drawn = _drawn(meter, kind, award_minor * MICRO_PER_MINOR, (Account.DISPLAY,))
    return _move(meter, drawn + _hit(award_minor, kind))


def end_split(meter: Meter, all_paid: bool) -> Moved:
    """Begins the next cycle when the last part is resolved. A part that nobody was paid stays on the meter."""
    reset = meter.terms.reset_minor * MICRO_PER_MINOR
    seed = reset if all_paid else max(0, reset - meter.display)
    moved = _move(meter, ((Kind.SEED, Account.DISPLAY, seed),))
    moved = _then(moved, _spilled(moved.meter))
    return _begun(moved, meter.terms, all_paid)


def pay_beside(meter: Meter, award_minor: int, kind: Kind) -> Moved:
    """Pays an award while the display is frozen for another claim: from the next cycle, the rest by the house."""
    drawn = _drawn(meter, kind, award_minor * MICRO_PER_MINOR, (Account.BUCKET,))
    return _move(meter, drawn + _hit(award_minor, kind))


def bring_in(meter: Meter, micro: int) -> Moved:
    """Bets that were counted for the next cycle belong to this one."""
    return _move(meter, ((Kind.FOLDED, Account.BUCKET, -micro), *_raised(meter, Kind.FOLDED, micro)))


def adjust(meter: Meter, account: Account, micro: int, kind: Kind) -> Moved:
    """Whoever calls has seen to it that the purse stays between nought and its limit."""
    return _move(meter, ((kind, account, micro),))


def clear(meter: Meter) -> Moved:
    """An authorised clear: what the players built up goes to the reserve. The meter begins again with `seed`."""
    moved = _move(meter, ())
    for source in (Account.DISPLAY, Account.OVERFLOW, Account.BUCKET):
        held = _balance(moved.meter, source)
        transfer = ((Kind.CLEARED, source, -held), (Kind.CLEARED, Account.RESERVE, held))
        moved = _then(moved, transfer)
    return moved


def seed(meter: Meter) -> Moved:
    return _move(meter, ((Kind.SEED, Account.DISPLAY, meter.terms.reset_minor * MICRO_PER_MINOR),))


def change_terms(meter: Meter, terms: MeterTerms, pending_stake_minor: int) -> Moved:
    """Stakes that pend are re-rated; stakes that are committed keep what their own terms made of them."""
    assert not problem_of(terms), "terms are checked when they are agreed"
    faster_bp = terms.rate_bp - meter.terms.rate_bp
    moved = _move(
        meter._replace(terms=terms),
        (
            (Kind.TERMS_CHANGED, Account.PENDING, growth_micro(pending_stake_minor, faster_bp)),
            (Kind.TERMS_CHANGED, Account.CARRIED, -growth_micro(meter.stakes, faster_bp)),
        ),
    )
    moved = _then(moved, _spilled(moved.meter))
    return _then(moved, _folded(moved.meter, Account.OVERFLOW)) if terms.overflow_on_hit is OnHit.ADDED else moved


def expected_micro(meter: Meter, injected: int) -> int:
    """What rates, stakes, awards and the house's own money make of a meter."""
    return _growth(meter, meter.stakes) + meter.carried + injected - meter.wins * MICRO_PER_MINOR


def total_micro(meter: Meter) -> int:
    """What conservation is about. Pending contributions are nobody's yet."""
    return meter.display + meter.reserve + meter.overflow + meter.bucket


# --- parts -------------------------------------------------------------------------------------------


def _growth(meter: Meter, stake_minor: int) -> int:
    return growth_micro(stake_minor, meter.terms.rate_bp)


def _hit(award_minor: int, kind: Kind) -> tuple[Movement, ...]:
    return ((kind, Account.HITS, 1), (kind, Account.WINS, award_minor))


def _after_win(meter: Meter, whole: bool) -> tuple[Movement, ...]:
    """What the reading puts on the display of which the award, and what else goes, is already gone."""
    reset = meter.terms.reset_minor * MICRO_PER_MINOR
    seed = (Kind.SEED, Account.DISPLAY, reset)
    if whole:
        return (seed, *_spilled(meter._replace(display=meter.display + reset)))
    if meter.terms.partial_win_meter is PartialWin.RESET:
        return (seed, *_spilled(meter._replace(display=meter.display + reset)))
    if meter.terms.partial_win_meter is PartialWin.DEDUCT_NOT_BELOW_RESET:
        return ((Kind.SEED, Account.DISPLAY, max(0, reset - meter.display)),)
    return ()


def _room(meter: Meter) -> int | None:
    """How much the display may still rise; None without a limit."""
    if meter.terms.limit_minor == 0:
        return None
    return max(0, meter.terms.limit_minor * MICRO_PER_MINOR - meter.display)


def _raised(meter: Meter, kind: Kind, micro: int) -> tuple[Movement, ...]:
    room = _room(meter)
    if room is None or micro <= room:
        return ((kind, _DISPLAY, micro),)
    return ((kind, _DISPLAY, room), (kind, _OVERFLOW, micro - room))


def _spilled(meter: Meter) -> tuple[Movement, ...]:
    if meter.terms.limit_minor == 0:
        return ()
    above = max(0, meter.display - meter.terms.limit_minor * MICRO_PER_MINOR)
    return _transferred(Account.DISPLAY, Account.OVERFLOW, above)


def _folded(meter: Meter, source: Account) -> tuple[Movement, ...]:
    """A side purse joins the display; what the limit does not let in stays in, or goes to, the overflow."""
    held = _balance(meter, source)
    return ((Kind.FOLDED, source, -held), *_raised(meter, Kind.FOLDED, held))


def _transferred(source: Account, target: Account, micro: int) -> tuple[Movement, ...]:
    return ((Kind.FOLDED, source, -micro), (Kind.FOLDED, target, micro))


def _drawn(
    meter: Meter, kind: Kind, micro: int, sources: tuple[Account, ...], kept_on_last: int = 0
) -> tuple[Movement, ...]:
    """Takes an amount from purses in order. No purse goes below nought, nor the last one below what it keeps: the
    house seeds what is missing."""
    movements = []
    missing = micro
    for source in sources:
        part = min(missing, _balance(meter, source) - (kept_on_last if source is sources[-1] else 0))
        movements.append((kind, source, -part))
        missing -= part
    if missing:
        movements += [(Kind.SEED, sources[-1], missing), (kind, sources[-1], -missing)]
    return tuple(movements)


def _balance(meter: Meter, account: Account) -> int:
    balance: int = getattr(meter, _FIELD[account])
    return balance


def _move(meter: Meter, movements: tuple[Movement, ...]) -> Moved:
    """The only place where a balance changes."""
    balances: list[Any] = [*meter]  # behind the terms
    real, lowered = [], []
    for movement in movements:
        _, account, amount = movement
        if amount:
            balances[_PLACE[account]] += amount
            real.append(movement)
            if amount < 0:
                lowered.append(account)
    for account in lowered:
        below = balances[_PLACE[account]] < 0 and account is not Account.CARRIED
        assert not below, f"the {account} of the meter {meter.terms.name} went below nought"
    return Moved(Meter(*balances), tuple(real))


def _then(moved: Moved, movements: tuple[Movement, ...]) -> Moved:
    further = _move(moved.meter, movements)
    return Moved(further.meter, moved.movements + further.movements)
