"""Mistakes that a table could make in what it accepts, pays, shows, hands over and refuses. The judge beside the
replay, or a checker beside it, finds each one."""

from __future__ import annotations

from typing import Any

import pytest

from felt.jackpot.controller import office
from felt.jackpot.ledger import rows as ledger_rows
from felt.loop import intake, table_loop
from felt.loop.health import Health
from felt.loop.intake import Intake, Taken
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.rulebook import Line
from felt.table import (
    bets,
    chart,
    claims,
    deal,
    facts,
    handover,
    interruptions,
    inventory,
    link,
    lock,
    machine,
    maintenance,
    opening,
    questions,
    redacted,
    remedies,
    service,
    settle,
    voiding,
)
from felt.table.machine import Stepped, Stepper
from felt.table.settings import Settings
from felt.table.state import Bet, Phase, Question, Round, ServiceState, SpotState, Statement, Table
from tests.storm.mistakes import Mistake

# --- what is accepted --------------------------------------------------------------------------------


def closed_coin_spot_counts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lock, "_coin_counts", lambda table, playing, spot: True)


def _with_snapshot(patch: pytest.MonkeyPatch, change: Any) -> None:
    honest = lock.snapshot

    def snapshot(table: Table, wagers: Any, paragraphs: Any) -> tuple[Bet, ...]:
        return tuple(change(bet, paragraphs) for bet in honest(table, wagers, paragraphs))

    patch.setattr(lock, "snapshot", snapshot)


def barred_box_accepted(patch: pytest.MonkeyPatch) -> None:
    def accept(bet: Bet, paragraphs: Any) -> Bet:
        return replace(bet, accepted=True, rule="") if bet.rule == paragraphs.box_barred else bet

    _with_snapshot(patch, accept)


def bet_accepted_without_the_one_it_needs(patch: pytest.MonkeyPatch) -> None:
    def accept(bet: Bet, paragraphs: Any) -> Bet:
        return replace(bet, accepted=True, rule="") if bet.rule == paragraphs.unbacked_bet else bet

    _with_snapshot(patch, accept)


