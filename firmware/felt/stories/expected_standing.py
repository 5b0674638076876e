"""Sentences about the expected statement of the adjudicator, the table's notices to players, decisions, deadlines,
readings in force and the content of the journal."""

from __future__ import annotations

import json
import re
from re import Match

from felt.nouns.money import minor_of
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import to_plain
from felt.stories.amounts import MONEY, RULE, SPOT, fits_rule, minor
from felt.stories.errors import StoryError, Unmet
from felt.stories.journaled import journaled_facts
from felt.stories.script import says
from felt.stories.stage import StoryStage
from felt.stories.truths import replay_leads_to_the_live_table
from felt.table import views
from felt.table.state import Question, Statement

_QUOTED = r'"(.+)"'


# --- questions and statements ------------------------------------------------------------------------


@says("expect proposal CHOICE [by RULE]", rf"expect proposal (\w+)(?: by ({RULE}))?")
def proposal(stage: StoryStage, found: Match[str]) -> None:
    opened = stage.table.irregularity.questions
    if not any(question.proposal == found[1] and fits_rule(found[2], question.rule) for question in opened):
        raise Unmet(f"{found[1]} to be proposed by {found[2] or 'any rule'}", _listed(opened))


@says("expect N questions", r"expect (\d+) questions?")
def question_count(stage: StoryStage, found: Match[str]) -> None:
    opened = stage.table.irregularity.questions
    if len(opened) != int(found[1]):
        raise Unmet(f"{found[1]} questions", _listed(opened))


def _listed(opened: tuple[Question, ...]) -> object:
    return [
        f"{question.id} {question.kind} proposing {question.proposal} by {question.rule}: {question.because}"
        for question in opened
    ] or "none"


@says('expect statement established | not established [seen | not seen] [N progressive bets] [registered NAME $] '
      '[by RULE] [proposing CHOICE | nothing] [after "CAUSE"] [because "TEXT"]',
      rf"expect statement (?P<outcome>established|not established)(?:,? (?P<seen>seen|not seen))?"
      rf"(?:,? (?P<bets>\d+) progressive bets?)?(?:,? registered (?P<meter>\w+) (?P<value>{MONEY}))?"
      rf'(?:,? by (?P<rule>{RULE}))?(?:,? proposing (?P<proposal>\w+))?(?:,? after "(?P<cause>[^"]+)")?'
      rf'(?:,? because "(?P<because>[^"]+)")?')
def statement(stage: StoryStage, found: Match[str]) -> None:
    stated = [question.statement for question in stage.table.irregularity.questions if question.statement is not None]
    if not any(_states(stage, statement, found) for statement in stated):
        raise Unmet(found[0].removeprefix("expect "), [to_plain(statement) for statement in stated] or "no statement")


def _states(stage: StoryStage, statement: Statement, found: Match[str]) -> bool:
    registered = {meter: minor_of(micro) for meter, micro in statement.registered}
    return (
        statement.established == (found["outcome"] == "established")
        and found["seen"] in (None, "seen" if statement.seen else "not seen")
        and found["bets"] in (None, str(statement.progressive_bets))
        and (found["meter"] is None or registered.get(found["meter"]) == minor(stage, found["value"]))
        and fits_rule(found["rule"], statement.rule)
        and found["proposal"] in (None, statement.proposal or "nothing")
        and (found["cause"] is None or any(found["cause"] in cause for cause in statement.causes))
        and (found["because"] or "") in statement.why
    )


@says('expect sign "TEXT" / expect no sign', rf"expect (?:sign {_QUOTED}|no signs?)")
def sign(stage: StoryStage, found: Match[str]) -> None:
    """What the table tells its players while it holds."""
    shown = views.signs(stage.table)
    if found[1] is None:
        if shown:
            raise Unmet("no sign", shown)
    elif not any(found[1] in sign for sign in shown):
        raise Unmet(f"a sign with {found[1]!r}", shown or "no sign")


@says("expect key KEY lit | dark", r"expect key ([a-z 0-9_]+?) (lit|dark)")
def key_lit(stage: StoryStage, found: Match[str]) -> None:
    lamp = "key." + re.sub(r"^box ", "seat ", found[1]).replace(" ", "_")
    shown = stage.evening.board.lamps
    if lamp not in shown:
        raise StoryError(f"{found[1]} is no key of this table")
    if (shown[lamp] == "on") != (found[2] == "lit"):
        raise Unmet(f"key {found[1]} {found[2]}", shown[lamp])


# --- the round ---------------------------------------------------------------------------------------


