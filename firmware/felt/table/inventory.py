"""The 52 cards and what is wrong with them: every card is compared with those that are out and with the plan of the
deal, and what does not fit is found at the card where it happens. A finding is derived in the step of its own fact and
kept in the round; were it a second record of the journal, a power cut could tear it away from its card. What may follow
from a finding is not known here."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.ids import seat_of
from felt.rules.mishaps import Mishap
from felt.rules.procedure import PROCEDURES
from felt.table import facts
from felt.table.asked import once_a_pair
from felt.table.deal import BURN, DISCARD, plan, say_target
from felt.table.irregular.parts import phase_of_play
from felt.table.state import UNREAD, Deck, Finding, Phase, Round, Table

CARDS_OF_A_DECK = len(DECK)

# Cards with such a finding have no place in the deal: they are set aside.
SET_ASIDE = (
    Mishap.CARD_BEFORE_LOCK, Mishap.DUPLICATE_CARD, Mishap.FOREIGN_CARD, Mishap.EXCESS_CARD, Mishap.OTHER,
)  # fmt: skip

_AROUND_THE_DEAL = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)
_card_of = itemgetter(0)


@once_a_pair
def found_by(table: Table, fact: facts.Fact) -> tuple[Finding, ...]:
    """What this fact shows to be wrong with the cards of the round in play, before it is stepped."""
    find = _FINDERS.get(type(fact))
    return find(table, table.round, fact) if find is not None and table.round is not None else ()


def _by_card(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.CardDealt)
    card, dealt, shuffler = fact.card, playing.dealt, table.shuffler
    phase = table.phase if table.phase is Phase.DEALING else phase_of_play(table)
    if phase not in _AROUND_THE_DEAL:
        return _outside_the_deal(phase, card)
    where = playing.plan[len(dealt)] if len(dealt) < len(playing.plan) else ""
    if card not in INDEX_OF or card in shuffler.struck:
        return (Finding(Mishap.FOREIGN_CARD, where, "a card came that is not part of the deck", (card,)),)
    # A list by itemgetter: every card of every evening passes here.
    if card in playing.strays or card in list(map(_card_of, dealt)):
        return (Finding(Mishap.DUPLICATE_CARD, where, "a card came out of the deck twice", (card,)),)
    if not where:
        return (Finding(Mishap.EXCESS_CARD, "", "a card came after the deal was complete", (card,)),)
    if fact.face_up or fact.together or fact.burnt or shuffler.marks_burns:
        return _by_marks(fact, playing, where, shuffler.marks_burns)
    return ()


def _outside_the_deal(phase: Phase, *cards: Card) -> tuple[Finding, ...]:
    if phase in (Phase.BETTING, Phase.LOCKING):
        return (Finding(Mishap.CARD_BEFORE_LOCK, "", "a card left the shoe before bets were closed", cards),)
    return ()


def _by_marks(fact: facts.CardDealt, playing: Round, where: str, marks_burns: bool) -> tuple[Finding, ...]:
    """What the device itself says of the card."""
    found = []
    if fact.burnt and where != BURN:
        mishap = Mishap.MISSED_BURN if BURN in playing.plan else Mishap.OTHER
        sentence = f"the shuffler burnt a card where {say_target(where)} was next"
        found.append(Finding(mishap, where, sentence, (fact.card,)))
    if where == BURN and marks_burns and not fact.burnt:
        found.append(Finding(Mishap.MISSED_BURN, BURN, "the first card was dealt without a burnt one", (fact.card,)))
    if fact.together and playing.dealt:
        before = playing.dealt[-1]
        sentence = f"two cards left together, for {say_target(before.target)} and {say_target(where)}"
        found.append(Finding(Mishap.SIMULTANEOUS_CARDS, where, sentence, (before.card, fact.card)))
    if fact.face_up:
        sentence = f"a card lay face up in the deck and was used as the next, for {say_target(where)}"
        found.append(Finding(Mishap.FACE_UP_CARD, where, sentence, (fact.card,)))
    return tuple(found)


def _by_unread(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.CardUnread)
    phase = phase_of_play(table)
    if phase not in _AROUND_THE_DEAL:
        return _outside_the_deal(phase)
    if len(playing.dealt) >= len(playing.plan):
        return (Finding(Mishap.EXCESS_CARD, "", "an unread card came after the deal was complete"),)
    where = playing.plan[len(playing.dealt)]
    if fact.foreign:
        return (Finding(Mishap.FOREIGN_CARD, where, "a card came that is not part of the deck"),)
    return (Finding(Mishap.UNREAD_CARD, where, f"the card for {say_target(where)} could not be read"),)


def _by_stub(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.StubChecked)
    expected = stub_of(playing)
    if fact.cards == expected or not deal_is_complete(playing):
        return ()
    return (Finding(Mishap.WRONG_DECK_COUNT, "", say_stub(fact.cards, expected)),)


def _by_report(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    """In the middle of a deal: what is left in the shuffler cannot fill the plan."""
    assert isinstance(fact, facts.DeckReported)
    missing = len(playing.plan) - len(playing.dealt)
    if phase_of_play(table) is not Phase.DEALING or fact.cards >= missing or not playing.dealt:
        return ()
    if any(one.mishap is Mishap.SHORT_DEAL for one in playing.findings):
        return ()
    where = playing.plan[len(playing.dealt)]
    sentence = f"the shuffler has {fact.cards} cards left and the deal needs {missing} more"
    return (Finding(Mishap.SHORT_DEAL, where, sentence),)


def _by_strike(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    """A card that lies in a hand is struck: its place is without a face."""
    assert isinstance(fact, facts.CardStruck)
    where = next((one.target for one in playing.dealt if one.card == fact.card), None)
    if where is None or phase_of_play(table) not in _AROUND_THE_DEAL:
        return ()
    return (Finding(Mishap.UNREAD_CARD, where, f"a card of {say_target(where)} was struck out", (fact.card,)),)


_FINDERS: dict[type[facts.Fact], Callable[[Table, Round, facts.Fact], tuple[Finding, ...]]] = {
    facts.CardDealt: _by_card,
    facts.CardUnread: _by_unread,
    facts.StubChecked: _by_stub,
    facts.DeckReported: _by_report,
    facts.CardStruck: _by_strike,
}


# --- counts ------------------------------------------------------------------------------------------


def deal_is_complete(playing: Round) -> bool:
    return bool(playing.plan) and len(playing.dealt) == len(playing.plan)


def stub_of(playing: Round) -> int:
    """How many cards a whole deck has left after this deal."""
    return CARDS_OF_A_DECK - len(playing.dealt) - len(playing.strays)


def say_stub(counted: int, expected: int) -> str:
    return f"{counted} cards were left after the deal and a whole deck leaves {expected}"


def unfit_deck(table: Table) -> str:
    """Why no round opens with the deck as it is, in a sentence; empty where one may."""
    shuffler, deck = table.shuffler, table.shuffler.deck
    if shuffler.doubt:
        return f"No round opens with this deck: {shuffler.doubt}. Change the deck, or find it whole."
    return "" if deck is None else _unfit_report(deck) or too_few_cards(table)


def _unfit_report(deck: Deck) -> str:
    if deck.jammed:
        return "The shuffler is jammed: clear it."
    if deck.door_open:
        return "The shuffler's door is open: close it."
    if deck.shuffled and not deck.sets and deck.cards != CARDS_OF_A_DECK:
        return f"The shuffler counts {deck.cards} cards after its shuffle: change the deck."
    return ""


def too_few_cards(table: Table) -> str:
    """Whether the deck as reported can serve every box that may yet bet, or at least every box that has."""
    deck, settings = table.shuffler.deck, table.settings
    if deck is None or deck.cards >= CARDS_OF_A_DECK or settings is None:
        return ""
    boxes = tuple(seat for seat in range(1, settings.seats + 1) if seat not in table.barred)
    if table.round is not None:
        boxes = tuple(seat for seat in boxes if any(one.present and seat_of(one.spot) == seat for one in table.spots))
    method = PROCEDURES[settings.game].method(settings.dealing)
    needed = len(plan(method, boxes))
    if deck.cards >= needed:
        return ""
    return f"The shuffler has {deck.cards} cards and the deal may need {needed}: put in a whole deck."


def stub_is_due(table: Table) -> bool:
    """By the house's interval the cards left after a deal are counted now."""
    interval = table.settings.stub_check_rounds if table.settings else 0
    return 0 < interval <= table.shuffler.unchecked


def last_deal(table: Table) -> Round | None:
    """The round whose cards are out of the shoe: the one in play, or the last one until the next opens."""
    return table.round if table.round is not None else table.previous


def unread_targets(playing: Round) -> tuple[str, ...]:
    """Places whose card must be known before the round can be settled: a box whose bets went back plays no hand."""
    needless = (BURN, DISCARD, *map(str, playing.returned))
    return tuple(one.target for one in playing.dealt if one.card == UNREAD and one.target not in needless)
