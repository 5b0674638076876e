"""The table's post over a broker: letters leave sealed, answers are opened, and what is forged, altered, old or not
meant for this table is counted and forgotten. It keeps nothing: the table posts again what was not answered."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping

from felt.letters.from_controller import Pong
from felt.nouns.keyring import Keyring
from felt.nouns.values import Value
from felt.ports import Broker
from felt.wire import bulletin
from felt.wire.jackpot import WireError, decode
from felt.wire.sealed import SealError, Way, open_sealed, seal

STALE_AFTER_S = 10.0  # an answer to something older than this is a memory of the broker's, not an answer
STALE = "stale"
REMEMBERED_MAX = 4096  # messages whose answers are still awaited; at the usual pace far more than ten seconds' worth


class LinkNames(Value):
    controller: str
    table: str
    group: str = ""  # the table's link, where the controller keeps several

    def own(self, meters: Mapping[str, int]) -> dict[str, int]:
        """Of all the meters on the sign, those that this table's bets feed."""
        prefix = f"{self.group}/" if self.group else ""
        mine = {name.removeprefix(prefix): micro for name, micro in meters.items() if name.startswith(prefix)}
        return {name: micro for name, micro in mine.items() if "/" not in name}


class LinkKeys(Value):
    own: Keyring  # shared with the controller alone
    sign: Keyring  # shared by every table of the link: what the sign shows


def new_session() -> str:
    return secrets.token_hex(8)


class MqttPost:
    """Fills `ports.Post`. The broker is given, so that this one and a virtual one are told apart by nobody."""

    def __init__(
        self,
        broker: Broker,
        names: LinkNames,
        keys: LinkKeys,
        report: Callable[[str], None] = lambda _: None,
        *,
        now_s: Callable[[], float] = lambda: time.monotonic(),  # noqa: PLW0108 # the clock of when it is asked
        session: Callable[[], str] = new_session,
    ) -> None:
        """`now_s` and `session`: for whoever has a time of his own and wants the same evening twice."""
        self._broker = broker
        self._names = names
        self._keys = keys
        self._report = report
        self._now_s = now_s
        self._new_session = session
        self._session = session()
        self._number = 0
        self._answered_s = now_s()  # or when this session began
        self._sent: deque[tuple[int, float]] = deque(maxlen=REMEMBERED_MAX)
        self._sending = threading.Lock()
        self._on_answer: Callable[[bytes], None] | None = None
        self._meters: Mapping[str, int] = {}
        self._latest_sign = -1
        self._closed = False
        self.breaches: Counter[str] = Counter()

    @property
    def session(self) -> str:
        return self._session

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer
        names = self._names
        topics = (bulletin.down_topic(names.controller, names.table), bulletin.sign_topic(names.controller))
        self._broker.start(topics, self._received, self._stands)

    def send(self, letter: bytes) -> None:
        if self._closed:
            return
        self._broker.publish(bulletin.up_topic(self._names.controller, self._names.table), self._sealed(Way.UP, letter))

    def meters(self) -> Mapping[str, int]:
        return self._meters

    def problem(self) -> str:
        """A broker out of reach is the link's own state, and told as such."""
        return ""

    def intruder(self) -> str:
        """What is old or comes twice is the broker's ordinary weather and no sign of anybody."""
        seen = [f"{times} {name}" for name, times in sorted(dict(self.breaches).items()) if name != STALE]
        return ", ".join(seen)

    def alive(self) -> bool:
        return not self._closed and self._broker.alive()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._broker.close()

    def _sealed(self, way: Way, content: bytes) -> bytes:
        with self._sending:
            now_s = self._now_s()
            if now_s - self._answered_s > STALE_AFTER_S:
                self._begin_again(now_s)
            self._number += 1
            self._sent.append((self._number, now_s))
            return seal(way, self._names.table, self._keys.own.current, self._session, self._number, content)

    def _begin_again(self, now_s: float) -> None:
        """Nobody answers. Should somebody have played an old session of ours to the controller, it takes this one for
        over: a new one is heard."""
        self._session = self._new_session()
        self._number = 0
        self._sent.clear()
        self._answered_s = now_s

    # --- in the broker's thread ------------------------------------------------------------------------

    def _stands(self, connected: bool) -> None:
        if connected:
            presence = self._sealed(Way.HERE, bulletin.write_presence(True))
            topic = bulletin.here_topic(self._names.controller, self._names.table)
            self._broker.publish(topic, presence, retain=True)

    def _received(self, topic: str, data: bytes) -> None:
        try:
            if topic == bulletin.sign_topic(self._names.controller):
                self._read_sign(data)
            else:
                self._read_answer(data)
        except SealError as error:
            self._breach(error.breach, str(error))
        except WireError as error:
            self._breach("unreadable", str(error))

    def _breach(self, name: str, sentence: str) -> None:
        """Counted always, told once a kind: a flood must not fill the log."""
        if not self.breaches[name]:
            self._report(f"ALARM: {sentence}")
        self.breaches[name] += 1

    def _read_answer(self, data: bytes) -> None:
        opened = open_sealed(data, Way.DOWN, self._names.table, self._keys.own)
        if opened.session != self._session or not self._is_awaited(opened.number):
            self.breaches[STALE] += 1
            return
        message = decode(opened.content)
        self._answered_s = self._now_s()
        if isinstance(message, Pong):
            self._meters = message.meters
        if self._on_answer is not None and not self._closed:
            self._on_answer(opened.content)

    def _is_awaited(self, number: int) -> bool:
        horizon = self._now_s() - STALE_AFTER_S
        with self._sending:
            while self._sent and self._sent[0][1] < horizon:
                self._sent.popleft()
            return bool(self._sent) and self._sent[0][0] <= number <= self._number

    def _read_sign(self, data: bytes) -> None:
        opened = open_sealed(data, Way.SIGN, self._names.controller, self._keys.sign)
        if opened.number <= self._latest_sign:
            self.breaches[STALE] += 1
            return
        # A table whose file names another link finds none of its meters there; what its own answers told it holds.
        self._meters = self._names.own(bulletin.read_sign(opened.content)) or self._meters
        self._latest_sign = opened.number


def last_will(names: LinkNames, keys: LinkKeys) -> bytes:
    """Sealed in a session that never was: it answers nothing and nothing answers it."""
    return seal(Way.HERE, names.table, keys.own.current, "0" * 16, 0, bulletin.write_presence(False))
