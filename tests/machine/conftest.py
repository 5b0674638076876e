"""One machine for all tests of this folder, in the order in which they stand: installed once, then played, pulled about
and cut off. It runs only with --machine."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machine.site import Site


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A linked table that was installed as SERVICE.md says, and plays."""
    with tempfile.TemporaryDirectory(prefix="felt-machine-", dir="/var/tmp") as folder:
        made = Site(Path(folder), random.Random(1))
        try:
            made.install()
            yield made
        finally:
            made.close()
