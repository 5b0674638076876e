"""The settlement, and the end of a round that is paid."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.values import replace
from felt.table import bets, deciding, facts, inventory, maintenance, questions, settle
from felt.table.chart import move, refuse
from felt.table.claims import value_registered
from felt.table.notices import notice, post
from felt.table.state import EVERY_PHASE, ClaimState, Phase, Round, Table, with_round

LOCKED_UP = "refused.locked_up"
NOTHING_TO_SETTLE = "refused.nothing_to_settle"
ANSWER_FIRST = "refused.answer_first"
CARD_UNREAD = "refused.card_unread"


def settlement_has_claims(table: Table, _: facts.Fact) -> bool:
    assert table.round is not None
    return any(line.level for line in settle.lines_of(table))


def a_hand_is_unread(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and bool(inventory.unread_targets(table.round))


def settle_round(table: Table, fact: facts.Fact) -> Table:
    assert table.round is not None
    lines = settle.lines_of(table)
    claims = settle.claims_of(table, lines)
    states = tuple(
        ClaimState(
            claim.claim, claim.seat, claim.level,
            registered_micro=value_registered(table, claim.level), by_hand=claim.by_hand,
        )
        for claim in claims
    )
    table = with_round(table, lines=lines, claims=states, settled_at=fact.at)
    for remark in bets.after_lock(table):
        table = notice(table, "noted", remark.sentence)
    assert table.round is not None
    tallied = table.tally.contributions_minor + settle.staked_minor(table.round)
    tally = replace(table.tally, contributions_minor=tallied)
    returned = settle.contributions_returned(table.round)
    return post(replace(table, tally=tally), letters.RoundResultLetter(table.round.number, fact.at, claims, returned))


def end_round(table: Table, fact: facts.Fact) -> Table:
    ended = settle.round_of(table)
    table = replace(table, tally=replace(table.tally, settled=table.tally.settled + 1))
    table = post(table, settle.ended_letter(ended, fact.at))
    return maintenance.find_stuck_off(_put_away(table, ended), fact)


def end_void(table: Table, _: facts.Fact) -> Table:
    return _put_away(table, settle.round_of(table))


def _put_away(table: Table, ended: Round) -> Table:
    shuffler = replace(table.shuffler, unchecked=table.shuffler.unchecked + bool(ended.dealt))
    return replace(table, round=None, previous=replace(ended, ended=True), deadlines=(), shuffler=shuffler)


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse(facts.SettlePressed, Phase.REVEALING, deciding.REVEAL_FIRST, when=deciding.dealer_is_hidden),
    *refuse(facts.SettlePressed, Phase.REVEALING, CARD_UNREAD, when=a_hand_is_unread),
    *move(
        facts.SettlePressed, Phase.REVEALING, Phase.SETTLING,
        when=settlement_has_claims, do=settle_round,
    ),
    *move(facts.SettlePressed, Phase.REVEALING, Phase.PAYING, do=settle_round),
    *refuse(facts.SettlePressed, Phase.PAYING, ANSWER_FIRST, when=questions.a_question_is_open),
    *move(facts.SettlePressed, Phase.PAYING, Phase.IDLE, do=end_round),
    *move(facts.SettlePressed, Phase.VOIDING, Phase.IDLE, do=end_void),
    *refuse(facts.SettlePressed, (Phase.SETTLING, Phase.VERIFYING), LOCKED_UP),
    *refuse(facts.SettlePressed, EVERY_PHASE, NOTHING_TO_SETTLE),
)
