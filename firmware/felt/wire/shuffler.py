"""Felt's own shuffler protocol, version 1, both ends. Sans-IO: feed bytes, take events; build bytes to send.
This room must not know a serial port, a clock or the deal: when to send and what a card means is others' work.

A frame on the line is `7E <stuffed body> 7E`. Within the body `7E` is written `7D 5E` and `7D` is written
`7D 5D`, so a bare `7E` is always a frame's edge and a reader is in step again at the next one, whatever came
before. One `7E` may close a frame and open the next.

    body = version (1)  kind (1)  sequence (2)  payload length (1)  payload  crc (2)

Numbers are big-endian; the CRC is CRC-16/CCITT-FALSE (0x1021, start 0xFFFF) over all that precedes it.

Messages that must not get lost are numbered 1 to 65535, then 1 again, and the device repeats each until it is
acknowledged before it sends the next; 0 marks a message that needs no answer. A device that starts draws a new
session number and says HELLO with it. The acknowledgement is the table's to send, after the card is durable:
reading a frame here never answers it.
"""

from __future__ import annotations

import enum
from binascii import crc_hqx
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from felt.nouns.cards import Card, CardError, parse_card

VERSION = 1
FLAG = b"\x7e"
ESCAPE = b"\x7d"
ESCAPED_FLAG = b"\x7d\x5e"
ESCAPED_ESCAPE = b"\x7d\x5d"

HEAD_BYTES = 5
CRC_BYTES = 2
CRC_START = 0xFFFF
PAYLOAD_BYTES_MAX = 128
STUFFED_BYTES_MAX = 2 * (HEAD_BYTES + PAYLOAD_BYTES_MAX + CRC_BYTES)
RAW_KEPT_BYTES_MAX = 64  # of what could not be read, so much is kept as evidence
SEQUENCE_MAX = 0xFFFF
UNNUMBERED = 0
REPEATS_REMEMBERED = 16  # numbered messages that are recognised when they come again
PACKET_CARDS_MAX = 52
IDENTITY_BYTES_MAX = 64


class Kind(enum.IntEnum):
    # device to table
    HELLO = 0x01
    CARD = 0x02
    PACKET = 0x03
    STATUS = 0x04
    HEARTBEAT = 0x05
    # table to device
    ACK = 0x81
    DISPENSE = 0x82
    ASK_STATUS = 0x83


# -- events ----------------------------------------------------------------------------------------------------


class WireError(NamedTuple):
    """Bytes that are no message. The reader is already in step again."""

    reason: str
    raw: bytes


class Hello(NamedTuple):
    sequence: int
    repeat: bool
    session: int
    identity: str


class CardRead(NamedTuple):
    sequence: int
    repeat: bool  # the same message again: acknowledge it again, deal it once
    ordinal: int  # of the deal, from 1
    card: Card


class PacketRead(NamedTuple):
    sequence: int
    repeat: bool
    first_ordinal: int
    cards: tuple[Card, ...]


class DeckStatus(NamedTuple):
    sequence: int
    repeat: bool
    cards_in_deck: int
    shuffled: bool


class Heartbeat(NamedTuple):
    pass


class Ack(NamedTuple):
    sequence: int


class Dispense(NamedTuple):
    sequence: int  # the table's own count, so that a repeated order is not dealt twice
    sets: int
    cards_each: int


class StatusAsked(NamedTuple):
    pass


DeviceEvent = Hello | CardRead | PacketRead | DeckStatus | Heartbeat | WireError
CommandEvent = Ack | Dispense | StatusAsked | WireError


# -- frames ----------------------------------------------------------------------------------------------------


class Frame(NamedTuple):
    kind: int
    sequence: int
    payload: bytes
    body: bytes  # as it was on the line, unstuffed


def encode_frame(kind: int, sequence: int, payload: bytes) -> bytes:
    assert len(payload) <= PAYLOAD_BYTES_MAX, f"a payload of {len(payload)} bytes does not fit a frame"
    assert 0 <= sequence <= SEQUENCE_MAX, f"{sequence} is no sequence number"
    head = bytes((VERSION, kind)) + sequence.to_bytes(2, "big") + bytes((len(payload),))
    body = head + payload
    return FLAG + _stuff(body + crc_hqx(body, CRC_START).to_bytes(CRC_BYTES, "big")) + FLAG


def _stuff(body: bytes) -> bytes:
    return body.replace(ESCAPE, ESCAPED_ESCAPE).replace(FLAG, ESCAPED_FLAG)


