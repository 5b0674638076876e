"""The shelf, the readings and the terms that a house must set."""

from __future__ import annotations

from datetime import datetime

import pytest

from felt.nouns.values import Value, read, replace, to_bytes
from felt.rules import shelf
from felt.rules.rulebook import Line, RulesError, Terms, missing_terms, readings_in_force
from tests.rules.rounds import CALIFORNIA, CALIFORNIA_TERMS, MULTI_LINK, PROGRESSIVE, RWS_TERMS, STAX, box, deal


def test_five_games_stand_on_the_shelf() -> None:
    assert shelf.GAMES == (
        "progressive-3-card-poker",
        "lucky-three-pictures",
        "multi-link-3-card-poker",
        "california-three-card-poker",
        "stax-three-card",
    )


def test_an_unknown_game_is_refused_with_the_known_games() -> None:
    with pytest.raises(RulesError, match="not a game on the shelf: use one of progressive-3-card-poker"):
        shelf.rulebook("baccarat")


def test_the_version_is_chosen_by_the_time_of_the_round() -> None:
    assert shelf.rulebook(MULTI_LINK, "2024-01-04T08:00:00+08:00").version == "4"
    with pytest.raises(RulesError, match="no version of multi-link-3-card-poker was in force"):
        shelf.rulebook(MULTI_LINK, "2024-01-04T07:59:59+08:00")


@pytest.mark.parametrize("text", ["yesterday", "2024-01-04T08:00:00"])
def test_a_bad_time_or_one_without_a_zone_is_refused(text: str) -> None:
    with pytest.raises(RulesError, match="write it as"):
        shelf.rulebook(MULTI_LINK, text)


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_game_states_all_its_parts(game: str) -> None:
    book = shelf.rulebook(game)
    names = [reading.name for reading in book.readings]
    assert len(set(names)) == len(names)
    for reading in book.readings:
        assert reading.default not in reading.alternatives
        assert reading.alternatives
        assert reading.paragraph
        assert reading.meaning.endswith(".")
    assert all(wager.paragraph and wager.title for wager in book.wagers)
    assert all(table.paragraph and table.rows for table in book.pay_tables)


ENVY = (PROGRESSIVE, CALIFORNIA)
JACKPOT = (PROGRESSIVE, MULTI_LINK, CALIFORNIA, STAX)
ANTE = (PROGRESSIVE, shelf.GAMES[1], MULTI_LINK, CALIFORNIA)
FOUND_BY_PLAYING = {  # the house's choices that playing the books has added: default first, and the games they concern
    "community_discard": ("dealer_says", "last", (MULTI_LINK,)),
    "unshown_hand": ("loses_side_bets", "settled_by_machine", (PROGRESSIVE, MULTI_LINK)),
    "unshown_ante_and_play": ("settled", "folded", (PROGRESSIVE,)),
    "envy_after_denial": ("only_if_the_hand_stands", "always", "never", ENVY),
    "presumed_ante": ("only_where_none_is_sensed_or_keyed", "never", ANTE),
    "exposed_one_by_one": ("counts_together", "each_alone", JACKPOT),
    "void_after_reveal": ("shift_manager", "supervisor", shelf.GAMES),
    "return_without_error": ("shift_manager", "supervisor", shelf.GAMES),
    "uncovered_correction": ("shift_manager", "supervisor", shelf.GAMES),
    "void_after_award": ("house_makes_good", "take_back_what_is_left", JACKPOT),
    "terms_take_effect": ("next_cycle", "at_clear_only", JACKPOT),
    "printed_progressive_terms": ("as_printed", "other_approval", (STAX,)),
    "link_lost_in_betting": ("coin_spots_close_at_once", "void_5_16", JACKPOT),
}


@pytest.mark.parametrize("name", FOUND_BY_PLAYING)
def test_a_reading_stands_with_its_default_and_alternatives_in_the_games_that_it_concerns(name: str) -> None:
    *values, games = FOUND_BY_PLAYING[name]
    for game in shelf.GAMES:
        found = [reading for reading in shelf.rulebook(game).readings if reading.name == name]
        assert [[reading.default, *reading.alternatives] for reading in found] == ([values] if game in games else [])


def test_unknown_readings_and_values_are_refused() -> None:
    book = shelf.rulebook(PROGRESSIVE)
    assert readings_in_force(book, Terms())["pj_stake_on_win"] == "kept"
    with pytest.raises(RulesError, match="'stax_hand' is not a reading of progressive-3-card-poker"):
        readings_in_force(book, Terms(readings=(("stax_hand", "player_three"),)))
    with pytest.raises(RulesError, match="use one of kept, returned"):
        readings_in_force(book, Terms(readings=(("pj_stake_on_win", "burnt"),)))


@pytest.mark.parametrize("game", shelf.GAMES)
def test_a_table_without_terms_is_told_everything_that_is_missing(game: str) -> None:
    book = shelf.rulebook(game)
    sentences = missing_terms(book, Terms())
    assert len(sentences) == len(book.needs) > 0
    assert all(sentence.startswith(f"{game} needs ") for sentence in sentences)


def test_what_the_house_has_set_is_no_longer_missing() -> None:
    complete = replace(RWS_TERMS, rates_bp=(("major", 2000),))
    assert missing_terms(shelf.rulebook(PROGRESSIVE), complete) == []
    assert missing_terms(shelf.rulebook(PROGRESSIVE), RWS_TERMS) == [
        "progressive-3-card-poker needs the growth rate of the meter major"
    ]
    missing = missing_terms(shelf.rulebook(CALIFORNIA), replace(CALIFORNIA_TERMS, envy=None))
    assert "california-three-card-poker needs the amount of the envy award" in missing


def test_the_stax_meters_are_printed_and_need_not_be_set() -> None:
    assert not any("meter" in sentence for sentence in missing_terms(shelf.rulebook(STAX), Terms()))


class Kept(Value):
    lines: tuple[Line, ...]
    terms: Terms


def test_lines_and_terms_are_read_back_as_they_were_written() -> None:
    dealt = deal("Js Ts 2d", box("As Ks Qs", ante=None, play=None, progressive=None))
    lines = shelf.rulebook(PROGRESSIVE).settle(dealt, RWS_TERMS)
    kept = Kept(lines, CALIFORNIA_TERMS)
    assert read(Kept, to_bytes(kept)) == kept


def test_the_wall_clock_chooses_the_version_in_force() -> None:
    day_of_multi_link = datetime.fromisoformat(shelf.rulebook("multi-link-3-card-poker").effective)
    wall_ns = int(day_of_multi_link.timestamp()) * 10**9
    in_force = shelf.rulebook_at("multi-link-3-card-poker", wall_ns)
    assert in_force is not None
    assert in_force.version == "4"
    assert shelf.rulebook_at("multi-link-3-card-poker", wall_ns - 1_000) is None


def test_an_edition_is_found_by_its_version_and_no_other() -> None:
    assert shelf.edition("progressive-3-card-poker", "5").version == "5"
    with pytest.raises(RulesError, match="no version '6'"):
        shelf.edition("progressive-3-card-poker", "6")
