"""The sentences that people read, in each language of the house: prompts, refusals, questions, options and mishaps. A
key leads to a template with named fields; nothing else in the table knows a language."""

from __future__ import annotations

from felt.table.prompts_de import GERMAN
from felt.table.prompts_en import ENGLISH
from felt.table.state import Question, Table

LANGUAGES = {"en": ENGLISH, "de": GERMAN}


def say(language: str, key: str, **fields: object) -> str:
    return LANGUAGES[language][key].format(**fields)


def tell(table: Table, key: str, **fields: object) -> str:
    """In the language of this table."""
    return say(table.settings.language if table.settings else "en", key, **fields)


def tell_place(table: Table, place: str) -> str:
    if place.isdigit():
        return tell(table, "place.box", box=place)
    return tell(table, f"place.{place or 'table'}")


def tell_target(table: Table, target: str) -> str:
    """Whom a card of the deal goes to."""
    return tell(table, "place.box", box=target) if target.isdigit() else tell(table, f"target.{target}")


def tell_mishap(table: Table, mishap: str, place: str, other: str = "") -> str:
    return tell(table, f"mishap.{mishap}", place=tell_place(table, place), other=tell_place(table, other))


def tell_choices(table: Table, choices: tuple[str, ...]) -> str:
    return "; ".join(f"{choice}: {tell(table, f'choice.{choice}')}" for choice in choices)


def tell_question(table: Table, key: str, question: Question, because: str) -> str:
    """With what is proposed; where nothing is, with what may be decided."""
    fields = {"id": question.id, "because": because, "rule": question.rule}
    if question.proposal:
        return tell(table, key, **fields, proposal=tell_word(table, question.proposal))
    options = tell(table, "options.or").join(tell_word(table, option) for option in question.options)
    return tell(table, f"{key}_openly", **fields, options=options)


def tell_word(table: Table, choice: str) -> str:
    """A choice in one word; in another language than the commands' with the word that is typed."""
    language = table.settings.language if table.settings else "en"
    return LANGUAGES[language].get(f"word.{choice}", choice)
