"""One of three community cards is discarded, and the book does not say which. The dealer says it before any card is
seen, or a shuffler reports it; once cards were seen without it, only a supervisor says it."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.procedure import PROCEDURES
from felt.table import deal, facts, inventory, settle
from felt.table.irregular.parts import once, phase_of_play
from felt.table.prompts import tell
from felt.table.state import Phase, Question, Round, Table, with_round

COMMUNITY_DISCARD = "community_discard"
PLACES = ("first", "second", "third")  # as they were dealt
SHUFFLER, READING = "the shuffler", "the reading"  # who says it where no person does

_CARDS = (facts.CardDealt, facts.CardUnread, facts.CardKeyed)


def is_due(table: Table) -> bool:
    """The deal is complete, and nobody has said which of the three goes."""
    playing = table.round
    if playing is None or deal.DISCARD not in playing.plan or playing.discarded:
        return False
    return inventory.deal_is_complete(playing) and phase_of_play(table) in (Phase.DECIDING, Phase.REVEALING)


def rule_of(playing: Round) -> str:
    return PROCEDURES[playing.rulebook].method(playing.dealing).paragraph


def by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The last card comes when cards were seen already, and nobody has said it."""
    assert isinstance(fact, _CARDS)
    playing = table.round
    if playing is None or not playing.seen or deal.DISCARD not in playing.plan or playing.discarded:
        return ()
    if phase_of_play(table) is not Phase.DEALING or not inventory.completes_the_deal(table, fact):
        return ()
    if isinstance(fact, facts.CardDealt) and fact.burnt:
        return ()
    return () if follows_the_deal(table) else question(table)


def follows_the_deal(table: Table) -> bool:
    return settle.reading_of(table, "community_discard") == "last"


def question(table: Table) -> tuple[Question, ...]:
    """Nothing is proposed: it is never guessed."""
    asked = Question(
        "", COMMUNITY_DISCARD, phase_of_play(table).value, rule_of(settle.round_of(table)), PLACES, "",
        tell(table, "discard.asked"), holds=True,
    )  # fmt: skip
    return once(table, asked)


def with_discard(table: Table, place: int, by: str) -> Table:
    """The three lie as they lay; one of them is nobody's card."""
    playing = settle.round_of(table)
    first = min(playing.plan.index(target) for target in (deal.COMMUNITY, deal.DISCARD))
    plan = list(playing.plan)
    plan[first : first + len(PLACES)] = [deal.DISCARD if one == place else deal.COMMUNITY for one in (1, 2, 3)]
    dealt = tuple(replace(one, target=plan[number]) for number, one in enumerate(playing.dealt))
    return with_round(table, plan=tuple(plan), dealt=dealt, discarded=place, discarded_by=by)
