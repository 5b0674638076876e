"""The chart of the irregularity in hand."""

from __future__ import annotations

from felt.table import facts, guards, panel, upkeep
from felt.table.charts.rows import Region, move, stay
from felt.table.charts.testing import UNASKED
from felt.table.irregular import voids
from felt.table.moves import remedies
from felt.table.state import IrregularityState

_CLEAR, _ASKED = IrregularityState
_RAISING = (
    facts.Booted, facts.FaultRaised, facts.StepFailed, facts.OutOfServiceOrdered, facts.LinkLost, facts.ChipSeen,
    facts.ChipLifted, facts.ChipChattered, facts.LampFound, facts.DeadlinePassed, facts.CardDealt,
    facts.CardUnread, facts.DeckReported, facts.StubChecked, facts.IrregularityDeclared,
    facts.SeatPressed, facts.SettlePressed, facts.CountMismatchPressed, facts.HitReported,
)

IRREGULARITY = Region(
    "irregularity",
    IrregularityState,
    (
        *UNASKED,
        *move(_RAISING, IrregularityState, _ASKED, when=guards.fact_raises_a_question, do=upkeep.ask),
        *stay(_RAISING, IrregularityState),
        *stay(facts.RulingMade, _ASKED, when=remedies.ruling_lacks_authority, do=remedies.refuse_authority),
        *stay(facts.RulingMade, _ASKED, when=guards.ruling_must_wait_for_service, do=upkeep.refuse_ruling),
        *move(facts.RulingMade, _ASKED, _CLEAR, when=guards.ruling_is_a_void, do=remedies.take_void_ruling),
        *move(facts.RulingMade, _ASKED, _CLEAR, when=remedies.ruling_leaves_none, do=remedies.take_ruling),
        *stay(facts.RulingMade, _ASKED, when=guards.ruling_is_good, do=remedies.take_ruling),
        *stay(facts.RulingMade, IrregularityState, do=upkeep.refuse_ruling),
        *move(facts.PlayerChose, _ASKED, _CLEAR, when=remedies.choice_leaves_none, do=remedies.take_choice),
        *stay(facts.PlayerChose, _ASKED, when=remedies.choice_is_good, do=remedies.take_choice),
        *stay(facts.PlayerChose, IrregularityState, do=remedies.refuse_choice),
        *stay(facts.VoidOrdered, IrregularityState, when=voids.may_not_void),
        *move(facts.VoidOrdered, _ASKED, _CLEAR, when=guards.round_may_be_voided, do=upkeep.drop_questions),
        *move(facts.VoidOrdered, _ASKED, _CLEAR, when=remedies.order_voids_the_last_round, do=upkeep.drop_questions),
        *stay(facts.VoidOrdered, IrregularityState),
        *stay(facts.VoidPressed, IrregularityState, when=voids.key_may_not_void),
        *move(facts.VoidPressed, _ASKED, _CLEAR, when=panel.supervisor_voids, do=upkeep.drop_questions),
        *stay(facts.VoidPressed, IrregularityState),
        *move(facts.EraOpened, IrregularityState, _CLEAR),
    ),
)
