"""What may be read of cards, for every reader of a table or its journal: screens, desk, replay, index, logs. Nothing
else shows cards. Without a role that may see cards, a reader sees a card once the rules have turned it over: the
dealer's and the community's after the reveal, a card-room dealer's open card at once, a player's hand after the
settlement or once he laid it down. A folded hand is shown only if the rulebook pays it all the same, and a hand that
its player does not show only if a person has established it. Burnt, discarded and stray cards are never shown."""

from __future__ import annotations

import re
from collections.abc import Callable

from felt.nouns.cards import RANKS, SUITS, Card
from felt.nouns.values import ShapeError, Value, parts_of, replace
from felt.rules.authority import Authority, may
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import FOLD, WALK_AWAY, WIN, Line
from felt.table import deal, facts
from felt.table.state import UNREAD, Dealt, Finding, Irregularity, Question, Round, Ruling, Shuffler, Table

HIDDEN = Card("##")
BLANK = Card("??")  # face up, but not read yet
MAY_SEE_CARDS = tuple(role.value for role in Authority if may(role, Authority.SUPERVISOR))
_FOLDS = (FOLD, WALK_AWAY)  # a decision made before the player left still counts
_SPOKEN_RANK = "ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two|deuce|trey|10|[2-9]"
# Also several cards without a space, the ten as people write it, and a card in words.
_CARDS = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:10|[{RANKS}])(?:[{SUITS}]|[♠♥♦♣♤♡♢♧]\ufe0f?))+(?![A-Za-z0-9])"
    rf"|\b(?i:(?:{_SPOKEN_RANK})s? of (?:clubs?|diamonds?|hearts?|spades?))\b"
)


class PublicTable(Table):
    """The table that leaves the thinking loop. Only `table_of` makes it."""


class Hand(Value):
    target: str
    cards: tuple[Card, ...]  # empty while they may not be seen
    dealt: int


def hands_of(playing: Round, role: str = "") -> tuple[Hand, ...]:
    """The hands of a round, in play or ended, as this reader may see them now."""
    targets = dict.fromkeys(target for target in playing.plan if target not in (deal.BURN, deal.DISCARD))
    face_down = _face_down(playing)
    return tuple(_hand(playing, target, role, hidden=target in face_down) for target in targets)


def _hand(playing: Round, target: str, role: str, *, hidden: bool) -> Hand:
    cards = tuple(BLANK if card == UNREAD else card for card in deal.hand_of(playing, target))
    open_now = playing.revealed
    if target.isdigit():
        open_now = playing.settled_at is not None or int(target) in dict(playing.open_hands)
    if role in MAY_SEE_CARDS or (open_now and not hidden):
        return Hand(target, cards, len(cards))
    return Hand(target, cards[: _open_cards_of_the_dealer(playing)] if target == deal.DEALER else (), len(cards))


def _open_cards_of_the_dealer(playing: Round) -> int:
    """How many of the dealer's cards lie face up from the start, by the round's dealing method."""
    procedure = PROCEDURES.get(playing.rulebook)
    return procedure.method(playing.dealing).dealer_face_up if procedure and playing.dealing else 0


def _face_down(playing: Round) -> tuple[str, ...]:
    """Boxes that stay face down: folded for nothing, or not shown by their players. An envy award is for another hand
    and names no cards."""
    won = [line.seat for line in playing.lines if line.outcome == WIN and line.cards]
    folded = [decision.seat for decision in playing.decisions if decision.choice in _FOLDS and decision.seat not in won]
    # A hand that claims a jackpot lies open until the claim is confirmed or denied.
    unshown = [seat for seat in playing.unshown if not any(line.seat == seat and line.level for line in playing.lines)]
    opened = dict(playing.open_hands)
    return tuple(str(seat) for seat in (*folded, *unshown) if seat not in opened)


def open_cards(playing: Round) -> tuple[Card, ...]:
    """The cards that lie face up for everybody."""
    return tuple(card for hand in hands_of(playing) for card in hand.cards)


def lines_of(playing: Round, role: str = "") -> tuple[Line, ...]:
    """The verdict lines. Those of face-down hands come without their cards."""
    if role in MAY_SEE_CARDS:
        return playing.lines
    face_down = _face_down(playing)
    return tuple(replace(line, cards=()) if str(line.seat) in face_down else line for line in playing.lines)


def table_of(table: Table, role: str = "") -> PublicTable:
    """The same table, with every card hidden that this reader may not see."""
    if role in MAY_SEE_CARDS:
        return PublicTable(**parts_of(table))
    hidden = replace(
        table,
        irregularity=_irregularity(table.irregularity),
        round=None if table.round is None else _round(table.round),
        previous=None if table.previous is None else _round(table.previous),
        shuffler=shuffler_of(table.shuffler),
    )
    return PublicTable(**parts_of(hidden))


def own_hand(playing: Round, seat: int) -> tuple[Card, ...]:
    """What a player sees when he picks up his cards: only his own."""
    return deal.hand_of(playing, str(seat))


