"""Which cards nobody may see who looks at the table from outside, by the rules and not by the product's own view of
them: a player's hand until he lays it down or the round is settled, one that he does not show for good, and one that he
folded too unless it is paid all the same; the dealer's and the community's until the reveal, but for
the card that a card-room dealer turns over at once; what was burnt, discarded or struck, never."""

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

OF_CONTACTS = ("spots", "lamps", "versions", "clock")  # long, and without a sentence: asked in one phase of a round
ASKED = tuple(answer for name, answer in QUESTIONS.items() if name not in OF_CONTACTS)
HIDING = (
    Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING, Phase.INTERRUPTED, Phase.VOIDING
)  # fmt: skip
NEVER_SHOWN = ("burn", "discard")
# A word of its own; what comes before it is looked at last, because to look behind at every letter takes its time.
_CARD = re.compile(r"[2-9TJQKA][shdc](?![A-Za-z0-9])(?<![A-Za-z0-9]..)", re.DOTALL)


def check_secrecy(picture: Picture, table: Table, playing: Round) -> None:
    """Whatever the desk is asked, no card leaves that the room may not see."""
    hidden = hidden_cards(table, playing)
    if not hidden:
        return
    asked = QUESTIONS.values() if table.phase is Phase.REVEALING else ASKED
    told = repr([answer(picture) for answer in asked])
    leaked = hidden.intersection(_CARD.findall(told))
    if leaked:
        raise Violation(f"round {playing.number}: {sorted(leaked)} left the table in {table.phase}")


def hidden_cards(table: Table, playing: Round) -> set[str]:
    """A face that lies open somewhere is no secret, wherever else it is recorded."""
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
    """Whoever reads the journal without a role that may see cards sees none."""
    if getattr(redacted.fact_of(fact), "card", fact.card) == fact.card:
        raise Violation(f"any reader of the journal sees the card of {type(fact).__name__}")
