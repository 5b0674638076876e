"""From the last card to the settlement: cards seen, decisions, the reveal, hands that are laid down early, and players
who do not show their hands."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.nouns.values import replace
from felt.rules.rulebook import FOLD, PLAY, REFUSE_REVEAL, WALK_AWAY, Line
from felt.table import bets, discards, facts, questions, reported_hits, settle, state
from felt.table.chart import Move, move, refuse, stay
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.state import EVERY_PHASE, SETTLED, Decision, Phase, Table, with_round

SEEN_ALREADY = "refused.seen_already"
NO_CARDS_TO_SEE = "refused.no_cards_to_see"
NO_DECISIONS = "refused.no_decisions"
REVEALED_ALREADY = "refused.revealed_already"
NOTHING_TO_REVEAL = "refused.nothing_to_reveal"
REVEAL_FIRST = "refused.reveal_first"
NO_REFUSAL = "refused.no_refusal"
SHOW_LATER = "refused.show_later"
REFUSE_LATER = "refused.refuse_later"


# --- truths ------------------------------------------------------------------------------------------


def no_box_has_a_card(table: Table, _: facts.Fact) -> bool:
    return table.round is None or not any(dealt.target.isdigit() for dealt in table.round.dealt)


def cards_were_seen(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.seen


def hands_are_examined(table: Table, _: facts.Fact) -> bool:
    return settle.hands_are_examined(table)


def seat_has_no_decision(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return fact.seat not in settle.deciding_seats(table)


def mode_is_dark(table: Table, _: facts.Fact) -> bool:
    return not table.panel.mode


def seat_decided_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    made = next((decision for decision in table.round.decisions if decision.seat == fact.seat), None)
    if made is None:
        return False
    return made.left if table.panel.mode == WALK_AWAY else made.choice == table.panel.mode and not made.left


def everybody_decided(table: Table, _: facts.Fact) -> bool:
    assert table.round is not None
    return not settle.undecided_seats(table)


def dealer_is_revealed(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.revealed


def dealer_is_hidden(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and not table.round.revealed


def seat_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(
        fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused | facts.HandEstablished
    )
    return table.settings is None or not 1 <= fact.seat <= table.settings.seats


def no_such_box(table: Table, fact: facts.Fact) -> str:
    assert isinstance(
        fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused | facts.HandEstablished
    )
    return tell(table, "refused.no_such_box", box=fact.seat)


def undecided(table: Table, _: facts.Fact) -> str:
    seats = settle.undecided_seats(table)
    if len(seats) == 1:
        return tell(table, "refused.undecided", boxes=seats[0])
    return tell(table, "refused.undecided_boxes", boxes=", ".join(map(str, seats[:-1])), last=seats[-1])


def seat_decides_nothing(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return tell(table, "refused.seat_decides_nothing", box=fact.seat)


def decided_so(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return tell(table, "refused.decided_so", box=fact.seat, mode=table.panel.mode)


# --- decisions ---------------------------------------------------------------------------------------


def mark_seen(table: Table, _: facts.Fact) -> Table:
    return with_round(table, seen=True)


def _by_seat(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    return tuple(sorted(decisions, key=lambda decision: decision.seat))


def decide(table: Table, fact: facts.Fact) -> Table:
    """A decision shows that the player has had his cards; leaving without one does not. The dealer may correct it until
    the reveal."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    others = tuple(decision for decision in table.round.decisions if decision.seat != fact.seat)
    left = table.panel.mode == WALK_AWAY
    made = walk_away(table, fact.seat) if left else Decision(fact.seat, table.panel.mode)
    seen = table.round.seen or made.choice != WALK_AWAY
    return with_round(table, decisions=_by_seat((*others, made)), seen=seen)


