"""A jackpot hand that a person sees and the settlement did not find. Play is held before the layout is cleared, until a
supervisor lets it be claimed like any other hand or rejects it with a reason."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.cards import Card
from felt.nouns.ids import claim_id
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.authority import Authority, may
from felt.rules.reported import as_reported, rows_with_a_share
from felt.rules.rulebook import Line
from felt.table import claims, deal, facts, interruptions, misdeals, settle
from felt.table.chart import move, refuse, stay
from felt.table.claims import shares_equally, value_registered
from felt.table.notices import notice, post
from felt.table.questions import once
from felt.table.redacted import scrubbed
from felt.table.state import EVERY_PHASE, SETTLED, ClaimState, Phase, Question, Table, phase_of_play, with_round

HIT_REPORTED = "hit_reported"
CLAIM, REJECT = "claim", "reject"
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
    """Why this cannot be reported now; empty if it can. The same report twice counts once."""
    phase = phase_of_play(table)
    if phase is Phase.REVEALING:
        return SETTLE_FIRST
    if phase not in SETTLED or table.round is None:
        return NO_HANDS_LIE
    if not may(fact.role, Authority.DEALER):
        return f"{fact.role} is no office: dealer, supervisor or shift_manager."
    hands = rows_with_a_share(settle.book_of(table))
    if fact.hand not in hands:
        known = ", ".join(hands) or "none"
        return f"{fact.hand} wins no share of a jackpot in this game; what does: {known}."
    problem = _problem_of_box(table, fact.seat)
    if problem:
        return problem
    asked = next((question for question in table.irregularity.questions if _asks_of(question, fact.seat)), None)
    if asked is not None and asked.other != fact.hand:
        return f"{asked.id} asks about box {fact.seat} already: answer it first."
    return ""


def _problem_of_box(table: Table, seat: int) -> str:
    """Why this box cannot claim a reported jackpot."""
    playing = settle.round_of(table)
    if seat not in [contribution.seat for contribution in settle.contributions(playing)]:
        return f"Box {seat} has no progressive bet that stands: it cannot win a jackpot."
    if _is_forfeit(table, seat):
        return f"Box {seat} has folded, and with its hand the progressive bet is lost: it cannot win a jackpot."
    claim = next((claim for claim in playing.claims if claim.seat == seat and claim.verdict != "denied"), None)
    if claim is not None:
        done = f"is {claim.verdict} already" if claim.verdict else "is being verified"
        return f"Box {seat} has its claim {claim.claim}, which {done}; the controller corrects a misread rank."
    return ""


def _is_forfeit(table: Table, seat: int) -> bool:
    """A player who leaves undecided has folded if the rulebook says so; in some games his progressive bet plays on."""
    assert table.settings is not None
    book = settle.book_of(table)
    return book.fold_forfeits_jackpot(table.settings.terms) and book.folded(settle.box_of(table, book, seat))


def problem_with_ruling(table: Table, asked: Question, choice: str) -> str:
    """Why a report can no longer be claimed: its box may have lost its bet since then."""
    if asked.kind != HIT_REPORTED or choice != CLAIM:
        return ""
    return _problem_of_box(table, int(asked.place)) if table.round else NO_HANDS_LIE


def _asks_of(question: Question, seat: int) -> bool:
    return question.kind == HIT_REPORTED and question.place == str(seat)


def without_boxes(questions: tuple[Question, ...], gone: tuple[int, ...]) -> tuple[Question, ...]:
    """A box whose bets went back wins nothing, so its reports are dropped."""
    return tuple(question for question in questions if not any(_asks_of(question, seat) for seat in gone))


# --- moves -------------------------------------------------------------------------------------------


def cannot_be_reported(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.HitReported)
    return bool(problem_of(table, fact))


def why_not_reported(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.HitReported)
    return problem_of(table, fact)


def ruled_on(table: Table, asked: Question, fact: facts.RulingMade) -> Table:
    """Applies the ruling. A round that was being paid waits again, for the claim's value."""
    if fact.choice == REJECT:
        said = f"the reported {say_hand(asked.other)} is rejected: {scrubbed(fact.reason)} ({fact.person})."
        return notice(table, "noted", f"Box {asked.place}: {said}")
    table = _claimed(table, asked, fact)
    playing = settle.round_of(table)
    if playing.held_from is Phase.PAYING:
        table = with_round(table, held_from=Phase.SETTLING)
    said = f"the reported {say_hand(asked.other)} is claimed ({asked.rule}; {fact.person})."
    check = "Pay nothing that this hand changes (its other bets, envy) before it is confirmed or denied."
    return notice(table, "noted", f"Box {asked.place}: {said} {check}")


