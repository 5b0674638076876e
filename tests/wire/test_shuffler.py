from __future__ import annotations

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.nouns.cards import DECK, Card
from felt.wire.shuffler import (
    FLAG,
    RAW_KEPT_BYTES_MAX,
    SEQUENCE_MAX,
    STUFFED_BYTES_MAX,
    Ack,
    CardRead,
    CommandEvent,
    CommandReader,
    DeckStatus,
    DeviceEvent,
    Dispense,
    Heartbeat,
    Hello,
    Kind,
    PacketRead,
    ShufflerReader,
    StatusAsked,
    WireError,
    encode_ack,
    encode_ask_status,
    encode_card,
    encode_dispense,
    encode_frame,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    next_sequence,
)

ACE = Card("As")
# Sequence and ordinal are chosen so that the flag and the escape byte occur inside bodies.
DEVICE_FRAMES: list[tuple[bytes, DeviceEvent]] = [
    (encode_hello(1, 0x7E7D7E7D, "shuffler 7 ~}"), Hello(1, False, 0x7E7D7E7D, "shuffler 7 ~}")),
    (encode_card(0x7E7D, 0x7E, ACE), CardRead(0x7E7D, False, 0x7E, ACE)),
    (encode_packet(2, 1, DECK[:3]), PacketRead(2, False, 1, DECK[:3])),
    (encode_packet(2, 1, DECK), PacketRead(2, False, 1, DECK)),
    (encode_status(3, 52, True), DeckStatus(3, False, 52, True)),
    (encode_status(SEQUENCE_MAX, 0, False), DeckStatus(SEQUENCE_MAX, False, 0, False)),
    (encode_heartbeat(), Heartbeat()),
]
COMMAND_FRAMES: list[tuple[bytes, CommandEvent]] = [
    (encode_ack(0x7D7E), Ack(0x7D7E)),
    (encode_dispense(9, 8, 3), Dispense(9, 8, 3)),
    (encode_ask_status(), StatusAsked()),
]


def read(*pieces: bytes) -> list[DeviceEvent]:
    reader = ShufflerReader()
    for piece in pieces:
        reader.receive(piece)
    return list(reader)


def read_commands(*pieces: bytes) -> list[CommandEvent]:
    reader = CommandReader()
    for piece in pieces:
        reader.receive(piece)
    return list(reader)


