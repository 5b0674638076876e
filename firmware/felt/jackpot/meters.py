"""One meter, exactly. Every change is a list of movements between named accounts, and a meter is nothing but
the sum of its movements, so that the ledger and the meter cannot tell different stories. Whole numbers only:
micro-units of a minor unit. This module knows nothing of tables, rounds or who waits for whom."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from felt.nouns.money import BASIS_POINTS, MICRO_PER_MINOR, growth_micro


class PartialWin(StrEnum):
    """What a win of less than the whole leaves on the meter."""

    DEDUCT = "deduct"
    RESET = "reset"  # what was not paid goes to the reserve
    DEDUCT_NOT_BELOW_RESET = "deduct_not_below_reset"


class OnHit(StrEnum):
    """What becomes of a side purse when the meter is won."""

    KEPT_APART = "kept_apart"
    ADDED = "added_to_reset"


class TermsError(ValueError):
    """Terms of a meter that cannot be kept, in one sentence."""


class MeterTerms(NamedTuple):
    name: str
    reset_minor: int
    rate_bp: int  # the whole growth, in hundredths of a per cent of the stake
    reserve_bp: int = 0  # the part of the growth that goes to the reserve
    limit_minor: int = 0  # nought: no limit
    partial_win_meter: PartialWin = PartialWin.DEDUCT
    reserve_on_hit: OnHit = OnHit.KEPT_APART
    overflow_on_hit: OnHit = OnHit.ADDED


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


MONEY = (Account.DISPLAY, Account.RESERVE, Account.OVERFLOW, Account.BUCKET)


class Kind(StrEnum):
    """Why an amount moved, or what was noted. The type of a typed record."""

    SEED = "seed"  # what the house puts in
    PENDED = "pended"
    COMMITTED = "committed"
    DROPPED = "dropped"
    CORRECTED = "corrected"  # a committed contribution taken back by a void
    AWARDED = "awarded"
    AWARDED_AS_REGISTERED = "awarded_as_registered"  # at the value registered before the link was lost
    FOLDED = "folded"  # between two purses of the same meter
    CLAIMED = "claimed"
    VALUED = "valued"
    DENIED = "denied"
    WITHDRAWN = "withdrawn"
    NOTED = "noted"
    ALARM = "alarm"


AWARDS = (Kind.AWARDED, Kind.AWARDED_AS_REGISTERED)


class Movement(NamedTuple):
    kind: Kind
    account: Account
    amount: int


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


class Moved(NamedTuple):
    meter: Meter
    movements: tuple[Movement, ...]


def check_terms(all_terms: Iterable[MeterTerms]) -> tuple[MeterTerms, ...]:
    """The same terms, or a `TermsError` that names the meter and what to change."""
    checked = tuple(all_terms)
    names = [terms.name for terms in checked]
    for place, terms in enumerate(checked):
        problem = "its name is used twice" if terms.name in names[:place] else _problem_of(terms)
        if problem:
            raise TermsError(f"The meter {terms.name!r} cannot be opened: {problem}.")
    total_bp = sum(terms.rate_bp for terms in checked)
    if total_bp > BASIS_POINTS:
        raise TermsError(f"The meters together grow by {total_bp} bp of a stake, which is more than the whole stake.")
    return checked


def _problem_of(terms: MeterTerms) -> str:
    if not terms.name or "/" in terms.name:
        return "its name is empty or has a slash"
    if terms.reset_minor < 0 or terms.limit_minor < 0:
        return "reset_minor and limit_minor are never negative"
    if not 0 <= terms.reserve_bp <= terms.rate_bp <= BASIS_POINTS:
        return f"0 <= reserve_bp ({terms.reserve_bp}) <= rate_bp ({terms.rate_bp}) <= {BASIS_POINTS} must hold"
    if 0 < terms.limit_minor < terms.reset_minor:
        return f"its limit ({terms.limit_minor}) is below its reset value ({terms.reset_minor})"
    return ""


def open_meter(terms: MeterTerms) -> Moved:
    """A new meter begins at its reset value, put in by the house."""
    return _move(Meter(terms), (Movement(Kind.SEED, Account.DISPLAY, terms.reset_minor * MICRO_PER_MINOR),))


def pend(meter: Meter, stake_minor: int) -> Moved:
    return _move(meter, (Movement(Kind.PENDED, Account.PENDING, _growth(meter, stake_minor)),))


def drop(meter: Meter, stake_minor: int) -> Moved:
    return _move(meter, (Movement(Kind.DROPPED, Account.PENDING, -_growth(meter, stake_minor)),))


def commit(meter: Meter, stake_minor: int, wagers: int, to_bucket: bool) -> Moved:
    """Pending contributions become the meter's. `to_bucket`: a claim is open and these came after it."""
    reserve = growth_micro(stake_minor, meter.terms.reserve_bp)
    rise = _growth(meter, stake_minor) - reserve
    away = (
        Movement(Kind.COMMITTED, Account.PENDING, -(rise + reserve)),
        Movement(Kind.COMMITTED, Account.WAGERS, wagers),
        Movement(Kind.COMMITTED, Account.STAKES, stake_minor),
        Movement(Kind.COMMITTED, Account.RESERVE, reserve),
    )
    into = (Movement(Kind.COMMITTED, Account.BUCKET, rise),) if to_bucket else _raised(meter, Kind.COMMITTED, rise)
    return _move(meter, away + into)


