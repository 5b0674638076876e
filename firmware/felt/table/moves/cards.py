"""What a card does to the deal."""

from __future__ import annotations

from felt.table import deal, facts, letters, settle
from felt.table.moves import ends
from felt.table.state import Dealt, Phase, Table, with_round
from felt.table.upkeep import notice, post


def bind_card(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardDealt) and table.round is not None
    target = table.round.plan[len(table.round.dealt)]
    return with_round(table, dealt=(*table.round.dealt, Dealt(fact.card, target, fact.arrived_ns)))


def bind_last_card(table: Table, fact: facts.Fact) -> Table:
    table = with_round(bind_card(table, fact), dealt_at=fact.at)
    assert table.round is not None
    hands = tuple(
        letters.DealtHand(seat, deal.last_card_ns(table.round, str(seat)))
        for seat in settle.seats_in_play(settle.book_of(table), table.round.bets)
    )
    return post(table, letters.RoundDealtLetter(table.round.number, fact.at, hands))


def bind_held_card(table: Table, fact: facts.Fact) -> Table:
    """The deal goes on under an interruption; when it is complete, what is held is the phase after it."""
    playing = settle.round_of(table)
    if len(playing.dealt) + 1 < len(playing.plan):
        return bind_card(table, fact)
    after = Phase.DECIDING if settle.deciding_seats(table) else Phase.REVEALING
    return with_round(bind_last_card(table, fact), held_from=after)


def set_card_aside(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardDealt) and table.round is not None
    if fact.card not in table.round.strays:
        table = with_round(table, strays=(*table.round.strays, fact.card))
    return notice(table, "noted", "A card came that no hand waits for: set it aside, face down.")


def hold_for_card(table: Table, fact: facts.Fact) -> Table:
    return ends.hold(set_card_aside(table, fact), fact)
