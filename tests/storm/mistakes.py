"""A planted mistake: how to plant it, and the words of the violation that must find it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

Plant = Callable[[pytest.MonkeyPatch], None]


class Mistake(NamedTuple):
    plant: Plant
    found_as: tuple[str, ...]  # a violation that it causes contains one of these
    race: bool = False  # searched where claims of several tables meet on one meter
    game: str = ""  # with a race: the game whose rulebook leaves this reading open
    weather: tuple[str, ...] = ()  # with a race: in addition to what happens to messages
