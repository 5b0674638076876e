"""One of three community cards is discarded, and the rulebook does not say which. Before any card is seen the dealer
says it, with a box key while no other mode is lit or by an order, or the shuffler reports it. Once cards were seen,
only a supervisor says it."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import FOLD, PLAY
from felt.table import deal, facts, inventory, settle, state
from felt.table.chart import refuse, stay
from felt.table.notices import notice
from felt.table.prompts import tell, tell_word
from felt.table.questions import once
from felt.table.state import EVERY_PHASE, Phase, Question, Round, Table, phase_of_play, with_round

CARDS_TOLD = (facts.CardDealt, facts.CardUnread, facts.CardKeyed)

COMMUNITY_DISCARD = "community_discard"
PLACES = ("first", "second", "third")  # in the order of the deal
SHUFFLER, READING = "the shuffler", "the reading"  # in whose name it is recorded where no person says it


def is_due(table: Table) -> bool:
    """The deal is complete, and the discarded card of the three is not known yet."""
    playing = table.round
    if playing is None or deal.DISCARD not in playing.plan or playing.discarded:
        return False
    return inventory.deal_is_complete(playing) and phase_of_play(table) in (Phase.DECIDING, Phase.REVEALING)


def rule_of(playing: Round) -> str:
    return PROCEDURES[playing.rulebook].method(playing.dealing).paragraph


def by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The last card comes after cards were seen, and the discarded card is not known."""
    assert isinstance(fact, CARDS_TOLD)
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
    """The question proposes nothing, because the discard is never guessed."""
    asked = Question(
        "", COMMUNITY_DISCARD, phase_of_play(table).value, rule_of(settle.round_of(table)), PLACES, "",
        tell(table, "discard.asked"), holds=True,
    )  # fmt: skip
    return once(table, asked)


def with_discard(table: Table, place: int, by: str) -> Table:
    """The three cards stay where they lie; one of them now belongs to no hand."""
    playing = settle.round_of(table)
    first = min(playing.plan.index(target) for target in (deal.COMMUNITY, deal.DISCARD))
    plan = list(playing.plan)
    plan[first : first + len(PLACES)] = [deal.DISCARD if number == place else deal.COMMUNITY for number in (1, 2, 3)]
    dealt = tuple(replace(dealt_card, target=plan[number]) for number, dealt_card in enumerate(playing.dealt))
    return with_round(table, plan=tuple(plan), dealt=dealt, discarded=place, discarded_by=by)


# --- truths ------------------------------------------------------------------------------------------

DEALER_KEY = "the dealer's key"  # in whose name it is recorded


def discard_is_due(table: Table, _: facts.Fact) -> bool:
    return is_due(table)


def key_says_it(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return keys_say_it(table) and fact.seat <= len(PLACES)


def keys_say_it(table: Table) -> bool:
    """No mode is lit: the first three box keys stand for the three cards."""
    return not table.panel.mode and is_due(table)


def no_key_says_it(table: Table, _: facts.Fact) -> bool:
    """The box key stands for none of the three, and no mode is lit."""
    return keys_say_it(table)


def key_is_for_a_decision(table: Table, _: facts.Fact) -> bool:
    """FOLD or PLAY was refused, and the box key belongs to it: PLAY and box 1 must not discard the first card."""
    return _decides(table) and is_due(table)


def _decides(table: Table) -> bool:
    return table.panel.mode in (FOLD, PLAY)


def cannot_be_said(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_said(table, fact))


def say_first(table: Table, _: facts.Fact) -> str:
    """FOLD and PLAY are dark again with the box key that is refused."""
    return _say_first(table, dark_first=bool(table.panel.mode) and not _decides(table))


def prompt(table: Table) -> str:
    """While a mode is lit the box keys belong to it: a key meant for the second card would fold the hand of box 2."""
    return _say_first(table, dark_first=bool(table.panel.mode))


def _say_first(table: Table, *, dark_first: bool) -> str:
    key = "discard.dark_first" if dark_first else "discard.first"
    return tell(table, key, rule=rule_of(settle.round_of(table)))


def why_not_said(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.DiscardSaid)
    playing = table.round
    if playing is None or deal.DISCARD not in playing.plan:
        return tell(table, "refused.no_discard")
    if not 1 <= fact.place <= len(PLACES):
        return tell(table, "refused.discard_place", place=fact.place)
    if not inventory.deal_is_complete(playing):
        return tell(table, "refused.discard_early")
    if playing.discarded_by == SHUFFLER:
        return tell(table, "refused.discard_reported")
    asked = next((question for question in table.irregularity.questions if question.kind == COMMUNITY_DISCARD), None)
    if asked is not None:
        return tell(table, "refused.discard_asked", id=asked.id)
    if playing.seen or phase_of_play(table) not in (Phase.DECIDING, Phase.REVEALING) or playing.revealed:
        return tell(table, "refused.discard_late")
    return ""


def switch_dark(table: Table, _: facts.Fact) -> Table:
    return replace(table, panel=state.without_mode(table.panel))


def say_by_key(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return _said(table, fact.seat, DEALER_KEY)


def say_by_order(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DiscardSaid)
    return _said(table, fact.place, fact.person)


def ruled_on(table: Table, fact: facts.RulingMade) -> Table:
    return _said(table, PLACES.index(fact.choice) + 1, fact.person)


def _said(table: Table, place: int, by: str) -> Table:
    table = with_discard(table, place, by)
    if _decides(table):
        table = replace(table, panel=state.without_mode(table.panel))
    word = tell_word(table, PLACES[place - 1])
    rule = rule_of(settle.round_of(table))
    return notice(table, "noted", tell(table, "discard.said", place=word, rule=rule, by=by))


def after_card(table: Table, fact: facts.Fact, number: int) -> Table:
    """A shuffler that lays one of the three aside reports its discard. By the other reading the last card is
    discarded."""
    playing = settle.round_of(table)
    if deal.DISCARD not in playing.plan or playing.discarded or not playing.dealt[number:]:
        return table
    first = min(playing.plan.index(target) for target in (deal.COMMUNITY, deal.DISCARD))
    if isinstance(fact, facts.CardDealt) and fact.burnt and number >= first:
        return _said(table, number - first + 1, SHUFFLER)
    return by_reading(table)


def by_reading(table: Table) -> Table:
    """Once the deal is complete, if the house has fixed the discard for every deal."""
    playing = settle.round_of(table)
    open_yet = deal.DISCARD in playing.plan and not playing.discarded and inventory.deal_is_complete(playing)
    if not open_yet or not follows_the_deal(table):
        return table
    return _said(table, len(PLACES), READING)


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse(facts.DiscardSaid, EVERY_PHASE, why_not_said, when=cannot_be_said),
    *stay(facts.DiscardSaid, EVERY_PHASE, do=say_by_order),
)
