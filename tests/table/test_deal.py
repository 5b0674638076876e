"""The plan of a deal gives every card its target."""

from __future__ import annotations

from collections import Counter

import pytest

from felt.table import facts
from felt.table.state import Round
from tests.table.bench import Bench


def _dealt_to(method: str, *seats: int) -> Round:
    bench = Bench(f"game.dealing={method}").idle().do(facts.OpenPressed)
    bench.chip(*(f"{seat}.ante" for seat in seats)).lock().do(facts.DeadlinePassed, name="drain")
    assert bench.table.round is not None
    return bench.table.round


def test_packets_go_clockwise_and_to_the_dealer_last_by_3_11() -> None:
    assert _dealt_to("packets", 5, 2).plan == ("2",) * 3 + ("5",) * 3 + ("dealer",) * 3


def test_one_by_one_burns_a_card_and_goes_round_three_times_by_3_10() -> None:
    assert _dealt_to("one_by_one", 2, 5).plan == ("burn", *("2", "5", "dealer") * 3)


@pytest.mark.parametrize("method", ["packets", "one_by_one"])
@pytest.mark.parametrize("boxes", range(1, 8))
def test_every_hand_of_every_plan_has_three_cards(method: str, boxes: int) -> None:
    plan = Counter(_dealt_to(method, *range(1, boxes + 1)).plan)
    burnt = plan.pop("burn", 0)
    assert burnt == (method == "one_by_one")
    assert plan == {**{str(seat): 3 for seat in range(1, boxes + 1)}, "dealer": 3}


@pytest.mark.parametrize("method", ["packets", "one_by_one"])
def test_cards_are_bound_to_their_targets_in_the_order_of_the_plan(method: str) -> None:
    bench = Bench(f"game.dealing={method}").idle().do(facts.OpenPressed).chip("1.ante", "3.ante").lock()
    bench.do(facts.DeadlinePassed, name="drain")
    assert bench.table.round is not None
    plan = bench.table.round.plan
    bench.cards(" ".join("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc".split()[: len(plan)]))
    assert tuple(dealt.target for dealt in bench.table.round.dealt) == plan
    assert [dealt.arrived_ns for dealt in bench.table.round.dealt] == sorted(
        dealt.arrived_ns for dealt in bench.table.round.dealt
    )


def test_the_letter_of_the_deal_carries_times_and_no_cards() -> None:
    bench = Bench().deciding()
    letter = next(mail for mail in bench.table.post.unanswered if mail.kind == "RoundDealt")
    assert bench.table.round is not None
    last_ns = bench.table.round.dealt[2].arrived_ns
    assert f"[1,{last_ns},0]" in letter.body
    assert not any(dealt.card in letter.body for dealt in bench.table.round.dealt)


@pytest.mark.parametrize(("mishap", "own"), [("wrong_count", 2), ("second_hand_examined", 3)])
def test_a_wrong_number_of_cards_moves_the_deal_only_where_the_number_was_the_mistake(mishap: str, own: int) -> None:
    bench = Bench("game.dealing=packets").idle().do(facts.OpenPressed).chip("1.ante", "2.ante").lock()
    bench.do(facts.DeadlinePassed, name="drain").cards("2c 7d")
    bench.declare(mishap, "1", count=2)
    (asked,) = bench.table.irregularity.questions
    answer = {"question": asked.id, "choice": "invalidate", "reason": "seen on camera"}
    bench.do(facts.RulingMade, person="Ada", role="shift_manager", **answer)
    assert bench.table.round is not None
    assert bench.table.round.plan.count("1") == own
    assert bench.table.round.returned == (1,)
