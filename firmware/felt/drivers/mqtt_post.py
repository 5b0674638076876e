"""The table's Post over a broker. Letters leave sealed; answers are opened. Forged, altered, stale or misdirected
messages are counted and dropped. Nothing is stored: the table resends unanswered letters."""

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
from felt.wire.sealed import Purpose, SealError, open_sealed, seal
from felt.wire.sign_check import SignCheck

STALE_AFTER_S = 10.0  # an answer to an older message is the broker's replay, not a live answer
STALE = "stale"
REMEMBERED_MAX = 4096  # messages awaiting an answer; at the usual rate far more than ten seconds' worth


class LinkNames(Value):
    controller: str
    table: str
    group: str = ""  # the table's link, if the controller serves several

    def own(self, meters: Mapping[str, int]) -> dict[str, int]:
        """The meters on the sign that this table's bets raise."""
        prefix = f"{self.group}/" if self.group else ""
        mine = {name.removeprefix(prefix): micro for name, micro in meters.items() if name.startswith(prefix)}
        return {name: micro for name, micro in mine.items() if "/" not in name}


class LinkKeys(Value):
    own: Keyring  # shared with the controller only
    sign: Keyring  # shared by every table of the link; opens the sign


def new_session() -> str:
    return secrets.token_hex(8)


class MqttPost:
    """Implements `ports.Post`. The caller supplies the broker, so a real and a virtual broker behave alike."""

    def __init__(
        self,
        broker: Broker,
        names: LinkNames,
        keys: LinkKeys,
        report: Callable[[str], None] = lambda _: None,
        *,
        now_s: Callable[[], float] = lambda: time.monotonic(),  # noqa: PLW0108 # looked up at call time
        session: Callable[[], str] = new_session,
    ) -> None:
        """`now_s` and `session` exist for callers with their own time, who need a repeatable run."""
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
        self._sign_check = SignCheck()
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
        self._broker.publish(
            bulletin.up_topic(self._names.controller, self._names.table), self._sealed(Purpose.UP, letter)
        )

    def meters(self) -> Mapping[str, int]:
        return self._meters

    def sign_problem(self) -> str:
        return self._sign_check.problem

    def problem(self) -> str:
        """An unreachable broker is reported as the link's state, not as a problem here."""
        return ""

    def intruder(self) -> str:
        """Stale and repeated messages are normal for a broker and do not count as an intruder."""
        seen = [f"{times} {name}" for name, times in sorted(dict(self.breaches).items()) if name != STALE]
        return ", ".join(seen)

    def alive(self) -> bool:
        return not self._closed and self._broker.alive()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._broker.close()

    def _sealed(self, way: Purpose, content: bytes) -> bytes:
        with self._sending:
            now_s = self._now_s()
            if now_s - self._answered_s > STALE_AFTER_S:
                self._begin_again(now_s)
            self._number += 1
            self._sent.append((self._number, now_s))
            return seal(way, self._names.table, self._keys.own.current, self._session, self._number, content)

    def _begin_again(self, now_s: float) -> None:
        """Starts a new session after a long silence. If somebody replayed an old session of this table, the
        controller believes the current one is over; it accepts a new one."""
        self._session = self._new_session()
        self._number = 0
        self._sent.clear()
        self._answered_s = now_s

    # --- in the broker's thread ------------------------------------------------------------------------

    def _stands(self, connected: bool) -> None:
        if connected:
            presence = self._sealed(Purpose.HERE, bulletin.write_presence(True))
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
        """Counts every breach but logs each kind once, so that a flood does not fill the log."""
        if not self.breaches[name]:
            self._report(f"ALARM: {sentence}")
        self.breaches[name] += 1

    def _read_answer(self, data: bytes) -> None:
        opened = open_sealed(data, Purpose.DOWN, self._names.table, self._keys.own)
        if opened.session != self._session or not self._is_awaited(opened.number):
            self.breaches[STALE] += 1
            return
        message = decode(opened.content)
        self._answered_s = self._now_s()
        if isinstance(message, Pong):
            self._meters = message.meters
            self._sign_check.answered(message.meters, round(self._answered_s * 1000))
        if self._on_answer is not None and not self._closed:
            self._on_answer(opened.content)

    def _is_awaited(self, number: int) -> bool:
        horizon = self._now_s() - STALE_AFTER_S
        with self._sending:
            while self._sent and self._sent[0][1] < horizon:
                self._sent.popleft()
            return bool(self._sent) and self._sent[0][0] <= number <= self._number

    def _read_sign(self, data: bytes) -> None:
        opened = open_sealed(data, Purpose.SIGN, self._names.controller, self._keys.sign)
        if opened.number <= self._latest_sign:
            self.breaches[STALE] += 1
            return
        # A table whose file names another link finds none of its meters on the sign, so it keeps what its answers said.
        shown = self._names.own(bulletin.read_sign(opened.content))
        self._meters = shown or self._meters
        self._sign_check.shown(shown)
        self._latest_sign = opened.number


def last_will(names: LinkNames, keys: LinkKeys) -> bytes:
    """Sealed in a session that never exists, so nothing can answer it and it answers nothing."""
    return seal(Purpose.HERE, names.table, keys.own.current, "0" * 16, 0, bulletin.write_presence(False))
