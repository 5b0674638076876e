"""The 52 cards and what is wrong with them. Every card is compared with the cards that are out and with the plan of the
deal, and a mismatch is found at the card that causes it. A finding is derived in the step of its own fact and kept in
the round. As a second record of the journal, a power cut could separate it from its card. The consequences of a finding
are decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.ids import seat_of
from felt.nouns.texts import capitalized
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.rules.procedure import PROCEDURES
from felt.table import facts, settle
from felt.table.deal import BURN, COMMUNITY, DEALER, DISCARD, plan, say_target
from felt.table.lock import lies
from felt.table.notices import notice
from felt.table.prompts import tell, tell_mishap
from felt.table.remembered import once_a_pair
from felt.table.state import BEFORE_SETTLEMENT, UNREAD, Finding, Phase, Round, Table, phase_of_play, with_round

CARDS_OF_A_DECK = len(DECK)
# Cards with such a finding have no place in the deal: they are set aside.
_SET_ASIDE = (
    Mishap.CARD_BEFORE_LOCK, Mishap.CARD_BEFORE_SNAPSHOT, Mishap.STRAY_CARD, Mishap.EXCESS_CARD, Mishap.OTHER,
)  # fmt: skip
# These keep their place, if the deal has one for them, but have no face.
_FACELESS = (Mishap.DUPLICATE_CARD, Mishap.FOREIGN_CARD)
# These show that the deck itself is wrong.
OF_THE_DECK = (Mishap.DUPLICATE_CARD, Mishap.FOREIGN_CARD, Mishap.WRONG_DECK_COUNT)


@once_a_pair
def found_by(table: Table, fact: facts.Fact) -> tuple[Finding, ...]:
    """What this fact shows to be wrong with the cards of the round in play, before it is stepped."""
    find = _FINDERS.get(type(fact))
    return find(table, table.round, fact) if find is not None and table.round is not None else ()


def _by_card(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.CardDealt)
    card, shuffler = fact.card, table.shuffler
    phase = table.phase if table.phase is Phase.DEALING else phase_of_play(table)
    if phase not in BEFORE_SETTLEMENT:
        return _outside_the_deal(phase, playing, fact, card)
    if came_before(playing, fact):
        return ()
    if stray := _stray(table, playing, fact):
        return (Finding(Mishap.STRAY_CARD, "", stray, (card,)),)
    missing, where = _missing(playing, fact), place_of(playing, fact)
    if card not in INDEX_OF or card in shuffler.struck:
        return (*missing, Finding(Mishap.FOREIGN_CARD, where, "a card came that is not part of the deck", (card,)))
    if card in playing.strays or any(dealt.card == card for dealt in playing.dealt):
        return (*missing, Finding(Mishap.DUPLICATE_CARD, where, "a card came out of the deck twice", (card,)))
    if not where:
        excess = Finding(Mishap.EXCESS_CARD, _dealt_last(playing), "a card came after the deal was complete", (card,))
        return (*missing, excess)
    if fact.face_up or fact.together or fact.burnt or shuffler.marks_burns:
        return (*missing, *_by_marks(fact, playing, where, shuffler.marks_burns))
    return missing


# --- the place of a card -----------------------------------------------------------------------------


def missing_before(playing: Round, fact: facts.Fact) -> tuple[str, ...]:
    """The places of cards that left before this one and were not heard: its ordinal shows the gap."""
    assert isinstance(fact, facts.CardDealt | facts.CardUnread)
    if fact.ordinal is None:
        return ()
    left_out = fact.ordinal - playing.counted - 1
    return playing.plan[len(playing.dealt) : len(playing.dealt) + left_out] if left_out > 0 else ()


def place_of(playing: Round, fact: facts.Fact) -> str:
    """The target of this card by the plan, from its ordinal if it has one; empty: none."""
    place = len(playing.dealt) + len(missing_before(playing, fact))
    return playing.plan[place] if place < len(playing.plan) else ""


def is_counted(fact: facts.Fact) -> bool:
    """The shoe counted a card that it had not reported."""
    return isinstance(fact, facts.CardUnread) and fact.missing


def first_untold(playing: Round) -> int | None:
    """The place of the first card that was keyed since the shoe's last report. The shoe's next count includes it."""
    place = len(playing.dealt)
    while place and playing.dealt[place - 1].keyed:
        place -= 1
    return next((at for at in range(place, len(playing.dealt)) if playing.dealt[at].untold), None)


def came_before(playing: Round, fact: facts.Fact) -> bool:
    """The card of this ordinal is known already: either it is repeated, or it was missing and its face is told now. A
    missing card left before the cards after it, so a card that may have left later is another one."""
    if not isinstance(fact, facts.CardDealt | facts.CardUnread):
        return False
    if fact.ordinal is None:
        return is_counted(fact) and first_untold(playing) is not None
    if not 0 < fact.ordinal <= playing.counted:
        return False
    if isinstance(fact, facts.CardUnread):
        return True
    lying = next((dealt_card for dealt_card in playing.dealt if dealt_card.ordinal == fact.ordinal), None)
    if lying is None:
        return fact.card in playing.strays
    if lying.card == UNREAD and all(dealt_card.card != fact.card for dealt_card in playing.dealt):
        left_by_ns = fact.arrived_ns - fact.age_ns
        later = (dealt_card for dealt_card in playing.dealt if dealt_card.ordinal > fact.ordinal)
        return all(left_by_ns <= dealt_card.arrived_ns for dealt_card in later)
    return lying.card in (UNREAD, fact.card)


def _stray(table: Table, playing: Round, fact: facts.CardDealt | facts.CardUnread) -> str:
    """Why this card does not belong to this deal, in a sentence; empty if it does."""
    locked_at = playing.locked_at
    if locked_at is not None and locked_at.boot == table.boot and playing.lock_ns is not None:
        left_by_ns = fact.arrived_ns - fact.age_ns
        if fact.age_ns and left_by_ns < playing.lock_ns:
            return "a card came that had left before bets were closed"
    if fact.ordinal is not None and fact.ordinal <= playing.counted:
        return f"card {fact.ordinal} of the deal came again, and it is another one"
    return ""


def _missing(playing: Round, fact: facts.CardDealt | facts.CardUnread) -> tuple[Finding, ...]:
    """One finding for each hand, however many of its cards are missing."""
    return tuple(
        Finding(Mishap.MISSING_CARD, where, f"nobody heard of a card for {say_target(where)}")
        for where in dict.fromkeys(missing_before(playing, fact))
    )


def _outside_the_deal(
    phase: Phase, playing: Round, fact: facts.CardDealt | facts.CardUnread, *cards: Card
) -> tuple[Finding, ...]:
    if phase is Phase.LOCKING and _left_after_the_lock(playing, fact):
        sentence = "a card left the shoe after bets were closed and before they were recorded"
        return (Finding(Mishap.CARD_BEFORE_SNAPSHOT, "", sentence, cards),)
    if phase in (Phase.BETTING, Phase.LOCKING):
        return (Finding(Mishap.CARD_BEFORE_LOCK, "", "a card left the shoe before bets were closed", cards),)
    return ()


def _left_after_the_lock(playing: Round, fact: facts.CardDealt | facts.CardUnread) -> bool:
    """A later boot has another clock. Everything it sees came after the lock."""
    assert playing.lock_ns is not None and playing.locked_at is not None
    return playing.locked_at.boot != fact.at.boot or fact.arrived_ns - fact.uncertain_ns > playing.lock_ns


def _dealt_last(playing: Round) -> str:
    """The hand that a surplus card may belong to: the dealer's if it was dealt last, otherwise none."""
    return DEALER if playing.plan[-1] == DEALER else ""


