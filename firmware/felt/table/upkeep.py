"""Moves of the house around the round: notices, mail, eras, boots, faults and questions."""

from __future__ import annotations

from collections.abc import Callable

from felt.letters import from_table as letters
from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import replace
from felt.rules.remedies import RECORD_CORRECTION
from felt.table import facts, inventory, redacted, settle
from felt.table.deal import BURN
from felt.table.handover import taken_over
from felt.table.irregular.hits import problem_with_ruling
from felt.table.irregular.parts import SEAT, VOID, overrules_unexplained, phase_of_play, reading
from felt.table.irregular.questions import questions_raised
from felt.table.lock import with_burst
from felt.table.opening import left_alone
from felt.table.prompts import tell, tell_question
from felt.table.reasons import claim_is_confirmed, why_not_continued
from felt.table.settings import NOTICES_MAX, PASSED_MAX
from felt.table.state import (
    UNREAD,
    Burst,
    Deck,
    Mail,
    Notice,
    Phase,
    Post,
    Question,
    Ruling,
    Shuffler,
    SpotState,
    Standing,
    Table,
)

Move = Callable[[Table, facts.Fact], Table]
BEFORE_THE_BOOT_NS = 7 * 24 * 3600 * NS_PER_S  # how long before a boot its last card may have left: never longer

# --- notices and mail --------------------------------------------------------------------------------


def notice(table: Table, kind: str, sentence: str) -> Table:
    """A refusal that is told again stands once, with its last number."""
    number, told = table.panel.noticed + 1, table.panel.notices
    if kind == "refused":
        told = tuple([one for one in told if one.kind != kind or one.sentence != sentence])
    notices = (*told, Notice(number, kind, sentence))[-NOTICES_MAX:]
    return replace(table, panel=replace(table.panel, noticed=number, notices=notices))


def post(table: Table, letter: letters.Letter) -> Table:
    sequence = table.post.written + 1
    mail = Mail(sequence, letters.NAME_OF[type(letter)], letters.write(letter))
    return replace(table, post=Post(sequence, (*table.post.unanswered, mail)))


def file_answer(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LetterAcked)
    left = tuple([mail for mail in table.post.unanswered if mail.sequence != fact.sequence])
    return replace(table, post=Post(table.post.written, left))


# --- the house ---------------------------------------------------------------------------------------


def open_era(table: Table, fact: facts.Fact) -> Table:
    """A new era knows of the old one only what was handed over."""
    assert isinstance(fact, facts.EraOpened)
    return replace(taken_over(fact.handover, table.settings), nonce=fact.nonce, firmware=fact.firmware)


def configure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.Configured)
    settings = fact.settings
    known = {spot.spot: spot for spot in table.spots}
    kinds = settle.kinds_of(settings)
    spots = tuple(known.get(spot, SpotState(spot)) for spot in settings.spots(kinds))
    return replace(table, settings=settings, configuration=fact.digest, spots=spots)


def begin_boot(table: Table, fact: facts.Fact) -> Table:
    """A new boot's clock cannot be compared with the last one's: deadlines expire, and the levels as they
    were read stand in the place of every remembered change. Between the lock key and the snapshot the changes before
    the cut still say what lay there at the lock: they stay, and what was read is later."""
    assert isinstance(fact, facts.Booted)
    levels = dict(fact.levels)
    as_found = _as_found_later if phase_of_play(table) is Phase.LOCKING else _as_found
    spots = tuple(as_found(spot, levels.get(spot.spot)) for spot in table.spots)
    # The key switch is read anew: nobody's authority outlives a boot.
    panel = replace(table.panel, supervisor=False)
    # Nor does a test.
    service = replace(table.service, tested_by="", trying=())
    before = table
    table = replace(
        table,
        boot=fact.at.boot, deadlines=(), spots=spots, firmware=fact.firmware, panel=panel, service=service
    )
    if phase_of_play(table) is Phase.BETTING:
        return _tell_power_cut(table, before)
    # A deal that is complete was told of with its own boot, and its hands keep their times in it.
    if table.round is None or table.round.dealt_at is not None:
        return table
    # Cards of the boot before were dealt before anything of this one: they keep their order and come first. How long
    # before, no clock tells.
    dealt = tuple(
        replace(card, arrived_ns=place, uncertain_ns=BEFORE_THE_BOOT_NS) for place, card in enumerate(table.round.dealt)
    )
    return replace(table, round=replace(table.round, dealt=dealt))


