"""A second jackpot controller on one SQLite ledger, by mistake: it is refused in one sentence and changes nothing, and
the first goes on. No broker is needed for that."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.config.jackpot_file import load_jackpot
from felt.jackpot.books.terms import TermsError
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.wiring import jackpot_controller
from felt.wiring.jackpot_controller import open_office
from tests.real.linked import JackpotController, felt
from tests.real.mosquitto import free_port

ADJUST = '{"meter": "major", "purse": "display", "amount_micro": 5000000, "type": "adjusted"}'
PERSONS = ("--person", "Ann:supervisor", "--person", "Bob:shift_manager", "--reason", "a count by hand")


@pytest.fixture
def controller(tmp_path: Path) -> Iterator[JackpotController]:
    with contextlib.closing(JackpotController(tmp_path, free_port(), ("T1",))) as made:
        change(made.file, "metrics_port = 0", f"metrics_port = {free_port()}")
        yield made


def change(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


def beside(controller: JackpotController, *, other_port: bool) -> Path:
    """A file for the same ledger with a control socket of its own."""
    file = controller.folder / "second.toml"
    file.write_text(controller.file.read_text())
    change(file, "[controller]", '[controller]\ncontrol = "second-control"')
    if other_port:
        change(file, "metrics_port = ", "metrics_port = 0 # ")
    return file


def epoch(ledger: Path) -> int:
    """The epoch of the controller that opened it last."""
    with contextlib.closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as opened:
        return int(opened.execute("SELECT epoch FROM generation").fetchone()[0])


def refusal(file: Path) -> str:
    refused = felt("jackpot", "--config", file)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
    return refused.stderr


def check_that_it_acts(controller: JackpotController) -> None:
    done = felt("jackpot", "act", "AdjustMeter", "--fields", ADJUST, *PERSONS, "--yes", "--config", controller.file)
    assert done.returncode == 0, done.stderr
    assert not controller.status()["connected"]
    assert controller.stop() == 0
    assert controller.books()[0]


@pytest.mark.timeout(120)
def test_the_same_command_typed_again_is_refused_and_takes_nothing_from_the_running_one(
    controller: JackpotController,
) -> None:
    controller.start()
    before = epoch(controller.ledger)
    assert "another controller listens there" in refusal(controller.file)
    assert epoch(controller.ledger) == before
    check_that_it_acts(controller)


@pytest.mark.timeout(120)
def test_one_whose_metrics_port_is_taken_changes_nothing_and_leaves_no_socket(controller: JackpotController) -> None:
    controller.start()
    before = epoch(controller.ledger)
    assert "cannot be had for metrics" in refusal(beside(controller, other_port=False))
    assert epoch(controller.ledger) == before
    assert not (controller.folder / "second-control").exists()
    check_that_it_acts(controller)


@pytest.mark.timeout(120)
def test_a_second_controller_with_its_own_socket_and_port_is_refused_while_the_first_has_the_ledger(
    controller: JackpotController,
) -> None:
    controller.start()
    before = epoch(controller.ledger)
    second = beside(controller, other_port=True)
    assert f"Another controller has the jackpot ledger {controller.ledger} open: stop it first." in refusal(second)
    assert epoch(controller.ledger) == before
    assert not (controller.folder / "second-control").exists()
    check_that_it_acts(controller)


@pytest.mark.timeout(120)
def test_a_killed_controller_keeps_nobody_out(controller: JackpotController) -> None:
    controller.start()
    controller.kill()
    controller.start()
    check_that_it_acts(controller)


@pytest.mark.timeout(120)
def test_reports_and_backups_are_made_beside_the_controller_that_has_the_file(controller: JackpotController) -> None:
    controller.start()
    report = felt("jackpot", "report", "--day", "--json", "--config", controller.file)
    assert report.returncode == 0, report.stderr
    assert json.loads(report.stdout)["adds_up"]
    backup = felt("jackpot", "backup", controller.folder / "backup", "--config", controller.file)
    assert backup.returncode == 0, backup.stderr
    check_that_it_acts(controller)


def test_a_ledger_that_is_refused_leaves_nothing_open(controller: JackpotController) -> None:
    open_office(load_jackpot(controller.file)).close()
    change(controller.file, "[meters.major]", "[meters.minor]")
    for _ in range(2):  # the port and the ledger are free again
        with pytest.raises((LedgerError, TermsError), match="major"):
            jackpot_controller.JackpotController(load_jackpot(controller.file))
        assert not (controller.folder / "control").exists()
    with contextlib.closing(SqliteLedger(controller.ledger, alone=True)):
        pass
