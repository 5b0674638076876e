"""The shuffler and its deck: what the device reports about itself, struck cards, a changed or verified deck, the
counted stub."""

from __future__ import annotations

from felt.nouns.cards import INDEX_OF, Card
from felt.nouns.faults import CATALOGUE
from felt.nouns.values import replace
from felt.rules.authority import Authority, may
from felt.table import deal, facts, interruptions, inventory, maintenance, questions, redacted, state
from felt.table.chart import move, refuse, stay
from felt.table.deal import BURN
from felt.table.notices import notice
from felt.table.prompts import tell, tell_fault
from felt.table.state import EVERY_PHASE, UNREAD, Dealt, Deck, Phase, ServiceState, Shuffler, Table, with_round

SUPERVISOR_ONLY = "refused.supervisor_only"
CARD_STRUCK = "refused.card_struck"
PLACE_EMPTIED = "noted.place_emptied"
DECK_IN_PLAY = "refused.deck_in_play"
NO_STUB = "refused.no_stub"


# --- truths ------------------------------------------------------------------------------------------


def role_is_too_low(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck | facts.DeckChanged | facts.DeckVerified)
    return not may(fact.role, Authority.SUPERVISOR)


def card_is_none(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return fact.card not in INDEX_OF


def card_is_struck(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return fact.card in table.shuffler.struck


def deal_is_complete(table: Table, _: facts.Fact) -> bool:
    playing = inventory.last_deal(table)
    return playing is not None and inventory.deal_is_complete(playing)


def card_message_is_new(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, _CARD_MESSAGES)
    return fact.sequence != table.shuffler.sequence


_CARD_MESSAGES = (facts.CardDealt, facts.CardUnread)


def no_such_card(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return tell(table, "refused.no_such_card", card=repr(fact.card))


# --- what the shuffler tells -------------------------------------------------------------------------


def note_card_message(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, _CARD_MESSAGES)
    table = inventory.after_card(table, fact)
    return replace(table, shuffler=shuffler_after(table, fact))


def shuffler_after(table: Table, fact: facts.Fact) -> Shuffler:
    """The shuffler's state after the message that brought this card."""
    assert isinstance(fact, _CARD_MESSAGES)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    told = replace(table.shuffler, sequence=fact.sequence, ordinal=fact.ordinal, told=card)
    burns = table.round is not None and BURN in table.round.plan
    if isinstance(fact, facts.CardDealt) and fact.burnt and burns:
        return replace(told, marks_burns=True)
    return told


def note_shuffler(table: Table, fact: facts.Fact) -> Table:
    found = isinstance(fact, facts.ShufflerFound)
    table = replace(table, shuffler=replace(table.shuffler, connected=found))
    if found:
        return table
    if left_alone(table):
        # Its own fault says why. What it reported about its deck is as doubtful as the rest.
        return replace(table, shuffler=replace(table.shuffler, deck=None))
    return notice(maintenance.keep_alert(table, "F-201", "shuffler"), "noted", tell_fault(table, "F-201"))


def greet_shuffler(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ShufflerGreeted)
    # What one device did is no evidence against another one.
    marks_burns = table.shuffler.marks_burns and table.shuffler.identity == fact.identity
    greeted = replace(
        table.shuffler,
        session=fact.session, sequence=0, ordinal=None, told=UNREAD, identity=fact.identity, version=fact.version,
        marks_burns=marks_burns,
    )
    return replace(table, shuffler=greeted)


def note_deck(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeckReported)
    deck = Deck(fact.cards, fact.shuffled, fact.sets, fact.face_up_next, fact.jammed, fact.door_open)
    table = inventory.doubted(table, inventory.doubt_of_report(table, fact))
    if deck == table.shuffler.deck:
        return table
    return replace(table, shuffler=replace(table.shuffler, deck=deck))


SHUFFLER_SILENT, SHUFFLER_UNSUPPORTED = "F-201", "F-203"
FLOODS, ADAPTER_FAILED = "F-206", "F-208"  # the table ignores the shuffler while one of these stands


def why_no_deal(table: Table) -> str:
    """What is wrong with the shuffler itself: the table cannot hear it, or understands nothing that it sends."""
    standing = [fault.code for fault in table.service.faults]
    found = next((code for code in (SHUFFLER_UNSUPPORTED, ADAPTER_FAILED) if code in standing), "")
    if found:
        return _say_fault(table, found)
    if FLOODS in standing:
        return ""  # a flood does not stop the table: the dealer deals by hand, and the cards are keyed
    return "" if table.shuffler.connected else _say_fault(table, SHUFFLER_SILENT)


def left_alone(table: Table) -> bool:
    """True if the table ignores the shuffler because of a fault."""
    return any(fault.code in (FLOODS, ADAPTER_FAILED) for fault in table.service.faults)


def _say_fault(table: Table, code: str) -> str:
    return f"{tell_fault(table, code)} {CATALOGUE[code].remedy}"


# --- what people do to the deck ----------------------------------------------------------------------


def strike_card(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardStruck)
    found, playing = inventory.found_by(table, fact), table.round
    if playing is not None:
        strays = tuple(card for card in playing.strays if card != fact.card)
        # A settled round was settled with this card: a supervisor voids it, or it stands.
        dealt = playing.dealt if playing.settled_at else _without_face(playing.dealt, fact.card)
        table = inventory.with_findings(with_round(table, strays=strays, dealt=dealt), found)
    struck = replace(table.shuffler, struck=(*table.shuffler.struck, fact.card))
    table = inventory.doubted(replace(table, shuffler=struck), tell(table, "deck.struck"))
    reason = redacted.scrubbed(fact.reason)
    table = notice(table, "noted", f"A card was struck out of the deck by {fact.person}: {reason}.")
    of_a_hand = any(finding.where not in (BURN, deal.DISCARD) for finding in found)
    return notice(table, "noted", tell(table, PLACE_EMPTIED)) if of_a_hand else table


def _without_face(dealt: tuple[Dealt, ...], card: Card) -> tuple[Dealt, ...]:
    return tuple(replace(dealt_card, card=UNREAD) if dealt_card.card == card else dealt_card for dealt_card in dealt)


def make_deck_good(table: Table, fact: facts.Fact) -> Table:
    """Another deck, or the same one counted card by card: clears everything that was known about the old one."""
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
    return inventory.with_findings(table, inventory.found_by(table, fact))


def hold_for_report(table: Table, fact: facts.Fact) -> Table:
    return interruptions.hold(inventory.note_findings(table, fact), fact)


def hold_for_stub(table: Table, fact: facts.Fact) -> Table:
    return interruptions.hold(check_stub(table, fact), fact)


# --- rows --------------------------------------------------------------------------------------------

DECK_MADE_GOOD = (facts.DeckChanged, facts.DeckVerified)
SERVICE_ROWS = (
    *stay(
        (facts.CardDealt, facts.CardUnread), ServiceState,
        when=card_message_is_new, do=note_card_message,
    ),
    *stay((facts.CardDealt, facts.CardUnread), ServiceState),
    *stay((facts.FrameKept, facts.FramesCounted), ServiceState),
    *stay(facts.DeckReported, ServiceState, do=note_deck),
    *stay((facts.ShufflerLost, facts.ShufflerFound), ServiceState, do=note_shuffler),
    *stay(facts.ShufflerGreeted, ServiceState, do=greet_shuffler),
    *stay(facts.DealCountLost, ServiceState),
)
ROWS = (
    *move(
        facts.DeckReported, (Phase.LOCKING, Phase.DEALING), Phase.INTERRUPTED,
        when=questions.play_is_held, do=hold_for_report,
    ),
    *move(facts.StubChecked, state.AFTER_SNAPSHOT, Phase.INTERRUPTED, when=questions.play_is_held, do=hold_for_stub),
    *refuse(
        (facts.CardStruck, facts.DeckChanged, facts.DeckVerified), EVERY_PHASE, SUPERVISOR_ONLY,
        when=role_is_too_low,
    ),
    *refuse(facts.CardStruck, EVERY_PHASE, no_such_card, when=card_is_none),
    *refuse(facts.CardStruck, EVERY_PHASE, CARD_STRUCK, when=card_is_struck),
    *stay(facts.CardStruck, EVERY_PHASE, do=strike_card),
    *stay(DECK_MADE_GOOD, (Phase.CLOSED, Phase.IDLE, Phase.BETTING, Phase.VOIDING), do=make_deck_good),
    *refuse(DECK_MADE_GOOD, EVERY_PHASE, DECK_IN_PLAY),
    *stay(facts.StubChecked, EVERY_PHASE, when=deal_is_complete, do=check_stub),
    *refuse(facts.StubChecked, EVERY_PHASE, NO_STUB),
    *stay(facts.DeckReported, EVERY_PHASE),
)
