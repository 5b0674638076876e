"""The rows of the round's chart about cards and the deck."""

from __future__ import annotations

from felt.table import card_guards, facts, guards
from felt.table import reasons as why
from felt.table.charts.rows import move, refuse, stay
from felt.table.irregular.parts import HELD_FROM, IN_PLAY
from felt.table.moves import cards
from felt.table.state import Phase

_ALL = tuple(Phase)
_OUTSIDE_THE_DEAL = tuple(phase for phase in IN_PLAY if phase is not Phase.DEALING)
_HANDS_ARE_OUT = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.INTERRUPTED)
_DECK_MADE_GOOD = (facts.DeckChanged, facts.DeckVerified)
_FROM_THE_SHOE = (facts.CardDealt, facts.CardUnread)

_CARDS = (
    *stay(_FROM_THE_SHOE, IN_PLAY, when=card_guards.card_came_before, do=cards.take_again),
    *stay(_FROM_THE_SHOE, Phase.DEALING, when=guards.deal_goes_on, do=cards.bind_card),
    *move(_FROM_THE_SHOE, HELD_FROM, Phase.INTERRUPTED, when=guards.play_is_held, do=cards.hold_for_card),
    *move(_FROM_THE_SHOE, Phase.DEALING, Phase.DECIDING, when=guards.card_ends_the_deal, do=cards.bind_last_card),
    *move(_FROM_THE_SHOE, Phase.DEALING, Phase.REVEALING, do=cards.bind_last_card),
    *stay(_FROM_THE_SHOE, Phase.INTERRUPTED, when=guards.card_fits_while_held, do=cards.bind_held_card),
    *stay(_FROM_THE_SHOE, _OUTSIDE_THE_DEAL, do=cards.set_card_aside),
    *refuse(_FROM_THE_SHOE, _ALL, why.CARD_OUTSIDE_ROUND),
)

_BY_HAND = (
    *refuse(
        (facts.CardKeyed, facts.CardStruck, *_DECK_MADE_GOOD), _ALL, why.SUPERVISOR_ONLY,
        when=card_guards.role_is_too_low,
    ),
    *refuse((facts.CardKeyed, facts.CardStruck), _ALL, why.no_such_card, when=card_guards.card_is_none),
    *refuse((facts.CardKeyed, facts.CardStruck), _ALL, why.CARD_STRUCK, when=card_guards.card_is_struck),
    *refuse(facts.CardKeyed, IN_PLAY, why.CARD_IS_OUT, when=card_guards.card_is_out),
    *stay(facts.CardKeyed, _HANDS_ARE_OUT, when=card_guards.a_card_is_unread, do=cards.key_unread_card),
    *stay(facts.CardKeyed, Phase.INTERRUPTED, when=card_guards.card_may_be_inserted, do=cards.insert_card),
    *stay(facts.CardKeyed, Phase.DEALING, when=card_guards.missing_card_is_not_the_last, do=cards.bind_card),
    *move(facts.CardKeyed, Phase.DEALING, Phase.INTERRUPTED, when=guards.play_is_held, do=cards.hold_for_card),
    *move(
        facts.CardKeyed, Phase.DEALING, Phase.DECIDING,
        when=card_guards.missing_card_leads_to_decisions, do=cards.bind_last_card,
    ),
    *move(
        facts.CardKeyed, Phase.DEALING, Phase.REVEALING, when=card_guards.a_card_is_missing, do=cards.bind_last_card
    ),
    *stay(facts.CardKeyed, Phase.INTERRUPTED, when=card_guards.a_card_is_missing, do=cards.bind_held_card),
    *refuse(facts.CardKeyed, _ALL, why.NO_CARD_MISSING),
    *stay(facts.CardStruck, _ALL, do=cards.strike_card),
)  # fmt: skip

_DECK = (
    *stay(_DECK_MADE_GOOD, (Phase.CLOSED, Phase.IDLE, Phase.BETTING, Phase.VOIDING), do=cards.make_deck_good),
    *refuse(_DECK_MADE_GOOD, _ALL, why.DECK_IN_PLAY),
    *stay(facts.StubChecked, _ALL, when=card_guards.deal_is_complete, do=cards.check_stub),
    *refuse(facts.StubChecked, _ALL, why.NO_STUB),
    *stay(facts.DeckReported, _ALL),
)

# A restart of the table, of the shuffler or of both in the middle of a deal, or a count that was lost.
BREAKING = (facts.Booted, facts.ShufflerGreeted, facts.DealCountLost)
_BROKEN = (
    *move(BREAKING, Phase.DEALING, Phase.INTERRUPTED, when=guards.deal_is_asked_about, do=cards.break_deal),
    *stay(BREAKING, Phase.INTERRUPTED, when=card_guards.deal_is_unfinished, do=cards.break_deal),
)

CARDS = (*_BROKEN, *_CARDS, *_BY_HAND, *_DECK)
