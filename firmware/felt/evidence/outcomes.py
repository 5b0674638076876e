"""Whether the table did what a record asks for, worked out again: a fact is written down before it is judged, so the
record alone does not tell a refused order from one that was done."""

from __future__ import annotations

from collections.abc import Iterator

from felt.evidence.retelling import Retelling, Step, begun_before
from felt.journal.reading import read_records
from felt.journal.record import Record
from felt.journal.replay import ReplayDiverged
from felt.journal.waypoints import waypoints
from felt.nouns.values import Value
from felt.ports import Disk

_ERA = '{"is":"EraOpened"'


class Outcome(Value):
    record: Record
    refusal: str | None  # with which sentence the table refused it; None: only another version could work it out


def refusal_in(step: Step) -> str:
    """With which sentence the table refused what the fact asked for, or nothing."""
    return step.refused.sentence if step.refused else ""


def outcomes(disk: Disk, first: int = 1) -> Iterator[Outcome]:
    """Of each record from there on. Where the table cannot be followed any further, it is again from the next era."""
    retelling = begun_before(disk, waypoints(disk), first)
    for record in read_records(disk, retelling.next_seq if retelling else 1):
        if record.payload.startswith(_ERA):
            retelling = Retelling("", None, record.seq)
        refusal = None
        if retelling is not None:
            try:
                refusal = refusal_in(next(retelling.steps([record])))
            except ReplayDiverged:
                retelling = None
        if record.seq >= first:
            yield Outcome(record, refusal)
