"""Every `.round` file is a test, also those that come with the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.stories.bookcase import COME_WITH_US, LESSONS
from felt.stories.playing import play_file

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.round"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HERE)))
def test_round(path: Path) -> None:
    play_file(path)


OUR_OWN = sorted((*COME_WITH_US.glob("*.round"), *LESSONS.glob("*.round")))


@pytest.mark.parametrize("path", OUR_OWN, ids=lambda path: path.name)
def test_a_story_that_comes_with_the_product(path: Path) -> None:
    play_file(path)
