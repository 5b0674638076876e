"""A table's pings carry its half of a clock sample, so that the controller can tell whose hand was dealt first."""

from __future__ import annotations

from felt.letters.from_table import Ping
from felt.loop.shuffler_intake import LINE_MS
from felt.nouns.stamps import NS_PER_MS
from felt.stories.evening import Evening
from felt.wire.jackpot import decode


def pings(evening: Evening) -> list[Ping]:
    return [message for message in map(decode, evening.letters) if isinstance(message, Ping)]


def test_a_ping_says_when_it_was_sent_and_which_answer_was_heard_when() -> None:
    evening = Evening()
    evening.advance(3_500)
    first, *later = pings(evening)
    assert (first.boot, first.heard_boot) == (evening.clock.stamp().boot, "")
    assert len(later) >= 3
    for before, ping in zip((first, *later), later, strict=False):
        assert ping.heard_boot == first.boot, "the office of this evening lives by the table's own clock"
        assert before.sent_ns <= ping.heard_controller_ns <= ping.heard_ns <= ping.sent_ns
        assert before.sent_ns < ping.sent_ns


def test_a_ping_says_how_late_a_cards_stamp_may_be_at_best() -> None:
    evening = Evening()
    evening.advance(1_500)
    assert [ping.card_late_ns for ping in pings(evening)] == [LINE_MS * NS_PER_MS] * len(pings(evening))


def test_after_a_restart_a_ping_reports_nothing_heard_before_it() -> None:
    evening = Evening()
    evening.advance(2_500)
    evening.power_cut()
    told = len(pings(evening))
    evening.boot()
    evening.advance(1_500)
    first = pings(evening)[told]
    assert (first.boot, first.heard_boot, first.heard_ns) == (evening.clock.stamp().boot, "", 0)
