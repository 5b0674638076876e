"""The Debian package: its content, its signature, and its life on a box: installed, refused in the middle of a round,
upgraded, rolled back, removed and purged, under a systemd of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from felt import __version__
from tests.real.boxed_table import BENCH, BoxedTable
from tests.real.core_suite import run_core_suite
from tests.real.debian_root import DebianRoot, clean_debian, debian_root, may_be_started
from tests.real.packages import NEXT, ROOT, Made, shared_packages
from tools.packaging.control import debian_version
from tools.packaging.statement import changes_since, read_package
from tools.packaging.wheels import LOCK, PYTHONS, wanted

pytestmark = pytest.mark.timeout(900)
THIS_HOST = "this-host"
CLEAN = {"debian-12": "bookworm", "debian-13": "trixie"}
SENSED = 'board.sensed=["ante", "progressive"]'
OLD_OK, NEW_OK = f"{__version__} installed", f"{NEXT} installed"
TABLE_FILE, JACKPOT_FILE = "/etc/felt/table.toml", "/etc/felt/jackpot.toml"
JOURNAL_KEY = "/etc/credstore/felt.journal.key"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return shared_packages(tmp_path_factory)


# --- what is in it ---------------------------------------------------------------------------------------


def _listed(deb: Path) -> dict[str, tuple[str, str]]:
    """Mode and owner by path."""
    lines = subprocess.run(["dpkg-deb", "-c", deb], capture_output=True, text=True, check=True).stdout.splitlines()
    parts = (line.split(maxsplit=5) for line in lines)
    return {part[5].removeprefix("."): (part[0], part[1]) for part in parts}


def test_the_lock_pins_every_package_that_the_firmware_asks_for() -> None:
    pinned = set(re.findall(r"^([a-z0-9.-]+)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    asked = {re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower() for requirement in wanted()}
    assert asked <= pinned, f"tools/package --lock pins anew what is missing: {sorted(asked - pinned)}"


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_the_package_holds_an_environment_for_each_python_and_nothing_of_the_workplace(made: Made, arch: str) -> None:
    listed = _listed(made.deb(arch=arch))
    for python in ("3.11", "3.13"):
        library = f"/opt/felt/python{python}/lib/python{python}/site-packages"
        assert f"{library}/felt/cli.py" in listed
        machine = {"amd64": "x86_64", "arm64": "aarch64"}[arch]
        tag = f"cpython-{python.replace('.', '')}-{machine}-linux-gnu.so"
        assert any(name.startswith(f"{library}/msgspec/") and name.endswith(tag) for name in listed), f"no {tag}"
        assert f"/opt/felt/python{python}/bin/python3 -> /usr/bin/python{python}" in listed
    assert {owner for _, owner in listed.values()} == {"root/root"}
    assert not [name for name, (mode, _) in listed.items() if mode[0] != "l" and (mode[5] == "w" or mode[8] == "w")]
    assert not [name for name in listed if re.search(r"/tests?/|egg-info|/\.git|direct_url", name)]
    assert listed["/etc/felt/keys/"][0] == listed["/etc/felt/link/"][0] == "drwx------"
    for unit in ("felt.service", "felt-console@.service", "felt-jackpot.service"):
        assert f"/usr/lib/systemd/system/{unit}" in listed
    assert "/usr/lib/sysusers.d/felt.conf" in listed
    assert "/usr/share/felt/boards/seven-seat-ante.toml" in listed
    assert {f"/usr/share/man/man1/{name}.1.gz" for name in ("felt", "felt-jackpot", "felt-safe-outputs")} <= set(listed)
    assert "/usr/share/bash-completion/completions/felt" in listed
    assert "/usr/share/zsh/vendor-completions/_felt" in listed
    assert not [name for name in listed if name.endswith(".pyc")], "bytecode is made by the Python that runs it"


def test_settings_are_conffiles_and_no_text_names_the_building_machine(made: Made, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "-R", made.deb(), tmp_path / "x"], check=True)
    conffiles = (tmp_path / "x/DEBIAN/conffiles").read_text().split()
    assert conffiles == ["/etc/felt/jackpot.toml", TABLE_FILE, "/etc/udev/rules.d/99-felt.rules"]
    words = ["grep", "-rlF", "-e", str(ROOT), "-e", str(made.folder), str(tmp_path / "x")]
    assert subprocess.run(words, capture_output=True, check=False).stdout == b""
    for script in ("preinst", "postinst", "prerm", "postrm"):
        text = (tmp_path / "x/DEBIAN" / script).read_text()
        assert not re.search(r"@[A-Z]+@", text)
        subprocess.run(["sh", "-n", tmp_path / "x/DEBIAN" / script], check=True)
    # As an ordinary user can: run what was unpacked, outside its place.
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if running in ("3.11", "3.13"):
        library = tmp_path / f"x/opt/felt/python{running}/lib/python{running}/site-packages"
        words = [sys.executable, "-S", "-m", "felt.cli", "check", "--config", str(tmp_path / "x/etc/felt/table.toml")]
        done = subprocess.run(words, env={"PYTHONPATH": str(library)}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# --- signatures and statements ---------------------------------------------------------------------------


def _verified(deb: Path, trust: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(ROOT / "tools/package"), "--verify", str(deb), "--trust", str(trust)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_signed_package_is_good_and_one_changed_byte_is_found(made: Made, tmp_path: Path) -> None:
    assert _verified(made.deb(), made.trust).stdout.endswith(f"version: {__version__}\n")
    for path in made.folder.glob(f"felt_{__version__}_{made.arch}.*"):
        shutil.copy(path, tmp_path)
    deb = tmp_path / made.deb().name
    for file in (deb, deb.with_suffix(".statement.txt")):
        whole = file.read_bytes()
        file.write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
        said = _verified(deb, made.trust)
        assert said.returncode == 1
        assert "was not signed by any key" in said.stderr
        file.write_bytes(whole)
    assert "no public key" in _verified(deb, tmp_path / "nowhere").stderr


def test_a_statement_of_another_package_is_refused(made: Made, tmp_path: Path) -> None:
    for path in made.folder.glob("felt_*"):
        shutil.copy(path, tmp_path)
    old, new = tmp_path / made.deb().name, tmp_path / made.deb(NEXT).name
    for ending in (".statement.txt", ".statement.txt.sig"):
        shutil.copy(old.with_name(old.stem + ending), new.with_name(new.stem + ending))
    assert "is of another package" in _verified(new, made.trust).stderr


def test_the_statement_tells_what_changed_in_words_and_digests(made: Made) -> None:
    text = made.deb(NEXT).with_suffix(".statement.txt").read_text()
    assert f"version: {NEXT}\nprevious version: {__version__}\n" in text
    assert "A cent that was lost is found." in text
    assert "Progressive 3 Card Poker" not in text.partition("# Files that changed")[0], "that was in the version before"
    before, now = read_package(made.deb()).manifest, read_package(made.deb(NEXT)).manifest
    path = "opt/felt/python3.11/lib/python3.11/site-packages/felt/__init__.py"
    assert f"{before[path]} -> {now[path]}  {path}\n" in text
    assert f"\n{now[path]}  {path}\n" in text
    same = "opt/felt/python3.11/lib/python3.11/site-packages/felt/cli.py"
    assert f"-> {now[same]}  {same}" not in text


def test_versions_and_changelogs_are_cut_at_the_right_place() -> None:
    assert debian_version("0.2.0rc1") == "0.2.0~rc1"
    assert debian_version("0.2.0.dev3") == "0.2.0~dev3"
    assert debian_version("1.10.0") == "1.10.0"
    log = "# Changelog\n\n## [0.3.0] - x\n- c\n\n## [0.2.0] - x\n- b\n\n## [0.1.0] - x\n- a\n"
    assert changes_since(log, "0.1.0") == "## [0.3.0] - x\n- c\n## [0.2.0] - x\n- b"
    assert changes_since(log, None) == "## [0.3.0] - x\n- c"
    assert "says nothing" in changes_since(log, "0.3.0")


# --- its life on a box -----------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "debian" in metafunc.fixturenames:
        clean = list(CLEAN) if metafunc.config.getoption("--full") else []
        metafunc.parametrize("debian", [THIS_HOST, *clean])


def _lower(debian: str) -> Path:
    """This host's own root under a layer of memory if the package runs on this host; otherwise a clean one."""
    runs_here = any(Path(f"/usr/bin/python{python}").exists() for python in PYTHONS) and shutil.which("dpkg")
    if debian == THIS_HOST and runs_here and Path("/lib/systemd/systemd").exists():
        return Path("/")
    return clean_debian(CLEAN.get(debian, "bookworm"))


