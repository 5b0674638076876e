"""The chart of the service: booting, in service, out of service, test."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.table import care, diagnosis, facts, guards, panel, upkeep
from felt.table import reasons as why
from felt.table.charts.rows import Region, move, refuse, stay
from felt.table.moves import chips
from felt.table.state import ServiceState

_BOOTING, _IN, _OUT, _TEST = ServiceState

SERVICE = Region(
    "service",
    ServiceState,
    lambda table: table.service.state,
    lambda table, state: replace(table, service=replace(table.service, state=state)),
    (
        *move(facts.EraOpened, ServiceState, _BOOTING, do=upkeep.open_era),
        *refuse(facts.Configured, ServiceState, why.CONFIGURED_IN_ROUND, when=guards.round_is_open),
        *stay(facts.Configured, ServiceState, do=upkeep.configure),
        *move(facts.Booted, ServiceState, _IN, when=guards.table_may_serve, do=upkeep.begin_boot),
        *move(facts.Booted, ServiceState, _OUT, do=upkeep.begin_boot),
        *move(facts.FaultRaised, _IN, _OUT, when=guards.fault_stops_the_table, do=upkeep.stand_fault),
        *stay(facts.FaultRaised, ServiceState, do=upkeep.stand_fault),
        *refuse(facts.FaultCleared, ServiceState, diagnosis.why_not_cleared, when=diagnosis.cannot_be_cleared),
        *stay(facts.FaultCleared, ServiceState, do=diagnosis.clear_fault),
        *move(facts.StepFailed, _IN, _OUT, do=upkeep.stand_failure),
        *stay(facts.StepFailed, (_BOOTING, _OUT, _TEST), do=upkeep.stand_failure),
        *move(facts.OutOfServiceOrdered, (_IN, _OUT), _OUT, do=upkeep.order_out),
        *stay(facts.OutOfServiceOrdered, (_BOOTING, _TEST), do=upkeep.order_out),
        *move(facts.BackInServiceOrdered, _OUT, _IN, when=guards.no_fault_stops, do=upkeep.order_back),
        *refuse(facts.BackInServiceOrdered, _OUT, why.faults_stand),
        *refuse(facts.BackInServiceOrdered, _IN, why.IN_SERVICE_ALREADY),
        *refuse(facts.BackInServiceOrdered, _BOOTING, why.BOOTING),
        *refuse(facts.BackInServiceOrdered, _TEST, why.in_test),
        *move(facts.TestModeEntered, (_IN, _OUT), _TEST, when=care.table_is_closed, do=care.enter_test),
        *refuse(facts.TestModeEntered, (_IN, _OUT), why.TEST_OF_A_CLOSED_TABLE),
        *refuse(facts.TestModeEntered, _TEST, why.in_test),
        *refuse(facts.TestModeEntered, _BOOTING, why.BOOTING),
        *move(facts.TestModeLeft, _TEST, _IN, when=guards.table_may_serve, do=care.leave_test),
        *move(facts.TestModeLeft, _TEST, _OUT, do=care.leave_test),
        *refuse(facts.TestModeLeft, (_BOOTING, _IN, _OUT), why.NO_TEST),
        *refuse(facts.LampsTried, _TEST, why.TOO_MANY_LAMPS, when=care.too_many_lamps),
        *stay(facts.LampsTried, _TEST, do=care.try_lamps),
        *refuse(facts.LampsTried, (_BOOTING, _IN, _OUT), why.NO_TEST),
        *stay(facts.EntryLogged, ServiceState, do=care.note_entry),
        *refuse(
            facts.AlertAcknowledged, ServiceState, care.nothing_to_acknowledge, when=care.alert_is_unknown
        ),
        *stay(facts.AlertAcknowledged, ServiceState, do=care.acknowledge),
        *stay(facts.SignInNoted, ServiceState, do=care.note_sign_in),
        *stay(facts.MeterAdjusted, ServiceState, do=care.note_adjustment),
        *stay(facts.ChipChattered, ServiceState, do=chips.quarantine_spot),
        *stay(
            (facts.CardDealt, facts.CardUnread), ServiceState,
            when=guards.card_message_is_new, do=upkeep.note_card_message,
        ),
        *stay((facts.CardDealt, facts.CardUnread), ServiceState),
        *stay((facts.FrameKept, facts.FramesCounted), ServiceState),
        *stay(facts.DeckReported, ServiceState, do=upkeep.note_deck),
        *stay((facts.ShufflerLost, facts.ShufflerFound), ServiceState, do=upkeep.note_shuffler),
        *stay(facts.ShufflerGreeted, ServiceState, do=upkeep.greet_shuffler),
        *stay(facts.DealCountLost, ServiceState),
        *stay(facts.SupervisorTurned, ServiceState, do=panel.turn_supervisor_key),
        *stay(facts.DoorMoved, ServiceState, do=diagnosis.note_door),
        *stay(facts.LampFound, ServiceState, do=diagnosis.note_lamp),
        *stay(facts.ClockStepped, ServiceState, do=diagnosis.note_clock_step),
        *stay(facts.ClockJudged, ServiceState, do=diagnosis.note_clock_judged),
        *stay(facts.SnapshotTaken, ServiceState),
        *stay(facts.EraClosed, ServiceState),
    ),
)
