"""Misdeals: a device recognises one, or a person declares one at the desk or with the MISDEAL key. The rules' table of
remedies says what may follow. This module reads the circumstances off the round and turns a remedy into a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from felt.nouns.cards import DECK
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.authority import Authority, may
from felt.rules.mishaps import Incident, Mishap
from felt.rules.remedies import (
    CONTINUE,
    INVALIDATE,
    PLAYERS_CHOOSE,
    READINGS,
    RETURN,
    VOID,
    Case,
    Option,
    Place,
    Players,
    Remedy,
    Stage,
)
from felt.rules.remedy_rows import remedy_of
from felt.table import deal, facts, interruptions, inventory, questions, settle, state
from felt.table.chart import move, refuse, stay
from felt.table.notices import notice
from felt.table.prompts import tell, tell_mishap, tell_place
from felt.table.questions import reading
from felt.table.state import (
    AFTER_SNAPSHOT,
    EVERY_PHASE,
    HELD_FROM,
    Offer,
    Phase,
    Question,
    Round,
    Table,
    phase_of_play,
    with_round,
)

NO_CARDS_DEALT = "refused.no_cards_dealt"
MISDEAL, PLAYER_CHOICE = "misdeal", "player_choice"
_STAGES = {
    Phase.BETTING: Stage.BEFORE_LOCK,
    Phase.LOCKING: Stage.BEFORE_LOCK,
    Phase.DEALING: Stage.IN_PLAY,
    Phase.DECIDING: Stage.IN_PLAY,
    Phase.REVEALING: Stage.IN_PLAY,
    Phase.SETTLING: Stage.SETTLED,
    Phase.VERIFYING: Stage.SETTLED,
    Phase.PAYING: Stage.SETTLED,
    Phase.IDLE: Stage.ENDED,
    Phase.CLOSED: Stage.ENDED,
}
# What can be wrong before the first card has left the shoe.
_WITHOUT_CARDS = (
    Mishap.FOREIGN_CARD, Mishap.NOT_SHUFFLED, Mishap.WRONG_DECK_COUNT, Mishap.SHORT_DEAL, Mishap.CHIP_IN_ERROR,
    Mishap.OTHER, Mishap.CARD_BEFORE_LOCK, Mishap.CARD_BEFORE_SNAPSHOT,
)  # fmt: skip
_COUNT_OF = {deal.DEALER: Mishap.DEALER_COUNT, deal.COMMUNITY: Mishap.DEALING_ERROR}
_OF_A_BOX = (Mishap.WRONG_COUNT, Mishap.WRONG_BOX, Mishap.SECOND_HAND_EXAMINED, Mishap.CHIP_IN_ERROR)
# Persons declare these; only devices can know the rest.
DECLARABLE = (
    Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS, Mishap.WRONG_COUNT, Mishap.WRONG_BOX, Mishap.DEALING_ERROR,
    Mishap.MISSED_BURN,
    Mishap.SIMULTANEOUS_CARDS, Mishap.FOREIGN_CARD, Mishap.SECOND_HAND_EXAMINED, Mishap.CHIP_IN_ERROR,
    Mishap.NOT_SHUFFLED, Mishap.WRONG_DECK_COUNT, Mishap.SHORT_DEAL, Mishap.FACE_UP_CARD, Mishap.OTHER,
)  # fmt: skip


class Found(Protocol):
    """What a device found wrong, as reported by the inventory."""

    @property
    def mishap(self) -> Mishap: ...
    @property
    def where(self) -> str: ...
    @property
    def cards(self) -> Sequence[str]: ...


# --- the remedy for an incident ----------------------------------------------------------------------


def question_of(table: Table, found: Found) -> Question | None:
    """The question that an incident raises now; None if there is nothing left to decide, or if it is open already."""
    playing = _round_concerned(table)
    if playing is None:
        return None
    incident = found if isinstance(found, Incident) else _with_drawn(recognised(found), len(playing.dealt))
    remedy = remedy_for(table, incident)
    if not remedy.asks or question_is_open(table, incident):
        return None
    if remedy.choices == (PLAYERS_CHOOSE,):
        offer = _offer(table, playing, incident, remedy.options[0])
        return _players_question(table, incident, offer) if offer.players else None
    return _ruling_question(table, playing, incident, remedy)


def remedy_for(table: Table, incident: Incident) -> Remedy:
    """The remedy that is lawful now."""
    assert table.settings is not None
    playing = _round_concerned(table)
    case = Case(
        stage=_STAGES[phase_of_play(table)],
        seen=playing is not None and playing.seen,
        place=_kind_of_place(incident.where),
        reconstructable=incident.reconstructable,
        jackpot_paid=_is_paid(playing) or _has_claim(playing, incident.where),
        claims=_has_claim(playing, incident.where),
        correctable=_is_paid(playing),
    )
    return remedy_of(table.settings.game, incident.mishap, case, _readings(table))


def _readings(table: Table) -> dict[str, str]:
    return {name: reading(table, name, default) for name, (default, _) in READINGS.items()}


def _round_concerned(table: Table) -> Round | None:
    """The round in play; between rounds the last one, unless it is already void."""
    if table.round is not None:
        return None if table.phase is Phase.VOIDING else table.round
    return table.previous if table.previous and not table.previous.void_rule else None


def _is_paid(playing: Round | None) -> bool:
    return playing is not None and any(claim.verdict == "confirmed" for claim in playing.claims)


def _has_claim(playing: Round | None, where: str) -> bool:
    """A box that claims a jackpot is judged together with its claim."""
    if playing is None:
        return False
    return any(str(claim.seat) == where and claim.verdict != "denied" for claim in playing.claims)


def _kind_of_place(where: str) -> Place:
    if where.isdigit():
        return Place.BOX
    return Place.DEALER if where else Place.NOWHERE


def question_is_open(table: Table, incident: Incident) -> bool:
    return open_one(table, incident) is not None


def open_one(table: Table, incident: Incident) -> Question | None:
    asked = table.irregularity.questions
    wanted = (incident.mishap, incident.where)
    return next((question for question in asked if (question.mishap, question.place) == wanted), None)


def as_claimed(table: Table, asked: Question) -> Question:
    """An open question after its box claims a jackpot: it no longer offers what the claim forbids."""
    if asked.kind != MISDEAL or asked.round or not _has_claim(table.round, asked.place):
        return asked
    impossible = all(offer.choice in (INVALIDATE, VOID) for offer in asked.offers)
    incident = Incident(Mishap(asked.mishap), asked.place, reconstructable=False if impossible else None)
    lawful = {option.choice: option for option in remedy_for(table, incident).options}
    kept = [replace(offer, who=lawful[offer.choice].who) for offer in asked.offers if offer.choice in lawful]
    offers = tuple(kept) or tuple(Offer(way.choice, way.paragraph, way.who) for way in lawful.values())
    choices = tuple(offer.choice for offer in offers)
    return replace(asked, offers=offers, options=choices, proposal=choices[0], rule=offers[0].rule)


def _ruling_question(table: Table, playing: Round, incident: Incident, remedy: Remedy) -> Question:
    offers = tuple(_offer(table, playing, incident, option) for option in remedy.options)
    return replace(_question(
        table, incident, MISDEAL, remedy.paragraph, tuple(offer.choice for offer in offers), _because(table, incident)
    ), offers=offers, round=0 if table.round else playing.number, holds=table.round is not None)


def _offer(table: Table, playing: Round, incident: Incident, option: Option) -> Offer:
    players = _players(table, playing, incident, option)
    by = (option.goes_on_by, option.returns_by, option.choose_by)
    return Offer(option.choice, option.paragraph, option.who, players, *by)


def _players(table: Table, playing: Round, incident: Incident, option: Option) -> tuple[int, ...]:
    standing = settle.seats_in_play(settle.book_of(table), playing.bets) if table.round else ()
    standing = tuple(seat for seat in standing if seat not in playing.returned)
    named = tuple(seat for seat in standing if str(seat) in (incident.where, incident.other))
    match option.players:
        case Players.NOBODY:
            return ()
        case Players.AFFECTED if incident.where.isdigit() and (not incident.other or incident.other.isdigit()):
            return named
        case Players.OTHERS:
            return tuple(seat for seat in standing if str(seat) != incident.where)
        case _:
            return standing


def _players_question(table: Table, incident: Incident, offer: Offer) -> Question:
    """Each of these boxes plays on or takes its bets back."""
    boxes = ", ".join(map(str, offer.players))
    because = tell(table, "question.players", because=_because(table, incident), boxes=boxes)
    choices = (Offer(CONTINUE, offer.goes_on_by), Offer(RETURN, offer.returns_by))
    asked = _question(table, incident, PLAYER_CHOICE, offer.choose_by or offer.rule, (CONTINUE, RETURN), because)
    return replace(asked, offers=choices, players=offer.players)


def players_question_after(table: Table, asked: Question, choice: str) -> Question | None:
    """The question to the players after a ruling; None if no player has a choice."""
    offer = next(offer for offer in asked.offers if offer.choice == choice)
    gone = table.round.returned if table.round else ()
    offer = replace(offer, players=tuple(seat for seat in offer.players if seat not in gone))
    if not offer.players:
        return None
    incident = Incident(Mishap(asked.mishap), asked.place, "", asked.cards, asked.other, asked.counted)
    return _players_question(table, incident, offer)


def _question(
    table: Table, incident: Incident, kind: str, rule: str, options: tuple[str, ...], because: str
) -> Question:
    return Question(
        "", kind, phase_of_play(table).value, rule, options, options[0], because, holds=True,
        mishap=incident.mishap, place=incident.where, other=incident.other, counted=incident.counted,
        cards=incident.cards, drawn=incident.drawn,
    )  # fmt: skip


def _because(table: Table, incident: Incident) -> str:
    mishap = tell_mishap(table, incident.mishap, incident.where, incident.other)
    said = f"{mishap} ({incident.evidence})" if incident.evidence else mishap
    if table.round is None:
        return said
    # One rulebook asks whether cards were handled, the others whether they were seen.
    asks_handled = table.settings is not None and table.settings.game == "lucky-three-pictures"
    answer = "yes" if table.round.seen else "no"
    seen = tell(table, f"handled.{answer}" if asks_handled else f"seen.{answer}")
    return tell(table, "question.because", mishap=said, seen=seen)


# --- what devices and people say ---------------------------------------------------------------------


def by_inventory(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """Everything the inventory finds at this card or count."""
    findings = inventory.found_by(table, fact)
    if not findings:
        return ()
    asked = (question_of(table, found) for found in findings)
    return tuple(question for question in asked if question is not None)


def recognised(found: Found) -> Incident:
    """Burnt and discarded cards belong to no hand."""
    where = found.where if found.where not in (deal.BURN, deal.DISCARD) else ""
    return Incident(found.mishap, where, "", tuple(found.cards))


def by_declaration(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.IrregularityDeclared)
    if problem_of(table, fact):
        return ()
    incident = declared(table, fact)
    asked = question_of(table, incident)
    if asked is None:
        return ()
    # A card exposed before this one may still be asked about: the void replaces that question.
    before = _open_exposed_card(table) if incident.mishap is Mishap.EXPOSED_CARDS else None
    return (replace(asked, id=before.id),) if before else (asked,)


def declared(table: Table, fact: facts.IrregularityDeclared) -> Incident:
    """A wrong number of the dealer's cards is another mishap than a wrong number of a player's. A wrong number of
    community cards belongs to no hand, so it is an ordinary dealing error. Cards that were drawn together are the last
    two, unless a device knows better."""
    mishap, where = Mishap(fact.mishap), fact.where
    if mishap is Mishap.WRONG_COUNT:
        mishap = _COUNT_OF.get(where, mishap)
    if mishap is Mishap.EXPOSED_CARD and _is_another_exposed(table, where):
        mishap = Mishap.EXPOSED_CARDS
        where = next((question.place for question in table.irregularity.questions if question.mishap == mishap), where)
    drawn = table.round.dealt[-2:] if mishap is Mishap.SIMULTANEOUS_CARDS and table.round else ()
    judged = {"yes": True, "no": False}.get(fact.reconstructable)
    cards = tuple(dealt.card for dealt in drawn)
    incident = Incident(mishap, where, fact.evidence, cards, fact.other, fact.count, judged)
    return _with_drawn(incident, len(table.round.dealt) - 1) if table.round else incident


def _is_another_exposed(table: Table, where: str) -> bool:
    """A card was exposed before in this round, and nobody has seen his cards: now several are exposed. The same place
    again, while it is asked about, is the same card."""
    playing = table.round
    if playing is None or playing.seen or playing.settled_at is not None or not playing.exposed:
        return False
    if not _exposed_count_together(table):
        return False
    asked = _open_exposed_card(table)
    return asked is None or asked.place != where


def _exposed_count_together(table: Table) -> bool:
    settings = table.settings
    if settings is None or settings.game == "lucky-three-pictures":  # this rulebook has no void for several cards
        return False
    alone = reading(table, "house_irregularities", "as_000") == "supervisor_only"
    return not alone and reading(table, "exposed_one_by_one", "counts_together") == "counts_together"


def _open_exposed_card(table: Table) -> Question | None:
    return next((question for question in table.irregularity.questions if question.mishap == Mishap.EXPOSED_CARD), None)


def after_declaration(table: Table, fact: facts.IrregularityDeclared) -> Table:
    """What a declaration leaves beside its question: a deck in doubt, and that a card was exposed. The same place
    again, while it is asked about, is the same card."""
    table = _with_declared(inventory.with_doubt(table, (fact.mishap,)), fact)
    playing = table.round
    if playing is None or fact.mishap not in (Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS):
        return table
    asked = _open_exposed_card(table)
    if asked is not None and asked.place == fact.where and fact.where in playing.exposed:
        return table
    return with_round(table, exposed=(*playing.exposed, fact.where))


def _with_declared(table: Table, fact: facts.IrregularityDeclared) -> Table:
    """Records that a person declared an error, of the round in play or otherwise of the last one, whatever follows."""
    if table.round is not None:
        return with_round(table, declared=tuple(dict.fromkeys((*table.round.declared, fact.mishap))))
    if table.previous is None:
        return table
    declared = tuple(dict.fromkeys((*table.previous.declared, fact.mishap)))
    return replace(table, previous=replace(table.previous, declared=declared))


def _with_drawn(incident: Incident, last: int) -> Incident:
    """Remembers the cards by their places: later cards change nothing, and an unread card has its place too."""
    together = incident.mishap is Mishap.SIMULTANEOUS_CARDS and last > 0
    return replace(incident, drawn=(last - 1, last)) if together else incident


def problem_of(table: Table, fact: facts.IrregularityDeclared) -> str:
    """Why this cannot be declared now; empty if it can."""
    if fact.mishap not in (*DECLARABLE, Mishap.DEALER_COUNT):
        return tell(table, "refused.mishap", kind=fact.mishap, known=", ".join(DECLARABLE))
    if not may(fact.role, Authority.DEALER):
        return tell(table, "refused.role", role=fact.role)
    for place in (fact.where, fact.other):
        if not _place_is_known(table, place):
            return tell(table, "refused.place", place=place)
    if not 0 <= fact.count <= len(DECK):
        return tell(table, "refused.count", count=fact.count, most=len(DECK))
    playing = _round_concerned(table)
    if playing is None:
        # A deck can be found wrong at any time, even if there is no round that it could have spoilt.
        return "" if fact.mishap in inventory.OF_THE_DECK else tell(table, "refused.no_round")
    if fact.where and fact.where == fact.other:
        return tell(table, "refused.same_place", place=tell_place(table, fact.where))
    incident = declared(table, fact)
    return _problem_in_round(table, playing, incident) or _problem_with_open(table, incident)


def _problem_with_open(table: Table, incident: Incident) -> str:
    """Two different mishaps of one kind at one place cannot be open together. The same declaration twice counts
    once."""
    asked = open_one(table, incident)
    if asked is None or (asked.other, asked.counted) == (incident.other, incident.counted):
        return ""
    return tell(table, "refused.asked_already", id=asked.id)


def problem_with(table: Table, mishap: Mishap) -> str:
    """Why nothing of this kind can be declared for any box now; empty if it can."""
    playing = _round_concerned(table)
    if playing is None:
        return tell(table, "refused.no_round")
    boxes = (target for target in playing.plan if target.isdigit())
    return _problem_in_round(table, playing, Incident(mishap, next(boxes, "1")))


def _problem_in_round(table: Table, playing: Round, incident: Incident) -> str:
    assert table.settings is not None
    if incident.mishap in _OF_A_BOX and not incident.where.isdigit():
        return tell(table, "refused.no_box")
    if incident.mishap is Mishap.MISSED_BURN:
        methods = settle.procedure_of(table)
        if not methods.method(table.settings.dealing).burns:
            burning = [method.name for method in methods.methods if method.burns]
            key = "refused.no_burn" if burning else "refused.never_burns"
            return tell(table, key, method=table.settings.dealing, burning=", ".join(burning))
    if incident.mishap not in _WITHOUT_CARDS and not playing.dealt and not playing.strays:
        return tell(table, "refused.no_cards")
    drawn = tuple(playing.dealt[place].target for place in incident.drawn)
    if drawn and incident.where not in ("", *drawn):
        return tell(table, "refused.not_drawn", place=tell_place(table, incident.where))
    if incident.mishap is not Mishap.CHIP_IN_ERROR and _has_no_hand(playing, incident.where):
        return tell(table, "refused.no_hand", box=incident.where)
    return ""


def _has_no_hand(playing: Round, where: str) -> bool:
    """The box takes no part. Before the deal is planned this is not known for any box."""
    return where.isdigit() and bool(playing.plan) and where not in playing.plan


def _place_is_known(table: Table, place: str) -> bool:
    """The box as the table writes it: no other digits, no leading zero."""
    boxes = map(str, range(1, table.settings.seats + 1)) if table.settings is not None else ()
    return place in ("", deal.DEALER, deal.COMMUNITY, *boxes)


def stands_by(table: Table) -> str:
    """The paragraph that lets later rounds stand although an earlier one was wrong."""
    assert table.settings is not None
    return remedy_of(table.settings.game, Mishap.OTHER, Case(Stage.LATER), _readings(table)).paragraph


def course_of(table: Table, incident: Incident) -> str:
    """What the notice says if there is nothing left to decide. Without a round the deck was found wrong."""
    if _round_concerned(table) is None:
        return tell(table, "deck.unfit", why=tell_mishap(table, incident.mishap, incident.where))
    option = remedy_for(table, incident).options[0]
    mishap = tell_mishap(table, incident.mishap, incident.where, incident.other)
    course = tell(table, f"choice.{option.choice}")
    return tell(table, "course.noted", mishap=mishap, course=course, rule=option.paragraph)


def cannot_be_declared(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.IrregularityDeclared)
    return bool(problem_of(table, fact))


def why_not_declared(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.IrregularityDeclared)
    return problem_of(table, fact)


def note_course(table: Table, fact: facts.Fact) -> Table:
    """If a question is open, it was asked before anything moved, and a repeated declaration counts once. If there is
    none, a paragraph leaves nothing to decide: play continues, and the notice cites it."""
    assert isinstance(fact, facts.IrregularityDeclared)
    incident = declared(table, fact)
    asked = open_one(table, incident)
    said = tell(table, "noted.asked", id=asked.id) if asked else course_of(table, incident)
    return notice(after_declaration(table, fact), "noted", said)


def hold_for_declaration(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.IrregularityDeclared)
    return interruptions.hold(after_declaration(table, fact), fact)


# --- the MISDEAL key ---------------------------------------------------------------------------------

MISDEAL_MODE = "misdeal"  # a mode of the box keys
_OF_A_HAND = (Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS, Mishap.WRONG_COUNT)


def awaits_second_box(table: Table, fact: facts.Fact) -> bool:
    lit = table.panel.mode == MISDEAL_MODE and table.panel.mishap == Mishap.WRONG_BOX
    return lit and not table.panel.linking and isinstance(fact, facts.SeatPressed)


def declaration_of(table: Table, fact: facts.Fact) -> facts.IrregularityDeclared | None:
    """What this key declares while MISDEAL is lit; None if it declares nothing yet."""
    if table.panel.mode != MISDEAL_MODE or table.phase not in AFTER_SNAPSHOT or awaits_second_box(table, fact):
        return None
    assert isinstance(fact, facts.SeatPressed | facts.SettlePressed)
    pressed = str(fact.seat) if isinstance(fact, facts.SeatPressed) else _where_without_box(table.panel.mishap)
    first = str(table.panel.linking) if table.panel.linking else ""
    role = Authority.SUPERVISOR if table.panel.supervisor else Authority.DEALER
    where, other = (first, pressed or deal.DEALER) if first else (pressed, "")
    return facts.IrregularityDeclared(
        fact.at, table.panel.mishap, where, "", table.panel.dealer or role.value, role.value, other
    )


def _where_without_box(mishap: str) -> str:
    return deal.DEALER if mishap in _OF_A_HAND else ""


def by_key(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    said = declaration_of(table, fact)
    return by_declaration(table, said) if said else ()


# Most frequent first. What only a device or the desk can declare is not on the key.
_ON_THE_KEY = (
    Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS, Mishap.WRONG_COUNT, Mishap.WRONG_BOX, Mishap.DEALING_ERROR,
    Mishap.MISSED_BURN,
    Mishap.SIMULTANEOUS_CARDS, Mishap.FOREIGN_CARD, Mishap.SECOND_HAND_EXAMINED, Mishap.CHIP_IN_ERROR,
    Mishap.NOT_SHUFFLED, Mishap.OTHER,
)  # fmt: skip
_NO_TIME = Stamp("", 0, 0)


def key_declares(table: Table, fact: facts.Fact) -> bool:
    return declaration_of(table, fact) is not None


def key_cannot_declare(table: Table, fact: facts.Fact) -> bool:
    said = declaration_of(table, fact)
    return said is not None and bool(problem_of(table, said))


def key_holds_play(table: Table, fact: facts.Fact) -> bool:
    said = declaration_of(table, fact)
    asked = said is not None and question_is_open(table, declared(table, said))
    return asked and any(question.holds for question in table.irregularity.questions)


def settle_declares(table: Table) -> bool:
    """SETTLE would declare something about the dealer's hand or the table."""
    pressed = facts.SettlePressed(_NO_TIME)
    return key_declares(table, pressed) and not key_cannot_declare(table, pressed)


