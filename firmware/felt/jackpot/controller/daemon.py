"""The jackpot controller as a process: one thread thinks. What the broker and people bring waits in a bounded tray; a
turn takes some of it, commits, and only then answers. A ledger that fails ends the process: systemd starts it again,
and every table posts again what was not answered."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol

from felt.jackpot.controller.exchange import Count, Exchange, Heard, Keys, Outgoing
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerBusyError, LedgerError
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.values import Value
from felt.ports import Broker, Clock, Watchdog
from felt.wire import bulletin
from felt.wire.jackpot import Message

TRAY_MAX = 8192  # a full tray drops: tables post again, and the drop is counted
# What a table said so long ago it has said again, and it will soon take an answer to it for a memory of the broker's
# (after ten seconds). Else a controller that fell behind answers only what nobody waits for any more, for ever.
TOO_LATE_NS = 5 * NS_PER_S
URGENT_MAX = 256
TURN_MAX = 64
IDLE_WAIT_S = 0.5
REFRESH_NS = NS_PER_S  # how often claims are looked at again and what the watchers see is written anew
# A commit that failed may have reached the disk: only the ledger, opened again, can tell.
_LOOK_FIRST = "Before you repeat an act, see in felt jackpot report whether it was done."
BUSY_TURNS_MAX = 100  # a ledger that another holds for so many turns in a row is not coming back


class Request(Value):
    """What a person asks over the control socket; the reply leaves after it is durable."""

    words: dict[str, Any]
    reply: Callable[[dict[str, Any]], None]


class Served(Value):
    """What a person is told, and what tables hear because of it."""

    reply: dict[str, Any]
    answers: tuple[Message, ...] = ()


class BrokerState(Value):
    connected: bool


class KeysChanged(Value):
    """The files of keys are to be read again; the reply says how that went."""

    reply: Callable[[dict[str, Any]], None]


Item = Heard | Request | BrokerState | KeysChanged


class Tray:
    """Where the threads that listen leave what they heard. What persons ask and how the broker stands has a place of
    its own and is taken first: a person must be able to act when the tables have filled the tray. `now_ns` is asked in
    any thread."""

    def __init__(self, now_ns: Callable[[], int], limit: int = TRAY_MAX) -> None:
        self._now_ns = now_ns
        self._heard: queue.SimpleQueue[tuple[int, Heard] | None] = queue.SimpleQueue()
        self._urgent: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._limit = limit
        self._let_go: dict[str, int] = {}  # by topic, until when
        self.dropped = 0

    def put(self, item: Item) -> bool:
        if isinstance(item, Heard):
            if self._heard.qsize() >= self._limit:
                self.dropped += 1
                return False
            self._heard.put((self._now_ns(), item))
            return True
        if self._urgent.qsize() >= URGENT_MAX:
            return False
        self._urgent.put(item)
        self.wake()
        return True

    def wake(self) -> None:
        self._heard.put(None)

    def holds_letters(self) -> bool:
        """Whether there is more for the next turn, and nothing but what tables say."""
        return not self._heard.empty() and self._urgent.empty()

    def take(self, wait_s: float) -> list[Item]:
        items: list[Item] = []
        with contextlib.suppress(queue.Empty):
            left = self._heard.get(timeout=wait_s)
            now_ns = self._now_ns()
            self._let_go = {topic: at for topic, at in self._let_go.items() if at >= now_ns - TOO_LATE_NS}
            while True:
                if left is not None:
                    came_ns, heard = left
                    if self._is_let_go(came_ns, heard.topic, now_ns):
                        self.dropped += 1
                    else:
                        items.append(heard)
                if len(items) >= TURN_MAX:
                    break
                left = self._heard.get_nowait()
        with contextlib.suppress(queue.Empty):
            while True:
                items.append(self._urgent.get_nowait())
        return items

    def _is_let_go(self, came_ns: int, topic: str, now_ns: int) -> bool:
        """With what is too old goes whatever the same table has said since: its letters are numbered, and one without
        those before it would be an alarm."""
        if bulletin.is_presence(topic):
            return False
        if came_ns < now_ns - TOO_LATE_NS:
            self._let_go[topic] = now_ns
        return came_ns <= self._let_go.get(topic, -1)


class Watchers(Protocol):
    """Whoever shows the world how the controller is: they get a finished picture and ask for nothing."""

    def show(self, picture: Picture) -> None: ...


class Picture(Value):
    at_ns: int
    connected: bool
    meters: dict[str, int]
    present: dict[str, bool]
    counts: dict[Count, int]
    dropped: int
    busy: int
    alerts: tuple[str, ...]
    alarms: int
    garbage: int


class Daemon:
    def __init__(
        self,
        office: Office,
        exchange: Exchange,
        broker: Broker,
        link: str,
        clock: Clock,
        watchdog: Watchdog,
        serve: Callable[[Office, dict[str, Any], Stamp], Served],
        keep_lead: Callable[[], None] = lambda: None,
        read_keys: Callable[[], Keys] | None = None,
    ) -> None:
        """`keep_lead` is called before anything is said, and raises a `LedgerError` when another controller leads.
        `read_keys` raises a ValueError with a sentence for files that hold no keys."""
        self.tray = Tray(lambda: clock.stamp().mono_ns)
        self._office = office
        self._exchange = exchange
        self._broker = broker
        self._link = link
        self._clock = clock
        self._watchdog = watchdog
        self._serve = serve
        self._keep_lead = keep_lead
        self._read_keys = read_keys
        self._connected = False
        self._busy = 0
        self._busy_in_a_row = 0
        self._urgent: list[Request | BrokerState | KeysChanged] = []  # in a turn that found the ledger held, they stay
        self._refreshed_ns: int | None = None
        self._stopping = threading.Event()
        self.watchers: list[Watchers] = []

    def run(self) -> None:
        """Until `stop`. A `LedgerError` comes out of here: nothing of that turn was said."""
        try:
            self.begin()
            while not self._stopping.is_set():
                self.turn(IDLE_WAIT_S)
            self._watchdog.stopping()
        finally:
            self._broker.close()
            self._office.close()

    def begin(self) -> None:
        """From here on it hears; what it heard waits for its turns."""
        put = self.tray.put
        self._broker.start(
            (*self._exchange.topics(), bulletin.controller_topic(self._link)),
            self._hear,
            lambda connected: _ignore(put(BrokerState(connected))),
        )
        self._look_around()
        self._watchdog.ready()

    def close(self) -> None:
        """What was opened for one that never ran, or has ended."""
        self._office.close()

    def stop(self) -> None:
        """From a signal handler: the turn in hand is finished."""
        self._stopping.set()
        self.tray.wake()

    def turn(self, wait_s: float) -> None:
        items = self.tray.take(0 if self._urgent else wait_s)
        self._urgent += [item for item in items if not isinstance(item, Heard)]
        self._keep_lead()
        try:
            self._think([item for item in items if isinstance(item, Heard)])
            self._busy_in_a_row = 0
        except LedgerBusyError:
            # Nothing was written and nothing said: the tables post again, and what is urgent has the next turn.
            self._busy += 1
            self._busy_in_a_row += 1
            if self._busy_in_a_row > BUSY_TURNS_MAX:
                raise
        if self._broker.alive():
            self._watchdog.pat()

    def _think(self, heard: list[Heard]) -> None:
        answers = self._exchange.take(heard, self._clock.stamp())
        # Everybody sees it first, and the one table that waits for an answer hears it next.
        self._say([*self._exchange.sign(self._wall_ms()), *answers])
        while self._urgent:
            item = self._urgent.pop(0)
            if isinstance(item, Request):
                self._answer(item)
            elif isinstance(item, BrokerState):
                self._greet(item.connected)
            else:
                item.reply(self._take_keys())
        self._look_around()
        self._say(self._exchange.sign(self._wall_ms()))

    def picture(self) -> Picture:
        office = self._office
        return Picture(
            self._clock.stamp().mono_ns,
            self._connected,
            office.meters(),
            dict(self._exchange.present),
            dict(self._exchange.counts),
            self.tray.dropped,
            self._busy,
            tuple(office.alerts(self._clock.stamp())),
            office.alarms,
            office.garbage,
        )

    def _hear(self, topic: str, content: bytes) -> None:
        """In the broker's thread. The last will of one that led before may be found long after it died."""
        if topic != bulletin.controller_topic(self._link):
            self.tray.put(Heard(topic, content))
        elif content != bulletin.write_presence(True):
            self.tray.put(BrokerState(True))

    def _take_keys(self) -> dict[str, Any]:
        if self._read_keys is None:
            return {"refused": "This controller was given its keys and cannot read them again."}
        try:
            keys = self._read_keys()
        except ValueError as error:
            return {"refused": f"{error}; the former keys stay in use."}
        self._exchange.take_keys(keys.tables, keys.sign)
        self._say(self._exchange.sign(self._wall_ms(), again=True))
        return {"done": "keys", "keys": {table: list(ring.ids()) for table, ring in sorted(keys.tables.items())}}

    def _answer(self, request: Request) -> None:
        try:
            if request.words == {"ask": "keys"}:
                served = Served(self._take_keys())
            elif request.words == {"ask": "status"}:
                served = Served(status_of(self.picture()))
            else:
                served = self._serve(self._office, request.words, self._clock.stamp())
        except LedgerBusyError as error:
            request.reply({"refused": f"The ledger is held by another: nothing was done; try again. {error}"})
            raise
        except LedgerError as error:
            request.reply({"refused": f"The ledger failed. {error} {_LOOK_FIRST}"})
            raise
        self._say(self._exchange.sealed(served.answers))
        request.reply(served.reply)

    def _greet(self, connected: bool) -> None:
        self._connected = connected
        if connected:
            topic = bulletin.controller_topic(self._link)
            self._say([Outgoing(topic, bulletin.write_presence(True), retain=True)])
            self._say(self._exchange.sign(self._wall_ms(), again=True))

    def _say(self, outgoing: list[Outgoing]) -> None:
        if outgoing:
            self._keep_lead()
        for message in outgoing:
            self._broker.publish(message.topic, message.content, retain=message.retain)

    def _wall_ms(self) -> int:
        return self._clock.stamp().wall_ns // NS_PER_MS

    def _look_around(self) -> None:
        """Now and then: claims that only time can decide, and those who watch."""
        if self._is_due():
            now = self._clock.stamp()
            self._refreshed_ns = now.mono_ns
            self._say(self._exchange.sealed(self._office.look_again(now)))
            picture = self.picture()
            for watcher in self.watchers:
                watcher.show(picture)

    def _is_due(self) -> bool:
        return self._refreshed_ns is None or self._clock.stamp().mono_ns - self._refreshed_ns >= REFRESH_NS


def status_of(picture: Picture) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {}
    for count, times in sorted(picture.counts.items()):
        counts.setdefault(count.table, {})[count.name] = times
    return {
        "connected": picture.connected,
        "meters": picture.meters,
        "present": picture.present,
        "counts": counts,
        "dropped": picture.dropped,
        "busy": picture.busy,
        "alerts": list(picture.alerts),
        "alarms": picture.alarms,
        "garbage": picture.garbage,
    }


def _ignore(_: object) -> None:
    """A full tray has counted what it dropped; the one who brought it can do nothing about it."""
