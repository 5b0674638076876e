"""What a person may order: short, printable, dated by the table. And what is answered when the table fails on it."""

from __future__ import annotations

import pytest

from felt.config import load
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.loop.boot import BootRefused
from felt.loop.inbox import LIMITS, Inbox, Order, Source
from felt.stories.evening import Evening
from felt.wiring import table_settings


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"person": "x" * 201}, "at most 200 printable characters"),
        ({"person": "a\nb"}, "printable"),
        ({"person": "\ud800"}, "printable"),
        ({"person": "a\0"}, "printable"),
        ({"person": "a\x7f"}, "printable"),
        ({"person": "a\u2028b"}, "printable"),
        ({"person": "a\u2029b"}, "printable"),
        ({"person": "sup", "at": ["deadbeef", 1, 1]}, "dated by the table"),
        ({"person": "sup", "reason": "x"}, "unknown key"),
        ({"person": 7}, "is not a text"),
        ({}, "missing"),
    ],
)
def test_an_order_that_cannot_be_recorded_is_refused_and_leaves_no_trace(
    fields: dict[str, object], sentence: str
) -> None:
    evening = Evening()
    before = evening.table
    assert sentence in evening.order("TableOpened", **fields)
    assert evening.table is before or evening.table.phase is before.phase


def test_an_amount_beyond_all_money_is_refused() -> None:
    evening = Evening()
    evening.order("TableOpened", person="sup")
    assert "a number is at most" in evening.order("BetKeyed", spot="1.ante", amount_minor=10**4000, person="sup")


def test_an_unknown_order_is_refused_with_the_known_ones() -> None:
    assert "TableOpened" in Evening().order("Dance")


def test_an_order_on_which_the_table_failed_is_not_answered_as_done(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    running = evening.running
    assert running is not None
    turn = running.loop._turn
    step = turn._stepper.step

    def failing(table: object, fact: object) -> object:
        if type(fact).__name__ == "TableOpened":
            raise RuntimeError("a planted mistake")
        return step(table, fact)  # type: ignore[arg-type]

    monkeypatch.setattr(turn._stepper, "step", failing)
    answers: list[str] = []
    running.loop.inbox.put(Order("TableOpened", {"person": "sup"}, answers.append))
    evening.tick()
    assert answers[0].startswith("F-701")


def test_a_journal_is_not_taken_over_by_a_table_of_another_name() -> None:
    evening = Evening()
    evening.order("TableOpened", person="sup")
    evening.power_cut()
    evening.config = load(None, ["table.id=T2"])
    with pytest.raises(BootRefused, match="this journal is that of table T1"):
        evening.boot()


def test_a_controller_that_forgot_what_it_answered_stops_the_table() -> None:
    evening = Evening()
    evening.advance(1500)
    evening.order("TableOpened", person="sup")
    evening.press("open")
    evening.chip("1.ante")
    evening.advance(100)
    evening.press("no_more_bets")
    evening.advance(3000)
    assert evening.table.post.unanswered == ()
    evening.power_cut()
    evening.office = Office(MemoryLedger(), table_settings.meter_terms_of(evening.config))
    evening.boot()
    evening.advance(10_000)
    assert ("F-304", "letter 1") in [(fault.code, fault.where) for fault in evening.table.service.faults]


def test_an_order_for_which_the_inbox_has_no_room_is_answered_at_once() -> None:
    inbox, replies = Inbox(), list[str]()
    for _ in range(LIMITS[Source.DESK].items + 1):
        inbox.put(Order("TableOpened", {"person": "sup"}, replies.append))
    assert replies == ["The table cannot keep up with its inputs and did not take the order: give it again."]
    assert inbox.refused == {Source.DESK: 1}
