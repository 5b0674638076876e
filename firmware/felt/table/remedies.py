"""Rulings and what they do to the round: hands move or leave, bets go back, players choose. Afterwards the round
settles as it now is."""

from __future__ import annotations

from functools import partial

from felt.letters import from_table as letters
from felt.nouns.ids import Spot
from felt.nouns.money import say
from felt.nouns.values import replace
from felt.rules.authority import may
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CONTINUE, INVALIDATE, RECONSTRUCT, RECORD_CORRECTION, RETURN, SWAP_ORDER, VOID
from felt.rules.rulebook import Line
from felt.table import (
    deal,
    dealing,
    discards,
    facts,
    interruptions,
    locking,
    misdeals,
    notices,
    questions,
    reported_hits,
    service,
    settle,
    voiding,
)
from felt.table.chart import Guard, after, move, refuse, stay
from felt.table.notices import notice
from felt.table.prompts import tell, tell_mishap, tell_place
from felt.table.questions import SEAT, overrules_unexplained
from felt.table.redacted import scrubbed
from felt.table.reported_hits import problem_with_ruling
from felt.table.service import why_not_continued
from felt.table.state import (
    BEFORE_SETTLEMENT,
    EVERY_PHASE,
    HELD_FROM,
    IN_PLAY,
    Offer,
    Phase,
    Question,
    Remedied,
    Round,
    Ruling,
    Table,
    with_round,
)
from felt.table.voiding import claim_is_confirmed

PLAYER = "player"  # recorded as the role of a box that chooses for itself


# --- truths ------------------------------------------------------------------------------------------


def _asked(table: Table, name: str) -> Question | None:
    return next((question for question in table.irregularity.questions if question.id == name), None)


def _offer(asked: Question, choice: str) -> Offer:
    """For a question that is not about cards, a supervisor may give each option, by the question's own paragraph."""
    return next((offer for offer in asked.offers if offer.choice == choice), Offer(choice, asked.rule))


