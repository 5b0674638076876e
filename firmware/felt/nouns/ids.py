"""Names of things at the table: spots, letters, claims."""

from __future__ import annotations

from functools import lru_cache
from typing import NewType

Spot = NewType("Spot", str)  # seat.kind, as in 3.ante or 5.progressive
CODE_DIGITS = (4, 6)  # the fewest and the most digits of a dealer's code


def spot_of(seat: int, kind: str) -> Spot:
    return Spot(f"{seat}.{kind}")


# Cached: a table has a few dozen spots, and nearly every fact asks for the seat or the kind of one.
@lru_cache(maxsize=1024)
def seat_of(spot: Spot) -> int:
    return int(spot.partition(".")[0])


@lru_cache(maxsize=1024)
def kind_of(spot: Spot) -> str:
    return spot.partition(".")[2]


def claim_id(round_number: int, seat: int) -> str:
    return f"{round_number}.{seat}"