def test_a_package_lives_on_a_box_and_never_in_the_middle_of_a_round(debian: str, made: Made, full: bool) -> None:
    if not may_be_started():
        pytest.skip("a Debian of its own needs root and mounts: sudo tools/test tests/real/test_package.py")
    with debian_root(_lower(debian)) as root:
        for path in made.folder.glob(f"felt_*_{made.arch}.*"):
            shutil.copy(path, root.path("/var/tmp"))
        box = _Box(root, BoxedTable(root), made)
        _it_is_installed_and_plays(box)
        _a_changed_byte_and_a_strange_file_are_found(box)
        _code_of_another_source_is_found_and_of_other_folders_does_not_run(box)
        _a_round_in_play_refuses_upgrade_and_removal(box)
        _a_configuration_that_the_new_version_refuses_keeps_the_old_one_running(box)
        _between_rounds_it_is_upgraded_and_the_journal_goes_on(box)
        _it_is_rolled_back_and_the_journal_goes_on(box)
        _a_dead_table_with_an_open_round_refuses_too(box)
        if full:
            _the_manufacturer_may_overrule_and_it_is_recorded(box)
        if debian in CLEAN:
            run_core_suite(root, debian)
        _a_removal_keeps_settings_and_journal_and_a_purge_the_journal(box)


