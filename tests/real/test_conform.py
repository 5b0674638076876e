"""A maker's ends, and the tool that tells him whether they are right. A table's end written from the page alone plays
with the real controller and is judged. The real controller and the emulated shuffler are judged too."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from tests.real.linked import JackpotController
from tests.real.mosquitto import Mosquitto

ROOT = Path(__file__).resolve().parents[2]
STRANGER = Path(__file__).with_name("strangers_table.py")
PATIENCE_S = 240


class Bench:
    def __init__(self, folder: Path) -> None:
        (folder / "house").mkdir()
        self.broker = Mosquitto(folder)
        self.controller = JackpotController(folder / "house", self.broker.port, ("T1",))
        self.keys = folder / "house" / "link-T1"

    def stranger(self, defect: str = "") -> list[str]:
        # -I: Python finds neither this folder nor the firmware, so nothing of the project can be imported.
        return [sys.executable, "-I", str(STRANGER), str(self.broker.port), "main", "T1", str(self.keys), defect]

    def conform(self, end: str, patience_s: float) -> list[str]:
        words = ["jackpot", end, "--port", str(self.broker.port), "--keys", str(self.keys)]
        return [str(ROOT / "tools" / "conform"), *words, "--patience", str(patience_s)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    with contextlib.closing(made.broker), contextlib.closing(made.controller):
        yield made


def done(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=ROOT)


def test_the_strangers_table_knows_nothing_of_the_firmware() -> None:
    assert "felt." not in STRANGER.read_text().replace("hw/", "")
    assert done([sys.executable, "-I", "-c", "import paho.mqtt.client"]).returncode == 0


@pytest.mark.timeout(PATIENCE_S)
def test_a_table_written_from_the_page_alone_plays_a_jackpot_with_the_real_controller(bench: Bench) -> None:
    bench.controller.start()
    played = done(bench.stranger())
    assert played.returncode == 0, played.stderr
    rounds = [json.loads(line) for line in played.stdout.splitlines()]
    assert [round_["round"] for round_ in rounds] == [1, 2]
    assert bench.controller.stop() == 0
    conserved, stakes_minor, wins_minor = bench.controller.books()
    assert conserved
    assert (stakes_minor, wins_minor) == (1_000, rounds[1]["award_minor"])
    assert "ALARM" not in bench.controller.said()


@pytest.mark.timeout(PATIENCE_S)
def test_the_real_controller_passes(bench: Bench) -> None:
    bench.controller.start()
    judged = done(bench.conform("controller", 20))
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "WRONG" not in judged.stdout
    assert judged.stdout.endswith(" 0 wrong\n")


@pytest.mark.timeout(PATIENCE_S)
@pytest.mark.parametrize(
    ("defect", "said"),
    [
        ("", ""),
        ("forgets", "WRONG  the same letter again, though it was not answered, did not come in time"),
        ("repeats_numbers", "WRONG  its numbers rise"),
        ("loose", "WRONG  letter 1, RoundLocked, can be taken"),
        ("wrong_sums", "WRONG  the sums of round 1 agree"),
    ],
)
def test_a_strangers_table_is_judged(bench: Bench, defect: str, said: str) -> None:
    with subprocess.Popen(bench.stranger(defect), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as stranger:
        try:
            judged = done(bench.conform("table", 12))
        finally:
            stranger.kill()
    assert said in judged.stdout, judged.stdout + judged.stderr
    assert judged.returncode == (1 if defect else 0), judged.stdout + judged.stderr
    assert ("WRONG" in judged.stdout) == bool(defect)


@pytest.mark.timeout(PATIENCE_S)
def test_the_emulated_shuffler_passes_and_a_line_without_a_device_does_not() -> None:
    shuffler = PtyShuffler(ShufflerDevice(random.Random(3)))
    with contextlib.closing(shuffler):
        shuffler.plug()
        judged = done([str(ROOT / "tools" / "conform"), "shuffler", "--url", str(shuffler.path)])
        assert judged.returncode == 0, judged.stdout + judged.stderr
    judged = done([str(ROOT / "tools" / "conform"), "shuffler", "--url", "/nowhere", "--patience", "2"])
    assert judged.returncode == 1
    assert "WRONG  HELLO of the device" in judged.stdout
