"""Each invariant can fail, and holds for every real table."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.nouns.cards import Card
from felt.nouns.ids import Spot
from felt.nouns.values import replace
from felt.stories.playing import play_file
from felt.table.invariants import InvariantBroken, check
from felt.table.settings import HISTORY_MAX, NOTICES_MAX
from felt.table.state import Bet, Burst, Dealt, Mail, Notice, Phase, Round, Table
from tests.table.bench import WAYS, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"
NOWHERE = Table()  # shares no part with any real table, so that every part is checked


def _playing(table: Table) -> Round:
    assert table.round is not None
    return table.round


@pytest.mark.parametrize("way", WAYS)
def test_the_invariants_hold_for_every_table_of_the_bench(way: str) -> None:
    check(table_at(way), NOWHERE)


def test_the_invariants_hold_for_every_table_of_every_story() -> None:
    for path in sorted(ROUNDS.rglob("*.round")):
        for table in play_file(path).tables[::10]:
            check(table, NOWHERE)


def _broken(way: str, rule: str) -> Table:
    table = table_at(way)
    playing = table.round
    match rule:
        case "a round exists exactly while one is in play":
            return replace(table, phase=Phase.BETTING)
        case "play is held by an open question":
            loose = tuple(replace(question, holds=False) for question in table.irregularity.questions)
            return replace(table, irregularity=replace(table.irregularity, questions=loose))
        case "letters wait in the order in which they were written":
            return replace(table, post=replace(table.post, unanswered=(Mail(2, "k", ""), Mail(1, "k", ""))))
        case "every letter that waits was written":
            return replace(table, post=replace(table.post, unanswered=(Mail(10**6, "k", ""),)))
        case "notices are bounded":
            many = tuple(Notice(number, "noted", "x") for number in range(NOTICES_MAX + 1))
            return replace(table, panel=replace(table.panel, notices=many))
        case "bursts of a spot are bounded":
            long = replace(table.spots[0], bursts=(Burst(1, 1, True),) * (HISTORY_MAX + 1))
            return replace(table, spots=(long, *table.spots[1:]))
        case "a table ordered out is out of service":
            return replace(table, service=replace(table.service, ordered_out="t: smoke"))
    assert playing is not None
    card = Dealt(Card("As"), "1", 1)
    changed = {
        "a round is locked exactly from the lock key on": replace(playing, lock_ns=None),
        "a held round knows where it was": replace(playing, held_from=Phase.DEALING),
        "no card is dealt beyond the plan": replace(playing, dealt=(card,) * (len(playing.plan) + 1)),
        "no card is dealt twice": replace(playing, dealt=(card, card)),
        "a known stake is returned or lost": replace(
            playing,
            lines=tuple(replace(line, stake=500, lost=None) for line in playing.lines)
        ),
        "stake = returned + lost on every line": replace(
            playing,
            lines=tuple(replace(line, stake=500, returned=1, lost=1) for line in playing.lines)
        ),
        "every bet has a verdict": replace(
            playing,
            bets=(*playing.bets, Bet(7, "ante", None, False, False, True, ""))
        ),
    }
    return replace(table, round=changed[rule])


@pytest.mark.parametrize(
    ("way", "rule"),
    [
        ("IDLE", "a round exists exactly while one is in play"),
        ("held in dealing", "play is held by an open question"),
        ("DEALING", "letters wait in the order in which they were written"),
        ("DEALING", "every letter that waits was written"),
        ("IDLE", "notices are bounded"),
        ("BETTING", "bursts of a spot are bounded"),
        ("IDLE", "a table ordered out is out of service"),
        ("DEALING", "a round is locked exactly from the lock key on"),
        ("DEALING", "a held round knows where it was"),
        ("DECIDING", "no card is dealt beyond the plan"),
        ("DECIDING", "no card is dealt twice"),
        ("PAYING", "a known stake is returned or lost"),
        ("PAYING", "stake = returned + lost on every line"),
        ("PAYING", "every bet has a verdict"),
    ],
)
def test_an_invariant_can_fail(way: str, rule: str) -> None:
    with pytest.raises(InvariantBroken, match=rule.replace("+", r"\+")):
        check(_broken(way, rule), NOWHERE)


def test_the_snapshot_of_bets_never_changes() -> None:
    table = table_at("DECIDING")
    fewer = replace(table, round=replace(_playing(table), bets=()))
    with pytest.raises(InvariantBroken, match="the snapshot of bets never changes"):
        check(fewer, table)


def test_the_lock_never_moves() -> None:
    table = table_at("DECIDING")
    with pytest.raises(InvariantBroken, match="the lock never moves"):
        check(replace(table, round=replace(_playing(table), lock_ns=1)), table)


def test_a_dealt_card_stays_where_it_lies() -> None:
    table = table_at("DECIDING")
    moved = (replace(_playing(table).dealt[0], target="7"), *_playing(table).dealt[1:])
    with pytest.raises(InvariantBroken, match="a dealt card stays where it lies"):
        check(replace(table, round=replace(_playing(table), dealt=moved)), table)


def test_the_number_of_a_letter_is_never_used_again() -> None:
    table = table_at("DECIDING")
    forgotten = replace(table, post=replace(table.post, written=0, unanswered=()))
    with pytest.raises(InvariantBroken, match="a letter's number is never used again"):
        check(forgotten, table)


def test_unchanged_parts_are_not_checked_again() -> None:
    broken = _broken("IDLE", "notices are bounded")
    check(replace(broken, quarantined=(Spot("1.progressive"),)), broken)
