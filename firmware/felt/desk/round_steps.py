"""A past round step by step for a page: each fact of it as a sentence, with what it changed of the picture that the
table gave then. Cards are told as this reader may see them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from felt.desk import screen_pages
from felt.desk.answers import Answer
from felt.evidence.events import sentence_of, shown, with_refusal
from felt.evidence.outcomes import refusal_in
from felt.evidence.retelling import Retelling, RetoldStep, begun_at, rounds_at
from felt.journal.reading import read_records
from felt.journal.replay import ReplayDiverged
from felt.journal.store import Head
from felt.journal.waypoints import waypoints
from felt.loop.picture import Picture
from felt.nouns.values import to_plain
from felt.ports import Disk
from felt.table import facts, redacted
from felt.table.state import Round, Table

STEPS_MAX = 400
_UNTOLD = ("number", "wall_ns", "waiting")  # parts of a picture that a replay does not need


def round_steps(disk: Disk, number: int, role: str) -> Answer | None:
    """None: the journal has no round of that number. The last of it, should a journal have two."""
    known = waypoints(disk)
    place = bisect_left(known, number, key=lambda begun_from: rounds_at(disk, begun_from))
    for waypoint in reversed(known[:place]):
        begun = begun_at(disk, waypoint, role)
        if begun is not None:
            steps = list(_steps_of(begun, disk, number))
            if steps:
                return _told(steps, number, role)
    return None


def _steps_of(begun: Retelling, disk: Disk, number: int) -> Iterator[RetoldStep]:
    """From its opening until the next round opens: till then somebody may have voided it."""
    try:
        for step in begun.steps(read_records(disk, begun.next_seq)):
            shown_round = _round_of(step.after)
            if shown_round is not None and shown_round.number > number:
                return
            if shown_round is not None and shown_round.number == number:
                yield step
    except ReplayDiverged:
        return


def _round_of(table: Table) -> Round | None:
    return table.round or table.previous


def _told(steps: list[RetoldStep], number: int, role: str) -> Answer:
    before: Answer = {}
    told: list[Answer] = []
    last: RetoldStep | None = None
    for step in steps:
        page = _page(step.after, step, role)
        changed = {name: value for name, value in page.items() if before.get(name) != value}
        before = page
        entry = _entry(step, role, changed)
        if not changed and not entry["refused"] and not entry["kind"].endswith(("Pressed", "Ordered")):
            continue  # sign-ins, letters and their answers: nothing of them is on the felt
        if told and entry["kind"] == told[-1]["kind"] == "CardDealt":
            told[-1]["changed"] |= changed
            told[-1] |= {"times": told[-1]["times"] + 1, "wall_ns": entry["wall_ns"], "seq": entry["seq"]}
        elif len(told) < STEPS_MAX:
            told.append(entry)
        last = step
    assert last is not None
    return {
        "round": number,
        "role": role,
        "layout": screen_pages.layout(_picture(last, role)),
        "records": [steps[0].seq, steps[-1].seq],
        "steps": told,
        "short": len(told) >= STEPS_MAX,
    }


def _entry(step: RetoldStep, role: str, changed: Answer) -> Answer:
    plain: dict[str, Any] = shown(facts.encode(step.fact), role)
    refusal = refusal_in(step)
    return {
        "seq": step.seq,
        "kind": plain["is"],
        "wall_ns": step.fact.at.wall_ns,
        "said": with_refusal(sentence_of(plain), refusal),
        "refused": bool(refusal),
        "times": 1,
        "changed": changed,
    }


def _page(table: Table, step: RetoldStep, role: str) -> Answer:
    page = screen_pages.table_page(_picture(step, role), role)
    plain: Answer = to_plain({name: value for name, value in page.items() if name not in _UNTOLD})
    return plain


def _picture(step: RetoldStep, role: str) -> Picture:
    """Meters are known as they were registered with the lock; what a meter stood at before it, no fact tells."""
    playing = _round_of(step.after)
    meters = dict(playing.registered) if playing is not None else {}
    return Picture(redacted.table_of(step.after, role), (), meters, Head(step.seq, ""), step.fact.at)


