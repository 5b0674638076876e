"""An adapter that raises, hangs, is slow or returns junk is a fault of the shuffler. Nothing that it said goes further,
play goes on in good order, and clearing the fault makes a new adapter."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Any

import pytest

from felt.journal.reading import read_records
from felt.loop import guarded_adapter
from felt.loop.guarded_adapter import AdapterFailed, GuardedAdapter
from felt.nouns.cards import DECK, Card
from felt.stories.evening import Evening
from felt.table.state import Phase
from felt.wire.adapters.adapter import (
    Alive,
    CardLeft,
    CardsLeft,
    DeckTold,
    Greeted,
    NotUnderstood,
    OrderAnswered,
    Unsupported,
)
from felt.wire.adapters.felt_1 import Felt1

SECRET = "the next card is Ah"


class OwnError(Exception):
    pass


def endless() -> Iterator[Any]:
    return itertools.repeat(Alive())


def raising(error: BaseException) -> Any:
    raise error


def sleeping() -> Any:
    time.sleep(30)


def dozing(_self: Felt1, _received: bytes) -> list[Any]:
    time.sleep(0.12)
    return []


def ask_often(adapter: GuardedAdapter) -> None:
    for _ in range(20):
        adapter.receive(b"x")


def half_way() -> Iterator[Any]:
    yield Alive()
    raise OwnError(SECRET)


def raising_when_closed() -> Iterator[Any]:
    try:
        while True:
            yield Alive()
    finally:
        raise OwnError(SECRET)


JUNK: dict[str, Any] = {
    "nothing": None,
    "a number": 7,
    "a text": "Ah",
    "no events": [SECRET],
    "tuples": [("Ah", 1)],
    "an impossible card": [CardsLeft(None, (CardLeft(Card("1z")),))],
    "no card": [CardsLeft(None, (CardLeft(7),))],  # type: ignore[arg-type]
    "no cards": [CardsLeft(None, ["Ah"])],  # type: ignore[arg-type]
    "a card that is no card": [CardsLeft(None, ("Ah",))],  # type: ignore[arg-type]
    "too many cards": [CardsLeft(None, (CardLeft(DECK[0]),) * 1_000)],
    "a number too large": [CardsLeft(1 << 70, ())],
    "a number below nought": [CardsLeft(-1, ())],
    "an age below nought": [CardsLeft(None, (CardLeft(DECK[0], -5),))],
    "a fraction": [DeckTold(52.0, True)],  # type: ignore[arg-type]
    "a huge deck": [DeckTold(10**30, True)],
    "no truth": [DeckTold(52, 1)],  # type: ignore[arg-type]
    "a session that is a text": [Greeted("1", "x")],  # type: ignore[arg-type]
    "a huge session": [Greeted(1 << 200, "x")],
    "a long name": [Greeted(1, "x" * 10_000)],
    "an unprintable name": [Greeted(1, "\ud800\n")],
    "a long text": [Unsupported("x" * 10_000)],
    "a huge answer": [Alive(b"x" * 100_000)],
    "an answer that is a text": [Alive("x")],  # type: ignore[arg-type]
    "an order of no number": [OrderAnswered(None)],  # type: ignore[arg-type]
    "huge evidence": [NotUnderstood("x", b"x" * 100_000)],
    "too many events": [Alive()] * 100_000,
}
FAILING: dict[str, Callable[[], Any]] = {
    "raises": lambda: raising(ValueError(SECRET)),
    "raises its own": lambda: raising(OwnError(SECRET)),
    "leaves": lambda: raising(SystemExit(SECRET)),
    "interrupts": lambda: raising(KeyboardInterrupt(SECRET)),
    "sleeps": sleeping,
    "never ends": endless,
    "fails half way": half_way,
    "fails when it is closed": raising_when_closed,
    **{name: partial(copy, junk) for name, junk in JUNK.items()},
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_adapter, "SLICE_S", 0.02)


@pytest.mark.parametrize("failing", FAILING)
def test_a_failing_adapter_is_a_fault_and_nothing_it_said_goes_further(
    failing: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    evening = Evening()
    evening.advance(1_000)
    assert evening.order("TableOpened", person="supervisor") == ""
    with monkeypatch.context() as spoilt:
        spoilt.setattr(Felt1, "receive", lambda _self, _received: FAILING[failing]())
        evening.until(lambda: bool(evening.table.service.faults))
        (fault,) = evening.table.service.faults
        assert fault.code == "F-208"
        assert not evening.table.shuffler.connected
        begun_s = time.monotonic()
        evening.advance(20_000)
        assert time.monotonic() - begun_s < 5, "a failed adapter is not asked again"
        evening.press("open")
        assert evening.phase is Phase.IDLE, "no round opens while nothing that is dealt can be understood"
    journal = "".join(record.payload for record in read_records(evening.disk))
    told = capfd.readouterr()
    seen = f"{fault.where} {journal} {told.out} {told.err} {evening.table.panel.notices}"
    assert SECRET not in seen
    assert "OwnError" not in seen
    assert "Traceback" not in seen
    assert evening.order("FaultCleared", code="F-208", where=fault.where, person="Tess") == ""
    evening.until(lambda: evening.table.shuffler.connected)
    evening.press("open")
    assert evening.table.round is not None


@pytest.mark.parametrize("what", ["question", "dispense"])
@pytest.mark.parametrize("junk", [None, "text", b"x" * 100_000, 7])
def test_an_answer_of_an_adapter_is_bytes_or_a_fault(
    what: str, junk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Felt1, what, lambda *_given, **_named: junk)
    adapter = GuardedAdapter(Felt1)
    with pytest.raises(AdapterFailed, match="something else than the bytes to send"):
        adapter.question(greeted=True) if what == "question" else adapter.dispense(1, 1, 1, 3)


def test_an_adapter_that_fails_in_the_deal_leaves_the_cards_to_be_keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    evening.advance(1_000)
    evening.place_antes(1, 2)
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    monkeypatch.setattr(Felt1, "receive", lambda _self, _received: raising(ValueError(SECRET)))
    evening.deal()
    evening.until(lambda: bool(evening.table.service.faults))
    for card in DECK[:9]:
        assert evening.order("CardKeyed", card=card, person="sup", role="supervisor") == ""
    assert evening.phase is Phase.DECIDING


def test_an_adapter_that_is_slow_every_time_fails_before_it_holds_up_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guarded_adapter, "SLOW_S_MAX", 0.2)
    monkeypatch.setattr(Felt1, "receive", dozing)
    adapter = GuardedAdapter(Felt1)
    with pytest.raises(AdapterFailed, match="too slow"):
        ask_often(adapter)


@pytest.mark.parametrize(
    ("trait", "value"), [("numbers", 0), ("numbers", "x"), ("silent_after_ms", -1), ("ask_every_ms", 1.5)]
)
def test_an_adapters_description_of_itself_is_checked_when_it_is_made(
    trait: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Felt1, trait, value)
    with pytest.raises(ValueError, match=f"its {trait} is not a whole number"):
        GuardedAdapter(Felt1)
