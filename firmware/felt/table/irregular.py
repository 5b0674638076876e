"""What only a person may decide: the questions a fact raises, and the adjudicator's statement on an
interruption. The rulebook's paragraph stands in every question; a supervisor answers it."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.ids import Spot, kind_of
from felt.rules.rulebook import FOLD, WALK_AWAY
from felt.table import facts, lock, settle
from felt.table.state import LinkState, Phase, Question, Round, Table

CONTINUE, VOID, RETURN, SEAT, NOTED = "continue", "void", "return", "seat", "noted"

# From the lock key to the end of paying, an interruption needs a ruling.
HELD_BY_INTERRUPTION = (
    Phase.LOCKING,
    Phase.DEALING,
    Phase.DECIDING,
    Phase.REVEALING,
    Phase.SETTLING,
    Phase.VERIFYING,
    Phase.PAYING,
)
BEFORE_REVEAL = (Phase.BETTING, Phase.LOCKING, Phase.DEALING, Phase.DECIDING)
AFTER_SNAPSHOT = HELD_BY_INTERRUPTION[1:]


def phase_of_play(table: Table) -> Phase:
    """Where the round stands, also while it is held."""
    if table.phase is Phase.INTERRUPTED and table.round is not None and table.round.held_from is not None:
        return table.round.held_from
    return table.phase


def questions_raised(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The questions that this fact opens at this table, without their numbers."""
    raise_from = _RAISERS.get(type(fact))
    raised = raise_from(table, fact) if raise_from else ()
    if raised and claim_is_confirmed(table):
        return tuple(_without_void(one) for one in raised)
    return raised


def claim_is_confirmed(table: Table) -> bool:
    return table.round is not None and any(claim.verdict == "confirmed" for claim in table.round.claims)


def _without_void(question: Question) -> Question:
    """A jackpot that is paid cannot be unpaid here."""
    options = tuple(option for option in question.options if option != VOID)
    return question._replace(options=options, proposal=options[0])


# --- interruptions -----------------------------------------------------------------------------------


