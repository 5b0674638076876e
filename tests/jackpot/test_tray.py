"""Where the controller's listening threads leave what they heard."""

from __future__ import annotations

from felt.jackpot.controller.daemon import TOO_LATE_NS, TURN_MAX, BrokerState, Request, Tray
from felt.jackpot.controller.exchange import Heard

PING = Heard("felt/main/up/T1", b"")


def filled(limit: int) -> Tray:
    tray = Tray(lambda: 0, limit)
    while tray.put(PING):
        pass
    return tray


def test_a_full_tray_drops_what_tables_say_and_counts_it() -> None:
    tray = filled(2 * TURN_MAX)
    assert tray.dropped == 1
    assert tray.take(0) == [PING] * TURN_MAX


def test_a_person_is_heard_at_once_though_the_tables_have_filled_the_tray() -> None:
    tray = filled(2 * TURN_MAX)
    request = Request({"ask": "status"}, lambda _: None)
    assert tray.put(request)
    assert request in tray.take(0)


def test_how_the_broker_stands_is_not_lost_in_a_full_tray() -> None:
    tray = filled(2 * TURN_MAX)
    assert tray.put(BrokerState(False))
    assert tray.put(BrokerState(True))
    assert tray.take(0)[-2:] == [BrokerState(False), BrokerState(True)]


def test_an_empty_tray_is_woken_by_whatever_comes() -> None:
    tray = Tray(lambda: 0)
    tray.put(BrokerState(True))
    assert tray.take(60) == [BrokerState(True)]
    tray.wake()
    assert tray.take(60) == []


def test_what_waited_so_long_that_its_table_has_said_it_again_is_let_go() -> None:
    """Else a controller that fell behind answers only what nobody waits for any more, and never catches up."""
    now = [0]
    tray = Tray(lambda: now[0])
    here = Heard("felt/main/here/T1", b"")
    for _ in range(3 * TURN_MAX):
        tray.put(PING)
    tray.put(here)
    now[0] = TOO_LATE_NS
    assert tray.take(0) == [PING] * TURN_MAX, "not yet"
    now[0] += 1
    fresh = Heard("felt/main/up/T2", b"")
    tray.put(fresh)
    assert tray.take(0) == [here, fresh], "a presence is said only once"
    assert tray.dropped == 2 * TURN_MAX


def test_with_a_letter_that_is_too_old_go_those_that_its_table_has_sent_since() -> None:
    """A later letter alone would be an alarm about letters that were lost, though nothing was."""
    now = [0]
    tray = Tray(lambda: now[0])
    first, second, third = (Heard("felt/main/up/T1", b"%d" % number) for number in (1, 2, 3))
    other = Heard("felt/main/up/T2", b"1")
    tray.put(first)
    now[0] = TOO_LATE_NS - 1
    for _ in range(TURN_MAX):
        tray.put(other)
    tray.put(second)
    now[0] = TOO_LATE_NS + 1
    assert tray.take(0) == [other] * TURN_MAX
    now[0] += 1
    for heard in (first, second, third):
        tray.put(heard)
    assert tray.take(0) == [first, second, third], "said again, it is heard; what lay there went with the first"
    assert tray.dropped == 2
