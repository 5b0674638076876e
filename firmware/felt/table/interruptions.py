"""Interruptions and the adjudicator. The adjudicator states what the rulebook and the readings in force say about an
interruption at this point; a supervisor decides. Until then play is held."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.values import replace
from felt.rules.remedies import CONTINUE, VOID
from felt.rules.rulebook import FOLD, LOSE, PLAY, WIN, Cards, Deal, Rulebook
from felt.table import deal, facts, link, questions, settle
from felt.table.chart import move, stay
from felt.table.questions import asked_by, reading, restated
from felt.table.state import (
    EVERY_PHASE,
    HELD_BY_INTERRUPTION,
    HELD_FROM,
    Phase,
    Question,
    Round,
    Statement,
    Table,
    phase_of_play,
    with_round,
)

POWER = "power was cut"
RESTARTED = "the shuffler started anew in the middle of the deal"
_TURNED_BY_THE_REVEAL = (
    (Cards.DEALER, "the dealer's hand lies face up, which decides"),
    (Cards.COMMUNITY, "the community cards lie face up, which decide"),
)
_STOPPED = {
    facts.FaultRaised: "a fault stopped the table",
    facts.StepFailed: "the controller failed on a fact",
    facts.OutOfServiceOrdered: "the table was taken out of service",
}


def by_boot(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    phase = phase_of_play(table)
    voids = reading(table, "power_cut_in_betting", "resume") == "void"
    if phase in HELD_BY_INTERRUPTION or (phase is Phase.BETTING and voids):
        return restated(table, adjudicate(table, POWER))
    return ()


def by_shuffler(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The device restarted in an unfinished deal, or lost its count. Before the first card a device that counts has
    lost nothing, because its ordinals show it."""
    playing = table.round
    if playing is None or phase_of_play(table) is not Phase.DEALING or len(playing.dealt) >= len(playing.plan):
        return ()
    if isinstance(fact, facts.DealCountLost):
        return restated(table, adjudicate(table, f"the count of the deal was lost ({fact.reason})"))
    return restated(table, adjudicate(table, RESTARTED)) if playing.dealt else ()


