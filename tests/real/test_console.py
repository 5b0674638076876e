"""Technicians and supervisors on real consoles of a real table: they find faults, are locked out, meet a dead
controller and use test mode; and mad clients disturb nobody."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.console_house import PINS, House, ask_desk, list_people
from tests.real.driver import Driver
from tests.real.mad_clients import madness
from tests.real.typist import Typist


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="felt-console-") as name:
        list_people(Path(name), PINS)
        yield Path(name)


@pytest.fixture
def house(folder: Path) -> Iterator[House]:
    with contextlib.closing(House(folder)) as built:
        yield built


def shown_within(typist: Typist, commands: tuple[str, ...], *wanted: str) -> None:
    """Every wanted text is on the screen after at most three commands."""
    assert len(commands) <= 3
    shown = "".join(typist.do(command) for command in commands)
    for text in wanted:
        assert text in " ".join(shown.split()), shown


# --- faults ------------------------------------------------------------------------------------------------


@pytest.mark.timeout(300)
def test_a_technician_at_9600_baud_finds_each_of_ten_planted_faults_in_three_commands(house: House) -> None:
    typist = house.typist(baud=9600)
    assert "All is well" in typist.sign_in("Tess", PINS["Tess"])
    supervisor = house.typist()
    supervisor.sign_in("Sam", PINS["Sam"])

    # 1: somebody left the door open.
    house.drive("key.door", True)
    _wait_for_alert(house, "F-107")
    shown_within(typist, ("status", "faults F-107"), "F-107 door", "Close the door.")
    house.drive("key.door", False)
    assert "F-107" not in _cleared(typist, "F-107")

    # 2: a chip was left on a spot, or its contact sticks.
    house.drive("2.progressive", True)
    house.until(lambda: "covered" in supervisor.do("spots 2"))
    supervisor.do("open")
    shown_within(typist, ("status", "spots 2"), "F-104 2.progressive", "covered", "OUT OF PROGRESSIVE PLAY")
    house.drive("2.progressive", False)
    supervisor.do("close")

    # 3: a loose contact.
    house.chatter("3.progressive")
    _wait_for_alert(house, "F-101")
    shown_within(typist, ("status", "faults F-101"), "F-101 3.progressive", "Clean or replace the sensor")

    # 4: the shuffler's cable.
    house.shuffler.unplug()
    _wait_for_alert(house, "F-201")
    shown_within(typist, ("status", "shuffler"), "F-201 shuffler", "NOT CONNECTED", "power and its cable")
    house.shuffler.plug()

    # 5: a key with something on it.
    house.drive("key.collect", True)
    _wait_for_alert(house, "F-106")
    shown_within(typist, ("status", "panel"), "F-106 key.collect", "Keys down: key.collect")
    house.drive("key.collect", False)

    # 6: the key switch was forgotten.
    house.drive("key.supervisor", True)
    _wait_for_text(house, "supervisor key is on")
    shown_within(typist, ("status",), "The supervisor key is on.")
    house.drive("key.supervisor", False)

    # 7: somebody took the table out of service.
    supervisor.do("out-of-service wet layout")
    shown_within(typist, ("status",), "OUT OF SERVICE", "by order: Sam: wet layout", "back-in-service")
    supervisor.do("back-in-service")

    # 8: a box was taken out of play and forgotten.
    supervisor.do("seat 1 out")
    shown_within(typist, ("status", "spots 1"), "Out of play: box 1", "BOX OUT OF PLAY")
    supervisor.do("seat 1 in")

    # 9: the controller is dead.
    house.table.kill()
    house.table.close()
    shown_within(typist, ("status", "versions"), "The table controller does not answer", "installed")

    # 10: and its journal's end was torn when it died.
    with (house.folder / "journal" / sorted(os.listdir(house.folder / "journal"))[-1]).open("ab") as torn:
        torn.write(b"torn")
    house.where = {}
    house.start()
    typist.send(b"status\n")
    typist.wait_for("sign in to it.\\nPIN: $")
    typist.send(b"2222\n")
    shown = typist.wait_for("Tess> $") + typist.do("faults")
    assert "F-402" in shown or "torn" in shown, shown


def _desk(house: House, question: str) -> dict[str, Any]:
    return ask_desk(house.folder, question)


def _wait_for_alert(house: House, code: str) -> None:
    house.until(lambda: code in json.dumps(_desk(house, "faults")))


def _wait_for_text(house: House, text: str) -> None:
    house.until(lambda: text in json.dumps(_desk(house, "faults")))


def _cleared(typist: Typist, code: str) -> str:
    typist.send(f"faults clear {code}\n".encode())
    while "done?" in typist.wait_for("done\\?.* $|> $"):
        typist.send(b"\n")
    return typist.do("faults")


# --- people ------------------------------------------------------------------------------------------------


def test_wrong_pins_lock_out_and_a_new_line_does_not_help(house: House) -> None:
    typist = house.typist()
    for _ in range(3):
        typist.wait_for("name: $")
        typist.send(b"Sam\n")
        typist.wait_for("PIN: $")
        typist.send(b"0000\n")
    assert "Too many wrong PINs" in typist.wait_for("wait \\d+ seconds")
    again = house.typist()
    again.wait_for("name: $")
    again.send(b"Sam\n")
    again.wait_for("PIN: $")
    again.send(b"3333\n")
    assert "0000" not in typist.seen
    again.wait_for("Too many wrong PINs: wait \\d+ seconds")
    other = house.typist()
    other.sign_in("Tess", PINS["Tess"])


def test_a_pin_is_never_echoed(house: House) -> None:
    for terminal in ("dumb", "vt100"):
        typist = house.typist(terminal=terminal)
        shown = typist.sign_in("Tess", PINS["Tess"])
        assert PINS["Tess"] not in shown


def test_the_console_is_ready_within_a_second_of_a_keystroke(house: House) -> None:
    typist = house.typist(terminal="vt100")
    typist.wait_for("name: $")
    began = time.monotonic()
    typist.send(b"\n")
    typist.wait_for("name: $")
    assert time.monotonic() - began < 1.0


def test_history_and_completion_work_where_the_terminal_can(house: House) -> None:
    typist = house.typist(terminal="vt100")
    typist.sign_in("Tess", PINS["Tess"])
    typist.send(b"clo\t\t")
    typist.wait_for("clock")
    typist.send(b"\x15cloc\t\n")
    assert "nothing in play is ordered" in typist.wait_for("Tess> $")
    typist.send(b"\x1b[A\n")
    assert "nothing in play is ordered" in typist.wait_for("wall clock\nT1 Tess> $")


def test_a_technician_writes_an_entry_into_the_log_and_may_not_open(house: House) -> None:
    typist = house.typist()
    typist.sign_in("Tess", PINS["Tess"])
    assert "Entered in the log: cabinet, Tess." in typist.do("entry cabinet sensor of box 3 replaced")
    assert "This is for a supervisor" in typist.do("open")
    shown = typist.do("journal tail 3")
    assert "EntryLogged: Tess (L-7) opened or touched cabinet: sensor of box 3 replaced." in " ".join(shown.split())


def test_who_types_nothing_for_long_enough_is_signed_out(house: House) -> None:
    house.file.write_text(house.file.read_text() + "[desk]\nidle_s = 5\n")
    typists = [house.typist(terminal=terminal) for terminal in ("dumb", "vt100")]
    for typist in typists:
        typist.sign_in("Tess", PINS["Tess"])
    for typist in typists:
        typist.wait_for("Signed out for inactivity.")
        typist.wait_for("name: $")


@pytest.mark.parametrize(("terminal", "length"), [("dumb", 1_000_000), ("vt100", 30_000)])
def test_a_line_that_no_person_types_is_refused_and_the_next_one_is_read(
    house: House, terminal: str, length: int
) -> None:
    typist = house.typist(terminal=terminal)
    typist.sign_in("Tess", PINS["Tess"])
    typist.pour(b"x" * length + b"\n")
    typist.wait_for("too long to be a command.\n.*> $")
    assert "nothing in play is ordered" in typist.do("clock")


def test_control_characters_reach_neither_the_grammar_nor_the_journal(house: House) -> None:
    typist = house.typist()
    typist.sign_in("Tess", PINS["Tess"])
    typist.send(b"out-of-service a\x01b \x1b[2J smoke\xff\xfe\n")
    typist.wait_for("out of service.\n.*> $")
    assert _desk(house, "status")["waiting"][0].isprintable()
    typist.send(b"clock\x03\n")  # Ctrl-C drops the line
    assert "T1 Tess>" in typist.do("status")


# --- test mode ---------------------------------------------------------------------------------------------


def test_test_mode_walks_lamps_hears_keys_and_restores_what_was(house: House) -> None:
    typist = house.typist()
    typist.sign_in("Tess", PINS["Tess"])
    assert "close the table, then test-mode on" in typist.do("lamps walk")
    before = _desk(house, "lamps"), _desk(house, "meters")
    assert "*** TEST MODE ***" in typist.do("test-mode on")
    typist.send(b"lamps test 1.progressive\n")
    typist.wait_for("Enter darkens it. $")
    house.until(lambda: house.lamps.get("1.progressive") == "on" and house.lamps.get("2.progressive") != "on")
    typist.send(b"\n")
    typist.wait_for("> $")
    typist.send(b"keys test\n")
    typist.wait_for("Enter ends.")
    house.press("reveal")
    typist.wait_for("key.reveal: up")
    typist.send(b"\n")
    assert "key.reveal" not in typist.wait_for("Not pressed, or not detected: .*\\n(.*\\n)*.*> $")
    typist.send(b"calibrate 3\n")
    for way in ("cover it", "uncover it") * 2:
        typist.wait_for(f": {way}\n")
        house.drive("3.progressive", way == "cover it")
    assert "Every spot follows." in typist.wait_for("calibrate.\n.*> $")
    assert "as it was before" in typist.do("test-mode off")
    assert (_desk(house, "lamps"), _desk(house, "meters")) == before


# --- without a controller ----------------------------------------------------------------------------------


def test_a_dead_controller_leaves_reading_and_says_so(house: House) -> None:
    house.table.stop()
    typist = house.typist()
    typist.wait_for("name: $")
    typist.send(b"Tess\n")
    typist.wait_for("PIN: $")
    typist.send(b"2222\n")
    assert "read what is on the disk, but change nothing" in " ".join(typist.wait_for("NO CONTROLLER> $").split())
    assert "EraClosed" in typist.do("journal tail 3")
    exported = typist.do("journal export 3").replace("\n", "")
    assert '"kind":"EraClosed"' in exported
    assert '"chain":' not in exported, "a chain value tells cards to who may not see them"
    assert "[table]" in typist.do("config")
    assert "digest" in typist.do("versions")
    assert "does not answer" in typist.do("open")
    assert "Close the door" in typist.do("faults F-107")


def test_a_broken_table_file_is_the_first_thing_that_is_said(house: House) -> None:
    house.file.write_text("[table]\nseats = 99\n")
    typist = house.typist()
    shown = typist.wait_for("felt check --config")
    assert "F-501" in shown
    assert "table.seats" in shown


# --- mad clients -------------------------------------------------------------------------------------------


@pytest.mark.timeout(240)
def test_mad_clients_never_disturb_a_round_in_play(folder: Path) -> None:
    with contextlib.closing(Driver(folder, 7)) as driver:
        with madness(folder) as troubles:
            driver.live_until(lambda: driver.tally.count("RoundEnded") >= 3, 120)
        assert troubles == []
        assert not [said for said in driver.tally.refusals if "cannot keep up" in said]
    driver.tally.check()
    journal = b"".join(path.read_bytes() for path in (folder / "journal").iterdir() if path.is_file())
    assert b"FaultRaised" not in journal
    assert b"StepFailed" not in journal
