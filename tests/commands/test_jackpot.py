"""`felt jackpot` as a person meets it: every wrong file, folder or word is one sentence, and no secret is ever said."""

from __future__ import annotations

import contextlib
import json
import shlex
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from felt.cli import main
from felt.drivers.line_socket import LineSocket
from felt.nouns.keyring import read_keyring
from tests.real.linked import controller_file, felt, felt_without

METERS = "[meters.major]\nreset_minor = 5000000\nrate_bp = 2000\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "jackpot.toml"
    path.write_text(controller_file(1, ("T1", "T2")))
    return path


def provision(file: Path, table: str, *more: str) -> str:
    done = felt("jackpot", "provision", table, "--config", file, "--to", file.parent / table, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def secrets_in(folder: Path) -> list[str]:
    rings = [read_keyring(path.read_text()) for path in folder.rglob("*.keys")]
    return [key.secret.hex() for ring in rings for key in ring.all()]


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("", "meters", "missing"),
        (METERS, "tables", "missing"),
        (METERS + "[tables]\n", "tables", "0 tables"),
        ("[tables.T1]\n[meters]\n", "meters", "no meter"),
        (METERS + "[tables.T1]\n[broker]\nhost = 'far'\n", "broker.tls", "without encryption"),
        (METERS + "[tables.T1]\nlink = 'b'\n", "tables.T1.link", "no meter belongs to the link"),
        (
            METERS + METERS.replace("major", "'vip/major'") + "[tables.T1]\n[tables.T2]\nlink = 'vip'\n",
            "tables.T1.link",
            "it has no link where other tables have one",
        ),
        (METERS + "[tables.T1]\n[controler]\n", "controler", "unknown key"),
        (METERS + "reserve_bp = 3000\n[tables.T1]\n", "meters", "reserve"),
        (METERS + "[tables.T1]\n[reports]\nshifts = []\n", "reports.shifts", "not the shifts of a day"),
        (METERS + "[tables.T1]\n[reports]\nshifts = ['06:00', '06:00']\n", "reports.shifts", "not the shifts of a day"),
        (METERS + "[tables.T1]\n[reports]\nshifts = ['6']\n", "reports.shifts", "not a time"),
        (METERS + "[tables.'T 1']\n", 'tables."T 1"', "not a table id"),
        ("[tables.T1]\n[meters.major]\nreset_minor = -1\nrate_bp = 1\n", "meters.major.reset_minor", "-1"),
        (METERS + "[tables.T1]\n[controller]\nledger = 'mysql:///x'\n", "controller.ledger", "mysql:// is not"),
        (METERS + "[tables.T1]\n[controller]\nledger = 'a/b://x'\n", "controller.ledger", "not the address"),
    ],
)
def test_a_file_that_cannot_be_kept_is_one_sentence(tmp_path: Path, text: str, key: str, problem: str) -> None:
    path = tmp_path / "jackpot.toml"
    path.write_text(text)
    refused = felt("jackpot", "check", "--config", path)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1, refused.stderr
    assert refused.stderr.startswith(f"felt jackpot: {path}: {key}")
    assert problem in refused.stderr


