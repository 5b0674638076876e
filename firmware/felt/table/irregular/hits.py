"""A jackpot hand that somebody sees and the settlement has not found: one side alone knows of it, so play is held
before the layout is cleared, until a supervisor has it claimed or rejects it with a reason."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.authority import Role, may
from felt.rules.reported import rows_with_a_share
from felt.table import facts, settle
from felt.table.irregular.parts import once, phase_of_play
from felt.table.state import Phase, Question, Table

HIT_REPORTED = "hit_reported"
CLAIM, REJECT = "claim", "reject"
SETTLED = (Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)  # the settlement has spoken, and the hands lie there

SETTLE_FIRST = "Press SETTLE first: then the table says which hits it has found itself."
NO_HANDS_LIE = "No settled hands lie on the layout: what is noticed after a round is recorded as a correction."


def by_report(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.HitReported)
    if problem_of(table, fact):
        return ()
    said = f" ({fact.evidence})" if fact.evidence else ""
    because = (
        f"box {fact.seat}: {fact.person} reports a {say_hand(fact.hand)}{said}, which the table has not found; the "
        "cards stay face up"
    )
    rule = settle.paragraphs_of(table).jackpot_shown
    asked = Question("", HIT_REPORTED, str(fact.seat), rule, (CLAIM, REJECT), CLAIM, because, holds=True)
    return once(table, replace(asked, place=str(fact.seat), other=fact.hand, reported_by=fact.person))


def say_hand(hand: str) -> str:
    return hand.replace("_", " ")


def problem_of(table: Table, fact: facts.HitReported) -> str:
    """Why this cannot be reported now; empty if it can. The same report made twice is one."""
    phase = phase_of_play(table)
    if phase is Phase.REVEALING:
        return SETTLE_FIRST
    if phase not in SETTLED or table.round is None:
        return NO_HANDS_LIE
    if not may(fact.role, Role.DEALER):
        return f"{fact.role} is no office: dealer, supervisor or shift_manager."
    hands = rows_with_a_share(settle.book_of(table))
    if fact.hand not in hands:
        known = ", ".join(hands) or "none"
        return f"{fact.hand} wins no share of a jackpot in this game; what does: {known}."
    problem = _problem_of_box(table, fact.seat)
    if problem:
        return problem
    asked = next((one for one in table.irregularity.questions if _asks_of(one, fact.seat)), None)
    if asked is not None and asked.other != fact.hand:
        return f"{asked.id} asks about box {fact.seat} already: answer it first."
    return ""


def _problem_of_box(table: Table, seat: int) -> str:
    """Why this box claims no jackpot that persons saw."""
    playing = settle.round_of(table)
    if seat not in [one.seat for one in settle.contributions(playing)]:
        return f"Box {seat} has no progressive bet that stands: it cannot win a jackpot."
    if _is_forfeit(table, seat):
        return f"Box {seat} has folded, and with its hand the progressive bet is lost: it cannot win a jackpot."
    claim = next((one for one in playing.claims if one.seat == seat and one.verdict != "denied"), None)
    if claim is not None:
        done = f"is {claim.verdict} already" if claim.verdict else "is being verified"
        return f"Box {seat} has its claim {claim.claim}, which {done}; the controller corrects a misread rank."
    return ""


def _is_forfeit(table: Table, seat: int) -> bool:
    """Who walks away undecided has folded where the book says so; in some books the progressive bet plays on."""
    assert table.settings is not None
    book = settle.book_of(table)
    return book.fold_forfeits_jackpot(table.settings.terms) and book.folded(settle.box_of(table, book, seat))


def problem_with_ruling(table: Table, asked: Question, choice: str) -> str:
    """Why a report cannot be claimed any more: between the report and the ruling its box may have lost its bet."""
    if asked.kind != HIT_REPORTED or choice != CLAIM:
        return ""
    return _problem_of_box(table, int(asked.place)) if table.round else NO_HANDS_LIE


def _asks_of(question: Question, seat: int) -> bool:
    return question.kind == HIT_REPORTED and question.place == str(seat)


def without_boxes(questions: tuple[Question, ...], gone: tuple[int, ...]) -> tuple[Question, ...]:
    """A box whose bets went back wins nothing: what was reported of it is nobody's question any more."""
    return tuple(one for one in questions if not any(_asks_of(one, seat) for seat in gone))
