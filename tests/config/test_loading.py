"""Table files: a good one loads, and each mistake gets one sentence with file, key, problem and remedy."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from felt.config import Config, ConfigError, demo_table, load
from felt.config.against_rules import antes_of
from felt.config.jackpot_file import load_jackpot
from felt.config.loading import DEFAULTS
from felt.config.writing import to_toml
from felt.jackpot.books.terms import AMOUNT_MINOR_MAX, ODDS_TO_ONE_MAX
from felt.rules import shelf
from felt.wiring import table_settings


def table_file(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> ConfigError:
    path = table_file(folder, text)
    with pytest.raises(ConfigError) as caught:
        load(path)
    error = caught.value
    assert error.file == str(path)
    assert str(error).startswith(f"{path}: ")
    assert "\n" not in str(error)
    assert error.remedy
    return error


def test_without_a_file_the_demo_table_is_in_force() -> None:
    config = load(None)
    assert (config.table.id, config.table.seats, config.game.id) == ("T1", 7, "progressive-3-card-poker")
    assert config.board.kind.value == "virtual"
    assert config.game.dealing == "packets"
    assert config.game.limits["ante"].min == 2500
    assert config.progressive.meters["major"].rate_bp == 2000
    assert config.profile is None
    assert config.changed() == {}


def test_a_table_file_stands_over_the_defaults_setting_by_setting(tmp_path: Path) -> None:
    config = load(table_file(tmp_path, '[table]\nid = "T9"\n[lock]\ndrain_ms = 200\n'))
    assert (config.table.id, config.table.seats, config.lock.drain_ms) == ("T9", 7, 200)
    assert config.changed() == {"table": {"id": "T9"}, "lock": {"drain_ms": 200}}


def test_limits_are_taken_whole_from_the_table_file(tmp_path: Path) -> None:
    stated = "ante = { min = 100, max = 200 }\npair_plus = { min = 100, max = 200 }"
    config = load(table_file(tmp_path, f"[game.limits]\n{stated}\n"))
    assert list(config.game.limits) == ["ante", "pair_plus"]
    assert config.changed() == {
        "game": {"limits": {"ante": {"min": 100, "max": 200}, "pair_plus": {"min": 100, "max": 200}}}
    }


def test_an_empty_map_in_the_table_file_empties_the_defaults(tmp_path: Path) -> None:
    error = refusal(tmp_path, "[game.limits]\n")
    assert "limits of the ante bet" in error.problem
    assert "limits of the pair_plus bet" in error.problem


def test_an_override_stands_over_the_table_file(tmp_path: Path) -> None:
    path = table_file(tmp_path, "[lock]\ndrain_ms = 200\n")
    config = load(path, ["lock.drain_ms=300", "table.id=T5", "game.limits.ante.max=90000", "journal.folder=/srv/j"])
    assert (config.lock.drain_ms, config.table.id, config.game.limits["ante"].max) == (300, "T5", 90000)
    assert config.game.limits["ante"].min == 2500
    assert config.path(config.journal.folder) == Path("/srv/j")


def test_the_last_of_two_overrides_wins() -> None:
    assert load(None, ["lock.drain_ms=300", "lock.drain_ms=400"]).lock.drain_ms == 400


def test_paths_are_relative_to_the_table_file(tmp_path: Path) -> None:
    assert load(table_file(tmp_path, "")).path("journal") == tmp_path / "journal"


def test_the_digest_tells_two_configurations_apart_and_nothing_else(tmp_path: Path) -> None:
    same = load(table_file(tmp_path, "# only a comment\n[lock]\ndrain_ms = 120\n"))
    assert same.digest == load(None).digest
    assert load(None, ["lock.drain_ms=121"]).digest != same.digest


@pytest.mark.parametrize(
    ("settle_ms", "drain_ms"),
    [(1, 120), (20, 120), (22, 120), (23, 125), (200, 1_010), (1_000, 5_010)],
)
def test_a_drain_that_nobody_states_follows_the_board(settle_ms: int, drain_ms: int) -> None:
    assert load(None, [f"board.settle_ms={settle_ms}"]).lock.drain_ms == drain_ms


def test_a_drain_of_exactly_five_settle_times_and_delivery_is_long_enough() -> None:
    assert load(None, ["lock.drain_ms=110"]).lock.drain_ms == 110


@pytest.mark.parametrize(
    ("game", "overrides", "antes"),
    [
        ("progressive-3-card-poker", [], "sensed"),
        ("progressive-3-card-poker", ['board.sensed=["progressive"]'], "presumed"),
        ("progressive-3-card-poker", ['board.sensed=["progressive"]', "table.antes=keyed"], "keyed"),
        ("multi-link-3-card-poker", ['board.sensed=["progressive"]'], "presumed"),
        ("california-three-card-poker", [], "sensed"),
        ("lucky-three-pictures", [], "sensed"),
        ("lucky-three-pictures", ["board.sensed=[]"], "presumed"),
        ("stax-three-card", ['board.sensed=["progressive"]'], ""),
    ],
)
def test_how_antes_are_known_follows_the_board(game: str, overrides: list[str], antes: str) -> None:
    assert antes_of(load(demo_table(game), overrides)) == antes


def test_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        load(None).lock.drain_ms = 1  # type: ignore[misc] # that is the point


@pytest.mark.parametrize(
    "overrides",
    [[], ["table.id=T2", "game.readings.envy_to_folded_box=yes"], ['table.currency.sign="\\"€\\\\"']],
)
def test_what_is_printed_loads_as_the_same_configuration(tmp_path: Path, overrides: list[str]) -> None:
    config = load(None, overrides)
    assert load(table_file(tmp_path, to_toml(config.sections()))).digest == config.digest
    assert load(table_file(tmp_path, to_toml(config.changed()))).digest == config.digest


@pytest.mark.parametrize(
    ("text", "key", "problem", "remedy"),
    [
        ("tabel = 1", "tabel", "unknown key", "did you mean table?"),
        ("zzz = 1", "zzz", "unknown key", "remove it"),
        ("[lock]\ndrain_msec = 1", "lock.drain_msec", "unknown key", "did you mean drain_ms?"),
        ('[table.currency]\nname = "x"', "table.currency.name", "unknown key", "remove it"),
        ("[game.limits.ante]\nmin = 1\nmax = 2\nmid = 3", "game.limits.ante.mid", "unknown key", "did you mean"),
        ('[lock]\n"a b" = 1', 'lock."a b"', "unknown key", "remove it"),
        ("lock = 3", "lock", "3 is not a table of names and values", "correct"),
        ('[table]\nseats = "7"', "table.seats", "'7' is not a whole number", "correct"),
        ("[table]\nseats = 7.0", "table.seats", "7.0 is not a whole number", "correct"),
        ("[table]\nseats = true", "table.seats", "True is not a whole number", "correct"),
        ("[table]\nid = 7", "table.id", "7 is not a text", "correct"),
        ('[board]\nsensed = "ante"', "board.sensed", "'ante' is not a list", "correct"),
        ("[board]\nsensed = [1]", "board.sensed.0", "1 is not a text", "correct"),
        ('[board]\nkind = "pigpio"', "board.kind", "'pigpio' is none of virtual, mock, gpiochip, rpigpio", "correct"),
        ('[game]\ndealing = "by_hand"', "game.dealing", "is not a dealing method", "use one of packets, one_by_one"),
        ("[game.limits.ante]\nmin = 1", "game.limits.ante.max", "missing", "add it"),
        ("[progressive.meters.major]\nrate_bp = 1", "progressive.meters.major.reset_minor", "missing", "add it"),
        ("[table]\nseats = 0", "table.seats", "0 is not from 1 to 9", "range"),
        ("[table]\nseats = 10", "table.seats", "10 is not from 1 to 9", "range"),
        ('[table]\nid = "a/b"', "table.id", "'a/b' is not a table id", "write a table id"),
        ('[table.currency]\ncode = "usd"', "table.currency.code", "three capitals", "as in USD"),
        ('[board]\nsensed = ["Ante"]', "board.sensed.0", "'Ante' is not a name", "small letters"),
        ('[board]\nsensed = ["ante", "ante"]', "board.sensed", "twice", "remove one"),
        ("[progressive]\nstake_minor = 0", "progressive.stake_minor", "0 is not from 1", "range"),
        ("[game.limits]\nante = { min = 9, max = 5 }", "game.limits.ante.min", "9 is more than", "raise max"),
        ('[table]\nantes = "presumed"', "table.antes", "the board senses ante", "remove it"),
        (
            '[table]\nantes = "sensed"\n[board]\nsensed = ["progressive"]', "table.antes", "board.sensed lacks ante",
            "add it to board.sensed",
        ),
        ('[table]\nantes = "guessed"', "table.antes", "none of sensed, keyed, presumed", "correct"),
        ("[lock]\ndrain_ms = 109", "lock.drain_ms", "109 is too short", "at least 110"),
        ("[board]\nsettle_ms = 200\n[lock]\ndrain_ms = 120", "lock.drain_ms", "120 is too short", "at least 1010"),
        ("[game.pay_tables]\npair_plus = 3", "game.pay_tables.pair_plus", "is not a pay table", "letter"),
        ("[game.pay_tables]\npair_plus = { pair = 1.5 }", "game.pay_tables.pair_plus.pair", "1.5 is not", "from 1"),
        ("[game.pay_tables]\npair_plus = { pair = -1 }", "game.pay_tables.pair_plus.pair", "-1 is not", "from 1"),
        ("[game.pay_tables]\npair_plus = { pair = 1 }", "game.pay_tables.pair_plus", "'pair_plus' is not a", "remove"),
        ('[game]\nid = "stud"', "game.id", "'stud' is not a game on the shelf", "progressive-3-card-poker"),
        ("[game.limits]\nanti = { min = 1, max = 2 }", "game.limits.anti", "not a wager", "did you mean ante?"),
        ('[board]\nsensed = ["antee"]', "board.sensed.antee", "not a wager", "did you mean ante?"),
        ('[board]\nsensed = ["play"]', "board.sensed.play", "not a wager", "use one of ante, pair_plus, progressive"),
        ('[game.readings]\nmood = "good"', "game.readings.mood", "not a reading of this game", "use one of"),
        ('[game.readings]\nfractional_cent = "up"', "game.readings.fractional_cent", "not a value of this", "down"),
        (
            "[progressive.meters]",
            "progressive.meters",
            "has a meter major that is not set",
            "add [progressive.meters.major]",
        ),
        ('[board]\nprofile = "x"', "board.profile", "the virtual board has no pins", "remove it"),
        ('[board]\nkind = "gpiochip"', "board.profile", "needs a board profile", "name a file"),
        (
            '[bench]\nsocket = "/s"\n[board]\nkind = "mock"\nprofile = "three-seat-header"',
            "bench.socket",
            "alone",
            "remove",
        ),
        ('[board]\nkind = "gpiochip"\nprofile = "three-seat-header"', "shuffler.url", "a real shuffler", "/dev/serial"),
    ],
)
def test_each_mistake_gets_its_sentence(tmp_path: Path, text: str, key: str, problem: str, remedy: str) -> None:
    error = refusal(tmp_path, text)
    assert error.key == key
    assert problem in error.problem
    assert remedy in error.remedy


METER = """[progressive.meters.major]
reset_minor = {reset}
rate_bp = {rate}
reserve_bp = {reserve}
limit_minor = {limit}
"""


@pytest.mark.parametrize(
    ("reset", "rate", "reserve", "limit", "key"),
    [
        (100, 500, 501, 0, "progressive.meters.major.reserve_bp"),
        (100, 500, 0, 99, "progressive.meters.major.limit_minor"),
        (100, 10001, 0, 0, "progressive.meters.major.rate_bp"),
        (-1, 500, 0, 0, "progressive.meters.major.reset_minor"),
    ],
)
def test_a_meter_that_contradicts_itself_is_refused(
    tmp_path: Path, reset: int, rate: int, reserve: int, limit: int, key: str
) -> None:
    assert refusal(tmp_path, METER.format(reset=reset, rate=rate, reserve=reserve, limit=limit)).key == key


def test_meters_that_grow_by_more_than_the_stake_are_refused(tmp_path: Path) -> None:
    two = METER.format(reset=1, rate=6000, reserve=0, limit=0)
    error = refusal(tmp_path, two + two.replace("major", "minor"))
    assert error.key == "progressive.meters"
    assert "12000" in error.problem


def test_another_game_starts_without_the_demo_games_limits() -> None:
    with pytest.raises(ConfigError, match=r"override game\.id=stud: game\.id: 'stud' is not a game"):
        load(None, ["game.id=stud"])


@pytest.mark.parametrize("text", ["[table", "a = ", "a = 1\na = 2", "a = 2020-13-45", "x = " + "9" * 5000, "[" * 3000])
def test_what_is_not_toml_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).key == ""


def test_a_deeply_nested_file_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in refusal(tmp_path, "a = " + "[" * 5000 + "]" * 5000).problem


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b'[table]\nid = "\xff"\n')
    with pytest.raises(ConfigError, match=r"table\.toml: byte 14 is not UTF-8; save the file"):
        load(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: the file cannot be read \(No such file or directory\)"):
        load(tmp_path / "none.toml")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is a folder; name the file in it"):
        load(tmp_path)


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="not a regular file"):
        load(tmp_path / "pipe")


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    assert "more than 1000000 bytes" in refusal(tmp_path, "#" * 1_000_001).problem


def test_a_section_in_the_wrong_place_is_not_repeated_in_full(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f"[table]\nseats = {list(range(5000))}").problem) < 400


@pytest.mark.parametrize(
    "override",
    [
        "",
        "lock",
        "lock.drain_ms",
        "=3",
        "lock.=3",
        "drain_ms=3",
        "table.id.x=1",
        "lock.drain=3",
        "lock.drain_ms=soon",
        "table.id=\udcff",
    ],
)
def test_a_wrong_override_is_named(override: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(None, [override])
    assert caught.value.file.startswith("override ")


KEYS = st.sampled_from(
    "table game progressive board lock shuffler journal jackpot link bench id seats currency limits meters major "
    "profile kind sensed drain_ms ante readings pay_tables".split()
) | st.text(max_size=8)
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
JUNK = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


def as_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_toml(str(name))} = {as_toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value if not 0xD800 <= ord(letter) < 0xE000) + '"'
    return {None: "1.5", True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload, no-any-return] # any leaf


def loads_or_refuses(path: Path) -> None:
    try:
        assert isinstance(load(path), Config)
    except ConfigError as error:
        assert str(error).startswith(str(path.parent))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=st.dictionaries(KEYS, JUNK, max_size=5))
def test_junk_in_the_shape_of_toml_gives_a_sentence_and_nothing_else(
    tmp_path: Path, document: dict[str, object]
) -> None:
    text = "\n".join(f"{as_toml(name)} = {as_toml(value)}" for name, value in document.items())
    loads_or_refuses(table_file(tmp_path, text))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=60), place=st.integers(0, 2000), cut=st.integers(0, 200))
def test_a_damaged_table_file_gives_a_sentence_and_nothing_else(
    tmp_path: Path, junk: bytes, place: int, cut: int
) -> None:
    whole = DEFAULTS.read_bytes()
    path = tmp_path / "table.toml"
    path.write_bytes(whole[:place] + junk + whole[place + cut :])
    loads_or_refuses(path)


@settings(max_examples=100, deadline=None)
@given(
    key=st.sampled_from(["table.id", "lock.drain_ms", "board.sensed", "game.limits.ante.max", "x.y"]) | st.text(),
    value=st.text(),
)
def test_junk_as_an_override_gives_a_sentence_and_nothing_else(key: str, value: str) -> None:
    try:
        load(None, [f"{key}={value}"])
    except ConfigError as error:
        assert str(error)


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_game_has_a_built_in_table_that_is_good(game: str) -> None:
    assert load(demo_table(game)).game.id == game


def test_a_table_that_lacks_what_its_game_needs_is_refused_with_the_whole_list(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    meter = "[progressive.meters.major]\nreset_minor = 1\nrate_bp = 1\nreserve_bp = 0\nlimit_minor = 0\n"
    file.write_text(f'[game]\nid = "california-three-card-poker"\ndealing = "card_room"\n{meter}')
    with pytest.raises(ConfigError) as caught:
        load(file, ["board.sensed=['ante']"])
    for missing in ("pay table in force for pair_plus", "pay table in force for six_card_bonus", "envy", "limits of"):
        assert missing in str(caught.value)


def test_a_dealing_method_that_the_book_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigError, match="'card_room' is not a dealing method of progressive-3-card-poker"):
        load(None, ["game.dealing=card_room"])


@pytest.mark.parametrize(
    "reading",
    [
        "increment_timing=after_settlement",
        "same_level_hits=split_equally",
        "fractional_cent=nearest",
        "void_after_award=take_back_what_is_left",
    ],
)
def test_a_live_jackpot_follows_the_readings_of_its_meters(reading: str) -> None:
    name, _, value = reading.partition("=")
    config = load(demo_table("stax-three-card"), [f"game.readings.{reading}"])
    assert {getattr(terms, name) for terms in table_settings.meter_terms_of(config)} == {value}


def test_a_tables_own_controller_takes_changed_terms_when_the_reading_says() -> None:
    config = load(None, ["game.readings.terms_take_effect=at_clear_only"])
    assert table_settings.procedure_of(config).terms_take_effect == "at_clear_only"
    assert table_settings.procedure_of(load(None)).terms_take_effect == "next_cycle"


@pytest.mark.parametrize(
    ("meter", "problem"),
    [
        ("base_minor=900\nlimit_minor=800", "800 is below base_minor = 900"),
        ("threshold_minor=499", "499 is below the stake itself, 500"),
        ("odds_to_one=100000001", "100000001 is not from 0 to 100000000"),
        ('secondary_award="a\\nb"', "is not one line of text"),
    ],
)
def test_a_meter_that_no_approver_would_pass_is_refused(tmp_path: Path, meter: str, problem: str) -> None:
    file = tmp_path / "table.toml"
    whole = "reset_minor=100\nrate_bp=100\nreserve_bp=0\n" + ("" if "limit" in meter else "limit_minor=0\n")
    file.write_text(f"[progressive.meters.major]\n{whole}{meter}\n")
    with pytest.raises(ConfigError, match=re.escape(problem)):
        load(file)


PRINTED_RESETS = {"star": 100_000, "spade": 50_000, "heart": 40_000, "diamond": 25_000}
PRINTED_RATES_BP = {"star": 500, "spade": 500, "heart": 700, "diamond": 600}
OTHER_APPROVAL = ["game.readings.printed_progressive_terms=other_approval", 'progressive.approval="Letter 17 of 2026"']


@pytest.mark.parametrize("level", PRINTED_RESETS)
@pytest.mark.parametrize("key", ["reset_minor", "rate_bp"])
@pytest.mark.parametrize("by", [-1, 1])
def test_a_term_that_table_5_prints_is_refused_when_configured_differently(level: str, key: str, by: int) -> None:
    printed = (PRINTED_RESETS if key == "reset_minor" else PRINTED_RATES_BP)[level]
    other = [f"progressive.meters.{level}.{key}={printed + by}"]
    with pytest.raises(ConfigError, match=f"{printed + by} is not what Table 5 prints") as caught:
        load(demo_table("stax-three-card"), other)
    assert f"set it to {printed}" in caught.value.remedy
    with pytest.raises(ConfigError, match="Table 5 prints"):  # naming an approval is not enough, nor is the reading
        load(demo_table("stax-three-card"), [*other, OTHER_APPROVAL[1]])
    with pytest.raises(ConfigError, match=re.escape("progressive.approval")):
        load(demo_table("stax-three-card"), [*other, OTHER_APPROVAL[0]])
    assert load(demo_table("stax-three-card"), [*other, *OTHER_APPROVAL])


def test_a_reserve_is_a_part_of_the_printed_rate_and_never_comes_on_top() -> None:
    for reserve_bp in (0, 200, 500):
        assert load(demo_table("stax-three-card"), [f"progressive.meters.star.reserve_bp={reserve_bp}"])
    on_top = ["progressive.meters.star.reserve_bp=200", "progressive.meters.star.rate_bp=700"]
    with pytest.raises(ConfigError, match="700 is not what Table 5 prints"):
        load(demo_table("stax-three-card"), on_top)
    with pytest.raises(ConfigError, match="501 is more than the whole growth"):
        load(demo_table("stax-three-card"), ["progressive.meters.star.reserve_bp=501"])


def test_printed_resets_are_in_the_currency_of_the_table() -> None:
    yen = 'table.currency={ code = "JPY", sign = "¥", minor_digits = 0 }'
    with pytest.raises(ConfigError, match="100000 is not what Table 5 prints"):
        load(demo_table("stax-three-card"), [yen])
    whole = [f"progressive.meters.{level}.reset_minor={reset // 100}" for level, reset in PRINTED_RESETS.items()]
    assert load(demo_table("stax-three-card"), [yen, "progressive.stake_minor=5", *whole])


@pytest.mark.parametrize(
    ("dealers", "problem"),
    [
        ('Kim = "123"', "cannot be typed"),
        ('Kim = "1234567"', "cannot be typed"),
        ('Kim = "1238"', "cannot be typed"),  # the table has seven boxes
        ('Kim = "1230"', "cannot be typed"),
        ('Kim = "12a4"', "cannot be typed"),
        ('Kim = "1234"\nLee = "12345"', "begins with that of Kim"),
        ('Kim = "1234"\nLee = "1234"', "begins with that of"),
        ('"Kim Lee" = "1234"', "is not a name"),
    ],
)
def test_a_code_that_cannot_sign_anybody_in_is_refused_and_never_repeated(
    tmp_path: Path, dealers: str, problem: str
) -> None:
    error = refusal(tmp_path, f"[dealers]\n{dealers}\n")
    assert problem in str(error)
    assert "123" not in str(error).replace(str(tmp_path), "")  # the folder of a test may be number 123


@pytest.mark.parametrize("name", ["reset_minor", "limit_minor", "base_minor", "threshold_minor", "odds_to_one"])
def test_the_range_of_a_meters_amount_is_what_a_ledger_takes(tmp_path: Path, name: str) -> None:
    most = ODDS_TO_ONE_MAX if name == "odds_to_one" else AMOUNT_MINOR_MAX
    meter = {"reset_minor": 1, "rate_bp": 1, "reserve_bp": 0, "limit_minor": 0, name: most}
    text = "".join(f"{key} = {value}\n" for key, value in meter.items())
    above = text.replace(f"{name} = {most}", f"{name} = {most + 1}")
    error = refusal(tmp_path, f"[progressive.meters.major]\n{above}")
    assert (error.key, error.problem) == (f"progressive.meters.major.{name}", f"{most + 1} is not from 0 to {most}")
    path = tmp_path / "jackpot.toml"
    path.write_text(f"[tables.T1]\n[meters.major]\n{text}")
    load_jackpot(path)
    path.write_text(f"[tables.T1]\n[meters.major]\n{above}")
    with pytest.raises(ConfigError, match=f"meters.major.{name}: {most + 1} is not from 0 to {most}"):
        load_jackpot(path)
