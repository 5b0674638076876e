"""A fact as one line of JSON and back."""

from __future__ import annotations

from typing import Any, Union

from felt.nouns.values import read, to_text
from felt.table.facts.fact import Fact

SCHEMA = 1  # of the facts; a journal's segments name it in their headers

# Every kind is known here: the package imports its families before this module.
FACTS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
_ANY: Any = Union[tuple(FACTS.values())]  # noqa: UP007 # made from a list


def encode(fact: Fact) -> str:
    """One line of JSON, the same for the same fact always."""
    return to_text(fact)


def decode(text: str) -> Fact:
    """The fact that `encode` wrote. Anything else is a `ShapeError`."""
    fact: Fact = read(_ANY, text)
    return fact