def coin_counts_as_less(patch: pytest.MonkeyPatch) -> None:
    def lessen(bet: Bet, _: Any) -> Bet:
        return replace(bet, amount_minor=bet.amount_minor // 5) if bet.coin and bet.amount_minor else bet

    _with_snapshot(patch, lessen)


def broken_spot_not_closed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(maintenance, "quarantines", lambda code: False)


def keyed_bet_stays_for_the_next_round(patch: pytest.MonkeyPatch) -> None:
    def ready(spot: SpotState, settings: Settings) -> SpotState:
        return replace(spot, before=spot.present, bursts=())

    patch.setattr(opening, "_ready", ready)


def bets_keyed_after_the_lock(patch: pytest.MonkeyPatch) -> None:
    honest = Stepper.step

    def step(self: Stepper, table: Table, fact: facts.Fact) -> Stepped:
        if isinstance(fact, facts.BetKeyed) and table.round is not None and table.phase is not Phase.BETTING:
            return Stepped(bets.key_bet(table, fact))
        return honest(self, table, fact)

    patch.setattr(machine.Stepper, "step", step)


def late_chip_refused_silently(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(chart, "notice", lambda table, kind, sentence: table)


def cards_bound_in_the_order_in_which_they_come(patch: pytest.MonkeyPatch) -> None:
    """A lost card is not noticed: the next one takes its place."""
    patch.setattr(inventory, "missing_before", lambda playing, fact: ())


# --- what is opened, and who may ---------------------------------------------------------------------


def progressive_opened_though_it_is_off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(settle, "progressive_may_open", lambda table: settle.coin_wager(table.settings) is not None)


def opened_out_of_service(patch: pytest.MonkeyPatch) -> None:
    honest = opening.why_not_open

    def why_not_open(table: Table) -> str:
        return honest(replace(table, service=replace(table.service, state=ServiceState.IN_SERVICE)))

    patch.setattr(opening, "why_not_open", why_not_open)


def table_opened_out_of_service(patch: pytest.MonkeyPatch) -> None:
    honest = Stepper.step

    def step(self: Stepper, table: Table, fact: facts.Fact) -> Stepped:
        if not isinstance(fact, facts.TableOpened):
            return honest(self, table, fact)
        made = honest(self, replace(table, service=replace(table.service, state=ServiceState.IN_SERVICE)), fact)
        return Stepped(replace(made.table, service=table.service), made.refused)

    patch.setattr(machine.Stepper, "step", step)


def void_key_without_the_supervisor(patch: pytest.MonkeyPatch) -> None:
    honest = Stepper.step

    def step(self: Stepper, table: Table, fact: facts.Fact) -> Stepped:
        if not isinstance(fact, facts.VoidPressed):
            return honest(self, table, fact)
        made = honest(self, replace(table, panel=replace(table.panel, supervisor=True)), fact)
        panel = replace(made.table.panel, supervisor=table.panel.supervisor)
        return Stepped(replace(made.table, panel=panel), made.refused)

    patch.setattr(machine.Stepper, "step", step)


def anybody_may_rule(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(remedies, "may", lambda role, least: True)


def one_ruling_answers_everything(patch: pytest.MonkeyPatch) -> None:
    honest = remedies.close_question

    def take_ruling(table: Table, fact: facts.Fact) -> Table:
        table = honest(table, fact)
        return replace(table, irregularity=replace(table.irregularity, questions=()))

    patch.setattr(remedies, "close_question", take_ruling)


def power_cut_asks_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(interruptions, "HELD_BY_INTERRUPTION", ())


def power_cut_in_the_lock_goes_on(patch: pytest.MonkeyPatch) -> None:
    """A supervisor may continue a round whose bets were never recorded."""

    def asked_by(table: Table, kind: str, statement: Statement, *, only: bool) -> Question:
        return questions.asked_by(table, kind, statement, only=False)

    patch.setattr(interruptions, "asked_by", asked_by)


def refusal_answered_as_done(patch: pytest.MonkeyPatch) -> None:
    honest = table_loop._reply
    patch.setattr(table_loop, "_reply", lambda taken, refusals: honest(taken, [None] * len(refusals)))


# --- what is settled and paid ------------------------------------------------------------------------


def dealer_taken_for_the_first_box(patch: pytest.MonkeyPatch) -> None:
    honest = deal.plan

    def plan(method: Any, seats: tuple[int, ...]) -> tuple[str, ...]:
        turned = {deal.DEALER: str(seats[0]), str(seats[0]): deal.DEALER} if seats else {}
        return tuple(turned.get(target, target) for target in honest(method, seats))

    patch.setattr(deal, "plan", plan)


def void_confiscates_bets(patch: pytest.MonkeyPatch) -> None:
    honest = settle._lines_of_return

    def lines_of_return(playing: Round, bet: Bet, rule: str) -> list[Line]:
        return [replace(line, returned=line.lost, lost=line.returned) for line in honest(playing, bet, rule)]

    patch.setattr(settle, "_lines_of_return", lines_of_return)


def supervisor_returns_bets_at_will(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(voiding, "_least_office_to_return", lambda table: "supervisor")


def void_forgets_second_bets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(settle, "placed_since", lambda playing: [])


def second_claim_of_a_round_lost(patch: pytest.MonkeyPatch) -> None:
    honest = settle.claims_of
    patch.setattr(settle, "claims_of", lambda table, lines: honest(table, lines)[:1])


def claimed_as_a_tenth(patch: pytest.MonkeyPatch) -> None:
    honest = settle.claims_of

    def claims_of(table: Table, lines: tuple[Line, ...]) -> Any:
        return tuple(replace(claim, share_den=10 * claim.share_den) for claim in honest(table, lines))

    patch.setattr(settle, "claims_of", claims_of)


def award_left_off_its_line(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(settle, "with_award", lambda lines, claim: lines)


def denied_claim_left_as_won(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(settle, "without_award", lambda lines, claim, reason: lines)


def system_failure_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(link, "with_round", lambda table, **changes: table)


def told_value_given_up_with_the_link(patch: pytest.MonkeyPatch) -> None:
    """Every jackpot of the round is paid by the registered value, even a claim that was already valued."""
    honest = claims._pay_claim

    def pay_claim(table: Table, fact: facts.ClaimConfirmed, *, by_registered_value: bool) -> Table:
        if settle.round_of(table).malfunction and not by_registered_value:
            return claims.confirm_by_registered_value(table, fact)
        return honest(table, fact, by_registered_value=by_registered_value)

    patch.setattr(claims, "_pay_claim", pay_claim)


def always_paid_by_the_registered_value(patch: pytest.MonkeyPatch) -> None:
    honest = claims._pay_claim

    def pay_claim(table: Table, fact: facts.ClaimConfirmed, *, by_registered_value: bool) -> Table:
        if by_registered_value:
            return honest(table, fact, by_registered_value=True)
        return claims.confirm_by_registered_value(table, fact)

    patch.setattr(claims, "_pay_claim", pay_claim)


def _with_meters(patch: pytest.MonkeyPatch, change: Any) -> None:
    """Changes every lock as it is journaled."""
    honest = Intake._take_key

    def take_key(self: Intake, event: Any, table: Table, now: Stamp, taken: Taken) -> None:
        honest(self, event, table, now, taken)
        last = taken.facts[-1] if taken.facts else None
        if isinstance(last, facts.NoMoreBetsPressed):
            taken.facts[-1] = replace(last, meters=change(self, last.meters))

    patch.setattr(intake.Intake, "_take_key", take_key)


def another_value_registered(patch: pytest.MonkeyPatch) -> None:
    _with_meters(patch, lambda _, meters: tuple((level, micro * 9 // 10) for level, micro in meters))


def first_value_registered_for_ever(patch: pytest.MonkeyPatch) -> None:
    known: dict[Intake, Any] = {}
    _with_meters(patch, lambda one, meters: known.setdefault(one, meters) if meters else meters)


def lost_link_not_noticed(patch: pytest.MonkeyPatch) -> None:
    honest = Health._of_the_link

    def of_the_link(health: Health, table: Table, now: Stamp) -> list[facts.Fact]:
        return [fact for fact in honest(health, table, now) if not isinstance(fact, facts.LinkLost)]

    patch.setattr(Health, "_of_the_link", of_the_link)


# --- what is shown -----------------------------------------------------------------------------------


def folded_hands_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(redacted, "_face_down", lambda playing: ())


def hands_shown_at_the_reveal(patch: pytest.MonkeyPatch) -> None:
    honest = redacted._hand

    def hand(playing: Round, target: str, role: str, *, hidden: bool) -> Any:
        shown_at = playing.settled_at or (playing.opened_at if playing.revealed else None)
        return honest(replace(playing, settled_at=shown_at), target, role, hidden=hidden)

    patch.setattr(redacted, "_hand", hand)


def journal_read_with_its_cards(patch: pytest.MonkeyPatch) -> None:
    without = {kind: hide for kind, hide in redacted._FACTS.items() if kind is not facts.CardDealt}
    patch.setattr(redacted, "_FACTS", without)


# --- what is handed over and kept --------------------------------------------------------------------


def _with_new_era(patch: pytest.MonkeyPatch, change: Any) -> None:
    honest = handover.taken_over
    patch.setattr(service, "taken_over", lambda plain, settings: change(honest(plain, settings)))


def era_forgets_the_shuffler(patch: pytest.MonkeyPatch) -> None:
    _with_new_era(patch, lambda table: replace(table, shuffler=replace(table.shuffler, sequence=0)))


def era_forgets_the_last_round(patch: pytest.MonkeyPatch) -> None:
    _with_new_era(patch, lambda table: replace(table, previous=None))


def era_forgets_faults(patch: pytest.MonkeyPatch) -> None:
    _with_new_era(patch, lambda table: replace(table, service=replace(table.service, faults=(), ordered_out="")))


def era_forgets_closed_spots(patch: pytest.MonkeyPatch) -> None:
    _with_new_era(patch, lambda table: replace(table, quarantined=()))


def hits_not_written(patch: pytest.MonkeyPatch) -> None:
    honest = ledger_rows.changed_rows

    def changed_rows(before: Any, after: Any) -> dict[str, str | None]:
        return {name: row for name, row in honest(before, after).items() if not name.startswith("hit/")}

    patch.setattr(office, "changed_rows", changed_rows)


PLANTED_AT_TABLE = (
    Mistake(closed_coin_spot_counts, ("and its lamp says",)),
    Mistake(cards_bound_in_the_order_in_which_they_come, ("is settled with another card",)),
    Mistake(barred_box_accepted, ("on a box that is out of play",)),
    Mistake(supervisor_returns_bets_at_will, ("and no error was declared",)),
    Mistake(bet_accepted_without_the_one_it_needs, ("is accepted without",)),
    Mistake(coin_counts_as_less, ("counts as",)),
    Mistake(broken_spot_not_closed, ("is accepted where a fault stands",)),
    Mistake(keyed_bet_stays_for_the_next_round, ("nobody has told of",)),
    Mistake(bets_keyed_after_the_lock, ("was keyed when no bets were open",)),
    Mistake(late_chip_refused_silently, ("and nobody is told",)),
    Mistake(progressive_opened_though_it_is_off, ("every lamp said that none are taken",)),
    Mistake(opened_out_of_service, ("was opened while the table was",)),
    Mistake(table_opened_out_of_service, ("the table was opened while it was",)),
    Mistake(void_key_without_the_supervisor, ("without the supervisor's key",)),
    Mistake(anybody_may_rule, ("decides that",)),
    Mistake(one_ruling_answers_everything, ("has answered",)),
    Mistake(power_cut_asks_nobody, ("goes on unasked",)),
    Mistake(power_cut_in_the_lock_goes_on, ("while bets were locked",)),
    Mistake(refusal_answered_as_done, ("were answered as done",)),
    Mistake(dealer_taken_for_the_first_box, ("its cards and keys do not say",)),
    Mistake(void_confiscates_bets, ("goes back, and not as a whole",)),
    Mistake(void_forgets_second_bets, ("is void, and",)),
    Mistake(second_claim_of_a_round_lost, ("nobody claims it",)),
    Mistake(claimed_as_a_tenth, ("the letter claims",)),
    Mistake(award_left_off_its_line, ("confirmed was",)),
    Mistake(denied_claim_left_as_won, ("was denied, and has not lost",)),
    Mistake(system_failure_forgotten, ("by a value that came after the link was lost",)),
    Mistake(
        told_value_given_up_with_the_link, ("had its value before the link was lost",), race=True, weather=("link cut",)
    ),
    Mistake(always_paid_by_the_registered_value, ("and the link was never lost",)),
    Mistake(another_value_registered, ("which it has never shown",)),
    Mistake(first_value_registered_for_ever, ("which it showed",)),
    Mistake(lost_link_not_noticed, ("nothing was heard of it for a long time",)),
    Mistake(folded_hands_shown, ("left the table in",)),
    Mistake(hands_shown_at_the_reveal, ("left the table in REVEALING",)),
    Mistake(journal_read_with_its_cards, ("any reader of the journal",)),
    Mistake(era_forgets_the_shuffler, ("a new era begins with sequence",)),
    Mistake(era_forgets_the_last_round, ("a new era closes the window",)),
    Mistake(era_forgets_faults, ("a new era begins with",)),
    Mistake(era_forgets_closed_spots, ("a new era begins with quarantined",)),
    Mistake(hits_not_written, ("the ledger has hit/",)),
)
