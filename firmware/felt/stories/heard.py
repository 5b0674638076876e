"""The paragraphs that a story made the table cite, and the phase of the round. They are collected from every table that
was shown: questions with their offers and statements, choices, notices and refusals, returned bets, verdicts, remarks
on bets, signs, and the few paragraphs that show only in the table's state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from felt.rules.rulebook import REFUSE_REVEAL, WALK_AWAY
from felt.table import bets, views
from felt.table.state import LinkState, Phase, Question, Round, Table, phase_of_play

Heard = tuple[str, str]  # paragraph, phase
_CITED = re.compile(r"\b\d\.\d+(?:\.\d+)?(?: [abc]\b)?")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)")


def heard_in(tables: list[Table]) -> set[Heard]:
    told: set[Heard] = set()
    for before, after in pairwise(tables):
        told.update(_between(before, after))
    return told


def _between(before: Table, after: Table) -> Iterator[Heard]:
    at, now = phase_of_play(before).value, phase_of_play(after).value
    open_before = set(before.irregularity.questions)
    for asked in after.irregularity.questions:
        if asked not in open_before:
            yield from ((rule, now) for rule in _cited_by(asked))
    yield from ((rule, at) for rule in _noticed(before, after))
    played = after.round or after.previous
    if played is None:
        return
    earlier = before.round or before.previous
    same = earlier if earlier is not None and earlier.number == played.number else None
    yield from ((rule, at) for rule in _done(same, played))
    ended_at = at if after.phase is Phase.VOIDING else now
    yield from ((rule, ended_at) for rule in _judged(same, played))
    if after.round is not None and same is not played:
        yield from ((remark.rule, now) for remark in (*bets.while_open(after), *bets.after_lock(after)))
    yield from ((rule, now) for sign in views.signs(after) for rule in _CITED.findall(sign))
    yield from ((rule, now) for rule in _held(after, played))


def _cited_by(asked: Question) -> Iterator[str]:
    yield asked.rule
    yield from (offer.rule for offer in asked.offers)
    if asked.statement is not None:
        yield asked.statement.rule


def _noticed(before: Table, after: Table) -> Iterator[str]:
    for notice in after.panel.notices:
        if notice.number > before.panel.noticed:
            for inside in _IN_BRACKETS.findall(notice.sentence):
                yield from _CITED.findall(inside)


def _done(earlier: Round | None, played: Round) -> Iterator[str]:
    made = len(earlier.remedied) if earlier else 0
    yield from (remedied.rule for remedied in played.remedied[made:])
    if played.void_rule and not (earlier and earlier.void_rule):
        yield played.void_rule


def _judged(earlier: Round | None, played: Round) -> Iterator[str]:
    if earlier is None or earlier.lines is not played.lines:
        yield from (line.rule for line in played.lines)
    if earlier is None or earlier.bets is not played.bets:
        yield from (bet.rule for bet in played.bets if bet.rule)


def _held(table: Table, played: Round) -> Iterator[str]:
    """Paragraphs without a citation, recognised by what they leave in the table."""
    assert table.settings is not None
    in_pictures = table.settings.game == "lucky-three-pictures"
    if table.phase is Phase.CLOSED and table.link is LinkState.LOST:
        yield "5.17.2 a"
    if table.round is None:
        return
    if played.linked:
        yield "3.10" if in_pictures else "3.7"
    if played.lock_ns is not None:
        yield "3.11" if in_pictures else "3.9"
    choices = [decision.choice for decision in played.decisions]
    if REFUSE_REVEAL in choices:
        yield "4.5"
    if WALK_AWAY in choices:
        yield "5.5"
    if any(decision.left and decision.choice != WALK_AWAY for decision in played.decisions):
        yield "5.3" if in_pictures else "5.6"
    if len(played.claims) > 1:
        yield "4.7.1"
    if played.malfunction and played.seen:
        yield "5.17.1"