def _by_boot(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    phase = phase_of_play(table)
    if phase is Phase.BETTING and _reading(table, "power_cut_in_betting", "resume") == "void":
        rule = settle.paragraphs_of(table).not_established
        return _once(table, _interruption(table, "power was cut", VOID, rule, "no outcome: bets were still open"))
    if phase in HELD_BY_INTERRUPTION:
        return _once(table, adjudicate(table, "power was cut"))
    return ()


def _by_fault(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    if isinstance(fact, facts.FaultRaised) and CATALOGUE[fact.code].weight is not Weight.STOP:
        return ()
    cause = {
        facts.FaultRaised: "a fault stopped the table",
        facts.StepFailed: "the controller failed on a fact",
        facts.OutOfServiceOrdered: "the table was taken out of service",
    }[type(fact)]
    phase = phase_of_play(table)
    if phase in HELD_BY_INTERRUPTION or phase is Phase.BETTING:
        return _once(table, adjudicate(table, cause))
    return ()


def adjudicate(table: Table, cause: str) -> Question:
    """What the rulebook and the readings in force say of an interruption at this point."""
    phase, playing, paragraphs = phase_of_play(table), table.round, settle.paragraphs_of(table)
    assert playing is not None
    if phase is Phase.LOCKING:
        because = "bets were called closed but not yet recorded, so no outcome can be established"
        return _interruption(table, cause, VOID, paragraphs.not_established, because, only=True)
    established = established_by(table)
    if established:
        because = f"an outcome is established: {established}"
        return _interruption(table, cause, CONTINUE, paragraphs.established, because)
    if _reading(table, "power_cut_after_cards_seen", "void_5_7") == "continue_5_17" and _progressive_stands(playing):
        because = "cards were seen and a progressive bet stands"
        return _interruption(table, cause, CONTINUE, paragraphs.device_after_seen, because)
    because = "no outcome is established: no bet has won or lost"
    return _interruption(table, cause, VOID, paragraphs.not_established, because)


def established_by(table: Table) -> str:
    """The act or the open card by which a bet has conclusively won or lost, in words; empty if none has."""
    playing = table.round
    assert playing is not None
    folded = [str(decision.seat) for decision in playing.decisions if decision.choice in (FOLD, WALK_AWAY)]
    if folded:
        return f"box {', '.join(folded)} folded"
    if playing.revealed:
        return "the dealer's hand lies face up"
    if _reading(table, "outcome_established_by", "acts_and_revealed_cards") == "cards_known_to_machine":
        if playing.plan and len(playing.dealt) == len(playing.plan):
            return "every card is known to the controller"
    return ""


def _progressive_stands(playing: Round) -> bool:
    return playing.seen and bool(settle.contributions(playing))


def _interruption(
    table: Table, cause: str, proposal: str, rule: str, because: str, *, only: bool = False
) -> Question:
    seen = "cards were seen" if table.round and table.round.seen else "cards were not seen"
    return Question(
        id="",
        kind="interruption",
        where=phase_of_play(table).value,
        rule=rule,
        options=(proposal,) if only else (CONTINUE, VOID),
        proposal=proposal,
        because=f"{cause}; {because}; {seen}",
        holds=True,
    )


# --- the progressive system --------------------------------------------------------------------------


def _by_link(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """Before any player has seen cards a failing progressive system voids; afterwards play goes on by itself."""
    if failure_closes_the_spots(table):
        return ()
    if table.link is LinkState.UP and phase_of_play(table) in BEFORE_REVEAL and table.round is not None:
        if not table.round.seen and table.round.progressive_open:
            return _once(table, _device(table, "the jackpot controller does not answer"))
    return ()


def failure_closes_the_spots(table: Table) -> bool:
    """The other reading of 5.16 while bets are open: the base game goes on without progressive bets."""
    by_reading = _reading(table, "failure_while_betting", "void_5_16") == "spots_closed"
    return by_reading and phase_of_play(table) is Phase.BETTING


def _by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.ChipChattered)
    phase, playing = phase_of_play(table), table.round
    if playing is None or playing.seen or phase not in BEFORE_REVEAL[1:]:
        return ()
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or kind_of(fact.spot) != coin.name:
        return ()
    if _reading(table, "one_spot_dead_after_lock", "void_5_16") == "only_if_bet_there":
        if not any(bet.accepted and f"{bet.seat}.{bet.wager}" == fact.spot for bet in playing.bets):
            return ()
    return _once(table, _device(table, f"the coin spot {fact.spot} failed"))


def _device(table: Table, cause: str) -> Question:
    return Question(
        id="",
        kind="progressive_device",
        where=phase_of_play(table).value,
        rule=settle.paragraphs_of(table).device_before_seen,
        options=(CONTINUE, VOID),
        proposal=VOID,
        because=f"{cause} before any player has seen cards",
        holds=True,
    )


# --- chips -------------------------------------------------------------------------------------------


def _by_chip(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """Evidence that came after the snapshot: the snapshot stays, the supervisor returns the chip or voids."""
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    if phase_of_play(table) not in AFTER_SNAPSHOT or lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
    because = f"{fact.spot} changed before the lock, but the edge was delivered after bets were recorded"
    rule = settle.paragraphs_of(table).chip_positions
    question = Question("", "late_evidence", fact.spot, rule, (RETURN, VOID), RETURN, because, holds=False)
    return _once(table, question)


def _by_drain(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.DeadlinePassed)
    if fact.name != "drain" or phase_of_play(table) is not Phase.LOCKING:
        return ()
    rule = settle.paragraphs_of(table).after_lock
    return tuple(_undetermined(spot, rule) for spot in lock.undetermined(table))


def _undetermined(spot: Spot, rule: str) -> Question:
    because = f"the edge of {spot} lies too near the lock for its clock to tell which came first"
    return Question("", "undetermined_chip", spot, rule, (RETURN, SEAT), RETURN, because, holds=False)


# --- cards -------------------------------------------------------------------------------------------


def _by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.CardDealt)
    phase, playing = phase_of_play(table), table.round
    if playing is None:
        return ()
    paragraphs = settle.paragraphs_of(table)
    if phase in (Phase.BETTING, Phase.LOCKING):
        removable = _reading(table, "card_before_lock", "misdeal_void_offered") == "card_removed"
        proposal = CONTINUE if removable else VOID
        because = "a card left the shoe before bets were closed"
        return _once(table, _misdeal(phase, paragraphs.dealt_incorrectly, proposal, because))
    if phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING):
        return ()
    if any(dealt.card == fact.card for dealt in playing.dealt) or fact.card in playing.strays:
        because = f"{fact.card} came out of the deck twice"
        return _once(table, _misdeal(phase, paragraphs.foreign_card, VOID, because, only=True))
    if len(playing.dealt) >= len(playing.plan):
        return _once(table, _misdeal(phase, paragraphs.dealer_count, VOID, "a card came after the deal was complete"))
    return ()


def _misdeal(phase: Phase, rule: str, proposal: str, because: str, *, only: bool = False) -> Question:
    options = (proposal,) if only else (CONTINUE, VOID)
    return Question("", "misdeal", phase.value, rule, options, proposal, because, holds=True)


def _by_declaration(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """The dealer saw what no device can see. While nobody has seen his cards, cards dealt incorrectly void the
    round; afterwards it is a dealing error, after which players may go on."""
    phase, playing = phase_of_play(table), table.round
    if playing is None or table.phase is Phase.INTERRUPTED or phase not in AFTER_SNAPSHOT:
        return ()
    paragraphs = settle.paragraphs_of(table)
    if playing.seen:
        because = "a misdeal was declared by the dealer after cards were seen"
        return _once(table, _misdeal(phase, paragraphs.dealing_error, CONTINUE, because))
    because = "a misdeal was declared by the dealer before any player has seen cards"
    return _once(table, _misdeal(phase, paragraphs.dealt_incorrectly, VOID, because))


def _by_count(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or table.round is None or table.phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING):
        return ()
    count = len(settle.contributions(table.round))
    because = f"{count} progressive bets were accepted and the dealer has collected another number of chips"
    rule = settle.paragraphs_of(table).chip_positions
    return _once(table, Question("", "count_mismatch", coin.name, rule, (NOTED, VOID), NOTED, because, holds=False))


# --- parts -------------------------------------------------------------------------------------------


def _reading(table: Table, name: str, default: str) -> str:
    return table.settings.reading(name, default) if table.settings else default


def _once(table: Table, question: Question) -> tuple[Question, ...]:
    """A question that is open already is not asked again."""
    asked = any(
        open_one.kind == question.kind and open_one.where == question.where
        for open_one in table.irregularity.questions
    )
    return () if asked else (question,)


_RAISERS = {
    facts.Booted: _by_boot,
    facts.FaultRaised: _by_fault,
    facts.StepFailed: _by_fault,
    facts.OutOfServiceOrdered: _by_fault,
    facts.LinkLost: _by_link,
    facts.ChipChattered: _by_chatter,
    facts.ChipSeen: _by_chip,
    facts.ChipLifted: _by_chip,
    facts.DeadlinePassed: _by_drain,
    facts.CardDealt: _by_card,
    facts.MisdealPressed: _by_declaration,
    facts.CountMismatchPressed: _by_count,
}
