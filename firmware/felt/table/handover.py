"""What one era tells the next: small, neutral, and readable by the version before and the version after.
Only a table without an open round has one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from felt.nouns.ids import Spot
from felt.nouns.shapes import ShapeError, from_plain
from felt.table.settings import Settings
from felt.table.state import Mail, Phase, Post, Service, ServiceState, Standing, Table, Tally

FORMAT = 1


@dataclass(frozen=True, slots=True)
class HandOver:
    format: int
    letters_written: int
    unanswered: tuple[Mail, ...]
    faults: tuple[Standing, ...]
    ordered_out: str
    quarantined: tuple[Spot, ...]
    registered: tuple[tuple[str, int], ...]  # the meters as journaled with the last lock
    tally: Tally
    questions_asked: int
    notices_made: int
    barred: tuple[int, ...] = ()


def hand_over(table: Table) -> dict[str, Any]:
    assert table.round is None, "an era is closed only when no round is open"
    return {
        "format": FORMAT,
        "letters_written": table.post.written,
        "unanswered": table.post.unanswered,
        "faults": table.service.faults,
        "ordered_out": table.service.ordered_out,
        "quarantined": table.quarantined,
        "registered": table.previous.registered if table.previous else (),
        "tally": table.tally,
        "questions_asked": table.irregularity.asked,
        "notices_made": table.panel.noticed,
        "barred": table.barred,
    }


def taken_over(plain: dict[str, Any], settings: Settings | None) -> Table:
    """The table with which a new era begins: closed, booting, and owing what the old one owed."""
    born = Table(settings=settings)
    if not plain:
        return born
    if plain.get("format") != FORMAT:
        problem = f"{plain.get('format')!r} is another format of hand-over than {FORMAT}"
        raise ShapeError(problem, ("format",))
    # Within one format a later version may hand over more than this one knows.
    known = {field.name for field in fields(HandOver)}
    old = from_plain(HandOver, {name: value for name, value in plain.items() if name in known})
    return born._replace(
        phase=Phase.CLOSED,
        service=Service(ServiceState.BOOTING, old.faults, old.ordered_out),
        quarantined=old.quarantined,
        barred=old.barred,
        post=Post(old.letters_written, old.unanswered),
        tally=old.tally,
        irregularity=born.irregularity._replace(asked=old.questions_asked),
        panel=born.panel._replace(noticed=old.notices_made),
    )
