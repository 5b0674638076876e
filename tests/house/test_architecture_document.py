"""firmware/ARCHITECTURE.md names places that exist, and every room."""

from __future__ import annotations

import re

from tests.house.tree import FIRMWARE, ROOT
from tests.trace.places import place_exists

PAGE = (ROOT / "firmware" / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROOMS = sorted(path.name for path in FIRMWARE.iterdir() if (path / "__init__.py").exists())
_PLACE = re.compile(rf"`((?:{'|'.join(ROOMS)})(?:\.\w+)+)\b(?!/)")
_FILE = re.compile(r"`((?:tests|tools|hw|firmware)/[\w./-]+)`|`((?:" + "|".join(ROOMS) + r")/\w+\.py)`")


def _exists(place: str) -> bool:
    module = FIRMWARE.joinpath(*place.split("."))
    return module.is_dir() or module.with_suffix(".py").is_file() or place_exists(FIRMWARE, place)


def test_every_module_and_name_that_the_page_tells_of_exists() -> None:
    places = _PLACE.findall(PAGE)
    assert len(places) > 50
    assert not [place for place in places if not _exists(place)]


def test_every_file_that_the_page_tells_of_exists() -> None:
    files = [ROOT / outer if outer else FIRMWARE / inner for outer, inner in _FILE.findall(PAGE)]
    assert len(files) > 15
    assert not [file for file in files if not file.exists()]


def test_every_room_is_told_of() -> None:
    assert not [room for room in ROOMS if f"`{room}`" not in PAGE]


def test_a_place_that_moved_is_seen() -> None:
    assert _exists("table.lock.presence")
    assert not _exists("table.lock.presents")
    assert not _exists("service.turn")
