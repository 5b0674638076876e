"""How spots, times and sums of money are written in a story."""

from __future__ import annotations

from decimal import Decimal

from tests.rounds.stage import Stage

SPOT = r"([1-9]\.[a-z_]+)"
MONEY = r"\$[\d,]+(?:\.\d+)?"
MS = r"(\d+(?:\.\d+)?) ms"


def minor(stage: Stage, text: str) -> int:
    digits = stage.evening.config.table.currency.minor_digits
    return int(Decimal(text.lstrip("$").replace(",", "")) * 10**digits)
