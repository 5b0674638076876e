"""`felt trace`: every rulebook paragraph and requirement, where it is implemented, and its status after the last
test run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from felt.trace.catalogue import Book, CatalogueEntry, CatalogueError, load_books
from felt.trace.matrix import markdown
from felt.trace.record import EMPTY, RecordedRun, RecordError, default_place, firmware_digest, read_record
from felt.trace.verdict_of_tests import NOT_FINAL, Judge, JudgedEntry, Status, counted

DESCRIPTION = (
    "Shows every rulebook paragraph and every requirement with its status: shown (by tests that ran and passed), "
    "not run, failing, duty (a person's, supported by the product) or planned."
)
EPILOG = """examples:
  felt trace                     all of them, counted by book
  felt trace 000                 one rulebook; its game's id does as well
  felt trace 000 5.8.1 5.10      two of its paragraphs, with places and tests
  felt trace 5.11 B1             a paragraph in every book that has it, and a requirement
  felt trace --final             fails while anything is planned, failing or not run
"""
OK, FAILED, WRONG_USE = 0, 1, 2


class NotInCatalogue(Exception):
    """The words name nothing in the catalogue."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "wanted", nargs="*", metavar="ROW", help="a rulebook, or one of its paragraphs, or a requirement"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")
    parser.add_argument(
        "--markdown", action="store_true", help="print the whole table as a document, without test results"
    )
    parser.add_argument(
        "--final", action="store_true", help="exit with status 1 if anything is planned, failing or not run"
    )
    parser.add_argument("--record", metavar="FILE", help="the record of a test run (default: build/test-record.json)")


def run(arguments: argparse.Namespace) -> int:
    try:
        books = load_books()
        chosen = choose(books, arguments.wanted)
        if arguments.markdown:
            sys.stdout.write(markdown(_only(chosen)))
            return OK
        record = _record(arguments.record)
    except NotInCatalogue as error:
        print(f"felt trace: {error}", file=sys.stderr)
        return WRONG_USE
    except (CatalogueError, RecordError) as error:
        print(f"felt trace: {error}", file=sys.stderr)
        return FAILED
    judge = Judge(record)
    standings = [judge.standing(book, entry) for book, entry in chosen]
    of_other_code = _of_other_code(record)
    if arguments.json:
        print(json.dumps(_plain(standings, record, of_other_code), ensure_ascii=False, indent=2))
    else:
        for line in _told(standings, named=_names_entries(books, arguments.wanted)):
            print(line)
    if not record.results:
        print("felt trace: no test has run here, so nothing counts as shown: run tools/test", file=sys.stderr)
    if of_other_code:
        print(
            f"felt trace: {of_other_code} of {len(record.results)} results are of other code than this: run tools/test",
            file=sys.stderr,
        )
    return _final(standings, of_other_code) if arguments.final else OK


# --- what is asked for -------------------------------------------------------------------------------


def choose(books: Sequence[Book], words: Sequence[str]) -> list[tuple[Book, CatalogueEntry]]:
    """A book alone means all of it. Ids after a book belong to that book; an id without a book belongs to every
    book."""
    if not words:
        return [(book, entry) for book in books for entry in book.entry]
    chosen: dict[tuple[str, str], tuple[Book, CatalogueEntry]] = {}
    current: Book | None = None
    for place, word in enumerate(words):
        book = _book(books, word)
        if book is not None:
            current = book
            following = words[place + 1] if place + 1 < len(words) else ""
            found = [] if _entry(book, following) else [(book, entry) for entry in book.entry]
        else:
            found = _entries(books, current, word)
        for one_book, entry in found:
            chosen[one_book.key, entry.id] = (one_book, entry)
    return list(chosen.values())


def _book(books: Sequence[Book], word: str) -> Book | None:
    return next((book for book in books if word and word.lower() in (book.key, book.game)), None)


def _entries(books: Sequence[Book], current: Book | None, word: str) -> list[tuple[Book, CatalogueEntry]]:
    searched = [book for book in books if current is None or book is current or not book.game]
    found = [(book, entry) for book in searched if (entry := _entry(book, word))]
    if not found:
        known = ", ".join(book.key for book in books)
        if current:
            raise NotInCatalogue(f"book {current.key} has no paragraph {word}: felt trace {current.key} lists them")
        raise NotInCatalogue(f"{word!r} is not a book, paragraph or requirement; the books are {known}")
    return found


def _entry(book: Book, word: str) -> CatalogueEntry | None:
    """Finds an entry by id, ignoring case, ¶, commas and brackets, which are hard to type."""
    wanted = _bare(word)
    return next((entry for entry in book.entry if _bare(entry.id) == wanted), None) if wanted else None


