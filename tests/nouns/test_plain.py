"""The writer is quicker than the standard library's and must never differ from it."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.nouns import plain
from felt.table.state import Phase

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


class Pair(NamedTuple):
    first: int
    second: str


@given(VALUES)
def test_every_value_is_written_as_the_standard_library_writes_it(value: object) -> None:
    expected = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    assert plain.write_plain(value) == expected == plain._standard()(value)


def test_named_tuples_are_lists_and_phases_are_their_names() -> None:
    assert plain.write_plain({"one": Pair(1, "ü"), "two": Phase.BETTING}) == '{"one":[1,"\\u00fc"],"two":"BETTING"}'


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), b"bytes"])
def test_what_is_no_plain_value_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        plain.write_plain(value)
