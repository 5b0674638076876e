"""The chart of the irregularity in hand."""

from __future__ import annotations

from felt.table import facts, guards, panel, upkeep
from felt.table.charts.rows import Region, move, stay
from felt.table.state import IrregularityState

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
