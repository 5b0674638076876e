"""Every sentence about questions, options and mishaps that people read, in each language of the house. A key leads to a
template with named fields; nothing else in the table knows a language."""

from __future__ import annotations

from felt.table.prompts_de import GERMAN
from felt.table.prompts_en import ENGLISH
from felt.table.state import Table

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


def tell_mishap(table: Table, mishap: str, place: str, other: str = "") -> str:
    return tell(table, f"mishap.{mishap}", place=tell_place(table, place), other=tell_place(table, other))


def tell_choices(table: Table, choices: tuple[str, ...]) -> str:
    return "; ".join(f"{choice}: {tell(table, f'choice.{choice}')}" for choice in choices)


def tell_word(table: Table, choice: str) -> str:
    """A choice in one word; in another language than the commands' with the word that is typed."""
    language = table.settings.language if table.settings else "en"
    return LANGUAGES[language].get(f"word.{choice}", choice)
