"""Playing a story: every sentence in turn, then the truths that hold after any story whatever it told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from felt.config import ConfigError
from felt.journal import read_records, replay
from felt.table import facts, invariants, views
from felt.table.machine import Stepper
from felt.table.state import Digester, Table
from tests.rounds import (
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
from tests.rounds.refusals import Refusals, Unexpected
from tests.rounds.repeats import Line
from tests.rounds.script import SENTENCES, NotUnderstood, Story, StoryError, Unmet, read_story, sentence_for
from tests.rounds.stage import Stage

# Imported for the sentences they bring.
ROOMS = (people, chips, devices, corrections, care, playing_on, expectations, expected_money, expected_standing)
Watch = Callable[[Line, Stage], None]
assert SENTENCES, "the language has sentences"


@cache
def play_file(path: Path) -> Stage:
    """Once in a process: several tests look at the same evenings."""
    return play(read_story(path), path.name)


def _look_away(line: Line, stage: Stage) -> None: ...


def play(story: Story, name: str, watch: Watch = _look_away) -> Stage:
    """`watch` is told of every line that was played, as soon as it was."""
    try:
        stage = Stage(story.head)
    except ConfigError as error:
        raise NotUnderstood(f"the head of the story makes no table: {error}", name) from None
    refusals = Refusals()
    for line in story.lines:
        _say(stage, line, refusals)
        watch(line, stage)
    refusals.complain()
    if stage.planned:
        raise StoryError("chips were planned around a lock, and NO MORE BETS was never pressed after them", name)
    try:
        check_truths(stage)
    except StoryError as error:
        raise StoryError(error.problem, f"{name}, after its end") from None
    return stage


def _say(stage: Stage, line: Line, refusals: Refusals) -> None:
    sentence, found = sentence_for(line)
    try:
        if found.string.startswith("expect "):
            sentence.do(stage, found)
            refusals.note_expectation(found.string)
            return
        refusals.complain()
        was_dark = stage.evening.running is None
        stage.run(lambda: sentence.do(stage, found))
        refusals.note_act(line, stage, was_dark=was_dark)
        if stage.evening.running is not None:
            lamps_are_projected(stage)
            invariants_hold(stage)
    except Unexpected:
        raise
    except StoryError as error:
        raise StoryError(f"{line.text!r}: {error.problem}", line.at) from None


def check_truths(stage: Stage) -> None:
    """Whatever a story told. One that ends in the dark is booted first, so that there is a table to look at."""
    if stage.evening.running is None and not stage.boot_refused:
        stage.boot()
    money_is_conserved(stage)
    if stage.evening.running is None:
        return
    lamps_are_projected(stage)
    replay_leads_to_the_live_table(stage)
    each_locked_round_ends_once(stage)


def lamps_are_projected(stage: Stage) -> None:
    shown = stage.evening.board.lamps
    wanted = {lamp: pattern for lamp, pattern in views.lamps(stage.table).items() if lamp in shown}
    wrong = {lamp: (pattern, shown[lamp]) for lamp, pattern in wanted.items() if shown[lamp] != pattern}
    if wrong:
        raise Unmet("every lamp as the table projects it", wrong)


def invariants_hold(stage: Stage) -> None:
    try:
        invariants.check(stage.table, Table())
    except invariants.InvariantBroken as broken:
        raise Unmet("every invariant of the table to hold", broken) from None


def money_is_conserved(stage: Stage) -> None:
    report = stage.evening.office.report()
    if not report.conserved:
        raise Unmet("money conserved in the office", report.problem)


def replay_leads_to_the_live_table(stage: Stage) -> None:
    stepper, digester = Stepper(), Digester()
    again = replay(read_records(stage.evening.disk), Table(), stepper.step, digester.of, facts.decode)
    if digester.of(again) != Digester().of(stage.table):
        raise Unmet("the journal to replay to the live table", "another table")


def each_locked_round_ends_once(stage: Stage) -> None:
    """By a settlement or by a void; a void after the end is a correction and says so."""
    told = [*((letter.kind, letter.body) for letter in stage.letters())]
    waiting = [(mail.kind, mail.body) for mail in views.mail(stage.table)]
    told += [one for one in waiting if one not in told]
    ends: Counter[int] = Counter()
    locked: Counter[int] = Counter()
    for kind, body in told:
        number = json.loads(body)[0]
        if kind == "RoundLocked":
            locked[number] += 1
        elif kind == "RoundEnded" or (kind == "RoundVoided" and not (json.loads(body)[-1] and ends[number])):
            ends[number] += 1
    in_play = stage.table.round.number if stage.table.round and not stage.table.round.void_rule else None
    for number, times in locked.items():
        wanted = 0 if number == in_play else 1
        if times != 1 or ends[number] != wanted:
            raise Unmet(f"round {number} locked once and ended {wanted} times", f"locked {times}, ended {ends[number]}")
