"""The catalogue of paragraphs and requirements: one TOML file per rulebook and one for the requirements. Each entry
has a short wording of ours and says where it is implemented, which tests show it, whose duty it is, or which later
work brings it."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path

from felt.nouns.values import ShapeError, Value, from_plain

FOLDER = Path(__file__).parent
FILES = (
    "progressive_3_card_poker.toml",
    "lucky_three_pictures.toml",
    "multi_link_3_card_poker.toml",
    "california_three_card_poker.toml",
    "stax_three_card.toml",
    "requirements.toml",
)


class Work(StrEnum):
    """The later work that brings what is planned."""

    NOTHING = ""
    HARDWARE = "the table's hardware"
    DEAL = "the shuffler and the deal"
    IRREGULARITIES = "irregularities"
    LINK = "the jackpot link"
    CONSOLE = "console, service and security"
    SCREENS = "screens"
    ODDS = "odds"
    STORM = "storm"


class CatalogueError(Exception):
    """A file of the catalogue that cannot be read."""


class CatalogueEntry(Value):
    id: str  # the number of a paragraph or requirement, as people write it
    says: str  # in our own words
    where: tuple[str, ...] = ()  # room.module.name within felt
    tests: tuple[str, ...] = ()  # node ids, files, stories, or prefixes of node ids ending in *
    duty: str = ""  # what a person does, and how the product supports that person
    planned: Work = Work.NOTHING
    left: str = ""  # what the planned work still adds, if a part exists already


class Book(Value):
    key: str  # short name: 000, or requirements
    title: str
    entry: tuple[CatalogueEntry, ...]
    game: str = ""  # the id of the game, if the book belongs to one

    @property
    def entries(self) -> dict[str, CatalogueEntry]:
        return {entry.id: entry for entry in self.entry}


def load_books() -> tuple[Book, ...]:
    return tuple(load_book(FOLDER / name) for name in FILES)


def load_book(path: Path) -> Book:
    try:
        book = from_plain(Book, tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ShapeError) as error:
        raise CatalogueError(f"{path.name}: {error}") from None
    seen: set[str] = set()
    for entry in book.entry:
        if entry.id in seen:
            raise CatalogueError(f"{path.name}: {entry.id} is listed twice")
        seen.add(entry.id)
        problem = _problem_of(entry)
        if problem:
            raise CatalogueError(f"{path.name}: {entry.id} {problem}")
    return book


def _problem_of(entry: CatalogueEntry) -> str:
    if not entry.says:
        return "has no wording"
    if not (entry.tests or entry.duty or entry.planned):
        return "has neither tests, nor a person's duty, nor a plan"
    if entry.tests and not (entry.where or entry.duty):
        return "has tests, but says neither where it is implemented nor whose duty it is"
    if entry.left and not entry.planned:
        return "has something left, but names no work that brings it"
    return ""
