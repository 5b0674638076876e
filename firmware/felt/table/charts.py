"""The four charts: phases and transition rows as data, and the only place that knows them. Every state and
every fact of a region's alphabet has its row: move, stay, or refuse with a reason. Rows are tried from the
top; the last one of a cell has no condition."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from felt.table import diagnosis, facts, guards, moves, panel, upkeep
from felt.table import reasons as why
from felt.table.guards import Guard
from felt.table.state import IrregularityState, LinkState, Phase, ServiceState
from felt.table.upkeep import Move, Reason

FactKind = type[facts.Fact]


class Row(NamedTuple):
    fact: FactKind
    source: StrEnum
    dest: StrEnum | None  # None: stay
    when: Guard | None
    do: Move | None
    refuses: bool


class Region(NamedTuple):
    name: str
    states: type[StrEnum]
    rows: tuple[Row, ...]

    @property
    def alphabet(self) -> tuple[FactKind, ...]:
        return tuple(dict.fromkeys(row.fact for row in self.rows))


Kinds = FactKind | tuple[FactKind, ...]
Sources = StrEnum | Iterable[StrEnum]


def _rows(kinds: Kinds, sources: Sources, dest: StrEnum | None, when: Guard | None, do: Move | None) -> list[Row]:
    each_kind = kinds if isinstance(kinds, tuple) else (kinds,)
    each_source = (sources,) if isinstance(sources, StrEnum) else tuple(sources)
    return [Row(kind, source, dest, when, do, False) for kind in each_kind for source in each_source]


def move(
    kinds: Kinds, sources: Sources, dest: StrEnum, *, when: Guard | None = None, do: Move | None = None
) -> list[Row]:
    return _rows(kinds, sources, dest, when, do)


def stay(kinds: Kinds, sources: Sources, *, when: Guard | None = None, do: Move | None = None) -> list[Row]:
    return _rows(kinds, sources, None, when, do)


def refuse(kinds: Kinds, sources: Sources, reason: Reason, *, when: Guard | None = None) -> list[Row]:
    return [row._replace(refuses=True) for row in _rows(kinds, sources, None, when, upkeep.refuse(reason))]


# --- the irregularity in hand ------------------------------------------------------------------------

_CLEAR, _ASKED = IrregularityState
_RAISING = (
    facts.Booted, facts.FaultRaised, facts.StepFailed, facts.OutOfServiceOrdered, facts.LinkLost, facts.ChipSeen,
    facts.ChipLifted, facts.ChipChattered, facts.DeadlinePassed, facts.CardDealt, facts.MisdealPressed,
    facts.CountMismatchPressed,
)

IRREGULARITY = Region(
    "irregularity",
    IrregularityState,
    (
        *move(_RAISING, IrregularityState, _ASKED, when=guards.fact_raises_a_question, do=upkeep.ask),
        *stay(_RAISING, IrregularityState),
        *stay(facts.RulingMade, _ASKED, when=guards.ruling_must_wait_for_service, do=upkeep.refuse_ruling),
        *move(facts.RulingMade, _ASKED, _CLEAR, when=guards.ruling_is_a_void, do=upkeep.take_void_ruling),
        *move(facts.RulingMade, _ASKED, _CLEAR, when=guards.ruling_leaves_none, do=upkeep.take_ruling),
        *stay(facts.RulingMade, _ASKED, when=guards.ruling_is_good, do=upkeep.take_ruling),
        *stay(facts.RulingMade, IrregularityState, do=upkeep.refuse_ruling),
        *move(facts.VoidOrdered, _ASKED, _CLEAR, when=guards.round_may_be_voided, do=upkeep.drop_questions),
        *stay(facts.VoidOrdered, IrregularityState),
        *move(facts.VoidPressed, _ASKED, _CLEAR, when=panel.supervisor_voids, do=upkeep.drop_questions),
        *stay(facts.VoidPressed, IrregularityState),
        *move(facts.EraOpened, IrregularityState, _CLEAR),
    ),
)

# --- the link with the jackpot controller ------------------------------------------------------------

_UP, _LOST = LinkState

LINK = Region(
    "link",
    LinkState,
    (
        *move(facts.LinkLost, LinkState, _LOST),
        *move(facts.LinkFound, LinkState, _UP),
        *stay(facts.LetterAcked, LinkState, do=upkeep.file_answer),
        # A round in play keeps the link it had: if the controller stays silent, the loss is told and asked about.
        *stay(facts.Booted, _UP, when=guards.round_is_open),
        *move((facts.EraOpened, facts.Booted), LinkState, _LOST),
    ),
)

# --- the service -------------------------------------------------------------------------------------

_BOOTING, _IN, _OUT = ServiceState

SERVICE = Region(
    "service",
    ServiceState,
    (
        *move(facts.EraOpened, ServiceState, _BOOTING, do=upkeep.open_era),
        *refuse(facts.Configured, ServiceState, why.CONFIGURED_IN_ROUND, when=guards.round_is_open),
        *stay(facts.Configured, ServiceState, do=upkeep.configure),
        *move(facts.Booted, ServiceState, _IN, when=guards.table_may_serve, do=upkeep.begin_boot),
        *move(facts.Booted, ServiceState, _OUT, do=upkeep.begin_boot),
        *move(facts.FaultRaised, _IN, _OUT, when=guards.fault_stops_the_table, do=upkeep.stand_fault),
        *stay(facts.FaultRaised, ServiceState, do=upkeep.stand_fault),
        *stay(facts.FaultCleared, ServiceState, do=diagnosis.clear_fault),
        *move(facts.StepFailed, _IN, _OUT, do=upkeep.stand_failure),
        *stay(facts.StepFailed, (_BOOTING, _OUT), do=upkeep.stand_failure),
        *move(facts.OutOfServiceOrdered, (_IN, _OUT), _OUT, do=upkeep.order_out),
        *stay(facts.OutOfServiceOrdered, _BOOTING, do=upkeep.order_out),
        *move(facts.BackInServiceOrdered, _OUT, _IN, when=guards.no_fault_stops, do=upkeep.order_back),
        *refuse(facts.BackInServiceOrdered, _OUT, why.faults_stand),
        *refuse(facts.BackInServiceOrdered, _IN, why.IN_SERVICE_ALREADY),
        *refuse(facts.BackInServiceOrdered, _BOOTING, why.BOOTING),
        *stay(facts.ChipChattered, ServiceState, do=moves.quarantine_spot),
        *stay(facts.CardDealt, ServiceState, when=guards.card_message_is_new, do=upkeep.note_card_message),
        *stay(facts.CardDealt, ServiceState),
        *stay((facts.ShufflerLost, facts.ShufflerFound), ServiceState, do=upkeep.note_shuffler),
        *stay(facts.ShufflerGreeted, ServiceState, do=upkeep.greet_shuffler),
        *stay(facts.SupervisorTurned, ServiceState, do=panel.turn_supervisor_key),
        *stay(facts.DoorMoved, ServiceState, do=diagnosis.note_door),
        *stay(facts.ClockStepped, ServiceState, do=diagnosis.note_clock_step),
        *stay(facts.SnapshotTaken, ServiceState),
        *stay(facts.EraClosed, ServiceState),
    ),
)

# --- the round ---------------------------------------------------------------------------------------

_ALL = tuple(Phase)
_HELD_FROM = (
    Phase.BETTING, Phase.LOCKING, Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.SETTLING,
    Phase.VERIFYING, Phase.PAYING,
)
_IN_PLAY = (*_HELD_FROM, Phase.INTERRUPTED)
_AFTER_LOCK = _IN_PLAY[1:]
_HOLDING = (
    facts.Booted, facts.FaultRaised, facts.StepFailed, facts.OutOfServiceOrdered, facts.LinkLost,
    facts.ChipChattered,
)
_PANEL_KEYS = (
    facts.OpenPressed, facts.NoMoreBetsPressed, facts.CollectPressed, facts.CardsSeenPressed,
    facts.FoldModePressed, facts.PlayModePressed, facts.SeatPressed, facts.RevealPressed, facts.SettlePressed,
    facts.MisdealPressed, facts.CountMismatchPressed,
)

_CHIPS = (
    *stay(facts.ChipSeen, _AFTER_LOCK, when=guards.edge_is_after_lock, do=moves.refuse_late_chip),
    *stay((facts.ChipSeen, facts.ChipLifted), _ALL, do=moves.record_change),
    *stay(facts.LevelFound, _ALL, do=moves.record_level),
    *stay(facts.ChipFlickered, _ALL, do=moves.note_flicker),
    *stay(facts.BetKeyed, Phase.BETTING, when=guards.bet_can_be_keyed, do=moves.key_bet),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), Phase.BETTING, why.no_such_spot, when=guards.spot_is_unknown),
    *refuse(facts.BetKeyed, Phase.BETTING, why.AMOUNT_WRONG),
    *stay(facts.BetUnkeyed, Phase.BETTING, do=moves.unkey_bet),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), _ALL, why.NO_BETS_OPEN),
)

_INTERRUPTIONS = (
    *stay(
        facts.LinkLost, (Phase.BETTING, Phase.INTERRUPTED),
        when=guards.failure_closes_the_spots, do=moves.close_coin_spots,
    ),
    *move(_HOLDING, _HELD_FROM, Phase.INTERRUPTED, when=guards.play_is_held, do=moves.hold),
    *stay(_HOLDING, _ALL),
    *move(facts.RulingMade, _IN_PLAY, Phase.VOIDING, when=guards.ruling_voids, do=moves.void_by_ruling),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.VOIDING,
        when=guards.held_lock_is_over_without_bets, do=moves.void_without_bets,
    ),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.DEALING,
        when=guards.held_lock_is_over, do=moves.resume_with_snapshot,
    ),
    *(
        row
        for phase in _HELD_FROM
        for row in move(
            facts.RulingMade, Phase.INTERRUPTED, phase, when=guards.ruling_resumes(phase), do=moves.resume
        )
    ),
    *move(
        facts.RulingMade, Phase.LOCKING, Phase.VOIDING,
        when=guards.drain_is_over_without_bets, do=moves.void_without_bets,
    ),
    *move(facts.RulingMade, Phase.LOCKING, Phase.DEALING, when=guards.drain_is_over, do=moves.take_snapshot),
    *stay(facts.RulingMade, _ALL),
    *refuse(facts.VoidOrdered, _IN_PLAY, why.CLAIM_CONFIRMED, when=guards.a_claim_was_confirmed),
    *move(facts.VoidOrdered, _IN_PLAY, Phase.VOIDING, do=moves.void_by_order),
    *stay(
        facts.VoidOrdered, (Phase.IDLE, Phase.CLOSED),
        when=guards.previous_round_can_be_voided, do=moves.void_previous,
    ),
    *refuse(facts.VoidOrdered, Phase.VOIDING, why.VOID_ALREADY),
    *refuse(facts.VoidOrdered, _ALL, why.NOTHING_TO_VOID),
    *refuse(facts.VoidPressed, _IN_PLAY, why.CLAIM_CONFIRMED, when=panel.supervisor_may_not_void),
    *move(facts.VoidPressed, _IN_PLAY, Phase.VOIDING, when=panel.supervisor_is_here, do=moves.void_by_key),
    *stay(facts.VoidPressed, _IN_PLAY, do=moves.call_supervisor),
    *refuse(facts.VoidPressed, _ALL, why.NOTHING_TO_VOID),
)

_OPENING = (
    *move(
        facts.TableOpened, Phase.CLOSED, Phase.IDLE, when=guards.table_is_in_service, do=diagnosis.find_stuck_on
    ),
    *refuse(facts.TableOpened, Phase.CLOSED, why.out_of_service),
    *refuse(facts.TableOpened, _ALL, why.OPEN_ALREADY),
    *move(facts.TableClosed, Phase.IDLE, Phase.CLOSED, do=panel.sign_out),
    *refuse(facts.TableClosed, Phase.CLOSED, why.CLOSED),
    *refuse(facts.TableClosed, _ALL, why.ROUND_OPEN),
    *refuse(_PANEL_KEYS, Phase.CLOSED, why.CLOSED),
    *refuse(_PANEL_KEYS, Phase.INTERRUPTED, why.held),
    *refuse(facts.OpenPressed, Phase.IDLE, why.out_of_service, when=guards.table_is_out_of_service),
    *refuse(facts.OpenPressed, Phase.IDLE, why.MAIL_FULL, when=guards.mail_is_full),
    *refuse(facts.OpenPressed, Phase.IDLE, why.CLOCK_TOO_EARLY, when=guards.no_rulebook_is_in_force),
    *move(facts.OpenPressed, Phase.IDLE, Phase.BETTING, do=moves.open_round),
    *refuse(facts.OpenPressed, Phase.BETTING, why.BETS_OPEN),
    *refuse(facts.OpenPressed, _ALL, why.ROUND_OPEN),
)

_LOCKING = (
    *refuse(facts.NoMoreBetsPressed, Phase.BETTING, why.PRESSED_BEFORE_OPEN, when=guards.lock_is_before_opening),
    *move(facts.NoMoreBetsPressed, Phase.BETTING, Phase.LOCKING, do=moves.stamp_lock),
    *refuse(facts.NoMoreBetsPressed, (Phase.IDLE, Phase.VOIDING), why.NO_BETS_OPEN),
    *refuse(facts.NoMoreBetsPressed, _ALL, why.LOCKED_ALREADY),
    *move(
        facts.DeadlinePassed, Phase.LOCKING, Phase.VOIDING,
        when=guards.drain_is_over_without_bets, do=moves.void_without_bets,
    ),
    *move(facts.DeadlinePassed, Phase.LOCKING, Phase.DEALING, when=guards.drain_is_over, do=moves.take_snapshot),
    *stay(
        facts.DeadlinePassed, (Phase.LOCKING, Phase.INTERRUPTED), when=guards.is_drain, do=moves.await_rulings
    ),
    *stay(facts.DeadlinePassed, _ALL, do=moves.expire),
    *refuse(facts.CollectPressed, (Phase.IDLE, Phase.BETTING, Phase.LOCKING, Phase.VOIDING), why.NOT_LOCKED),
    *refuse(facts.CollectPressed, _ALL, why.NO_COIN_SPOTS, when=guards.game_has_no_coin_spots),
    *refuse(facts.CollectPressed, _ALL, why.COLLECTED_ALREADY, when=guards.spots_were_collected),
    *stay(facts.CollectPressed, _ALL, do=moves.mark_collected),
)

_CARDS = (
    *stay(facts.CardDealt, Phase.DEALING, when=guards.deal_goes_on, do=moves.bind_card),
    *move(facts.CardDealt, _HELD_FROM, Phase.INTERRUPTED, when=guards.play_is_held, do=moves.hold_for_card),
    *move(facts.CardDealt, Phase.DEALING, Phase.DECIDING, when=guards.card_ends_the_deal, do=moves.bind_last_card),
    *move(facts.CardDealt, Phase.DEALING, Phase.REVEALING, do=moves.bind_last_card),
    *stay(facts.CardDealt, Phase.INTERRUPTED, when=guards.card_fits_while_held, do=moves.bind_held_card),
    *stay(facts.CardDealt, _IN_PLAY, do=moves.set_card_aside),
    *refuse(facts.CardDealt, _ALL, why.CARD_OUTSIDE_ROUND),
)

_DECIDING = (
    *refuse(facts.CardsSeenPressed, _ALL, why.SEEN_ALREADY, when=guards.cards_were_seen),
    *refuse(facts.CardsSeenPressed, Phase.DEALING, why.NO_CARDS_TO_SEE, when=guards.no_box_has_a_card),
    *stay(facts.CardsSeenPressed, (Phase.DEALING, Phase.DECIDING), do=moves.mark_seen),
    *stay(facts.CardsSeenPressed, Phase.REVEALING, when=guards.hands_are_examined, do=moves.mark_seen),
    *refuse(facts.CardsSeenPressed, _ALL, why.NO_CARDS_TO_SEE),
    *stay(facts.FoldModePressed, Phase.DECIDING, do=panel.light_mode("fold")),
    *stay(facts.PlayModePressed, Phase.DECIDING, do=panel.light_mode("play")),
    *refuse((facts.FoldModePressed, facts.PlayModePressed), _ALL, why.NO_DECISIONS),
    *move(facts.RevealPressed, Phase.DECIDING, Phase.REVEALING, when=guards.everybody_decided, do=moves.reveal),
    *refuse(facts.RevealPressed, Phase.DECIDING, why.undecided),
    *refuse(facts.RevealPressed, Phase.REVEALING, why.REVEALED_ALREADY, when=guards.dealer_is_revealed),
    *stay(facts.RevealPressed, Phase.REVEALING, do=moves.reveal),
    *refuse(facts.RevealPressed, _ALL, why.NOTHING_TO_REVEAL),
)

_BETWEEN_SNAPSHOT_AND_SETTLEMENT = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)
_FROM_OPEN_TO_SETTLEMENT = (Phase.BETTING, Phase.LOCKING, *_BETWEEN_SNAPSHOT_AND_SETTLEMENT)

_SEAT_KEYS = (
    *refuse(facts.OtherModePressed, Phase.INTERRUPTED, why.held),
    *stay(facts.OtherModePressed, _ALL, do=panel.light_other_mode),
    *stay(facts.SeatPressed, Phase.DECIDING, when=panel.seat_decides, do=moves.decide),
    *refuse(facts.SeatPressed, _ALL, why.no_such_box, when=panel.seat_is_unknown),
    *refuse(facts.SeatPressed, _ALL, why.CODE_ON_THE_KEYS, when=panel.mode_is(panel.SIGN_IN)),
    *stay(facts.SeatPressed, (Phase.IDLE, Phase.BETTING), when=panel.bars, do=panel.toggle_barred),
    *stay(facts.SeatPressed, _FROM_OPEN_TO_SETTLEMENT, when=panel.links, do=panel.link_box),
    *refuse(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, why.KEY_SWITCH_FIRST,
        when=panel.returns_without_the_key,
    ),
    *refuse(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, why.nothing_to_return, when=panel.mode_returns_nothing
    ),
    *stay(facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, when=panel.returns, do=panel.return_bets),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.MODE_FIRST, when=guards.mode_is_dark),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.mode_not_now, when=panel.mode_decides_nothing),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.seat_decides_nothing, when=guards.seat_has_no_decision),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.decided_so),
    *refuse(facts.SeatPressed, _ALL, why.mode_not_now),
)

_HOUSE = (
    *refuse((facts.BetsReturned, facts.SeatBarred), _ALL, why.no_such_box, when=panel.seat_is_unknown),
    *refuse(
        facts.BetsReturned, (*_BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.INTERRUPTED), why.nothing_to_return,
        when=panel.nothing_to_return,
    ),
    *stay(facts.BetsReturned, (*_BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.INTERRUPTED), do=panel.return_bets),
    *refuse(facts.BetsReturned, _ALL, why.NO_RETURN),
    *refuse(facts.SeatBarred, _ALL, why.barred_so_already, when=panel.seat_is_barred_so_already),
    *stay(facts.SeatBarred, (Phase.CLOSED, Phase.IDLE, Phase.BETTING), do=panel.bar_seat),
    *refuse(facts.SeatBarred, _ALL, why.NOT_BARRED_NOW),
    *refuse(facts.DealerSignedIn, _ALL, why.no_such_dealer, when=panel.dealer_is_unknown),
    *stay(facts.DealerSignedIn, _ALL, do=panel.sign_in),
    *stay(facts.WrongCodeEntered, _ALL, do=panel.note_wrong_code),
    *move(facts.MisdealPressed, _HELD_FROM[2:], Phase.INTERRUPTED, when=guards.play_is_held, do=moves.hold),
    *refuse(facts.MisdealPressed, _ALL, why.NO_CARDS_DEALT),
    *refuse(facts.CountMismatchPressed, _ALL, why.NO_COUNT, when=panel.no_coin_spots),
    *stay(facts.CountMismatchPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, do=panel.note_mismatch),
    *refuse(facts.CountMismatchPressed, _ALL, why.NO_COUNT),
)

_SETTLING = (
    *refuse(facts.SettlePressed, Phase.REVEALING, why.REVEAL_FIRST, when=guards.dealer_is_hidden),
    *move(
        facts.SettlePressed, Phase.REVEALING, Phase.SETTLING,
        when=guards.settlement_has_claims, do=moves.settle_round,
    ),
    *move(facts.SettlePressed, Phase.REVEALING, Phase.PAYING, do=moves.settle_round),
    *refuse(facts.SettlePressed, Phase.PAYING, why.ANSWER_FIRST, when=guards.question_is_open),
    *move(facts.SettlePressed, Phase.PAYING, Phase.IDLE, do=moves.end_round),
    *move(facts.SettlePressed, Phase.VOIDING, Phase.IDLE, do=moves.end_void),
    *refuse(facts.SettlePressed, (Phase.SETTLING, Phase.VERIFYING), why.LOCKED_UP),
    *refuse(facts.SettlePressed, _ALL, why.NOTHING_TO_SETTLE),
    *move(
        facts.ClaimValued, Phase.SETTLING, Phase.VERIFYING,
        when=guards.claim_awaits_its_value, do=moves.value_claim,
    ),
    *refuse(facts.ClaimValued, _ALL, why.no_such_claim),
    *move(
        facts.ClaimConfirmed, Phase.SETTLING, Phase.PAYING,
        when=guards.last_claim_by_registered_value, do=moves.confirm_by_registered_value,
    ),
    *stay(
        facts.ClaimConfirmed, Phase.SETTLING,
        when=guards.claim_can_be_paid_by_registered_value, do=moves.confirm_by_registered_value,
    ),
    *move(facts.ClaimConfirmed, Phase.VERIFYING, Phase.PAYING, when=guards.last_claim_is_named, do=moves.confirm_claim),
    *move(
        facts.ClaimConfirmed, Phase.VERIFYING, Phase.SETTLING,
        when=guards.claim_in_hand_is_named, do=moves.confirm_claim,
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.PAYING,
        when=guards.last_claim_is_named, do=moves.deny_claim,
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.SETTLING,
        when=guards.claim_in_hand_is_named, do=moves.deny_claim,
    ),
    *refuse(facts.ClaimConfirmed, Phase.SETTLING, why.NOT_VALUED, when=guards.claim_in_hand_is_named),
    *refuse((facts.ClaimConfirmed, facts.ClaimDenied), _ALL, why.no_such_claim),
)

ROUND = Region(
    "round",
    Phase,
    (*_OPENING, *_CHIPS, *_LOCKING, *_CARDS, *_DECIDING, *_SEAT_KEYS, *_HOUSE, *_SETTLING, *_INTERRUPTIONS),
)

# A fact goes through the regions in this order: what is wrong is recognised before the round moves on.
REGIONS = (IRREGULARITY, LINK, SERVICE, ROUND)


def cell(region: Region, state: StrEnum, kind: FactKind) -> tuple[Row, ...]:
    """The rows of one cell, in the order in which they are tried, up to the one without a condition."""
    return _CELLS[region.name].get((kind, state), ())


def _cells(region: Region) -> dict[tuple[FactKind, StrEnum], tuple[Row, ...]]:
    cells: dict[tuple[FactKind, StrEnum], tuple[Row, ...]] = {}
    for row in region.rows:
        before = cells.get((row.fact, row.source), ())
        if not before or before[-1].when is not None:
            cells[row.fact, row.source] = (*before, row)
    return cells


_CELLS = {region.name: _cells(region) for region in REGIONS}
