"""Plays a story: every sentence in turn, then the checks that hold after every story."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from felt.config import ConfigError
from felt.jackpot.books.draft import RefusedError
from felt.loop.boot import BootRefused
from felt.stories import (
    care,
    chips,
    corrections,
    devices,
    expectations,
    expected_money,
    expected_standing,
    people,
    playing_on,
)
from felt.stories.errors import StoryError, StoryNotUnderstood, Unmet
from felt.stories.head import HeadError, StoryHead
from felt.stories.held import Held
from felt.stories.refusals import Refusals, Unexpected
from felt.stories.repeats import ScriptLine
from felt.stories.script import HEAD_REFUSED, SENTENCES, Framed, Story, framed, read_story, sentence_for
from felt.stories.stage import StoryStage
from felt.stories.tables import Tables
from felt.stories.truths import check_truths, invariants_hold, lamps_are_projected

# Imported because each module registers its sentences.
ROOMS = (people, chips, devices, corrections, care, playing_on, expectations, expected_money, expected_standing)
Watch = Callable[[ScriptLine, StoryStage], None]
MOVE = re.compile(r"at table (?P<table>[\w-]+):?")  # from here on, sentences without a table happen there
assert SENTENCES, "the language has sentences"


@cache
def play_file(path: Path) -> StoryStage:
    """Cached for the process: several tests examine the same evenings."""
    return play(read_story(path), path.name)


def _look_away(line: ScriptLine, stage: StoryStage) -> None: ...


def play(story: Story, name: str, watch: Watch = _look_away) -> StoryStage:
    """`watch` is called with every line as soon as it was played. Returns the first table."""
    try:
        if story.head_refused:
            raise HeadError(story.head_refused)
        tables = Tables(story.head)
    except (ConfigError, HeadError, BootRefused, RefusedError) as error:
        return _expect_refusal(story, name, str(error))
    _tell(tables, story, watch)
    for stage in tables.stages:
        if stage.planned:
            raise StoryError("chips were planned around a lock, and NO MORE BETS was never pressed after them", name)
    try:
        for stage in tables.stages:
            check_truths(stage)
    except StoryError as error:
        raise StoryError(error.problem, f"{name}, after its end") from None
    return tables.stages[0]


def _expect_refusal(story: Story, name: str, problem: str) -> StoryStage:
    """The head is refused: either the story expects it, or the story is wrong. Code that examines the story's tables
    gets the built-in table, closed."""
    expected = [(line, found) for line in story.lines if (found := HEAD_REFUSED.fullmatch(line.text))]
    if not expected:
        raise StoryNotUnderstood(f"the head of the story makes no table: {problem}", name)
    for line, found in expected:
        if found[1] not in problem:
            unmet = Unmet(f"the head to be refused with {found[1]!r}", problem)
            raise StoryError(f"{line.text!r}: {unmet.problem}", line.at)
    if len(expected) < len(story.lines):
        raise StoryNotUnderstood("after `expect head refused` there is no table for other sentences", name)
    return Tables(StoryHead()).stages[0]


def _tell(tables: Tables, story: Story, watch: Watch) -> None:
    refusals = {stage.name: Refusals() for stage in tables.stages}
    held = Held()
    for line in story.lines:
        frame = framed(line)
        moved = MOVE.fullmatch(line.text)
        try:
            stages = tables.named(moved["table"] if moved else frame.table)
            if moved:
                tables.here = stages[0]
        except StoryError as error:
            raise StoryError(f"{line.text!r}: {error.problem}", line.at) from None
        for stage in () if moved else stages:
            _say(stage, frame, refusals, held)
            watch(line, stage)
    for refusal in refusals.values():
        refusal.complain()


def _say(stage: StoryStage, frame: Framed, refusals: dict[str, Refusals], held: Held) -> None:
    line = frame.line
    sentence, found = sentence_for(line)
    try:
        if frame.held:
            held.hold(frame, stage, sentence, found)
            return
        if found.string.startswith("expect "):
            sentence.do(stage, found)
            refusals[stage.name].note_expectation(found.string)
            return
        for refusal in refusals.values():
            refusal.complain()
        was_dark = stage.evening.running is None
        stage.run(lambda: sentence.do(stage, found))
        refusals[stage.name].note_act(line, stage, was_dark=was_dark)
        for table in stage.all_tables:
            if table.evening.running is not None:
                lamps_are_projected(table)
                invariants_hold(table)
        held.look()
    except Unexpected:
        raise
    except StoryError as error:
        if isinstance(error, StoryNotUnderstood):
            raise
        raise StoryError(f"{line.text!r}: {error.problem}", line.at) from None
