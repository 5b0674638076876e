"""Every `.round` file is a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.stories.playing import play_file

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.round"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HERE)))
def test_round(path: Path) -> None:
    play_file(path)
