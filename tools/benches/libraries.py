"""The figures of the single benches, in the common table."""

from __future__ import annotations

from pathlib import Path

from tools.benches import board, hands, journal, settle, shuffler
from tools.benches.figure import Bar, Figure, cost, rate


def figures(folder: Path, *, quick: bool) -> list[Figure]:
    ranked = hands.figures(2_000 if quick else hands.HANDS)
    settled = settle.figures(200 if quick else settle.ROUNDS)
    pins = board.figures(quick=quick)
    turn = journal.durable_turn(folder, turns=40 if quick else 400)
    found = [
        rate(
            "three cards ranked", _us(ranked["three_card_hands_per_s"]), "µs",
            "naive ranking", _us(ranked["naive_three_card_hands_per_s"]),
        ),
        rate(
            "a round settled from JSON", _us(settled["settle_rounds_per_s"]), "µs",
            "bare JSON in and out", _us(settled["bare_json_rounds_per_s"]),
        ),
        rate("a turn of the store alone", turn.turn_us, "µs", "append + fdatasync", turn.raw_us),
        rate(
            "a kilobyte of the shuffler's read", shuffler.us_per_kilobyte(20 if quick else 2_000), "µs",
            "as its line brings it", shuffler.line_us_per_kilobyte(), Bar(shuffler.BAR_TO_LINE, at_most=False),
        ),
        cost(
            "edge to inbox, mock pins", pins["edge_to_inbox_us"], "µs",
            "bare when_changed", pins["edge_bare_us"], Bar(board.BAR_TO_BARE, at_most=True),
        ),
        cost(
            "idle with blinking lamps", pins["idle_percent"], "%",
            "one core", 100.0, Bar(board.BAR_IDLE_PERCENT, at_most=True, of_value=True),
        ),
    ]  # fmt: skip
    if "eval7_hands_per_s" in ranked:
        six, eval7 = _us(ranked["six_card_hands_per_s"]), _us(ranked["eval7_hands_per_s"])
        found.insert(1, rate("best five of six", six, "µs", "eval7", eval7))
    return found


def _us(per_second: float) -> float:
    return 1e6 / per_second
