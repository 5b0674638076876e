"""Truths about a table and the fact in hand. A guard asks; it never changes anything."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.ids import kind_of
from felt.rules.rulebook import WALK_AWAY
from felt.table import facts, inventory, lock, settle
from felt.table.irregular import devices, hits
from felt.table.irregular.parts import CONTINUE, VOID, claim_is_confirmed, overrules_unexplained, phase_of_play
from felt.table.state import LinkState, Phase, ServiceState, Table

Guard = Callable[[Table, facts.Fact], bool]
_CARD_MESSAGES = (facts.CardDealt, facts.CardUnread)


# --- the house ---------------------------------------------------------------------------------------


def table_is_in_service(table: Table, _: facts.Fact) -> bool:
    return table.service.state is ServiceState.IN_SERVICE


def round_is_open(table: Table, _: facts.Fact) -> bool:
    return table.round is not None


def fault_stops_the_table(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.FaultRaised)
    return CATALOGUE[fact.code].weight is Weight.STOP


def table_may_serve(table: Table, _: facts.Fact) -> bool:
    return not table.service.ordered_out and not stop_faults(table)


def no_fault_stops(table: Table, _: facts.Fact) -> bool:
    return not stop_faults(table)


def stop_faults(table: Table) -> tuple[str, ...]:
    return tuple(fault.code for fault in table.service.faults if CATALOGUE[fault.code].weight is Weight.STOP)


# --- questions ---------------------------------------------------------------------------------------


def play_is_held(table: Table, _: facts.Fact) -> bool:
    if not table.irregularity.questions:
        return False
    return any(question.holds for question in table.irregularity.questions)


def deal_is_asked_about(table: Table, fact: facts.Fact) -> bool:
    return inventory.deal_is_under_way(table) and play_is_held(table, fact)


def ruling_is_good(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.RulingMade)
    asked = next((one for one in table.irregularity.questions if one.id == fact.question), None)
    if asked is None or fact.choice not in asked.options or overrules_unexplained(asked, fact.choice, fact.reason):
        return False
    if hits.problem_with_ruling(table, asked, fact.choice):
        return False
    return fact.choice != VOID or bool(asked.round) or round_may_be_voided(table, fact)


def ruling_is_not_taken(table: Table, fact: facts.Fact) -> bool:
    """It answers no open question as the question can be answered, or play would go on at a table out of service."""
    assert isinstance(fact, facts.RulingMade)
    waits = fact.choice == CONTINUE and not table_is_in_service(table, fact)
    return waits or not ruling_is_good(table, fact)


def ruling_voids(table: Table, _: facts.Fact) -> bool:
    ruled = table.irregularity.ruled
    return ruled is not None and ruled.choice == VOID


def ruling_resumes(phase: Phase) -> Guard:
    def resumes_to_phase(table: Table, fact: facts.Fact) -> bool:
        freed = table.irregularity.ruled is not None and not play_is_held(table, fact)
        return freed and table.round is not None and table.round.held_from is phase

    resumes_to_phase.__name__ = f"ruling_resumes_{phase.value.lower()}"
    return resumes_to_phase


# --- bets --------------------------------------------------------------------------------------------


def bets_are_locked(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.lock_ns is not None


def spot_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    return settle.place_of(table, fact.spot) is None


def nothing_is_keyed(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetUnkeyed)
    place = settle.place_of(table, fact.spot)
    return place is None or not table.spots[place].keyed


def bet_can_be_keyed(table: Table, fact: facts.Fact) -> bool:
    """A coin spot takes one stake: its amount may be left out, and may not be another one."""
    assert isinstance(fact, facts.BetKeyed) and table.settings is not None
    if fact.player and (fact.amount_minor is None or box_has_one_player(table, fact)):
        return False
    if fact.amount_minor is None:
        return not spot_is_unknown(table, fact)
    prescribed = table.settings.terms.progressive_stake
    if prescribed is not None and spot_is_a_coin_spot(table, fact):
        return fact.amount_minor == prescribed
    return fact.amount_minor > 0 and not spot_is_unknown(table, fact)


def box_has_one_player(table: Table, fact: facts.Fact) -> bool:
    """Somebody else's bet is told of in a game without standing players."""
    assert isinstance(fact, facts.BetKeyed)
    return bool(fact.player) and not settle.book_of(table).has_bettors


def spot_is_a_coin_spot(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetKeyed)
    return devices.is_coin(table, fact.spot) and not spot_is_unknown(table, fact)


def amount_is_out_of_time(table: Table, fact: facts.Fact) -> bool:
    """Before the snapshot amounts are keyed; while a jackpot is verified nothing moves; a jackpot stake is settled with
    the round."""
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    phase = phase_of_play(table)
    if phase is Phase.PAYING:
        coin = settle.coin_wager(table.settings)
        return coin is not None and kind_of(fact.spot) == coin.name
    return phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)


def no_bet_has_the_amount(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.AmountFound)
    return fact.amount_minor <= 0 or fact.spot not in settle.spots_with_bets(settle.round_of(table))


def coin_is_short(table: Table, fact: facts.Fact) -> bool:
    """Less than the prescribed stake: the controller was told of the whole one with the lock, and no letter takes a
    part of it back."""
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    prescribed, coin = table.settings.terms.progressive_stake, settle.coin_wager(table.settings)
    if prescribed is None or coin is None or kind_of(fact.spot) != coin.name:
        return False
    return fact.amount_minor < prescribed


def lock_is_before_opening(table: Table, fact: facts.Fact) -> bool:
    """The key went down before bets were opened, and only its edge comes now."""
    assert isinstance(fact, facts.NoMoreBetsPressed) and table.round is not None
    opened_at = table.round.opened_at
    return opened_at.boot == table.boot and fact.edge_ns < opened_at.mono_ns


