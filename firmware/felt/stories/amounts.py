"""How a story writes spots, times and sums of money."""

from __future__ import annotations

import re
from decimal import Decimal

from felt.stories.stage import StoryStage

SPOT = r"([1-9]\.[a-z_0-9]+)"
MONEY = r"\$[\d,]+(?:\.\d+)?"
# A paragraph, in quotes if it is more than a number, as in "Playing ¶2". With several, any of them fits.
_ONE_RULE = r"(?:[\w.]+|\"[^\"]+\")"
RULE = rf"{_ONE_RULE}(?: or {_ONE_RULE})*"
MS = r"(\d+(?:\.\d+)?) ms"


def fits_rule(wanted: str | None, seen: str) -> bool:
    """True if it is one of the wanted paragraphs; without wanted paragraphs any fits."""
    return wanted is None or seen in [rule.strip('"') for rule in re.findall(_ONE_RULE, wanted) if rule != "or"]


def minor(stage: StoryStage, text: str) -> int:
    digits = stage.evening.config.table.currency.minor_digits
    return int(Decimal(text.lstrip("$").replace(",", "")) * 10**digits)