def _tell_power_cut(table: Table, before: Table) -> Table:
    """Bets were open: the levels win, and people are told which chips moved in the dark. A keyed amount goes with the
    chip that it belonged to."""
    pairs = list(zip(before.spots, table.spots, strict=True))
    moved = [now.spot for was, now in pairs if was.present != now.present]
    spots = tuple(_unkeyed(now) if was.present and not now.present else now for was, now in pairs)
    chosen = reading(table, "power_cut_in_betting", "resume")
    course = "bets stay open and the chips count as they lie" if chosen == "resume" else "a supervisor decides"
    said = f"power was cut while bets were open: {course} (power_cut_in_betting={chosen})."
    if moved:
        said += f" Changed meanwhile: {', '.join(moved)}."
    playing = settle.round_of(table)
    table = replace(
        table,
        spots=spots, round=replace(playing, interruptions=(*playing.interruptions, said)[-NOTICES_MAX:])
    )
    return notice(table, "noted", f"{said[0].upper()}{said[1:]}")


def _unkeyed(spot: SpotState) -> SpotState:
    return replace(spot, keyed=False, amount_minor=None, stakes=())


def _as_found(spot: SpotState, level: bool | None) -> SpotState:
    present = spot.keyed if level is None else level
    return replace(spot, present=present, before=present, bursts=())


def _as_found_later(spot: SpotState, level: bool | None) -> SpotState:
    if level is None or level == spot.present:
        return spot
    return with_burst(spot, Burst(0, 0, level, found=True, later=True), 0, 0)


def stand_fault(table: Table, fact: facts.Fact) -> Table:
    """Whatever was proved of a spot before its fault counts no more."""
    assert isinstance(fact, facts.FaultRaised)
    spots = tuple(_unproved(spot) if spot.spot == fact.where else spot for spot in table.spots)
    table = replace(table, spots=spots)
    standing = Standing(fact.code, fact.where)
    if standing in table.service.faults:
        return table
    table = replace(table, service=replace(table.service, faults=(*table.service.faults, standing)))
    if quarantines(fact.code) and fact.where not in table.quarantined:
        table = replace(table, quarantined=(*table.quarantined, Spot(fact.where)))
    return notice(table, "noted", f"{fact.code} {fact.where}: {CATALOGUE[fact.code].sentence}")


def quarantines(code: str) -> bool:
    return CATALOGUE[code].weight is Weight.SEAT


def _unproved(spot: SpotState) -> SpotState:
    return replace(spot, proved_on=False, proved_off=False)


def stand_failure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.StepFailed)
    return stand_fault(table, facts.FaultRaised(fact.at, "F-701", fact.problem))


def order_out(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.OutOfServiceOrdered)
    said = f"{fact.person}: {redacted.scrubbed(fact.reason)}"
    return replace(table, service=replace(table.service, ordered_out=said))


def order_back(table: Table, _: facts.Fact) -> Table:
    return replace(table, service=replace(table.service, ordered_out=""))


_CARD_MESSAGES = (facts.CardDealt, facts.CardUnread)


def note_card_message(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, _CARD_MESSAGES)
    table = inventory.after_card(table, fact)
    return replace(table, shuffler=shuffler_after(table, fact))


