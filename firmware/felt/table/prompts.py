"""Says messages in the language of a table: prompts, refusals, questions, options, mishaps and faults. The catalogue
`felt.wording` has the texts; nothing else in the table knows a language."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE
from felt.table.state import Question, Table
from felt.wording.messages import ENGLISH, messages, say


def language_of(table: Table) -> str:
    return table.settings.language if table.settings else ENGLISH


def tell(table: Table, message: str, **fields: object) -> str:
    """A message in the language of this table."""
    return say(language_of(table), message, **fields)


def tell_fault(table: Table, code: str) -> str:
    """A fault's sentence with its code."""
    return f"{code}: {CATALOGUE[code].told(language_of(table))}"


def tell_place(table: Table, place: str) -> str:
    if place.isdigit():
        return tell(table, "place.box", box=place)
    return tell(table, f"place.{place or 'table'}")


def tell_target(table: Table, target: str) -> str:
    """The hand that gets a card of the deal."""
    return tell(table, "place.box", box=target) if target.isdigit() else tell(table, f"target.{target}")


def tell_mishap(table: Table, mishap: str, place: str, other: str = "") -> str:
    return tell(table, f"mishap.{mishap}", place=tell_place(table, place), other=tell_place(table, other))


def tell_question(table: Table, message: str, question: Question, because: str) -> str:
    """A question with its proposal or, if there is none, with its options."""
    fields = {"id": question.id, "because": because, "rule": question.rule}
    if question.proposal:
        return tell(table, message, **fields, proposal=tell_word(table, question.proposal))
    options = tell(table, "options.or").join(tell_word(table, option) for option in question.options)
    return tell(table, f"{message}_openly", **fields, options=options)


def tell_word(table: Table, choice: str) -> str:
    """A choice in one word. Other languages add the English word that a person types."""
    return messages(language_of(table)).get(f"word.{choice}", choice)