def note_left(table: Table, fact: facts.Fact) -> Table:
    """A player leaves outside the time of decisions. If a decision is still due, he has folded; otherwise his bets are
    settled."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    made = walk_away(table, fact.seat)
    others = tuple(decision for decision in table.round.decisions if decision.seat != fact.seat)
    table = with_round(table, decisions=_by_seat((*others, made)))
    paragraphs = settle.paragraphs_of(table)
    folded = made.choice == WALK_AWAY
    rule = paragraphs.walked_undecided if folded else paragraphs.walked_away
    said = "he has folded" if folded else "his bets are settled as they lie"
    return notice(table, "noted", f"Box {fact.seat}: the player left, {said} ({rule}).")


def reveal(table: Table, _: facts.Fact) -> Table:
    return with_round(replace(table, panel=state.without_mode(table.panel)), revealed=True)


def walk_away(table: Table, seat: int) -> Decision:
    """If a decision is due, leaving counts as a fold. A decision that was made stands and is settled, and so are bets
    that need none."""
    pending = Decision(seat, WALK_AWAY if seat in settle.undecided_seats(table) else "")
    made = next((decision for decision in settle.round_of(table).decisions if decision.seat == seat), pending)
    return replace(made, left=True)


def light_mode(mode: str) -> Move:
    def light(table: Table, _: facts.Fact) -> Table:
        return replace(table, panel=replace(state.without_mode(table.panel), mode=mode))

    return light


# --- hands that are shown, and those that are not ----------------------------------------------------


def nobody_can_refuse(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_refused(table, fact))


def nothing_to_establish(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_established(table, fact))


def raises_a_claim(table: Table, fact: facts.Fact) -> bool:
    """The round is settled and paid, and a hand that is seen only now wins a share of a meter."""
    assert isinstance(fact, facts.HandEstablished)
    return bool(_unclaimed(table, _settled_again(_with_open_hand(table, fact))))


def why_not_refused(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RevealRefused)
    playing = settle.round_of(table)
    if not settle.paragraphs_of(table).refused_reveal:
        return tell(table, NO_REFUSAL)
    if fact.seat in dict(playing.open_hands):
        return _open_already(table, fact.seat)
    if fact.seat in playing.unshown:
        return tell(table, "refused.unshown_already", box=fact.seat)
    choice = next((decision.choice for decision in playing.decisions if decision.seat == fact.seat), "")
    if fact.seat in settle.standing_seats(playing) and (choice == PLAY or _still_wins(table, fact.seat, choice)):
        return ""
    return tell(table, "refused.nothing_to_show", box=fact.seat)


def _still_wins(table: Table, seat: int, choice: str) -> bool:
    """A folded hand wins by a bet that survives the fold."""
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


def leave_unshown(table: Table, fact: facts.Fact) -> Table:
    """A played hand that is not shown counts as its rulebook says. A folded one stays folded."""
    assert isinstance(fact, facts.RevealRefused)
    playing = settle.round_of(table)
    decisions = tuple(
        replace(decision, choice=REFUSE_REVEAL) if (decision.seat, decision.choice) == (fact.seat, PLAY) else decision
        for decision in playing.decisions
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
    """The player laid the hand down, or a person has seen it. After the settlement the lines are calculated again, and
    a share of a meter that the hand wins now is claimed late."""
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
        table = reported_hits.claim_late(table, line, cards, (fact.person, fact.person), line.because, fact.at)
    return table


def _with_open_hand(table: Table, fact: facts.HandEstablished) -> Table:
    opened = (*settle.round_of(table).open_hands, (fact.seat, fact.person))
    return with_round(table, open_hands=tuple(sorted(opened)))


def _settled_again(table: Table) -> tuple[Line, ...]:
    return bets.lines_again(table) if settle.round_of(table).settled_at else ()


def _unclaimed(table: Table, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    claimed = [claim.seat for claim in settle.round_of(table).claims]
    return tuple(line for line in lines if line.level and line.seat not in claimed)


# From the last card to the end of the round.
OPEN_IN = (Phase.DECIDING, Phase.REVEALING, *SETTLED)


# --- rows --------------------------------------------------------------------------------------------

# These wait until it is clear which community card is discarded.
_SAID_FIRST = (facts.CardsSeenPressed, facts.RevealPressed, facts.HandEstablished)
ROWS = (
    *refuse(facts.CardsSeenPressed, EVERY_PHASE, SEEN_ALREADY, when=cards_were_seen),
    *refuse(facts.CardsSeenPressed, Phase.DEALING, NO_CARDS_TO_SEE, when=no_box_has_a_card),
    *refuse(_SAID_FIRST, (Phase.DECIDING, Phase.REVEALING), discards.say_first, when=discards.discard_is_due),
    *refuse(
        facts.FoldModePressed, Phase.DECIDING, discards.say_first, when=discards.discard_is_due, do=light_mode(FOLD)
    ),
    *refuse(
        facts.PlayModePressed, Phase.DECIDING, discards.say_first, when=discards.discard_is_due, do=light_mode(PLAY)
    ),
    *stay(facts.CardsSeenPressed, (Phase.DEALING, Phase.DECIDING), do=mark_seen),
    *stay(facts.CardsSeenPressed, Phase.REVEALING, when=hands_are_examined, do=mark_seen),
    *refuse(facts.CardsSeenPressed, EVERY_PHASE, NO_CARDS_TO_SEE),
    *stay(facts.FoldModePressed, Phase.DECIDING, do=light_mode(FOLD)),
    *stay(facts.PlayModePressed, Phase.DECIDING, do=light_mode(PLAY)),
    *refuse((facts.FoldModePressed, facts.PlayModePressed), EVERY_PHASE, NO_DECISIONS),
    *move(facts.RevealPressed, Phase.DECIDING, Phase.REVEALING, when=everybody_decided, do=reveal),
    *refuse(facts.RevealPressed, Phase.DECIDING, undecided),
    *refuse(facts.RevealPressed, Phase.REVEALING, REVEALED_ALREADY, when=dealer_is_revealed),
    *stay(facts.RevealPressed, Phase.REVEALING, do=reveal),
    *refuse(facts.RevealPressed, EVERY_PHASE, NOTHING_TO_REVEAL),
    *refuse(
        (facts.RevealRefused, facts.HandEstablished), EVERY_PHASE, no_such_box,
        when=seat_is_unknown,
    ),
    *refuse(facts.RevealRefused, Phase.REVEALING, REVEAL_FIRST, when=dealer_is_hidden),
    *refuse(facts.RevealRefused, Phase.REVEALING, why_not_refused, when=nobody_can_refuse),
    *stay(facts.RevealRefused, Phase.REVEALING, do=leave_unshown),
    *refuse(facts.RevealRefused, EVERY_PHASE, REFUSE_LATER),
    *refuse(
        facts.HandEstablished, OPEN_IN, why_not_established, when=nothing_to_establish
    ),
    *move(
        facts.HandEstablished, Phase.PAYING, Phase.SETTLING, when=raises_a_claim, do=establish
    ),
    *stay(facts.HandEstablished, OPEN_IN, do=establish),
    *refuse(facts.HandEstablished, Phase.INTERRUPTED, questions.held),
    *refuse(facts.HandEstablished, EVERY_PHASE, SHOW_LATER),
)
