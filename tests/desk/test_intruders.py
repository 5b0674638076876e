"""Forged answers are a fault for the technician: one, however many come, and another only for new ones."""

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


def test_a_sign_that_differs_is_a_fault_and_stops_nothing_and_comes_again_until_it_is_mended() -> None:
    said = ["major: 9 on the sign, 7 told by the controller"]

    class FalselySigned(PassingPost):
        def sign_problem(self) -> str:
            return said[-1]

    class FalselySignedEvening(Evening):
        def way_to_the_office(self, post: Post) -> Post:
            return FalselySigned(post)

    def stands() -> list[str]:
        return [fault.where for fault in evening.table.service.faults if fault.code == "F-309"]

    evening = FalselySignedEvening()
    evening.advance(1_000)
    assert stands() == said
    evening.order("TableOpened", person="sup")
    assert evening.phase is Phase.IDLE
    assert not evening.order("FaultCleared", code="F-309", where=said[0], person="Tess")
    evening.advance(100)
    assert stands() == said, "it was not mended"
    said.append("")
    assert not evening.order("FaultCleared", code="F-309", where=said[0], person="Tess")
    evening.advance(1_000)
    assert stands() == []


def test_the_value_registered_with_a_lock_is_the_controllers_answer_and_never_the_signs() -> None:
    class FalselySigned(PassingPost):
        def meters(self) -> dict[str, int]:
            return dict.fromkeys(super().meters(), 9_900_800 * 10**6)

    class FalselySignedEvening(Evening):
        def way_to_the_office(self, post: Post) -> Post:
            return FalselySigned(post)

    evening = FalselySignedEvening()
    evening.advance(3_000)
    told = evening.office.meters()
    evening.place_antes(1, 2)
    evening.press("no_more_bets")
    evening.advance(1_000)
    assert evening.table.round is not None
    assert dict(evening.table.round.registered) == told
