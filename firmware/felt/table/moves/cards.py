"""What a card does to the deal, and what people do to the deck."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.cards import INDEX_OF, Card
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.table import deal, discarding, facts, inventory, panel, redacted, settle
from felt.table.irregular.cards import MISDEAL
from felt.table.irregular.parts import phase_of_play
from felt.table.moves import ends
from felt.table.prompts import tell
from felt.table.reasons import PLACE_EMPTIED
from felt.table.state import UNREAD, Dealt, Finding, Phase, Table, with_round
from felt.table.upkeep import notice, post

_CARDS = (facts.CardDealt, facts.CardUnread, facts.CardKeyed)
# A ruling on these may move every card after the error one place on: the plan is not full before it is made.
_REPLANNED = (Mishap.MISSED_BURN, Mishap.WRONG_COUNT)


# --- cards of the deal -------------------------------------------------------------------------------


def bind_card(table: Table, fact: facts.Fact) -> Table:
    """The card lies where its ordinal and the plan say, those that were not heard of before it without a face. One that
    has no place in the deal is set aside instead."""
    assert isinstance(fact, _CARDS)
    if isinstance(fact, facts.CardKeyed):
        return _lay(table, fact, ())
    found = inventory.found_by(table, fact)
    if inventory.is_set_aside(found) or _is_late_burn(fact, found):
        return _set_aside(table, fact, found)
    return _lay(table, fact, found)


def _lay(table: Table, fact: facts.Fact, found: tuple[Finding, ...]) -> Table:
    playing = settle.round_of(table)
    dealt, plan = playing.dealt, playing.plan
    if any(one.mishap is Mishap.MISSED_BURN for one in found):
        # Nothing was burnt: the card went to whoever came next.
        plan = (*plan[: len(dealt)], *plan[len(dealt) + 1 :])
    if isinstance(fact, facts.CardDealt | facts.CardUnread):
        first = playing.counted + 1
        missing = inventory.missing_before(playing, fact)
        unheard = (Dealt(UNREAD, where, fact.arrived_ns, fact.uncertain_ns) for where in missing)
        dealt = (*dealt, *(replace(one, ordinal=first + place) for place, one in enumerate(unheard)))
    laid = _laid(fact, plan[len(dealt)], playing.counted + 1 + len(dealt) - len(playing.dealt))
    if inventory.is_faceless(found):
        laid = replace(laid, card=UNREAD)
    counted = playing.counted + len(dealt) + 1 - len(playing.dealt)
    table = _with_findings(table, found) if found else table
    table = with_round(table, dealt=(*dealt, laid), plan=plan, counted=counted)
    return discarding.after_card(table, fact, len(dealt))


def _is_late_burn(fact: facts.Fact, found: tuple[Finding, ...]) -> bool:
    missed = any(one.mishap is Mishap.MISSED_BURN for one in found)
    return missed and isinstance(fact, facts.CardDealt) and fact.burnt


def _laid(fact: facts.Fact, target: str, ordinal: int) -> Dealt:
    if isinstance(fact, facts.CardKeyed):
        return Dealt(fact.card, target, fact.at.mono_ns, keyed=True, ordinal=ordinal)
    assert isinstance(fact, facts.CardDealt | facts.CardUnread)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    return Dealt(card, target, fact.arrived_ns, fact.uncertain_ns, ordinal=fact.ordinal or 0)


def take_again(table: Table, fact: facts.Fact) -> Table:
    """A card that is told again changes nothing, unless it was missing: then its face is known now."""
    if not isinstance(fact, facts.CardDealt):
        return table
    dealt = settle.round_of(table).dealt
    place = next((place for place, one in enumerate(dealt) if one.ordinal == fact.ordinal), None)
    is_bad = fact.card not in INDEX_OF or fact.card in table.shuffler.struck
    if place is None or is_bad or any(one.card == fact.card for one in dealt) or dealt[place].card != UNREAD:
        return table
    told = replace(dealt[place], card=fact.card)
    table = with_round(table, dealt=(*dealt[:place], told, *dealt[place + 1 :]))
    said = f"A card of {deal.say_target(told.target)} that was missing was told after all."
    return notice(table, "noted", said)


def _with_findings(table: Table, found: tuple[Finding, ...]) -> Table:
    assert table.round is not None
    table = inventory.with_doubt(table, (one.mishap for one in found))
    table = with_round(table, findings=(*settle.round_of(table).findings, *found))
    for one in found:
        table = notice(table, "noted", f"{one.evidence[0].upper()}{one.evidence[1:]}.")
    return table


def bind_last_card(table: Table, fact: facts.Fact) -> Table:
    """Modes that were lit during the deal go dark: the box keys may have to say which card is discarded."""
    bound = bind_card(table, fact)
    if deal.DISCARD in settle.round_of(bound).plan:
        bound = replace(bound, panel=panel.dark(bound.panel))
    return _posted(with_round(bound, dealt_at=fact.at))


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
    if inventory.count_is_open(playing):
        return table
    after = Phase.DECIDING if settle.deciding_seats(table) else Phase.REVEALING
    return with_round(_posted(discarding.by_reading(table)), held_from=after)


def _plan_is_open(table: Table) -> bool:
    return any(one.kind == MISDEAL and one.mishap in _REPLANNED for one in table.irregularity.questions)


def set_card_aside(table: Table, fact: facts.Fact) -> Table:
    return _set_aside(table, fact, inventory.found_by(table, fact))


def _set_aside(table: Table, fact: facts.Fact, found: tuple[Finding, ...]) -> Table:
    playing = settle.round_of(table)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    if card == UNREAD or card not in playing.strays:
        table = with_round(table, strays=(*playing.strays, card))
    if any(one.mishap in (Mishap.MISSED_BURN, Mishap.OTHER) for one in found):
        # It left in this deal, and the next one has the next ordinal.
        table = with_round(table, counted=playing.counted + 1)
    table = with_round(_lay_missing(table, fact), findings=(*playing.findings, *found))
    table = inventory.with_doubt(table, (one.mishap for one in found))
    return notice(table, "noted", "A card came that no hand waits for: set it aside, face down.")


def _lay_missing(table: Table, fact: facts.Fact) -> Table:
    """What its ordinal leaves out before a card that has no place itself."""
    playing = settle.round_of(table)
    if not isinstance(fact, facts.CardDealt | facts.CardUnread) or phase_of_play(table) is not Phase.DEALING:
        return table
    missing = inventory.missing_before(playing, fact)
    places = enumerate(missing, playing.counted + 1)
    unheard = tuple(Dealt(UNREAD, where, fact.arrived_ns, fact.uncertain_ns, False, at) for at, where in places)
    if not unheard:
        return table
    return with_round(table, dealt=(*playing.dealt, *unheard), counted=playing.counted + len(unheard))


def hold_for_card(table: Table, fact: facts.Fact) -> Table:
    """A card that is wrong by itself is set aside; one that is wrong by its time or its place lies in its place."""
    held = ends.hold(table, fact)
    return bind_held_card(held, fact) if table.phase is Phase.DEALING else set_card_aside(held, fact)


# --- an interrupted deal -----------------------------------------------------------------------------


def break_deal(table: Table, fact: facts.Fact) -> Table:
    """The deal is interrupted: how many cards left in between nobody knows, where the device does not tell."""
    held = ends.hold(table, fact) if table.phase is Phase.DEALING else table
    playing = settle.round_of(held)
    return held if playing.broken_at is not None else with_round(held, broken_at=len(playing.dealt))


def insert_card(table: Table, fact: facts.Fact) -> Table:
    """A card that left while nobody listened: those that came since lie one place further on."""
    assert isinstance(fact, facts.CardKeyed)
    playing = settle.round_of(table)
    at = playing.broken_at
    assert at is not None
    keyed = Dealt(fact.card, "", fact.at.mono_ns, keyed=True)
    cards = (*playing.dealt[:at], keyed, *playing.dealt[at:])
    dealt = tuple(replace(one, target=target) for one, target in zip(cards, playing.plan, strict=False))
    table = with_round(
        table, dealt=dealt, counted=playing.counted + 1, broken_at=at + 1, moved=playing.moved + 1
    )
    if inventory.deal_is_complete(settle.round_of(table)):
        table = finish_held_deal(with_round(table, dealt_at=fact.at))
    return notice(table, "noted", f"A card of {deal.say_target(dealt[at].target)} was keyed by {fact.person}.")


# --- by hand -----------------------------------------------------------------------------------------


def key_unread_card(table: Table, fact: facts.Fact) -> Table:
    """The first card without a face gets one, of those that the settlement waits for before any other."""
    assert isinstance(fact, facts.CardKeyed)
    playing = settle.round_of(table)
    dealt, awaited = playing.dealt, inventory.unread_targets(playing)
    unread = [place for place, one in enumerate(dealt) if one.card == UNREAD]
    place = next((place for place in unread if dealt[place].target in awaited), unread[0])
    keyed = replace(dealt[place], card=fact.card, keyed=True)
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
    struck = replace(table.shuffler, struck=(*table.shuffler.struck, fact.card))
    table = inventory.doubted(replace(table, shuffler=struck), tell(table, "deck.struck"))
    reason = redacted.scrubbed(fact.reason)
    table = notice(table, "noted", f"A card was struck out of the deck by {fact.person}: {reason}.")
    of_a_hand = any(one.where not in (deal.BURN, deal.DISCARD) for one in found)
    return notice(table, "noted", tell(table, PLACE_EMPTIED)) if of_a_hand else table


def _without_face(dealt: tuple[Dealt, ...], card: Card) -> tuple[Dealt, ...]:
    return tuple(replace(one, card=UNREAD) if one.card == card else one for one in dealt)


def make_deck_good(table: Table, fact: facts.Fact) -> Table:
    """Another deck, or this one counted card by card: whatever was known of it before counts no more."""
    assert isinstance(fact, facts.DeckChanged | facts.DeckVerified)
    table = replace(table, shuffler=replace(table.shuffler, deck=None, struck=(), doubt="", unchecked=0))
    key = "deck.changed" if isinstance(fact, facts.DeckChanged) else "deck.verified"
    return notice(table, "noted", tell(table, key, person=fact.person))


def check_stub(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.StubChecked)
    playing = inventory.last_deal(table)
    assert playing is not None
    expected = inventory.stub_of(playing)
    table = replace(table, shuffler=replace(table.shuffler, unchecked=0))
    if fact.cards == expected:
        return notice(table, "noted", f"The stub is whole: {expected} cards, counted by {fact.person}.")
    table = inventory.doubted(table, inventory.say_stub(fact.cards, expected))
    if table.round is None:
        return notice(table, "noted", inventory.unfit_deck(table))
    return _with_findings(table, inventory.found_by(table, fact))


def note_findings(table: Table, fact: facts.Fact) -> Table:
    return _with_findings(table, inventory.found_by(table, fact))
