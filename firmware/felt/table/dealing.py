"""Cards of the deal. Each card gets its place from its ordinal and the plan. A missing card is asked about or keyed. An
interrupted deal continues."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.cards import INDEX_OF
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.table import deal, deck, discards, facts, interruptions, inventory, settle, state
from felt.table.chart import move, refuse, stay
from felt.table.misdeals import MISDEAL
from felt.table.notices import notice, post
from felt.table.questions import play_is_held
from felt.table.state import (
    BEFORE_SETTLEMENT,
    EVERY_PHASE,
    HELD_FROM,
    IN_PLAY,
    UNREAD,
    Dealt,
    Finding,
    Phase,
    Round,
    Table,
    phase_of_play,
    with_round,
)

CARD_OUTSIDE_ROUND = "refused.card_outside_round"
CARD_IS_OUT = "refused.card_is_out"
NO_CARD_MISSING = "refused.no_card_missing"
CARD_WAIT_NS = 5 * NS_PER_S  # if no card of an unfinished deal comes for so long, a supervisor may key the next one


# --- truths ------------------------------------------------------------------------------------------


def deal_is_asked_about(table: Table, fact: facts.Fact) -> bool:
    return inventory.deal_is_under_way(table) and play_is_held(table, fact)


def card_ends_the_deal(table: Table, fact: facts.Fact) -> bool:
    """This is the last card, and a player has a decision to make."""
    return not deal_goes_on(table, fact) and bool(settle.deciding_seats(table))


def deal_goes_on(table: Table, fact: facts.Fact) -> bool:
    """The usual card: play is not held, and more cards follow."""
    assert table.round is not None
    return len(table.round.dealt) + 1 < len(table.round.plan) and not play_is_held(table, fact)


def card_fits_while_held(table: Table, _: facts.Fact) -> bool:
    """A question does not stop the shuffler. A card that the plan expects gets its place although a question is
    open."""
    return phase_of_play(table) is Phase.DEALING


def card_is_out(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed)
    playing = table.round
    if playing is None:
        return False
    return fact.card in playing.strays or any(dealt_card.card == fact.card for dealt_card in playing.dealt)


def a_card_is_unread(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and any(dealt_card.card == UNREAD for dealt_card in table.round.dealt)


def card_came_before(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and bool(table.round.plan) and inventory.came_before(table.round, fact)


def a_card_is_missing(table: Table, fact: facts.Fact) -> bool:
    """The deal is incomplete and the shuffler will not complete it."""
    playing, shuffler = table.round, table.shuffler
    if playing is None or phase_of_play(table) is not Phase.DEALING or len(playing.dealt) >= len(playing.plan):
        return False
    stopped = shuffler.deck is not None and (shuffler.deck.jammed or shuffler.deck.cards == 0)
    return stopped or not shuffler.connected or _is_long_waited_for(table, playing, fact)


def _is_long_waited_for(table: Table, playing: Round, fact: facts.Fact) -> bool:
    """Cards of the previous boot have no time in this one: they came before it."""
    locked_ns = playing.lock_ns or 0 if playing.locked_at is not None and playing.locked_at.boot == table.boot else 0
    last_ns = max((dealt_card.arrived_ns for dealt_card in playing.dealt), default=locked_ns)
    return fact.at.mono_ns - last_ns >= CARD_WAIT_NS


def deal_is_unfinished(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and inventory.deal_is_under_way(table)


def card_may_be_inserted(table: Table, fact: facts.Fact) -> bool:
    """The deal was interrupted, and no ordinal shows that the cards before and after the gap are neighbours."""
    if not deal_is_unfinished(table, fact) or not play_is_held(table, fact):
        return False
    playing = settle.round_of(table)
    at = playing.broken_at
    return at is not None and (at == len(playing.dealt) or not playing.dealt[at].ordinal)


def missing_card_is_not_the_last(table: Table, fact: facts.Fact) -> bool:
    playing = settle.round_of(table)
    goes_on = len(playing.dealt) + 1 < len(playing.plan)
    return a_card_is_missing(table, fact) and goes_on and not play_is_held(table, fact)


def missing_card_leads_to_decisions(table: Table, fact: facts.Fact) -> bool:
    return a_card_is_missing(table, fact) and bool(settle.deciding_seats(table))


# --- moves -------------------------------------------------------------------------------------------

# A ruling on one of these may move every later card by one place, so the plan is not full until the ruling.
_REPLANNED = (Mishap.MISSED_BURN, Mishap.WRONG_COUNT)


def bind_card(table: Table, fact: facts.Fact) -> Table:
    """Puts the card where its ordinal and the plan say, and lays unheard cards before it face unknown. A card without a
    place in the deal is set aside instead."""
    assert isinstance(fact, discards.CARDS_TOLD)
    if isinstance(fact, facts.CardKeyed):
        return _lay(table, fact, ())
    found = inventory.found_by(table, fact)
    if inventory.is_set_aside(found) or _is_late_burn(fact, found):
        return _set_aside(table, fact, found)
    return _lay(table, fact, found)


def _lay(table: Table, fact: facts.Fact, found: tuple[Finding, ...]) -> Table:
    playing = settle.round_of(table)
    dealt, plan = playing.dealt, playing.plan
    if any(finding.mishap is Mishap.MISSED_BURN for finding in found):
        # Nothing was burnt: the card went to the next target.
        plan = (*plan[: len(dealt)], *plan[len(dealt) + 1 :])
    if isinstance(fact, facts.CardDealt | facts.CardUnread):
        first = playing.counted + 1
        missing = inventory.missing_before(playing, fact)
        unheard = (Dealt(UNREAD, where, fact.arrived_ns, fact.uncertain_ns) for where in missing)
        dealt = (*dealt, *(replace(dealt_card, ordinal=first + place) for place, dealt_card in enumerate(unheard)))
    laid = _laid(fact, plan[len(dealt)], playing.counted + 1 + len(dealt) - len(playing.dealt))
    if inventory.is_faceless(found):
        laid = replace(laid, card=UNREAD)
    counted = playing.counted + len(dealt) + 1 - len(playing.dealt)
    table = inventory.with_findings(table, found) if found else table
    table = with_round(table, dealt=(*dealt, laid), plan=plan, counted=counted)
    return discards.after_card(table, fact, len(dealt))


def _is_late_burn(fact: facts.Fact, found: tuple[Finding, ...]) -> bool:
    missed = any(finding.mishap is Mishap.MISSED_BURN for finding in found)
    return missed and isinstance(fact, facts.CardDealt) and fact.burnt


def _laid(fact: facts.Fact, target: str, ordinal: int) -> Dealt:
    if isinstance(fact, facts.CardKeyed):
        return Dealt(fact.card, target, fact.at.mono_ns, keyed=True, ordinal=ordinal, untold=True)
    assert isinstance(fact, facts.CardDealt | facts.CardUnread)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    return Dealt(card, target, fact.arrived_ns, fact.uncertain_ns, ordinal=fact.ordinal or 0)


def take_again(table: Table, fact: facts.Fact) -> Table:
    """A repeated card changes nothing, unless it was missing: then its face becomes known."""
    dealt = settle.round_of(table).dealt
    place = inventory.first_untold(settle.round_of(table))
    if place is not None and inventory.is_counted(fact):
        told = replace(dealt[place], untold=False)
        return with_round(table, dealt=(*dealt[:place], told, *dealt[place + 1 :]))
    if not isinstance(fact, facts.CardDealt):
        return table
    place = next((place for place, dealt_card in enumerate(dealt) if dealt_card.ordinal == fact.ordinal), None)
    is_bad = fact.card not in INDEX_OF or fact.card in table.shuffler.struck
    is_known = any(dealt_card.card == fact.card for dealt_card in dealt)
    if place is None or is_bad or is_known or dealt[place].card != UNREAD:
        return table
    told = replace(dealt[place], card=fact.card)
    table = with_round(table, dealt=(*dealt[:place], told, *dealt[place + 1 :]))
    said = f"A card of {deal.say_target(told.target)} that was missing was told after all."
    return notice(table, "noted", said)


def bind_last_card(table: Table, fact: facts.Fact) -> Table:
    """Switches lit modes off: the box keys may be needed to say which card is discarded."""
    bound = bind_card(table, fact)
    if deal.DISCARD in settle.round_of(bound).plan:
        bound = replace(bound, panel=state.without_mode(bound.panel))
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
    """The deal continues while play is held. When it is complete, the held phase advances, unless a ruling can still
    ask for another card."""
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
    return with_round(_posted(discards.by_reading(table)), held_from=after)


def _plan_is_open(table: Table) -> bool:
    return any(question.kind == MISDEAL and question.mishap in _REPLANNED for question in table.irregularity.questions)


def set_card_aside(table: Table, fact: facts.Fact) -> Table:
    return _set_aside(table, fact, inventory.found_by(table, fact))


def _set_aside(table: Table, fact: facts.Fact, found: tuple[Finding, ...]) -> Table:
    playing = settle.round_of(table)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    if card == UNREAD or card not in playing.strays:
        table = with_round(table, strays=(*playing.strays, card))
    if any(finding.mishap in (Mishap.MISSED_BURN, Mishap.OTHER) for finding in found):
        # It left in this deal, and the next card has the next ordinal.
        table = with_round(table, counted=playing.counted + 1)
    table = with_round(_lay_missing(table, fact), findings=(*playing.findings, *found))
    table = inventory.with_doubt(table, (finding.mishap for finding in found))
    return notice(table, "noted", "A card came that no hand waits for: set it aside, face down.")


def _lay_missing(table: Table, fact: facts.Fact) -> Table:
    """Lays the cards that the ordinal shows as missing before a card without a place of its own."""
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
    """Sets aside a card that is wrong in itself. A card that is wrong by its time or place stays in its place."""
    held = interruptions.hold(table, fact)
    return bind_held_card(held, fact) if table.phase is Phase.DEALING else set_card_aside(held, fact)


def break_deal(table: Table, fact: facts.Fact) -> Table:
    """The deal is interrupted. If the device does not count, the number of cards that left meanwhile is unknown."""
    held = interruptions.hold(table, fact) if table.phase is Phase.DEALING else table
    playing = settle.round_of(held)
    return held if playing.broken_at is not None else with_round(held, broken_at=len(playing.dealt))


def insert_card(table: Table, fact: facts.Fact) -> Table:
    """Inserts a card that left unheard. The cards that came after it move one place on."""
    assert isinstance(fact, facts.CardKeyed)
    playing = settle.round_of(table)
    at = playing.broken_at
    assert at is not None
    keyed = Dealt(fact.card, "", fact.at.mono_ns, keyed=True)
    cards = (*playing.dealt[:at], keyed, *playing.dealt[at:])
    dealt = tuple(replace(dealt_card, target=target) for dealt_card, target in zip(cards, playing.plan, strict=False))
    table = with_round(
        table, dealt=dealt, counted=playing.counted + 1, broken_at=at + 1, moved=playing.moved + 1
    )
    if inventory.deal_is_complete(settle.round_of(table)):
        table = finish_held_deal(with_round(table, dealt_at=fact.at))
    return notice(table, "noted", f"A card of {deal.say_target(dealt[at].target)} was keyed by {fact.person}.")


def key_unread_card(table: Table, fact: facts.Fact) -> Table:
    """Gives a face to the first card without one, starting with those that the settlement needs."""
    assert isinstance(fact, facts.CardKeyed)
    playing = settle.round_of(table)
    dealt, awaited = playing.dealt, inventory.unread_targets(playing)
    unread = [place for place, dealt_card in enumerate(dealt) if dealt_card.card == UNREAD]
    place = next((place for place in unread if dealt[place].target in awaited), unread[0])
    keyed = replace(dealt[place], card=fact.card, keyed=True)
    table = with_round(table, dealt=(*dealt[:place], keyed, *dealt[place + 1 :]))
    return notice(table, "noted", f"A card of {deal.say_target(keyed.target)} was keyed by {fact.person}.")


# --- rows --------------------------------------------------------------------------------------------

_OUTSIDE_THE_DEAL = tuple(phase for phase in IN_PLAY if phase is not Phase.DEALING)
_HANDS_ARE_OUT = (*BEFORE_SETTLEMENT, Phase.INTERRUPTED)
_FROM_THE_SHOE = (facts.CardDealt, facts.CardUnread)
# The table, the shuffler or both restarted in the middle of a deal, or the device lost its count.
BREAKING = (facts.Booted, facts.ShufflerGreeted, facts.DealCountLost)
ROWS = (
    *move(BREAKING, Phase.DEALING, Phase.INTERRUPTED, when=deal_is_asked_about, do=break_deal),
    *stay(BREAKING, Phase.INTERRUPTED, when=deal_is_unfinished, do=break_deal),
    *stay(_FROM_THE_SHOE, IN_PLAY, when=card_came_before, do=take_again),
    *stay(_FROM_THE_SHOE, Phase.DEALING, when=deal_goes_on, do=bind_card),
    *move(_FROM_THE_SHOE, HELD_FROM, Phase.INTERRUPTED, when=play_is_held, do=hold_for_card),
    *move(_FROM_THE_SHOE, Phase.DEALING, Phase.DECIDING, when=card_ends_the_deal, do=bind_last_card),
    *move(_FROM_THE_SHOE, Phase.DEALING, Phase.REVEALING, do=bind_last_card),
    *stay(_FROM_THE_SHOE, Phase.INTERRUPTED, when=card_fits_while_held, do=bind_held_card),
    *stay(_FROM_THE_SHOE, _OUTSIDE_THE_DEAL, do=set_card_aside),
    *refuse(_FROM_THE_SHOE, EVERY_PHASE, CARD_OUTSIDE_ROUND),
    *refuse(
        facts.CardKeyed, EVERY_PHASE, deck.SUPERVISOR_ONLY,
        when=deck.role_is_too_low,
    ),
    *refuse(facts.CardKeyed, EVERY_PHASE, deck.no_such_card, when=deck.card_is_none),
    *refuse(facts.CardKeyed, EVERY_PHASE, deck.CARD_STRUCK, when=deck.card_is_struck),
    *refuse(facts.CardKeyed, IN_PLAY, CARD_IS_OUT, when=card_is_out),
    *stay(facts.CardKeyed, _HANDS_ARE_OUT, when=a_card_is_unread, do=key_unread_card),
    *stay(facts.CardKeyed, Phase.INTERRUPTED, when=card_may_be_inserted, do=insert_card),
    *stay(facts.CardKeyed, Phase.DEALING, when=missing_card_is_not_the_last, do=bind_card),
    *move(facts.CardKeyed, Phase.DEALING, Phase.INTERRUPTED, when=play_is_held, do=hold_for_card),
    *move(
        facts.CardKeyed, Phase.DEALING, Phase.DECIDING,
        when=missing_card_leads_to_decisions, do=bind_last_card,
    ),
    *move(
        facts.CardKeyed, Phase.DEALING, Phase.REVEALING, when=a_card_is_missing, do=bind_last_card
    ),
    *stay(facts.CardKeyed, Phase.INTERRUPTED, when=a_card_is_missing, do=bind_held_card),
    *refuse(facts.CardKeyed, EVERY_PHASE, NO_CARD_MISSING),
)
