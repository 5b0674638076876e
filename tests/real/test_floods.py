"""Whatever floods a table or does not read what it says, the dealer's keys are answered at once, during the flood and
after it. The flood raises its fault within seconds, and the journal does not grow with it. The real `felt run` plays
with a real pseudo-terminal, a real broker and real files: a minute each with `--full`, a moment each without."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.wire import bulletin
from tests.real.console_house import PINS, list_people
from tests.real.floods import (
    LINE,
    SAYINGS,
    CalmDevice,
    Figures,
    Flood,
    FloodedLink,
    FloodedTable,
    FloodingDevice,
    FloodingShoe,
    LooseCable,
    MadClients,
    Restless,
    figures_of,
)
from tests.real.linked import LINK, JackpotController
from tests.real.mosquitto import Mosquitto

MINUTE_S, MOMENT_S = 60.0, 0.3
MEDIAN_MS_MAX = 250
FAULT_S_MAX = 10.0
JOURNAL_BYTES_MAX = 2_000_000  # of a minute in which the dealer opens some two hundred rounds
DESK = '[desk]\nsocket = "desk"\npeople = "people.toml"\n'
FLOODS, DEAF, RESTLESS, INTRUDER, FLOODED_LINK, ORDERS = "F-206", "F-207", "F-112", "F-307", "F-308", "F-703"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a socket's name."""
    with tempfile.TemporaryDirectory(prefix="felt-flood-") as name:
        yield Path(name)


def hold(table: FloodedTable, flood: Flood, full: bool, *codes: str, presses: int = 2) -> Figures:
    """Play through the flood and judge the figures."""
    found = figures_of(table, flood, MINUTE_S if full else MOMENT_S, codes, presses)
    print(found.say())
    assert found.median_ms <= MEDIAN_MS_MAX
    assert found.after_ms <= 2 * MEDIAN_MS_MAX
    assert found.journal_bytes < JOURNAL_BYTES_MAX
    assert all(found.faults[code] < FAULT_S_MAX for code in codes if code in found.faults)
    return found


@pytest.mark.timeout(120)
@pytest.mark.parametrize("saying", SAYINGS)
def test_open_is_answered_while_the_shuffler_floods(saying: str, full: bool, folder: Path) -> None:
    """Every other one of them reads nothing of what it is told, either."""
    reads = list(SAYINGS).index(saying) % 2 == 0
    device = FloodingDevice(folder / LINE, SAYINGS[saying](), reads=reads)
    with contextlib.closing(FloodedTable(folder, device)) as table:
        hold(table, device, full, FLOODS)


@pytest.mark.timeout(120)
def test_open_is_answered_while_a_simple_shoe_floods(full: bool, folder: Path) -> None:
    device = FloodingShoe(folder / LINE)
    with contextlib.closing(FloodedTable(folder, device, "simple-shoe")) as table:
        hold(table, device, full, FLOODS)


@pytest.mark.timeout(120)
def test_open_is_answered_while_the_shufflers_cable_comes_and_goes(full: bool, folder: Path) -> None:
    """While the cable is out OPEN is refused, as always without a shuffler. Once it is known to be loose, OPEN is not
    refused."""
    device = LooseCable(folder / LINE)
    with contextlib.closing(FloodedTable(folder, device)) as table:
        hold(table, device, full, FLOODS, presses=5)


@pytest.mark.timeout(120)
def test_a_shuffler_that_repeats_what_was_acknowledged_does_not_read(full: bool, folder: Path) -> None:
    device = FloodingDevice(folder / LINE, SAYINGS["the same greeting"](), reads=False, every_s=0.2)
    with contextlib.closing(FloodedTable(folder, device)) as table:
        hold(table, device, full, DEAF)


@pytest.mark.timeout(120)
def test_open_is_answered_while_another_key_never_rests(full: bool, folder: Path) -> None:
    with contextlib.closing(FloodedTable(folder, CalmDevice(folder / LINE))) as table:
        hold(table, Restless(table), full, RESTLESS)


@pytest.mark.timeout(120)
def test_open_is_answered_while_every_place_at_the_desk_is_taken_by_a_mad_client(full: bool, folder: Path) -> None:
    list_people(folder, PINS)
    with contextlib.closing(FloodedTable(folder, CalmDevice(folder / LINE), more=DESK)) as table:
        hold(table, MadClients(folder), full, ORDERS)


@pytest.mark.timeout(180)
def test_open_is_answered_while_somebody_floods_the_jackpot_link(full: bool, folder: Path) -> None:
    with contextlib.ExitStack() as ends:
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        (folder / "house").mkdir()
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        controller.start()
        link = LINK.format(port=broker.port, lost_s=5, folder=folder / "house" / "link-T1")
        table = ends.enter_context(contextlib.closing(FloodedTable(folder, CalmDevice(folder / LINE), more=link)))
        flood = FloodedLink(broker.port, bulletin.down_topic("main", "T1"))
        hold(table, flood, full, INTRUDER, FLOODED_LINK)
