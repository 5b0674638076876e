"""Every contact of a whole table chatters: nothing is lost, invented or growing without a bound."""

from __future__ import annotations

from felt.loop.inbox import EDGES_MAX
from tools.benches import board

SPOTS = {f"{seat}.{kind}" for seat in range(1, 8) for kind in ("ante", "progressive")}


def test_everything_chattering_at_once_loses_nothing_invents_nothing_and_keeps_the_queue_short(full: bool) -> None:
    """On a busy machine the hands may move too slowly for chatter: then they move for longer."""
    chattered: set[str] = set()
    for seconds in (10.0,) if full else (0.6, 2.0, 6.0):
        seen = board.chatter(seconds=seconds)
        assert (seen.taken, seen.refused) == (seen.driven, 0)
        assert seen.queue_max < EDGES_MAX
        assert seen.facts == seen.expected
        chattered |= {spot for spot, kind in seen.facts if kind == "ChipChattered"}
        if chattered == SPOTS:
            return
    assert chattered == SPOTS


def test_an_edge_costs_at_most_three_times_what_bare_gpiozero_takes() -> None:
    bare_us, ours_us = board.edge_to_inbox(10_000)
    assert ours_us < board.BAR_TO_BARE * bare_us


def test_an_idle_board_with_every_lamp_blinking_takes_less_than_a_hundredth_of_a_core() -> None:
    assert min(board.idle_percent(1.0) for _ in range(3)) < board.BAR_IDLE_PERCENT
