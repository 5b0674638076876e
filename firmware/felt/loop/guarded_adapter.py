"""Runs an adapter, which may be anybody's work, on its own thread with a time limit, and checks what it returns. An
adapter has failed if it raises, hangs, is slow or returns something impossible. The text of its error is never
shown, because it may contain cards.

The thinking thread waits for each call, so that the same bytes always give the same facts. It waits for a failed
adapter once and does not call it again until a new one is made.
"""

from __future__ import annotations

import builtins
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from felt.nouns.cards import INDEX_OF
from felt.wire.adapters import adapter as told
from felt.wire.adapters.adapter import Adapter, Event

T = TypeVar("T")

# A call is awaited in slices: a stall of the whole machine costs one slice, not the adapter's whole time.
SLICE_S = 0.05
SLICES = 10
QUICK_S = 0.05  # a call that takes longer counts as slow
SLOW_S_MAX = 1.0  # limit of the accumulated slow time, less what is forgiven
FORGIVEN = 0.05  # forgiven per second that passes

ANSWER_BYTES_MAX = 1_024
TEXT_MAX = 200
CARDS_MAX = 400  # in one message: a deck, and every ordinal that it may have skipped
EVENTS_MAX = 64  # from one call, plus one for each received byte
NUMBERS_MAX = 1 << 32
_NUMBER_MAX = (1 << 63) - 1
_MS_MAX = 3_600_000


class AdapterFailed(Exception):
    """The text says what went wrong in a few words, without anything that the adapter said."""


class Traits:
    """The adapter's declared properties, read once and checked."""

    def __init__(self, adapter: Adapter) -> None:
        self.numbers = _whole(adapter.numbers, 1, NUMBERS_MAX, "numbers")
        self.silent_after_ms = _whole(adapter.silent_after_ms, 0, _MS_MAX, "silent_after_ms")
        self.ask_every_ms = _whole(adapter.ask_every_ms, 0, _MS_MAX, "ask_every_ms")
        # An adapter that does not declare it counts as unable to count.
        self.counts_the_deal = bool(getattr(adapter, "counts_the_deal", False))


def _whole(value: object, least: int, most: int, name: str) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"its {name} is not a whole number from {least} to {most}")
    return value


class GuardedAdapter:
    """Implements `Adapter`. Raises `AdapterFailed` if the wrapped adapter misbehaves."""

    def __init__(self, make: Callable[[], Adapter]) -> None:
        """Creates the first adapter at once; an error here is a fault of its package."""
        self._make = make
        first = make()
        traits = Traits(first)
        self.numbers, self.silent_after_ms, self.ask_every_ms = (
            traits.numbers, traits.silent_after_ms, traits.ask_every_ms,
        )  # fmt: skip
        self.counts_the_deal = traits.counts_the_deal
        self._slow_s = 0.0
        self._measured_s = time.monotonic()
        self._worker: _Worker | None = _Worker(first)

    def begin_anew(self) -> None:
        """Creates a new adapter on a new thread; the old one may hang for ever. The new thread does the work."""
        if self._worker is not None:
            self._worker.dismiss()
        self._slow_s = 0.0
        self._worker = _Worker(None, self._make)

    def receive(self, received: bytes) -> list[Event]:
        events_max = EVENTS_MAX + len(received)
        return self._ask(lambda adapter: _checked_events(adapter.receive(received), events_max, self.numbers))

    def question(self, *, greeted: bool) -> bytes:
        return self._ask(lambda adapter: _checked_bytes(adapter.question(greeted=greeted)))

    def dispense(self, origin: int, order: int, sets: int, cards_each: int) -> bytes:
        return self._ask(lambda adapter: _checked_bytes(adapter.dispense(origin, order, sets, cards_each)))

    def _ask(self, what: Callable[[Adapter], T]) -> T:
        if self._worker is None:
            raise AdapterFailed("it has failed before")
        begun_s = time.monotonic()
        try:
            answer = self._worker.ask(what)
            self._measure(begun_s)
        except AdapterFailed:
            self._worker.dismiss()
            self._worker = None
            raise
        return answer

    def _measure(self, begun_s: float) -> None:
        now_s = time.monotonic()
        self._slow_s = max(0.0, self._slow_s - FORGIVEN * (now_s - self._measured_s))
        self._measured_s = now_s
        self._slow_s += max(0.0, now_s - begun_s - QUICK_S)
        if self._slow_s > SLOW_S_MAX:
            raise AdapterFailed("it is too slow")


_Job = Callable[[Adapter], Any]


class _Worker:
    """The thread of one adapter. It ends when it is dismissed or no longer referenced."""

    def __init__(self, adapter: Adapter | None, make: Callable[[], Adapter] | None = None) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Any, str]] = queue.SimpleQueue()
        given = (adapter, make, self._jobs, self._done)
        threading.Thread(target=_work, args=given, name="felt-adapter", daemon=True).start()
        self.dismiss = weakref.finalize(self, self._jobs.put, None)

    def ask(self, what: Callable[[Adapter], T]) -> T:
        self._jobs.put(what)
        for _ in range(SLICES):
            try:
                answer, problem = self._done.get(timeout=SLICE_S)
            except queue.Empty:
                continue
            if problem:
                raise AdapterFailed(problem)
            checked: T = answer
            return checked
        raise AdapterFailed("it does not return")


