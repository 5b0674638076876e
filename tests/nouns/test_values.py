"""One kind of value, one way to write it, one strict way to read it."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, field

from felt.nouns import values
from felt.nouns.values import (
    MissingField,
    OutOfBounds,
    ShapeError,
    UnknownField,
    Value,
    from_plain,
    read,
    read_message,
    replace,
    to_bytes,
    to_plain,
)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Lamp(Value):
    name: str
    line: Annotated[int, Meta(ge=1, le=40)] = 4
    colour: Colour = Colour.RED


Small = Annotated[str, Meta(pattern=r"\A[a-z]+\Z", description="small letters")]


class Board(Value):
    title: Small
    lamps: dict[Small, Lamp] = field(default_factory=dict)
    pairs: tuple[tuple[str, int], ...] = ()
    spare: Lamp | None = None


lamps = st.builds(Lamp, st.text(), st.integers(1, 40), st.sampled_from(Colour))
boards = st.builds(
    Board,
    st.text("abc", min_size=1),
    st.dictionaries(st.text("abc", min_size=1), lamps, max_size=3),
    st.lists(st.tuples(st.text(), st.integers(-(2**63) + 1, 2**63 - 1)), max_size=3).map(tuple),
    st.none() | lamps,
)


@given(boards)
def test_a_value_is_read_back_from_its_own_bytes_and_from_what_others_make_of_them(board: Board) -> None:
    data = to_bytes(board)
    assert read(Board, data) == read_message(Board, data) == from_plain(Board, to_plain(board)) == board
    assert to_bytes(read(Board, data)) == data


def test_a_value_stays_as_it_is_and_replace_makes_another() -> None:
    lamp = Lamp("a")
    with pytest.raises(AttributeError):
        lamp.line = 5  # type: ignore[misc] # that is the point
    assert replace(lamp, line=5) == Lamp("a", 5) != lamp
    assert {lamp: 1}[Lamp("a")] == 1


WRITTEN = to_bytes(Lamp("a"))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"null", b"[]", b"[" * 100_000, b"\xff", WRITTEN + b"\n", WRITTEN + b" {}", b'{"name":"a"}',
        b'{"line":4,"name":"a","colour":"red"}', WRITTEN.replace(b"}", b',"more":1}'),
        b'{"name":"b","name":"a","line":4,"colour":"red"}', b'{"name":"\\u0061","line":4,"colour":"red"}',
        WRITTEN.replace(b"4", b"4.0"), WRITTEN.replace(b"4", b"41"), WRITTEN.replace(b"red", b"green"),
    ],
)  # fmt: skip
def test_a_record_of_ours_that_is_not_in_its_one_form_is_refused(data: bytes) -> None:
    assert read(Lamp, WRITTEN) == Lamp("a")
    with pytest.raises(ShapeError):
        read(Lamp, data)


def test_a_message_may_have_its_keys_in_any_order() -> None:
    assert read_message(Lamp, b' {"colour":"red", "line":4,\n"name":"a"}') == Lamp("a")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"colour":"red","line":4}', "name: missing"),
        (b'{"colour":"red","name":"a"}', "line: missing"),
        (b'{"colour":"red","line":4,"name":"a","name":"a"}', "the key 'name' is duplicated"),
        (b'{"colour":"red","line":4,"name":"a","more":1}', "more: unknown key; known here: name, line, colour"),
        (b'{"colour":"red","line":99999999999999999999,"name":"a"}', "a number is longer than 64 bits"),
        (b'{"colour":"red","line":4.0,"name":"a"}', "4.0 is not a whole number"),
        (b'{"colour":"red","line":"4","name":"a"}', "line: '4' is not a whole number"),
        (b'{"colour":"red","line":true,"name":"a"}', "line: True is not a whole number"),
        (b'{"colour":"green","line":4,"name":"a"}', "colour: 'green' is none of red, blue"),
        (b'{"colour":"red","line":4,"name":7}', "name: 7 is not a text"),
        (b"7", "7 is not a table of names and values"),
    ],
)
def test_what_others_wrote_wrongly_is_told_in_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(ShapeError) as caught:
        read_message(Lamp, data)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("data", [b"\xff", b"", b'{"colour":', b"[" * 100_000, b'{"name":"\\ud800","line":4}'])
def test_bytes_that_are_no_message_are_a_shape_error(data: bytes) -> None:
    with pytest.raises(ShapeError):
        read_message(Lamp, data)


@pytest.mark.parametrize(
    ("plain", "kind", "path", "problem"),
    [
        ({"title": "a", "lamps": {"x": {"name": "n"}, "y": {"nam": "n"}}}, UnknownField, ("lamps", "y", "nam"), None),
        ({"title": "a", "lamps": {"x": {"name": "n"}, "y": {}}}, MissingField, ("lamps", "y", "name"), None),
        ({"title": "a", "lamps": {"x": {"name": "n", "line": 41}}}, OutOfBounds, ("lamps", "x", "line"),
         "41 is not from 1 to 40"),
        ({"title": "a", "lamps": {"ok": {"name": "n"}, "X": {"name": "n"}}}, OutOfBounds, ("lamps", "X"),
         "'X' is not small letters"),
        ({"title": "A"}, OutOfBounds, ("title",), "'A' is not small letters"),
        ({"title": "a", "spare": {"name": "n", "line": 0}}, OutOfBounds, ("spare", "line"), "0 is not from 1 to 40"),
        ({"title": "a", "pairs": [["a", 1], ["b", "c"]]}, ShapeError, ("pairs", "1", "1"), "'c' is not a whole number"),
        ({"title": "a", "pairs": 3}, ShapeError, ("pairs",), "3 is not a list"),
        ({"title": "a", "lamps": []}, ShapeError, ("lamps",), "[] is not a table of names and values"),
        ({}, MissingField, ("title",), None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_by_its_path(
    plain: object, kind: type[ShapeError], path: tuple[str, ...], problem: str | None
) -> None:
    with pytest.raises(ShapeError) as caught:
        from_plain(Board, plain)
    assert (type(caught.value), caught.value.path) == (kind, path)
    assert problem in (None, caught.value.problem)


@pytest.mark.parametrize("letter", ["\0", "\n", "\r", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ud800"])
def test_a_character_that_nobody_sees_or_can_write_is_replaced(letter: str) -> None:
    assert values.fit(Lamp(f"wet {letter} felt")) == Lamp("wet \ufffd felt")
    assert values.fit(Lamp("wet felt, Überlauf, 錯, ♠")) == Lamp("wet felt, Überlauf, 錯, ♠")


def test_no_default_is_left_out_of_the_bytes() -> None:
    assert WRITTEN == b'{"name":"a","line":4,"colour":"red"}'
    assert values.fields_of(Lamp) == ("name", "line", "colour")
    assert values.parts_of(Lamp("a")) == {"name": "a", "line": 4, "colour": Colour.RED}


@given(boards)
def test_a_value_that_is_fit_has_no_character_that_must_not_enter(board: Board) -> None:
    shown = values.fit(replace(board, pairs=(*board.pairs, ("wet\u2028 \ud800felt\n", 1))))
    texts = [*(lamp.name for lamp in shown.lamps.values()), *(name for name, _ in shown.pairs)]
    assert all(unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp") for text in texts for letter in text)
    assert shown.pairs[-1] == ("wet\ufffd \ufffdfelt\ufffd", 1)
    assert values.fit(shown) == shown == read(Board, to_bytes(shown))