def by_fault(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """A fault that stops the table interrupts the round. A fault of a coin spot means that a progressive device
    failed."""
    if isinstance(fact, facts.FaultRaised) and CATALOGUE[fact.code].weight is not Weight.STOP:
        return link.by_spot_fault(table, fact)
    phase = phase_of_play(table)
    if phase in HELD_BY_INTERRUPTION or phase is Phase.BETTING:
        return restated(table, adjudicate(table, _STOPPED[type(fact)]))
    return ()


def adjudicate(table: Table, cause: str) -> Question:
    """The question about an interruption, with the adjudicator's statement."""
    only = phase_of_play(table) is Phase.LOCKING
    return asked_by(table, "interruption", state(table, cause), only=only)


def state(table: Table, cause: str) -> Statement:
    """What the rulebook and the readings in force say about an interruption at this point."""
    phase, paragraphs = phase_of_play(table), settle.paragraphs_of(table)
    playing = settle.round_of(table)
    established = established_by(table)
    whose = _deciding_readings(table, phase, playing, established=bool(established))
    bets = len(settle.contributions(playing))
    rule, proposal, why = paragraphs.not_established, VOID, _why_none(phase, playing)
    if established:
        rule, proposal, why = paragraphs.established, CONTINUE, established
    elif phase is not Phase.LOCKING and playing.seen and bets and _continues_by_reading(table):
        rule, proposal = paragraphs.device_after_seen, CONTINUE
        why += ", but cards were seen and a progressive bet stands"
    return Statement(
        (cause,), phase.value, bool(established), why, playing.seen, bets, playing.registered, rule, proposal, whose
    )


def _why_none(phase: Phase, playing: Round) -> str:
    if phase is Phase.BETTING:
        return "bets were still open"
    if phase is Phase.LOCKING:
        return "bets were called closed but not yet recorded"
    if playing.revealed:
        return "no bet has won or lost, for no bet that stands hangs on the dealer's hand"
    return "no bet has won or lost"


def established_by(table: Table) -> str:
    """The act or the open cards that made a standing bet win or lose for certain, in words; empty if there are none. A
    bet that was handed back has neither won nor lost."""
    playing = settle.round_of(table)
    standing = settle.standing_seats(playing)
    return (
        _by_fold(table, standing)
        or _by_open_cards(table, standing)
        or _by_open_hand(table, standing)
        or _by_verdict(playing, settle.book_of(table), standing)
        or _by_machine(table, standing)
    )


def _by_fold(table: Table, standing: tuple[int, ...]) -> str:
    """In every rulebook a fold loses the Ante."""
    book = settle.book_of(table)
    seats = [decision.seat for decision in settle.round_of(table).decisions if decision.seat in standing]
    folded = [str(seat) for seat in seats if book.folded(settle.box_of(table, book, seat))]
    return f"box {', '.join(folded)} folded" if folded else ""


def _by_open_cards(table: Table, standing: tuple[int, ...]) -> str:
    """The reveal turns the dealer's and the community's cards. Each decides the bets that depend on it alone."""
    playing, book = settle.round_of(table), settle.book_of(table)
    if not playing.revealed:
        return ""
    assert table.settings is not None
    wagers = {wager.name: wager for wager in book.wagers}
    for cards, said in _TURNED_BY_THE_REVEAL:
        for bet in playing.bets:
            if not bet.accepted or bet.seat not in standing:
                continue
            if book.cards_that_decide(wagers[bet.wager], table.settings.terms) is cards:
                return f"{said} the {wagers[bet.wager].title} of box {bet.seat}"
    return ""


def _by_open_hand(table: Table, standing: tuple[int, ...]) -> str:
    """A hand that was laid down decides the bets that depend on it alone, once no decision can change them."""
    playing, book, settings = settle.round_of(table), settle.book_of(table), table.settings
    assert settings is not None
    opened = [seat for seat, _ in playing.open_hands if seat in standing]
    for wager in book.wagers:
        if book.cards_that_decide(wager, settings.terms) is not Cards.OWN:
            continue
        for seat in opened:
            has_bet = any((bet.seat, bet.wager, bet.accepted) == (seat, wager.name, True) for bet in playing.bets)
            if has_bet and _is_decided(table, seat, wager.name):
                return f"the hand of box {seat} lies face up, which decides its {wager.title}"
    return ""


def _is_decided(table: Table, seat: int, bet: str) -> bool:
    """True if the bet wins, or loses, whatever its player may still decide."""
    assert table.settings is not None
    playing, book = settle.round_of(table), settle.book_of(table)
    box = settle.box_of(table, book, seat)
    still_open = (PLAY, FOLD) if seat in settle.undecided_seats(table) else (box.decision,)
    hands = deal.hand_of(playing, deal.DEALER), deal.hand_of(playing, deal.COMMUNITY)
    outcomes = {
        line.outcome
        for decision in still_open
        for line in book.settle(Deal(*hands, (replace(box, decision=decision),)), table.settings.terms)
        if line.bet == bet
    }
    return outcomes in ({WIN}, {LOSE})


def _by_verdict(playing: Round, book: Rulebook, standing: tuple[int, ...]) -> str:
    """After the settlement every hand that stayed in the round lies open."""
    titles = {wager.name: wager.title for wager in book.wagers}
    decided = {WIN: "won", LOSE: "lost"}
    for line in playing.lines:
        if line.seat in standing and line.bet in titles and line.outcome in decided:
            return f"box {line.seat} has {decided[line.outcome]} its {titles[line.bet]}"
    return ""


def _by_machine(table: Table, standing: tuple[int, ...]) -> str:
    playing = settle.round_of(table)
    if _machine_counts(table) and playing.plan and len(playing.dealt) == len(playing.plan) and standing:
        return "every card is known to the controller"
    return ""


def _machine_counts(table: Table) -> bool:
    return reading(table, "outcome_established_by", "acts_and_revealed_cards") == "cards_known_to_machine"


def _continues_by_reading(table: Table) -> bool:
    return reading(table, "power_cut_after_cards_seen", "void_5_7") == "continue_5_17"


def _deciding_readings(table: Table, phase: Phase, playing: Round, *, established: bool) -> tuple[str, ...]:
    """The readings that could have changed the outcome at this point, with their values in force."""
    named: list[tuple[str, str]] = []
    if phase is Phase.BETTING:
        named.append(("power_cut_in_betting", "resume"))
    if playing.plan and len(playing.dealt) == len(playing.plan) and not (playing.revealed and established):
        named.append(("outcome_established_by", "acts_and_revealed_cards"))
    if not established and playing.seen and settle.contributions(playing):
        named.append(("power_cut_after_cards_seen", "void_5_7"))
    return tuple(f"{name}={reading(table, name, default)}" for name, default in named)


# --- moves -------------------------------------------------------------------------------------------


def hold(table: Table, _: facts.Fact) -> Table:
    return with_round(table, held_from=phase_of_play(table))


def resume(table: Table, _: facts.Fact) -> Table:
    return with_round(table, held_from=None, broken_at=None)


# --- rows --------------------------------------------------------------------------------------------

_HOLDING = (
    facts.Booted, facts.FaultRaised, facts.StepFailed, facts.OutOfServiceOrdered, facts.LinkLost,
    facts.ChipChattered, facts.LampFound,
)
ROWS = (
    *stay(
        (facts.FaultRaised, facts.ChipChattered, facts.LampFound), (Phase.BETTING, Phase.INTERRUPTED),
        when=link.spot_closes, do=link.note_spot_closed,
    ),
    *move(_HOLDING, HELD_FROM, Phase.INTERRUPTED, when=questions.play_is_held, do=hold),
    *stay((*_HOLDING, facts.ShufflerGreeted, facts.DealCountLost), EVERY_PHASE),
)
