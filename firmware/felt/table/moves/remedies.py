"""What a choice does to the round after something went wrong: hands move or leave, bets go back, players choose. The
round then settles by itself as it stands."""

from __future__ import annotations

from felt.rules.authority import Role, may
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CONTINUE, INVALIDATE, RECONSTRUCT, RETURN, SWAP_ORDER, VOID
from felt.rules.rulebook import Line
from felt.table import deal, facts, guards, letters, panel, settle, upkeep
from felt.table.irregular import cards, voids
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


def ruling_leaves_none(table: Table, fact: facts.Fact) -> bool:
    """No other question is open, and no player has a choice after it."""
    return guards.ruling_is_good(table, fact) and not take_ruling(table, fact).irregularity.questions


def choice_is_good(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.PlayerChose)
    asked = _asked(table, fact.question)
    return asked is not None and fact.seat in asked.players and fact.choice in asked.options


def return_leaves_nobody(table: Table, fact: facts.Fact) -> bool:
    """The bets of the last box that is in the round go back by order or by key."""
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    if isinstance(fact, facts.SeatPressed) and not panel.returns(table, fact):
        return False
    playing = settle.round_of(table)
    return not _plays(table, (*playing.returned, fact.seat))


def refused_return(table: Table, fact: facts.Fact) -> bool:
    """While play is held, bets go back by what the question offers, or by a void that it leaves."""
    return voids.supervisor_may_not_void(table) or return_leaves_nobody(table, fact)


def choice_leaves_none(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.PlayerChose)
    return choice_is_good(table, fact) and not take_choice(table, fact).irregularity.questions


def cannot_be_declared(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.IrregularityDeclared)
    return bool(cards.problem_of(table, fact))


def order_voids_the_last_round(table: Table, fact: facts.Fact) -> bool:
    return table.round is None and guards.previous_round_can_be_voided(table, fact)


def ruling_corrects_the_last_round(table: Table, _: facts.Fact) -> bool:
    ruled = table.irregularity.ruled
    return ruled is not None and ruled.question.round > 0


# --- rulings -------------------------------------------------------------------------------------------


