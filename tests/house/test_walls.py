"""The walls between the rooms, and proof that the check finds a hole."""

from __future__ import annotations

import pytest

from tests.house.tree import module_of, python_files
from tests.house.walls import ROOMS, broken_walls


def test_no_module_reaches_through_a_wall() -> None:
    modules = python_files("firmware")
    assert modules
    problems = [problem for path in modules for problem in broken_walls(path.read_text(), module_of(path))]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("felt.nouns.money", "import felt.rules"),
        ("felt.nouns.money", "from felt import ports"),
        ("felt.nouns.money", "import felt"),
        ("felt.rules.shelf", "from felt.table.state import Table"),
        ("felt.rules.shelf", "def f():\n    from felt import config"),
        ("felt.table.state", "import transitions"),
        ("felt.table.state", "from ..journal import record"),
        ("felt.wire.debounce", "from felt.table.machine import step"),
        ("felt.wire.debounce", "from felt.table import machine"),
        ("felt.journal.store", "import sqlite3"),
        ("felt.loop.turn", "from felt.drivers.board import GpioBoard"),
        ("felt.loop.turn", "from felt.virtual import board"),
        ("felt.virtual.board", "import gpiozero"),
        ("felt.virtual.board", "from serial.tools import list_ports"),
        ("felt.jackpot.books.meter", "from felt.wire import debounce"),
        ("felt.commands.check", "import felt.drivers.board"),
        ("felt.config.load", "import tomlkit"),
        ("felt.config.load", "if TYPE_CHECKING:\n    from felt.wiring import table_builder"),
        ("felt.cli", "from felt.journal import store"),
        ("felt.ports", "from felt.table.facts import ChipSeen"),
    ],
)
def test_a_hole_in_a_wall_is_found(module: str, source: str) -> None:
    assert len(broken_walls(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("felt.nouns.money", "import json\nfrom felt.nouns.ids import Spot"),
        ("felt.table.machine", "import transitions\nfrom felt.table import charts"),
        ("felt.table.machine", "from .charts import ROWS\nfrom . import moves"),
        ("felt.wire.debounce", "from felt.table.facts import ChipSeen\nfrom felt.letters import from_table"),
        ("felt.jackpot.ledger.sqlite", "import sqlite3\nfrom felt.jackpot.ledger.port import Ledger"),
        ("felt.drivers.board", "import gpiozero.pins.rpigpio\nimport serial"),
        ("felt.wiring.table_builder", "from felt.drivers import board\nfrom felt.virtual.board import VirtualBoard"),
        ("felt.journal.segment", "from felt import __version__"),
    ],
)
def test_an_allowed_import_passes(module: str, source: str) -> None:
    assert broken_walls(source, module) == []


def test_a_module_in_no_room_is_named() -> None:
    with pytest.raises(KeyError, match=r"felt\.attic\.box is in no room"):
        broken_walls("", "felt.attic.box")


def test_every_door_leads_to_a_known_room() -> None:
    rooms = {name.partition(".")[0] for name in ROOMS}
    assert {name.partition(".")[0] for room in ROOMS.values() for name in room.felt} <= rooms
