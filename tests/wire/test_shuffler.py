from __future__ import annotations

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.nouns.cards import DECK, Card
from felt.wire.shuffler import (
    AGE_MS_MAX,
    FLAG,
    RAW_KEPT_BYTES_MAX,
    SEQUENCE_MAX,
    STUFFED_BYTES_MAX,
    Ack,
    Burn,
    CardsRead,
    CommandEvent,
    CommandReader,
    DeckStatus,
    DeviceEvent,
    Dispense,
    Done,
    Eject,
    FrameError,
    Heartbeat,
    Hello,
    HelloAsked,
    MessageKind,
    OneCard,
    OrderOutcome,
    ShufflerReader,
    StatusAsked,
    Welcome,
    encode_ack,
    encode_ask_hello,
    encode_ask_status,
    encode_burn,
    encode_card,
    encode_dispense,
    encode_done,
    encode_eject,
    encode_frame,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    encode_welcome,
    next_sequence,
)

ACE = OneCard(Card("As"))
TWO = OneCard(DECK[0])
ODD = (
    OneCard(Card("Td"), face_up=True),
    OneCard(Card("2c"), burnt=True, together=True),
    OneCard(None),
    OneCard(None, letters=b"Jo"),
)
WHOLE = tuple(OneCard(card) for card in DECK)


def card(sequence: int, ordinal: int, read: OneCard, *, repeat: bool = False, age_ms: int = 0) -> CardsRead:
    return CardsRead(sequence, repeat, ordinal, age_ms, (read,))


