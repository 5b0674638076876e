"""The language itself: what it cannot say, how it tells of what went wrong, and that its reference is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from felt.stories.errors import StoryError, StoryNotUnderstood
from felt.stories.head import HEAD
from felt.stories.journaled import journaled_facts
from felt.stories.playing import MOVE, play, play_file
from felt.stories.repeats import ScriptLine
from felt.stories.script import FRAMES, SENTENCES, framed, parse_story, sentence_for
from felt.stories.stage import StoryStage
from felt.stories.synonyms import SYNONYMS, plain
from felt.table.facts import FACTS
from felt.table.state import Phase

HERE = Path(__file__).parent
README = (HERE.parents[1] / "firmware" / "felt" / "stories" / "README.md").read_text(encoding="utf-8")


def _play(text: str) -> StoryStage:
    return play(parse_story(text, "evening.round"), "evening.round")


def _all_stages() -> tuple[StoryStage, ...]:
    return tuple(play_file(path) for path in sorted(HERE.rglob("*.round")))


def _all_lines() -> list[ScriptLine]:
    """Every sentence of every story; a line that only moves to another table is none."""
    lines = [line for path in sorted(HERE.rglob("*.round")) for line in parse_story(path.read_text(), path.name).lines]
    return [line for line in lines if not MOVE.fullmatch(line.text)]


def test_every_kind_of_fact_occurs_in_some_story() -> None:
    whole = [stage for stage in _all_stages() if not stage.boot_refused]
    told = {type(fact).__name__ for stage in whole for fact in journaled_facts(stage)}
    assert sorted(set(FACTS) - told) == []


def test_every_phase_occurs_in_some_story() -> None:
    shown = {table.phase for stage in _all_stages() for table in stage.tables}
    assert shown == set(Phase)


def test_the_readme_shows_every_form_of_a_sentence() -> None:
    missing = [sentence.form for sentence in SENTENCES if sentence.form not in README]
    assert missing == []


def test_the_readme_has_no_form_that_the_language_lacks() -> None:
    forms = {sentence.form for sentence in SENTENCES}
    shown = {line[3:-1] for line in README.splitlines() if line.startswith("- `") and line.endswith("`")}
    assert shown - forms == set()


def test_the_readme_shows_every_line_of_a_head_and_every_other_way_to_say_a_thing() -> None:
    forms = [form for form, _, _ in HEAD] + [synonym.said.replace(" | ", ", ") for synonym in SYNONYMS]
    assert [form for form in forms if f"`{form}`" not in README] == []


def test_every_line_of_a_head_is_used_by_a_story() -> None:
    lines = [line.strip() for path in HERE.rglob("*.round") for line in path.read_text(encoding="utf-8").splitlines()]
    unused = [form for form, pattern, _ in HEAD if not any(pattern.fullmatch(line) for line in lines)]
    assert unused == []


def test_the_readme_shows_every_frame_of_a_sentence_and_a_story_uses_it() -> None:
    lines = [line.text for line in _all_lines()]
    unused = [form for form, pattern in FRAMES.items() if not any(re.fullmatch(pattern, line) for line in lines)]
    assert (unused, [form for form in FRAMES if f"`{form}`" not in README]) == ([], [])


def test_every_other_way_to_say_a_thing_is_used_by_a_story() -> None:
    lines = [framed(line).line.text for line in _all_lines()]
    unused = [
        synonym.said for synonym in SYNONYMS if not any(synonym.pattern.fullmatch(plain(line)) for line in lines)
    ]
    assert unused == []


def test_a_line_that_nobody_understands_is_answered_with_the_nearest_sentences() -> None:
    with pytest.raises(StoryError, match=r"nearest: `PERSON voids the round \[as ROLE\] because REASON`"):
        _play("supervisor voids the hand because of a quarrel\n")


def test_a_head_that_makes_no_table_is_told_in_one_sentence() -> None:
    with pytest.raises(StoryError, match=r"the head of the story makes no table: .*seats"):
        _play("seats: 0\npress open\n")
    with pytest.raises(StoryError, match=r"'whist' names no game of its own"):
        _play("game: whist\npress open\n")


def test_every_sentence_of_the_language_is_used_by_a_story() -> None:
    used = {sentence_for(line)[0].form for line in _all_lines()}
    unused = [sentence.form for sentence in SENTENCES if sentence.form not in used]
    assert unused == []


def test_no_line_of_a_story_means_two_things() -> None:
    lines = {framed(line).line.text for line in _all_lines()}
    ambiguous = [
        line for line in lines if sum(sentence.pattern.fullmatch(line) is not None for sentence in SENTENCES) > 1
    ]
    assert ambiguous == []


def test_an_example_in_the_readme_is_a_story_that_plays() -> None:
    example = README.partition("```round\n")[2].partition("```")[0]
    stage = _play(example)
    assert stage.table.tally.settled == 1


def test_an_unknown_sentence_names_file_and_line() -> None:
    with pytest.raises(StoryError, match=r"evening\.round:3: 'push the button' is no sentence of the language"):
        _play("supervisor opens the table\n\npush the button\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("press opne", "opne is no key; nearest: open; keys are open, no more bets, "),
        ("press box 0", "box 0 is no key"),
        ("hold setle for 90 ms", "setle is no key; nearest: settle"),
        ("card 1c", "1c is no card: write rank"),
        ("deal box 1: As Ks 1c; dealer: 2d 3d 4d", "1c is no card: write rank"),
    ],
)
def test_a_line_with_a_wrong_key_or_card_is_told_which(line: str, said: str) -> None:
    with pytest.raises(StoryNotUnderstood, match=said):
        _play(f"supervisor opens the table\n{line}\n")


@pytest.mark.parametrize("act", ["press settle", "supervisor keys 9.ante $25", "bets box 9: ante $25; box 1: ante $25"])
def test_a_refusal_that_nobody_expects_fails_the_story(act: str) -> None:
    story = f"supervisor opens the table\npress open\n{act}\n"
    with pytest.raises(StoryError, match=r"evening\.round:3: .*refused, and no `expect refused` follows"):
        _play(story + "press open\nexpect refused")
    with pytest.raises(StoryError, match=r"evening\.round:3: .*refused, and no `expect refused` follows"):
        _play(story + "expect phase BETTING")
    _play(story + "expect phase BETTING\nexpect refused")


def test_a_setting_that_is_none_is_not_understood() -> None:
    with pytest.raises(StoryNotUnderstood, match=r"makes no table: .*lock\.drian_ms"):
        _play("set lock.drian_ms = 3\npress open")


def test_a_failing_expectation_names_file_line_what_was_expected_and_what_was_seen() -> None:
    with pytest.raises(StoryError, match=r"evening\.round:2: 'expect phase IDLE': expected phase IDLE, seen CLOSED"):
        _play("# a comment\nexpect phase IDLE\n")


@pytest.mark.parametrize(
    "wrong",
    [
        "expect phase BETTING", "expect service OUT_OF_SERVICE", "expect link LOST", "expect shuffler lost",
        "expect dark", 'expect boot refused "F-404"', "expect fault F-101", "expect lamp 1.progressive late",
        "expect every spot lamp winner", "expect keys void", "expect boxes lit 1", 'expect prompt "Deal"',
        'expect notice "never said"', "expect refused", "expect hand of dealer hidden",
        "expect question interruption", "expect bet 2.ante accepted", "expect bet 1.ante returned",
        "expect bet 1.ante $26 accepted", "expect no bet 1.ante", "expect 2 progressive bets",
        "expect box 1 ante win", "expect box 1 ante lose by 3.13", "expect box 1 ante lose lost $26",
        "expect no line box 1 ante", "expect void by 5.21", "expect plan 1 1 1", "expect meter major $50,002",
        "expect registered major $50,001", "expect claim 1.1", "expect tally rounds 2", "expect tally awards $1",
        "expect letters RoundVoided", 'expect last letter RoundEnded with round 2', "expect 1 letter unanswered",
        "expect reserve major $1", "expect no spot lamps", "expect fact ChipChattered",
        "expect facts OpenPressed 2 times", "expect mode fold", "expect round dealt by Kim",
        'expect interruption "power"',
    ],
)  # fmt: skip
def test_every_expectation_can_fail(wrong: str) -> None:
    story = """
        supervisor opens the table
        press open
        bets box 1: ante $25, progressive
        press no more bets
        deal box 1: 2c 7d 9h; dealer: Qd Jc 4s
        fold box 1
        press reveal
        press settle
        press settle
        wait 100 ms
        """
    with pytest.raises(StoryError, match=r"evening\.round:12: .*expected"):
        _play(story + wrong)


@pytest.mark.parametrize(
    ("story", "problem"),
    [
        ("", "tells no story"),
        ("seed 4", "tells no story"),
        ("for each PHASE: IDLE; BETTING\nplay on to PHASE", "`for each` has no `end`"),
        ("press open\nend", "`end` ends no `for each`"),
        ("for each KIND, RULE: a card; a deck, 5.8.3\npress open\nend", "'a card' has 1 values for 2 names"),
        ("for each PHASE: IDLE; PAYING\nexpect phase PHASE\nend", r"evening.round:2 \(IDLE\): 'expect phase IDLE'"),
        ("play on to IDLE", "plain play does not lead on from CLOSED"),
        ("chip 9.gold", "9.gold is no line of this table's board"),
        ("chip 1.progressive 2 ms before the lock", "NO MORE BETS was never pressed"),
        ("power cut\npress open", "the table is dark"),
        ("boot", "the table is running already"),
        ("supervisor rules void", "0 open questions fit; open: none"),
        ("deal", "there is no deal: the table is CLOSED"),
        ("expect box 1 ante win", "no round has been played yet"),
        ("deck: As 1x", "'1x' is not a card"),
        ("fact Miracle", "Miracle is no fact"),
        ('fact ChipSeen {"spot": 3, "edge_ns": 1}', "is not a text"),
        ("fact ChipSeen {spot}", "is not JSON"),
        ("fault F-999 at board", "F-999 is no fault of the product"),
        ("expect lamp 9.gold on", "9.gold is no lamp of this table"),
        ("expect letters Postcard", "Postcard is no letter"),
        ("at table 2: press open", "there is no table 2; tables are T1"),
        ("tables: 2\nat table 3: press open", "there is no table 3; tables are T1, T2"),
        ("tables: 10\npress open", "does not name 1 to 9 tables"),
        ("tables: A, A\npress open", "does not name 1 to 9 tables"),
        ("tables: 2\nat table 1: game: 002\npress open", "holds for all tables of a link"),
        ("seats: 0\nexpect head refused \"drain\"", "expected the head to be refused with 'drain', seen .*seats"),
        ("seats: 3\nexpect head refused \"seats\"", "expected the head to be refused with 'seats', seen a table"),
        ("seats: 0\nexpect head refused \"seats\"\npress open", "no table for other sentences"),
        ("seats: 12\npress open", "'seats: 12' does not fit; write `seats: N`"),
        ("limits ante: 5 to 9\npress open", r"does not fit; write `limits WAGER: \$MIN to \$MAX`"),
        ("dealer Kim has code abc\npress open", "does not fit; write `dealer NAME has code DIGITS`"),
        ("late 9.ante = 3 ms\npress open", "`late 9.ante`: the table has no such line"),
        ("sensed: antee\npress open", "'antee' is not a wager"),
        ("tables: 2\nat table 5: seats: 3\npress open", "`at table 5:` names none of the tables"),
        ("at table 1: seats: 3\npress open", "`at table 1:` names none of the tables"),
        ("always expect phase CLOSED\nsupervisor opens the table", r"always 'expect phase CLOSED' \(evening.round:1\)"),
        ("never expect phase IDLE\nsupervisor opens the table", r"never 'expect phase IDLE' \(evening.round:1\)"),
        ("always expect phase IDLE", "always 'expect phase IDLE'"),
        ("always expect letters none", "cannot be held over a story"),
        ("tables: 2\nat table 2: never expect phase IDLE\nat every table: supervisor opens the table", "it holds now"),
        ("at tabel 2: press open", "at tabel 2 is no place; write `at table TABLE: SENTENCE`"),
        ("whenever expect phase IDLE", "or `never expect …`"),
        ("wait until PAYING", "PAYING was not reached within 10 s"),
        ("chip 1.ante 5 ms after the lock, delivered 2 ms after the lock", "cannot be delivered before it happens"),
    ],
)
def test_a_mistake_in_a_story_is_told_in_one_sentence(story: str, problem: str) -> None:
    with pytest.raises(StoryError, match=problem):
        _play(story)