@says("expect box N decided fold | play | walk away | refuse reveal | nothing [and left]",
      r"expect box ([1-9]) decided (fold|play|walk away|refuse reveal|nothing)( and left)?")
def decided(stage: StoryStage, found: Match[str]) -> None:
    made = next((decision for decision in stage.round.decisions if decision.seat == int(found[1])), None)
    choice = made.choice.replace("_", " ") if made and made.choice else "nothing"
    left = made is not None and made.left
    if choice != found[2] or (found[3] and not left):
        raise Unmet(f"box {found[1]} decided {found[2]}{found[3] or ''}", f"{choice}{' and left' if left else ''}")


@says("expect cards seen | not seen / expect chips collected | not collected",
      r"expect (cards|chips) (not )?(seen|collected)")
def noted(stage: StoryStage, found: Match[str]) -> None:
    if (found[1] == "cards") != (found[3] == "seen"):
        raise StoryError("cards are seen and chips are collected")
    is_so = stage.round.seen if found[3] == "seen" else stage.round.collected
    if is_so == bool(found[2]):
        raise Unmet(f"{found[1]} {found[2] or ''}{found[3]}", f"{'' if is_so else 'not '}{found[3]}")


@says("expect found $AMOUNT on SPOT", rf"expect found ({MONEY}) on {SPOT}")
def amount_found(stage: StoryStage, found: Match[str]) -> None:
    told = dict(stage.round.found)
    if {str(spot): amount for spot, amount in told.items()}.get(found[2]) != minor(stage, found[1]):
        raise Unmet(f"{found[1]} found on {found[2]}", told or "nothing found")


@says("expect the system failed | not failed in this round", r"expect the system (not )?failed in this round")
def malfunctioned(stage: StoryStage, found: Match[str]) -> None:
    if bool(stage.round.malfunction) == bool(found[1]):
        raise Unmet(f"the system {found[1] or ''}failed", stage.round.malfunction or "no failure")


@says("expect reading NAME = VALUE", r"expect reading (\w+) = (\w+)")
def reading_in_force(stage: StoryStage, found: Match[str]) -> None:
    in_force = dict(reading.split("=") for reading in stage.round.readings.split())
    if in_force.get(found[1]) != found[2]:
        raise Unmet(f"reading {found[1]} = {found[2]}", in_force.get(found[1], "no such reading"))


@says("expect rulebook GAME version VERSION", r"expect rulebook (\S+) version (\S+)")
def rulebook(stage: StoryStage, found: Match[str]) -> None:
    seen = (stage.round.rulebook, stage.round.version)
    if seen != (found[1], found[2]):
        raise Unmet(f"rulebook {found[1]} version {found[2]}", seen)


@says("expect box N out of play / in play", r"expect box ([1-9]) (out of|in) play")
def barred(stage: StoryStage, found: Match[str]) -> None:
    if (int(found[1]) in stage.table.barred) != (found[2] == "out of"):
        raise Unmet(f"box {found[1]} {found[2]} play", stage.table.barred or "no box out of play")


# --- time and the journal ----------------------------------------------------------------------------


@says("expect deadline NAME [within N ms] / expect no deadline",
      r"expect (?:no deadline|deadline (\w+)(?: within (\d+) ms)?)")
def deadline(stage: StoryStage, found: Match[str]) -> None:
    now_ns = stage.evening.clock.now_ns()
    due = {deadline.name: (deadline.due_ns - now_ns) // NS_PER_MS for deadline in stage.table.deadlines}
    if found[1] is None:
        if due:
            raise Unmet("no deadline", due)
    elif found[1] not in due or (found[2] and due[found[1]] > int(found[2])):
        raise Unmet(found[0].removeprefix("expect "), due or "no deadline")


@says("expect journal whole", r"expect (?:the )?journal (?:is )?whole")
def journal_is_whole(stage: StoryStage, found: Match[str]) -> None:
    """The journal, read back from the disk, leads to the live table, digest by digest."""
    replay_leads_to_the_live_table(stage)


@says("expect last fact KIND with FIELD JSON", r"expect last fact (\w+) with (\w+) (.+)")
def last_fact(stage: StoryStage, found: Match[str]) -> None:
    told = [fact for fact in journaled_facts(stage) if type(fact).__name__ == found[1]]
    if not told:
        raise Unmet(f"a fact {found[1]} in the journal", "none")
    if not hasattr(told[-1], found[2]):
        raise StoryError(f"{found[1]} has no part {found[2]}")
    seen = to_plain(getattr(told[-1], found[2]))
    if seen != json.loads(found[3]):
        raise Unmet(f"{found[1]} with {found[2]} {found[3]}", json.dumps(seen))
