"""What a planted mistake is: how it is planted, and the words by which it is found for what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

Plant = Callable[[pytest.MonkeyPatch], None]


class Mistake(NamedTuple):
    plant: Plant
    found_as: tuple[str, ...]  # words of which a violation that it causes has some
    race: bool = False  # looked for where claims of several tables meet on one meter
    game: str = ""  # with a race: the game whose book leaves open what is read wrong
    weather: tuple[str, ...] = ()  # with a race: besides what happens to messages