def _by_marks(fact: facts.CardDealt, playing: Round, where: str, marks_burns: bool) -> tuple[Finding, ...]:
    """What the device itself reports about the card."""
    found = []
    if fact.burnt and where != BURN and not _is_discard(playing, where):
        mishap = Mishap.MISSED_BURN if BURN in playing.plan else Mishap.OTHER
        sentence = f"the shuffler burnt a card that was meant for {say_target(where)}"
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


def _is_discard(playing: Round, where: str) -> bool:
    """The device lays this community card aside, and no other one."""
    return where in (COMMUNITY, DISCARD) and DISCARD in playing.plan and not playing.discarded


def _by_unread(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.CardUnread)
    phase = phase_of_play(table)
    if phase not in BEFORE_SETTLEMENT:
        return _outside_the_deal(phase, playing, fact)
    if came_before(playing, fact):
        return ()
    if stray := _stray(table, playing, fact):
        return (Finding(Mishap.STRAY_CARD, "", stray),)
    missing, where = _missing(playing, fact), place_of(playing, fact)
    if fact.foreign:
        return (*missing, Finding(Mishap.FOREIGN_CARD, where, "a card came that is not part of the deck"))
    if not where:
        sentence = "an unread card came after the deal was complete"
        return (*missing, Finding(Mishap.EXCESS_CARD, _dealt_last(playing), sentence))
    if fact.missing:
        return (Finding(Mishap.MISSING_CARD, where, f"nobody heard of a card for {say_target(where)}"),)
    return (*missing, Finding(Mishap.UNREAD_CARD, where, f"the card for {say_target(where)} could not be read"))


