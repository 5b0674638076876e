"""What may follow a mistake with the cards: every combination has an answer, and where the books force an option only
that one is offered."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from felt.nouns.values import replace
from felt.rules.authority import Authority, may
from felt.rules.mishaps import Mishap
from felt.rules.remedies import (
    CHOICES,
    CONTINUE,
    INVALIDATE,
    PICTURES,
    READINGS,
    RECORD_CORRECTION,
    RWS,
    STAND,
    VOID,
    Case,
    Place,
    Players,
    Remedy,
    Stage,
)
from felt.rules.remedy_rows import GAMES, remedy_of, rows_of
from felt.rules.shelf import rulebook
from felt.trace.catalogue import load_books

TOP = Path(__file__).resolve().parent.parent.parent
POKER = ("progressive-3-card-poker", "multi-link-3-card-poker")
PICTURES_GAME = "lucky-three-pictures"
PRINTED = (*POKER, PICTURES_GAME)
CURRENT = (Stage.BEFORE_LOCK, Stage.IN_PLAY, Stage.SETTLED)
CASES = [
    Case(*case, correctable=case[-1])
    for case in product(Stage, (False, True), Place, (None, True, False), (False, True))
]


def _readings() -> Iterator[dict[str, str]]:
    """The defaults, each other reading alone, and all of them together."""
    yield {}
    for name, (_, other) in READINGS.items():
        yield {name: other}
    yield {name: other for name, (_, other) in READINGS.items()}


class Tried(NamedTuple):
    game: str
    mishap: Mishap
    case: Case
    readings: dict[str, str]
    remedy: Remedy


def _every() -> Iterator[Tried]:
    for game, mishap, case in product(GAMES, Mishap, CASES):
        for readings in _readings():
            yield Tried(game, mishap, case, readings, remedy_of(game, mishap, case, readings))


EVERY = list(_every())


def _said(tried: Tried) -> str:
    return f"{tried.game} {tried.mishap} {tried.case} {tried.readings}: {tried.remedy}"


# --- every combination --------------------------------------------------------------------------------


def test_every_combination_has_an_answer_with_a_paragraph_for_each_option() -> None:
    wanting = [
        _said(tried)
        for tried in EVERY
        if not tried.remedy.options or not all(option.paragraph for option in tried.remedy.options)
    ]
    assert wanting == []


def test_every_paragraph_stands_in_the_catalogue_of_its_book() -> None:
    printed = {book.game: {entry.id for entry in book.entry} for book in load_books() if book.game}
    unknown = {
        (game, paragraph)
        for game, _, _, _, remedy in EVERY
        if game in PRINTED
        for option in remedy.options
        for paragraph in (option.paragraph, option.goes_on_by, option.returns_by)
        if paragraph and paragraph not in printed[game]
    }
    assert unknown == set()


def test_books_without_irregularities_are_never_cited_for_them() -> None:
    quoted = {
        option.paragraph for game, _, _, _, remedy in EVERY if game not in PRINTED for option in remedy.options
    }
    assert {text for text in quoted if not text.startswith("house procedure")} == set()


def test_every_option_is_a_known_one_and_is_offered_once() -> None:
    odd = [_said(tried) for tried in EVERY if len(set(tried.remedy.choices)) != len(tried.remedy.choices)]
    assert odd == []
    assert {choice for tried in EVERY for choice in tried.remedy.choices} == set(CHOICES)


def test_where_nothing_is_asked_there_is_one_option() -> None:
    assert [_said(tried) for tried in EVERY if not tried.remedy.asks and len(tried.remedy.options) != 1] == []


def test_nobody_below_a_supervisor_decides_and_what_no_paragraph_covers_is_the_shift_managers() -> None:
    for tried in EVERY:
        game, remedy = tried.game, tried.remedy
        uncovered = {"progressive-3-card-poker": RWS, "multi-link-3-card-poker": RWS, PICTURES_GAME: PICTURES}.get(game)
        for option in remedy.options:
            assert not may(Authority.DEALER, option.who)
            if uncovered and option.paragraph == uncovered.uncovered and remedy.asks:
                corrects = option.choice == RECORD_CORRECTION
                reading = tried.readings if corrects else {}
                least = reading.get("uncovered_correction", Authority.SHIFT_MANAGER)
                assert option.who == least, _said(tried)


def test_a_hand_is_invalidated_only_where_there_is_one() -> None:
    odd = [
        _said(tried) for tried in EVERY if INVALIDATE in tried.remedy.choices and tried.case.place is not Place.BOX
    ]
    assert odd == []


def test_players_choose_only_between_the_lock_and_the_settlement() -> None:
    odd = [
        _said(tried)
        for tried in EVERY
        if tried.case.stage is not Stage.IN_PLAY
        and any(option.players is not Players.NOBODY for option in tried.remedy.options)
    ]
    assert odd == []


def test_a_jackpot_that_is_paid_is_never_voided() -> None:
    assert [_said(tried) for tried in EVERY if tried.case.jackpot_paid and VOID in tried.remedy.choices] == []


def test_after_a_paid_jackpot_what_would_have_voided_is_recorded_as_a_correction() -> None:
    """The round stands, and the shift manager records what was paid and what was due (5.23; 001 5.16)."""
    for game, mishap, case, readings in product(GAMES, Mishap, CASES, _readings()):
        if not case.jackpot_paid:
            continue
        unpaid = remedy_of(game, mishap, replace(case, jackpot_paid=False, correctable=False), readings)
        paid = remedy_of(game, mishap, case, readings)
        assert (RECORD_CORRECTION in paid.choices) == (VOID in unpaid.choices)
        if RECORD_CORRECTION in paid.choices:
            assert paid.option(RECORD_CORRECTION).who == readings.get("uncovered_correction", Authority.SHIFT_MANAGER)


def test_the_hand_of_a_claim_never_leaves_the_round_and_the_rest_is_the_shift_managers() -> None:
    for game, mishap, case, readings in product(GAMES, Mishap, CASES, _readings()):
        usual = remedy_of(game, mishap, case, readings)
        claimed = remedy_of(game, mishap, replace(case, claims=True), readings)
        assert INVALIDATE not in claimed.choices
        if INVALIDATE in usual.choices:
            others = [option for option in claimed.options if option.choice != RECORD_CORRECTION]
            assert {option.who for option in others} == {Authority.SHIFT_MANAGER}
        else:
            assert claimed == usual


def test_an_earlier_round_stands() -> None:
    """5.8, 5.19 and similar ones: only a wrong number of cards reaches back, and only until the next round opens."""
    for tried in EVERY:
        _, mishap, case, readings, remedy = tried
        if case.stage is Stage.LATER:
            assert (remedy.choices, remedy.asks) == ((STAND,), False), _said(tried)
        if case.stage is Stage.ENDED and remedy.choices != (STAND,) and not case.jackpot_paid:
            counts = (Mishap.WRONG_COUNT, Mishap.DEALER_COUNT, Mishap.EXCESS_CARD)
            assert mishap in counts, _said(tried)
            assert readings.get("void_window") != "until_end_round", _said(tried)


# --- what the books force, in play ----------------------------------------------------------------------


def _in_play(game: str, mishap: Mishap, seen: tuple[bool, ...] = (False, True)) -> Iterator[Remedy]:
    for was_seen, reconstructable in product(seen, (None, True, False)):
        yield remedy_of(game, mishap, Case(Stage.IN_PLAY, was_seen, Place.BOX, reconstructable), {})


@pytest.mark.parametrize(
    ("mishap", "poker", "pictures"),
    [
        (Mishap.FOREIGN_CARD, "5.8.1", "5.5.1"),
        (Mishap.DUPLICATE_CARD, "5.8.1", "5.5.1"),
        (Mishap.WRONG_DECK_COUNT, "5.8.3", "5.5.2"),
        (Mishap.SHORT_DEAL, "5.8.4", "5.5.5"),
        (Mishap.NOT_SHUFFLED, "5.8.5", "5.5.3"),
    ],
)
def test_what_spoils_the_deck_is_void_and_nothing_else_in_every_phase(
    mishap: Mishap, poker: str, pictures: str
) -> None:
    for game, stage, seen in product(PRINTED, CURRENT, (False, True)):
        remedy = remedy_of(game, mishap, Case(stage, seen), {})
        paragraph = poker if game in POKER else pictures
        assert [(o.choice, o.paragraph) for o in remedy.options] == [(VOID, paragraph)]


def test_play_goes_on_after_an_exposed_card_once_anybody_has_seen_his_cards() -> None:
    for game, mishap in product(POKER, (Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS)):
        for remedy in _in_play(game, mishap, seen=(True,)):
            assert ([(o.choice, o.paragraph) for o in remedy.options], remedy.asks) == ([(CONTINUE, "5.12")], False)


def test_a_card_face_up_in_the_shoe_and_a_chip_in_error_never_stop_play() -> None:
    for game in PRINTED:
        paragraphs = PICTURES if game == PICTURES_GAME else RWS
        for mishap, paragraph in ((Mishap.FACE_UP_CARD, paragraphs.face_up), (Mishap.CHIP_IN_ERROR, paragraphs.chips)):
            for remedy in _in_play(game, mishap):
                told = [(o.choice, o.paragraph) for o in remedy.options]
                assert (told, remedy.asks) == ([(CONTINUE, paragraph)], False)


# The options that the books print while nobody has seen his cards, and once somebody has, before anybody has judged
# whether the cards can be put right. Choices, the question's paragraph, who chooses afterwards, and the paragraph by
# which he goes on.
PRINTED_OPTIONS = [
    ("exposed_card", "000", False, "players_choose 5.10 affected 5.10.1"),
    ("exposed_card", "002", False, "players_choose 5.12 affected 5.10.1"),
    ("exposed_card", "001", False, "players_choose 5.6 all 5.6.1"),
    ("exposed_card", "001", True, "players_choose 5.6 all 5.6.1"),
    ("exposed_cards", "000", False, "void 5.8.2"),
    ("exposed_cards", "002", False, "void 5.8.2"),
    ("exposed_cards", "001", False, "players_choose 5.6 all 5.6.1"),
    ("missed_burn", "000", False, "reconstruct 5.9 all 5.10.2, void 5.9"),
    ("missed_burn", "000", True, "void 5.9"),
    ("missed_burn", "002", False, "reconstruct 5.9 all 5.10.2, void 5.9"),
    ("missed_burn", "002", True, "void 5.9"),
    ("missed_burn", "001", False, "continue 5.16, void 5.16, invalidate 5.16"),
    ("wrong_box", "000", False, "reconstruct 5.8.6 affected 5.10.2, void 5.8.6"),
    ("wrong_box", "000", True, "reconstruct 5.10 affected 5.10.2, continue 5.10 affected 5.10.1"),
    ("wrong_box", "002", False, "reconstruct 5.8.6 affected 5.10.2, void 5.8.6"),
    ("wrong_box", "002", True, "reconstruct 5.10 affected 5.10.2, continue 5.10 affected 5.10.1"),
    ("wrong_box", "001", False, "reconstruct 5.5.4 all 5.6.2, void 5.5.4"),
    ("wrong_box", "001", True, "reconstruct 5.6 all 5.6.2, continue 5.6 all 5.6.1"),
    ("wrong_count", "000", False, "invalidate 5.15 others 5.10.1, reconstruct 5.10 affected 5.10.2"),
    ("wrong_count", "000", True, "invalidate 5.15 others 5.10.1, reconstruct 5.10 affected 5.10.2"),
    ("wrong_count", "002", True, "invalidate 5.15 others 5.10.1, reconstruct 5.10 affected 5.10.2"),
    ("wrong_count", "001", True, "invalidate 5.8 others 5.6.1, reconstruct 5.6 all 5.6.2"),
    ("dealer_count", "000", True, "void 5.8.7, reconstruct 5.8.7 all 5.10.2"),
    ("dealer_count", "002", False, "void 5.8.7, reconstruct 5.8.7 all 5.10.2"),
    ("dealer_count", "001", True, "void 5.5.6, reconstruct 5.5.6 all 5.6.2"),
    ("simultaneous_cards", "000", False, "keep_order 5.14 all 5.10.1, swap_order 5.14 all 5.10.1"),
    ("simultaneous_cards", "002", True, "keep_order 5.14 all 5.10.1, swap_order 5.14 all 5.10.1"),
    ("simultaneous_cards", "001", True, "keep_order 5.10 all 5.6.1, swap_order 5.10 all 5.6.1"),
    ("second_hand_examined", "000", True, "invalidate 5.18, continue 5.18"),
    ("second_hand_examined", "002", True, "invalidate 5.18, continue 5.18"),
    ("second_hand_examined", "001", True, "continue 5.16, void 5.16, invalidate 5.16"),
    ("other", "000", True, "continue 5.23, void 5.23, invalidate 5.23"),
    ("other", "002", True, "continue 5.23, void 5.23, invalidate 5.23"),
    ("other", "001", True, "continue 5.16, void 5.16, invalidate 5.16"),
]
BOOKS = {"000": POKER[0], "001": PICTURES_GAME, "002": POKER[1]}
_WHO = {Players.AFFECTED: "affected", Players.EVERYBODY: "all", Players.OTHERS: "others"}


def _told(remedy: Remedy) -> str:
    said = []
    for option in remedy.options:
        after = f" {_WHO[option.players]} {option.goes_on_by}" if option.players is not Players.NOBODY else ""
        said.append(f"{option.choice} {option.paragraph}{after}")
    return ", ".join(said)


@pytest.mark.parametrize(("mishap", "book", "seen", "options"), PRINTED_OPTIONS)
def test_exactly_the_printed_options_are_offered(mishap: str, book: str, seen: bool, options: str) -> None:
    case = Case(Stage.IN_PLAY, seen, Place.DEALER if mishap == "dealer_count" else Place.BOX)
    remedy = remedy_of(BOOKS[book], Mishap(mishap), case, {})
    assert _told(remedy) == options
    assert {option.returns_by for option in remedy.options} - {""} <= {"5.10.3", "5.6.3"}


@pytest.mark.parametrize("game", PRINTED)
def test_once_the_house_has_judged_whether_cards_can_be_put_right_only_that_way_is_left(game: str) -> None:
    for mishap in (Mishap.WRONG_BOX, Mishap.WRONG_COUNT, Mishap.DEALER_COUNT):
        place = Place.DEALER if mishap is Mishap.DEALER_COUNT else Place.BOX
        can = remedy_of(game, mishap, Case(Stage.IN_PLAY, False, place, True), {})
        cannot = remedy_of(game, mishap, Case(Stage.IN_PLAY, False, place, False), {})
        assert can.choices == ("reconstruct",)
        assert "reconstruct" not in cannot.choices


# --- readings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reading", "value", "book", "mishap", "seen", "options"),
    [
        ("dealt_incorrectly", "void_5_8_6", "000", "exposed_card", False, "void 5.8.6"),
        ("dealt_incorrectly", "void_5_8_6", "002", "exposed_card", False, "void 5.8.6"),
        ("dealt_incorrectly", "void_5_8_6", "000", "exposed_card", True, "continue 5.12"),
        ("dealt_incorrectly", "void_5_8_6", "000", "wrong_count", False,
         "reconstruct 5.8.6 affected 5.10.2, void 5.8.6"),
        ("exposed_card_unhandled", "void_5_5_4", "001", "exposed_card", False, "void 5.5.4"),
        ("exposed_card_unhandled", "void_5_5_4", "001", "exposed_card", True, "players_choose 5.6 all 5.6.1"),
        ("others_after_wrong_count", "none", "000", "wrong_count", True,
         "invalidate 5.15, reconstruct 5.10 affected 5.10.2"),
        ("others_after_wrong_count", "none", "002", "wrong_count", True,
         "invalidate 5.15 others 5.10.1, reconstruct 5.10 affected 5.10.2"),
        ("options_after_simultaneous", "reconstructed_or_return", "000", "simultaneous_cards", True,
         "keep_order 5.14 all 5.10.2, swap_order 5.14 all 5.10.2"),
        ("affected_by_a_card", "everybody", "000", "exposed_card", False, "players_choose 5.10 all 5.10.1"),
    ],
)  # fmt: skip
def test_a_reading_changes_what_is_offered(
    reading: str, value: str, book: str, mishap: str, seen: bool, options: str
) -> None:
    remedy = remedy_of(BOOKS[book], Mishap(mishap), Case(Stage.IN_PLAY, seen, Place.BOX), {reading: value})
    assert _told(remedy) == options


def test_a_card_before_the_lock_is_void_or_removed_by_reading() -> None:
    case = Case(Stage.BEFORE_LOCK)
    assert remedy_of(POKER[0], Mishap.CARD_BEFORE_LOCK, case, {}).choices == (VOID, CONTINUE)
    removed = remedy_of(POKER[0], Mishap.CARD_BEFORE_LOCK, case, {"card_before_lock": "card_removed"})
    assert removed.choices == (CONTINUE,)


def test_the_window_of_a_wrong_count_closes_with_the_round_by_the_other_reading() -> None:
    case = Case(Stage.ENDED, True, Place.BOX)
    assert remedy_of(POKER[0], Mishap.WRONG_COUNT, case, {}).choices == (INVALIDATE, STAND)
    closed = remedy_of(POKER[0], Mishap.WRONG_COUNT, case, {"void_window": "until_end_round"})
    assert (closed.choices, closed.asks) == ((STAND,), False)


def test_a_house_without_printed_irregularities_follows_000_or_its_supervisor() -> None:
    for game in ("california-three-card-poker", "stax-three-card"):
        case = Case(Stage.IN_PLAY, True, Place.BOX)
        as_000 = remedy_of(game, Mishap.WRONG_COUNT, case, {})
        assert as_000.paragraph == "house procedure, as 000 5.15"
        alone = remedy_of(game, Mishap.WRONG_COUNT, case, {"house_irregularities": "supervisor_only"})
        assert (alone.paragraph, alone.options[0].who) == ("house procedure", Authority.SUPERVISOR)


def test_the_readings_are_those_of_the_rulebooks() -> None:
    known = {reading.name: reading for game in GAMES for reading in rulebook(game).readings}
    for name, (default, other) in READINGS.items():
        assert (known[name].default, known[name].alternatives) == (default, (other,))


# --- the table of rows ----------------------------------------------------------------------------------


def test_every_row_is_taken_by_some_combination() -> None:
    """A row behind another one that always fits first is superfluous."""
    for game in PRINTED:
        _, rows = rows_of(game, {})
        taken = set()
        for mishap, case in product(Mishap, CASES):
            for readings in _readings():
                taken.add(next(place for place, row in enumerate(rows) if row.fits(mishap, case, readings)))
        assert [row for place, row in enumerate(rows) if place not in taken] == []


def test_the_document_is_drawn_from_the_rows() -> None:
    command = [sys.executable, str(TOP / "tools" / "draw_remedies"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
