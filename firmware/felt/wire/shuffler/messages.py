"""The messages of the shuffler protocol, in both directions: kinds, payloads and encoding. This module does not know
their order. hw/shuffler-protocol.md describes them."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from felt.nouns.cards import INDEX_OF, Card
from felt.nouns.values import Value
from felt.wire.shuffler.frames import UNNUMBERED, Frame, FrameError, encode_frame, wire_error

VERSIONS_SPOKEN = (1, 1)  # lowest and highest
PACKET_CARDS_MAX = 52
IDENTITY_BYTES_MAX = 64
AGE_MS_MAX = 0xFFFE  # this old or older
AGE_MS_UNKNOWN = 0xFFFF
ORDINAL_UNKNOWN = 0  # the device restarted and does not know how many cards of the deal have left
UNREAD_LETTERS = b"??"

_CARD_HEAD_BYTES = 3
_CARD_BYTES = 3


class MessageKind(enum.IntEnum):
    # device to table
    HELLO = 0x01
    CARD = 0x02
    PACKET = 0x03
    STATUS = 0x04
    HEARTBEAT = 0x05
    DONE = 0x06
    # table to device
    ACK = 0x81
    DISPENSE = 0x82
    ASK_STATUS = 0x83
    WELCOME = 0x84
    BURN = 0x85
    EJECT = 0x86
    ASK_HELLO = 0x87


class CardFlag(enum.IntEnum):
    FACE_UP = 0x01
    BURNT = 0x02
    TOGETHER = 0x04
    UNREAD = 0x08


class DeckFlag(enum.IntEnum):
    SHUFFLED = 0x01
    FACE_UP_NEXT = 0x02
    JAMMED = 0x04
    DOOR_OPEN = 0x08


class OrderOutcome(enum.IntEnum):
    """The result of an order."""

    TAKEN = 0
    BUSY = 1
    TOO_FEW_CARDS = 2
    JAMMED = 3
    DOOR_OPEN = 4
    IMPOSSIBLE = 5  # the device lacks this function, or cannot do this much


# -- events ----------------------------------------------------------------------------------------------------


class Hello(Value):
    sequence: int
    repeat: bool
    session: int
    lowest: int  # range of protocol versions that the device speaks
    highest: int
    identity: str


class OneCard(Value):
    card: Card | None  # None: it left unread
    face_up: bool = False
    burnt: bool = False
    together: bool = False  # left together with the previous card
    letters: bytes = b""  # what the device sent instead of a card of the deck


class CardsRead(Value):
    """One card, or a packet that left as one."""

    sequence: int
    repeat: bool  # the same message again: acknowledge it again, deal it once
    first_ordinal: int  # ordinal in the deal, from 1; ORDINAL_UNKNOWN: unknown to the device
    age_ms: int  # ms between its last card leaving and the sending; AGE_MS_MAX: longer; AGE_MS_UNKNOWN
    cards: tuple[OneCard, ...]


class DeckStatus(Value):
    sequence: int
    repeat: bool
    cards: int
    sets: int  # hand sets dispensed since the shuffle
    shuffled: bool
    face_up_next: bool = False
    jammed: bool = False
    door_open: bool = False


class Done(Value):
    """The answer to an order."""

    sequence: int
    repeat: bool
    origin: int
    order: int
    outcome: int


class Heartbeat(Value):
    pass


class Ack(Value):
    sequence: int


class Welcome(Value):
    """The answer to HELLO, instead of an ACK: the version that both ends use from now on."""

    sequence: int
    version: int


class Dispense(Value):
    order: int  # the same number from the same origin is the same order and runs once
    origin: int
    sets: int
    cards_each: int


class Burn(Value):
    order: int
    origin: int


class Eject(Value):
    order: int
    origin: int


class StatusAsked(Value):
    pass


class HelloAsked(Value):
    pass


DeviceEvent = Hello | CardsRead | DeckStatus | Done | Heartbeat | FrameError
CommandEvent = Ack | Welcome | Dispense | Burn | Eject | StatusAsked | HelloAsked | FrameError
NUMBERED = (Hello, CardsRead, DeckStatus, Done)


class PayloadError(ValueError):
    """The frame is valid, but its payload makes no sense."""


# -- reading ---------------------------------------------------------------------------------------------------


_NUMBERED = (MessageKind.HELLO, MessageKind.CARD, MessageKind.PACKET, MessageKind.STATUS, MessageKind.DONE)


def device_event(frame: Frame, repeat: bool) -> DeviceEvent:
    """Raises PayloadError."""
    payload, sequence = frame.payload, frame.sequence
    if frame.kind in _NUMBERED and sequence == UNNUMBERED:
        raise PayloadError("a message of this kind needs a number")
    match frame.kind:
        case MessageKind.HELLO:
            return _hello(payload, sequence, repeat)
        case MessageKind.CARD | MessageKind.PACKET:
            return _cards(frame, repeat)
        case MessageKind.STATUS:
            _need(payload, exactly=3)
            flags = payload[1]
            return DeckStatus(
                sequence, repeat, payload[0], payload[2],
                *(bool(flags & flag) for flag in DeckFlag),
            )  # fmt: skip
        case MessageKind.DONE:
            _need(payload, exactly=7)
            origin, order = int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:6], "big")
            return Done(sequence, repeat, origin, order, payload[6])
        case MessageKind.HEARTBEAT:
            _need(payload, exactly=0)
            return Heartbeat()
    reason = f"kind {frame.kind:#04x} is not one that a device sends"
    return wire_error(reason, frame.body, damaged=False, sequence=sequence)


def _hello(payload: bytes, sequence: int, repeat: bool) -> Hello:
    """Ignores bytes that a later version appends, since every version must be able to read HELLO."""
    _need(payload, at_least=7)
    lowest, highest, length = payload[4], payload[5], payload[6]
    if not lowest <= highest:
        raise PayloadError(f"versions {lowest} to {highest} are not a range")
    if len(payload) < 7 + length or length > IDENTITY_BYTES_MAX:
        raise PayloadError(f"an identity of {length} bytes is cut short")
    # The name goes into notices and onto screens, so it must not contain control characters.
    name = payload[7 : 7 + length].decode("utf-8", "replace")
    identity = "".join(letter if letter.isprintable() else "?" for letter in name)
    return Hello(sequence, repeat, int.from_bytes(payload[:4], "big"), lowest, highest, identity)


def _cards(frame: Frame, repeat: bool) -> CardsRead:
    payload = frame.payload
    count, rest = divmod(len(payload) - _CARD_HEAD_BYTES, _CARD_BYTES)
    if rest or count < 1:
        raise PayloadError(f"{len(payload)} bytes are not a whole number of cards")
    if frame.kind == MessageKind.CARD and count != 1:
        raise PayloadError(f"{count} cards came as a single card")
    if count > PACKET_CARDS_MAX:
        raise PayloadError(f"{count} cards are more than a deck")
    places = range(_CARD_HEAD_BYTES, len(payload), _CARD_BYTES)
    cards = tuple(_one_card(payload[place], payload[place + 1 : place + _CARD_BYTES]) for place in places)
    return CardsRead(frame.sequence, repeat, payload[0], int.from_bytes(payload[1:3], "big"), cards)


def _one_card(flags: int, letters: bytes) -> OneCard:
    text = letters.decode("latin-1")
    unread = flags & CardFlag.UNREAD or letters == UNREAD_LETTERS
    read = None if unread or text not in INDEX_OF else Card(text)
    return OneCard(
        read,
        bool(flags & CardFlag.FACE_UP),
        bool(flags & CardFlag.BURNT),
        bool(flags & CardFlag.TOGETHER),
        b"" if read or unread else letters,
    )


def command_event(frame: Frame | FrameError) -> CommandEvent:
    if isinstance(frame, FrameError):
        return frame
    try:
        return _command(frame)
    except PayloadError as error:
        return wire_error(str(error), frame.body)


def _command(frame: Frame) -> CommandEvent:
    payload, sequence = frame.payload, frame.sequence
    origin = int.from_bytes(payload[:4], "big")
    match frame.kind:
        case MessageKind.ACK:
            _need(payload, exactly=0)
            return Ack(sequence)
        case MessageKind.WELCOME:
            _need(payload, exactly=1)
            return Welcome(sequence, payload[0])
        case MessageKind.DISPENSE:
            _need(payload, exactly=6)
            return Dispense(sequence, origin, payload[4], payload[5])
        case MessageKind.BURN:
            _need(payload, exactly=4)
            return Burn(sequence, origin)
        case MessageKind.EJECT:
            _need(payload, exactly=4)
            return Eject(sequence, origin)
        case MessageKind.ASK_STATUS:
            _need(payload, exactly=0)
            return StatusAsked()
        case MessageKind.ASK_HELLO:
            _need(payload, exactly=0)
            return HelloAsked()
    return wire_error(f"kind {frame.kind:#04x} is not one that a table sends", frame.body, damaged=False)


def _need(payload: bytes, exactly: int | None = None, at_least: int = 0) -> None:
    if len(payload) < at_least or (exactly is not None and len(payload) != exactly):
        wanted = f"at least {at_least}" if exactly is None else str(exactly)
        raise PayloadError(f"the payload has {len(payload)} bytes where {wanted} are due")


# -- writing: the table's end ----------------------------------------------------------------------------------


def encode_ack(sequence: int) -> bytes:
    return encode_frame(MessageKind.ACK, sequence, b"")


def encode_welcome(sequence: int, version: int) -> bytes:
    return encode_frame(MessageKind.WELCOME, sequence, bytes((version,)))


def encode_dispense(order: int, origin: int, sets: int, cards_each: int) -> bytes:
    return encode_frame(MessageKind.DISPENSE, order, origin.to_bytes(4, "big") + bytes((sets, cards_each)))


def encode_burn(order: int, origin: int) -> bytes:
    return encode_frame(MessageKind.BURN, order, origin.to_bytes(4, "big"))


def encode_eject(order: int, origin: int) -> bytes:
    return encode_frame(MessageKind.EJECT, order, origin.to_bytes(4, "big"))


def encode_ask_status() -> bytes:
    return encode_frame(MessageKind.ASK_STATUS, UNNUMBERED, b"")


def encode_ask_hello() -> bytes:
    return encode_frame(MessageKind.ASK_HELLO, UNNUMBERED, b"")


# -- writing: the device's end ---------------------------------------------------------------------------------


def encode_hello(
    sequence: int, session: int, identity: str, versions: tuple[int, int] = VERSIONS_SPOKEN
) -> bytes:
    name = identity.encode("utf-8")[:IDENTITY_BYTES_MAX]
    return encode_frame(MessageKind.HELLO, sequence, session.to_bytes(4, "big") + bytes((*versions, len(name))) + name)


def encode_card(sequence: int, ordinal: int, card: OneCard, age_ms: int = 0) -> bytes:
    return encode_frame(MessageKind.CARD, sequence, _cards_payload(ordinal, (card,), age_ms))


def encode_packet(sequence: int, first_ordinal: int, cards: Sequence[OneCard], age_ms: int = 0) -> bytes:
    assert 0 < len(cards) <= PACKET_CARDS_MAX, f"{len(cards)} cards are no packet"
    return encode_frame(MessageKind.PACKET, sequence, _cards_payload(first_ordinal, cards, age_ms))


def _cards_payload(first_ordinal: int, cards: Sequence[OneCard], age_ms: int) -> bytes:
    age = age_ms if age_ms == AGE_MS_UNKNOWN else min(age_ms, AGE_MS_MAX)
    head = bytes((first_ordinal,)) + age.to_bytes(2, "big")
    return head + b"".join(bytes((_flags_of(card),)) + _letters_of(card) for card in cards)


def _flags_of(card: OneCard) -> int:
    flags = CardFlag.FACE_UP * card.face_up | CardFlag.BURNT * card.burnt | CardFlag.TOGETHER * card.together
    return int(flags | CardFlag.UNREAD * (card.card is None and not card.letters))


def _letters_of(card: OneCard) -> bytes:
    return card.card.encode("ascii") if card.card else card.letters or UNREAD_LETTERS


def encode_status(status: DeckStatus) -> bytes:
    """The status carries its own message number."""
    flags = (
        DeckFlag.SHUFFLED * status.shuffled
        | DeckFlag.FACE_UP_NEXT * status.face_up_next
        | DeckFlag.JAMMED * status.jammed
        | DeckFlag.DOOR_OPEN * status.door_open
    )
    return encode_frame(MessageKind.STATUS, status.sequence, bytes((status.cards, flags, status.sets)))


def encode_done(sequence: int, origin: int, order: int, outcome: OrderOutcome) -> bytes:
    payload = origin.to_bytes(4, "big") + order.to_bytes(2, "big") + bytes((outcome,))
    return encode_frame(MessageKind.DONE, sequence, payload)


def encode_heartbeat() -> bytes:
    return encode_frame(MessageKind.HEARTBEAT, UNNUMBERED, b"")
