"""What must hold at every moment and after the end of every story."""

from __future__ import annotations

import json
from collections import Counter

from felt.journal import read_records, replay
from felt.stories.errors import Unmet
from felt.stories.stage import StoryStage
from felt.table import facts, invariants, views
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of


def check_truths(stage: StoryStage) -> None:
    """Checks every story after its end. A table that is off is booted first, because the checks examine a running
    one."""
    if stage.evening.running is None and not stage.boot_refused:
        stage.boot()
    money_is_conserved(stage)
    if stage.evening.running is None:
        return
    lamps_are_projected(stage)
    replay_leads_to_the_live_table(stage)
    each_locked_round_ends_once(stage)


def lamps_are_projected(stage: StoryStage) -> None:
    shown = stage.evening.board.lamps
    wanted = {lamp: pattern for lamp, pattern in views.lamps(stage.table).items() if lamp in shown}
    wrong = {lamp: (pattern, shown[lamp]) for lamp, pattern in wanted.items() if shown[lamp] != pattern}
    if wrong:
        raise Unmet("every lamp as the table projects it", wrong)


def invariants_hold(stage: StoryStage) -> None:
    try:
        invariants.check(stage.table, Table())
    except invariants.InvariantBroken as broken:
        raise Unmet("every invariant of the table to hold", broken) from None


def money_is_conserved(stage: StoryStage) -> None:
    report = stage.evening.office.report()
    if not report.conserved:
        raise Unmet("money conserved in the office", report.problem)


def replay_leads_to_the_live_table(stage: StoryStage) -> None:
    again = replay(read_records(stage.evening.disk), Table(), Stepper().after, digest_of, facts.decode)
    if digest_of(again) != digest_of(stage.table):
        raise Unmet("the journal to replay to the live table", "another table")


def each_locked_round_ends_once(stage: StoryStage) -> None:
    """A settlement or a void ends it. A void after the end is a correction and says so."""
    told = [*((letter.kind, letter.body) for letter in stage.letters())]
    waiting = [(mail.kind, mail.body) for mail in views.mail(stage.table)]
    told += [letter for letter in waiting if letter not in told]
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
