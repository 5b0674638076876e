"""Money as whole numbers. Bets and awards are minor units (cents); meters are micro-units of a minor
unit, so that a rate in hundredths of a per cent never leaves a fraction behind."""

from __future__ import annotations

from felt.nouns.values import Value

MICRO_PER_MINOR = 1_000_000
BASIS_POINTS = 10_000


class Currency(Value):
    code: str = "USD"
    sign: str = "$"
    minor_digits: int = 2


def say(amount_minor: int, currency: Currency) -> str:
    """`1250` as `$12.50`, as a person at the table reads it."""
    sign = "-" if amount_minor < 0 else ""
    unit = 10**currency.minor_digits
    whole, part = divmod(abs(amount_minor), unit)
    cents = f".{part:0{currency.minor_digits}d}" if currency.minor_digits else ""
    return f"{sign}{currency.sign}{whole:,}{cents}"


def minor_of(micro: int) -> int:
    """The whole minor units of a meter's value; the fraction stays on the meter."""
    return micro // MICRO_PER_MINOR


def growth_micro(stake_minor: int, rate_bp: int) -> int:
    """What one stake adds to a meter: exact, because the micro-unit divides the basis point."""
    return stake_minor * rate_bp * (MICRO_PER_MINOR // BASIS_POINTS)