def singly(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


@pytest.mark.parametrize(("frame", "event"), DEVICE_FRAMES)
def test_every_device_frame_is_read_whole_and_byte_by_byte(frame: bytes, event: DeviceEvent) -> None:
    assert read(frame) == [event]
    assert read(*singly(frame)) == [event]


@pytest.mark.parametrize(("frame", "event"), COMMAND_FRAMES)
def test_every_command_is_read_whole_and_byte_by_byte(frame: bytes, event: CommandEvent) -> None:
    assert read_commands(frame) == [event]
    assert read_commands(*singly(frame)) == [event]


@pytest.mark.parametrize(("frame", "event"), DEVICE_FRAMES)
def test_every_frame_is_read_with_junk_around_it(frame: bytes, event: DeviceEvent) -> None:
    before, found, after = read(b"\x00junk\x7d" + frame + b"\xff\xff" + FLAG)
    assert isinstance(before, WireError)
    assert found == event
    assert isinstance(after, WireError)


def test_frames_may_share_their_flag_and_idle_flags_say_nothing() -> None:
    shared = encode_heartbeat() + encode_heartbeat()[1:]
    assert read(FLAG * 5 + shared + FLAG * 5) == [Heartbeat(), Heartbeat()]


def test_next_event_gives_one_at_a_time_and_then_none() -> None:
    reader = ShufflerReader()
    reader.receive(encode_heartbeat() + encode_status(1, 52, True))
    assert reader.next_event() == Heartbeat()
    assert reader.next_event() == DeckStatus(1, False, 52, True)
    assert reader.next_event() is None


def test_every_single_flipped_bit_is_noticed() -> None:
    good = encode_card(7, 1, ACE)
    for place in range(len(good)):
        for bit in range(8):
            damaged = bytearray(good)
            damaged[place] ^= 1 << bit
            events = read(bytes(damaged) + FLAG)
            assert not any(isinstance(event, CardRead) for event in events[:-1])
            assert events == [CardRead(7, False, 1, ACE)] or any(isinstance(e, WireError) for e in events)


def test_a_truncated_frame_costs_itself_alone() -> None:
    for cut in range(1, len(encode_card(7, 1, ACE))):
        *errors, card = read(encode_card(7, 1, ACE)[:cut], encode_card(8, 2, ACE))
        assert card == CardRead(8, False, 2, ACE)
        # Only the whole frame without its closing flag can still be read: the next one's flag closes it.
        for event in errors:
            assert isinstance(event, WireError) or event == CardRead(7, False, 1, ACE)


def test_an_endless_frame_is_reported_once_and_not_kept() -> None:
    reader = ShufflerReader()
    for _ in range(50):
        reader.receive(b"x" * STUFFED_BYTES_MAX)
    reader.receive(encode_card(7, 1, ACE))
    error, card = list(reader)
    assert isinstance(error, WireError)
    assert len(error.raw) == RAW_KEPT_BYTES_MAX
    assert card == CardRead(7, False, 1, ACE)


def reason_of(event: DeviceEvent | CommandEvent) -> str:
    assert isinstance(event, WireError)
    return event.reason


def test_a_sound_frame_that_makes_no_sense_is_kept_with_a_reason() -> None:
    assert "kind 0x55" in reason_of(read(encode_frame(0x55, 1, b""))[0])
    assert "kind 0x02" in reason_of(read_commands(encode_card(1, 1, ACE))[0])
    assert "is not a card" in reason_of(read(encode_frame(Kind.CARD, 1, b"\x01Xx"))[0])
    assert "where 3 are due" in reason_of(read(encode_frame(Kind.CARD, 1, b"\x01"))[0])
    assert "no whole cards" in reason_of(read(encode_frame(Kind.PACKET, 1, b"\x01AsK"))[0])
    assert "where 2 are due" in reason_of(read_commands(encode_frame(Kind.DISPENSE, 1, b"\x01"))[0])


def test_another_protocol_version_is_named() -> None:
    body = b"\x02\x05\x00\x00\x00"
    frame = FLAG + body + crc_hqx(body, 0xFFFF).to_bytes(2, "big") + FLAG
    assert reason_of(read(frame)[0]) == "protocol version 2 is not 1"


def test_a_repeated_card_says_that_it_is_one() -> None:
    frame = encode_card(7, 1, ACE)
    assert read(frame, frame, encode_card(8, 2, DECK[0]), frame) == [
        CardRead(7, False, 1, ACE),
        CardRead(7, True, 1, ACE),
        CardRead(8, False, 2, DECK[0]),
        CardRead(7, True, 1, ACE),
    ]


def test_a_number_used_twice_for_different_cards_is_an_error() -> None:
    first, second = read(encode_card(7, 1, ACE), encode_card(7, 1, DECK[0]))
    assert first == CardRead(7, False, 1, ACE)
    assert "another content" in reason_of(second)


def test_a_gap_in_the_numbers_is_told_before_the_card_that_shows_it() -> None:
    _, gap, card = read(encode_card(7, 1, ACE), encode_card(9, 3, DECK[0]))
    assert "messages are missing" in reason_of(gap)
    assert card == CardRead(9, False, 3, DECK[0])


def test_numbers_run_round_without_using_zero() -> None:
    assert next_sequence(SEQUENCE_MAX) == 1
    last, first = read(encode_card(SEQUENCE_MAX, 1, ACE), encode_card(1, 2, DECK[0]))
    assert isinstance(last, CardRead)
    assert isinstance(first, CardRead)


def test_a_restarted_device_begins_its_numbers_again() -> None:
    events = read(
        encode_hello(1, 111, "one"),
        encode_card(2, 1, ACE),
        encode_hello(1, 222, "one"),
        encode_hello(1, 222, "one"),
        encode_card(2, 1, DECK[0]),
    )
    assert events == [
        Hello(1, False, 111, "one"),
        CardRead(2, False, 1, ACE),
        Hello(1, False, 222, "one"),
        Hello(1, True, 222, "one"),
        CardRead(2, False, 1, DECK[0]),
    ]


def test_heartbeats_do_not_disturb_the_numbers() -> None:
    beat = encode_heartbeat()
    assert read(encode_card(7, 1, ACE), beat, beat, encode_card(8, 2, DECK[0]))[1:] == [
        Heartbeat(),
        Heartbeat(),
        CardRead(8, False, 2, DECK[0]),
    ]


garbage = st.binary(max_size=400)
pieces_of_frames = st.sampled_from([frame[1:9] for frame, _ in DEVICE_FRAMES])


@given(st.lists(st.one_of(garbage, pieces_of_frames)))
def test_garbage_yields_events_or_wire_errors_and_the_next_good_frame_is_found(pieces: list[bytes]) -> None:
    reader, commands = ShufflerReader(), CommandReader()
    for piece in pieces:
        reader.receive(piece)
        commands.receive(piece)
    reader.receive(encode_hello(1, 0xFE17, "found"))
    commands.receive(encode_ack(77))
    assert list(reader)[-1] == Hello(1, False, 0xFE17, "found")
    assert list(commands)[-1] == Ack(77)


@given(st.lists(st.sampled_from(DEVICE_FRAMES[1:2] + DEVICE_FRAMES[6:]), max_size=20), st.data())
def test_how_the_stream_is_cut_does_not_matter(frames: list[tuple[bytes, DeviceEvent]], data: st.DataObject) -> None:
    stream = b"".join(frame for frame, _ in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    pieces = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*pieces) == read(stream)


@given(st.integers(1, SEQUENCE_MAX), st.integers(0, 255), st.lists(st.sampled_from(DECK), min_size=1, max_size=52))
def test_any_packet_survives_the_line(sequence: int, ordinal: int, cards: list[Card]) -> None:
    assert read(encode_packet(sequence, ordinal, cards)) == [PacketRead(sequence, False, ordinal, tuple(cards))]
