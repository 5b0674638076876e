"""What the small commands say to a person: lines that fit a terminal, and the nearest thing to a wrong word."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.cli import COMMANDS, main
from felt.commands.paper import WIDTH, _as_lines
from felt.rules import shelf
from felt.stories.playing import play
from felt.stories.script import parse_story


@pytest.mark.parametrize("words", [["explain"], ["rules"], *(["rules", game] for game in shelf.GAMES)])
def test_whatever_is_told_fits_a_terminal(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(("code", "nearest"), [("F-999", "F-"), ("F-40", "F-40"), ("303", "F-303"), ("", "F-")])
def test_a_wrong_fault_code_is_answered_with_the_nearest(
    code: str, nearest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", code or "x"]) == 2
    said = capsys.readouterr().err
    assert f"nearest: {nearest}" in said
    assert said.count("\n") == 1


def test_a_profile_that_is_nowhere_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--set", "board.kind=mock", "--set", "board.profile=thre"]) == 1
    said = capsys.readouterr().err
    assert "board.profile: there is no such file" in said
    assert "three-seat-header" in said


def test_a_journal_without_rounds_is_told_from_no_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = play(parse_story("supervisor opens the table", "fresh"), "fresh")
    assert main(["replay", str(tmp_path)]) == 1
    assert "no journal in" in capsys.readouterr().err
    for name in stage.evening.disk.names():
        (tmp_path / name).write_bytes(stage.evening.disk.read(name))
    assert main(["replay", str(tmp_path)]) == 1
    assert "records in which no round has ended yet" in capsys.readouterr().err


def test_a_report_that_is_too_wide_for_a_page_is_told_row_by_row() -> None:
    columns = [f"column {number}" for number in range(12)]
    wide = _as_lines(columns, [[f"value {number}" for number in range(12)]])
    assert len(wide) == 12
    assert wide[0] == "  column 0 value 0"
    assert max(map(len, wide)) <= WIDTH
    assert len(_as_lines(columns[:2], [["a", "b"]])) == 2


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_every_help_fits_eighty_columns(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


def test_the_help_names_the_places_that_the_units_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    said = capsys.readouterr().out
    assert "felt verify --new-key /etc/credstore/felt.journal.key" in said
    assert "FILE.sig" in said


FILE, TYPED = 1, 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["rules", "whist"], TYPED),
        (["trace", "whist"], TYPED),
        (["demo", "--game", "whist"], TYPED),
        (["demo", "--set", "game.id=whist"], TYPED),
        (["check", "--set", "game.id=whist"], TYPED),
        (["check", "--json", "--set", "game.id=whist"], TYPED),
        (["config", "--set", "game.id=whist"], TYPED),
        (["pins", "walk", "--set", "game.id=whist"], TYPED),
        (["check", "--config", "FILE"], FILE),
        (["config", "--config", "FILE"], FILE),
        (["demo", "--config", "FILE"], FILE),
        (["pins", "walk", "--config", "FILE"], FILE),
        (["run", "--config", "FILE"], FILE),
        (["run", "--config", "GOOD", "--set", "game.id=whist"], TYPED),
        (["check", "--config", "GOOD", "--set", "game.id=whist"], TYPED),
    ],
)
def test_an_unknown_game_is_wrong_use_where_it_was_typed_and_a_bad_file_where_it_was_read(
    words: list[str], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of `felt settle` is read, not typed: its answer holds the error, and the status is 1."""
    (tmp_path / "bad.toml").write_text('[game]\nid = "whist"\n', encoding="utf-8")
    (tmp_path / "good.toml").write_text("", encoding="utf-8")
    files = {"FILE": str(tmp_path / "bad.toml"), "GOOD": str(tmp_path / "good.toml")}
    try:
        assert main([files.get(word, word) for word in words]) == status
    except SystemExit as end:
        assert end.code == status
    said = capsys.readouterr().err
    assert "whist" in said
    assert said.count("\n") == 1


def test_a_demo_of_a_linked_table_is_refused_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "linked.toml"
    file.write_text('[link]\nkind = "mqtt"\n', encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["demo", "--config", str(file), "--autoplay", "--rounds", "1", "--state", str(tmp_path / "state")])
    assert end.value.code == TYPED
    assert f"{file}: link.kind: this table is linked" in capsys.readouterr().err
    assert list((tmp_path / "state").iterdir()) == []


def test_pins_of_a_virtual_board_are_said_to_be_none(capsys: pytest.CaptureFixture[str]) -> None:
    main(["pins", "watch", "--seconds", "1"])
    assert capsys.readouterr().out.startswith('The board is virtual (board.kind = "virtual")')
