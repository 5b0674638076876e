"""Money as whole numbers. Bets and awards are in minor units (cents). Meters are in micro-units of a minor unit, so
a rate in basis points never leaves a fraction."""

from __future__ import annotations

from felt.nouns.values import Value

METERS_MAX = 256  # of one jackpot controller: with the longest names their sign is one message
MICRO_PER_MINOR = 1_000_000
BASIS_POINTS = 10_000


class Currency(Value):
    code: str = "USD"
    sign: str = "$"
    minor_digits: int = 2


def say(amount_minor: int, currency: Currency) -> str:
    """Formats an amount for people: `1250` becomes `$12.50`."""
    sign = "-" if amount_minor < 0 else ""
    unit = 10**currency.minor_digits
    whole, part = divmod(abs(amount_minor), unit)
    cents = f".{part:0{currency.minor_digits}d}" if currency.minor_digits else ""
    return f"{sign}{currency.sign}{whole:,}{cents}"


def minor_of(micro: int) -> int:
    """The whole minor units of a meter's value; the fraction stays on the meter."""
    return micro // MICRO_PER_MINOR


def growth_micro(stake_minor: int, rate_bp: int) -> int:
    """How much one stake adds to a meter. Exact, because a basis point is a whole number of micro-units."""
    return stake_minor * rate_bp * (MICRO_PER_MINOR // BASIS_POINTS)