def _bare(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum() or letter == ".")


def _names_entries(books: Sequence[Book], words: Sequence[str]) -> bool:
    return any(_book(books, word) is None for word in words)


def _only(chosen: Sequence[tuple[Book, CatalogueEntry]]) -> tuple[Book, ...]:
    books = {book.key: book for book, _ in chosen}
    return tuple(
        Book(book.key, book.title, tuple(entry for owner, entry in chosen if owner is book), book.game)
        for book in books.values()
    )


# --- the record --------------------------------------------------------------------------------------


def _record(given: str | None) -> RecordedRun:
    if given is not None:
        return read_record(Path(given))
    path = default_place()
    if not path.exists():
        print(f"felt trace: there is no {path} yet, so no test has run: tools/test writes it", file=sys.stderr)
        return EMPTY
    return read_record(path)


def _of_other_code(record: RecordedRun) -> int:
    if not record.results:
        return 0
    own = firmware_digest()
    return sum(result.code != own for result in record.results.values())


def _final(standings: Sequence[JudgedEntry], of_other_code: int) -> int:
    counts = counted(standings)
    open_ones = [f"{counts[status]} {status}" for status in NOT_FINAL if counts[status]]
    if of_other_code:
        open_ones.append(f"{of_other_code} results of other code")
    if not open_ones:
        return OK
    print(f"felt trace: not final: {', '.join(open_ones)}", file=sys.stderr)
    return FAILED


# --- what is told ------------------------------------------------------------------------------------


def _told(standings: Sequence[JudgedEntry], *, named: bool) -> Iterator[str]:
    by_book: dict[str, list[JudgedEntry]] = {}
    for standing in standings:
        by_book.setdefault(standing.book.key, []).append(standing)
    for of_book in by_book.values():
        book = of_book[0].book
        yield f"{book.key}: {book.title}"
        width = max(len(judged.entry.id) for judged in of_book)
        for judged in of_book:
            yield f"  {judged.entry.id:{width}}  {judged.status:8} {judged.entry.says}"
            if named:
                yield from (f"  {'':{width}}           {line}" for line in _details(judged))
        yield ""
    yield from _counts_told(by_book)


def _details(standing: JudgedEntry) -> Iterator[str]:
    entry = standing.entry
    for place in entry.where:
        yield f"in felt.{place}"
    for pattern in standing.patterns:
        yield f"by {pattern.pattern}: {_say_runs(pattern.passed, len(pattern.failed))}"
        yield from (f"   failing: {node}" for node in pattern.failed)
    if entry.duty:
        yield f"duty: {entry.duty}"
    if entry.planned:
        yield f"planned: {entry.planned}" + (f" ({entry.left})" if entry.left else "")


def _say_runs(passed: int, failed: int) -> str:
    if failed:
        return f"{failed} failed, {passed} passed"
    return f"{passed} passed" if passed else "not run"


def _counts_told(by_book: dict[str, list[JudgedEntry]]) -> Iterator[str]:
    width = max([len("all together"), *(len(key) for key in by_book)])
    yield f"{'':{width}}  entries" + "".join(f"{status:>9}" for status in Status)
    rows = [*by_book.items(), ("all together", [standing for of_book in by_book.values() for standing in of_book])]
    for name, of_book in rows:
        counts = counted(of_book)
        yield f"{name:{width}}  {len(of_book):7}" + "".join(f"{counts[status]:9}" for status in Status)


def _plain(standings: Sequence[JudgedEntry], record: RecordedRun, of_other_code: int) -> dict[str, Any]:
    by_book: dict[str, list[JudgedEntry]] = {}
    for standing in standings:
        by_book.setdefault(standing.book.key, []).append(standing)
    return {
        "format": 1,
        "counts": counted(standings),
        "results": len(record.results),
        "results_of_other_code": of_other_code,
        "books": [
            {
                "book": key,
                "title": of_book[0].book.title,
                "game": of_book[0].book.game or None,
                "counts": counted(of_book),
                "entries": [_plain_entry(standing) for standing in of_book],
            }
            for key, of_book in by_book.items()
        ],
    }


def _plain_entry(standing: JudgedEntry) -> dict[str, Any]:
    entry = standing.entry
    return {
        "id": entry.id,
        "says": entry.says,
        "status": standing.status,
        "where": [f"felt.{place}" for place in entry.where],
        "tests": [
            {"pattern": each.pattern, "passed": each.passed, "failed": list(each.failed)} for each in standing.patterns
        ],
        "duty": entry.duty or None,
        "planned": entry.planned or None,
        "left": entry.left or None,
    }
