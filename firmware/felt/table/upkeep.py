"""Moves of the house around the round: notices, mail, eras, boots, faults and questions."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_S
from felt.table import facts, letters, redacted, settle
from felt.table.handover import taken_over
from felt.table.irregular.hits import problem_with_ruling
from felt.table.irregular.parts import SEAT, VOID, overrules_unexplained
from felt.table.irregular.questions import questions_raised
from felt.table.prompts import tell, tell_word
from felt.table.reasons import CLAIM_CONFIRMED
from felt.table.settings import NOTICES_MAX, PASSED_MAX, read_settings
from felt.table.state import (
    Deck,
    Mail,
    Notice,
    Post,
    Question,
    Ruling,
    Shuffler,
    SpotState,
    Standing,
    Table,
    with_parts,
)

Move = Callable[[Table, facts.Fact], Table]
Reason = str | Callable[[Table, facts.Fact], str]
BEFORE_THE_BOOT_NS = 7 * 24 * 3600 * NS_PER_S  # how long before a boot its last card may have left: never longer

# --- notices and mail --------------------------------------------------------------------------------


def notice(table: Table, kind: str, sentence: str) -> Table:
    number = table.panel.noticed + 1
    notices = (*table.panel.notices, Notice(number, kind, sentence))[-NOTICES_MAX:]
    return with_parts(table, panel=table.panel._replace(noticed=number, notices=notices))


def refuse(reason: Reason) -> Move:
    def refuse_with_reason(table: Table, fact: facts.Fact) -> Table:
        return notice(table, "refused", reason if isinstance(reason, str) else reason(table, fact))

    return refuse_with_reason


def post(table: Table, letter: letters.Letter) -> Table:
    sequence = table.post.written + 1
    mail = Mail(sequence, letters.NAME_OF[type(letter)], letters.write(letter))
    return with_parts(table, post=Post(sequence, (*table.post.unanswered, mail)))


def file_answer(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LetterAcked)
    left = tuple([mail for mail in table.post.unanswered if mail.sequence != fact.sequence])
    return with_parts(table, post=Post(table.post.written, left))


# --- the house ---------------------------------------------------------------------------------------


def open_era(table: Table, fact: facts.Fact) -> Table:
    """A new era knows of the old one only what was handed over."""
    assert isinstance(fact, facts.EraOpened)
    return taken_over(fact.handover, table.settings)._replace(nonce=fact.nonce, firmware=fact.firmware)


def configure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.Configured)
    settings = read_settings(fact.settings)
    known = {spot.spot: spot for spot in table.spots}
    kinds = settle.kinds_of(settings)
    spots = tuple(known.get(spot, SpotState(spot)) for spot in settings.spots(kinds))
    return table._replace(settings=settings, configuration=fact.digest, spots=spots)


def begin_boot(table: Table, fact: facts.Fact) -> Table:
    """A new boot's clock cannot be compared with the last one's: deadlines expire, and the levels as they
    were read stand in the place of every remembered change."""
    assert isinstance(fact, facts.Booted)
    levels = dict(fact.levels)
    spots = tuple(_as_found(spot, levels.get(spot.spot)) for spot in table.spots)
    # The key switch is read anew: nobody's authority outlives a boot.
    panel = table.panel._replace(supervisor=False)
    # Nor does a test.
    service = table.service._replace(tested_by="", trying=())
    table = table._replace(
        boot=fact.at.boot, deadlines=(), spots=spots, firmware=fact.firmware, panel=panel, service=service
    )
    # A deal that is complete was told of with its own boot, and its hands keep their times in it.
    if table.round is None or table.round.dealt_at is not None:
        return table
    # Cards of the boot before were dealt before anything of this one: they keep their order and come first. How long
    # before, no clock tells.
    dealt = tuple(
        card._replace(arrived_ns=place, uncertain_ns=BEFORE_THE_BOOT_NS) for place, card in enumerate(table.round.dealt)
    )
    return table._replace(round=table.round._replace(dealt=dealt))


def _as_found(spot: SpotState, level: bool | None) -> SpotState:
    present = spot.keyed if level is None else level
    return spot._replace(present=present, before=present, changes=())


def stand_fault(table: Table, fact: facts.Fact) -> Table:
    """Whatever was proved of a spot before its fault counts no more."""
    assert isinstance(fact, facts.FaultRaised)
    spots = tuple(_unproved(spot) if spot.spot == fact.where else spot for spot in table.spots)
    table = table._replace(spots=spots)
    standing = Standing(fact.code, fact.where)
    if standing in table.service.faults:
        return table
    table = table._replace(service=table.service._replace(faults=(*table.service.faults, standing)))
    if quarantines(fact.code) and fact.where not in table.quarantined:
        table = table._replace(quarantined=(*table.quarantined, Spot(fact.where)))
    return notice(table, "noted", f"{fact.code} {fact.where}: {CATALOGUE[fact.code].sentence}")


def quarantines(code: str) -> bool:
    return CATALOGUE[code].weight is Weight.SEAT


def _unproved(spot: SpotState) -> SpotState:
    return spot._replace(proved_on=False, proved_off=False)


def stand_failure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.StepFailed)
    return stand_fault(table, facts.FaultRaised(fact.at, "F-701", fact.problem))


def order_out(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.OutOfServiceOrdered)
    said = f"{fact.person}: {redacted.scrubbed(fact.reason)}"
    return table._replace(service=table.service._replace(ordered_out=said))


def order_back(table: Table, _: facts.Fact) -> Table:
    return table._replace(service=table.service._replace(ordered_out=""))


_CARD_MESSAGES = (facts.CardDealt, facts.CardUnread)


def note_card_message(table: Table, fact: facts.Fact) -> Table:
    return with_parts(table, shuffler=shuffler_after(table, fact))


def shuffler_after(table: Table, fact: facts.Fact) -> Shuffler:
    """Its last message is the one that brought this card."""
    assert isinstance(fact, _CARD_MESSAGES)
    if isinstance(fact, facts.CardDealt) and fact.burnt:
        return table.shuffler._replace(sequence=fact.sequence, marks_burns=True)
    return table.shuffler._replace(sequence=fact.sequence)


def note_shuffler(table: Table, fact: facts.Fact) -> Table:
    found = isinstance(fact, facts.ShufflerFound)
    table = table._replace(shuffler=table.shuffler._replace(connected=found))
    if found:
        return table
    return notice(keep_alert(table, "F-201", "shuffler"), "noted", f"F-201: {CATALOGUE['F-201'].sentence}")


def keep_alert(table: Table, code: str, where: str) -> Table:
    """It may be over before anybody looks: it is shown until somebody acknowledges it."""
    kept = (*(one for one in table.service.passed if one != (code, where)), Standing(code, where))
    return with_parts(table, service=table.service._replace(passed=kept[-PASSED_MAX:]))


def greet_shuffler(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ShufflerGreeted)
    # What one device was seen to do is nothing that another can be held to.
    marks_burns = table.shuffler.marks_burns and table.shuffler.identity == fact.identity
    greeted = table.shuffler._replace(
        session=fact.session, sequence=0, identity=fact.identity, version=fact.version, marks_burns=marks_burns
    )
    return table._replace(shuffler=greeted)


def note_deck(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeckReported)
    deck = Deck(fact.cards, fact.shuffled, fact.sets, fact.face_up_next, fact.jammed, fact.door_open)
    if deck == table.shuffler.deck:
        return table
    return with_parts(table, shuffler=table.shuffler._replace(deck=deck))


# --- questions ---------------------------------------------------------------------------------------


def ask(table: Table, fact: facts.Fact) -> Table:
    return put(table, questions_raised(table, fact))


def put(table: Table, raised: tuple[Question, ...]) -> Table:
    before = table.irregularity
    again = {one.id: one for one in raised if one.id}  # open already, and stated anew
    fresh = [one for one in raised if not one.id]
    numbered = tuple(one._replace(id=f"q{before.asked + place}") for place, one in enumerate(fresh, 1))
    kept = tuple(again.get(one.id, one) for one in before.questions)
    asked = before._replace(asked=before.asked + len(numbered), questions=(*kept, *numbered), ruled=None)
    table = table._replace(irregularity=asked)
    for question in (*again.values(), *numbered):
        table = notice(table, "noted", say_question(table, question))
    return table


def say_question(table: Table, question: Question) -> str:
    return tell(
        table, "question.asked",
        id=question.id, because=redacted.scrubbed(question.because), rule=question.rule,
        proposal=tell_word(table, question.proposal),
    )  # fmt: skip


def take_ruling(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.RulingMade)
    before = table.irregularity
    asked = next(one for one in before.questions if one.id == fact.question)
    left = tuple(one for one in before.questions if one.id != fact.question)
    ruling = Ruling(asked, fact.choice, fact.person, fact.reason)
    table = table._replace(irregularity=before._replace(questions=left, ruled=ruling))
    if asked.kind == "undetermined_chip" and table.round is not None:
        decided = (Spot(asked.where), fact.choice == SEAT)
        table = table._replace(round=table.round._replace(rulings=(*table.round.rulings, decided)))
    return table


def refuse_ruling(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.RulingMade)
    table = table._replace(irregularity=table.irregularity._replace(ruled=None))
    asked = next((one for one in table.irregularity.questions if one.id == fact.question), None)
    if asked is None:
        return notice(table, "refused", f"No question {fact.question} is open.")
    if fact.choice not in asked.options:
        options = " or ".join(asked.options)
        return notice(table, "refused", f"{fact.choice} is no answer to {asked.id}: choose {options}.")
    if overrules_unexplained(asked, fact.choice, fact.reason):
        said = f"{asked.id}: {asked.proposal} is proposed ({asked.rule}); who rules {fact.choice} says why."
        return notice(table, "refused", said)
    if problem := problem_with_ruling(table, asked, fact.choice):
        return notice(table, "refused", f"{asked.id}: {problem} Rule reject, and say why.")
    if fact.choice == VOID:
        return notice(table, "refused", CLAIM_CONFIRMED)
    return notice(table, "refused", "The table is out of service: clear its fault first, then continue.")


def drop_questions(table: Table, _: facts.Fact) -> Table:
    return table._replace(irregularity=table.irregularity._replace(questions=(), ruled=None))


