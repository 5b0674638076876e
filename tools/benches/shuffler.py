"""The speed of reading the shuffler's bytes, beside the fastest that its line can deliver them."""

from __future__ import annotations

import time

from felt.nouns.cards import DECK
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.shuffler import (
    DeckStatus,
    OneCard,
    encode_card,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    next_sequence,
)

LINE_BYTES_PER_S = 11_520  # 115,200 baud, ten bits a byte
PIECE_BYTES = 32  # what a reading thread finds at a time
KILOBYTE = 1_000
BAR_TO_LINE = 50


def evening(rounds: int) -> bytes:
    """What a device sends in `rounds` rounds: single cards and packets in turn, states, heartbeats."""
    frames, sequence = [encode_hello(1, 77, "bench")], 1
    for number in range(rounds):
        for place in range(0, 24, 3):
            cards = [OneCard(card) for card in DECK[place : place + 3]]
            if number % 2:
                sequence = next_sequence(sequence)
                frames.append(encode_packet(sequence, place + 1, cards))
                continue
            for offset, card in enumerate(cards):
                sequence = next_sequence(sequence)
                frames.append(encode_card(sequence, place + offset + 1, card))
        sequence = next_sequence(sequence)
        frames.append(encode_status(DeckStatus(sequence, False, 52, 0, True)))
        frames.append(encode_heartbeat())
    return b"".join(frames)


def us_per_kilobyte(rounds: int) -> float:
    line = evening(rounds)
    pieces = [line[place : place + PIECE_BYTES] for place in range(0, len(line), PIECE_BYTES)]
    adapter = Felt1()
    begun = time.process_time()
    for piece in pieces:
        adapter.receive(piece)
    return 1e6 * (time.process_time() - begun) * KILOBYTE / len(line)


def line_us_per_kilobyte() -> float:
    return 1e6 * KILOBYTE / LINE_BYTES_PER_S