def _decode_frame(stuffed: bytes) -> Frame | WireError:
    body = stuffed
    escapes = stuffed.count(ESCAPE)
    if escapes:
        if escapes != stuffed.count(ESCAPED_ESCAPE) + stuffed.count(ESCAPED_FLAG):
            return _error("an escape byte is followed by something else than 5D or 5E", stuffed)
        body = stuffed.replace(ESCAPED_FLAG, FLAG).replace(ESCAPED_ESCAPE, ESCAPE)
    if len(body) < HEAD_BYTES + CRC_BYTES:
        return _error(f"{len(body)} bytes are too few for a frame", stuffed)
    if crc_hqx(body, CRC_START) != 0:  # a CRC over what it protects and itself is 0
        return _error("the CRC does not match", stuffed)
    if body[0] != VERSION:
        return _error(f"protocol version {body[0]} is not {VERSION}", stuffed)
    payload = body[HEAD_BYTES:-CRC_BYTES]
    if body[4] != len(payload):
        return _error(f"the length says {body[4]} but the payload has {len(payload)} bytes", stuffed)
    return Frame(body[1], int.from_bytes(body[2:4], "big"), payload, body)


def _error(reason: str, raw: bytes) -> WireError:
    return WireError(reason, raw[:RAW_KEPT_BYTES_MAX])


class _FrameCutter:
    """Bytes into frames. Holds at most one unfinished frame."""

    def __init__(self) -> None:
        self._partial = b""
        self._overlong = False  # the frame being read has already been reported as too long

    def receive(self, data: bytes) -> Iterator[Frame | WireError]:
        *whole, rest = (self._partial + data).split(FLAG)
        self._partial = b""  # taken, even if the caller stops half-way
        for stuffed in whole:
            if self._overlong:
                self._overlong = False
            elif len(stuffed) > STUFFED_BYTES_MAX:
                yield _too_long(stuffed)
            elif stuffed:
                yield _decode_frame(stuffed)
        if self._overlong:
            return
        if len(rest) > STUFFED_BYTES_MAX:
            self._overlong = True
            yield _too_long(rest)
        else:
            self._partial = rest


def _too_long(stuffed: bytes) -> WireError:
    return _error(f"more than {STUFFED_BYTES_MAX} bytes without the end of a frame", stuffed)


class _PayloadError(ValueError):
    """A whole frame whose payload makes no sense."""


# -- the table's end -------------------------------------------------------------------------------------------


class ShufflerReader:
    """What the device says. Iterate, or call `next_event` until it answers None."""

    def __init__(self) -> None:
        self._cutter = _FrameCutter()
        self._events: deque[DeviceEvent] = deque()
        self._session: int | None = None
        self._last_sequence: int | None = None
        self._bodies: dict[int, bytes] = {}  # of the last numbered messages, oldest first

    def receive(self, data: bytes) -> None:
        for frame in self._cutter.receive(data):
            if isinstance(frame, WireError):
                self._events.append(frame)
            else:
                self._events.extend(self._read(frame))

    def next_event(self) -> DeviceEvent | None:
        return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[DeviceEvent]:
        while self._events:
            yield self._events.popleft()

    def _read(self, frame: Frame) -> Iterator[DeviceEvent]:
        repeat = self._bodies.get(frame.sequence) == frame.body
        try:
            event = _device_event(frame, repeat)
        except _PayloadError as error:
            yield _error(str(error), frame.body)
            return
        if isinstance(event, Hello) and event.session != self._session:
            self._begin_session(event.session)
            event = event._replace(repeat=False)
        elif frame.sequence in self._bodies and not repeat:
            yield _error(f"number {frame.sequence} came again with another content", frame.body)
            return
        if frame.sequence != UNNUMBERED and not event_is_repeat(event):
            yield from self._missing_before(frame)
            self._remember(frame)
        yield event

    def _begin_session(self, session: int) -> None:
        self._session = session
        self._last_sequence = None
        self._bodies.clear()

    def _missing_before(self, frame: Frame) -> Iterator[WireError]:
        if self._last_sequence is None:
            return
        expected = next_sequence(self._last_sequence)
        if frame.sequence != expected:
            yield _error(f"number {frame.sequence} came where {expected} was due: messages are missing", frame.body)

    def _remember(self, frame: Frame) -> None:
        self._last_sequence = frame.sequence
        self._bodies[frame.sequence] = frame.body
        if len(self._bodies) > REPEATS_REMEMBERED:
            del self._bodies[next(iter(self._bodies))]


def event_is_repeat(event: DeviceEvent) -> bool:
    return isinstance(event, Hello | CardRead | PacketRead | DeckStatus) and event.repeat


