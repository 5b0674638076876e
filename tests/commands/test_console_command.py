"""`felt console` as a command: the people who may come in, and one sentence for whatever is wrong."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from felt.cli import main
from felt.config.people import is_pin_of, read_people


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text("[table]\nseats = 3\n")
    return file


def add(table_file: Path, monkeypatch: pytest.MonkeyPatch, pin: str, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{pin}\n"))
    return main(["console", "add-person", *words, "--config", str(table_file)])


def test_a_person_is_added_listed_changed_and_removed(
    table_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people = table_file.with_name("people.toml")
    assert add(table_file, monkeypatch, "2222", "Tess", "technician", "--licence", "T-77") == 0
    assert add(table_file, monkeypatch, "3333", "Tess", "shift_manager") == 0
    assert is_pin_of(read_people(people)["Tess"], "3333")
    assert not is_pin_of(read_people(people)["Tess"], "2222")
    capsys.readouterr()
    assert main(["console", "people", "--config", str(table_file)]) == 0
    assert capsys.readouterr().out.split() == ["Tess", "shift", "manager"]
    assert main(["console", "remove-person", "Tess", "--config", str(table_file)]) == 0
    assert read_people(people) == {}
    assert main(["console", "remove-person", "Tess", "--config", str(table_file)]) == 1


@pytest.mark.parametrize("pin", ["", "12", "abcd", "1" * 13, "12 34"])
def test_what_is_no_pin_changes_nothing(
    table_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], pin: str
) -> None:
    assert add(table_file, monkeypatch, pin, "Tess", "technician") == 1
    assert "a PIN has 4 to 12 digits" in capsys.readouterr().err
    assert not table_file.with_name("people.toml").exists()


@pytest.mark.parametrize("words", [["Tess"], ["1Tess", "viewer"], ["Tess", "viewer", "--licence", "\x1b[2J"], []])
def test_a_person_has_a_name_and_a_role(table_file: Path, words: list[str]) -> None:
    assert main(["console", "add-person", *words, "--config", str(table_file)]) == 2


def test_a_damaged_file_of_people_is_one_sentence(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people = table_file.with_name("people.toml")
    for content in ('[Tess]\nrole = "king"\npin = ""\n', '[Tess]\nrole = "viewer"\npin = "1234"\n', "Tess = 1\n", "["):
        people.write_text(content)
        people.chmod(0o600)
        with pytest.raises(SystemExit):
            main(["console", "people", "--config", str(table_file)])
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "people.toml" in said


def test_without_a_table_file_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["console"]) == 2
    assert "--config FILE" in capsys.readouterr().err


def test_a_file_of_people_that_others_may_read_is_named_before_the_table_starts(
    table_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people = table_file.with_name("people.toml")
    add(table_file, monkeypatch, "2222", "Tess", "technician")
    assert main(["check", "--config", str(table_file)]) == 0
    assert "people" not in capsys.readouterr().err
    people.chmod(0o644)
    assert main(["check", "--config", str(table_file)]) == 0, "it plays, and nobody can sign in"
    said = capsys.readouterr().err
    assert f"warning: desk.people: {people}" in said
    assert f"others may read this file; chmod 600 {people}" in said