class _Box(NamedTuple):
    root: DebianRoot
    table: BoxedTable
    made: Made

    def deb(self, version: str = __version__) -> str:
        return f"/var/tmp/{self.made.deb(version).name}"


def _it_is_installed_and_plays(box: _Box) -> None:
    # As README.md describes the first installation: nothing of Felt is there yet that could verify it.
    key = "/etc/felt/trust/manufacturer.pem"
    box.root.path("/etc/felt/trust").mkdir(parents=True)
    shutil.copy(box.made.trust / "manufacturer.pem", box.root.path(key))
    verify = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", box.deb()]
    assert "Verified Successfully" in box.root.good(*verify, "-sigfile", f"{box.deb()}.sig")
    box.root.good("apt-get", "install", "-y", "--no-install-recommends", box.deb())
    assert "name the file of that" in box.root.bad("felt-package", "keep", box.deb(NEXT))
    box.root.good("felt-package", "keep", box.deb())
    assert box.root.good("/opt/felt/bin/felt", "--version") == f"felt {__version__}\n"
    assert box.root.good("felt", "check", "--config", TABLE_FILE).startswith(f"{TABLE_FILE} is good")
    assert "felt" in box.root.good("id", "felt")
    library = next(box.root.path("/opt/felt").glob("python*/lib/python*/site-packages/felt/__pycache__"))
    assert list(library.glob("cli.cpython-*.pyc")), "bytecode is there before the first start"
    real = ("board.kind=gpiochip", "board.profile=seven-seat-ante", "shuffler.url=/dev/null", SENSED)
    settings = [word for setting in real for word in ("--set", setting)]
    said = box.root.good("felt", "check", "--config", TABLE_FILE, *settings)
    assert "board.kind" not in said, "pins need no package beside this one"
    assert "inactive" in box.root.bad("systemctl", "is-active", "felt"), "nobody has configured it yet"
    assert "disabled" in box.root.bad("systemctl", "is-enabled", "felt-jackpot"), "one host of the house runs it"
    said = box.root.bad("felt", "jackpot", "check", "--config", JACKPOT_FILE)
    assert "provision it with felt jackpot provision" in said
    with box.root.path(TABLE_FILE).open("a") as file:
        file.write(BENCH)
    assert "disabled" in box.root.bad("systemctl", "is-enabled", "felt-audit.timer")
    box.root.good("systemctl", "enable", "--now", "felt")
    assert "enabled" in box.root.good("systemctl", "is-enabled", "felt-audit.timer"), "the table brings its audit"
    assert "active" in box.root.good("systemctl", "is-active", "felt-audit.timer"), "tonight, not after the next boot"
    assert box.table.open_round() == 1