def next_sequence(sequence: int) -> int:
    return sequence + 1 if sequence < SEQUENCE_MAX else 1


def _device_event(frame: Frame, repeat: bool) -> DeviceEvent:
    payload = frame.payload
    match frame.kind:
        case Kind.HELLO:
            _need(payload, at_least=4)
            session = int.from_bytes(payload[:4], "big")
            return Hello(frame.sequence, repeat, session, payload[4:].decode("utf-8", "replace"))
        case Kind.CARD:
            _need(payload, exactly=3)
            return CardRead(frame.sequence, repeat, payload[0], _cards_of(payload[1:])[0])
        case Kind.PACKET:
            _need(payload, at_least=3)
            return PacketRead(frame.sequence, repeat, payload[0], _cards_of(payload[1:]))
        case Kind.STATUS:
            _need(payload, exactly=2)
            return DeckStatus(frame.sequence, repeat, payload[0], bool(payload[1] & 1))  # other bits: reserved
        case Kind.HEARTBEAT:
            _need(payload, exactly=0)
            return Heartbeat()
    raise _PayloadError(f"kind {frame.kind:#04x} is not one that a device sends")


def _need(payload: bytes, exactly: int | None = None, at_least: int = 0) -> None:
    if len(payload) < at_least or (exactly is not None and len(payload) != exactly):
        wanted = f"at least {at_least}" if exactly is None else str(exactly)
        raise _PayloadError(f"the payload has {len(payload)} bytes where {wanted} are due")


def _cards_of(letters: bytes) -> tuple[Card, ...]:
    if len(letters) % 2:
        raise _PayloadError(f"{len(letters)} bytes are no whole cards of two letters each")
    text = letters.decode("ascii", "replace")
    try:
        return tuple(parse_card(text[place : place + 2]) for place in range(0, len(text), 2))
    except CardError as error:
        raise _PayloadError(str(error)) from None


def encode_ack(sequence: int) -> bytes:
    return encode_frame(Kind.ACK, sequence, b"")


def encode_dispense(sequence: int, sets: int, cards_each: int) -> bytes:
    """`sequence` is the table's own count of orders: the same number is the same order."""
    return encode_frame(Kind.DISPENSE, sequence, bytes((sets, cards_each)))


def encode_ask_status() -> bytes:
    return encode_frame(Kind.ASK_STATUS, UNNUMBERED, b"")


# -- the device's end ------------------------------------------------------------------------------------------


class CommandReader:
    """What the table says."""

    def __init__(self) -> None:
        self._cutter = _FrameCutter()
        self._events: deque[CommandEvent] = deque()

    def receive(self, data: bytes) -> None:
        self._events.extend(map(_command_event, self._cutter.receive(data)))

    def next_event(self) -> CommandEvent | None:
        return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[CommandEvent]:
        while self._events:
            yield self._events.popleft()


def _command_event(frame: Frame | WireError) -> CommandEvent:
    if isinstance(frame, WireError):
        return frame
    try:
        match frame.kind:
            case Kind.ACK:
                _need(frame.payload, exactly=0)
                return Ack(frame.sequence)
            case Kind.DISPENSE:
                _need(frame.payload, exactly=2)
                return Dispense(frame.sequence, frame.payload[0], frame.payload[1])
            case Kind.ASK_STATUS:
                _need(frame.payload, exactly=0)
                return StatusAsked()
    except _PayloadError as error:
        return _error(str(error), frame.body)
    return _error(f"kind {frame.kind:#04x} is not one that a table sends", frame.body)


def encode_hello(sequence: int, session: int, identity: str) -> bytes:
    name = identity.encode("utf-8")[:IDENTITY_BYTES_MAX]
    return encode_frame(Kind.HELLO, sequence, session.to_bytes(4, "big") + name)


def encode_card(sequence: int, ordinal: int, card: Card) -> bytes:
    return encode_frame(Kind.CARD, sequence, bytes((ordinal,)) + card.encode("ascii"))


def encode_packet(sequence: int, first_ordinal: int, cards: Sequence[Card]) -> bytes:
    assert 0 < len(cards) <= PACKET_CARDS_MAX, f"{len(cards)} cards are no packet"
    return encode_frame(Kind.PACKET, sequence, bytes((first_ordinal,)) + "".join(cards).encode("ascii"))


def encode_status(sequence: int, cards_in_deck: int, shuffled: bool) -> bytes:
    return encode_frame(Kind.STATUS, sequence, bytes((cards_in_deck, int(shuffled))))


def encode_heartbeat() -> bytes:
    return encode_frame(Kind.HEARTBEAT, UNNUMBERED, b"")
