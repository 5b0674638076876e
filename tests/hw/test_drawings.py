"""The drawings, pin tables and config.txt lines are what the profiles say."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from felt.config.boards import BoardProfile, InputLine, OutputLine, load_profile

ROOT = Path(__file__).resolve().parents[2]
HW = ROOT / "hw"
NAMES = sorted(path.stem for path in (HW / "boards").glob("*.toml"))


def profile_of(name: str) -> BoardProfile:
    return load_profile(HW / "boards" / f"{name}.toml")


def wires_of(profile: BoardProfile) -> tuple[InputLine | OutputLine, ...]:
    return (*profile.input, *profile.output)


def test_everything_drawn_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "draw_wiring"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "hw/ is up to date\n")


def test_a_profile_of_ones_own_is_drawn_beside_it(tmp_path: Path) -> None:
    text = (HW / "boards" / "three-seat-header.toml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace("pinctrl-bcm2711", "pinctrl-rp1"), encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "draw_wiring"), str(mine)]
    assert subprocess.run(command, check=False).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"mine.toml", "mine.svg", "mine.txt", "mine.config.txt"}
    assert "pinctrl-rp1" in (tmp_path / "mine.txt").read_text(encoding="utf-8")
    mine.write_text("name = 7\n", encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"draw_wiring: {mine}")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_shows_every_wire_with_its_plug_and_its_colour_in_words(name: str) -> None:
    tree = ElementTree.parse(HW / "wiring" / f"{name}.svg")
    words = Counter(element.text for element in tree.iter("{http://www.w3.org/2000/svg}text"))
    profile = profile_of(name)
    for line in wires_of(profile):
        assert words[line.connector] == 1
        assert words[line.colour] >= 2
    for element in tree.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 <= float(element.get("x", "-1")) <= 1700


@pytest.mark.parametrize("name", NAMES)
def test_a_pin_table_has_one_row_a_wire(name: str) -> None:
    profile = profile_of(name)
    rows = (HW / "wiring" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for line in wires_of(profile):
        (row,) = (row for row in rows if row.startswith(f"{line.connector} "))
        assert line.colour in row
        assert line.name in row


@pytest.mark.parametrize("name", NAMES)
def test_no_two_wires_of_a_plug_have_one_pin_or_one_colour(name: str) -> None:
    wires = wires_of(profile_of(name))
    assert max(Counter(wire.connector for wire in wires).values()) == 1
    assert max(Counter((wire.connector.partition("-")[0], wire.colour) for wire in wires).values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_line_of_the_header_is_safe_from_power_on(name: str) -> None:
    profile = profile_of(name)
    written = (HW / "config" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    states = {
        int(line): state
        for row in written
        if row.startswith("gpio=")
        for line in row.split("=")[1].split(",")
        for state in [row.split("=")[2]]
    }
    on_header = {line.line: "ip,pu" for line in profile.input if line.chip.startswith("pinctrl")}
    on_header |= {line.line: "op,dl" for line in profile.output if line.chip.startswith("pinctrl")}
    interrupts = [expander.interrupt_line for expander in profile.expander]
    on_header |= {line: "ip,pu" for line in interrupts if line is not None}
    assert states == on_header
    for expander in profile.expander:
        calls = "noints" if expander.interrupt_line is None else f"gpiopin={expander.interrupt_line}"
        assert f"dtoverlay=mcp23017,addr=0x{expander.address:02x},{calls}" in written


def test_each_feedback_is_drawn_and_listed_and_has_no_plug() -> None:
    profile = profile_of("seven-seat-feedback")
    assert len(profile.feedbacks()) == 7
    drawn = (HW / "wiring" / "seven-seat-feedback.svg").read_text(encoding="utf-8")
    listed = (HW / "wiring" / "seven-seat-feedback.txt").read_text(encoding="utf-8")
    for lamp, line in profile.feedbacks().items():
        assert f"current of lamp {lamp}<" in drawn
        (row,) = (row for row in listed.splitlines() if f"current of lamp {lamp} " in row)
        assert row.split()[4:] == ["0x22", f"GPA{line.line}", line.chip, str(line.line), "up", "low", "[", "]"]
