"""Board profiles: one owner for each line, and a table that matches its board."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.config import ConfigError, load
from felt.config.boards import HEADER_CHIPS, BoardProfile, find_profile, load_profile

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


@pytest.mark.parametrize(
    ("name", "sensed", "lines"),
    [("seven-seat-expander", ["progressive"], 37), ("seven-seat-ante", ["ante", "progressive"], 52)],
)
def test_the_seven_seat_boards_carry_a_table_of_seven_with_the_whole_panel(
    name: str, sensed: list[str], lines: int
) -> None:
    kinds = ", ".join(f'"{kind}"' for kind in sensed)
    profile = load(None, ["board.kind=mock", f"board.profile={name}", f"board.sensed=[{kinds}]"]).profile
    assert isinstance(profile, BoardProfile)
    panel = "open no_more_bets collect cards_seen reveal settle void misdeal fold play other count_mismatch"
    keys = [*panel.split(), "supervisor", "door", *(f"seat_{seat}" for seat in range(1, 8))]
    spots = [f"{seat}.{kind}" for seat in range(1, 8) for kind in sensed]
    assert sorted(line.name for line in profile.input) == sorted([*spots, *(f"key.{key}" for key in keys)])
    lamps = {line.name for line in profile.output}
    assert {"buzzer", "key.no_more_bets", *(f"{seat}.progressive" for seat in range(1, 8))} <= lamps
    assert len(profile.input) + len(profile.output) == lines


def test_the_lock_key_of_every_shipped_board_has_the_kernels_own_stamps() -> None:
    for path in SHIPPED.glob("*.toml"):
        (lock_key,) = (line for line in load_profile(path).input if line.name == "key.no_more_bets")
        assert lock_key.chip in HEADER_CHIPS


def test_a_line_used_twice_names_both_owners_and_the_remedy(tmp_path: Path) -> None:
    path = profile_file(tmp_path, an_input("3.progressive", 17), an_output("key.open", 17))
    assert str(refusal(path)) == (
        f"{path}: output.0.line: line 17 of pinctrl-bcm2711 is assigned to output key.open but belongs to "
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


def an_expander(chip: str = "mcp23017", address: int = 0x20, interrupt_line: int = 4) -> str:
    return f'[[expander]]\nchip = "{chip}"\nkind = "mcp23017"\naddress = {address}\ninterrupt_line = {interrupt_line}\n'


@pytest.mark.parametrize("line", [2, 3])
def test_an_expander_takes_the_bus_it_hangs_on(tmp_path: Path, line: int) -> None:
    path = profile_file(tmp_path, an_input("key.open", line), an_input("1.ante", 0, chip="mcp23017"))
    error = refusal(path)
    assert "input key.open" in error.problem
    assert "the I2C bus of mcp23017" in error.problem
    assert load_profile(profile_file(tmp_path, an_input("key.open", line))).input


def test_an_expander_takes_its_interrupt_line(tmp_path: Path) -> None:
    error = refusal(profile_file(tmp_path, an_input("key.open", 4), an_expander()))
    assert "input key.open" in error.problem
    assert "the interrupt of mcp23017" in error.problem


@pytest.mark.parametrize(
    ("second", "key", "problem"),
    [
        (an_expander("mcp23017@1-0021", 0x21, 4), "expander.1.interrupt_line", "but belongs to the interrupt of"),
        (an_expander("mcp23017@1-0020", 0x21, 5), "expander.1.chip", "mcp23017@1-0020 is not at address 0x21"),
        (an_expander("mcp23017@1-0020", 0x20, 5), "expander.1.chip", "is already expander.0"),
        (an_expander("other", 0x20, 5), "expander.1.address", "0x20 is already expander.0"),
        (an_expander("mcp23017@1-0021", 0x21, 14), "expander.1.interrupt_line", "the maintenance console"),
        (an_expander("mcp23017@1-0021", 0x21, 3), "expander.1.interrupt_line", "the I2C bus"),
        (an_expander("mcp23017@1-0021", 0x31, 5), "expander.1.address", "is not from 32 to 39"),
    ],
)
def test_two_expanders_share_nothing(tmp_path: Path, second: str, key: str, problem: str) -> None:
    first = an_expander("mcp23017@1-0020", 0x20, 4)
    error = refusal(
        profile_file(tmp_path, an_input("1.ante", 0, chip="mcp23017@1-0020"), first, second, console_uart="true")
    )
    assert error.key == key
    assert problem in error.problem


@pytest.mark.parametrize(
    ("line", "key", "problem"),
    [
        (an_input("1.ante", 16, chip="mcp23017"), "input.0.line", "mcp23017 has no line 16"),
        (an_input("1.ante", 7, chip="mcp23017"), "input.0.line", "which may only be an output"),
        (an_input("1.ante", 15, chip="mcp23017"), "input.0.line", "which may only be an output"),
        (an_input("1.ante", 3, chip="mcp23017", pull="down"), "input.0.pull", "mcp23017 has no pull-downs"),
    ],
)
def test_what_an_expander_cannot_do_is_refused(tmp_path: Path, line: str, key: str, problem: str) -> None:
    error = refusal(profile_file(tmp_path, line, an_expander()))
    assert error.key == key
    assert problem in error.problem
    assert load_profile(profile_file(tmp_path, an_output("1.ante", 7, chip="mcp23017"), an_expander())).output


def a_feedback(line: int, chip: str = "mcp23017", pull: str = "up") -> str:
    return f'feedback = {{ chip = "{chip}", line = {line}, pull = "{pull}", active = "low" }}\n'


def test_an_expander_of_lamps_and_feedbacks_needs_no_interrupt(tmp_path: Path) -> None:
    silent = an_expander().replace("interrupt_line = 4\n", "")
    lamp = an_output("1.progressive", 5) + a_feedback(3)
    profile = load_profile(profile_file(tmp_path, lamp, silent))
    assert profile.feedbacks()["1.progressive"].line == 3
    error = refusal(profile_file(tmp_path, an_input("1.ante", 0, chip="mcp23017"), silent))
    assert error.problem == "input 1.ante has edges, but mcp23017 has no interrupt_line to signal them"


@pytest.mark.parametrize(
    ("lamp", "key", "problem"),
    [
        (an_output("1.ante", 5) + a_feedback(7), "output.0.feedback.line", "which may only be an output"),
        (an_output("1.ante", 5) + a_feedback(3, pull="down"), "output.0.feedback.pull", "has no pull-downs"),
        (an_output("1.ante", 5) + a_feedback(5, "pinctrl-bcm2711"), "output.0.feedback.line", "to output 1.ante"),
        (an_output("key.open", 5) + a_feedback(3), "output.0.feedback", "key.open is not a coin spot's lamp"),
    ],
)
def test_a_feedback_that_cannot_be_is_refused(tmp_path: Path, lamp: str, key: str, problem: str) -> None:
    error = refusal(profile_file(tmp_path, lamp, an_expander()))
    assert error.key == key
    assert problem in error.problem


def test_the_pull_ups_on_the_pi_cannot_be_turned_off(tmp_path: Path) -> None:
    error = refusal(profile_file(tmp_path, an_input("key.open", 2, pull="none")))
    assert (error.key, error.problem) == ("input.0.pull", "none, but line 2 has a pull-up resistor on the Pi itself")


def test_a_board_has_one_header(tmp_path: Path) -> None:
    path = profile_file(tmp_path, an_input("1.ante", 5), an_input("2.ante", 6, chip="pinctrl-rp1"))
    assert "pinctrl-bcm2711 and pinctrl-rp1" in refusal(path).problem


def test_the_buzzer_is_an_output_and_nothing_else(tmp_path: Path) -> None:
    assert load_profile(profile_file(tmp_path, an_output("buzzer", 5))).output[0].name == "buzzer"
    assert refusal(profile_file(tmp_path, an_input("buzzer", 5))).key == "input.0.name"


def test_only_a_sensor_with_a_lamp_is_sampled_in_its_dark(tmp_path: Path) -> None:
    sampled = an_input("1.progressive", 5, late_ms_max=20) + "sampled_dark = true\n"
    assert refusal(profile_file(tmp_path, sampled)).key == "input.0.sampled_dark"
    assert load_profile(profile_file(tmp_path, sampled, an_output("1.progressive", 6))).input[0].sampled_dark
    hasty = an_input("1.progressive", 5, late_ms_max=5) + "sampled_dark = true\n"
    assert refusal(profile_file(tmp_path, hasty, an_output("1.progressive", 6))).key == "input.0.late_ms_max"


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


def test_a_missing_profile_is_refused_with_the_places_searched(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hw/boards/none\.toml: board\.profile: .*three-seat-header"):
        load(None, ["board.kind=mock", "board.profile=none"])


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ([], "board.profile: the board profile small has no sensor 2.ante"),
        (["table.seats=1", "board.sensed=[]"], "board.sensed: ante is missing, but .* has a sensor 1.ante"),
        (
            ["table.seats=1", "lock.drain_ms=35"],
            "lock.drain_ms: 35 is too short for lines that settle in 20 ms and are up to 5 ms late: "
            ".* are 115 ms; make it at least 115",
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
