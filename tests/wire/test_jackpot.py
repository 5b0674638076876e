from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.letters.from_controller import Acked, Pong, Refused, Valued
from felt.letters.from_table import (
    LETTERS,
    NAME_OF,
    BetsReturnedLetter,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    Contribution,
    DealtHand,
    HitReportedLetter,
    Letter,
    Ping,
    Posted,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
    write,
)
from felt.nouns.cards import DECK, Card
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.wire.jackpot import MESSAGE_BYTES_MAX, Message, WireError, decode, encode, read_letter

names = st.text("abcXYZ019_.-", min_size=1, max_size=12)
texts = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=40)
counts = st.integers(0, 2**53)
numbers = st.integers(1, 2**53)
messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Posted, names, names, numbers, st.sampled_from(sorted(LETTERS)), texts, counts, texts),
    st.builds(Ping, names, names, counts, names, counts, counts, names, counts, counts),
    st.builds(Acked, names, names, numbers, counts, texts),
    st.builds(Refused, names, names, numbers, texts),
    st.builds(Valued, names, names, names, counts, counts, names, counts, counts),
    st.builds(Pong, names, names, counts, st.dictionaries(names, counts, max_size=4), names, counts, counts),
)

stamps = st.builds(Stamp, names, counts, counts)
seats = st.integers(1, 9)
claims = st.builds(
    Claim,
    names,
    seats,
    names,
    st.integers(1, 10),
    st.integers(10, 100),
    names,
    st.lists(st.sampled_from(DECK), max_size=5).map(tuple),
    counts,
    counts,
    counts,
    st.booleans(),
    texts,
    texts,
)
contributions = st.builds(Contribution, seats, st.integers(1, 10**9))
letters: st.SearchStrategy[Letter] = st.one_of(
    st.builds(
        RoundLockedLetter, numbers, stamps, st.lists(contributions, unique_by=lambda bet: bet.seat).map(tuple), counts
    ),
    st.builds(RoundDealtLetter, numbers, stamps, st.lists(st.builds(DealtHand, seats, counts, counts)).map(tuple)),
    st.builds(
        RoundResultLetter, numbers, stamps,
        st.lists(claims, max_size=3, unique_by=lambda claim: claim.claim).map(tuple),
        st.lists(st.integers(1, 9), max_size=3, unique=True).map(tuple),
    ),
    st.builds(ClaimConfirmedLetter, numbers, names, st.integers(0, 10**12), st.booleans(), texts, stamps),
    st.builds(ClaimDeniedLetter, numbers, names, texts, texts, stamps),
    st.builds(HitReportedLetter, numbers, claims, texts, texts, texts, stamps),
    st.builds(
        BetsReturnedLetter, numbers, st.lists(seats, min_size=1, max_size=3, unique=True).map(tuple), texts, texts,
        stamps,
    ),
    st.builds(RoundVoidedLetter, numbers, texts, texts, texts, stamps, st.booleans()),
    st.builds(RoundEndedLetter, numbers, stamps, counts, counts, counts),
)

PING = encode(Ping("T1", "n", 3))


def is_sentence(error: WireError) -> bool:
    text = str(error)
    return text.endswith(".") and "\n" not in text and len(text) < 400


@given(messages)
def test_every_message_comes_back_as_it_was(message: Message) -> None:
    assert decode(encode(message)) == message


@given(letters)
def test_every_letter_comes_back_from_its_one_text(letter: Letter) -> None:
    text = write(letter)
    again = read_letter(NAME_OF[type(letter)], text)
    assert again == letter
    assert write(again) == text


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_wire_error(data: bytes) -> None:
    try:
        decode(data)
    except WireError as error:
        assert is_sentence(error)


@given(messages, st.data())
def test_a_message_with_one_byte_changed_is_a_message_or_a_wire_error(message: Message, data: st.DataObject) -> None:
    frame = bytearray(encode(message))
    frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert encode(decode(bytes(frame)))
    except WireError as error:
        assert is_sentence(error)


junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(messages, st.data())
def test_a_message_with_one_part_replaced_is_a_message_or_a_wire_error(message: Message, data: st.DataObject) -> None:
    plain = json.loads(encode(message))
    plain[data.draw(st.sampled_from([*sorted(plain), "stranger"]))] = data.draw(junk)
    try:
        assert encode(decode(json.dumps(plain).encode()))
    except WireError as error:
        assert is_sentence(error)