def _claimed(table: Table, asked: Question, fact: facts.RulingMade) -> Table:
    assert table.settings is not None
    playing, seat = settle.round_of(table), int(asked.place)
    line = next(line for line in playing.lines if claims.is_jackpot_line(table, line.seat, line.bet, seat))
    because = f"reported by {asked.reported_by}: {say_hand(asked.other)}"
    won = as_reported(settle.book_of(table), table.settings.terms, line, asked.other, because)
    lines = tuple(won if other is line else other for other in playing.lines)
    no_cards: tuple[Card, ...] = ()  # the recorded cards do not show it
    people = (asked.reported_by, fact.person)
    return claim_late(with_round(table, lines=lines), won, no_cards, people, asked.because, fact.at)


def claim_late(
    table: Table, won: Line, cards_of_hand: tuple[Card, ...], people: tuple[str, str], because: str, at: Stamp
) -> Table:
    """Claims after the result, by a letter of its own: who saw the hand, and who lets it be claimed."""
    playing, (reported_by, person) = settle.round_of(table), people
    dealt_ns, uncertain_ns = deal.time_of_hand(playing, str(won.seat))
    claim = letters.Claim(
        claim_id(playing.number, won.seat), won.seat, won.level, won.share_num, won.share_den, won.because,
        cards_of_hand, dealt_ns, dict(playing.registered).get(won.level, 0), uncertain_ns, by_hand=True,
        dealer=playing.dealer, shoe=deal.shoe_of(table),
    )
    state = ClaimState(
        claim.claim, won.seat, won.level,
        registered_micro=value_registered(table, won.level), by_hand=True, reported_by=reported_by,
    )
    table = with_round(table, claims=_among_claims(table, state))
    questions = tuple(misdeals.as_claimed(table, question) for question in table.irregularity.questions)
    table = replace(table, irregularity=replace(table.irregularity, questions=questions))
    told = scrubbed(because)
    return post(table, letters.HitReportedLetter(playing.number, claim, reported_by, person, told, at))


def _among_claims(table: Table, late: ClaimState) -> tuple[ClaimState, ...]:
    """Adds a late claim: behind claims whose turn has come, before claims that were dealt later. If the box's earlier
    claim was denied, the new one replaces it; the journal keeps the other."""
    others = [claim for claim in settle.round_of(table).claims if claim.claim != late.claim]
    began = [claim for claim in others if claim.verdict or claim.value_micro is not None]
    waiting = [claim for claim in others if claim not in began]
    shares = shares_equally(table)
    # Boxes are dealt in order, and so are the settlement's own claims. If those share one value, a reported claim comes
    # after them.
    return (*began, *sorted((*waiting, late), key=lambda claim: (shares and bool(claim.reported_by), claim.seat)))


def without_reports(table: Table, gone: tuple[int, ...]) -> Table:
    """Closes the reports of boxes that have left the round, and posts a notice."""
    asked = table.irregularity.questions
    left = without_boxes(asked, gone)
    if len(left) == len(asked):
        return table
    table = replace(table, irregularity=replace(table.irregularity, questions=left))
    for question in asked:
        if question not in left:
            hand = say_hand(question.other)
            said = f"nothing is left to decide of the reported {hand}: its bets go back ({question.id})."
            table = notice(table, "noted", f"Box {question.place}: {said}")
    return table


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse(
        facts.HitReported, (*SETTLED, Phase.INTERRUPTED), why_not_reported, when=cannot_be_reported
    ),
    *move(facts.HitReported, SETTLED, Phase.INTERRUPTED, do=interruptions.hold),
    *stay(facts.HitReported, Phase.INTERRUPTED),
    *refuse(facts.HitReported, EVERY_PHASE, why_not_reported),
)
