"""What a choice does to the round after something went wrong: hands move or leave, bets go back, players choose. The
round then settles by itself as it stands."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.money import say
from felt.nouns.values import replace
from felt.rules.authority import may
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CONTINUE, INVALIDATE, RECONSTRUCT, RECORD_CORRECTION, RETURN, SWAP_ORDER, VOID
from felt.rules.rulebook import Line
from felt.table import deal, discarding, facts, panel, settle, upkeep
from felt.table.irregular import cards, discards, voids
from felt.table.irregular import hits as hit_questions
from felt.table.irregular.offers import Offer, Remedied
from felt.table.moves import cards as deck
from felt.table.moves import ends, hits
from felt.table.prompts import tell, tell_mishap, tell_place
from felt.table.redacted import scrubbed
from felt.table.state import Phase, Question, Round, Ruling, Table, with_round
from felt.table.upkeep import notice

PLAYER = "player"  # in whose office a box chooses for itself


# --- truths --------------------------------------------------------------------------------------------


def _asked(table: Table, name: str) -> Question | None:
    return next((one for one in table.irregularity.questions if one.id == name), None)


def _offer(asked: Question, choice: str) -> Offer:
    """Questions that are not about cards are a supervisor's, each option by the question's own paragraph."""
    return next((one for one in asked.offers if one.choice == choice), Offer(choice, asked.rule))


def ruling_lacks_authority(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    if asked is None or fact.choice not in asked.options:
        return False
    return asked.kind == cards.PLAYER_CHOICE or not may(fact.role, _offer(asked, fact.choice).who)


def choice_is_not_taken(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_chosen(table, fact))


def return_leaves_nobody(table: Table, fact: facts.Fact) -> bool:
    """The bets of the last box that is in the round go back by order or by key."""
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    if isinstance(fact, facts.SeatPressed) and not panel.returns(table, fact):
        return False
    playing = settle.round_of(table)
    return not _plays(table, (*playing.returned, fact.seat))


def refused_return(table: Table, fact: facts.Fact) -> bool:
    """While play is held, bets go back by what the question offers, or by a void that it leaves."""
    return voids.may_not_return_while_held(table) or return_leaves_nobody(table, fact)


def cannot_be_declared(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.IrregularityDeclared)
    return bool(cards.problem_of(table, fact))


def answer_by_void(table: Table, fact: facts.Fact) -> Table:
    """A void by order or by key closes every question, and answers the one that offers it."""
    asked = next((one for one in table.irregularity.questions if VOID in one.options), None)
    person, reason = (fact.person, fact.reason) if isinstance(fact, facts.VoidOrdered) else (panel.KEY_SWITCH, "")
    ruled = None if asked is None else Ruling(asked, VOID, person, reason)
    return replace(table, irregularity=replace(table.irregularity, questions=(), ruled=ruled))


def ruling_corrects_the_last_round(table: Table, _: facts.Fact) -> bool:
    ruled = table.irregularity.ruled
    return ruled is not None and ruled.question.round > 0


# --- rulings -------------------------------------------------------------------------------------------


def why_no_authority(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    assert asked is not None
    if asked.kind == cards.PLAYER_CHOICE:
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
    """The round as the ruling leaves it; players who have a choice after it are asked next."""
    asked = _asked(table, fact.question)
    assert asked is not None
    table = upkeep.take_ruling(table, fact)
    if asked.kind == hit_questions.HIT_REPORTED:
        return hits.ruled_on(table, asked, fact)
    if asked.statement is not None and fact.choice == CONTINUE and table.round is not None:
        # Whoever lets an interrupted deal go on says that the cards lie as the table has them.
        return deck.finish_held_deal(with_round(table, broken_at=None))
    if asked.kind == discards.COMMUNITY_DISCARD:
        return discarding.ruled_on(table, fact)
    if not asked.mishap:
        return table
    offer = _offer(asked, fact.choice)
    reason = scrubbed(fact.reason) if fact.choice == RECORD_CORRECTION else ""
    made = Remedied(asked.mishap, asked.place, fact.choice, offer.rule, fact.person, fact.role, reason)
    table = _recorded(table, asked, made)
    if table.round is not None and not asked.round:
        if asked.mishap == Mishap.SECOND_HAND_EXAMINED:
            table = with_round(table, seen=True)
            table = upkeep.put(table, discards.question(table)) if discards.is_due(table) else table
        before = settle.round_of(table)
        table = _without_returned(_applied(table, asked, offer))
        if before.settled_at is not None:
            table = _taken_back(table, before, settle.round_of(table), offer.rule, fact)
        elif offer.choice == INVALIDATE and not _plays(table, settle.round_of(table).returned):
            return _over(table, asked, offer.rule, fact.person)
    after = cards.players_question_after(table, asked, fact.choice)
    return upkeep.put(table, (after,)) if after else table


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
    """What was paid the table knows itself. The round stands: nothing is voided, nothing is paid again."""
    playing = table.round or table.previous
    assert playing is not None and table.settings is not None
    awards = [claim.award_minor or 0 for claim in playing.claims if claim.verdict == "confirmed"]
    paid = say(sum(awards), table.settings.terms.currency)
    said = {"round": playing.number, "paid": paid, "reason": made.reason, "person": made.person, "rule": made.rule}
    return notice(table, "noted", tell(table, "correction.paid", **said))


def _applied(table: Table, asked: Question, offer: Offer) -> Table:
    """What was dealt while play was held lies by then as the ruling has it, and may be the whole deal."""
    return table if offer.choice == VOID else deck.finish_held_deal(_moved(table, asked, offer))


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
    return table  # other reconstructed cards lie where the plan has sent them from the first


def _with_burn(table: Table) -> Table:
    """The first card is burnt after all and every other goes one place further back, if the round was recorded
    without a burnt card."""
    playing = settle.round_of(table)
    if deal.BURN in playing.plan or playing.held_from is not Phase.DEALING:
        return table
    plan = (deal.BURN, *playing.plan)
    dealt = tuple(replace(one, target=plan[place]) for place, one in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def _invalid(table: Table, seat: int, rule: str) -> Table:
    """Before the settlement the box leaves the round; afterwards its lines are replaced as well."""
    return replace(table, round=_without_box(table, settle.round_of(table), seat, rule))


def _without_box(table: Table, playing: Round, seat: int, rule: str) -> Round:
    """An invalid hand achieves nothing: others have no envy for it."""
    if seat in playing.returned:
        return playing
    if playing.settled_at is not None:
        playing = replace(playing, lines=lines_without(playing, seat, rule))
    by = (*playing.returned_by, (seat, rule))
    without = replace(playing, returned=tuple(sorted((*playing.returned, seat))), returned_by=by)
    return settle.with_envy_again(table, without)


def _taken_back(table: Table, before: Round, after: Round, rule: str, fact: facts.RulingMade) -> Table:
    """A bet that goes back contributes nothing: what a settled round had given to the meter for it is taken back, by a
    letter of its own."""
    kept = settle.contributions(after)
    gone = tuple(one for one in settle.contributions(before) if one not in kept)
    if not gone:
        return table
    seats, stakes = tuple(one.seat for one in gone), sum(one.stake_minor for one in gone)
    tally = replace(table.tally, contributions_minor=table.tally.contributions_minor - stakes)
    letter = letters.BetsReturnedLetter(before.number, seats, rule, fact.person, fact.at)
    return upkeep.post(replace(table, tally=tally), letter)


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
    """Two hands that cannot be put right are played where they lie, with their own times."""
    playing = settle.round_of(table)
    if first not in playing.plan or second not in playing.plan:
        return table
    to = {first: second, second: first}
    dealt = tuple(replace(one, target=to.get(one.target, one.target)) for one in playing.dealt)
    plan = tuple(to.get(target, target) for target in playing.plan)
    return with_round(table, dealt=dealt, plan=plan, moved=playing.moved + 1)


def _counted(table: Table, asked: Question) -> Table:
    """Whole hands are being dealt and one got another number of cards: those after it belong to the next hands. A
    number that is told with another mishap is evidence and moves nothing."""
    playing, settings = settle.round_of(table), table.settings
    assert settings is not None
    whole = not settle.procedure_of(table).method(settings.dealing).one_by_one
    if asked.mishap != Mishap.WRONG_COUNT or not asked.counted or not whole or playing.held_from is not Phase.DEALING:
        return table
    at = playing.plan.index(asked.place)
    plan = (*playing.plan[:at], *(asked.place,) * asked.counted, *playing.plan[at + deal.HAND_CARDS :])
    if len(plan) <= len(playing.dealt):
        return table
    dealt = tuple(replace(one, target=plan[place]) for place, one in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def correct_last_round(table: Table, fact: facts.Fact) -> Table:
    ruled, ended = table.irregularity.ruled, table.previous
    assert ruled is not None and ended is not None
    rule = _offer(ruled.question, ruled.choice).rule
    if ruled.choice == VOID:
        return ends.void_ended(table, fact.at, rule, ruled.question.because, ruled.person)
    if ruled.choice == INVALIDATE:
        assert isinstance(fact, facts.RulingMade)
        corrected = _without_box(table, ended, int(ruled.question.place), rule)
        return _taken_back(replace(table, previous=corrected), ended, corrected, rule, fact)
    return table


# --- players -------------------------------------------------------------------------------------------


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
    if not _plays(table, settle.round_of(table).returned):
        return _over(table, asked, rule, fact.person)
    table = _without_returned(_having_chosen(table, asked, fact.seat))
    ruled = None if _asked(table, asked.id) else Ruling(asked, CONTINUE, fact.person, "")
    return replace(table, irregularity=replace(table.irregularity, ruled=ruled))


def _having_chosen(table: Table, asked: Question, seat: int) -> Table:
    return _with_players(table, {asked.id: tuple(one for one in asked.players if one != seat)})


def _without_returned(table: Table) -> Table:
    """A box whose bets went back has nothing left to choose, and no hit that somebody saw."""
    gone = settle.round_of(table).returned
    table = hits.without_reports(table, gone)
    left = {one.id: tuple(seat for seat in one.players if seat not in gone) for one in table.irregularity.questions}
    return _with_players(table, left)


def _with_players(table: Table, left: dict[str, tuple[int, ...]]) -> Table:
    """A question to players is closed once none of them has still to choose."""
    changed = (replace(one, players=left.get(one.id, one.players)) for one in table.irregularity.questions)
    questions = tuple(one for one in changed if one.players or one.kind != cards.PLAYER_CHOICE)
    return replace(table, irregularity=replace(table.irregularity, questions=questions))


def _over(table: Table, asked: Question, rule: str, person: str) -> Table:
    """Nobody is left in the round: it is void by the paragraph by which the last bets went back."""
    ruled = Ruling(replace(asked, rule=rule, offers=()), VOID, person, "")
    return replace(table, irregularity=replace(table.irregularity, questions=(), ruled=ruled))


def _plays(table: Table, returned: tuple[int, ...]) -> bool:
    seats = settle.seats_in_play(settle.book_of(table), settle.round_of(table).bets)
    return any(seat not in returned for seat in seats)


def return_last_bets(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    table = panel.return_bets(table, fact)
    person = fact.person if isinstance(fact, facts.BetsReturned) else panel.KEY_SWITCH
    reason = "every box has its bets back"
    return ends.void(table, fact.at, settle.paragraphs_of(table).dealing_error, reason, person)


def why_not_returned(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetsReturned)
    if voids.may_not_return_while_held(table):
        return voids.why_not_returned(table)
    asked = table.irregularity.questions
    return tell(table, "refused.last_box", box=fact.seat, id=asked[0].id if asked else "")


def why_not_chosen(table: Table, fact: facts.Fact) -> str:
    """Empty where the choice is taken."""
    assert isinstance(fact, facts.PlayerChose)
    asked = _asked(table, fact.question)
    if asked is None or asked.kind != cards.PLAYER_CHOICE:
        return tell(table, "refused.no_question", id=fact.question)
    if fact.seat not in asked.players:
        return tell(table, "refused.not_asked", box=fact.seat, id=asked.id)
    if fact.choice in asked.options:
        return ""
    return tell(table, "refused.choice", choice=fact.choice, id=asked.id, options=" or ".join(asked.options))


# --- what the inventory finds ---------------------------------------------------------------------------


def hold_for_report(table: Table, fact: facts.Fact) -> Table:
    return ends.hold(deck.note_findings(table, fact), fact)


def hold_for_stub(table: Table, fact: facts.Fact) -> Table:
    return ends.hold(deck.check_stub(table, fact), fact)


# --- declarations --------------------------------------------------------------------------------------


def why_not_declared(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.IrregularityDeclared)
    return cards.problem_of(table, fact)


def note_course(table: Table, fact: facts.Fact) -> Table:
    """A question is open by now, for questions are asked before anything moves; what is said twice is asked once. Or
    a paragraph leaves nothing to decide: play goes on, and everybody knows by which."""
    assert isinstance(fact, facts.IrregularityDeclared)
    incident = cards.declared(table, fact)
    asked = cards.open_one(table, incident)
    said = tell(table, "noted.asked", id=asked.id) if asked else cards.course_of(table, incident)
    return notice(cards.after_declaration(table, fact), "noted", said)


def hold_for_declaration(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.IrregularityDeclared)
    return ends.hold(cards.after_declaration(table, fact), fact)


# --- later ---------------------------------------------------------------------------------------------


def why_not_corrected(table: Table, fact: facts.Fact) -> str:
    """Only a round that has ended is corrected, and only by who could have ruled on it."""
    assert isinstance(fact, facts.CorrectionRecorded)
    open_now = table.round.number if table.round else table.tally.rounds + 1
    if not 1 <= fact.round < open_now:
        return tell(table, "refused.correction", round=fact.round)
    return voids.why_no_correction(table, fact)


def cannot_be_corrected(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_corrected(table, fact))


def note_correction(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CorrectionRecorded)
    said = {"round": fact.round, "what": scrubbed(fact.what), "person": fact.person, "reason": scrubbed(fact.reason)}
    return notice(table, "noted", tell(table, "correction.recorded", **said, rule=cards.stands_by(table)))
