"""Gaming days: closed when they are over, by a clock that can be believed."""

from __future__ import annotations

import pytest

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import ConfirmClock, Person
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.dating import BooksClock
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.nouns.stamps import NS_PER_S, Stamp
from tests.jackpot.evening import MAJOR, Sender

HOUR_NS = 3600 * NS_PER_S
ADA = (Person("Ada", "supervisor"),)


class Clock:
    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.mono_ns = 0
        self.ahead_ns = 100 * 24 * HOUR_NS + 6 * HOUR_NS
        self.boot = "b1"
        patch.setattr(BooksClock, "read", lambda _: (self.now().wall_ns, self.mono_ns))

    def now(self) -> Stamp:
        return Stamp(self.boot, self.mono_ns, self.mono_ns + self.ahead_ns)


def day_of(wall_ns: int) -> str:
    return f"day {(wall_ns - 6 * HOUR_NS) // (24 * HOUR_NS)}"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def closed(ledger: MemoryLedger) -> list[str]:
    return [closing.day for closing in ledger.closings()]


def test_a_day_is_closed_when_it_is_over_and_once(clock: Clock) -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR], day_of=day_of)
    Sender(office, at=clock.now()).play(1, 1)
    for hours, known in ((23, []), (1, ["day 100"]), (1, ["day 100"]), (23, ["day 100", "day 101"])):
        clock.mono_ns += hours * HOUR_NS
        office.look_again(clock.now())
        assert closed(ledger) == known
    assert office.alerts(clock.now()) == []


def test_a_day_that_ended_while_no_controller_ran_is_closed_at_the_next_start(clock: Clock) -> None:
    ledger = MemoryLedger()
    Sender(Office(ledger, [MAJOR], day_of=day_of), at=clock.now()).play(1, 1)
    clock.boot, clock.mono_ns = "b2", 26 * HOUR_NS
    Office(ledger, [MAJOR], day_of=day_of).look_again(clock.now())
    assert closed(ledger) == ["day 100"]


# After a restart a day's jump cannot be told from a day's standstill, so it is tried on a running controller only.
@pytest.mark.parametrize(
    ("jump", "restarted"),
    [
        (25 * HOUR_NS, False), (365 * 24 * HOUR_NS, False), (-3 * HOUR_NS, False),
        (365 * 24 * HOUR_NS, True), (-3 * HOUR_NS, True),
    ],
)  # fmt: skip
def test_a_clock_that_jumps_closes_no_day_until_somebody_confirms_it(
    clock: Clock, jump: int, restarted: bool
) -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR], day_of=day_of)
    Sender(office, at=clock.now()).play(1, 1)
    office.look_again(clock.now())
    clock.ahead_ns += jump
    if restarted:
        clock.boot = "b2"
        office = Office(ledger, [MAJOR], day_of=day_of)
    for _ in range(2):
        clock.mono_ns += HOUR_NS
        office.look_again(clock.now())
    assert closed(ledger) == []
    assert "no day is closed" in office.alerts(clock.now())[0]
    assert len(list(ledger.entries(Code.CLOCK_DOUBTED))) == 1
    office.act(ConfirmClock(), ADA, "it was set by hand", clock.now())
    clock.mono_ns += 30 * HOUR_NS
    office.look_again(clock.now())
    assert closed(ledger) == ["day 100"]
    assert office.alerts(clock.now()) == []