def test_provisioning_makes_what_both_ends_need_and_says_no_secret(file: Path) -> None:
    said = provision(file, "T1") + provision(file, "T2")
    said += felt("jackpot", "check", "--config", file).stdout
    assert "is good" in said
    folder = file.parent
    assert read_keyring((folder / "T1/own.keys").read_text()) == read_keyring(
        (folder / "link/table-T1.keys").read_text()
    )
    assert (folder / "T1/sign.keys").read_text() == (folder / "T2/sign.keys").read_text()
    assert (folder / "T1/own.keys").read_text() != (folder / "T2/own.keys").read_text()
    secrets = secrets_in(folder)
    assert len(secrets) == 7
    assert not [secret for secret in secrets if secret in said]
    for path in folder.rglob("*.keys"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_in_a_rotation_each_end_seals_with_what_the_other_surely_knows(file: Path) -> None:
    folder = file.parent
    provision(file, "T1")
    provision(file, "T1", "--rotate")
    ours, theirs = (read_keyring((folder / name).read_text()) for name in ("link/table-T1.keys", "T1/own.keys"))
    assert (ours.ids(), theirs.ids()) == (("k1", "k2"), ("k2", "k1"))
    again = felt("jackpot", "provision", "T1", "--config", file, "--to", folder / "T1", "--rotate")
    assert (again.returncode, "under way" in again.stderr) == (1, True)
    provision(file, "T1", "--finish")
    ours, theirs = (read_keyring((folder / name).read_text()) for name in ("link/table-T1.keys", "T1/own.keys"))
    assert ours.ids() == theirs.ids() == ("k2",)


def test_keys_that_others_may_read_or_that_are_missing_are_refused(file: Path) -> None:
    missing = felt("jackpot", "--config", file)
    assert (missing.returncode, "table-T1.keys" in missing.stderr) == (1, True)
    provision(file, "T1")
    provision(file, "T2")
    keys = file.parent / "link" / "table-T2.keys"
    keys.chmod(0o644)
    open_to_all = felt("jackpot", "--config", file)
    assert open_to_all.returncode == 1
    assert f"chmod 600 {keys}" in open_to_all.stderr
    keys.chmod(0o600)
    keys.write_text("nothing of the kind\n")
    unreadable = felt("jackpot", "check", "--config", file)
    assert (unreadable.returncode, "line 1" in unreadable.stderr) == (1, True)
    assert len(unreadable.stderr.splitlines()) == 1


def test_a_port_that_is_taken_and_a_socket_that_cannot_be_made_are_one_sentence(file: Path) -> None:
    provision(file, "T1")
    provision(file, "T2")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        file.write_text(file.read_text().replace("metrics_port = 0", f"metrics_port = {port}"))
        refused = felt("jackpot", "--config", file)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert f"Port {port}" in refused.stderr
    file.write_text(file.read_text().replace("[controller]", "[controller]\ncontrol = 'no/such/folder/control'"))
    refused = felt("jackpot", "--config", file)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "control socket" in refused.stderr


def test_wrong_words_are_status_two_and_a_controller_that_is_not_there_is_one(file: Path) -> None:
    assert felt("jackpot", "provision", "--config", file).returncode == 2
    assert felt("jackpot", "act", "--config", file).returncode == 2
    assert felt("jackpot", "act", "ClearMeter", "--fields", "[", "--config", file).returncode == 2
    nobody = felt("jackpot", "status", "--config", file)
    place = file.parent / "control"
    said = f"felt jackpot: Nobody answers at {place} (No such file or directory). Is the jackpot controller running"
    assert (nobody.returncode, nobody.stderr.startswith(said)) == (1, True), nobody.stderr
    stranger = felt("jackpot", "provision", "T9", "--config", file, "--to", file.parent / "T9")
    assert (stranger.returncode, "[tables.T9]" in stranger.stderr) == (1, True)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ('{"meter": NaN}', "NaN is no whole number"),
        ('{"amount_micro": -Infinity}', "-Infinity is no whole number"),
        ('{"amount_micro": 1e999}', "1e999 is no whole number"),
        ("9" * 5000, "digits"),
        ("[" * 30_000, "too deep"),
        ('{"meter": major}', "Expecting value at character 11 of 16"),
        ("", "at character 1 of 0"),
        ("[1]", "not an object"),
    ],
)
def test_fields_that_are_no_json_object_are_one_sentence_that_says_where(
    file: Path, fields: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["jackpot", "act", "ClearMeter", "--fields", fields, "--config", str(file)])
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (2, 1), said
    assert said.startswith("felt jackpot: --fields: ")
    assert problem in said


def test_an_act_without_a_name_is_another_sentence(file: Path) -> None:
    nameless = felt("jackpot", "act", "--fields", "[", "--config", file)
    assert (nameless.returncode, "no act is named" in nameless.stderr) == (2, True)


