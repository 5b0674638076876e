"""Where the controller's listening threads leave what they heard."""

from __future__ import annotations

from felt.jackpot.daemon import TURN_MAX, BrokerState, Request, Tray
from felt.jackpot.exchange import Heard

PING = Heard("felt/main/up/T1", b"")


def filled(limit: int) -> Tray:
    tray = Tray(limit)
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
    tray = Tray()
    tray.put(BrokerState(True))
    assert tray.take(60) == [BrokerState(True)]
    tray.wake()
    assert tray.take(60) == []