def correct(meter: Meter, stake_minor: int, wagers: int) -> Moved:
    """Takes committed contributions back, last in first out: the bucket, the overflow, then the display. What
    has been paid away since is made good by the house."""
    reserve = growth_micro(stake_minor, meter.terms.reserve_bp)
    counts = (Movement(Kind.CORRECTED, Account.WAGERS, -wagers), Movement(Kind.CORRECTED, Account.STAKES, -stake_minor))
    moved = _move(meter, counts)
    moved = _then(moved, _drawn(moved.meter, Kind.CORRECTED, reserve, (Account.RESERVE,)))
    sources = (Account.BUCKET, Account.OVERFLOW, Account.DISPLAY)
    return _then(moved, _drawn(moved.meter, Kind.CORRECTED, _growth(meter, stake_minor) - reserve, sources))


def award_of(value_micro: int, share_num: int, share_den: int) -> int:
    """A share in whole minor units, rounded down; the fraction stays on the meter."""
    return value_micro * share_num // (share_den * MICRO_PER_MINOR)


def pay(meter: Meter, award_minor: int, whole: bool, kind: Kind = Kind.AWARDED) -> Moved:
    """Pays from the display, then begins the next cycle: reset where the reading says so, side purses, bucket."""
    moved = _move(meter, _drawn(meter, kind, award_minor * MICRO_PER_MINOR, (Account.DISPLAY,)))
    moved = _then(moved, _hit(award_minor, kind) + _after_win(moved.meter, whole))
    if meter.terms.overflow_on_hit is OnHit.ADDED:
        moved = _then(moved, _folded(moved.meter, Account.OVERFLOW))
    if whole and meter.terms.reserve_on_hit is OnHit.ADDED:
        moved = _then(moved, _folded(moved.meter, Account.RESERVE))
    return _then(moved, _folded(moved.meter, Account.BUCKET))


def pay_beside(meter: Meter, award_minor: int, kind: Kind) -> Moved:
    """Pays an award while the display is frozen for another claim: from the next cycle, the rest by the house."""
    drawn = _drawn(meter, kind, award_minor * MICRO_PER_MINOR, (Account.BUCKET,))
    return _move(meter, drawn + _hit(award_minor, kind))


def release(meter: Meter) -> Moved:
    """A claim came to nothing: what waited in the bucket joins the display."""
    return _move(meter, _folded(meter, Account.BUCKET))