def _a_changed_byte_and_a_strange_file_are_found(box: _Box) -> None:
    assert "every file" in box.root.good("felt-package", "audit")
    document = box.root.path("/usr/share/doc/felt/firmware/SERVICE.md")
    text = document.read_bytes()
    document.unlink()
    assert "every file" in box.root.good("felt-package", "audit"), "documents may be left out (dpkg's path-exclude)"
    document.write_bytes(b"changed" + text)
    assert "SERVICE.md: FAILED" in box.root.bad("felt-package", "audit")
    document.write_bytes(text)
    manifest = ["--tree", "/", "--manifest", "/usr/share/felt/manifest"]
    script = next(box.root.path("/opt/felt").glob("python*/lib/python*/site-packages/felt/evidence/felt_check.py"))
    inside = f"/{script.relative_to(box.root.path('/'))}"
    box.root.good("/usr/bin/python3", inside, *manifest)
    whole = script.read_bytes()
    script.write_bytes(whole.replace(b"DOES NOT HOLD", b"DOES NOT HOLE"))
    assert "felt_check.py: FAILED" in box.root.bad("felt-package", "audit")
    script.write_bytes(whole)
    strange = script.with_name("strange.py")
    strange.write_text("")
    assert "strange.py: NOT LISTED" in box.root.bad("felt-package", "audit")
    strange.unlink()
    strange.symlink_to("/nowhere")
    assert "strange.py -> /nowhere: NOT LISTED" in box.root.bad("felt-package", "audit")
    strange.unlink()


def _code_of_another_source_is_found_and_of_other_folders_does_not_run(box: _Box) -> None:
    box.root.good("felt", "verify")
    compiled = next(box.root.path("/opt/felt").glob("python*/lib/python*/site-packages/felt/nouns/__pycache__/money.*"))
    whole = compiled.read_bytes()
    assert b"How much one stake adds" in whole
    compiled.write_bytes(whole.replace(b"How much one stake adds", b"How much one stake ADDS"))
    assert f"felt/nouns/__pycache__/{compiled.name} is not what this Python compiles" in box.root.bad("felt", "verify")
    compiled.write_bytes(whole)
    python = compiled.name.split(".")[1].removeprefix("cpython-3")
    local = box.root.path(f"/usr/local/lib/python3.{python}/dist-packages")
    debian = box.root.path("/usr/lib/python3/dist-packages")
    debian.mkdir(parents=True, exist_ok=True)
    local.mkdir(parents=True, exist_ok=True)
    for file in (local / "evil.pth", debian / "evil.pth"):
        file.write_text("import sys; print('evil runs')\n")
    (debian / "from_debian.py").write_text("print('this may')\n")
    inside = f"/opt/felt/python3.{python}/bin/python3"
    assert box.root.good(inside, "-I", "-B", "-c", "import from_debian") == "this may\n", "as RPi.GPIO must"
    for file in (local / "evil.pth", debian / "evil.pth", debian / "from_debian.py"):
        file.unlink()


def _a_round_in_play_refuses_upgrade_and_removal(box: _Box) -> None:
    for words in (["felt-package", "install", box.deb(NEXT)], ["dpkg", "-i", box.deb(NEXT)], ["dpkg", "-r", "felt"]):
        said = box.root.bad(*words)
        assert "F-404: round 1 of table T1 is open: end or void it at the table; then try again" in said
    assert box.table.version() == OLD_OK
    assert box.table.is_active
    assert box.table.phase() == "BETTING", "nobody at the table noticed anything"
    box.table.void_round()


