"""A stranger builds the other end from hw/shuffler-protocol.md. Its examples are read and compared."""

from __future__ import annotations

import re
from binascii import crc_hqx
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from felt.virtual.shuffler import device
from felt.wire.adapters.adapter import NotUnderstood
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.adapters.simple_shoe import SimpleShoe
from felt.wire.shuffler import (
    PAYLOAD_BYTES_MAX,
    STUFFED_BYTES_MAX,
    CommandReader,
    MessageKind,
    OrderOutcome,
    ShufflerReader,
    encode_ack,
    encode_ask_hello,
    encode_ask_status,
    encode_burn,
    encode_card,
    encode_dispense,
    encode_done,
    encode_eject,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    encode_welcome,
)

DOCUMENT = (Path(__file__).resolve().parents[2] / "hw" / "shuffler-protocol.md").read_text(encoding="utf-8")
FRAMES = re.findall(r"^(device|table ) ((?:[0-9A-F]{2} ?)+)\n +(.+)$", DOCUMENT, re.MULTILINE)

WRITE: dict[str, Callable[[Any], bytes]] = {
    "Hello": lambda e: encode_hello(e.sequence, e.session, e.identity, (e.lowest, e.highest)),
    "CardsRead": lambda e: (
        encode_packet(e.sequence, e.first_ordinal, e.cards, e.age_ms)
        if len(e.cards) > 1
        else encode_card(e.sequence, e.first_ordinal, e.cards[0], e.age_ms)
    ),
    "DeckStatus": encode_status,
    "Done": lambda e: encode_done(e.sequence, e.origin, e.order, OrderOutcome(e.outcome)),
    "Heartbeat": lambda e: encode_heartbeat(),
    "Ack": lambda e: encode_ack(e.sequence),
    "Welcome": lambda e: encode_welcome(e.sequence, e.version),
    "Dispense": lambda e: encode_dispense(e.order, e.origin, e.sets, e.cards_each),
    "Burn": lambda e: encode_burn(e.order, e.origin),
    "Eject": lambda e: encode_eject(e.order, e.origin),
    "StatusAsked": lambda e: encode_ask_status(),
    "HelloAsked": lambda e: encode_ask_hello(),
}


@pytest.mark.parametrize(("who", "octets", "meaning"), FRAMES)
def test_every_frame_of_the_document_is_read_and_written_as_it_says(who: str, octets: str, meaning: str) -> None:
    reader = ShufflerReader() if who == "device" else CommandReader()
    reader.receive(bytes.fromhex(octets))
    (event,) = list(reader)
    assert repr(event) == meaning
    assert WRITE[type(event).__name__](event) == bytes.fromhex(octets)


def test_every_kind_has_an_example_and_a_row() -> None:
    shown = {bytes.fromhex(octets)[2] for _, octets, _ in FRAMES}
    assert shown == set(MessageKind)
    for kind in MessageKind:
        assert f"| `{kind:02X}` | {kind.name} |" in DOCUMENT


def test_the_numbers_in_the_document_are_those_of_the_codec() -> None:
    assert crc_hqx(b"123456789", 0xFFFF) == 0x29B1
    assert f"0 to {PAYLOAD_BYTES_MAX}" in DOCUMENT
    assert f"at most {STUFFED_BYTES_MAX}\nbytes between its edges" in DOCUMENT
    assert f"every {device.RETRANSMIT_NS // 10**6} ms until ACK" in DOCUMENT
    assert f"no sound frame for {Felt1.silent_after_ms // 1000} s" in DOCUMENT
    assert f"line feed every {SimpleShoe.ask_every_ms // 1000} s" in DOCUMENT
    assert f"Silent for {SimpleShoe.silent_after_ms // 1000} s" in DOCUMENT


def test_every_line_of_the_simple_shoe_is_understood() -> None:
    found = re.search(r"```lines\n(.+?)```", DOCUMENT, re.DOTALL)
    assert found is not None
    lines = found[1].encode().splitlines(keepends=True)
    assert len(lines) == 7
    shoe = SimpleShoe()
    for line in lines:
        events = shoe.receive(line)
        assert events
        assert not any(isinstance(event, NotUnderstood) for event in events)
