"""Between the broker and the office: every envelope is opened and judged, what is in order goes to the office, and its
answers are sealed for the tables they name. No thread, no socket, no clock: whoever calls says what came and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from felt.jackpot.controller.office import Office
from felt.letters.from_controller import Acked
from felt.nouns.keyring import Keyring
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import Value, replace
from felt.wire import bulletin
from felt.wire.jackpot import Message, WireError, decode, encode
from felt.wire.sealed import Breach, OpenedEnvelope, Purpose, SealError, open_sealed, seal

FORMER_SESSIONS_MAX = 4096  # of each table: it begins one when it starts, and when nobody has answered for ten seconds
# A broker may bring a message late, but what belongs to a session that ended so long ago was recorded by somebody.
MEMORY_NS = 60 * NS_PER_S
STRANGERS_NAME = "unknown"  # under this name is counted what claims to be of a table that nobody provisioned


class Heard(Value):
    topic: str
    content: bytes


class Outgoing(Value):
    topic: str
    content: bytes
    retain: bool = False


class Speaker(Value):
    """How far a table is in its present session, and the sessions before it, whose messages are memories: when each
    ended, by the controller's clock, the latest last."""

    session: str
    number: int
    former: dict[str, int]


class Keys(Value):
    tables: Mapping[str, Keyring]
    sign: Keyring


class Count(Value, order=True):
    name: str
    table: str


class Exchange:
    def __init__(
        self,
        office: Office,
        link: str,
        keyrings: Mapping[str, Keyring],
        sign_keys: Keyring,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._office = office
        self._link = link
        self._keyrings = dict(keyrings)
        self._sign_keys = sign_keys
        self._report = report
        self._speakers: dict[str, Speaker] = {}
        self._answered: dict[tuple[str, str], int] = {}
        self._signed: tuple[dict[str, int], int] = ({}, 0)  # what the sign shows, and its number
        self.counts: Counter[Count] = Counter()
        self.present: dict[str, bool] = dict.fromkeys(sorted(keyrings), False)

    def take_keys(self, keyrings: Mapping[str, Keyring], sign_keys: Keyring) -> None:
        """From now on. Tables keep their sessions: a key seals what is said and is no part of it."""
        self._keyrings = dict(keyrings)
        self._sign_keys = sign_keys

    def topics(self) -> tuple[str, ...]:
        return tuple(f"felt/{self._link}/{part}/+" for part in bulletin.SUBTOPICS)

    def take(self, heard: Sequence[Heard], now: Stamp) -> list[Outgoing]:
        """What may be said now that everything is committed. A `LedgerError` means that nothing may be."""
        messages = [message for item in heard if (message := self._message_in(item, now)) is not None]
        return self.sealed(self._office.take_batch(messages, now)) if messages else []

    def sealed(self, answers: Sequence[Message]) -> list[Outgoing]:
        """What the office says, for the tables that can hear it."""
        return [outgoing for answer in answers if (outgoing := self._sealed(answer)) is not None]

    def sign(self, wall_ms: int, *, again: bool = False) -> list[Outgoing]:
        """The meters for everybody, when they have changed. Signs are numbered by the clock on the wall, so that they
        rise across restarts; should that clock be set back, each table still hears its own answers."""
        meters = self._office.meters()
        shown, number = self._signed
        if meters == shown and not again:
            return []
        number = max(wall_ms, number + 1)
        self._signed = (meters, number)
        sealed = seal(Purpose.SIGN, self._link, self._sign_keys.current, "0" * 16, number, bulletin.write_sign(meters))
        return [Outgoing(bulletin.sign_topic(self._link), sealed, retain=True)]

    # --- inward ----------------------------------------------------------------------------------------

    def _message_in(self, heard: Heard, now: Stamp) -> Message | None:
        part, table = bulletin.table_of(heard.topic, self._link)
        keyring = self._keyrings.get(table)
        if keyring is None:
            self._breach(STRANGERS_NAME, "stranger", "A message came on a topic that is no table's.", now)
            return None
        try:
            if part == "here":
                self._note_presence(table, open_sealed(heard.content, Purpose.HERE, table, keyring))
                return None
            return self._judged(table, open_sealed(heard.content, Purpose.UP, table, keyring), now)
        except SealError as error:
            self._breach(table, error.breach, str(error), now)
        except WireError as error:
            self._breach(table, "unreadable", str(error), now)
        return None

    def _judged(self, table: str, opened: OpenedEnvelope, now: Stamp) -> Message | None:
        if not self._is_new(table, opened, now):
            self.counts[Count("replayed", table)] += 1
            ended_ns = self._speakers[table].former.get(opened.session)
            if ended_ns is not None and now.mono_ns - ended_ns > MEMORY_NS:
                sentence = f"Somebody plays recorded messages of table {table} to the controller."
                self._breach(table, "recorded", sentence, now)
            return None
        message = decode(opened.content)
        if message.table != table:
            raise SealError(Breach.MISDIRECTED, f"Table {table} sent a message that speaks for another table.")
        self.counts[Count("received", table)] += 1
        return message

    def _is_new(self, table: str, opened: OpenedEnvelope, now: Stamp) -> bool:
        speaker = self._speakers.get(table)
        if speaker is None:
            self._speakers[table] = Speaker(opened.session, opened.number, {})
            return True
        if opened.session == speaker.session:
            if opened.number <= speaker.number:
                return False
            self._speakers[table] = replace(speaker, number=opened.number)
            return True
        if opened.session in speaker.former:
            return False
        former = speaker.former
        former[speaker.session] = now.mono_ns
        if len(former) > FORMER_SESSIONS_MAX:
            del former[next(iter(former))]
        self._speakers[table] = Speaker(opened.session, opened.number, former)
        return True

    def _note_presence(self, table: str, opened: OpenedEnvelope) -> None:
        here = bulletin.read_presence(opened.content)
        if here != self.present[table]:
            self.present[table] = here
            self._report(f"Table {table} is {'there' if here else 'gone'}.")

    def _breach(self, table: str, name: str, sentence: str, now: Stamp) -> None:
        """Counted always, told and written down once a kind and table: a flood must fill neither log nor ledger."""
        count = Count(name, table)
        if not self.counts[count]:
            self._report(f"ALARM: {sentence}")
            self._office.alarm(table, sentence, now)
        self.counts[count] += 1

    # --- outward ---------------------------------------------------------------------------------------

    def _sealed(self, message: Message) -> Outgoing | None:
        self._count(message)
        keyring, speaker = self._keyrings.get(message.table), self._speakers.get(message.table)
        if keyring is None or speaker is None:
            return None  # a table that has not spoken since we started will ask by itself
        sealed = seal(Purpose.DOWN, message.table, keyring.current, speaker.session, speaker.number, encode(message))
        return Outgoing(bulletin.down_topic(self._link, message.table), sealed)

    def _count(self, message: Message) -> None:
        name = type(message).__name__.lower()
        if isinstance(message, Acked):
            origin = (message.table, message.nonce)
            if message.sequence <= self._answered.get(origin, 0):
                name = "answered_again"
            self._answered[origin] = max(message.highest_seen, self._answered.get(origin, 0))
        self.counts[Count(name, message.table)] += 1
