"""How spots, times and sums of money are written in a story."""

from __future__ import annotations

from decimal import Decimal

from tests.rounds.stage import Stage

SPOT = r"([1-9]\.[a-z_0-9]+)"
MONEY = r"\$[\d,]+(?:\.\d+)?"
# A paragraph; in quotes where it is more than a number, as in "Playing ¶2".
RULE = r"[\w.]+|\"[^\"]+\""
MS = r"(\d+(?:\.\d+)?) ms"


def unquoted(rule: str | None) -> str | None:
    return rule.strip('"') if rule else None


def minor(stage: Stage, text: str) -> int:
    digits = stage.evening.config.table.currency.minor_digits
    return int(Decimal(text.lstrip("$").replace(",", "")) * 10**digits)
