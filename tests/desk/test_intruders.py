"""Forged answers are a note for the technician: once, however many come, and again only for new ones."""

from __future__ import annotations

from felt.ports import Post
from felt.stories.evening import Evening
from felt.table.state import Phase
from felt.virtual.passing import PassingPost


def notes(evening: Evening) -> list[str]:
    return [fault.where for fault in evening.table.service.faults if fault.code == "F-307"]


def intruded_evening(said: list[str]) -> Evening:
    class Intruded(PassingPost):
        def intruder(self) -> str:
            return said[-1]

    class IntrudedEvening(Evening):
        def way_to_the_office(self, post: Post) -> Post:
            return Intruded(post)

    evening = IntrudedEvening()
    evening.advance(1_000)
    return evening


def test_forged_answers_are_a_fault_that_names_them_and_stops_nothing() -> None:
    said = [""]
    evening = intruded_evening(said)
    assert notes(evening) == []
    said.append("1 forged")
    evening.advance(1_000)
    assert notes(evening) == ["1 forged"]
    evening.order("TableOpened", person="sup")
    assert evening.phase is Phase.IDLE


def test_a_flood_is_one_fault_and_after_clearing_it_only_new_ones_count() -> None:
    said = ["1 forged"]
    evening = intruded_evening(said)
    for number in range(2, 50):
        said.append(f"{number} forged")
        evening.advance(100)
    assert notes(evening) == ["1 forged"]
    assert not evening.order("FaultCleared", code="F-307", where="1 forged", person="Tess")
    evening.advance(1_000)
    assert notes(evening) == []
    said.append("50 forged")
    evening.advance(100)
    assert notes(evening) == ["50 forged"]
