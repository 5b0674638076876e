"""Board profiles: one owner for each line, and a table that matches its board."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.config import ConfigError, load
from felt.config.boards import BoardProfile, find_profile, load_profile

SHIPPED = Path(__file__).resolve().parents[2] / "hw" / "boards"


def an_input(name: str, line: int, chip: str = "pinctrl-bcm2711", **other: object) -> str:
    values: dict[str, object] = {"pull": "up", "active": "low", "settle_ms": 20, "late_ms_max": 5, **other}
    rest = "".join(f"{key} = {value!r}\n" for key, value in values.items())
    return f'[[input]]\nname = "{name}"\nchip = "{chip}"\nline = {line}\n{rest}'


def an_output(name: str, line: int, chip: str = "pinctrl-bcm2711") -> str:
    return f'[[output]]\nname = "{name}"\nchip = "{chip}"\nline = {line}\nactive = "high"\n'


def profile_file(folder: Path, *lines: str, console_uart: str = "false", head: str = "") -> Path:
    path = folder / "board.toml"
    empty = "".join(
        f"{name} = []\n" for name in ("input", "output") if not any(f"[[{name}]]" in part for part in lines)
    )
    path.write_text(f'name = "small"\nconsole_uart = {console_uart}\n{head}{empty}{"".join(lines)}', encoding="utf-8")
    return path


def refusal(path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_profile(path)
    assert caught.value.file == str(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_every_shipped_profile_is_good() -> None:
    profiles = [load_profile(path) for path in sorted(SHIPPED.glob("*.toml"))]
    assert profiles
    assert [profile.name for profile in profiles] == [path.stem for path in sorted(SHIPPED.glob("*.toml"))]


def test_the_three_seat_header_carries_a_table_of_three() -> None:
    overrides = [
        "board.kind=mock",
        "board.profile=three-seat-header",
        "table.seats=3",
        'board.sensed=["ante", "progressive"]',
    ]
    profile = load(None, overrides).profile
    assert isinstance(profile, BoardProfile)
    assert {f"{seat}.{kind}" for seat in (1, 2, 3) for kind in ("ante", "progressive")} <= {
        line.name for line in profile.input
    }
    lines = [line.line for line in profile.input] + [line.line for line in profile.output]
    assert set(lines) <= set(range(2, 28)) - {14, 15}


def test_a_line_used_twice_names_both_owners_and_the_remedy(tmp_path: Path) -> None:
    path = profile_file(tmp_path, an_input("3.progressive", 17), an_output("key.open", 17))
    assert str(refusal(path)) == (
        f"{path}: output.0.line: line 17 of pinctrl-bcm2711 is wanted by output key.open and already belongs to "
        "input 3.progressive; give one of the two another line"
    )


def test_one_line_number_on_two_chips_is_two_lines(tmp_path: Path) -> None:
    path = profile_file(tmp_path, an_input("1.ante", 5), an_input("2.ante", 5, chip="mcp23017"))
    assert len(load_profile(path).input) == 2


@pytest.mark.parametrize("line", [14, 15])
def test_the_console_keeps_its_serial_lines(tmp_path: Path, line: int) -> None:
    error = refusal(profile_file(tmp_path, an_input("1.ante", line), console_uart="true"))
    assert "input 1.ante" in error.problem
    assert "the maintenance console" in error.problem
    assert load_profile(profile_file(tmp_path, an_input("1.ante", line))).input[0].line == line


@pytest.mark.parametrize("line", [0, 1])
def test_the_identity_lines_are_never_free(tmp_path: Path, line: int) -> None:
    assert "identity memory" in refusal(profile_file(tmp_path, an_output("1.ante", line))).problem


def test_a_line_reserved_by_the_profile_is_kept(tmp_path: Path) -> None:
    reserved = '[[reserved]]\nchip = "pinctrl-bcm2711"\nline = 4\nowner = "fan"\n'
    error = refusal(profile_file(tmp_path, an_input("1.ante", 4), reserved))
    assert "reserved.0 (fan)" in error.problem


def test_a_line_that_is_not_on_the_header_is_refused(tmp_path: Path) -> None:
    error = refusal(profile_file(tmp_path, an_input("1.ante", 28)))
    assert (error.key, error.problem) == ("input.0.line", "pinctrl-bcm2711 has no line 28 on the header")


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    error = refusal(profile_file(tmp_path, an_input("1.ante", 4), an_input("1.ante", 5)))
    assert (error.key, error.problem) == ("input.1.name", "1.ante is already the name of input.0")


def test_a_key_and_its_lamp_may_share_a_name(tmp_path: Path) -> None:
    assert load_profile(profile_file(tmp_path, an_input("key.open", 4), an_output("key.open", 5))).output


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (an_input("ante", 4), "input.0.name"),
        (an_input("0.ante", 4), "input.0.name"),
        (an_input("1.ante", -1), "input.0.line"),
        (an_input("1.ante", 4, settle_ms=0), "input.0.settle_ms"),
        (an_input("1.ante", 4, pull="sideways"), "input.0.pull"),
        (an_input("1.ante", 4, polarity="low"), "input.0.polarity"),
        (an_input("1.ante", 4).replace('active = "low"', "").replace("active = 'low'", ""), "input.0.active"),
        ('[[output]]\nname = "1.ante"\n', "output.0.chip"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, key: str) -> None:
    assert refusal(profile_file(tmp_path, line)).key == key


def test_an_unknown_key_of_the_profile_is_named(tmp_path: Path) -> None:
    assert refusal(profile_file(tmp_path, head='maker = "x"\n')).key == "maker"


def test_a_profile_beside_the_table_file_is_found_by_path_and_by_name(tmp_path: Path) -> None:
    path = profile_file(tmp_path)
    assert find_profile("board.toml", tmp_path) == path
    assert find_profile("board", tmp_path) == path
    assert find_profile("three-seat-header", tmp_path) == SHIPPED / "three-seat-header.toml"


def test_a_profile_that_is_nowhere_is_refused_with_where_it_was_sought(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hw/boards/none\.toml: the file cannot be read"):
        load(None, ["board.kind=mock", "board.profile=none"])


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ([], "board.profile: the board profile small has no sensor 2.ante"),
        (["table.seats=1", "board.sensed=[]"], "board.sensed: ante is missing, but .* has a sensor 1.ante"),
        (
            ["table.seats=1", "lock.drain_ms=35"],
            "lock.drain_ms: 35 is too short for lines that settle in 20 ms and are up to 5",
        ),
    ],
)
def test_a_table_that_does_not_match_its_board_is_refused(tmp_path: Path, overrides: list[str], sentence: str) -> None:
    board = profile_file(tmp_path, an_input("1.ante", 4))
    table = tmp_path / "table.toml"
    table.write_text(f'[board]\nkind = "mock"\nprofile = "{board.name}"\nsensed = ["ante"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=sentence):
        load(table, overrides)


def test_a_sensor_at_a_seat_the_table_does_not_have_is_refused(tmp_path: Path) -> None:
    board = profile_file(tmp_path, an_input("1.ante", 4), an_input("2.ante", 5))
    with pytest.raises(ConfigError, match=r"table\.seats: 1, but the board profile small has a sensor 2\.ante"):
        load(None, ["board.kind=mock", f"board.profile={board}", "table.seats=1", 'board.sensed=["ante"]'])