# Sequence and ordinal are chosen so that the flag and the escape byte occur inside bodies.
DEVICE_FRAMES: list[tuple[bytes, DeviceEvent]] = [
    (encode_hello(1, 0x7E7D7E7D, "shuffler 7 ~}", (1, 3)), Hello(1, False, 0x7E7D7E7D, 1, 3, "shuffler 7 ~}")),
    (encode_card(0x7E7D, 0x7E, ACE), card(0x7E7D, 0x7E, ACE)),
    (encode_card(9, 1, ACE, 0x7D7E), card(9, 1, ACE, age_ms=0x7D7E)),
    (encode_card(9, 1, ACE, 10**9), card(9, 1, ACE, age_ms=AGE_MS_MAX)),
    (encode_packet(2, 1, ODD, 250), CardsRead(2, False, 1, 250, ODD)),
    (encode_packet(2, 1, WHOLE), CardsRead(2, False, 1, 0, WHOLE)),
    (encode_status(DeckStatus(3, False, 52, 0, True)), DeckStatus(3, False, 52, 0, True)),
    (
        encode_status(DeckStatus(SEQUENCE_MAX, False, 0, 17, False, True, True, True)),
        DeckStatus(SEQUENCE_MAX, False, 0, 17, False, True, True, True),
    ),
    (encode_done(4, 0x7E7E7E7E, 9, OrderOutcome.JAMMED), Done(4, False, 0x7E7E7E7E, 9, OrderOutcome.JAMMED)),
    (encode_heartbeat(), Heartbeat()),
]
COMMAND_FRAMES: list[tuple[bytes, CommandEvent]] = [
    (encode_ack(0x7D7E), Ack(0x7D7E)),
    (encode_welcome(1, 1), Welcome(1, 1)),
    (encode_dispense(9, 0x7E, 8, 3), Dispense(9, 0x7E, 8, 3)),
    (encode_burn(10, 0x7E), Burn(10, 0x7E)),
    (encode_eject(11, 0x7E), Eject(11, 0x7E)),
    (encode_ask_status(), StatusAsked()),
    (encode_ask_hello(), HelloAsked()),
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
    assert isinstance(before, FrameError)
    assert found == event
    assert isinstance(after, FrameError)


def test_frames_may_share_their_flag_and_idle_flags_mean_nothing() -> None:
    shared = encode_heartbeat() + encode_heartbeat()[1:]
    assert read(FLAG * 5 + shared + FLAG * 5) == [Heartbeat(), Heartbeat()]


def test_next_event_gives_one_at_a_time_and_then_none() -> None:
    reader = ShufflerReader()
    reader.receive(encode_heartbeat() + encode_status(DeckStatus(1, False, 52, 0, True)))
    assert reader.next_event() == Heartbeat()
    assert reader.next_event() == DeckStatus(1, False, 52, 0, True)
    assert reader.next_event() is None


def test_every_single_flipped_bit_is_noticed() -> None:
    good = encode_card(7, 1, ACE)
    for place in range(len(good)):
        for bit in range(8):
            damaged = bytearray(good)
            damaged[place] ^= 1 << bit
            events = read(bytes(damaged) + FLAG)
            assert not any(isinstance(event, CardsRead) for event in events[:-1])
            assert events == [card(7, 1, ACE)] or any(isinstance(e, FrameError) for e in events)


def test_a_truncated_frame_costs_itself_alone() -> None:
    for cut in range(1, len(encode_card(7, 1, ACE))):
        *errors, found = read(encode_card(7, 1, ACE)[:cut], encode_card(8, 2, ACE))
        assert found == card(8, 2, ACE)
        # Only the whole frame without its closing flag can still be read: the next frame's flag closes it.
        for event in errors:
            assert isinstance(event, FrameError) or event == card(7, 1, ACE)


def test_an_endless_frame_is_reported_once_and_not_kept() -> None:
    reader = ShufflerReader()
    for _ in range(50):
        reader.receive(b"x" * STUFFED_BYTES_MAX)
    reader.receive(encode_card(7, 1, ACE))
    error, found = list(reader)
    assert isinstance(error, FrameError)
    assert len(error.raw) == RAW_KEPT_BYTES_MAX
    assert found == card(7, 1, ACE)


def reason_of(event: DeviceEvent | CommandEvent) -> str:
    assert isinstance(event, FrameError)
    return event.reason


def test_a_sound_frame_that_makes_no_sense_is_kept_with_a_reason() -> None:
    assert "kind 0x02" in reason_of(read_commands(encode_card(1, 1, ACE))[0])
    assert "came as a single card" in reason_of(read(encode_frame(MessageKind.CARD, 1, b"\x01\0\0\0As\0Ks"))[0])
    assert "not a whole number of cards" in reason_of(read(encode_frame(MessageKind.CARD, 1, b"\x01"))[0])
    assert "not a whole number of cards" in reason_of(read(encode_frame(MessageKind.PACKET, 1, b"\x01\0\0"))[0])
    assert "more than a deck" in reason_of(read(encode_frame(MessageKind.PACKET, 1, b"\x01\0\0" + b"\0As" * 53))[0])
    assert "needs a number" in reason_of(read(encode_frame(MessageKind.CARD, 0, b"\x01\0\0\0As"))[0])
    assert "versions 3 to 2" in reason_of(read(encode_hello(1, 5, "x", (3, 2)))[0])
    assert "identity of 9 bytes" in reason_of(read(encode_frame(MessageKind.HELLO, 1, b"\0\0\0\1\1\1\x09abc"))[0])
    assert "where 6 are due" in reason_of(read_commands(encode_frame(MessageKind.DISPENSE, 1, b"\x01"))[0])


def test_a_kind_that_nobody_knows_is_no_damage_and_keeps_its_number() -> None:
    (unknown,) = read(encode_frame(0x55, 7, b"later"))
    assert isinstance(unknown, FrameError)
    assert (unknown.damaged, unknown.sequence) == (False, 7)
    assert "kind 0x55" in unknown.reason


def test_later_additions_to_a_hello_are_ignored() -> None:
    hello = encode_hello(1, 5, "new", (1, 4))
    payload = hello[1 + 5 : -1 - 2]  # nothing in it had to be stuffed
    assert read(encode_frame(MessageKind.HELLO, 1, payload + b"more")) == [Hello(1, False, 5, 1, 4, "new")]


def test_an_identity_cannot_move_a_cursor() -> None:
    (hello,) = read(encode_hello(1, 5, "a\x1b[2Jb\n\u202e"))
    assert isinstance(hello, Hello)
    assert hello.identity == "a?[2Jb??"


def test_a_repetition_may_be_older_than_the_message_it_repeats() -> None:
    first, second = read(encode_card(7, 1, ACE, 0), encode_card(7, 1, ACE, 200))
    assert (first, second) == (card(7, 1, ACE), card(7, 1, ACE, repeat=True, age_ms=200))


def test_another_protocol_version_is_named() -> None:
    body = b"\x02\x05\x00\x00\x00"
    frame = FLAG + body + crc_hqx(body, 0xFFFF).to_bytes(2, "big") + FLAG
    assert reason_of(read(frame)[0]) == "protocol version 2 is not 1"


def test_a_repeated_card_says_that_it_is_one() -> None:
    frame = encode_card(7, 1, ACE)
    assert read(frame, frame, encode_card(8, 2, TWO), frame) == [
        card(7, 1, ACE),
        card(7, 1, ACE, repeat=True),
        card(8, 2, TWO),
        card(7, 1, ACE, repeat=True),
    ]


def test_a_number_used_twice_for_different_cards_is_an_error() -> None:
    first, second = read(encode_card(7, 1, ACE), encode_card(7, 1, TWO))
    assert first == card(7, 1, ACE)
    assert "was reused for a different message" in reason_of(second)


def test_a_device_that_restarted_silently_is_believed_when_it_insists() -> None:
    before = [encode_card(number, number, ACE) for number in range(1, 15)]
    behind = [encode_card(2, 1, ACE, 0), encode_card(2, 1, ACE, 200), encode_card(3, 2, ACE)]
    refused, gap, found, following = read(*before, *behind)[14:]
    assert "was reused for a different message" in reason_of(refused)
    assert "messages are missing" in reason_of(gap)
    assert (found, following) == (card(2, 1, ACE, age_ms=200), card(3, 2, ACE))


def test_other_content_is_not_believed_once_the_device_has_gone_on() -> None:
    *_, refused = read(encode_card(7, 1, ACE), encode_card(7, 1, TWO), encode_card(8, 2, ACE), encode_card(7, 1, TWO))
    assert "was reused for a different message" in reason_of(refused)


def test_a_gap_in_the_numbers_is_reported_before_the_card_that_shows_it() -> None:
    _, gap, found = read(encode_card(7, 1, ACE), encode_card(9, 3, TWO))
    assert "messages are missing" in reason_of(gap)
    assert found == card(9, 3, TWO)


def test_numbers_wrap_round_without_using_zero() -> None:
    assert next_sequence(SEQUENCE_MAX) == 1
    last, first = read(encode_card(SEQUENCE_MAX, 1, ACE), encode_card(1, 2, TWO))
    assert isinstance(last, CardsRead)
    assert isinstance(first, CardsRead)


def test_a_restarted_device_begins_its_numbers_again() -> None:
    events = read(
        encode_hello(1, 111, "one"),
        encode_card(2, 1, ACE),
        encode_hello(1, 222, "one"),
        encode_hello(1, 222, "one"),
        encode_card(2, 1, TWO),
    )
    assert events == [
        Hello(1, False, 111, 1, 1, "one"),
        card(2, 1, ACE),
        Hello(1, False, 222, 1, 1, "one"),
        Hello(1, True, 222, 1, 1, "one"),
        card(2, 1, TWO),
    ]


def test_heartbeats_do_not_disturb_the_numbers() -> None:
    beat = encode_heartbeat()
    assert read(encode_card(7, 1, ACE), beat, beat, encode_card(8, 2, TWO))[1:] == [
        Heartbeat(),
        Heartbeat(),
        card(8, 2, TWO),
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
    assert list(reader)[-1] == Hello(1, False, 0xFE17, 1, 1, "found")
    assert list(commands)[-1] == Ack(77)


@given(st.lists(st.sampled_from(DEVICE_FRAMES[1:2] + DEVICE_FRAMES[-1:]), max_size=20), st.data())
def test_the_way_a_stream_is_cut_does_not_matter(frames: list[tuple[bytes, DeviceEvent]], data: st.DataObject) -> None:
    stream = b"".join(frame for frame, _ in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    pieces = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*pieces) == read(stream)


@given(
    st.integers(1, SEQUENCE_MAX), st.integers(0, 255), st.lists(st.sampled_from(WHOLE + ODD), min_size=1, max_size=52)
)
def test_any_packet_survives_the_line(sequence: int, ordinal: int, cards: list[OneCard]) -> None:
    assert read(encode_packet(sequence, ordinal, cards)) == [CardsRead(sequence, False, ordinal, 0, tuple(cards))]