def refuse_authority(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    assert asked is not None
    table = table._replace(irregularity=table.irregularity._replace(ruled=None))
    if asked.kind == cards.PLAYER_CHOICE:
        return notice(table, "refused", tell(table, "refused.players", id=asked.id))
    who = tell(table, f"role.{_offer(asked, fact.choice).who}")
    return notice(table, "refused", tell(table, "refused.authority", choice=fact.choice, who=who, role=fact.role))


def take_ruling(table: Table, fact: facts.Fact) -> Table:
    """The round as the ruling leaves it; players who have a choice after it are asked next."""
    assert isinstance(fact, facts.RulingMade)
    asked = _asked(table, fact.question)
    assert asked is not None
    table = upkeep.take_ruling(table, fact)
    if asked.kind == hit_questions.HIT_REPORTED:
        return hits.ruled_on(table, asked, fact)
    if not asked.mishap:
        return table
    offer = _offer(asked, fact.choice)
    made = Remedied(asked.mishap, asked.place, fact.choice, offer.rule, fact.person, fact.role)
    table = _recorded(table, asked, made)
    if table.round is not None and not asked.round:
        if asked.mishap == Mishap.SECOND_HAND_EXAMINED:
            table = with_round(table, seen=True)
        before = settle.round_of(table)
        table = _without_returned(_applied(table, asked, offer))
        if before.settled_at is not None:
            table = _taken_back(table, before, settle.round_of(table), offer.rule, fact)
        elif offer.choice == INVALIDATE and not _plays(table, settle.round_of(table).returned):
            return _over(table, asked, offer.rule, fact.person)
    after = cards.players_question_after(table, asked, fact.choice)
    return upkeep.put(table, (after,)) if after else table


def take_void_ruling(table: Table, fact: facts.Fact) -> Table:
    """A void answers every other question as well."""
    table = take_ruling(table, fact)
    return table._replace(irregularity=table.irregularity._replace(questions=()))


def _recorded(table: Table, asked: Question, made: Remedied) -> Table:
    if table.round is not None and not asked.round:
        table = with_round(table, remedied=(*table.round.remedied, made))
    elif table.previous is not None:
        table = table._replace(previous=table.previous._replace(remedied=(*table.previous.remedied, made)))
    mishap = tell_mishap(table, asked.mishap, asked.place, asked.other)
    choice = tell(table, f"choice.{made.choice}")
    return notice(table, "noted", tell(table, "ruling.made", mishap=mishap, choice=choice, rule=made.rule,
                                       person=made.person))


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
    dealt = tuple(one._replace(target=plan[place]) for place, one in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def _invalid(table: Table, seat: int, rule: str) -> Table:
    """Before the settlement the box leaves the round; afterwards its lines are replaced as well."""
    return table._replace(round=_without_box(settle.round_of(table), seat, rule))


def _without_box(playing: Round, seat: int, rule: str) -> Round:
    if seat in playing.returned:
        return playing
    if playing.settled_at is not None:
        playing = playing._replace(lines=lines_without(playing, seat, rule))
    by = (*playing.returned_by, (seat, rule))
    return playing._replace(returned=tuple(sorted((*playing.returned, seat))), returned_by=by)


def _taken_back(table: Table, before: Round, after: Round, rule: str, fact: facts.RulingMade) -> Table:
    """A bet that goes back contributes nothing: what a settled round had given to the meter for it is taken back, by a
    letter of its own."""
    kept = settle.contributions(after)
    gone = tuple(one for one in settle.contributions(before) if one not in kept)
    if not gone:
        return table
    seats, stakes = tuple(one.seat for one in gone), sum(one.stake_minor for one in gone)
    tally = table.tally._replace(contributions_minor=table.tally.contributions_minor - stakes)
    letter = letters.BetsReturnedLetter(before.number, seats, rule, fact.person, fact.at)
    return upkeep.post(table._replace(tally=tally), letter)


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
        dealt[first]._replace(card=dealt[second].card, keyed=dealt[second].keyed),
        dealt[second]._replace(card=dealt[first].card, keyed=dealt[first].keyed),
    )
    return with_round(table, dealt=tuple(dealt), moved=playing.moved + 1)


def _as_they_lie(table: Table, first: str, second: str) -> Table:
    """Two hands that cannot be put right are played where they lie, with their own times."""
    playing = settle.round_of(table)
    if first not in playing.plan or second not in playing.plan:
        return table
    to = {first: second, second: first}
    dealt = tuple(one._replace(target=to.get(one.target, one.target)) for one in playing.dealt)
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
    dealt = tuple(one._replace(target=plan[place]) for place, one in enumerate(playing.dealt))
    return with_round(table, plan=plan, dealt=dealt, moved=playing.moved + 1)


def correct_last_round(table: Table, fact: facts.Fact) -> Table:
    ruled, ended = table.irregularity.ruled, table.previous
    assert ruled is not None and ended is not None
    rule = _offer(ruled.question, ruled.choice).rule
    if ruled.choice == VOID:
        return ends.void_ended(table, fact.at, rule, ruled.question.because, ruled.person)
    if ruled.choice == INVALIDATE:
        assert isinstance(fact, facts.RulingMade)
        corrected = _without_box(ended, int(ruled.question.place), rule)
        return _taken_back(table._replace(previous=corrected), ended, corrected, rule, fact)
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
    return table._replace(irregularity=table.irregularity._replace(ruled=ruled))


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
    changed = (one._replace(players=left.get(one.id, one.players)) for one in table.irregularity.questions)
    questions = tuple(one for one in changed if one.players or one.kind != cards.PLAYER_CHOICE)
    return table._replace(irregularity=table.irregularity._replace(questions=questions))


def _over(table: Table, asked: Question, rule: str, person: str) -> Table:
    """Nobody is left in the round: it is void by the paragraph by which the last bets went back."""
    ruled = Ruling(asked._replace(rule=rule, offers=()), VOID, person, "")
    return table._replace(irregularity=table.irregularity._replace(questions=(), ruled=ruled))


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
    if voids.supervisor_may_not_void(table):
        return voids.why_not_returned(table)
    asked = table.irregularity.questions
    return tell(table, "refused.last_box", box=fact.seat, id=asked[0].id if asked else "")


def refuse_choice(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.PlayerChose)
    table = table._replace(irregularity=table.irregularity._replace(ruled=None))
    asked = _asked(table, fact.question)
    if asked is None or asked.kind != cards.PLAYER_CHOICE:
        return notice(table, "refused", tell(table, "refused.no_question", id=fact.question))
    if fact.seat not in asked.players:
        return notice(table, "refused", tell(table, "refused.not_asked", box=fact.seat, id=asked.id))
    options = " or ".join(asked.options)
    return notice(table, "refused", tell(table, "refused.choice", choice=fact.choice, id=asked.id, options=options))


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
    """A question is open by now, for the region of irregularities has seen the fact before; what is said twice is asked
    once. Or a paragraph leaves nothing to decide: play goes on, and everybody knows by which."""
    assert isinstance(fact, facts.IrregularityDeclared)
    incident = cards.declared(table, fact)
    asked = cards.open_one(table, incident)
    said = tell(table, "noted.asked", id=asked.id) if asked else cards.course_of(table, incident)
    return notice(table, "noted", said)


# --- later ---------------------------------------------------------------------------------------------


def why_not_corrected(table: Table, fact: facts.Fact) -> str:
    """Only a round that has ended is corrected, and only by who could have ruled on it."""
    assert isinstance(fact, facts.CorrectionRecorded)
    open_now = table.round.number if table.round else table.tally.rounds + 1
    if not 1 <= fact.round < open_now:
        return tell(table, "refused.correction", round=fact.round)
    if may(fact.role, Role.SUPERVISOR):
        return ""
    who = tell(table, f"role.{Role.SUPERVISOR}")
    return tell(table, "refused.authority", choice=tell(table, "correction.name"), who=who, role=fact.role)


def cannot_be_corrected(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_corrected(table, fact))


def note_correction(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CorrectionRecorded)
    said = {"round": fact.round, "what": scrubbed(fact.what), "person": fact.person, "reason": scrubbed(fact.reason)}
    return notice(table, "noted", tell(table, "correction.recorded", **said, rule=cards.stands_by(table)))
