"""Names of things at the table: spots, letters, claims."""

from __future__ import annotations

from typing import NewType

Spot = NewType("Spot", str)  # seat.kind, as in 3.ante or 5.progressive


def spot_of(seat: int, kind: str) -> Spot:
    return Spot(f"{seat}.{kind}")


def seat_of(spot: Spot) -> int:
    return int(spot.partition(".")[0])


def kind_of(spot: Spot) -> str:
    return spot.partition(".")[2]


def claim_id(round_number: int, seat: int) -> str:
    return f"{round_number}.{seat}"