def _work(
    adapter: Adapter | None,
    make: Callable[[], Adapter] | None,
    jobs: queue.SimpleQueue[_Job | None],
    done: queue.SimpleQueue[tuple[Any, str]],
) -> None:
    while (job := jobs.get()) is not None:
        try:
            if adapter is None:
                assert make is not None
                adapter = make()
            answer = job(adapter)
        except AdapterFailed as failed:
            done.put((None, str(failed)))
        except BaseException as error:  # noqa: BLE001 # whatever it raises is its maker's mistake, and no reason to end
            done.put((None, f"it raised {_kind_of(error)}"))
        else:
            done.put((answer, ""))


def _kind_of(error: BaseException) -> str:
    """The name of one of Python's own errors; a maker's error could have any name."""
    name = type(error).__name__
    return name if getattr(builtins, name, None) is type(error) else "an error of its own"


# --- what an adapter may return ----------------------------------------------------------------------------


def _checked_bytes(value: object) -> bytes:
    if type(value) is not bytes or len(value) > ANSWER_BYTES_MAX:
        raise AdapterFailed("it returned something else than the bytes to send")
    return value


def _checked_events(returned: Sequence[Event], events_max: int, numbers: int) -> list[Event]:
    """Nothing that would run the adapter's code again: a generator may raise when it is thrown away, and Python prints
    that error with its text."""
    if type(returned) not in (list, tuple):
        raise AdapterFailed("it returned something that is no list of events")
    if len(returned) > events_max:
        raise AdapterFailed("it returned more events than bytes came")
    for event in returned:
        _check_event(event, numbers)
    return list(returned)


def _check_event(event: object, numbers: int) -> None:
    checks = _CHECKS.get(type(event))
    if checks is None:
        raise AdapterFailed("it returned something that is not an event")
    for name, is_fit in checks.items():
        if not is_fit(getattr(event, name)):
            raise AdapterFailed(f"it returned an event with an impossible {name}")
    if isinstance(event, told.CardsLeft) and event.message is not None and event.message > numbers:
        raise AdapterFailed("it returned an event with an impossible message")


_Check = Callable[[Any], bool]


def _is_whole(least: int, most: int) -> _Check:
    return lambda value: type(value) is int and least <= value <= most


def _is_whole_or_none(least: int, most: int) -> _Check:
    return lambda value: value is None or (type(value) is int and least <= value <= most)


def _is_bool(value: object) -> bool:
    return type(value) is bool


def _is_text(value: object) -> bool:
    return type(value) is str and len(value) <= TEXT_MAX and value.isprintable()


def _is_content(bytes_max: int) -> _Check:
    return lambda value: type(value) is bytes and len(value) <= bytes_max


def _is_card(value: object) -> bool:
    return value is None or (type(value) is str and value in INDEX_OF)


def _are_cards(value: object) -> bool:
    return type(value) is tuple and len(value) <= CARDS_MAX and all(map(_is_card_left, value))


def _is_card_left(value: object) -> bool:
    return type(value) is told.CardLeft and all(fits(getattr(value, name)) for name, fits in _OF_A_CARD.items())


_ANSWER = {"answer": _is_content(ANSWER_BYTES_MAX)}
_OF_A_CARD: dict[str, _Check] = {
    "card": _is_card, "age_ms": _is_whole(0, told.AGE_UNKNOWN_MS), "face_up": _is_bool, "burnt": _is_bool,
    "together": _is_bool, "foreign": _is_bool, "missing": _is_bool,
}  # fmt: skip
_CHECKS: dict[type, dict[str, _Check]] = {
    told.Greeted: {
        "session": _is_whole_or_none(0, _NUMBER_MAX), "identity": _is_text, "version": _is_whole(0, 255), **_ANSWER,
    },
    told.Unsupported: {"what": _is_text},
    told.CardsLeft: {
        "message": _is_whole_or_none(0, NUMBERS_MAX), "cards": _are_cards, "repeat": _is_bool,
        "first_ordinal": _is_whole_or_none(1, CARDS_MAX), **_ANSWER,
    },
    told.CountLost: {"reason": _is_text, **_ANSWER},
    told.DeckTold: {
        "cards": _is_whole(0, 999), "shuffled": _is_bool, "sets": _is_whole(0, 999), "face_up_next": _is_bool,
        "jammed": _is_bool, "door_open": _is_bool, **_ANSWER,
    },
    told.OrderAnswered: {"order": _is_whole(0, _NUMBER_MAX), "refused": _is_text, "busy": _is_bool, **_ANSWER},
    told.Alive: _ANSWER,
    told.NotUnderstood: {
        "reason": _is_text, "raw": _is_content(told.RAW_KEPT_BYTES_MAX), "damaged": _is_bool, **_ANSWER,
    },
}  # fmt: skip
