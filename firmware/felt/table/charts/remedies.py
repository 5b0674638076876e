"""Rows of the round's chart for what goes wrong with cards: declared, ruled on, chosen by players, corrected later."""

from __future__ import annotations

from felt.table import declaring, facts, guards
from felt.table import reasons as why
from felt.table.charts.rows import move, refuse, stay
from felt.table.irregular import keys, voids
from felt.table.moves import ends, remedies
from felt.table.state import Phase

_ALL = tuple(Phase)
_KEYS = (facts.SeatPressed, facts.SettlePressed)
_ENDED = (Phase.IDLE, Phase.CLOSED)
# Players choose between the lock and the settlement.
_PLAYED = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)
_HELD_FROM = (
    Phase.BETTING, Phase.LOCKING, *_PLAYED, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING,
)  # fmt: skip

UNANSWERED = (*refuse(facts.OpenPressed, Phase.IDLE, why.ANSWER_BEFORE_OPENING, when=guards.question_is_open),)

DECLARING = (
    *move(facts.DeckReported, Phase.DEALING, Phase.INTERRUPTED, when=guards.play_is_held, do=remedies.hold_for_report),
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
    *move(facts.IrregularityDeclared, _HELD_FROM, Phase.INTERRUPTED, when=guards.play_is_held, do=ends.hold),
    *stay(facts.IrregularityDeclared, _ALL, do=remedies.note_course),
    *move(facts.PlayerChose, Phase.INTERRUPTED, Phase.VOIDING, when=guards.ruling_voids, do=ends.void_by_ruling),
    *(
        row
        for phase in _PLAYED
        for row in move(
            facts.PlayerChose, Phase.INTERRUPTED, phase, when=guards.ruling_resumes(phase), do=ends.resume
        )
    ),
    *stay(facts.PlayerChose, _ALL),
    *refuse(facts.CorrectionRecorded, _ALL, remedies.why_not_corrected, when=remedies.cannot_be_corrected),
    *stay(facts.CorrectionRecorded, _ALL, do=remedies.note_correction),
    *stay(
        facts.RulingMade, _ENDED, when=remedies.ruling_corrects_the_last_round, do=remedies.correct_last_round
    ),
)
