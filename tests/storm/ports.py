"""The virtual ports with a storm's troubles. The disk knows what is durable, can be slow and can rot. The shuffler has
rigged decks and remembers when each card left. Contacts of the board stick, and messages to an office inside the table
get lost."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from felt.loop.inbox import Answer
from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_S
from felt.ports import Post
from felt.virtual.board import VirtualBoard
from felt.virtual.disk import ForgetfulDisk, PowerCut
from felt.virtual.link import VirtualLink
from felt.virtual.passing import PassingPost
from felt.virtual.shuffler import ShufflerDevice
from felt.virtual.shuffler.device import Write
from felt.wire.shuffler import MessageKind
from tests.storm.hours import Hours

if TYPE_CHECKING:
    from tests.storm.place import Place

LATELY_NS = 120 * NS_PER_S


class StormDisk(ForgetfulDisk):
    def __init__(self, choose: Callable[[int], int], wait: Callable[[], None], *, lie_about_sync: bool) -> None:
        super().__init__(choose, lie_about_sync=lie_about_sync)
        self._wait = wait
        self.rotten: dict[str, tuple[int, int, int]] = {}  # offset, bit, and the changed byte

    def sync(self, name: str) -> None:
        self._wait()
        super().sync(name)

    def durable(self, name: str) -> bytes:
        file = self._durable_names.get(name)
        return b"" if file is None else bytes(file.durable)

    def durable_names(self) -> list[str]:
        return sorted(self._durable_names)

    def used_bytes(self) -> int:
        return sum(len(file.content) for file in self._files.values())

    def rot(self, name: str, place: int, bit: int) -> None:
        """Flips one bit of a file while the power is off."""
        self._turn_over(name, place, bit)
        self.rotten[name] = (place, bit, self._files[name].content[place])

    def restore(self) -> None:
        """Restores the copy."""
        for name, (place, bit, spoilt) in self.rotten.items():
            if name in self._files and self._files[name].content[place : place + 1] == bytes((spoilt,)):
                self._turn_over(name, place, bit)
        self.rotten.clear()

    def _turn_over(self, name: str, place: int, bit: int) -> None:
        file = self._files[name]
        file.content[place] ^= 1 << bit
        file.durable[place] ^= 1 << bit


class TrueTime(Protocol):
    @property
    def now_ns(self) -> int: ...


class Saying(NamedTuple):
    """The message that a shuffler repeats until it is acknowledged."""

    session: int
    sequence: int


class RiggedShuffler(ShufflerDevice):
    def __init__(
        self, hours: TrueTime, chance: random.Random, packets: bool, decks: Sequence[Sequence[Card]] = ()
    ) -> None:
        self._hours = hours
        self._cards_in: dict[int, int] = {}
        self.losing = 0.0  # how many messages with cards it fails to send
        self.deals: list[tuple[int, list[Card]]] = []  # when each deal began, and its cards by ordinal
        self.unjammed_ns = 0
        super().__init__(chance, decks, packets=packets)
        self.dealt: Counter[Card] = Counter()
        self._left: dict[Card, list[int]] = {}  # when each card left, in true time
        self.acknowledged = 0  # cards that the table has acknowledged

    def rig(self, deck: Sequence[Card]) -> None:
        self._dealer.deck = tuple(deck)

    def behave(self) -> None:
        self.losing = 0.0
        self.mend()

    def mend(self) -> None:
        if self._held:
            self.unjammed_ns = self._hours.now_ns
        super().mend()

    def _queue(self, kind: MessageKind, write: Write) -> None:
        super()._queue(kind, write)
        if (
            self.losing
            and kind in (MessageKind.CARD, MessageKind.PACKET)
            and self._dealer.chance.random() < self.losing
        ):
            self._outgoing.pop()

    def unheard(self) -> int:
        """Cards that left the shuffler and that the table has not acknowledged."""
        return sum(self._cards_in.values())

    def saying(self) -> Saying | None:
        return Saying(self._session, self._outgoing[0].sequence) if self._outgoing else None

    def restart(self, *, forgets: bool = False) -> None:
        self._cards_in.clear()
        super().restart(forgets=forgets)

    def _queue_set(self, ordinal: int, cards: tuple[Card, ...]) -> None:
        queued = len(self._outgoing)
        super()._queue_set(ordinal, cards)
        messages = list(self._outgoing)[queued:]
        for message in messages:
            self._cards_in[message.sequence] = len(cards) if self._packets else 1
            # A silent or unplugged device is not polled for a while, but it still knows when its cards left.
            self._left_ns[message.sequence] = self._hours.now_ns
        for card in cards:
            self._left.setdefault(card, []).append(self._hours.now_ns)

    def left_ns(self, card: Card) -> int | None:
        """When the card left; None if that is uncertain or if it left more than once recently."""
        times = [at for at in self._left.get(card, ())[-3:] if self._hours.now_ns - at < LATELY_NS]
        return times[0] if len(times) == 1 else None

    def _acknowledged(self, sequence: int) -> None:
        waiting = len(self._outgoing)
        super()._acknowledged(sequence)
        if len(self._outgoing) < waiting:
            self.acknowledged += self._cards_in.pop(sequence, 0)

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        dealt = super().dispense(sets, cards_each, goes_on=goes_on)
        left = [card for cards in dealt for card in cards]
        self.dealt.update(left)
        if not goes_on or not self.deals:
            self.deals.append((self._hours.now_ns, []))
        self.deals[-1][1].extend(left)
        return dealt


class Cable(VirtualLink):
    """The shuffler keeps true time, and a restart of the table does not restart it."""

    def __init__(self, device: RiggedShuffler, hours: Hours) -> None:
        super().__init__(device)
        self._rigged = device
        self._hours = hours
        self._holds_back = False
        self._held: tuple[Saying, bytes] | None = None

    def hold_back(self) -> None:
        """Delays the next frame until others have overtaken it. No real line delays new content like this, so the frame
        waits until the repeated message was acknowledged."""
        self._holds_back = True

    def pour(self, piece: bytes, now_ns: int) -> None:
        """Sent between the device's own messages."""
        if self._connected and self._on_bytes is not None:
            self._on_bytes(piece, now_ns)

    def unplug(self) -> None:
        self._held = None
        super().unplug()

    def deliver(self, now_ns: int) -> None:
        data = self.device.tick(self._hours.now_ns)
        if not data or not self._connected or self._on_bytes is None:
            return
        saying = self._rigged.saying()
        if self._holds_back and saying is not None:
            self._holds_back, self._held = False, (saying, data)
            return
        self._on_bytes(data + self._overtaken(saying), now_ns)

    def _overtaken(self, saying: Saying | None) -> bytes:
        if self._held is None or saying is None or saying == self._held[0]:
            return b""
        (before, frame), self._held = self._held, None
        return frame if before.session == saying.session else b""  # no frame overtakes the end of a session


