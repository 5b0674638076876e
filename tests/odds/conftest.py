"""Every deal is counted once for all tests of this room."""

from __future__ import annotations

import pytest

from felt.odds.kinds import Enumerated


@pytest.fixture(scope="session")
def counted() -> Enumerated:
    return Enumerated()
