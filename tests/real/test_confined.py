"""The firmware makes no call that its units forbid: real processes run under the filters that systemd would make of
them. A forbidden call would end them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.confined import confined_python
from tests.real.driver import Driver
from tests.real.linked import JackpotController, LinkedDriver, environment
from tests.real.mosquitto import Mosquitto

SEED = 5
LOST_S = 5
PATIENCE_S = 60.0
TABLE = ("felt.service",)
LINKED = ("felt.service", "drop-ins/linked.conf")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: the name of a socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="felt-unit-") as name:
        yield Path(name)


def run(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        env=environment(), cwd=python.parent,
    )  # fmt: skip


@pytest.mark.parametrize(
    "forbidden",
    [
        "import os; os.setpriority(os.PRIO_PROCESS, 0, 5)",
        "import os; os.chroot('/')",
        "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
        "import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
    ],
)
def test_the_filter_ends_what_a_unit_forbids(forbidden: str, folder: Path) -> None:
    assert run(confined_python(folder / "python", *TABLE), "-c", forbidden).returncode == -signal.SIGSYS


def test_a_table_of_its_own_cannot_even_ask_for_a_network(folder: Path) -> None:
    ask = "import socket; socket.socket(socket.AF_UNIX); socket.socket(socket.AF_INET)"
    told = run(confined_python(folder / "python", *TABLE), "-c", ask)
    assert "Address family not supported" in told.stderr
    assert run(confined_python(folder / "linked", *LINKED), "-c", ask).returncode == 0


def test_a_table_may_sign_as_its_unit_allows(folder: Path) -> None:
    """The package in C maps no memory that is both writable and executable."""
    sign = "from felt.evidence.signing import key_of_seed; print(key_of_seed(bytes(32)).sign(b'').hex())"
    told = run(confined_python(folder / "python", *TABLE), "-c", sign)
    assert (told.returncode, len(told.stdout)) == (0, 129), told.stderr


def test_a_linked_table_in_the_unit_of_an_unlinked_one_is_told_what_is_missing(folder: Path) -> None:
    controller = JackpotController(folder, 1, ("T1",))
    file = folder / "table.toml"
    file.write_text(f'[link]\nkind = "mqtt"\nfolder = "{folder / "link-T1"}"\n')
    words = ("-m", "felt.cli", "check", "--config", str(file))
    alone = run(confined_python(folder / "python", *TABLE), *words)
    assert (alone.returncode, "linked.conf" in alone.stderr) == (0, True)
    linked = run(confined_python(folder / "linked", *LINKED), *words)
    assert (linked.returncode, "linked.conf" in linked.stderr) == (0, False)
    controller.close()


def test_a_table_plays_rounds_is_audited_and_is_made_safe_as_its_units_allow(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = confined_python(folder / "python", *TABLE)
    with contextlib.closing(Driver(folder, SEED)) as driver:
        file = str(folder / "table.toml")
        assert run(python, "-m", "felt.cli", "check", "--config", file).returncode == 0
        with monkeypatch.context() as confined:
            confined.setattr(sys, "executable", str(python))
            driver.live_until(lambda: driver.tally.count("RoundEnded") >= 2, PATIENCE_S)
    assert run(python, "-m", "felt.cli", "safe-outputs", "--config", file).returncode == 0
    auditor = confined_python(folder / "auditor", "felt-audit.service")
    audited = run(auditor, "-m", "felt.cli", "audit", "--config", file)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    console = confined_python(folder / "console", "felt-console@.service")
    people = run(console, "-m", "felt.cli", "console", "people", "--config", file)
    assert people.returncode == 0, people.stderr


def test_a_linked_table_and_its_controller_play_as_their_units_allow(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "house").mkdir()
    (folder / "table").mkdir()
    with contextlib.ExitStack() as ends:
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        keys = folder / "house" / "link-T1"
        driver = ends.enter_context(
            contextlib.closing(LinkedDriver(folder / "table", SEED, broker.port, keys, LOST_S))
        )
        with monkeypatch.context() as confined:
            confined.setattr(sys, "executable", str(confined_python(folder / "jackpot", "felt-jackpot.service")))
            controller.start()
            confined.setattr(sys, "executable", str(confined_python(folder / "linked", *LINKED)))
            driver.sit_down()
            driver.play_until(lambda: driver.tally.count("RoundEnded") >= 1, "a round", PATIENCE_S)
        os.kill(controller.process.pid, signal.SIGHUP)  # keys are read again
        driver.get_up()
        assert controller.stop() == 0


def test_the_database_driver_needs_no_code_that_was_written_at_run_time(folder: Path) -> None:
    told = run(confined_python(folder / "python", "felt-jackpot.service"), "-c", "import psycopg; psycopg.pq.version()")
    assert told.returncode == 0, told.stderr