def shuffler_of(shuffler: Shuffler) -> Shuffler:
    """Struck cards never lie face up, and no other reader needs the card of the last message."""
    return replace(shuffler, struck=_hidden(shuffler.struck), told=UNREAD)


def _round(playing: Round) -> Round:
    shown = open_cards(playing)
    return replace(
        playing,
        dealt=tuple(_dealt(dealt_card, shown) for dealt_card in playing.dealt),
        strays=_hidden(playing.strays),
        findings=tuple(_finding(finding, shown) for finding in playing.findings),
        lines=lines_of(playing),
        void_reason=scrubbed(playing.void_reason),
    )


def _irregularity(asked: Irregularity) -> Irregularity:
    """The evidence of a question is for the person who rules on it."""
    return replace(
        asked,
        questions=tuple(question_of(question) for question in asked.questions),
        ruled=None if asked.ruled is None else _ruling(asked.ruled),
    )


def _ruling(ruled: Ruling) -> Ruling:
    return replace(ruled, question=question_of(ruled.question), reason=scrubbed(ruled.reason))


def question_of(question: Question, role: str = "") -> Question:
    """Its sentence may hold what a person wrote or a device reported as evidence, and so may the causes in its
    statement."""
    if role in MAY_SEE_CARDS:
        return question
    stated = question.statement
    if stated is not None:
        stated = replace(stated, causes=tuple(scrubbed(cause) for cause in stated.causes), why=scrubbed(stated.why))
    cards = tuple(HIDDEN for _ in question.cards)
    return replace(question, cards=cards, because=scrubbed(question.because), statement=stated)


def _dealt(dealt_card: Dealt, shown: tuple[Card, ...]) -> Dealt:
    return dealt_card if dealt_card.card in shown or dealt_card.card == UNREAD else replace(dealt_card, card=HIDDEN)


def _finding(finding: Finding, shown: tuple[Card, ...]) -> Finding:
    return replace(finding, cards=tuple(card if card in shown else HIDDEN for card in finding.cards))


def _hidden(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(HIDDEN for _ in cards)


def fact_of(fact: facts.Fact, role: str = "") -> facts.Fact:
    """A fact of the journal. It does not know whether its card was turned over later; the hands of its round do. What
    people wrote is scrubbed."""
    redact = _FACTS.get(type(fact))
    return fact if redact is None or role in MAY_SEE_CARDS else redact(fact)


def payload_of(payload: str, role: str = "") -> str:
    """The same for a fact that is still text, as the journal and its index hold it."""
    return facts.encode(fact_of(facts.decode(payload), role))


def scrubbed(text: str) -> str:
    """A text of unknown origin, such as an error's, without anything that reads like a card."""
    return _CARDS.sub(HIDDEN, text)


def _without_card(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.CardDealt | facts.CardKeyed | facts.CardStruck)
    return replace(fact, card=HIDDEN)


def _without_struck_card(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.CardStruck)
    return replace(fact, card=HIDDEN, reason=scrubbed(fact.reason))


def _without_frame(fact: facts.Fact) -> facts.Fact:
    """Nobody knows what the frame holds; it may be a card."""
    assert isinstance(fact, facts.FrameKept)
    return replace(fact, raw=HIDDEN, reason=scrubbed(fact.reason))


def _without_evidence(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.IrregularityDeclared | facts.HitReported)
    return replace(fact, evidence=scrubbed(fact.evidence))


_WITH_REASON = (
    facts.RulingMade, facts.VoidOrdered, facts.ClaimDenied, facts.ProgressiveSwitched, facts.OutOfServiceOrdered,
    facts.MeterAdjusted, facts.DealCountLost,
)


def _without_reason(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, _WITH_REASON)
    return replace(fact, reason=scrubbed(fact.reason))


def _without_words(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.CorrectionRecorded)
    return replace(fact, what=scrubbed(fact.what), reason=scrubbed(fact.reason))


def _without_words_of_entry(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.EntryLogged)
    return replace(fact, part=scrubbed(fact.part), reason=scrubbed(fact.reason))


def _without_failed_fact(fact: facts.Fact) -> facts.Fact:
    assert isinstance(fact, facts.StepFailed)
    try:
        failed = payload_of(fact.failed)
    except ShapeError:
        failed = str(HIDDEN)
    return replace(fact, failed=failed, problem=scrubbed(fact.problem))


_FACTS: dict[type[facts.Fact], Callable[[facts.Fact], facts.Fact]] = {
    facts.CardDealt: _without_card,
    facts.CardKeyed: _without_card,
    facts.CardStruck: _without_struck_card,
    facts.FrameKept: _without_frame,
    facts.IrregularityDeclared: _without_evidence,
    facts.HitReported: _without_evidence,
    **dict.fromkeys(_WITH_REASON, _without_reason),
    facts.CorrectionRecorded: _without_words,
    facts.EntryLogged: _without_words_of_entry,
    facts.StepFailed: _without_failed_fact,
}
