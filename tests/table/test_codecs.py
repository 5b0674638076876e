"""Facts and tables as text, there and back, the same always."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.cards import DECK, Card
from felt.nouns.ids import Spot
from felt.nouns.shapes import ShapeError
from felt.nouns.stamps import Stamp
from felt.table import facts
from felt.table.facts import FACTS, Fact, decode, encode
from felt.table.state import Digester, Table, read_table, write_table
from tests.rounds.playing import play_file
from tests.table.bench import WAYS, booting_table, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"

_whole = st.integers(-(2**63), 2**63)
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
    assert text.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '{"fact":"OpenPressed"}', '{"fact":"Miracle","v":1,"at":["b",1,1]}',
        '{"fact":"OpenPressed","v":2,"at":["b",1,1]}', '{"fact":"OpenPressed","v":1}',
        '{"fact":"OpenPressed","v":1,"at":["b",1]}', '{"fact":"OpenPressed","v":1,"at":["b",1,1],"more":1}',
        '{"fact":"SeatPressed","v":1,"at":["b",1,1],"seat":"3"}', '{"fact":["OpenPressed"],"v":1}',
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
    assert Digester().of(again) == Digester().of(table)


def test_bare_and_booting_tables_are_read_back_too() -> None:
    for table in (Table(), booting_table()):
        assert read_table(write_table(table)) == table


def test_every_table_of_every_story_is_read_back() -> None:
    for path in sorted(ROUNDS.rglob("*.round")):
        for table in play_file(path).tables[::25]:
            assert read_table(write_table(table)) == table


def test_a_digest_does_not_depend_on_what_was_digested_before() -> None:
    """The digester remembers parts by identity; it must not mistake one part for another."""
    reused = Digester()
    for way in (*WAYS, *reversed(WAYS)):
        assert reused.of(table_at(way)) == Digester().of(table_at(way))


def test_two_tables_that_differ_have_two_digests() -> None:
    digests = {way: Digester().of(table_at(way)) for way in WAYS}
    tables = {way: table_at(way) for way in WAYS}
    assert len(set(digests.values())) == len(set(tables.values()))


def test_facts_are_the_same_by_kind_and_parts_and_stay_as_they_are() -> None:
    at = Stamp("boot", 1, 2)
    seen = facts.SeatPressed(at, 3)
    assert seen == facts.SeatPressed(at, 3)
    assert seen != facts.SeatPressed(at, 4)
    assert facts.CollectPressed(at) != facts.RevealPressed(at)
    assert repr(seen) == f"SeatPressed(at={at!r}, seat=3)"
    with pytest.raises(AttributeError, match="seat"):
        seen.seat = 4  # type: ignore[misc]


def test_every_kind_of_fact_has_its_equality_from_one_place() -> None:
    """A kind that were made by `dataclass` alone would have its own, compiled at every start."""
    assert [name for name, kind in FACTS.items() if "__eq__" in vars(kind) or "__repr__" in vars(kind)] == []
