"""Any bytes at all raise only the codec's own errors, and the next good frame is always found."""

from __future__ import annotations

import random

import pytest

from felt.nouns.cards import DECK
from felt.wire.adapters.adapter import Adapter, CardsLeft, DeckTold, Event, Greeted
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.adapters.simple_shoe import SimpleShoe, encode_line
from felt.wire.shuffler import (
    Ack,
    CommandReader,
    DeckStatus,
    OneCard,
    encode_ack,
    encode_card,
    encode_dispense,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
)

MEGABYTE = 1_000_000
BLOCK_BYTES = 4_000
FRAMES = [
    encode_hello(1, 77, "noisy"),
    encode_status(DeckStatus(2, False, 52, 0, True)),
    *(encode_card(number, number, OneCard(card)) for number, card in enumerate(DECK[:20], start=3)),
    encode_packet(23, 1, [OneCard(card) for card in DECK]),
    encode_heartbeat(),
    encode_dispense(5, 9, 7, 3),
]
LINES = [encode_line(f"C{number:02}{card}") for number, card in enumerate(DECK)] + [encode_line("S52000R")]


def damaged(chance: random.Random, good: list[bytes]) -> bytes:
    """A stream of frames with bits flipped, bytes lost, bytes doubled and ends cut off."""
    stream = bytearray(b"".join(chance.choices(good, k=BLOCK_BYTES // 20)))
    for _ in range(chance.randrange(1, 40)):
        place = chance.randrange(len(stream))
        match chance.randrange(4):
            case 0:
                stream[place] ^= 1 << chance.randrange(8)
            case 1:
                del stream[place : place + chance.randrange(1, 30)]
            case 2:
                stream[place:place] = stream[place : place + chance.randrange(1, 30)]
            case _:
                stream[place:place] = chance.randbytes(chance.randrange(1, 30))
    return bytes(stream[: chance.randrange(1, len(stream))])


def junk(chance: random.Random, good: list[bytes]) -> bytes:
    return chance.randbytes(BLOCK_BYTES) if chance.random() < 0.5 else damaged(chance, good)


def sent(full: bool, share: float) -> int:
    return int((100 if full else 1) * share * MEGABYTE)


@pytest.mark.timeout(1_200)
def test_after_any_noise_the_next_good_frame_is_found(full: bool) -> None:
    chance, adapter, commands = random.Random(7), Felt1(), CommandReader()
    left = sent(full, 1)
    session = 1000
    while left > 0:
        block = junk(chance, FRAMES)
        left -= len(block)  # to the table's end and to the device's
        session += 1
        events = [*adapter.receive(block), *adapter.receive(encode_hello(1, session, "found"))]
        assert all(isinstance(event, Event) for event in events)
        assert isinstance(events[-1], Greeted)
        assert events[-1].session == session
        commands.receive(block + encode_ack(session % 65_535 + 1))
        assert list(commands)[-1] == Ack(session % 65_535 + 1)


@pytest.mark.timeout(600)
def test_after_any_noise_and_one_line_feed_the_next_line_of_a_shoe_is_found(full: bool) -> None:
    chance, shoe = random.Random(8), SimpleShoe()
    left = sent(full, 0.3)
    while left > 0:
        block = junk(chance, LINES)
        left -= len(block)
        shoe.receive(block + b"\n")
        cards = chance.randrange(256)
        events = shoe.receive(encode_line(f"S00{cards:03}"))
        assert isinstance(events[-1], DeckTold)
        assert events[-1].cards == cards


@pytest.mark.parametrize(("adapter", "good"), [(Felt1, FRAMES), (SimpleShoe, LINES)])
def test_damaged_frames_never_make_a_card_of_nothing(adapter: type[Adapter], good: list[bytes]) -> None:
    """A single flipped bit never passes as another card: the checks are there for that."""
    chance = random.Random(9)
    for frame in good:
        honest = [event for event in adapter().receive(frame) if isinstance(event, CardsLeft)]
        for _ in range(20):
            place = chance.randrange(1, len(frame) - 1)
            wrong = frame[:place] + bytes((frame[place] ^ (1 << chance.randrange(8)),)) + frame[place + 1 :]
            found = [event for event in adapter().receive(wrong) if isinstance(event, CardsLeft)]
            assert found in ([], honest)
