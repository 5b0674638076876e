"""Playing a story: every sentence in turn, then the truths that hold after any story whatever it told."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from felt.config import ConfigError
from felt.jackpot.draft import RefusedError
from felt.journal import read_records, replay
from felt.loop.boot import BootRefused
from felt.table import facts, invariants, views
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of
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
from tests.rounds.head import Head, HeadError
from tests.rounds.held import Held
from tests.rounds.refusals import Refusals, Unexpected
from tests.rounds.repeats import Line
from tests.rounds.script import (
    HEAD_REFUSED,
    SENTENCES,
    Framed,
    NotUnderstood,
    Story,
    StoryError,
    Unmet,
    framed,
    read_story,
    sentence_for,
)
from tests.rounds.stage import Stage
from tests.rounds.tables import Tables

# Imported for the sentences they bring.
ROOMS = (people, chips, devices, corrections, care, playing_on, expectations, expected_money, expected_standing)
Watch = Callable[[Line, Stage], None]
MOVE = re.compile(r"at table (?P<table>[\w-]+):?")  # from here on, sentences without a table happen there
assert SENTENCES, "the language has sentences"


@cache
def play_file(path: Path) -> Stage:
    """Once in a process: several tests look at the same evenings."""
    return play(read_story(path), path.name)


def _look_away(line: Line, stage: Stage) -> None: ...


def play(story: Story, name: str, watch: Watch = _look_away) -> Stage:
    """`watch` is told of every line that was played, as soon as it was. Returns the first table."""
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


def _expect_refusal(story: Story, name: str, problem: str) -> Stage:
    """A head that makes no table: it is what the story tells, or the story is wrong. Whoever looks at the tables of
    stories is given the built-in one, closed."""
    expected = [(line, found) for line in story.lines if (found := HEAD_REFUSED.fullmatch(line.text))]
    if not expected:
        raise NotUnderstood(f"the head of the story makes no table: {problem}", name)
    for line, found in expected:
        if found[1] not in problem:
            unmet = Unmet(f"the head to be refused with {found[1]!r}", problem)
            raise StoryError(f"{line.text!r}: {unmet.problem}", line.at)
    if len(expected) < len(story.lines):
        raise NotUnderstood("after `expect head refused` there is no table for other sentences", name)
    return Tables(Head()).stages[0]


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
    for one in refusals.values():
        one.complain()


def _say(stage: Stage, frame: Framed, refusals: dict[str, Refusals], held: Held) -> None:
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
        for one in refusals.values():
            one.complain()
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
        if isinstance(error, NotUnderstood):
            raise
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
    again = replay(read_records(stage.evening.disk), Table(), Stepper().after, digest_of, facts.decode)
    if digest_of(again) != digest_of(stage.table):
        raise Unmet("the journal to replay to the live table", "another table")


def each_locked_round_ends_once(stage: Stage) -> None:
    """By a settlement or by a void; a void after the end is a correction and says so."""
    told = [*((letter.kind, letter.body) for letter in stage.letters())]
    waiting = [(mail.kind, mail.body) for mail in views.mail(stage.table)]
    told += [one for one in waiting if one not in told]
    ends: Counter[int] = Counter()
    locked: Counter[int] = Counter()
    for kind, body in told:
        letter = json.loads(body)
        number = letter["round"]
        if kind == "RoundLocked":
            locked[number] += 1
        elif kind == "RoundEnded" or (kind == "RoundVoided" and not (letter["after_result"] and ends[number])):
            ends[number] += 1
    in_play = stage.table.round.number if stage.table.round and not stage.table.round.void_rule else None
    for number, times in locked.items():
        wanted = 0 if number == in_play else 1
        if times != 1 or ends[number] != wanted:
            raise Unmet(f"round {number} locked once and ended {wanted} times", f"locked {times}, ended {ends[number]}")