def ruling_lacks_authority(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    if asked is None or fact.choice not in asked.options:
        return False
    return asked.kind == misdeals.PLAYER_CHOICE or not may(fact.role, _offer(asked, fact.choice).who)


def choice_is_not_taken(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_chosen(table, fact))


def ruling_corrects_the_last_round(table: Table, _: facts.Fact) -> bool:
    ruled = table.irregularity.ruled
    return ruled is not None and ruled.question.round > 0


def ruling_is_good(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.RulingMade)
    asked = next((question for question in table.irregularity.questions if question.id == fact.question), None)
    if asked is None or fact.choice not in asked.options or overrules_unexplained(asked, fact.choice, fact.reason):
        return False
    if problem_with_ruling(table, asked, fact.choice):
        return False
    return fact.choice != VOID or bool(asked.round) or voiding.round_may_be_voided(table, fact)


def ruling_is_not_taken(table: Table, fact: facts.Fact) -> bool:
    """The ruling answers no open question, or offers what the question does not, or would resume play at a table out of
    service."""
    assert isinstance(fact, facts.RulingMade)
    waits = fact.choice == CONTINUE and not service.table_is_in_service(table, fact)
    return waits or not ruling_is_good(table, fact)


def ruling_voids(table: Table, _: facts.Fact) -> bool:
    ruled = table.irregularity.ruled
    return ruled is not None and ruled.choice == VOID


def ruling_resumes(phase: Phase) -> Guard:
    def resumes_to_phase(table: Table, fact: facts.Fact) -> bool:
        freed = table.irregularity.ruled is not None and not questions.play_is_held(table, fact)
        return freed and table.round is not None and table.round.held_from is phase

    resumes_to_phase.__name__ = f"ruling_resumes_{phase.value.lower()}"
    return resumes_to_phase


def held_lock_is_over(table: Table, fact: facts.Fact) -> bool:
    """The ruling releases a lock whose drain ended while play was held."""
    return ruling_resumes(Phase.LOCKING)(table, fact) and locking.drain_is_over(table, fact)


def held_lock_is_over_without_bets(table: Table, fact: facts.Fact) -> bool:
    return ruling_resumes(Phase.LOCKING)(table, fact) and locking.drain_is_over_without_bets(table, fact)


def why_not_ruled(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RulingMade)
    asked = next((question for question in table.irregularity.questions if question.id == fact.question), None)
    if asked is None:
        return f"No question {fact.question} is open."
    if fact.choice not in asked.options:
        options = " or ".join(asked.options)
        return f"{fact.choice} is no answer to {asked.id}: choose {options}."
    if fact.choice == RECORD_CORRECTION and overrules_unexplained(asked, fact.choice, fact.reason):
        return tell(table, "refused.unsaid_correction", id=asked.id)
    if overrules_unexplained(asked, fact.choice, fact.reason):
        return f"{asked.id}: {asked.proposal} is proposed ({asked.rule}); who rules {fact.choice} says why."
    if problem := problem_with_ruling(table, asked, fact.choice):
        return f"{asked.id}: {problem} Rule reject, and say why."
    return claim_is_confirmed(table, fact) if fact.choice == VOID else why_not_continued(table)


# --- rulings -----------------------------------------------------------------------------------------


def close_question(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.RulingMade)
    before = table.irregularity
    asked = next(question for question in before.questions if question.id == fact.question)
    left = tuple(question for question in before.questions if question.id != fact.question)
    ruling = Ruling(asked, fact.choice, fact.person, fact.reason)
    table = replace(table, irregularity=replace(before, questions=left, ruled=ruling))
    if asked.kind == "undetermined_chip" and table.round is not None:
        decided = (Spot(asked.where), fact.choice == SEAT)
        table = replace(table, round=replace(table.round, rulings=(*table.round.rulings, decided)))
    return table


def why_no_authority(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    assert asked is not None
    if asked.kind == misdeals.PLAYER_CHOICE:
        return tell(table, "refused.players", id=asked.id)
    who = tell(table, f"role.{_offer(asked, fact.choice).who}")
    return tell(table, "refused.authority", choice=fact.choice, who=who, role=fact.role)


def take_ruling(table: Table, fact: facts.Fact) -> Table:
    """A void answers every other question as well."""
    assert isinstance(fact, facts.RulingMade)
    table = _taken(table, fact)
    if fact.choice != VOID:
        return table
    return replace(table, irregularity=replace(table.irregularity, questions=()))


def _taken(table: Table, fact: facts.RulingMade) -> Table:
    """The round after the ruling. Players who have a choice after it are asked next."""
    asked = _asked(table, fact.question)
    assert asked is not None
    table = close_question(table, fact)
    if asked.kind == reported_hits.HIT_REPORTED:
        return reported_hits.ruled_on(table, asked, fact)
    if asked.statement is not None and fact.choice == CONTINUE and table.round is not None:
        # To continue an interrupted deal confirms that the cards lie as the table has them.
        return dealing.finish_held_deal(with_round(table, broken_at=None))
    if asked.kind == discards.COMMUNITY_DISCARD:
        return discards.ruled_on(table, fact)
    if not asked.mishap:
        return table
    offer = _offer(asked, fact.choice)
    reason = scrubbed(fact.reason) if fact.choice == RECORD_CORRECTION else ""
    made = Remedied(asked.mishap, asked.place, fact.choice, offer.rule, fact.person, fact.role, reason)
    table = _recorded(table, asked, made)
    if table.round is not None and not asked.round:
        if asked.mishap == Mishap.SECOND_HAND_EXAMINED:
            table = with_round(table, seen=True)
            table = questions.put(table, discards.question(table)) if discards.is_due(table) else table
        before = settle.round_of(table)
        table = _without_returned(_applied(table, asked, offer))
        if before.settled_at is not None:
            table = _taken_back(table, before, settle.round_of(table), offer.rule, fact)
        elif offer.choice == INVALIDATE and not plays(table, settle.round_of(table).returned):
            return _over(table, asked, offer.rule, fact.person)
    after = misdeals.players_question_after(table, asked, fact.choice)
    return questions.put(table, (after,)) if after else table


def _recorded(table: Table, asked: Question, made: Remedied) -> Table:
    if table.round is not None and not asked.round:
        table = with_round(table, remedied=(*table.round.remedied, made))
    elif table.previous is not None:
        table = replace(table, previous=replace(table.previous, remedied=(*table.previous.remedied, made)))
    mishap = tell_mishap(table, asked.mishap, asked.place, asked.other)
    choice = tell(table, f"choice.{made.choice}")
    table = notice(table, "noted", tell(table, "ruling.made", mishap=mishap, choice=choice, rule=made.rule,
                                        person=made.person))
    return _say_correction(table, made) if made.choice == RECORD_CORRECTION else table


def _say_correction(table: Table, made: Remedied) -> Table:
    """The table knows itself what was paid. The round stands: nothing is voided and nothing is paid again."""
    playing = table.round or table.previous
    assert playing is not None and table.settings is not None
    awards = [claim.award_minor or 0 for claim in playing.claims if claim.verdict == "confirmed"]
    paid = say(sum(awards), table.settings.terms.currency)
    said = {"round": playing.number, "paid": paid, "reason": made.reason, "person": made.person, "rule": made.rule}
    return notice(table, "noted", tell(table, "correction.paid", **said))


def _applied(table: Table, asked: Question, offer: Offer) -> Table:
    """Applies the ruling to everything that was dealt while play was held, which may be the whole deal."""
    return table if offer.choice == VOID else dealing.finish_held_deal(_moved(table, asked, offer))


def _moved(table: Table, asked: Question, offer: Offer) -> Table:
    if offer.choice == INVALIDATE:
        table = _counted(table, asked)
        return _invalid(table, int(asked.place), offer.rule)
    if offer.choice == SWAP_ORDER:
        return _swapped(table, asked.drawn)
    if offer.choice == CONTINUE and asked.mishap == Mishap.WRONG_BOX:
        return _as_they_lie(table, asked.place, asked.other)
    if offer.choice == RECONSTRUCT and asked.mishap == Mishap.MISSED_BURN:
        return _with_burn(table)
    return table  # other reconstructed cards already lie where the plan sends them


def _with_burn(table: Table) -> Table:
    """Burns the first card after all, if the round was recorded without a burnt card. Every other card moves one place
    back."""
    playing = settle.round_of(table)
    if deal.BURN in playing.plan or playing.held_from is not Phase.DEALING:
        return table
    plan = (deal.BURN, *playing.plan)
    dealt = tuple(replace(dealt_card, target=plan[place]) for place, dealt_card in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def _invalid(table: Table, seat: int, rule: str) -> Table:
    """Before the settlement the box leaves the round; afterwards its lines are replaced as well."""
    return replace(table, round=_without_box(table, settle.round_of(table), seat, rule))


def _without_box(table: Table, playing: Round, seat: int, rule: str) -> Round:
    """An invalid hand wins nothing, and others get no envy award for it."""
    if seat in playing.returned:
        return playing
    if playing.settled_at is not None:
        playing = replace(playing, lines=lines_without(playing, seat, rule))
    by = (*playing.returned_by, (seat, rule))
    without = replace(playing, returned=tuple(sorted((*playing.returned, seat))), returned_by=by)
    return settle.with_envy_again(table, without)


def _taken_back(table: Table, before: Round, after: Round, rule: str, fact: facts.RulingMade) -> Table:
    """A returned bet contributes nothing. A letter takes back what the settled round had given to the meter for it."""
    kept = settle.contributions(after)
    gone = tuple(contribution for contribution in settle.contributions(before) if contribution not in kept)
    if not gone:
        return table
    seats = tuple(contribution.seat for contribution in gone)
    stakes = sum(contribution.stake_minor for contribution in gone)
    tally = replace(table.tally, contributions_minor=table.tally.contributions_minor - stakes)
    letter = letters.BetsReturnedLetter(before.number, seats, rule, fact.person, fact.at)
    return notices.post(replace(table, tally=tally), letter)


def lines_without(playing: Round, seat: int, rule: str) -> tuple[Line, ...]:
    others = tuple(line for line in playing.lines if line.seat != seat)
    return (*others, *(line for line in settle.returned_lines(playing, rule) if line.seat == seat))


def _swapped(table: Table, drawn: tuple[int, ...]) -> Table:
    """The cards change places; each place keeps its time."""
    playing = settle.round_of(table)
    if len(drawn) != 2 or max(drawn) >= len(playing.dealt):
        return table
    first, second = drawn
    dealt = list(playing.dealt)
    dealt[first], dealt[second] = (
        replace(dealt[first], card=dealt[second].card, keyed=dealt[second].keyed),
        replace(dealt[second], card=dealt[first].card, keyed=dealt[first].keyed),
    )
    return with_round(table, dealt=tuple(dealt), moved=playing.moved + 1)


def _as_they_lie(table: Table, first: str, second: str) -> Table:
    """Two hands that cannot be restored are played as they lie, with their own times."""
    playing = settle.round_of(table)
    if first not in playing.plan or second not in playing.plan:
        return table
    to = {first: second, second: first}
    dealt = tuple(
        replace(dealt_card, target=to.get(dealt_card.target, dealt_card.target)) for dealt_card in playing.dealt
    )
    plan = tuple(to.get(target, target) for target in playing.plan)
    return with_round(table, dealt=dealt, plan=plan, moved=playing.moved + 1)


def _counted(table: Table, asked: Question) -> Table:
    """Whole hands are dealt, and one got a different number of cards: the cards after it belong to the next hands. A
    number that is declared with another mishap is evidence and moves nothing."""
    playing, settings = settle.round_of(table), table.settings
    assert settings is not None
    whole = not settle.procedure_of(table).method(settings.dealing).one_by_one
    if asked.mishap != Mishap.WRONG_COUNT or not asked.counted or not whole or playing.held_from is not Phase.DEALING:
        return table
    at = playing.plan.index(asked.place)
    plan = (*playing.plan[:at], *(asked.place,) * asked.counted, *playing.plan[at + deal.HAND_CARDS :])
    if len(plan) <= len(playing.dealt):
        return table
    dealt = tuple(replace(dealt_card, target=plan[place]) for place, dealt_card in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def correct_last_round(table: Table, fact: facts.Fact) -> Table:
    ruled, ended = table.irregularity.ruled, table.previous
    assert ruled is not None and ended is not None
    rule = _offer(ruled.question, ruled.choice).rule
    if ruled.choice == VOID:
        return voiding.void_ended(table, fact.at, rule, ruled.question.because, ruled.person)
    if ruled.choice == INVALIDATE:
        assert isinstance(fact, facts.RulingMade)
        corrected = _without_box(table, ended, int(ruled.question.place), rule)
        return _taken_back(replace(table, previous=corrected), ended, corrected, rule, fact)
    return table


def take_choice(table: Table, fact: facts.Fact) -> Table:
    """The question stays open until every affected box has chosen."""
    assert isinstance(fact, facts.PlayerChose)
    asked = _asked(table, fact.question)
    assert asked is not None
    rule = _offer(asked, fact.choice).rule
    made = Remedied(asked.mishap, str(fact.seat), fact.choice, rule, fact.person, PLAYER)
    table = with_round(table, remedied=(*settle.round_of(table).remedied, made))
    if fact.choice == RETURN:
        table = _invalid(table, fact.seat, rule)
    said = tell(table, "choice.made", place=tell_place(table, made.place), choice=tell(table, f"choice.{made.choice}"),
                rule=rule, person=fact.person)
    table = notice(table, "noted", said)
    if not plays(table, settle.round_of(table).returned):
        return _over(table, asked, rule, fact.person)
    table = _without_returned(_having_chosen(table, asked, fact.seat))
    ruled = None if _asked(table, asked.id) else Ruling(asked, CONTINUE, fact.person, "")
    return replace(table, irregularity=replace(table.irregularity, ruled=ruled))


def _having_chosen(table: Table, asked: Question, seat: int) -> Table:
    return _with_players(table, {asked.id: tuple(box for box in asked.players if box != seat)})


def _without_returned(table: Table) -> Table:
    """A box whose bets went back has nothing left to choose, and its reported hit is closed."""
    gone = settle.round_of(table).returned
    table = reported_hits.without_reports(table, gone)
    questions = table.irregularity.questions
    left = {question.id: tuple(seat for seat in question.players if seat not in gone) for question in questions}
    return _with_players(table, left)


def _with_players(table: Table, left: dict[str, tuple[int, ...]]) -> Table:
    """Closes a question to players once none of them has a choice left."""
    before = table.irregularity.questions
    changed = (replace(question, players=left.get(question.id, question.players)) for question in before)
    questions = tuple(question for question in changed if question.players or question.kind != misdeals.PLAYER_CHOICE)
    return replace(table, irregularity=replace(table.irregularity, questions=questions))


def _over(table: Table, asked: Question, rule: str, person: str) -> Table:
    """Nobody is left in the round: it is void by the paragraph by which the last bets went back."""
    ruled = Ruling(replace(asked, rule=rule, offers=()), VOID, person, "")
    return replace(table, irregularity=replace(table.irregularity, questions=(), ruled=ruled))


def plays(table: Table, returned: tuple[int, ...]) -> bool:
    seats = settle.seats_in_play(settle.book_of(table), settle.round_of(table).bets)
    return any(seat not in returned for seat in seats)


def why_not_chosen(table: Table, fact: facts.Fact) -> str:
    """Why the choice cannot be taken; empty if it can."""
    assert isinstance(fact, facts.PlayerChose)
    asked = _asked(table, fact.question)
    if asked is None or asked.kind != misdeals.PLAYER_CHOICE:
        return tell(table, "refused.no_question", id=fact.question)
    if fact.seat not in asked.players:
        return tell(table, "refused.not_asked", box=fact.seat, id=asked.id)
    if fact.choice in asked.options:
        return ""
    return tell(table, "refused.choice", choice=fact.choice, id=asked.id, options=" or ".join(asked.options))


def why_not_corrected(table: Table, fact: facts.Fact) -> str:
    """Only a round that has ended can be corrected, and only by a person who could have ruled on it."""
    assert isinstance(fact, facts.CorrectionRecorded)
    open_now = table.round.number if table.round else table.tally.rounds + 1
    if not 1 <= fact.round < open_now:
        return tell(table, "refused.correction", round=fact.round)
    return voiding.why_no_correction(table, fact)


def cannot_be_corrected(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_corrected(table, fact))


def note_correction(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CorrectionRecorded)
    said = {"round": fact.round, "what": scrubbed(fact.what), "person": fact.person, "reason": scrubbed(fact.reason)}
    return notice(table, "noted", tell(table, "correction.recorded", **said, rule=misdeals.stands_by(table)))


def resume_with_snapshot(table: Table, fact: facts.Fact) -> Table:
    return locking.take_snapshot(interruptions.resume(table, fact), fact)


# --- rows --------------------------------------------------------------------------------------------

_ruled = partial(after, take_ruling)
_chosen = partial(after, take_choice)
_ENDED = (Phase.IDLE, Phase.CLOSED)
ROWS = (
    *refuse(facts.RulingMade, EVERY_PHASE, why_no_authority, when=ruling_lacks_authority),
    *refuse(facts.RulingMade, EVERY_PHASE, why_not_ruled, when=ruling_is_not_taken),
    *move(
        facts.RulingMade, IN_PLAY, Phase.VOIDING,
        when=_ruled(ruling_voids), do=(take_ruling, voiding.void_by_ruling),
    ),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.VOIDING,
        when=_ruled(held_lock_is_over_without_bets), do=(take_ruling, locking.void_without_bets),
    ),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.DEALING,
        when=_ruled(held_lock_is_over), do=(take_ruling, resume_with_snapshot),
    ),
    *(
        row
        for phase in HELD_FROM
        for row in move(
            facts.RulingMade, Phase.INTERRUPTED, phase,
            when=_ruled(ruling_resumes(phase)), do=(take_ruling, interruptions.resume),
        )
    ),
    *move(
        facts.RulingMade, Phase.LOCKING, Phase.VOIDING,
        when=_ruled(locking.drain_is_over_without_bets), do=(take_ruling, locking.void_without_bets),
    ),
    *move(
        facts.RulingMade, Phase.LOCKING, Phase.DEALING,
        when=_ruled(locking.drain_is_over), do=(take_ruling, locking.take_snapshot),
    ),
    *refuse(facts.PlayerChose, EVERY_PHASE, why_not_chosen, when=choice_is_not_taken),
    *move(
        facts.PlayerChose, Phase.INTERRUPTED, Phase.VOIDING,
        when=_chosen(ruling_voids), do=(take_choice, voiding.void_by_ruling),
    ),
    *(
        row
        for phase in BEFORE_SETTLEMENT
        for row in move(
            facts.PlayerChose, Phase.INTERRUPTED, phase,
            when=_chosen(ruling_resumes(phase)), do=(take_choice, interruptions.resume),
        )
    ),
    *stay(facts.PlayerChose, EVERY_PHASE, do=take_choice),
    *refuse(facts.CorrectionRecorded, EVERY_PHASE, why_not_corrected, when=cannot_be_corrected),
    *stay(facts.CorrectionRecorded, EVERY_PHASE, do=note_correction),
    *stay(
        facts.RulingMade, _ENDED, when=after(take_ruling, ruling_corrects_the_last_round),
        do=(take_ruling, correct_last_round),
    ),
    *stay(facts.RulingMade, EVERY_PHASE, do=take_ruling),
)
