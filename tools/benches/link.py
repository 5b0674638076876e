"""The time from one table's bet to every table's sign, beside a bare round trip through the same broker: a letter is
sealed and sent, a controller in its own process commits it, and the new sign is published, carried and believed."""

from __future__ import annotations

import contextlib
import os
import statistics
import threading
import time
from pathlib import Path

from felt.config.link_folder import OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.letters.from_table import Contribution, Posted, RoundLockedLetter, RoundResultLetter, write
from felt.nouns.stamps import Stamp
from felt.wire import bulletin
from felt.wire.jackpot import encode
from tests.real.linked import JackpotController, until
from tests.real.mosquitto import Mosquitto
from tools.benches.figure import Bar, Figure, cost

TABLES = 10
PATIENCE_S = 10.0


class WatchedPost(MqttPost):
    """Reports when it has read a sign."""

    def __init__(self, broker: MqttBroker, names: LinkNames, keys: LinkKeys) -> None:
        super().__init__(broker, names, keys)
        self.shown = threading.Event()
        self.answered = threading.Event()

    def _read_sign(self, data: bytes) -> None:
        super()._read_sign(data)
        self.shown.set()


def memory_disk() -> str | None:
    """A folder in memory, where there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def figures(folder: Path, updates: int, disk: Path) -> list[Figure]:
    """With the ledger in memory only the way to the signs is measured; on the disk it includes the commit that every
    change of a sign waits for."""
    found = []
    for tables, reference_name in ((1, "bare MQTT round trip"), (TABLES, f"bare MQTT message to {TABLES}")):
        for where in (None, disk):
            place = folder / f"{tables}-{'memory' if where is None else 'disk'}"
            place.mkdir()
            measured, reference = _medians(place, updates, tables, where)
            name = f"bet to the signs of {tables} table{'s' if tables > 1 else ''}"
            name += "" if where is None else ", ledger on disk"
            found.append(cost(name, measured, "µs", reference_name, reference, Bar(10, at_most=True)))
    return found


def _medians(folder: Path, updates: int, tables: int, disk: Path | None) -> tuple[float, float]:
    """In microseconds: from a bet to every sign, and from a bare message to as many clients of this process."""
    names = tuple(f"T{number}" for number in range(1, tables + 1))
    with contextlib.ExitStack() as ends:
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder, broker.port, names)))
        if disk is not None:
            ledger = f'[controller]\nledger = "{disk / str(tables)}.ledger"\n'
            controller.file.write_text(controller.file.read_text().replace("[controller]\n", ledger, 1))
        controller.start()
        posts = [_post(folder, broker.port, name) for name in names]
        bare = BareTrip(broker.port, tables)
        ends.callback(bare.close)
        for post in posts:
            ends.callback(post.close)
            post.start(lambda _, post=post: post.answered.set())  # type: ignore[misc]
            assert post.shown.wait(PATIENCE_S), "no sign came"
        bare_us, update_us = [], []
        for number in range(1, updates + 1):
            bare_us.append(bare.microseconds())
            update_us.append(_update(posts, number))
    return statistics.median(update_us), statistics.median(bare_us)


def _post(folder: Path, port: int, table: str) -> WatchedPost:
    link = LinkFolder(folder / f"link-{table}", {})
    names, keys = LinkNames("main", table), LinkKeys(link.keyring(OWN_KEYS), link.keyring(SIGN_KEYS))
    will = LastWill(bulletin.here_topic("main", table), last_will(names, keys))
    return WatchedPost(MqttBroker(BrokerAddress("127.0.0.1", port), f"bench-{table}", will), names, keys)


def _update(posts: list[WatchedPost], number: int) -> float:
    """One round of one bet: its lock changes nothing that is shown, its result does."""
    locked = write(RoundLockedLetter(number, Stamp("b", number, 2), (Contribution(1, 500),)))
    result = write(RoundResultLetter(number, Stamp("b", number, 3), ()))
    posts[0].answered.clear()
    posts[0].send(encode(Posted("T1", "bench", 2 * number - 1, "RoundLocked", locked, 1, "ab")))
    assert posts[0].answered.wait(PATIENCE_S), "the lock was not answered"
    for post in posts:
        post.shown.clear()
    begun = time.perf_counter_ns()
    posts[0].send(encode(Posted("T1", "bench", 2 * number, "RoundResult", result, 1, "ab")))
    for post in posts:
        assert post.shown.wait(PATIENCE_S), "a sign did not change"
    return (time.perf_counter_ns() - begun) / 1000


class BareTrip:
    """A message to some clients, the sender among them, and nothing else."""

    def __init__(self, port: int, clients: int) -> None:
        self._came = [threading.Event() for _ in range(clients)]
        address = BrokerAddress("127.0.0.1", port)
        self._brokers = [
            MqttBroker(address, f"bench-bare-{place}", LastWill("bench/gone", b"")) for place in range(clients)
        ]
        for broker, came in zip(self._brokers, self._came, strict=True):
            connected = threading.Event()
            broker.start(
                ("bench/bare",),
                lambda _topic, _content, came=came: came.set(),  # type: ignore[misc]
                lambda _state, connected=connected: connected.set(),  # type: ignore[misc]
            )
            assert connected.wait(PATIENCE_S), "the broker does not answer"
        until(self._all_subscribed, "everybody hears")

    def microseconds(self) -> float:
        for came in self._came:
            came.clear()
        begun = time.perf_counter_ns()
        self._brokers[0].publish("bench/bare", b"x" * 300)
        for came in self._came:
            assert came.wait(PATIENCE_S), "a message did not come"
        return (time.perf_counter_ns() - begun) / 1000

    def close(self) -> None:
        for broker in self._brokers:
            broker.close()

    def _all_subscribed(self) -> bool:
        self._brokers[0].publish("bench/bare", b"x")
        return all(came.wait(0.1) for came in self._came)
