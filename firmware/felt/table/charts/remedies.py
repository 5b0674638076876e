"""Rows of the round's chart for what goes wrong with cards: declared, ruled on, chosen by players, corrected later."""

from __future__ import annotations

from functools import partial

from felt.table import declaring, facts, guards
from felt.table.charts.rows import after, move, refuse, stay
from felt.table.irregular import keys, voids
from felt.table.irregular.parts import HELD_FROM
from felt.table.moves import ends, remedies
from felt.table.state import Phase

_ALL = tuple(Phase)
_chosen = partial(after, remedies.take_choice)
_KEYS = (facts.SeatPressed, facts.SettlePressed)
_ENDED = (Phase.IDLE, Phase.CLOSED)
# Players choose between the lock and the settlement.
_PLAYED = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)

DECLARING = (
    *move(
        facts.DeckReported, (Phase.LOCKING, Phase.DEALING), Phase.INTERRUPTED,
        when=guards.play_is_held, do=remedies.hold_for_report,
    ),
    *move(facts.StubChecked, keys.PHASES, Phase.INTERRUPTED, when=guards.play_is_held, do=remedies.hold_for_stub),
    *refuse(_KEYS, keys.PHASES, declaring.why_not, when=declaring.key_cannot_declare),
    *stay(facts.SeatPressed, keys.PHASES, when=keys.awaits_second_box, do=declaring.remember_first_box),
    *move(_KEYS, keys.PHASES, Phase.INTERRUPTED, when=declaring.key_holds_play, do=declaring.hold),
    *stay(_KEYS, keys.PHASES, when=declaring.key_declares, do=declaring.note_course),
    *stay(facts.MisdealPressed, keys.PHASES, do=declaring.light_next),
)

REMEDIES = (
    *refuse(facts.VoidOrdered, _ALL, voids.why_not, when=voids.may_not_void),
    *refuse(facts.VoidPressed, _ALL, voids.why_not, when=voids.key_may_not_void),
    *refuse(facts.IrregularityDeclared, _ALL, remedies.why_not_declared, when=remedies.cannot_be_declared),
    *move(
        facts.IrregularityDeclared, HELD_FROM, Phase.INTERRUPTED,
        when=guards.play_is_held, do=remedies.hold_for_declaration,
    ),
    *stay(facts.IrregularityDeclared, _ALL, do=remedies.note_course),
    *refuse(facts.PlayerChose, _ALL, remedies.why_not_chosen, when=remedies.choice_is_not_taken),
    *move(
        facts.PlayerChose, Phase.INTERRUPTED, Phase.VOIDING,
        when=_chosen(guards.ruling_voids), do=(remedies.take_choice, ends.void_by_ruling),
    ),
    *(
        row
        for phase in _PLAYED
        for row in move(
            facts.PlayerChose, Phase.INTERRUPTED, phase,
            when=_chosen(guards.ruling_resumes(phase)), do=(remedies.take_choice, ends.resume),
        )
    ),
    *stay(facts.PlayerChose, _ALL, do=remedies.take_choice),
    *refuse(facts.CorrectionRecorded, _ALL, remedies.why_not_corrected, when=remedies.cannot_be_corrected),
    *stay(facts.CorrectionRecorded, _ALL, do=remedies.note_correction),
    *stay(
        facts.RulingMade, _ENDED, when=after(remedies.take_ruling, remedies.ruling_corrects_the_last_round),
        do=(remedies.take_ruling, remedies.correct_last_round),
    ),
)