@given(st.sampled_from([*sorted(LETTERS), "NoLetter", ""]), junk)
def test_any_json_is_a_letter_or_a_wire_error(kind: str, plain: Any) -> None:
    try:
        read_letter(kind, json.dumps(plain))
    except WireError as error:
        assert is_sentence(error)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"is":' * 5_000,
        PING[:-1],
        PING + b" {}",
        b"\xef\xbb\xbf" + PING,
        PING.replace(b'"boot":"",', b""),
        PING.replace(b'{', b'{"v":1,'),
        PING.replace(b'"T1"', b'""'),
        PING.replace(b'"T1"', b'"T/1"'),
        PING.replace(b'"T1"', b'"\\ud800"'),
        PING.replace(b'"T1"', b'"' + b"T" * 65 + b'"'),
        PING.replace(b":3,", b":-1,"),
        PING.replace(b":3,", b":3.5,"),
        PING.replace(b":3,", b":NaN,"),
        PING.replace(b":3,", b":true,"),
        PING.replace(b":3,", b":" + b"9" * 30 + b","),
        PING.replace(b":3,", b":" + b"9" * 5_000 + b","),
        PING.replace(b'"nonce":"n",', b""),
        PING.replace(b'"nonce":"n"', b'"nonce":"n","nonce":"m"'),
        PING.replace(b'"nonce":"n"', b'"nonce":"n","more":1'),
        PING.replace(b"Ping", b"Pang"),
        PING.replace(b'"Ping"', b"[]"),
    ],
)
def test_what_is_not_quite_a_message_is_a_wire_error(data: bytes) -> None:
    assert decode(PING) == Ping("T1", "n", 3)
    with pytest.raises(WireError) as caught:
        decode(data)
    assert is_sentence(caught.value)


def test_a_message_over_the_limit_is_refused_on_both_sides() -> None:
    with pytest.raises(WireError, match="limit"):
        encode(Refused("T1", "n", 1, "x" * MESSAGE_BYTES_MAX))
    with pytest.raises(WireError, match="limit"):
        decode(PING + b" " * MESSAGE_BYTES_MAX)


AT = Stamp("b", 1, 2)
CLAIM = Claim("1.1", 1, "major", 1, 4, "royal", (Card("As"),), 5)
LOCKED = RoundLockedLetter(1, AT, (Contribution(1, 5),))
RESULT = RoundResultLetter(1, AT, (CLAIM,))
CONFIRMED = ClaimConfirmedLetter(1, "1.1", 5, False, "Ada", AT)


@pytest.mark.parametrize(
    "letter",
    [
        replace(LOCKED, round=0),
        replace(LOCKED, contributions=(Contribution(1, 0),)),
        replace(LOCKED, contributions=(Contribution(0, 5),)),
        replace(LOCKED, contributions=(Contribution(1, 5), Contribution(1, 5))),
        replace(LOCKED, contributions=(Contribution(1, 1_000_000_001),)),
        replace(RESULT, claims=(replace(CLAIM, share_num=5),)),
        replace(RESULT, claims=(replace(CLAIM, share_num=0),)),
        replace(RESULT, claims=(replace(CLAIM, cards=("Ax",)),)),
        replace(RESULT, claims=(CLAIM, CLAIM)),
        replace(RESULT, claims=(replace(CLAIM, claim=""),)),
        replace(CONFIRMED, person="A\0da"),
        replace(CONFIRMED, person="Ada\u2028Bob"),
        replace(RESULT, claims=(replace(CLAIM, rank="ro\x1byal"),)),
        replace(CONFIRMED, award_minor=-5),
        replace(CONFIRMED, award_minor=10**12 + 1),
        RoundEndedLetter(1, AT, 0, -1, 0),
        RoundEndedLetter(1, AT, 2**63, 0, 0),
    ],
)
def test_a_letter_that_makes_no_sense_is_a_wire_error(letter: Letter) -> None:
    for good in (LOCKED, RESULT, CONFIRMED):
        assert read_letter(NAME_OF[type(good)], write(good)) == good
    with pytest.raises(WireError) as caught:
        read_letter(NAME_OF[type(letter)], write(letter))
    assert is_sentence(caught.value)


WRITTEN = write(LOCKED)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("RoundLocked", WRITTEN.replace(",", ", ", 1)),
        ("RoundLocked", WRITTEN.replace(',"contributions":[[1,5]]', "")),
        ("RoundLocked", WRITTEN.replace('"round":1', '"round":1,"round":1')),
        ("RoundLocked", WRITTEN.replace("RoundLocked", "RoundDealt")),
        ("RoundResult", write(RESULT).replace(',"returned":[]', "")),
        ("RoundDealt", WRITTEN),
        ("RoundDealt", "[" * 60_000),
        ("RoundDealt", "not JSON"),
        ("roundlocked", WRITTEN),
    ],
)
def test_a_text_that_is_not_a_letters_own_is_a_wire_error(kind: str, text: str) -> None:
    with pytest.raises(WireError) as caught:
        read_letter(kind, text)
    assert is_sentence(caught.value)


def test_a_message_may_have_its_keys_in_another_order() -> None:
    plain = json.loads(PING)
    assert decode(json.dumps(dict(reversed(plain.items()))).encode()) == Ping("T1", "n", 3)


@given(letters, st.integers(0, 400), st.sampled_from(["", " ", "\t", "\n", "-0", "0", "\\u0041", "\x7f", ",", "\\/"]))
def test_a_letter_with_anything_put_in_is_read_only_if_it_is_what_would_be_written(
    letter: Letter, place: int, put_in: str
) -> None:
    text = write(letter)
    altered = text[:place] + put_in + text[place:]
    try:
        read = read_letter(NAME_OF[type(letter)], altered)
    except WireError:
        return
    assert write(read) == altered