class StormBoard(VirtualBoard):
    dead = False  # the thread that receives its edges died

    def __init__(self, *parts: object) -> None:
        super().__init__(*parts)  # type: ignore[arg-type]  # as the board itself takes them
        self.stuck: set[str] = set()

    def alive(self) -> bool:
        return super().alive() and not self.dead

    def begin(self, levels: Mapping[str, bool]) -> None:
        self._levels.update(levels)

    def shown(self) -> dict[str, str]:
        """Read only."""
        return self._shown

    def level_of(self, line: str) -> bool:
        return self._levels[line]


class Road(PassingPost):
    """The way between the table and an office in its own process. It loses, repeats and delays letters and answers."""

    def __init__(self, post: Post, place: Place) -> None:
        super().__init__(post)
        self._place = place
        self._on_answer: Callable[[bytes], None] = lambda _: None

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer
        self._post.start(self._answered)

    def send(self, letter: bytes) -> None:
        place, rough = self._place, self._place.house.rough
        if rough.cut:
            return
        place.letters.append(letter)
        place.effect()
        if rough.letters_lost:
            return
        for _ in range(2 if rough.letters_repeated else 1):
            self._post.send(letter)
        place.effect()

    def _answered(self, answer: bytes) -> None:
        place, rough = self._place, self._place.house.rough
        if rough.answers_lost:
            return
        if not rough.answer_delay_ms:
            place.put(Answer(answer))
            return
        delay_ms = place.chance.randrange(rough.answer_delay_ms)
        place.hours.after(delay_ms, lambda: place.put(Answer(answer)))


class Overheard(PassingPost):
    """The post of a linked table. It records what leaves, and the power can fail after each message."""

    def __init__(self, post: Post, place: Place) -> None:
        super().__init__(post)
        self._place = place

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        put = self._place.put
        self._post.start(lambda content: put(Answer(content)))

    def send(self, letter: bytes) -> None:
        self._place.letters.append(letter)
        self._post.send(letter)
        self._place.effect()


__all__ = ["Cable", "Overheard", "PowerCut", "RiggedShuffler", "Road", "StormBoard", "StormDisk"]