def refusal(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """Of what was typed: status two, and the last line of what is said."""
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_a_word_may_stand_before_between_and_after_options(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = file.parent
    for number, words in enumerate(
        [
            ("provision", "T1", "--config", file, "--to"),
            ("provision", "--config", file, "T1", "--to"),
            ("--config", file, "provision", "T1", "--to"),
        ]
    ):
        assert main(["jackpot", *map(str, words), str(folder / f"half-{number}")]) == 0
    assert main(["jackpot", "provision", "--config", str(file), "--to", str(folder / "half-3"), "T1"]) == 0
    assert len([*folder.glob("half-*/own.keys")]) == 4
    with contextlib.closing(LineSocket(folder / "control", lambda: Refusing("Not now."))) as control:
        control.start()
        assert main(["jackpot", "act", "--config", str(file), "ClearMeter", "--reason", "why"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "felt jackpot: Not now."


def test_a_word_too_many_and_an_unknown_option_are_still_refused(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (("act", "--config", file, "One", "Two"), ("act", "One", "--config", file, "Two")):
        assert refusal(capsys, "jackpot", *words) == "felt: error: unrecognized arguments: Two"
    said = refusal(capsys, "jackpot", "act", "--config", file, "--bogus", "One")
    assert said == "felt: error: unrecognized arguments: --bogus One"


@pytest.mark.parametrize("action", ["run", "check", "status", "keys", "report"])
def test_a_word_that_an_action_does_not_use_is_refused(
    file: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ((action, "extra", "--config", file), (action, "--config", file, "extra")):
        said = refusal(capsys, "jackpot", *words)
        assert said == f"felt jackpot: 'extra' is not used by {action}; leave it out"


@pytest.mark.parametrize("forms", [("--csv", "--html"), ("--csv", "--json"), ("--html", "--json", "--csv")])
def test_a_report_has_one_form(file: Path, forms: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "choose one of them" in refusal(capsys, "jackpot", "report", "--day", *forms, "--config", file)


def test_a_rotation_and_its_end_are_two_steps_in_this_order(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("jackpot", "provision", "T1", "--config", file, "--to", file.parent / "T1")
    assert "are two steps" in refusal(capsys, *words, "--rotate", "--finish")
    for provisioned in (False, True):
        never_begun = felt(*words, "--finish")
        assert (never_begun.returncode, "no rotation is under way" in never_begun.stderr) == (1, True)
        assert (file.parent / "T1").exists() == provisioned
        provision(file, "T1")


def test_the_command_that_ends_a_rotation_works_as_it_is_printed(file: Path) -> None:
    spaced = file.with_name("the jackpot.toml")
    file.rename(spaced)
    provision(spaced, "T1")
    said = provision(spaced, "T1", "--rotate")
    command = next(line for line in said.splitlines() if "--finish" in line).partition(" until ")[2]
    program, *words = shlex.split(command)
    assert program == "felt"
    ended = felt(*words)
    assert ended.returncode == 0, ended.stderr
    assert read_keyring((file.parent / "T1/own.keys").read_text()).ids() == ("k2",)
    assert f"felt jackpot keys --config '{spaced}'" in ended.stdout


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_controller_that_is_stuck_is_told_in_its_own_words(file: Path, more: tuple[str, ...]) -> None:
    stuck = "The controller did not answer; it is not known whether anything was done."
    with contextlib.closing(LineSocket(file.parent / "control", lambda: Refusing(stuck))) as control:
        control.start()
        refused = felt("jackpot", "status", "--config", file, *more)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"felt jackpot: {stuck}\n"


class Refusing:
    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    def answer(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"refused": self._sentence}

    def leave(self) -> None:
        pass


def test_a_good_file_is_told_to_programs_too(file: Path) -> None:
    provision(file, "T1")
    provision(file, "T2")
    answer = json.loads(felt("jackpot", "check", "--json", "--config", file).stdout)
    assert answer == {"good": True, "tables": ["T1", "T2"], "meters": ["major"]}


def test_a_check_of_a_linked_table_names_every_key_that_is_missing(file: Path) -> None:
    table = file.parent / "table.toml"
    table.write_text('[link]\nkind = "mqtt"\nfolder = "T1"\n')
    refused = felt("check", "--config", table)
    assert refused.returncode == 1
    for name in ("own.keys", "sign.keys"):
        assert f"felt check: {file.parent / 'T1' / name}: the keys cannot be read" in refused.stderr
    provision(file, "T1")
    assert felt("check", "--config", table).returncode == 0
    (file.parent / "T1/own.keys").chmod(0o644)
    refused = felt("check", "--config", table)
    assert refused.returncode == 1
    assert "users other than the owner may read this secret" in refused.stderr


def test_a_link_without_its_package_is_one_sentence_with_its_remedy(file: Path) -> None:
    provision(file, "T1")
    provision(file, "T2")
    table = file.parent / "table.toml"
    table.write_text('[link]\nkind = "mqtt"\nfolder = "T1"\n')
    for words in (("jackpot", "check", "--config", file), ("jackpot", "--config", file), ("run", "--config", table)):
        refused = felt_without("paho", *words)
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
        assert "pip install 'paho-mqtt" in refused.stderr
    warned = felt_without("paho", "check", "--config", table)
    assert (warned.returncode, "paho-mqtt" in warned.stderr) == (0, True), warned.stderr


def test_a_ledger_without_its_package_is_one_sentence_with_its_remedy(file: Path) -> None:
    provision(file, "T1")
    provision(file, "T2")
    file.write_text(file.read_text().replace("[controller]", "[controller]\nledger = 'postgresql:///felt'"))
    for words in (("jackpot", "check"), ("jackpot",), ("jackpot", "report", "--day")):
        refused = felt_without("psycopg", *words, "--config", file)
        assert refused.returncode == 1, refused.stderr
        assert "pip install -e '.[postgresql]'" in refused.stderr.splitlines()[-1]
        assert "Traceback" not in refused.stderr
