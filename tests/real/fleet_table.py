"""A group of simulated tables in a process that may be killed at any moment. Posts, sealed letters and the broker are
the production ones; the rounds come from the plan. `python -m tests.real.fleet_table GROUP.json`."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from felt.config.link_folder import OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.drivers.clock import SystemClock
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.letters.from_controller import Pong
from felt.letters.from_table import Ping, Posted
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.wire import bulletin
from felt.wire.jackpot import decode, encode
from tests.real.fleet_outbox import Outbox, TableBook
from tests.real.fleet_plan import link_of

RESEND_NS = 700 * NS_PER_MS
PING_NS = 400 * NS_PER_MS
TELL_S = 0.3
WAIT_S = 0.01
CONTROLLER = "main"


@dataclass(frozen=True)
class Group:
    """The orders for one process of the fleet, as JSON in a file."""

    seed: int
    rounds: int
    tables: list[str]
    broker_port: int
    keys: str  # the folder with each table's half of the keys
    outbox: str
    told: str  # where it reports its progress

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))


class TableEnd:
    """One table: its book, and its way to the controller."""

    def __init__(self, book: TableBook, group: Group, came: queue.SimpleQueue[tuple[str, bytes] | None]) -> None:
        self.book = book
        names = LinkNames(CONTROLLER, book.table, link_of(book.table))
        link = LinkFolder(Path(group.keys) / f"link-{book.table}", {})
        keys = LinkKeys(link.keyring(OWN_KEYS), link.keyring(SIGN_KEYS))
        will = LastWill(bulletin.here_topic(CONTROLLER, book.table), last_will(names, keys))
        broker = MqttBroker(BrokerAddress("127.0.0.1", group.broker_port), f"felt-main-{book.table}", will)
        self.post = MqttPost(broker, names, keys)
        self._sent_ns: dict[int, int] = {}
        self._pinged_ns = 0
        self._pong: tuple[str, int, int] = ("", 0, 0)
        self.post.start(lambda answer: came.put((book.table, answer)))

    def hear_pong(self, pong: Pong, now: Stamp) -> None:
        self._pong = (pong.controller_boot, pong.controller_ns, now.mono_ns)

    def speak(self, now: Stamp) -> None:
        """Send whatever is due. The book is on the disk by now."""
        book = self.book
        waiting = list(book.unanswered())
        self._sent_ns = {sequence: self._sent_ns.get(sequence, 0) for sequence, _, _ in waiting}
        for sequence, kind, text in waiting:
            if now.mono_ns - self._sent_ns[sequence] >= RESEND_NS:
                self._sent_ns[sequence] = now.mono_ns
                self.post.send(encode(Posted(book.table, book.nonce, sequence, kind, text, sequence, "ab" * 32)))
        if now.mono_ns - self._pinged_ns >= PING_NS:
            self._pinged_ns = now.mono_ns
            sample = (now.boot, now.mono_ns, 0, *self._pong)
            self.post.send(encode(Ping(book.table, book.nonce, len(book.letters), *sample)))


class GroupRun:
    def __init__(self, group: Group) -> None:
        self._group = group
        self._clock = SystemClock()
        self._came: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._outbox = Outbox(Path(group.outbox), [TableBook(name, group.seed, group.rounds) for name in group.tables])
        self._ends = {name: TableEnd(book, group, self._came) for name, book in self._outbox.books.items()}
        self._told_s = 0.0
        self._stopping = False

    def stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopping = True
        # In Python 3.11 a wait that a signal interrupts at its very end restarts and never ends.
        self._came.put(None)

    def run(self) -> None:
        while not self._stopping:
            self._hear()
            now = self._clock.stamp()
            for end in self._ends.values():
                line = end.book.next_line(now)
                if line is not None:
                    self._outbox.add(line)
            self._outbox.sync()
            for end in self._ends.values():
                end.speak(self._clock.stamp())
            if time.monotonic() - self._told_s >= TELL_S:
                self._told_s = time.monotonic()
                self._tell()
        for end in self._ends.values():
            end.post.close()
        self._tell()

    def _hear(self) -> None:
        with contextlib.suppress(queue.Empty):
            came = self._came.get(timeout=WAIT_S)
            while came is not None:
                self._take(*came)
                came = self._came.get_nowait()

    def _take(self, table: str, answer: bytes) -> None:
        end, message = self._ends[table], decode(answer)
        if isinstance(message, Pong):
            end.hear_pong(message, self._clock.stamp())
        line = end.book.heard(message)
        if line is not None:
            self._outbox.add(line)

    def _tell(self) -> None:
        books = self._outbox.books.values()
        told = {
            "rounds": sum(book.number - 1 for book in books),
            "letters": sum(book.acked for book in books),
            "done": all(book.finished and book.answered for book in books),
            "waiting": [f"{book.table} {book.number}" for book in books if book.valued == {} and not book.finished],
            "troubles": [trouble for book in books for trouble in book.troubles],
            "signs": {name: dict(end.post.meters()) for name, end in self._ends.items()},
            "breaches": {name: dict(end.post.breaches) for name, end in self._ends.items()},
        }
        place = Path(self._group.told)
        fresh = place.with_suffix(".new")
        fresh.write_text(json.dumps(told))
        fresh.replace(place)


def main() -> int:
    run = GroupRun(Group(**json.loads(Path(sys.argv[1]).read_text())))
    signal.signal(signal.SIGTERM, run.stop)
    run.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
