"""What systemd itself says about the units, and about the users, folders and limits that come with them."""

from __future__ import annotations

import configparser
import os
import pwd
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
MISSING = "{} is missing: run tools/test where it may install packages, or 'sudo apt install systemd'"
PROGRAM = "/opt/felt/bin/felt"
DAEMONS = ("felt", "felt-jackpot", "felt-screens", "felt-audit")
EXPOSURE_MAX = 2.0
TESTED_IN = 60  # seconds


def systemd(program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    if shutil.which(program) is None:
        pytest.fail(MISSING.format(program))
    return subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, timeout=TESTED_IN, check=False,
        env={**os.environ, "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "cat", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip


def installed(folder: Path, *, linked: bool = False) -> list[Path]:
    """The units as on a box. Their program is not installed where tests run, so another program takes its place."""
    copies = []
    for unit in sorted([*SYSTEMD.glob("*.service"), *SYSTEMD.glob("*.timer")]):
        copy = folder / unit.name.replace("@", "@ttyAMA0")
        copy.write_text(unit.read_text().replace(PROGRAM, "/bin/true"))
        copies.append(copy)
    if linked:
        (folder / "felt.service.d").mkdir()
        shutil.copy(SYSTEMD / "drop-ins" / "linked.conf", folder / "felt.service.d")
    return copies


def exposure(unit: Path) -> float:
    told = systemd("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", unit)
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", told.stdout)
    assert found, told.stdout + told.stderr
    assert (told.returncode == 0) == (float(found[1]) <= EXPOSURE_MAX)
    return float(found[1])


def settings(unit: str) -> dict[str, list[str]]:
    """Every key of the [Service] section with its values in order."""
    text = (SYSTEMD / unit).read_text().partition("[Service]\n")[2]
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            break
        key, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("linked", [False, True])
def test_systemd_finds_nothing_wrong_with_the_units(linked: bool, tmp_path: Path) -> None:
    copies = installed(tmp_path, linked=linked)
    assert {copy.name for copy in copies} >= {*(f"{name}.service" for name in DAEMONS), "felt-audit.timer"}
    verified = systemd("systemd-analyze", "verify", "--man=no", *copies)
    own = [line for line in (verified.stdout + verified.stderr).splitlines() if str(tmp_path) in line or "felt" in line]
    assert own == []
    assert verified.returncode == 0, verified.stderr


def test_verifying_finds_a_key_that_systemd_does_not_know(tmp_path: Path) -> None:
    unit = tmp_path / "felt.service"
    unit.write_text((SYSTEMD / "felt.service").read_text().replace(PROGRAM, "/bin/true").replace("UMask=", "UMusk="))
    verified = systemd("systemd-analyze", "verify", "--man=no", unit)
    assert "UMusk" in verified.stderr


@pytest.mark.parametrize("name", [*DAEMONS, "felt-console@"])
def test_each_daemon_is_exposed_at_most_two_of_ten(name: str) -> None:
    assert exposure(SYSTEMD / f"{name}.service") <= EXPOSURE_MAX


def test_a_linked_table_is_exposed_at_most_two_of_ten(tmp_path: Path) -> None:
    installed(tmp_path, linked=True)
    alone, linked = exposure(SYSTEMD / "felt.service"), exposure(tmp_path / "felt.service")
    assert alone < linked <= EXPOSURE_MAX


def test_the_operators_page_tells_the_exposure_that_is_measured(tmp_path: Path) -> None:
    """By the systemd that the page names; another one may count differently."""
    if "systemd 252" not in systemd("systemd-analyze", "--version").stdout:
        return
    page = (SYSTEMD.parent / "firmware" / "SERVICE.md").read_text()
    installed(tmp_path, linked=True)
    for name in DAEMONS:
        (row,) = [line for line in page.splitlines() if line.startswith("|") and f"`{name}.service`" in line]
        assert f" {exposure(SYSTEMD / f'{name}.service')} " in row
    assert f"(linked: {exposure(tmp_path / 'felt.service')})" in page


@pytest.mark.parametrize("name", [*DAEMONS, "felt-console@"])
def test_no_image_of_a_memory_with_cards_and_keys_is_left_behind(name: str) -> None:
    said = settings(f"{name}.service")
    assert (said["LimitCORE"], said["UMask"], said["NoNewPrivileges"]) == (["0"], ["0077"], ["yes"])


@pytest.mark.parametrize("name", ["felt", "felt-jackpot", "felt-screens"])
def test_a_daemon_is_started_again_for_ever(name: str) -> None:
    """systemd gives up for good after five starts in ten seconds unless it is told not to."""
    assert settings(f"{name}.service")["Restart"] == ["always"]
    assert "\nStartLimitIntervalSec=0\n" in (SYSTEMD / f"{name}.service").read_text().partition("[Service]")[0]


@pytest.mark.parametrize("name", [*DAEMONS, "felt-console@"])
def test_a_unit_calls_no_program_that_the_smallest_debian_lacks(name: str) -> None:
    said = settings(f"{name}.service")
    commands = [value for key in said if key.startswith("Exec") for value in said[key]]
    assert commands
    assert {command.lstrip("-").split()[0] for command in commands} <= {PROGRAM, "/bin/sh"}


def test_the_table_is_checked_before_it_starts_watched_while_it_runs_and_dark_when_it_ended() -> None:
    said = settings("felt.service")
    assert said["Type"] == ["notify"]
    assert said["ExecStartPre"] == [f"{PROGRAM} check --config /etc/felt/table.toml"]
    assert said["ExecStopPost"] == [f"-{PROGRAM} safe-outputs --config /etc/felt/table.toml"]
    assert 1 <= int(said["WatchdogSec"][0]) <= 30


def test_the_table_reaches_its_pins_and_serial_lines_and_no_other_device() -> None:
    said = settings("felt.service")
    assert said["DevicePolicy"] == ["closed"]
    assert said["SupplementaryGroups"] == ["gpio dialout"]
    allowed = {value.split()[0] for value in said["DeviceAllow"]}
    assert allowed == {
        "char-gpiochip", "/dev/gpiomem", "char-ttyAMA", "char-ttyS", "char-ttyUSB", "char-ttyACM",
    }  # fmt: skip


def test_a_table_of_its_own_has_no_network_and_a_linked_one_only_what_is_named() -> None:
    said = settings("felt.service")
    assert (said["PrivateNetwork"], said["RestrictAddressFamilies"]) == (["yes"], ["AF_UNIX"])
    linked = settings("drop-ins/linked.conf")
    assert (linked["IPAddressDeny"], linked["IPAddressAllow"]) == (["any"], ["localhost"])
    assert linked["LoadCredential"] == ["link:/etc/felt/link"]


def test_screens_that_are_not_there_are_passed_over_without_a_fault() -> None:
    """An exit status from 1 to 254 of the condition means that the screens are not installed, and nothing is wrong."""
    (condition,) = settings("felt-screens.service")["ExecCondition"]
    words = condition.removeprefix("/bin/sh -c '").removesuffix("'")
    absent = subprocess.run(["/bin/sh", "-c", words.replace(PROGRAM, "/bin/false")], timeout=TESTED_IN, check=False)
    assert 1 <= absent.returncode <= 254
    present = subprocess.run(["/bin/sh", "-c", words.replace(PROGRAM, "/bin/true")], timeout=TESTED_IN, check=False)
    assert present.returncode == 0


def test_the_kiosk_shows_the_signs_own_listener_and_reaches_nothing_else() -> None:
    said = settings("felt-sign@.service")
    assert said["Environment"] == ["FELT_SIGN=http://127.0.0.1:8090/sign"]
    assert (said["IPAddressDeny"], said["IPAddressAllow"], said["NoNewPrivileges"]) == (["any"], ["localhost"], ["yes"])
    assert "/etc/felt" in said["InaccessiblePaths"][0]


def test_the_audit_comes_every_night_also_after_a_night_without_power_and_waits_for_the_table() -> None:
    timer = configparser.ConfigParser()
    timer.read(SYSTEMD / "felt-audit.timer")
    assert timer["Timer"]["Persistent"] == "true"
    elapse = systemd("systemd-analyze", "calendar", "--iterations=2", timer["Timer"]["OnCalendar"])
    assert elapse.returncode == 0, elapse.stderr
    said = settings("felt-audit.service")
    assert said["CPUSchedulingPolicy"] == said["IOSchedulingClass"] == ["idle"]
    assert said["StateDirectory"] == ["felt/audit"], "the journal itself is read-only for it"


# --- users, folders and the machine's own limits -----------------------------------------------------------


def test_the_users_are_made_without_a_way_to_sign_in(tmp_path: Path) -> None:
    told = systemd("systemd-sysusers", "--dry-run", f"--root={tmp_path}", SYSTEMD / "sysusers.d" / "felt.conf")
    assert told.returncode == 0, told.stderr
    for user in ("felt", "felt-jackpot", "felt-screens", "felt-sign"):
        assert f"Creating user '{user}'" in told.stdout + told.stderr


def test_secrets_are_roots_and_the_journal_is_the_tables_alone(tmp_path: Path) -> None:
    lines = (SYSTEMD / "tmpfiles.d" / "felt.conf").read_text().splitlines()
    wanted = [line.split() for line in lines if line and not line.startswith("#")]
    assert all(len(words) == 6 for words in wanted)
    if os.geteuid() == 0:
        wanted_of = {words[1]: (words[2], words[3]) for words in wanted if words[0] == "d"}
        assert _made(tmp_path, tuple(wanted_of)) == wanted_of
        return
    # Only root can give folders away. Without root the test knows at least that nobody else may enter.
    private = [words for words in wanted if words[1].startswith(("/var/lib", "/etc/felt/link", "/etc/credstore"))]
    assert all(words[2] in ("0700", "0600") for words in private)


def _made(root: Path, folders: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Mode and owner of each, made by systemd below a root of its own, where a careless key was left behind."""
    key = root / "etc/felt/link/own.keys"
    key.parent.mkdir(parents=True)
    key.write_text("secret")
    key.chmod(0o644)
    for program, file in (("systemd-sysusers", "sysusers.d"), ("systemd-tmpfiles", "tmpfiles.d")):
        create = ("--create",) if program == "systemd-tmpfiles" else ()
        told = systemd(program, f"--root={root}", *create, SYSTEMD / file / "felt.conf")
        assert told.returncode == 0, told.stderr
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    users = [line.split(":") for line in (root / "etc/passwd").read_text().splitlines()]
    assert all(user[6] == "/usr/sbin/nologin" for user in users)
    names = {0: pwd.getpwuid(0).pw_name, **{int(user[2]): user[0] for user in users}}
    found = {folder: (root / folder.lstrip("/")).stat() for folder in folders}
    return {folder: (f"{stat.S_IMODE(status.st_mode):04o}", names[status.st_uid]) for folder, status in found.items()}


def test_every_user_and_folder_of_a_unit_is_created() -> None:
    users = {line.split()[1] for line in (SYSTEMD / "sysusers.d/felt.conf").read_text().splitlines() if line[:1] == "u"}
    folders = (SYSTEMD / "tmpfiles.d" / "felt.conf").read_text()
    for name in (*DAEMONS, "felt-console@", "felt-sign@"):
        said = settings(f"{name}.service")
        assert said["User"][0] in users
        assert all(f"/var/lib/{folder} " in folders for folder in said.get("StateDirectory", []))
        sources = [credential.partition(":")[2] for credential in said.get("LoadCredential", [])]
        assert all(f"{source} " in folders for source in sources if source.startswith("/"))


def test_a_key_that_the_house_has_not_made_keeps_no_table_from_starting() -> None:
    """systemd looks for a credential by name in its stores, and it may be missing; by its path it may not."""
    (source,) = settings("felt.service")["LoadCredential"]
    assert source.startswith("journal.key:")
    assert "/" not in source
    assert "/etc/credstore " in (SYSTEMD / "tmpfiles.d" / "felt.conf").read_text()


def test_the_log_is_kept_and_bounded_and_the_hardware_watchdog_is_on() -> None:
    journald = configparser.ConfigParser()
    journald.read(SYSTEMD / "journald.conf.d" / "felt.conf")
    assert journald["Journal"]["storage"] == "persistent"
    assert {"systemmaxuse", "systemkeepfree"} <= set(journald["Journal"])
    manager = configparser.ConfigParser()
    manager.read(SYSTEMD / "system.conf.d" / "felt.conf")
    assert 5 <= int(manager["Manager"]["runtimewatchdogsec"]) <= 15, "a Raspberry Pi's counts to 15 seconds"
