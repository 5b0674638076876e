from __future__ import annotations

import dataclasses

import pytest

from felt.nouns.frozen import Frozen


class Lamp(Frozen):
    name: str
    line: int = 4


class Signal(Lamp):
    lamp: Lamp = Lamp("a")
    colour: str = "red"


def test_parts_are_given_in_order_or_by_name_and_the_rest_is_its_default() -> None:
    assert Lamp("a", 4) == Lamp(name="a") == Lamp("a") != Lamp("a", 5)
    assert repr(Signal("b")) == "Signal(name='b', line=4, lamp=Lamp(name='a', line=4), colour='red')"


@pytest.mark.parametrize(
    ("in_order", "named"), [((), {}), (("a", 1, 2), {}), (("a",), {"name": "a"}), (("a",), {"colour": "red"})]
)
def test_a_part_that_is_missing_unknown_or_given_twice_is_refused(in_order: tuple[str], named: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="Lamp is made of name, line, each given once"):
        Lamp(*in_order, **named)  # type: ignore[arg-type] # what a type checker would have found


def test_nothing_of_it_changes_and_it_is_no_key() -> None:
    lamp = Lamp("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="line"):
        lamp.line = 5  # type: ignore[misc] # that is the point
    with pytest.raises(dataclasses.FrozenInstanceError, match="line"):
        del lamp.line
    with pytest.raises(TypeError, match="unhashable: Lamp"):
        hash(lamp)


def test_it_is_a_dataclass_to_those_who_look_through_its_parts() -> None:
    signal = Signal("b", colour="green")
    assert [part.name for part in dataclasses.fields(signal)] == ["name", "line", "lamp", "colour"]
    assert dataclasses.replace(signal, line=1) == Signal("b", 1, colour="green")
    assert dataclasses.asdict(signal) == {"name": "b", "line": 4, "lamp": {"name": "a", "line": 4}, "colour": "green"}


def test_kinds_with_the_same_parts_are_not_equal() -> None:
    class Other(Frozen):
        name: str
        line: int = 4

    assert Lamp("a") != Other("a")