def _a_configuration_that_the_new_version_refuses_keeps_the_old_one_running(box: _Box) -> None:
    file = box.root.path(TABLE_FILE)
    good = file.read_text()
    file.write_text(good.replace("seats = 7", "seats = 70"))
    said = box.root.bad("dpkg", "-i", box.deb(NEXT))
    assert f"{TABLE_FILE}: table.seats" in said
    assert f"{NEXT} does not accept the configuration" in said
    assert box.table.version() == OLD_OK
    assert box.table.is_active
    assert box.table.phase() == "IDLE"
    file.write_text(good)


def _between_rounds_it_is_upgraded_and_the_journal_goes_on(box: _Box) -> None:
    box.root.good("felt-package", "install", box.deb(NEXT))
    assert box.table.version() == NEW_OK
    assert box.table.is_active, "what ran before runs again"
    assert box.table.eras() == [__version__, NEXT]
    assert BENCH in box.root.path(TABLE_FILE).read_text(), "the house's settings survived"
    assert "every file" in box.root.good("felt-package", "audit"), "nothing of the old version is left"
    assert box.table.open_round() == 2
    box.table.void_round()


def _it_is_rolled_back_and_the_journal_goes_on(box: _Box) -> None:
    assert box.table.open_round() == 3
    assert "round 3 of table T1 is open" in box.root.bad("felt-package", "rollback")
    assert box.table.version() == NEW_OK
    box.table.void_round()
    box.root.good("felt-package", "rollback")
    assert box.table.version() == OLD_OK
    assert box.table.is_active
    assert box.table.eras() == [__version__, NEXT, __version__]
    assert box.table.rounds_voided() == 3


def _a_dead_table_with_an_open_round_refuses_too(box: _Box) -> None:
    assert box.table.open_round() == 4
    box.root.good("systemctl", "stop", "felt")
    said = box.root.bad("dpkg", "-i", box.deb(NEXT))
    assert "F-404: round 4 of table T1 is open: start it" in said
    assert box.table.version() == OLD_OK


def _the_manufacturer_may_overrule_and_it_is_recorded(box: _Box) -> None:
    box.root.good("dpkg", "-i", box.deb(NEXT), FELT_UPGRADE_ANYWAY="recall of 1.0.0")
    assert box.table.version() == NEW_OK
    assert "reason: recall of 1.0.0" in box.root.good("felt-package", "history")
    said = box.root.bad("runuser", "-u", "felt", "--", "felt", "run", "--config", TABLE_FILE)
    assert f"F-404: the journal was written by {__version__}, this is {NEXT}" in said
    box.root.good("dpkg", "-i", box.deb(), FELT_UPGRADE_ANYWAY="back again")
    assert box.table.version() == OLD_OK


def _a_removal_keeps_settings_and_journal_and_a_purge_the_journal(box: _Box) -> None:
    box.root.good("systemctl", "start", "felt")
    assert "round 4 of table T1 is open" in box.root.bad("dpkg", "-r", "felt")
    assert box.table.is_active
    assert box.table.phase() == "BETTING"
    box.table.void_round()
    box.root.path(JOURNAL_KEY).parent.mkdir(exist_ok=True)
    box.root.good("felt", "verify", "--new-key", JOURNAL_KEY)
    box.root.good("dpkg", "-r", "felt")
    assert box.root.path(JOURNAL_KEY).exists()
    assert not box.root.path("/opt/felt").exists()
    assert box.root.path(TABLE_FILE).exists()
    assert box.root.path("/var/lib/felt/journal").is_dir()
    said = box.root.good("dpkg", "-P", "felt")
    assert "/var/lib/felt is kept as evidence" in said
    assert not box.root.path("/etc/felt").exists()
    assert not box.root.path(JOURNAL_KEY).exists(), "keys go with the settings"
    assert list(box.root.path("/var/lib/felt/journal").iterdir())
