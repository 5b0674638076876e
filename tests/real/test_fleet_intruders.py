"""Somebody who can reach the broker tries to act as a table, through a real broker and the real controller: only the
list of alarms changes. A table that asks again is answered again."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.jackpot.books.accounts import Code
from felt.jackpot.ledger.opening import open_ledger
from felt.letters.from_controller import Acked
from felt.letters.from_table import Contribution, RoundLockedLetter
from felt.nouns.keyring import LinkKey
from felt.wire import bulletin
from felt.wire.sealed import SEALED_BYTES_MAX, Purpose, seal
from tests.real.fleet_hand import CONTROLLER, HandHouse, HandLed, hand_house
from tests.real.linked import until

PATIENCE_S = 10.0
SESSION = "0123456789abcdef"
FORGERS_KEY = LinkKey("k1", b"\x66" * 32)


@pytest.fixture
def house() -> Iterator[HandHouse]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-intruder-")))
        yield ends.enter_context(hand_house(folder, ["T01", "T02"]))


@pytest.fixture
def intruder(house: HandHouse) -> Iterator[MqttBroker]:
    """Anybody on the bench's broker; a house's own broker admits nobody without a certificate."""
    connected = threading.Event()
    client = MqttBroker(BrokerAddress("127.0.0.1", house.broker.port), "intruder", LastWill("intruder", b""))
    client.start((), lambda _topic, _content: None, lambda _: connected.set())
    assert connected.wait(PATIENCE_S)
    with contextlib.closing(client):
        yield client


def status(house: HandHouse) -> dict[str, Any]:
    found = house.controller.ask({"ask": "status"})
    assert found is not None
    return found


def count(house: HandHouse, table: str, name: str) -> int:
    return int(status(house)["counts"].get(table, {}).get(name, 0))


def letter_of(table: HandLed, sequence: int) -> bytes:
    return table.envelope(RoundLockedLetter(9, table.now(), (Contribution(1, 500),)), sequence)


@pytest.mark.timeout(120)
def test_what_is_forged_altered_oversized_or_malformed_changes_nothing_and_is_reported(
    house: HandHouse, intruder: MqttBroker
) -> None:
    victim, other = house.tables
    victim.lock_and_deal(1)
    before = status(house)["meters"]
    letter = letter_of(victim, victim.written + 1)
    key = victim.keys.own.current
    true = seal(Purpose.UP, "T01", key, SESSION, 1, letter)
    attempts = {
        "forged": seal(Purpose.UP, "T01", FORGERS_KEY, SESSION, 1, letter),
        "oversized": true + b" " * SEALED_BYTES_MAX,
        "malformed": b"\x00\xff" * 40,
        "misdirected": seal(Purpose.DOWN, "T01", key, SESSION, 1, letter),
        "unknown_key": seal(Purpose.UP, "T01", LinkKey("k9", key.secret), SESSION, 1, letter),
        "other_version": true.replace(b"felt/1", b"felt/2", 1),
    }
    for name, content in attempts.items():
        intruder.publish(bulletin.up_topic(CONTROLLER, "T01"), content)
        until(lambda name=name: count(house, "T01", name) == 1, f"{name} is counted")  # type: ignore[misc]
    altered = true.replace(b"500", b"999", 1)
    assert altered != true
    intruder.publish(bulletin.up_topic(CONTROLLER, "T01"), altered)
    until(lambda: count(house, "T01", "forged") == 2, "an altered letter is counted")
    intruder.publish(bulletin.up_topic(CONTROLLER, "T02"), true)
    until(lambda: count(house, "T02", "misdirected") == 1, "a letter on another's topic is counted")
    intruder.publish(bulletin.up_topic(CONTROLLER, "T99"), true)
    until(lambda: count(house, "unknown", "stranger") == 1, "a stranger is counted")
    assert status(house)["meters"] == before
    victim.decide(1)
    other.lock_and_deal(1)
    nonsense = seal(Purpose.UP, "T02", other.keys.own.current, SESSION, 1, b"{}")
    intruder.publish(bulletin.up_topic(CONTROLLER, "T02"), nonsense)
    until(lambda: count(house, "T02", "unreadable") == 1, "what is sealed and no message is counted")
    assert house.controller.stop() == 0
    check_ledger(house, {"T01": 3, "T02": 2}, alarms=len(attempts) + 3)


def check_ledger(house: HandHouse, letters: dict[str, int], alarms: int) -> None:
    with contextlib.closing(open_ledger(str(house.folder / "jackpot.ledger"))) as ledger:
        stored = [letter.table for letter in ledger.letters()]
        assert {table: stored.count(table) for table in letters} == letters
        assert len(stored) == sum(letters.values())
        written = [entry.detail for entry in ledger.entries(Code.ALARM)]
        assert len(written) == alarms, written
    said = house.controller.said()
    assert all(sentence in said for sentence in written)


@pytest.mark.timeout(120)
def test_an_identical_resend_is_answered_and_counted_and_a_recorded_one_is_not(
    house: HandHouse, intruder: MqttBroker
) -> None:
    table, _ = house.tables
    table.lock_and_deal(1)
    letter = RoundLockedLetter(2, table.now(), ())
    assert table.written == 2
    table.decide(1)
    table.end(1)
    table.say(letter)
    answer = Acked("T01", table.nonce, 5, 5)
    for times in (2, 3):
        table.post.send(table.envelope(letter, 5))
        until(lambda times=times: table.heard.count(answer) == times, "it is answered again")  # type: ignore[misc]
    assert count(house, "T01", "answered_again") == 2
    recorded = seal(Purpose.UP, "T01", table.keys.own.current, table.post.session, 1, table.envelope(letter, 5))
    intruder.publish(bulletin.up_topic(CONTROLLER, "T01"), recorded)
    until(lambda: count(house, "T01", "replayed") == 1, "an old envelope is counted")
    assert count(house, "T01", "answered_again") == 2
    assert house.controller.stop() == 0
    check_ledger(house, {"T01": 5}, alarms=0)


@pytest.mark.timeout(120)
def test_a_recorded_session_silences_a_table_for_some_seconds_at_most(
    house: HandHouse, intruder: MqttBroker
) -> None:
    """A controller that was restarted does not know which sessions are over."""
    table, _ = house.tables
    table.lock_and_deal(1)
    recorded = seal(Purpose.UP, "T01", table.keys.own.current, SESSION, 1, letter_of(table, 1))
    intruder.publish(bulletin.up_topic(CONTROLLER, "T01"), recorded)
    until(lambda: status(house)["alarms"] == 1, "an old letter with another text is refused")
    table.decide(1)
    assert count(house, "T01", "replayed") > 0