def total_micro(meter: Meter) -> int:
    """What conservation is about. Pending contributions are nobody's yet."""
    return meter.display + meter.reserve + meter.overflow + meter.bucket


# --- parts -------------------------------------------------------------------------------------------


def _growth(meter: Meter, stake_minor: int) -> int:
    return growth_micro(stake_minor, meter.terms.rate_bp)


def _hit(award_minor: int, kind: Kind) -> tuple[Movement, ...]:
    return (Movement(kind, Account.HITS, 1), Movement(kind, Account.WINS, award_minor))


def _after_win(meter: Meter, whole: bool) -> tuple[Movement, ...]:
    """What the reading puts on the display of which the award is already gone."""
    reset = meter.terms.reset_minor * MICRO_PER_MINOR
    seed = Movement(Kind.SEED, Account.DISPLAY, reset)
    if whole:
        return (seed, *_spilled(meter._replace(display=meter.display + reset)))
    if meter.terms.partial_win_meter is PartialWin.RESET:
        return (*_transferred(Account.DISPLAY, Account.RESERVE, meter.display), seed)
    if meter.terms.partial_win_meter is PartialWin.DEDUCT_NOT_BELOW_RESET:
        return (seed._replace(amount=max(0, reset - meter.display)),)
    return ()


def _room(meter: Meter) -> int | None:
    """How much the display may still rise; None without a limit."""
    if meter.terms.limit_minor == 0:
        return None
    return max(0, meter.terms.limit_minor * MICRO_PER_MINOR - meter.display)


def _raised(meter: Meter, kind: Kind, micro: int) -> tuple[Movement, ...]:
    room = _room(meter)
    up = micro if room is None else min(micro, room)
    return (Movement(kind, Account.DISPLAY, up), Movement(kind, Account.OVERFLOW, micro - up))


def _spilled(meter: Meter) -> tuple[Movement, ...]:
    if meter.terms.limit_minor == 0:
        return ()
    above = max(0, meter.display - meter.terms.limit_minor * MICRO_PER_MINOR)
    return _transferred(Account.DISPLAY, Account.OVERFLOW, above)


def _folded(meter: Meter, source: Account) -> tuple[Movement, ...]:
    """A side purse joins the display; what the limit does not let in stays in, or goes to, the overflow."""
    held = _balance(meter, source)
    return (Movement(Kind.FOLDED, source, -held), *_raised(meter, Kind.FOLDED, held))


def _transferred(source: Account, target: Account, micro: int) -> tuple[Movement, ...]:
    return (Movement(Kind.FOLDED, source, -micro), Movement(Kind.FOLDED, target, micro))


def _drawn(meter: Meter, kind: Kind, micro: int, sources: tuple[Account, ...]) -> tuple[Movement, ...]:
    """Takes an amount from purses in order. No purse goes below nought: the house seeds what is missing."""
    movements = []
    missing = micro
    for source in sources:
        part = min(missing, _balance(meter, source))
        movements.append(Movement(kind, source, -part))
        missing -= part
    if missing:
        movements += [Movement(Kind.SEED, sources[-1], missing), Movement(kind, sources[-1], -missing)]
    return tuple(movements)


def _balance(meter: Meter, account: Account) -> int:
    balance: int = getattr(meter, account.value)
    return balance


def _move(meter: Meter, movements: tuple[Movement, ...]) -> Moved:
    """The only place where a balance changes."""
    real = tuple(movement for movement in movements if movement.amount)
    balances: dict[str, int] = {}
    for movement in real:
        name = movement.account.value
        balances[name] = balances.get(name, _balance(meter, movement.account)) + movement.amount
    for name, balance in balances.items():
        assert balance >= 0, f"the account {name} of the meter {meter.terms.name} went below nought"
    return Moved(meter._replace(**balances), real)  # type: ignore[arg-type]  # only whole-number fields are named


def _then(moved: Moved, movements: tuple[Movement, ...]) -> Moved:
    further = _move(moved.meter, movements)
    return Moved(further.meter, moved.movements + further.movements)
