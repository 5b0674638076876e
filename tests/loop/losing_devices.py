"""Two shufflers written from hw/shuffler-protocol.md alone. They share no code with the firmware or its emulators. They
lose messages: single ones for good, or everything that waits when they restart."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

MS = 1_000_000
AGAIN_NS, BEAT_NS = 200 * MS, 1_000 * MS
HELLO, CARD, PACKET, STATUS, HEARTBEAT = 1, 2, 3, 4, 5
ACK, ASK_STATUS, WELCOME, ASK_HELLO = 0x81, 0x83, 0x84, 0x87
FOREVER_NS = 1 << 62


class LosingDevice(Protocol):
    tells_again: bool  # it may tell a card a second time

    def receive(self, received: bytes) -> None: ...
    def tick(self, now_ns: int) -> bytes: ...
    def next_due_ns(self) -> int: ...
    def begin_deal(self) -> None: ...
    def cards_leave(self, cards: Sequence[str], *, lost: bool) -> None: ...
    def tell_again(self) -> None: ...
    def restart(self, *, forgets: bool) -> None: ...
    def has_told_all(self) -> bool: ...


# --- felt-1 ------------------------------------------------------------------------------------------------


def crc(body: bytes) -> int:
    value = 0xFFFF
    for byte in body:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def framed(kind: int, number: int, payload: bytes) -> bytes:
    body = bytes([1, kind, number >> 8, number & 255, len(payload)]) + payload
    body += bytes([crc(body) >> 8, crc(body) & 255])
    return b"\x7e" + body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e") + b"\x7e"


class Told(NamedTuple):
    kind: int
    number: int
    payload: bytes  # of cards, without their age
    left_ns: int


class LosingShuffler:
    """Speaks felt-1. Its queue is in its memory, and the ordinal of its last card is in its store."""

    tells_again = True

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._heard = b""
        self._ordinal = 0
        self._knows = True
        self._told: list[tuple[int, tuple[str, ...], int]] = []  # with the time at which they left
        self._now_ns = self._beat_ns = 0
        self.restart(forgets=False)

    def restart(self, *, forgets: bool) -> None:
        self._session = self._chance.randrange(1, 1 << 32)
        self._number = 0
        self._queue: deque[Told] = deque()
        self._again_ns = 0
        self._knows = self._knows and not forgets
        self._say_hello()

    def begin_deal(self) -> None:
        self._ordinal, self._knows, self._told = 0, True, []

    def cards_leave(self, cards: Sequence[str], *, lost: bool) -> None:
        first = self._ordinal + 1
        self._ordinal += len(cards)
        self._told.append((first, tuple(cards), self._now_ns))
        if not lost:
            self._say_cards(first, cards, self._now_ns)
        elif self._chance.random() < 0.5:
            self._number += 1  # skip the number of the lost message, or use it for the next one

    def tell_again(self) -> None:
        if self._told and self._knows:
            self._say_cards(*self._chance.choice(self._told))

    def has_told_all(self) -> bool:
        return not self._queue

    def _say_cards(self, first: int, cards: Sequence[str], left_ns: int) -> None:
        kind = CARD if len(cards) == 1 else PACKET
        ordinal = first if self._knows else 0
        payload = bytes([ordinal]) + b"".join(b"\x00" + card.encode() for card in cards)
        self._say(kind, payload, left_ns)

    def _say_hello(self) -> None:
        name = b"made by hand"
        self._say(HELLO, self._session.to_bytes(4, "big") + bytes([1, 1, len(name)]) + name)
        self._say(STATUS, bytes([52, 1, 0]))

    def _say(self, kind: int, payload: bytes, left_ns: int = 0) -> None:
        self._number = self._number % 65_535 + 1
        self._queue.append(Told(kind, self._number, payload, left_ns))

    def receive(self, received: bytes) -> None:
        for body in self._bodies(received):
            kind, number = body[1], body[2] << 8 | body[3]
            waits = [told.kind for told in self._queue]
            if kind in (ACK, WELCOME) and self._queue and self._queue[0].number == number:
                self._queue.popleft()
                self._again_ns = 0
            elif kind == ASK_HELLO and HELLO not in waits:
                self._say_hello()
            elif kind == ASK_STATUS and STATUS not in waits:
                self._say(STATUS, bytes([52, 1, 0]))

    def _bodies(self, received: bytes) -> Iterator[bytes]:
        *whole, self._heard = (self._heard + received).split(b"\x7e")
        for stuffed in whole:
            body = stuffed.replace(b"\x7d\x5e", b"\x7e").replace(b"\x7d\x5d", b"\x7d")
            if len(body) >= 7 and crc(body[:-2]) == body[-2] << 8 | body[-1]:
                yield body

    def tick(self, now_ns: int) -> bytes:
        self._now_ns = now_ns
        said = b""
        if self._queue and now_ns >= self._again_ns:
            said = self._written(self._queue[0])
            self._again_ns = now_ns + AGAIN_NS
        if now_ns >= self._beat_ns:
            said += framed(HEARTBEAT, 0, b"")
            self._beat_ns = now_ns + BEAT_NS
        return said

    def _written(self, told: Told) -> bytes:
        if told.kind not in (CARD, PACKET):
            return framed(told.kind, told.number, told.payload)
        age = min((self._now_ns - told.left_ns) // MS, 0xFFFE)
        return framed(told.kind, told.number, told.payload[:1] + age.to_bytes(2, "big") + told.payload[1:])

    def next_due_ns(self) -> int:
        return min(self._beat_ns, self._again_ns) if self._queue else self._beat_ns


# --- simple-shoe -------------------------------------------------------------------------------------------


class LosingShoe:
    """Says each card once. Its count is in its store, unless it has none."""

    tells_again = False

    def __init__(self, chance: random.Random) -> None:
        self._drawn = chance.randrange(100)
        self._knows = True
        self._says = b""
        self.restart(forgets=False)

    def restart(self, *, forgets: bool) -> None:
        self._knows = self._knows and not forgets
        self._says = b""
        self._say("ISHOE BY HAND")
        self._say_state()

    def begin_deal(self) -> None:
        self._knows = True

    def cards_leave(self, cards: Sequence[str], *, lost: bool) -> None:
        for card in cards:
            self._drawn = (self._drawn + 1) % 100
            if not lost:
                self._say(f"C{self._count()}{card}")

    def tell_again(self) -> None: ...

    def has_told_all(self) -> bool:
        return not self._says

    def _count(self) -> str:
        return f"{self._drawn:02}" if self._knows else "--"

    def _say_state(self) -> None:
        self._say(f"S{self._count()}052R")

    def _say(self, text: str) -> None:
        self._says += f"{text}{chr(ord('A') + sum(text.encode()) % 26)}\n".encode()

    def receive(self, received: bytes) -> None:
        if b"?" in received:
            self._say_state()

    def tick(self, now_ns: int) -> bytes:
        said, self._says = self._says, b""
        return said

    def next_due_ns(self) -> int:
        return 0 if self._says else FOREVER_NS
