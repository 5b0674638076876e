"""The claims of SECURITY.md about the desk, on a real table: no port is open, mad consoles change no result, a changed
configuration is not played, and secrets are in no file but their own."""

from __future__ import annotations

import contextlib
import json
import os
import random
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.commands.console_archive import DiskArchive
from felt.config import load
from felt.config.people import ListedPerson, Role, digest_of, read_people, write_people
from felt.nouns.cards import DECK, Card
from tests.real.console_house import PINS, House, ask_desk, list_people
from tests.real.linked import JackpotController, LinkedDriver, felt
from tests.real.mad_clients import madness
from tests.real.mosquitto import Mosquitto

LISTENING = "0A"
SHORTEST_KEY = 32  # characters


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="felt-security-") as name:
        list_people(Path(name), PINS)
        yield Path(name)


@pytest.fixture
def house(folder: Path) -> Iterator[House]:
    with contextlib.closing(House(folder)) as built:
        yield built


# --- the network ---------------------------------------------------------------------------------------------


def listening_ports(pid: int) -> list[str]:
    """Every port of a process that somebody elsewhere could connect to, or send to."""
    links = Path(f"/proc/{pid}/fd")
    inodes = {os.readlink(link).partition("[")[2].rstrip("]") for link in links.iterdir() if link.is_symlink()}
    found = []
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for row in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]:
            parts = row.split()
            if parts[9] in inodes and (kind.startswith("udp") or parts[3] == LISTENING):
                found.append(f"{kind} {parts[1]}")
    return found


def test_a_table_of_its_own_listens_on_no_network_port_and_its_files_are_its_own(house: House) -> None:
    house.open()
    house.play_a_round(1)
    assert listening_ports(house.table.pid) == []
    assert stat.S_IMODE((house.folder / "desk").stat().st_mode) == 0o660
    for private in ("journal", "desk.state"):
        assert stat.S_IMODE((house.folder / private).stat().st_mode) == 0o700
        for file in (house.folder / private).iterdir():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_a_desk_that_cannot_be_opened_is_said_in_one_sentence_before_anything_is_played(folder: Path) -> None:
    file = folder / "table.toml"
    file.write_text('[desk]\nsocket = "nowhere/desk"\n')
    done = felt("run", "--config", file)
    assert done.returncode == 1
    (sentence,) = [line for line in done.stderr.splitlines() if "desk" in line]
    assert sentence.startswith(f"felt run: F-501: desk.socket: {folder}/nowhere/desk cannot be made a socket")
    assert "name a file in an existing folder that you own" in sentence
    assert "Traceback" not in done.stderr


# --- mad clients ---------------------------------------------------------------------------------------------


def told(folder: Path) -> list[str]:
    """The round as a supervisor sees it: bets, cards, verdicts and money. Times, and keys that were pressed twice,
    differ between evenings."""
    lines = list(DiskArchive(load(folder / "table.toml")).round(1, "supervisor"))
    assert [line for line in lines if "dealer" in line]
    return [line for line in lines if "UTC" not in line and " refused: " not in line]


@pytest.mark.timeout(240)
def test_a_round_among_mad_consoles_is_settled_as_the_same_round_in_peace(folder: Path) -> None:
    deck = random.Random(5).sample(DECK, len(DECK))
    results = []
    for name, is_mad in (("peace", False), ("mad", True)):
        place = folder / name
        place.mkdir()
        list_people(place, PINS)
        with contextlib.closing(House(place, [[Card(card) for card in deck]])) as house, contextlib.ExitStack() as end:
            house.open()
            if is_mad:
                troubles = end.enter_context(madness(place))
            phases: list[str] = []

            def meanwhile(phase: str, house: House = house, phases: list[str] = phases, is_mad: bool = is_mad) -> None:
                phases.append(phase)
                if is_mad:
                    _wait_for_noise(house)

            house.play_a_round(1, 2, meanwhile=meanwhile)
            assert phases == ["BETTING", "DEALING", "DECIDING", "REVEALING", "PAYING"]
            if is_mad:
                assert troubles == []
            assert house.table.stop()[0] == 0
        journal = b"".join(path.read_bytes() for path in (place / "journal").iterdir() if path.is_file())
        assert b"FaultRaised" not in journal
        assert b"StepFailed" not in journal
        results.append(told(place))
    guessed = [line for line in results[1] if "Wrong PINs for Sam" in line]
    assert len(guessed) == 1, "who guessed was told of at the table"
    assert results[0] == [line for line in results[1] if line not in guessed]


def _wait_for_noise(house: House) -> None:
    """Wait until the mad clients have been busy for a while in this phase. The table is heard meanwhile."""
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        house.hear()


# --- the configuration ---------------------------------------------------------------------------------------


def test_a_changed_configuration_is_not_played_before_a_supervisor_accepts_it(house: House) -> None:
    house.open()
    house.order("TableClosed")
    house.phase_is("CLOSED")
    house.table.stop()
    house.file.write_text(house.file.read_text() + "[desk]\nidle_s = 3600\n")  # any value at all
    house.where = {}
    house.start()
    house.until(lambda: house.where.get("service") == "OUT_OF_SERVICE")
    digest = load(house.file).digest[:16]
    tess = house.typist()
    tess.sign_in("Tess", PINS["Tess"])
    assert f"F-503 {digest}" in tess.do("faults")
    assert digest in tess.do("versions")
    tess.send(b"clear F-503\n")
    while "done?" in tess.wait_for("done\\?.* $|> $"):
        tess.send(b"\n")
    assert "F-503" in tess.do("faults"), "who may change the file may not accept it"
    sam = house.typist()
    sam.sign_in("Sam", PINS["Sam"])
    sam.send(b"clear F-503\n")
    while "done?" in (shown := sam.wait_for("done\\?.* $|> $")):
        sam.send(b"\n")
    assert f"F-503 {digest} is cleared." in shown
    assert "The table is in service." in sam.do("back-in-service")
    house.table.stop()
    records = [line for path in sorted((house.folder / "journal").glob("*")) for line in _lines(path)]
    assert any("FaultRaised" in line and "F-503" in line for line in records)
    assert any("FaultCleared" in line and '"person":"Sam"' in line for line in records)
    house.where = {}
    house.start()
    assert "F-503" not in json.dumps(ask_desk(house.folder, "faults"))