def edge_is_after_lock(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    return lock.edge_is_after_lock(table, fact.spot, fact.edge_ns)


def drain_is_over(table: Table, fact: facts.Fact) -> bool:
    """The drain's own deadline has passed and every chip near the lock has been decided."""
    assert table.round is not None
    passed = table.round.drained or (isinstance(fact, facts.DeadlinePassed) and fact.name == "drain")
    return passed and not lock.undetermined(table)


def drain_is_over_without_bets(table: Table, fact: facts.Fact) -> bool:
    return drain_is_over(table, fact) and not settle.seats_in_play(settle.book_of(table), settle.snapshot_of(table))


def held_lock_is_over(table: Table, fact: facts.Fact) -> bool:
    """The ruling frees a lock whose drain ended while play was held."""
    return ruling_resumes(Phase.LOCKING)(table, fact) and drain_is_over(table, fact)


def held_lock_is_over_without_bets(table: Table, fact: facts.Fact) -> bool:
    return ruling_resumes(Phase.LOCKING)(table, fact) and drain_is_over_without_bets(table, fact)


def is_drain(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.DeadlinePassed)
    return fact.name == "drain"


# --- cards and decisions -----------------------------------------------------------------------------


def card_message_is_new(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, _CARD_MESSAGES)
    return fact.sequence != table.shuffler.sequence


def card_ends_the_deal(table: Table, fact: facts.Fact) -> bool:
    """The last card, and somebody has a decision to make."""
    return not deal_goes_on(table, fact) and bool(settle.deciding_seats(table))


def deal_goes_on(table: Table, fact: facts.Fact) -> bool:
    """The usual card: nothing is held, and more cards follow it."""
    assert table.round is not None
    return len(table.round.dealt) + 1 < len(table.round.plan) and not play_is_held(table, fact)


def card_fits_while_held(table: Table, _: facts.Fact) -> bool:
    """No question stops the shuffler: a card that the plan waits for keeps its place in it, whatever is asked about."""
    return phase_of_play(table) is Phase.DEALING


def no_box_has_a_card(table: Table, _: facts.Fact) -> bool:
    return table.round is None or not any(dealt.target.isdigit() for dealt in table.round.dealt)


def cards_were_seen(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.seen


def game_has_no_coin_spots(table: Table, _: facts.Fact) -> bool:
    return table.settings is None or settle.coin_wager(table.settings) is None


def hands_are_examined(table: Table, _: facts.Fact) -> bool:
    return settle.hands_are_examined(table)


def spots_were_collected(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.collected


def seat_has_no_decision(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return fact.seat not in settle.deciding_seats(table)


def mode_is_dark(table: Table, _: facts.Fact) -> bool:
    return not table.panel.mode


def seat_decided_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    made = next((one for one in table.round.decisions if one.seat == fact.seat), None)
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


# --- the end -----------------------------------------------------------------------------------------


def a_question_is_open(table: Table, _: facts.Fact) -> bool:
    return bool(table.irregularity.questions)


# --- claims ------------------------------------------------------------------------------------------


def settlement_has_claims(table: Table, _: facts.Fact) -> bool:
    assert table.round is not None
    return any(line.level for line in settle.lines_of(table))


def claim_in_hand_is_named(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed | facts.ClaimDenied)
    claim = settle.claim_in_hand(table)
    return claim is not None and claim.claim == fact.claim


def claim_awaits_its_value(table: Table, fact: facts.Fact) -> bool:
    """The order of several claims is the controller's: the table takes whichever it values first."""
    assert isinstance(fact, facts.ClaimValued)
    return fact.claim in settle.unvalued_claims(table)


def claim_is_valued_otherwise(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimValued)
    return settle.is_valued_otherwise(table, fact)


def denial_says_no_hand(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimDenied)
    return fact.hand not in (settle.MISREAD, settle.STANDS)


def last_claim_is_named(table: Table, fact: facts.Fact) -> bool:
    if not claim_in_hand_is_named(table, fact):
        return False
    assert table.round is not None
    return sum(not claim.verdict for claim in table.round.claims) == 1


def next_claim_has_its_value(table: Table, fact: facts.Fact) -> bool:
    """Another claim was valued while the one in hand was verified."""
    if not claim_in_hand_is_named(table, fact):
        return False
    assert table.round is not None
    return sum(not claim.verdict and claim.value_micro is not None for claim in table.round.claims) > 1


def claim_can_be_paid_by_registered_value(table: Table, fact: facts.Fact) -> bool:
    """The link is lost: the value journaled with the lock is what the rulebook pays."""
    return table.link is LinkState.LOST and claim_in_hand_is_named(table, fact)


def last_claim_by_registered_value(table: Table, fact: facts.Fact) -> bool:
    return table.link is LinkState.LOST and last_claim_is_named(table, fact)


def a_claim_was_confirmed(table: Table, _: facts.Fact) -> bool:
    return claim_is_confirmed(table)


def round_may_be_voided(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and not a_claim_was_confirmed(table, fact)


def previous_round_can_be_voided(table: Table, _: facts.Fact) -> bool:
    return previous_can_be_voided(table)


def previous_can_be_voided(table: Table) -> bool:
    """Until the next round opens, by the default reading; never once a jackpot of it was confirmed."""
    previous, settings = table.previous, table.settings
    if previous is None or settings is None or previous.void_rule:
        return False
    if settings.reading("void_window", "until_next_open") != "until_next_open":
        return False
    return not any(claim.verdict == "confirmed" for claim in previous.claims)
