"""The catalogue itself: nothing is missing, every place exists, every test is there, and the document is up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from felt.rules import shelf
from felt.trace.catalogue import Book, CatalogueError, load_book, load_books
from felt.trace.matrix import markdown
from felt.trace.record import PACKAGE, Nodes
from tests.trace.citations import cited_by, each_of
from tests.trace.numbers import expected_numbers, numbers_in
from tests.trace.places import place_exists

ROOT = Path(__file__).resolve().parents[2]
BOOKS = load_books()


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.key)
def test_every_paragraph_is_listed_once_and_in_its_order(book: Book) -> None:
    assert [entry.id for entry in book.entry] == expected_numbers()[book.key]


def test_every_book_with_numbers_is_in_the_catalogue() -> None:
    assert [book.key for book in BOOKS] == list(expected_numbers())


def test_the_books_are_those_on_the_shelf() -> None:
    assert [book.game for book in BOOKS if book.game] == list(shelf.GAMES)


def test_ranges_and_letters_are_written_out() -> None:
    assert numbers_in("3.9-3.11; 5.17.2 ab\nB1-B2; Playing ¶4; Table 5, note") == [
        "3.9", "3.10", "3.11", "5.17.2", "5.17.2 a", "5.17.2 b", "B1", "B2", "Playing ¶4", "Table 5, note",
    ]  # fmt: skip


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.key)
def test_every_place_exists(book: Book) -> None:
    missing = [f"{entry.id}: {place}" for entry in book.entry for place in entry.where]
    missing = [line for line in missing if not place_exists(PACKAGE, line.partition(": ")[2])]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize(
    ("place", "exists"),
    [
        ("trace.catalogue.load_books", True),
        ("trace.catalogue.Book.entries", True),
        ("trace.catalogue.FILES", True),
        ("trace.catalogue.Work.STORM", True),
        ("trace.catalogue.load_shelves", False),
        ("trace.catalogue.Book.shelves", False),
        ("trace.catalogue", False),
        ("trace.nowhere.load_books", False),
    ],
)
def test_a_place_is_found_or_missed(place: str, exists: bool) -> None:
    assert place_exists(PACKAGE, place) is exists


@pytest.mark.parametrize("book", [book for book in BOOKS if book.game], ids=lambda book: book.key)
def test_every_paragraph_that_the_rules_cite_is_listed_by_the_same_name(book: Book) -> None:
    cited = cited_by(shelf.rulebook(book.game))
    assert len(cited) > 5
    assert sorted(cited - set(book.entries)) == []


def test_two_paragraphs_under_one_heading_are_told_apart() -> None:
    assert each_of("Playing ¶3, ¶4") == ["Playing ¶3", "Playing ¶4"]
    assert each_of("Winning (a), (b)") == ["Winning (a)", "Winning (b)"]
    assert each_of("Rank of hands, last ¶") == ["Rank of hands, last ¶"]


class Collected(NamedTuple):
    nodes: Nodes
    errors: str  # files that could not be read: their tests are missing here


@pytest.fixture(scope="module")
def collected() -> Collected:
    """Every test of the project, as pytest itself finds them."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    lines = listing.stdout.splitlines()
    found = Nodes(line for line in lines if line.startswith("tests/") and "::" in line)
    return Collected(found, "\n".join(line for line in lines if "ERROR collecting" in line))


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.key)
def test_every_test_that_is_named_exists(book: Book, collected: Collected) -> None:
    named = [(entry.id, pattern) for entry in book.entry for pattern in entry.tests]
    missing = [f"{name}: {pattern}" for name, pattern in named if not collected.nodes.matching(pattern)]
    assert not missing, "\n".join([*missing, collected.errors])


def test_the_document_is_what_the_catalogue_says() -> None:
    written = (ROOT / "firmware" / "TRACE.md").read_text(encoding="utf-8")
    assert written == markdown(BOOKS), "run: felt trace --markdown > firmware/TRACE.md"


GOOD = 'key = "9"\ntitle = "T"\n[[entry]]\nid = "1"\nsays = "S"\nduty = "D"\n'


def test_a_good_book_is_read(tmp_path: Path) -> None:
    path = tmp_path / "book.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_book(path).entries["1"].duty == "D"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (GOOD.replace('duty = "D"', ""), "1 has neither tests, nor a person's duty, nor a plan"),
        (GOOD.replace('says = "S"', 'says = ""'), "1 has no wording"),
        (GOOD + GOOD.partition("[[")[1] + GOOD.partition("[[")[2], "1 is listed twice"),
        (GOOD.replace('duty = "D"', 'tests = ["t"]'), "says neither where it is implemented nor whose duty it is"),
        (GOOD + 'left = "much"', "has something left, but names no work that brings it"),
        (GOOD + 'planned = "one day"', "entry.0.planned"),
        (GOOD + 'dutty = "D"', "unknown key"),
        ("key = ", "Invalid value"),
    ],
)
def test_a_mistake_in_a_book_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "book.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CatalogueError) as raised:
        load_book(path)
    assert str(raised.value).startswith("book.toml: ")
    assert sentence in str(raised.value)


def test_a_book_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"^book\.toml: "):
        load_book(tmp_path / "book.toml")


def test_patterns_find_a_test_its_parameters_a_file_a_story_and_a_beginning() -> None:
    nodes = Nodes(
        [
            "tests/a/test_x.py::test_one",
            "tests/a/test_x.py::test_one[p]",
            "tests/a/test_x.py::test_one_more",
            "tests/a/test_xy.py::test_one",
            "tests/rounds/test_rounds.py::test_round[game/late_chip.round]",
            "tests/rounds/test_rounds.py::test_round[game/late_chip_too.round]",
        ]
    )
    assert len(nodes.matching("tests/a/test_x.py::test_one")) == 2
    assert nodes.matching("tests/a/test_x.py::test_one[p]") == ["tests/a/test_x.py::test_one[p]"]
    assert len(nodes.matching("tests/a/test_x.py")) == 3
    assert len(nodes.matching("tests/a/test_x.py::test_one*")) == 3
    assert len(nodes.matching("tests/rounds/game/late_chip.round")) == 1
    assert nodes.matching("tests/a/test_z.py") == []
