"""Facts and tables are written as text and read back, always the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.cards import DECK, Card
from felt.nouns.ids import Spot
from felt.nouns.stamps import Stamp
from felt.nouns.values import ShapeError
from felt.stories.playing import play_file
from felt.table import facts
from felt.table.facts import FACTS, Fact, decode, encode
from felt.table.settings import Settings
from felt.table.state import Table, digest_of, read_table, write_table
from tests.table.bench import WAYS, booting_table, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"

_whole = st.integers(-(2**63) + 1, 2**63 - 1)
_text = st.text(max_size=20)
_plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _whole | _text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=6,
)
_OF: dict[Any, st.SearchStrategy[Any]] = {
    str: _text,
    int: _whole,
    bool: st.booleans(),
    Spot: _text,
    Card: st.sampled_from(DECK),
    Stamp: st.builds(Stamp, _text, _whole, _whole),
    int | None: st.none() | _whole,
    Settings: st.builds(lambda: table_at("IDLE").settings),
    dict[str, Any]: st.dictionaries(_text, _plain, max_size=3),
    tuple[tuple[Spot, bool], ...]: st.lists(st.tuples(_text, st.booleans()), max_size=4).map(tuple),
    tuple[str, ...]: st.lists(_text, max_size=4).map(tuple),
    facts.Meters: st.lists(st.tuples(_text, _whole), max_size=4).map(tuple),
}


def _any(kind: type[Fact]) -> st.SearchStrategy[Fact]:
    return st.builds(kind, **{name: _OF[hint] for name, hint in get_type_hints(kind).items()})


@pytest.mark.parametrize("kind", FACTS.values(), ids=FACTS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_fact_is_read_back_as_it_was_written(kind: type[Fact], data: st.DataObject) -> None:
    fact = data.draw(_any(kind))
    text = encode(fact)
    assert decode(text) == fact
    assert type(decode(text)) is kind
    assert encode(decode(text)) == text
    assert "\n" not in text


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '{"is":"OpenPressed"}', '{"is":"Miracle","at":["b",1,1]}', '{"at":["b",1,1]}',
        '{"is":"OpenPressed","at":["b",1]}', '{"is":"OpenPressed","at":["b",1,1],"more":1}',
        '{"is":"SeatPressed","at":["b",1,1],"seat":"3"}', '{"is":["OpenPressed"],"at":["b",1,1]}',
        '{"is":"SeatPressed","at":["b",1,1],"seat":9223372036854775808}',
        '{"is":"SeatPressed","seat":3,"at":["b",1,1]}',
        '{"is":"SeatPressed","at":["b",1,1],"seat":3,"seat":3}', '{"is":"SeatPressed","at":["b",1,1],"seat":3} ',
        '{"is":"VoidOrdered","at":["b",1,1],"person":"Ann","reason":"wet"}',
    ],
)  # fmt: skip
def test_a_text_that_is_no_fact_is_a_shape_error(text: str) -> None:
    with pytest.raises(ShapeError):
        decode(text)


@given(text=st.text(max_size=60) | _plain.map(json.dumps))
@settings(max_examples=300, deadline=None)
def test_junk_is_a_shape_error_and_never_anything_else(text: str) -> None:
    with pytest.raises(ShapeError):
        decode(text)


@pytest.mark.parametrize("way", WAYS)
def test_a_table_is_read_back_as_it_was_written(way: str) -> None:
    table = table_at(way)
    again = read_table(write_table(table))
    assert again == table
    assert write_table(again) == write_table(table)
    assert digest_of(again) == digest_of(table)


def test_bare_and_booting_tables_are_read_back_too() -> None:
    for table in (Table(), booting_table()):
        assert read_table(write_table(table)) == table


def test_every_table_of_every_story_is_read_back() -> None:
    for path in sorted(ROUNDS.rglob("*.round")):
        for table in play_file(path).tables[::25]:
            assert read_table(write_table(table)) == table


def test_two_tables_that_differ_have_two_digests() -> None:
    digests = {way: digest_of(table_at(way)) for way in WAYS}
    tables = {way: table_at(way) for way in WAYS}
    assert len(set(digests.values())) == len(set(tables.values()))


def test_facts_are_the_same_by_kind_and_parts_and_stay_as_they_are() -> None:
    at = Stamp("boot", 1, 2)
    seen = facts.SeatPressed(at, 3)
    assert seen == facts.SeatPressed(at, 3)
    assert seen != facts.SeatPressed(at, 4)
    pressed: tuple[Fact, Fact] = facts.CollectPressed(at), facts.RevealPressed(at)
    assert pressed[0] != pressed[1]
    assert repr(seen) == f"SeatPressed(at={at!r}, seat=3)"
    with pytest.raises(AttributeError, match="SeatPressed"):
        seen.seat = 4  # type: ignore[misc]