def _by_stub(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    assert isinstance(fact, facts.StubChecked)
    expected = stub_of(playing)
    if fact.cards == expected or not deal_is_complete(playing):
        return ()
    return (Finding(Mishap.WRONG_DECK_COUNT, "", say_stub(fact.cards, expected)),)


def _by_report(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    """Before the first card: the deck is incomplete. During a deal: the remaining cards cannot fill the plan."""
    assert isinstance(fact, facts.DeckReported)
    known = [finding.mishap for finding in playing.findings]
    if not playing.dealt and phase_of_play(table) in (Phase.LOCKING, Phase.DEALING):
        counted = doubt_of_report(table, fact) if Mishap.WRONG_DECK_COUNT not in known else ""
        return (Finding(Mishap.WRONG_DECK_COUNT, "", counted),) if counted else ()
    missing = len(playing.plan) - len(playing.dealt)
    if phase_of_play(table) is not Phase.DEALING or fact.cards >= missing or not playing.dealt:
        return ()
    if Mishap.SHORT_DEAL in known:
        return ()
    where = playing.plan[len(playing.dealt)]
    sentence = f"the shuffler has {fact.cards} cards left and the deal needs {missing} more"
    return (Finding(Mishap.SHORT_DEAL, where, sentence),)


def _by_strike(table: Table, playing: Round, fact: facts.Fact) -> tuple[Finding, ...]:
    """A card in a hand is struck: its place has no face now."""
    assert isinstance(fact, facts.CardStruck)
    where = next((dealt_card.target for dealt_card in playing.dealt if dealt_card.card == fact.card), None)
    if where is None or phase_of_play(table) not in BEFORE_SETTLEMENT:
        return ()
    return (Finding(Mishap.UNREAD_CARD, where, f"a card of {say_target(where)} was struck out", (fact.card,)),)


_FINDERS: dict[type[facts.Fact], Callable[[Table, Round, facts.Fact], tuple[Finding, ...]]] = {
    facts.CardDealt: _by_card,
    facts.CardUnread: _by_unread,
    facts.StubChecked: _by_stub,
    facts.DeckReported: _by_report,
    facts.CardStruck: _by_strike,
}


def is_set_aside(found: tuple[Finding, ...]) -> bool:
    return any(finding.mishap in _SET_ASIDE or (finding.mishap in _FACELESS and not finding.where) for finding in found)


def is_faceless(found: tuple[Finding, ...]) -> bool:
    return any(finding.mishap in _FACELESS for finding in found)


def completes_the_deal(table: Table, fact: facts.Fact) -> bool:
    """With this card every place of the plan has a card; unheard ones count."""
    playing = table.round
    if playing is None or not playing.plan or deal_is_complete(playing):
        return False
    if not isinstance(fact, facts.CardDealt | facts.CardUnread):
        one_is_missing = len(playing.dealt) + 1 == len(playing.plan)
        return one_is_missing and all(dealt_card.card != UNREAD for dealt_card in playing.dealt)
    if came_before(playing, fact):
        return False
    laid = len(missing_before(playing, fact)) + (not is_set_aside(found_by(table, fact)))
    return len(playing.dealt) + laid == len(playing.plan)


# --- counts ------------------------------------------------------------------------------------------


def deal_is_under_way(table: Table) -> bool:
    """The deal has a plan that is not full yet."""
    playing = table.round
    if playing is None or phase_of_play(table) is not Phase.DEALING:
        return False
    return bool(playing.plan) and len(playing.dealt) < len(playing.plan)


def count_is_open(playing: Round) -> bool:
    """The deal was interrupted, and for some cards since then nothing shows whether they were the next."""
    if playing.broken_at is None:
        return False
    return any(not dealt_card.ordinal for dealt_card in playing.dealt[playing.broken_at :])


def deal_is_complete(playing: Round) -> bool:
    return bool(playing.plan) and len(playing.dealt) == len(playing.plan)


def stub_of(playing: Round) -> int:
    """How many cards a complete deck has left after this deal."""
    return CARDS_OF_A_DECK - len(playing.dealt) - len(playing.strays)


def say_stub(counted: int, expected: int) -> str:
    return f"{counted} cards were left after the deal and a whole deck leaves {expected}"


def unfit_deck(table: Table) -> str:
    """Why no round can open with this deck, in a sentence; empty if one can."""
    doubt, deck = table.shuffler.doubt, table.shuffler.deck
    if doubt:
        return tell(table, "deck.unfit", why=doubt)
    return "" if deck is None else shuffler_stopped(table) or too_few_cards(table)


def why_no_lock(table: Table) -> str:
    """Why bets cannot close with this deck, in a sentence; empty if they can."""
    doubt = table.shuffler.doubt
    return tell(table, "deck.unfit_bets", why=doubt) if doubt else too_few_cards(table)


def shuffler_stopped(table: Table) -> str:
    """What a person has to do at the shuffler before a card can come; empty where nothing."""
    deck = table.shuffler.deck
    if deck is not None and deck.jammed:
        return tell(table, "deck.jammed")
    if deck is not None and deck.door_open:
        return tell(table, "deck.door_open")
    return ""


def doubt_of_report(table: Table, fact: facts.DeckReported) -> str:
    """Why a deck is incomplete by the shuffler's report; empty if it is complete, or if cards have left it."""
    if not fact.shuffled or fact.sets or fact.cards == CARDS_OF_A_DECK:
        return ""
    return tell(table, "deck.count", cards=fact.cards)


def after_card(table: Table, fact: facts.CardDealt | facts.CardUnread) -> Table:
    """A card shows what is wrong with the deck whenever it leaves the shoe, also outside a deal."""
    if isinstance(fact, facts.CardUnread):
        return with_doubt(table, (Mishap.FOREIGN_CARD,)) if fact.foreign else table
    if fact.card not in INDEX_OF or fact.card in table.shuffler.struck:
        return with_doubt(table, (Mishap.FOREIGN_CARD,))
    playing = table.round
    if playing is not None and fact.card in playing.strays and not came_before(playing, fact):
        return with_doubt(table, (Mishap.DUPLICATE_CARD,))
    return table


def with_doubt(table: Table, mishaps: Iterable[str]) -> Table:
    """One of these mishaps puts the deck in doubt. The first reason stays until the deck is changed or verified."""
    bad = next((mishap for mishap in mishaps if mishap in OF_THE_DECK), None)
    return doubted(table, tell_mishap(table, bad, "")) if bad else table


def doubted(table: Table, why: str) -> Table:
    if not why or table.shuffler.doubt:
        return table
    return replace(table, shuffler=replace(table.shuffler, doubt=why))


def too_few_cards(table: Table) -> str:
    """True if the reported deck cannot serve every box that may still bet, or every box that has bet."""
    deck, settings = table.shuffler.deck, table.settings
    if deck is None or deck.cards >= CARDS_OF_A_DECK or settings is None:
        return ""
    boxes = tuple(seat for seat in range(1, settings.seats + 1) if seat not in table.barred)
    if table.round is not None:
        staked = [seat_of(spot.spot) for spot in table.spots if lies(table, spot)]
        boxes = tuple(seat for seat in boxes if seat in staked)
    method = PROCEDURES[settings.game].method(settings.dealing)
    needed = len(plan(method, boxes))
    if deck.cards >= needed:
        return ""
    return tell(table, "deck.too_few", cards=deck.cards, needed=needed)


def stub_is_due(table: Table) -> bool:
    """The house's interval requires a count of the cards left after this deal."""
    interval = table.settings.stub_check_rounds if table.settings else 0
    return 0 < interval <= table.shuffler.unchecked


def last_deal(table: Table) -> Round | None:
    """The round whose cards are out of the shoe: the one in play, or the last one until the next opens."""
    return table.round if table.round is not None else table.previous


def unread_targets(playing: Round) -> tuple[str, ...]:
    """Places whose card must be known before the settlement. A box whose bets went back plays no hand."""
    needless = (BURN, DISCARD, *map(str, playing.returned))
    unread = (dealt_card.target for dealt_card in playing.dealt if dealt_card.card == UNREAD)
    return tuple(target for target in unread if target not in needless)


def with_findings(table: Table, found: tuple[Finding, ...]) -> Table:
    assert table.round is not None
    table = with_doubt(table, (finding.mishap for finding in found))
    table = with_round(table, findings=(*settle.round_of(table).findings, *found))
    for finding in found:
        table = notice(table, "noted", f"{capitalized(finding.evidence)}.")
    return table


def note_findings(table: Table, fact: facts.Fact) -> Table:
    return with_findings(table, found_by(table, fact))
