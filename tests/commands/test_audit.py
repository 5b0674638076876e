"""`felt audit` and `felt safe-outputs`: what a box does for itself at night, and after a controller that died."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockPin

from felt.cli import main
from felt.config import BoardProfile, load
from felt.config.boards import Active
from felt.config.settings import BoardKind
from felt.drivers.board import GpioBoard
from felt.evidence.audit_result import Verdict
from felt.nouns.values import replace
from felt.ports import BoardUnavailable
from felt.stories.evening import Evening
from felt.wiring import devices
from felt.wiring.audit_folders import audit_folder, last_audit_of
from felt.wiring.devices import make_safe

EXPANDER = ["board.kind=mock", "board.profile=seven-seat-expander", 'board.sensed=["progressive"]']


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    """Of a table that has played for a while."""
    evening = Evening()
    evening.order("TableOpened", person="Ann")
    evening.press("open")
    evening.order("VoidOrdered", person="Ann", reason="a test")
    evening.press("settle")
    (tmp_path / "journal").mkdir()
    for name in evening.disk.names():
        (tmp_path / "journal" / name).write_bytes(evening.disk.read(name))
    (tmp_path / "table.toml").touch()
    return tmp_path / "table.toml"


def test_a_good_journal_is_told_to_the_log_and_to_the_table(
    table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = load(table_file)
    assert last_audit_of(config)() is None, "where nobody audits, nobody misses it"
    assert main(["audit", "--config", str(table_file)]) == 0
    assert "felt audit: good: " in capsys.readouterr().out
    assert stat.S_IMODE(audit_folder(config).stat().st_mode) == 0o700
    left = last_audit_of(config)()
    assert left is not None
    assert left.verdict is Verdict.GOOD


def test_an_audit_writes_nothing_in_the_journal_and_needs_no_lock(table_file: Path) -> None:
    config = load(table_file)
    folder = config.path(config.journal.folder)
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}
    assert main(["audit", "--config", str(table_file)]) == 0
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()} == before


def test_one_changed_byte_is_told_with_its_place(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = load(table_file)
    segment = config.path(config.journal.folder) / "journal-00000001.felt"
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 4
    segment.write_bytes(content)
    assert main(["audit", "--config", str(table_file), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "bad"
    assert segment.name in told["sentence"]
    left = last_audit_of(config)()
    assert left is not None
    assert (left.verdict, left.sentence) == (Verdict.BAD, told["sentence"])


def test_a_journal_that_is_not_there_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.touch()
    assert main(["audit", "--config", str(file)]) == 3
    assert "F-409, not done" in capsys.readouterr().out


# --- outputs ---------------------------------------------------------------------------------------------


def test_every_output_is_driven_to_its_safe_level_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = load(None, EXPANDER).profile
    assert profile is not None
    low = replace(profile.output[0], active=Active.LOW)
    profile = replace(profile, output=(low, *profile.output[1:]))
    driven: dict[str, MockPin] = {}
    really = devices.gpio_board

    def remembered(kind: BoardKind, alone: BoardProfile) -> GpioBoard:
        board, (line,) = really(kind, alone), alone.output
        driven[line.name] = board.chips[line.chip].pin(line.line)
        return board

    monkeypatch.setattr(devices, "gpio_board", remembered)
    assert make_safe(BoardKind.MOCK, profile) == []
    assert {name: pin.states[-1].state for name, pin in driven.items()} == {
        line.name: line is low for line in profile.output
    }


def test_a_chip_that_is_gone_does_not_keep_the_other_lamps_lit(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = load(None, EXPANDER).profile
    assert profile is not None
    gone, *others = dict.fromkeys(line.chip for line in profile.output)
    reached: list[str] = []

    really = devices.gpio_board

    def reach(kind: BoardKind, alone: BoardProfile) -> GpioBoard:
        (chip,) = alone.chips()
        if chip == gone:
            raise BoardUnavailable(f"the chip {gone} is not found")
        reached.append(chip)
        return really(kind, alone)

    monkeypatch.setattr(devices, "gpio_board", reach)
    assert make_safe(BoardKind.MOCK, profile) == [f"the chip {gone} is not found"]
    assert len(reached) == sum(line.chip in others for line in profile.output)


def test_without_pins_it_says_so_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for override in EXPANDER[1:] for word in ("--set", override)]
    real = ["--set", "board.kind=gpiochip", "--set", "shuffler.url=/dev/felt-shuffler"]
    assert main(["safe-outputs", *words, *real]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said
    assert all(line.startswith("felt safe-outputs: ") for line in said)
    assert len(said) <= 2, "one for each chip"


def test_a_virtual_board_has_nothing_to_make_safe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["safe-outputs"]) == 0
    assert "nothing to do" in capsys.readouterr().err


def test_without_a_table_file_it_is_wrong_use_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["audit"]) == 2
    assert capsys.readouterr().err == "felt audit: no table file: name it with --config FILE\n"
    assert list(tmp_path.iterdir()) == []
