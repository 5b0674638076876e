"""Reconstructs whether the table accepted or refused each fact. A fact is recorded before it is judged, so the
record alone does not tell."""

from __future__ import annotations

from collections.abc import Iterator

from felt.evidence.retelling import Retelling, RetoldStep, begun_before
from felt.journal.reading import read_records
from felt.journal.record import Record, kind_of
from felt.journal.replay import ReplayDiverged
from felt.journal.waypoints import waypoints
from felt.nouns.values import Value
from felt.ports import Disk


class FactOutcome(Value):
    record: Record
    refusal: str | None  # the table's reason; empty: accepted; None: only another version can tell


def refusal_in(step: RetoldStep) -> str:
    """Why the table refused the fact; empty if it did not."""
    return step.refused.sentence if step.refused else ""


def outcomes(disk: Disk, first: int = 1) -> Iterator[FactOutcome]:
    """The outcome of each record from `first` on. After a point that cannot be replayed, outcomes start again with
    the next era."""
    retelling = begun_before(disk, waypoints(disk), first)
    for record in read_records(disk, retelling.next_seq if retelling else 1):
        if kind_of(record) == "EraOpened":
            retelling = Retelling("", None, record.seq)
        refusal = None
        if retelling is not None:
            try:
                refusal = refusal_in(next(retelling.steps([record])))
            except ReplayDiverged:
                retelling = None
        if record.seq >= first:
            yield FactOutcome(record, refusal)
