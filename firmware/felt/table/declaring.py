"""The MISDEAL key. Each press lights the next thing that can have gone wrong and names it; a box key says that it went
wrong there, SETTLE that it was the dealer's cards or no hand in particular. A hand that came to the wrong box takes two
keys: whose it is, then where it lies. OTHER, FOLD or PLAY leave it. Truths and moves; `irregular.keys` says what is
declared."""

from __future__ import annotations

from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.table import facts, panel
from felt.table.irregular import cards
from felt.table.irregular.keys import MISDEAL, declaration_of
from felt.table.moves import ends
from felt.table.prompts import tell
from felt.table.state import Table
from felt.table.upkeep import notice

# In the order of how often they happen; what only a device or the desk would say is not on the key.
_ON_THE_KEY = (
    Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS, Mishap.WRONG_COUNT, Mishap.WRONG_BOX, Mishap.DEALING_ERROR,
    Mishap.MISSED_BURN,
    Mishap.SIMULTANEOUS_CARDS, Mishap.FOREIGN_CARD, Mishap.SECOND_HAND_EXAMINED, Mishap.CHIP_IN_ERROR,
    Mishap.NOT_SHUFFLED, Mishap.OTHER,
)  # fmt: skip
_NO_TIME = Stamp("", 0, 0)


# --- truths --------------------------------------------------------------------------------------------


def key_declares(table: Table, fact: facts.Fact) -> bool:
    return declaration_of(table, fact) is not None


def key_cannot_declare(table: Table, fact: facts.Fact) -> bool:
    said = declaration_of(table, fact)
    return said is not None and bool(cards.problem_of(table, said))


def key_holds_play(table: Table, fact: facts.Fact) -> bool:
    said = declaration_of(table, fact)
    asked = said is not None and cards.is_open(table, cards.declared(table, said))
    return asked and any(question.holds for question in table.irregularity.questions)


def settle_declares(table: Table) -> bool:
    """SETTLE would say something of the dealer's hand or the table."""
    pressed = facts.SettlePressed(_NO_TIME)
    return key_declares(table, pressed) and not key_cannot_declare(table, pressed)


def why_not(table: Table, fact: facts.Fact) -> str:
    said = declaration_of(table, fact)
    return cards.problem_of(table, said) if said else ""


# --- moves ---------------------------------------------------------------------------------------------


def light_next(table: Table, _: facts.Fact) -> Table:
    """The first that fits, or the one after the lit one."""
    fitting = mishaps_on_the_key(table)
    lit = table.panel.mishap if table.panel.mode == MISDEAL else ""
    following = fitting[(fitting.index(Mishap(lit)) + 1) % len(fitting)] if lit in fitting else fitting[0]
    table = replace(table, panel=replace(panel.dark(table.panel), mode=MISDEAL, mishap=following))
    return notice(table, "noted", say_lit(table))


def say_lit(table: Table) -> str:
    """What the next keys would declare."""
    return tell(table, "panel.declare", mishap=tell(table, f"name.{table.panel.mishap}"))


def mishaps_on_the_key(table: Table) -> tuple[Mishap, ...]:
    """Those that could be declared of some box or of the dealer now."""
    return tuple(mishap for mishap in _ON_THE_KEY if not cards.problem_with(table, mishap))


def remember_first_box(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return replace(table, panel=replace(table.panel, linking=fact.seat))


def hold(table: Table, fact: facts.Fact) -> Table:
    said = declaration_of(table, fact)
    assert said is not None
    return ends.hold(go_dark(cards.after_declaration(table, said)), fact)


def go_dark(table: Table) -> Table:
    return replace(table, panel=panel.dark(table.panel))


def note_course(table: Table, fact: facts.Fact) -> Table:
    said = declaration_of(table, fact)
    assert said is not None
    incident = cards.declared(table, said)
    is_open = cards.is_open(table, incident)
    course = "" if is_open else cards.course_of(table, incident)
    table = go_dark(cards.after_declaration(table, said))
    return table if is_open else notice(table, "noted", course)
