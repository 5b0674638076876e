"""Which of three community cards is discarded, as the dealer says it: with a box key while nothing else is lit, or by
an order. Truths, reasons and moves."""

from __future__ import annotations

from felt.table import deal, facts, inventory, settle
from felt.table.irregular import discards
from felt.table.irregular.parts import phase_of_play
from felt.table.prompts import tell, tell_word
from felt.table.state import Phase, Table
from felt.table.upkeep import notice

DEALER_KEY = "the dealer's key"  # in whose name it is recorded


# --- truths ------------------------------------------------------------------------------------------


def is_due(table: Table, _: facts.Fact) -> bool:
    return discards.is_due(table)


def key_says_it(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return keys_say_it(table) and fact.seat <= len(discards.PLACES)


def keys_say_it(table: Table) -> bool:
    """No mode is lit: the first three box keys are the three cards."""
    return not table.panel.mode and discards.is_due(table)


def no_key_says_it(table: Table, _: facts.Fact) -> bool:
    """A box key that is none of the three, and no mode is lit."""
    return keys_say_it(table)


def cannot_be_said(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_said(table, fact))


# --- reasons -----------------------------------------------------------------------------------------


def say_first(table: Table, _: facts.Fact) -> str:
    return tell(table, "discard.first", rule=discards.rule_of(settle.round_of(table)))


def why_not_said(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.DiscardSaid)
    playing = table.round
    if playing is None or deal.DISCARD not in playing.plan:
        return tell(table, "refused.no_discard")
    if not 1 <= fact.place <= len(discards.PLACES):
        return tell(table, "refused.discard_place", place=fact.place)
    if not inventory.deal_is_complete(playing):
        return tell(table, "refused.discard_early")
    if playing.discarded_by == discards.SHUFFLER:
        return tell(table, "refused.discard_reported")
    asked = next((one for one in table.irregularity.questions if one.kind == discards.COMMUNITY_DISCARD), None)
    if asked is not None:
        return tell(table, "refused.discard_asked", id=asked.id)
    if playing.seen or phase_of_play(table) not in (Phase.DECIDING, Phase.REVEALING) or playing.revealed:
        return tell(table, "refused.discard_late")
    return ""


# --- moves -------------------------------------------------------------------------------------------


def say_by_key(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return _said(table, fact.seat, DEALER_KEY)


def say_by_order(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DiscardSaid)
    return _said(table, fact.place, fact.person)


def ruled_on(table: Table, fact: facts.RulingMade) -> Table:
    return _said(table, discards.PLACES.index(fact.choice) + 1, fact.person)


def _said(table: Table, place: int, by: str) -> Table:
    table = discards.with_discard(table, place, by)
    word = tell_word(table, discards.PLACES[place - 1])
    rule = discards.rule_of(settle.round_of(table))
    return notice(table, "noted", tell(table, "discard.said", place=word, rule=rule, by=by))


def after_card(table: Table, fact: facts.Fact, number: int) -> Table:
    """A shuffler that lays one of the three aside reports its discard. By the other reading it is the last."""
    playing = settle.round_of(table)
    if deal.DISCARD not in playing.plan or playing.discarded or not playing.dealt[number:]:
        return table
    first = min(playing.plan.index(target) for target in (deal.COMMUNITY, deal.DISCARD))
    if isinstance(fact, facts.CardDealt) and fact.burnt and number >= first:
        return _said(table, number - first + 1, discards.SHUFFLER)
    return by_reading(table)


def by_reading(table: Table) -> Table:
    """Once the deal is complete, where the house has said it of every deal."""
    playing = settle.round_of(table)
    open_yet = deal.DISCARD in playing.plan and not playing.discarded and inventory.deal_is_complete(playing)
    if not open_yet or not discards.follows_the_deal(table):
        return table
    return _said(table, len(discards.PLACES), discards.READING)

