"""How many rounds a second `felt settle` settles on one core: three boxes with four bets each, lines in and lines out.
For reference, the standard library reads and writes the same JSON and settles nothing."""

from __future__ import annotations

import io
import json
import random
import time
from typing import Any

from felt.nouns.cards import DECK
from felt.settling.stream import settle_stream

ROUNDS = 6_000
BAR_ROUNDS_PER_S = 15_000
TABLE = {
    "limits": {"ante": {"min": 2500, "max": 100000}, "pair_plus": {"min": 1000, "max": 50000}},
    "progressive": {"stake": 500, "reset": {"major": 5000000}, "rate_bp": {"major": 2000}},
}


def lines(rounds: int, seed: int = 1) -> bytes:
    """Random rounds of Progressive 3 Card Poker, every box with all four bets."""
    chance = random.Random(seed)
    return b"".join(json.dumps(_round(number, chance)).encode() + b"\n" for number in range(rounds))


def _round(number: int, chance: random.Random) -> dict[str, Any]:
    cards = chance.sample(DECK, 12)
    boxes = [
        {
            "box": seat,
            "player": f"P{seat}",
            "cards": cards[3 * seat : 3 * seat + 3],
            "decision": "play",
            "bets": {"ante": 5000, "play": 5000, "pair_plus": 1000, "progressive": 500},
        }
        for seat in (1, 2, 3)
    ]
    return {
        "id": f"bench-{number}",
        "game": "progressive-3-card-poker",
        "dealer": cards[:3],
        "boxes": boxes,
        "table": TABLE,
        "meters": {"major": 20000000},
    }


def _best_of_three(work: Any) -> float:
    took = []
    for _ in range(3):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return min(took)


def figures(rounds: int = ROUNDS) -> dict[str, float]:
    """Rounds a second of processor time: `felt settle`, and bare JSON on the same lines."""
    requests = lines(rounds)
    answers = io.BytesIO()
    settle_stream(io.BytesIO(requests), answers)
    ready = [json.loads(line) for line in answers.getvalue().splitlines()]
    settle_s = _best_of_three(lambda: settle_stream(io.BytesIO(requests), io.BytesIO()))
    bare_s = _best_of_three(
        lambda: [json.loads(line) for line in requests.splitlines()] and [json.dumps(answer) for answer in ready]
    )
    return {
        "settle_rounds_per_s": rounds / settle_s,
        "bare_json_rounds_per_s": rounds / bare_s,
        "settle_to_bare_json": bare_s / settle_s,
        "bar_rounds_per_s": BAR_ROUNDS_PER_S,
    }


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name:28} {value:12,.2f}")