def test_a_person_added_to_a_running_table_is_named_until_a_supervisor_accepts_it(house: House) -> None:
    named = "F-504 Mia added as shift_manager"
    assert "F-504" not in json.dumps(ask_desk(house.folder, "faults")), "the table was born with its people"
    people = read_people(house.folder / "people.toml")
    write_people(house.folder / "people.toml", {**people, "Mia": ListedPerson(Role.SHIFT_MANAGER, digest_of("6666"))})
    mia = house.typist()
    mia.sign_in("Mia", "6666")
    assert named in mia.do("faults")
    house.table.stop()
    house.where = {}
    house.start()
    sam = house.typist()
    sam.sign_in("Sam", PINS["Sam"])
    assert named in sam.do("faults")
    sam.send(b"clear F-504\n")
    while "done?" in (shown := sam.wait_for("done\\?.* $|> $")):
        sam.send(b"\n")
    assert f"{named} is cleared." in shown
    house.table.stop()
    house.where = {}
    house.start()
    assert "F-504" not in json.dumps(ask_desk(house.folder, "faults"))


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.is_file() else []


# --- secrets -------------------------------------------------------------------------------------------------

SECRET = {"Tess": "73918264", "Sam": "50281937", "Shu": "61940285"}
GUESSED, CODE = "84017263", "132132"


def test_an_evening_s_secrets_are_in_no_file_but_their_own(folder: Path) -> None:
    list_people(folder, SECRET)
    with contextlib.closing(House(folder, more=f'[dealers]\nKim = "{CODE}"\n')) as house:
        screens = [_evening_at_the_consoles(house)]
        house.table.stop()
    screens += [
        felt(*words, "--config", folder / "table.toml").stdout for words in (("replay",), ("console", "people"))
    ]
    secrets = [*SECRET.values(), GUESSED, CODE, "scrypt$"]
    kept = {"people.toml": "scrypt$", "table.toml": CODE}
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {"journal", "desk.state"} <= {file.parent.name for file in files}
    for secret in secrets:
        for file in files:
            if kept.get(file.name) != secret:
                assert secret.encode() not in file.read_bytes(), f"{secret} is in {file}"
        for screen in screens:
            assert secret not in screen
    assert stat.S_IMODE((folder / "people.toml").stat().st_mode) == 0o600


def _evening_at_the_consoles(house: House) -> str:
    """Somebody signs in, another guesses wrong, two sign together, a PIN is typed as a name, and everything is
    exported."""
    sam = house.typist(terminal="vt100")
    shown = sam.wait_for("name: $")
    right = SECRET["Sam"]
    for name, pin, then in (("Sam", GUESSED, "name: $"), (right, right, "name: $"), ("Sam", right, "Sam> $")):
        sam.send(f"{name}\n".encode())
        sam.wait_for("PIN: $")  # a name is echoed as it is typed, whatever it is
        sam.send(f"{pin}\n".encode())
        shown += sam.wait_for(then)
    sam.send(b"adjust major display -5000 malfunction the seed was entered twice\n")
    sam.wait_for("Type yes: $")
    sam.send(b"yes\n")
    sam.wait_for("second person: $")
    sam.send(b"Shu\n")
    sam.wait_for("PIN: $")
    sam.send(f"{SECRET['Shu']}\n".encode())
    shown += sam.wait_for("is adjusted and written down.(.*\n)*.*> $")
    for digit in CODE:
        house.press(f"seat_{digit}")
    for command in ("journal export 1000", "journal tail 200", "config", "versions", "status", "panel", "rounds"):
        shown += sam.do(command)
    assert "MeterAdjusted" in shown
    assert "SignInNoted" in shown
    return shown


@pytest.mark.timeout(240)
def test_a_link_s_keys_are_in_no_other_file_and_its_controller_listens_on_this_host_alone() -> None:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-link-")))
        for name in ("house", "table"):
            (folder / name).mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        keys = folder / "house" / "link-T1"
        driver = LinkedDriver(folder / "table", 7, broker.port, keys, 30)
        ends.enter_context(contextlib.closing(driver))
        controller.start()
        ports = listening_ports(controller.process.pid)
        assert [port.split(":")[0] for port in ports] == ["tcp 0100007F"], ports  # 127.0.0.1, for the metrics
        driver.sit_down()
        driver.play_until(lambda: driver.tally.count("RoundEnded") >= 1, "a round over the link")
        assert listening_ports(driver.pid) == []
        driver.play_until(lambda: driver.tally.where["phase"] == "IDLE", "it ends")
        driver.get_up()
        controller.stop()
        secrets = [
            word.encode()
            for file in keys.iterdir()
            for word in file.read_text().replace('"', " ").split()
            if len(word) >= SHORTEST_KEY and word.isalnum()
        ]
        assert secrets
        for file in folder.rglob("*"):
            if file.is_file() and file.suffix not in (".keys", ".key"):
                assert not [secret for secret in secrets if secret in file.read_bytes()], f"a key is in {file}"
