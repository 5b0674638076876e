"""What a card does to the deal, and what people do to the deck."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.rules.mishaps import Mishap
from felt.table import card_reasons, deal, facts, inventory, letters, redacted, settle
from felt.table.irregular.cards import MISDEAL
from felt.table.moves import ends
from felt.table.state import UNREAD, Dealt, Finding, Phase, Table, changed_round, with_parts, with_round
from felt.table.upkeep import note_card_message, notice, post, shuffler_after

_CARDS = (facts.CardDealt, facts.CardUnread, facts.CardKeyed)
# A ruling on these may move every card after the error one place on: the plan is not full before it is made.
_REPLANNED = (Mishap.MISSED_BURN, Mishap.WRONG_COUNT)


# --- cards of the deal -------------------------------------------------------------------------------


def bind_card(table: Table, fact: facts.Fact) -> Table:
    """The card lies where the plan says. One that has no place in the deal is set aside instead."""
    playing = table.round
    assert playing is not None and isinstance(fact, _CARDS)
    found = inventory.found_by(table, fact)
    dealt, is_new = playing.dealt, not isinstance(fact, facts.CardKeyed) and fact.sequence != table.shuffler.sequence
    if not found:
        bound = changed_round(table, dealt=(*dealt, _laid(fact, playing.plan[len(dealt)])))
        if not is_new:
            return with_parts(table, round=bound)
        # Both at once: a new table costs, and this is what most cards of an evening do.
        return with_parts(table, round=bound, shuffler=shuffler_after(table, fact))
    if is_new:
        table = note_card_message(table, fact)
    if any(one.mishap in inventory.SET_ASIDE for one in found) or _is_late_burn(fact, found):
        return _set_aside(table, fact, found)
    plan = playing.plan
    if found[0].mishap is Mishap.MISSED_BURN:
        # Nothing was burnt: the card went to whoever came next.
        plan = (*plan[: len(dealt)], *plan[len(dealt) + 1 :])
    laid = (*dealt, _laid(fact, plan[len(dealt)]))
    return with_round(_with_findings(table, found), dealt=laid, plan=plan)


def _is_late_burn(fact: facts.Fact, found: tuple[Finding, ...]) -> bool:
    return isinstance(fact, facts.CardDealt) and fact.burnt and found[0].mishap is Mishap.MISSED_BURN


def _laid(fact: facts.Fact, target: str) -> Dealt:
    if isinstance(fact, facts.CardDealt):
        return Dealt(fact.card, target, fact.arrived_ns, fact.uncertain_ns)
    if isinstance(fact, facts.CardUnread):
        return Dealt(UNREAD, target, fact.arrived_ns, fact.uncertain_ns)
    assert isinstance(fact, facts.CardKeyed)
    return Dealt(fact.card, target, fact.at.mono_ns, keyed=True)


def _with_findings(table: Table, found: tuple[Finding, ...]) -> Table:
    assert table.round is not None
    table = with_round(table, findings=(*table.round.findings, *found))
    for one in found:
        table = notice(table, "noted", f"{one.evidence[0].upper()}{one.evidence[1:]}.")
    return table


def bind_last_card(table: Table, fact: facts.Fact) -> Table:
    return _posted(with_round(bind_card(table, fact), dealt_at=fact.at))


def _posted(table: Table) -> Table:
    playing = settle.round_of(table)
    assert playing.dealt_at is not None
    hands = tuple(
        letters.DealtHand(seat, *deal.time_of_hand(playing, str(seat)))
        for seat in settle.seats_in_play(settle.book_of(table), playing.bets)
    )
    return post(table, letters.RoundDealtLetter(playing.number, playing.dealt_at, hands))


def bind_held_card(table: Table, fact: facts.Fact) -> Table:
    """The deal goes on under an interruption; when it is complete, what is held is the phase after it, unless a ruling
    can still ask for another card."""
    playing = settle.round_of(table)
    bound = bind_card(table, fact)
    if not inventory.deal_is_complete(settle.round_of(bound)) or inventory.deal_is_complete(playing):
        return bound
    return finish_held_deal(with_round(bound, dealt_at=fact.at))


def finish_held_deal(table: Table) -> Table:
    playing = settle.round_of(table)
    if playing.held_from is not Phase.DEALING or not inventory.deal_is_complete(playing) or _plan_is_open(table):
        return table
    after = Phase.DECIDING if settle.deciding_seats(table) else Phase.REVEALING
    return with_round(_posted(table), held_from=after)


def _plan_is_open(table: Table) -> bool:
    return any(one.kind == MISDEAL and one.mishap in _REPLANNED for one in table.irregularity.questions)


def set_card_aside(table: Table, fact: facts.Fact) -> Table:
    return _set_aside(table, fact, inventory.found_by(table, fact))


def _set_aside(table: Table, fact: facts.Fact, found: tuple[Finding, ...]) -> Table:
    playing = settle.round_of(table)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    if card == UNREAD or card not in playing.strays:
        table = with_round(table, strays=(*playing.strays, card))
    table = with_round(table, findings=(*playing.findings, *found))
    return notice(table, "noted", "A card came that no hand waits for: set it aside, face down.")


def hold_for_card(table: Table, fact: facts.Fact) -> Table:
    """A card that is wrong by itself is set aside; one that is wrong by its time or its place lies in its place."""
    held = ends.hold(table, fact)
    return bind_held_card(held, fact) if table.phase is Phase.DEALING else set_card_aside(held, fact)


# --- by hand -----------------------------------------------------------------------------------------


def key_unread_card(table: Table, fact: facts.Fact) -> Table:
    """The first card without a face gets one, of those that the settlement waits for before any other."""
    assert isinstance(fact, facts.CardKeyed)
    playing = settle.round_of(table)
    dealt, awaited = playing.dealt, inventory.unread_targets(playing)
    unread = [place for place, one in enumerate(dealt) if one.card == UNREAD]
    place = next((place for place in unread if dealt[place].target in awaited), unread[0])
    keyed = dealt[place]._replace(card=fact.card, keyed=True)
    table = with_round(table, dealt=(*dealt[:place], keyed, *dealt[place + 1 :]))
    return notice(table, "noted", f"A card of {deal.say_target(keyed.target)} was keyed by {fact.person}.")


def strike_card(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardStruck)
    found, playing = inventory.found_by(table, fact), table.round
    if playing is not None:
        strays = tuple(card for card in playing.strays if card != fact.card)
        # A round that is settled was settled with the card: a supervisor voids it or it stands.
        dealt = playing.dealt if playing.settled_at else _without_face(playing.dealt, fact.card)
        table = _with_findings(with_round(table, strays=strays, dealt=dealt), found)
    doubt = "a card was struck out of it"
    struck = table.shuffler._replace(struck=(*table.shuffler.struck, fact.card), doubt=doubt)
    table = table._replace(shuffler=struck)
    reason = redacted.scrubbed(fact.reason)
    table = notice(table, "noted", f"A card was struck out of the deck by {fact.person}: {reason}.")
    of_a_hand = any(one.where not in (deal.BURN, deal.DISCARD) for one in found)
    return notice(table, "noted", card_reasons.PLACE_EMPTIED) if of_a_hand else table


def _without_face(dealt: tuple[Dealt, ...], card: Card) -> tuple[Dealt, ...]:
    return tuple(one._replace(card=UNREAD) if one.card == card else one for one in dealt)


def change_deck(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeckChanged)
    table = table._replace(shuffler=table.shuffler._replace(deck=None, struck=(), doubt="", unchecked=0))
    return notice(table, "noted", f"The deck was changed or found whole by {fact.person}.")


def check_stub(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.StubChecked)
    playing = inventory.last_deal(table)
    assert playing is not None
    expected = inventory.stub_of(playing)
    table = table._replace(shuffler=table.shuffler._replace(unchecked=0))
    if fact.cards == expected:
        return notice(table, "noted", f"The stub is whole: {expected} cards, counted by {fact.person}.")
    table = table._replace(shuffler=table.shuffler._replace(doubt=inventory.say_stub(fact.cards, expected)))
    if table.round is None:
        return notice(table, "noted", f"{inventory.say_stub(fact.cards, expected)}: change the deck.")
    return _with_findings(table, inventory.found_by(table, fact))


def note_findings(table: Table, fact: facts.Fact) -> Table:
    return _with_findings(table, inventory.found_by(table, fact))
