"""The status of an entry of the catalogue, given the record of a test run."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from felt.nouns.values import Value
from felt.trace.catalogue import Book, CatalogueEntry
from felt.trace.record import Nodes, RecordedRun, RunOutcome


class Status(StrEnum):
    SHOWN = "shown"  # by tests that ran and passed
    NOT_RUN = "not run"  # tests exist, but the record has no result
    FAILING = "failing"
    DUTY = "duty"  # a person's duty, supported by the product
    PLANNED = "planned"


NOT_FINAL = (Status.FAILING, Status.PLANNED, Status.NOT_RUN)


class Pattern(Value):
    """A test pattern of an entry, and the record's results for it."""

    pattern: str
    passed: int
    failed: tuple[str, ...]


class JudgedEntry(Value):
    book: Book
    entry: CatalogueEntry
    status: Status
    patterns: tuple[Pattern, ...]


class Judge:
    """Looks up entries in one record."""

    def __init__(self, record: RecordedRun) -> None:
        self._results = record.results
        self._nodes = Nodes(record.results)

    def standing(self, book: Book, entry: CatalogueEntry) -> JudgedEntry:
        patterns = tuple(self._look_up(pattern) for pattern in entry.tests)
        return JudgedEntry(book, entry, _status(entry, patterns), patterns)

    def _look_up(self, pattern: str) -> Pattern:
        outcomes = {node: self._results[node].outcome for node in self._nodes.matching(pattern)}
        return Pattern(
            pattern,
            sum(outcome is RunOutcome.PASSED for outcome in outcomes.values()),
            tuple(node for node, outcome in outcomes.items() if outcome is RunOutcome.FAILED),
        )


def _status(entry: CatalogueEntry, patterns: tuple[Pattern, ...]) -> Status:
    if any(pattern.failed for pattern in patterns):
        return Status.FAILING
    if entry.planned:
        return Status.PLANNED
    if any(not pattern.passed for pattern in patterns):
        return Status.NOT_RUN
    return Status.DUTY if entry.duty else Status.SHOWN


def counted(standings: Iterable[JudgedEntry]) -> dict[Status, int]:
    counts = dict.fromkeys(Status, 0)
    for standing in standings:
        counts[standing.status] += 1
    return counts
