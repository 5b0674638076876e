"""Which cards an outsider may not see, by the rules and not by the product's own view. A player's hand is hidden until
he lays it down or the round is settled; a hand that he does not show or that he folded stays hidden, unless it is paid
all the same. The dealer's and the community's cards are hidden until the reveal, except the card that a card-room
dealer turns over at once. Burnt, discarded and struck cards are never shown."""

from __future__ import annotations

import re

from felt.desk.answers import QUESTIONS
from felt.loop.picture import Picture
from felt.nouns.cards import Card
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import FOLD, WALK_AWAY, WIN
from felt.table import facts, redacted
from felt.table.state import UNREAD, Phase, Round, Table
from tests.storm.purse import Violation

OF_CONTACTS = ("spots", "lamps", "versions", "clock")  # long answers without sentences: asked in one phase of a round
ASKED = tuple(answer for name, answer in QUESTIONS.items() if name not in OF_CONTACTS)
HIDING = (
    Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING, Phase.INTERRUPTED, Phase.VOIDING
)  # fmt: skip
NEVER_SHOWN = ("burn", "discard")
# A word of its own. The lookbehind comes last, because testing it at every letter is slow.
_CARD = re.compile(r"[2-9TJQKA][shdc](?![A-Za-z0-9])(?<![A-Za-z0-9]..)", re.DOTALL)


def check_secrecy(picture: Picture, table: Table, playing: Round) -> None:
    """No answer of the desk contains a card that the room may not see."""
    hidden = hidden_cards(table, playing)
    if not hidden:
        return
    asked = QUESTIONS.values() if table.phase is Phase.REVEALING else ASKED
    told = repr([answer(picture) for answer in asked])
    leaked = hidden.intersection(_CARD.findall(told))
    if leaked:
        raise Violation(f"round {playing.number}: {sorted(leaked)} left the table in {table.phase}")


def hidden_cards(table: Table, playing: Round) -> set[str]:
    """A card that lies face up somewhere is no secret, wherever else it is recorded."""
    known = {one.card for one in playing.dealt} | {*playing.strays, *table.shuffler.struck}
    return {str(card) for card in known - _shown(playing) - {UNREAD}}


def _shown(playing: Round) -> set[Card]:
    targets = [target for target in dict.fromkeys(playing.plan) if _is_open(playing, target)]
    shown = {one.card for one in playing.dealt if one.target in targets}
    face_up = PROCEDURES[playing.rulebook].method(playing.dealing).dealer_face_up
    return shown.union([one.card for one in playing.dealt if one.target == "dealer"][:face_up])


def _is_open(playing: Round, target: str) -> bool:
    if not target.isdigit():
        return playing.revealed and target not in NEVER_SHOWN
    seat = int(target)
    if seat in dict(playing.open_hands):  # laid down, or established
        return True
    claims = any(line.seat == seat and line.level for line in playing.lines)
    if playing.settled_at is None or (seat in playing.unshown and not claims):
        return False
    folded = any(one.seat == seat and one.choice in (FOLD, WALK_AWAY) for one in playing.decisions)
    paid = any(line.seat == seat and line.outcome == WIN and line.cards for line in playing.lines)
    return paid or not folded


def check_reader(fact: facts.CardDealt | facts.CardKeyed | facts.CardStruck) -> None:
    """A reader of the journal without a role that may see cards sees none."""
    if getattr(redacted.fact_of(fact), "card", fact.card) == fact.card:
        raise Violation(f"any reader of the journal sees the card of {type(fact).__name__}")
