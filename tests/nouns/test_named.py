from __future__ import annotations

import copy
import pickle
import types
import typing

import pytest

from felt.nouns.named import NamedTuple


class Chip(NamedTuple):
    """A chip on the felt."""

    spot: str
    minor: int | None = None
    marks: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        return self.minor is not None

    def marked(self, mark: str) -> Chip:
        return self._replace(marks=(*self.marks, mark))


class TypedChip(typing.NamedTuple):
    spot: str
    minor: int | None = None
    marks: tuple[str, ...] = ()


def test_a_part_without_a_default_cannot_follow_one_that_has_it() -> None:
    body = {"__annotations__": {"first": "int", "second": "int"}, "first": 1}
    with pytest.raises(AssertionError, match="Wrong: a part without a default"):
        types.new_class("Wrong", (NamedTuple,), exec_body=lambda space: space.update(body))


def test_it_is_a_tuple_with_names_defaults_and_what_its_body_says() -> None:
    chip = Chip("seat1.ante", marks=("late",))
    assert tuple(chip) == ("seat1.ante", None, ("late",))
    assert (chip.counted, chip.marked("returned").marks) == (False, ("late", "returned"))
    assert repr(Chip("a", 5)) == "Chip(spot='a', minor=5, marks=())"
    assert (Chip.__doc__, Chip.__name__, Chip.__qualname__, Chip.__module__) == (
        "A chip on the felt.", "Chip", "Chip", __name__,
    )  # fmt: skip


def test_it_is_what_typing_would_have_made() -> None:
    assert Chip.__bases__ == TypedChip.__bases__ == (tuple,)
    assert Chip._fields == TypedChip._fields
    assert Chip._field_defaults == TypedChip._field_defaults
    assert Chip.__match_args__ == TypedChip.__match_args__
    assert Chip.__slots__ == ()  # type: ignore[attr-defined] # the checker does not know that it has none of its own
    assert typing.get_type_hints(Chip) == typing.get_type_hints(TypedChip)


def test_it_comes_back_from_where_it_was_kept() -> None:
    chip = Chip("seat2.ante", 500)
    assert copy.deepcopy(chip) == chip
    assert type(pickle.loads(pickle.dumps(chip))) is Chip
