from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.nouns.plain import write_plain
from felt.wire import as_written


class Chip(NamedTuple):
    seat: int
    name: str = ""


class Tray(NamedTuple):
    number: int
    open: bool
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    count: int = 0


texts = st.text(max_size=30)
wholes = st.integers(-(2**70), 2**70)
trays = st.builds(Tray, wholes, st.booleans(), st.lists(st.builds(Chip, wholes, texts), max_size=4).map(tuple))
read_tray = as_written.reader_of(Tray)
read_note = as_written.reader_of(Note)


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> Iterator[None]:
    as_written.take_compiled()
    yield
    as_written.leave_compiled()


@given(trays)
def test_the_compiled_writer_gives_the_text_of_the_careful_one(tray: Tray) -> None:
    assert as_written.write(tray) == write_plain(tray)


@pytest.mark.parametrize("character", [chr(code) for code in range(0x100)] + ["\u2028", "\ud800", "\U0001f0a1"])
def test_every_character_is_written_as_the_careful_writer_writes_it(character: str) -> None:
    assert as_written.write(Chip(1, f"a{character}b")) == write_plain(Chip(1, f"a{character}b"))


@given(trays)
def test_what_is_read_is_what_was_written(tray: Tray) -> None:
    found = read_tray(write_plain(tray).encode("ascii"))
    assert found is None or found == tray
    if all(chip.name.isascii() and chip.name.isprintable() and "u0000" not in chip.name for chip in tray.chips):
        assert found == tray


@pytest.mark.parametrize(
    "text",
    [
        '[1,true,[]] ',
        ' [1,true,[]]',
        '[1, true,[]]',
        '[1,true,[[1]]]',  # a part that has its default
        '[1,true,[],4]',
        '[1.0,true,[]]',
        '[1e3,true,[]]',
        '[-0,true,[]]',
        '[01,true,[]]',
        '[true,true,[]]',
        '[1,1,[]]',
        '[1,null,[]]',
        '{"number":1,"open":true,"chips":[]}',
        '[1,true,[[1,"\\u0041"]]]',
        '[1,true,[[1,"\\/"]]]',
        '[1,true,[[1,"\\u0000"]]]',
        '[1,true,[[1,"\x7f"]]]',
        '[1,true,[[1,"é"]]]',
        '[1,true',
        "",
        "[" * 100_000,
    ],
)
def test_another_writing_is_left_to_the_careful_reader(text: str) -> None:
    assert read_tray(text.encode("utf-8")) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"count":1,"text":"a"}',
        '{"text":"a"}',
        '{"text":"a","count":1,"text":"a"}',
        '{"text":"b","text":"a","count":1}',
        '{"text":"a","count":1,"more":2}',
        '{"text":"a","count":"1"}',
    ],
)
def test_strange_missing_double_and_displaced_keys_are_left_to_the_careful_reader(text: str) -> None:
    assert read_note(text.encode("ascii")) is None
    assert read_note(b'{"text":"a","count":1}') == Note("a", 1)


@given(st.lists(wholes, min_size=1, max_size=4))
def test_a_number_beyond_64_bits_is_never_overlooked(numbers: list[int]) -> None:
    data = json.dumps(numbers).encode("ascii")
    if any(abs(number) >= 2**63 for number in numbers):
        assert as_written.may_exceed_64_bits(data)


@pytest.mark.parametrize("number", [2**63, 2**63 + 1, 10**19 - 1, 10**19, 2**64, 2**65, -(2**63), 10**40])
def test_each_kind_of_long_number_may_exceed_64_bits(number: int) -> None:
    assert as_written.may_exceed_64_bits(b'["boot",%d,0]' % number)


@pytest.mark.parametrize("number", [0, -1, 1_790_000_000_000_000_000, 8_999_999_999_999_999_999, 10**18])
def test_an_honest_number_does_not(number: int) -> None:
    assert not as_written.may_exceed_64_bits(b'["boot",%d,0]' % number)


def test_without_the_compiled_half_everything_is_left_to_the_careful_one() -> None:
    as_written.leave_compiled()
    assert read_note(b'{"text":"a","count":1}') is None
    assert as_written.write_simple(Note("a", 1)) is None
    assert as_written.write(Chip(1, "a")) == '[1,"a"]'
    as_written.take_compiled()