def why_key_declares_nothing(table: Table, fact: facts.Fact) -> str:
    said = declaration_of(table, fact)
    return problem_of(table, said) if said else ""


def light_next(table: Table, _: facts.Fact) -> Table:
    """Lights the first mishap that fits, or the next one."""
    fitting = mishaps_on_the_key(table)
    lit = table.panel.mishap if table.panel.mode == MISDEAL_MODE else ""
    following = fitting[(fitting.index(Mishap(lit)) + 1) % len(fitting)] if lit in fitting else fitting[0]
    table = replace(table, panel=replace(state.without_mode(table.panel), mode=MISDEAL_MODE, mishap=following))
    return notice(table, "noted", say_lit(table))


def say_lit(table: Table) -> str:
    """Says what the next keys would declare."""
    return tell(table, "panel.declare", mishap=tell(table, f"name.{table.panel.mishap}"))


def mishaps_on_the_key(table: Table) -> tuple[Mishap, ...]:
    """The mishaps that can be declared for some box or for the dealer now."""
    return tuple(mishap for mishap in _ON_THE_KEY if not problem_with(table, mishap))


def remember_first_box(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return replace(table, panel=replace(table.panel, linking=fact.seat))


def hold(table: Table, fact: facts.Fact) -> Table:
    said = declaration_of(table, fact)
    assert said is not None
    return interruptions.hold(go_dark(after_declaration(table, said)), fact)


def go_dark(table: Table) -> Table:
    return replace(table, panel=state.without_mode(table.panel))


def note_course_of_key(table: Table, fact: facts.Fact) -> Table:
    said = declaration_of(table, fact)
    assert said is not None
    incident = declared(table, said)
    is_open = question_is_open(table, incident)
    course = "" if is_open else course_of(table, incident)
    table = go_dark(after_declaration(table, said))
    return table if is_open else notice(table, "noted", course)


# --- rows --------------------------------------------------------------------------------------------

_KEYS = (facts.SeatPressed, facts.SettlePressed)
ROWS = (
    *refuse(_KEYS, AFTER_SNAPSHOT, why_key_declares_nothing, when=key_cannot_declare),
    *stay(facts.SeatPressed, AFTER_SNAPSHOT, when=awaits_second_box, do=remember_first_box),
    *move(_KEYS, AFTER_SNAPSHOT, Phase.INTERRUPTED, when=key_holds_play, do=hold),
    *stay(_KEYS, AFTER_SNAPSHOT, when=key_declares, do=note_course_of_key),
    *stay(facts.MisdealPressed, AFTER_SNAPSHOT, do=light_next),
    *refuse(facts.MisdealPressed, EVERY_PHASE, NO_CARDS_DEALT),
    *refuse(facts.IrregularityDeclared, EVERY_PHASE, why_not_declared, when=cannot_be_declared),
    *move(
        facts.IrregularityDeclared, HELD_FROM, Phase.INTERRUPTED,
        when=questions.play_is_held, do=hold_for_declaration,
    ),
    *stay(facts.IrregularityDeclared, EVERY_PHASE, do=note_course),
)