def shuffler_after(table: Table, fact: facts.Fact) -> Shuffler:
    """Its last message is the one that brought this card."""
    assert isinstance(fact, _CARD_MESSAGES)
    card = fact.card if isinstance(fact, facts.CardDealt) else UNREAD
    told = replace(table.shuffler, sequence=fact.sequence, ordinal=fact.ordinal, told=card)
    burns = table.round is not None and BURN in table.round.plan
    if isinstance(fact, facts.CardDealt) and fact.burnt and burns:
        return replace(told, marks_burns=True)
    return told


def note_shuffler(table: Table, fact: facts.Fact) -> Table:
    found = isinstance(fact, facts.ShufflerFound)
    table = replace(table, shuffler=replace(table.shuffler, connected=found))
    if found:
        return table
    if left_alone(table):
        # Its own fault says why, and what it told of its deck is no more to be believed than the rest.
        return replace(table, shuffler=replace(table.shuffler, deck=None))
    return notice(keep_alert(table, "F-201", "shuffler"), "noted", f"F-201: {CATALOGUE['F-201'].sentence}")


def keep_alert(table: Table, code: str, where: str) -> Table:
    """It may be over before anybody looks: it is shown until somebody acknowledges it."""
    alert = Standing(code, where)
    kept = (*(one for one in table.service.passed if one != alert), alert)
    return replace(table, service=replace(table.service, passed=kept[-PASSED_MAX:]))


def greet_shuffler(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ShufflerGreeted)
    # What one device was seen to do is nothing that another can be held to.
    marks_burns = table.shuffler.marks_burns and table.shuffler.identity == fact.identity
    greeted = replace(
        table.shuffler,
        session=fact.session, sequence=0, ordinal=None, told=UNREAD, identity=fact.identity, version=fact.version,
        marks_burns=marks_burns,
    )
    return replace(table, shuffler=greeted)


def note_deck(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeckReported)
    deck = Deck(fact.cards, fact.shuffled, fact.sets, fact.face_up_next, fact.jammed, fact.door_open)
    table = inventory.doubted(table, inventory.doubt_of_report(table, fact))
    if deck == table.shuffler.deck:
        return table
    return replace(table, shuffler=replace(table.shuffler, deck=deck))


# --- questions ---------------------------------------------------------------------------------------


def ask(table: Table, fact: facts.Fact) -> Table:
    """The questions that this fact raises are open before any region moves."""
    raised = questions_raised(table, fact)
    return put(table, raised) if raised else table


def put(table: Table, raised: tuple[Question, ...]) -> Table:
    before = table.irregularity
    again = {one.id: one for one in raised if one.id}  # open already, and stated anew
    fresh = [one for one in raised if not one.id]
    numbered = tuple(replace(one, id=f"q{before.asked + place}") for place, one in enumerate(fresh, 1))
    kept = tuple(again.get(one.id, one) for one in before.questions)
    asked = replace(before, asked=before.asked + len(numbered), questions=(*kept, *numbered), ruled=None)
    table = replace(table, irregularity=asked)
    for question in (*again.values(), *numbered):
        table = notice(table, "noted", say_question(table, question))
    return table


def say_question(table: Table, question: Question) -> str:
    return tell_question(table, "question.asked", question, redacted.scrubbed(question.because))


def take_ruling(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.RulingMade)
    before = table.irregularity
    asked = next(one for one in before.questions if one.id == fact.question)
    left = tuple(one for one in before.questions if one.id != fact.question)
    ruling = Ruling(asked, fact.choice, fact.person, fact.reason)
    table = replace(table, irregularity=replace(before, questions=left, ruled=ruling))
    if asked.kind == "undetermined_chip" and table.round is not None:
        decided = (Spot(asked.where), fact.choice == SEAT)
        table = replace(table, round=replace(table.round, rulings=(*table.round.rulings, decided)))
    return table


def why_not_ruled(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RulingMade)
    asked = next((one for one in table.irregularity.questions if one.id == fact.question), None)
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


def drop_questions(table: Table, _: facts.Fact) -> Table:
    return replace(table, irregularity=replace(table.irregularity, questions=(), ruled=None))


