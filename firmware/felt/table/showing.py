"""Hands that lie open before they are settled, and players who do not show theirs. What a hand is worth that nobody has
seen is the rulebook's business; here stands who refused, and who saw the hand after all."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.nouns.values import replace
from felt.rules.rulebook import FOLD, PLAY, REFUSE_REVEAL, WALK_AWAY, Line
from felt.table import facts, settle
from felt.table.moves import hits, play
from felt.table.prompts import tell
from felt.table.state import Phase, Table, with_round
from felt.table.upkeep import notice

NO_REFUSAL = "refused.no_refusal"
SHOW_LATER = "refused.show_later"
REFUSE_LATER = "refused.refuse_later"


# --- truths ------------------------------------------------------------------------------------------


def nobody_can_refuse(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_refused(table, fact))


def nothing_to_establish(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_established(table, fact))


def raises_a_claim(table: Table, fact: facts.Fact) -> bool:
    """The round is settled and paid, and the hand that somebody has seen now wins a share of a meter."""
    assert isinstance(fact, facts.HandEstablished)
    return bool(_unclaimed(table, _settled_again(_with_open_hand(table, fact))))


# --- reasons -----------------------------------------------------------------------------------------


def why_not_refused(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RevealRefused)
    playing = settle.round_of(table)
    if not settle.paragraphs_of(table).refused_reveal:
        return tell(table, NO_REFUSAL)
    if fact.seat in dict(playing.open_hands):
        return _open_already(table, fact.seat)
    if fact.seat in playing.unshown:
        return tell(table, "refused.unshown_already", box=fact.seat)
    choice = next((one.choice for one in playing.decisions if one.seat == fact.seat), "")
    if fact.seat in settle.standing_seats(playing) and (choice == PLAY or _still_wins(table, fact.seat, choice)):
        return ""
    return tell(table, "refused.nothing_to_show", box=fact.seat)


def _still_wins(table: Table, seat: int, choice: str) -> bool:
    """A folded hand with a bet that survives the fold."""
    assert table.settings is not None
    if choice not in (FOLD, WALK_AWAY) or settle.book_of(table).fold_forfeits_jackpot(table.settings.terms):
        return False
    return any(bet.seat == seat and bet.accepted and bet.wager != "ante" for bet in settle.round_of(table).bets)


def why_not_established(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.HandEstablished)
    playing = settle.round_of(table)
    if fact.seat in dict(playing.open_hands):
        return _open_already(table, fact.seat)
    if str(fact.seat) not in playing.plan or fact.seat in playing.returned:
        return tell(table, "refused.no_hand", box=fact.seat)
    return ""


def _open_already(table: Table, seat: int) -> str:
    return tell(table, "refused.hand_is_open", box=seat)


# --- moves -------------------------------------------------------------------------------------------


def refuse_to_show(table: Table, fact: facts.Fact) -> Table:
    """A hand that was played counts by its book's own words; one that was folded stays folded."""
    assert isinstance(fact, facts.RevealRefused)
    playing = settle.round_of(table)
    decisions = tuple(
        replace(one, choice=REFUSE_REVEAL) if (one.seat, one.choice) == (fact.seat, PLAY) else one
        for one in playing.decisions
    )
    unshown = tuple(sorted((*playing.unshown, fact.seat)))
    folds = decisions != playing.decisions and settle.book_of(table).folded(
        replace(settle.box_of(table, settle.book_of(table), fact.seat), decision=REFUSE_REVEAL)
    )
    rule = settle.paragraphs_of(table).refused_reveal
    said = tell(table, "show.folds" if folds else "show.refuses", box=fact.seat, rule=rule, person=fact.person)
    table = notice(with_round(table, decisions=decisions, unshown=unshown), "noted", said)
    if settle.reading_of(table, "unshown_hand") != "loses_side_bets":
        return table
    return notice(table, "noted", tell(table, "show.warning", box=fact.seat, rule=rule))


def establish(table: Table, fact: facts.Fact) -> Table:
    """The hand was laid down, or a person has seen it. After the settlement the lines are made anew, and a share of a
    meter that the hand wins now is claimed late."""
    assert isinstance(fact, facts.HandEstablished)
    was_unshown = fact.seat in settle.round_of(table).unshown
    table = with_round(_with_open_hand(table, fact), seen=True)
    rule = settle.paragraphs_of(table).refused_reveal
    key = "show.established" if was_unshown else "show.open"
    table = notice(table, "noted", tell(table, key, box=fact.seat, rule=rule, person=fact.person))
    if settle.round_of(table).settled_at is None:
        return table
    lines = _settled_again(table)
    late = _unclaimed(table, lines)
    table = with_round(table, lines=lines)
    for line in late:
        cards = tuple(Card(card) for card in line.cards)
        table = hits.claim_late(table, line, cards, (fact.person, fact.person), line.because, fact.at)
    return table


def _with_open_hand(table: Table, fact: facts.HandEstablished) -> Table:
    opened = (*settle.round_of(table).open_hands, (fact.seat, fact.person))
    return with_round(table, open_hands=tuple(sorted(opened)))


def _settled_again(table: Table) -> tuple[Line, ...]:
    return play.lines_again(table) if settle.round_of(table).settled_at else ()


def _unclaimed(table: Table, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    claimed = [claim.seat for claim in settle.round_of(table).claims]
    return tuple(line for line in lines if line.level and line.seat not in claimed)


# --- where it is told --------------------------------------------------------------------------------

# Between the last card and the end of the round.
OPEN_IN = (Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)
