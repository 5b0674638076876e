"""Claims of several tables through a real broker and the real controller. Whatever is dead, late or simultaneous, no
jackpot waits for ever and none is paid out of turn."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.fleet_hand import GROWTH_MICRO, RESET_MICRO, HandHouse, hand_house
from tests.real.linked import until

CLAIM_WAIT_S = 2
APART_S = 0.1  # more than a card's stamp may be late: the clocks tell the two apart


@pytest.fixture
def house() -> Iterator[HandHouse]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-claims-")))
        made = ends.enter_context(hand_house(folder, ["T01", "T02", "T03"], CLAIM_WAIT_S))
        for table in made.tables:
            table.tell_the_time()
        yield made


def act(house: HandHouse, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    words = {"act": name, "fields": fields, "persons": [["Ada", "supervisor"]], "reason": "by the cameras"}
    answer = house.controller.ask(words)
    assert answer is not None
    return answer


def alerts(house: HandHouse) -> list[str]:
    status = house.controller.ask({"ask": "status"})
    return [] if status is None else list(status["alerts"])


def books(house: HandHouse) -> dict[str, Any]:
    report = house.controller.ask({"ask": "report"})
    assert report is not None
    assert report["conserved"], report["problem"]
    meter: dict[str, Any] = report["meters"]["hot/major"]
    return meter


@pytest.mark.timeout(120)
def test_a_dead_table_holds_a_claim_up_until_a_supervisor_releases_it_and_counts_when_it_comes_back(
    house: HandHouse,
) -> None:
    dead, winner, _ = house.tables
    dead.lock_and_deal(1)
    time.sleep(APART_S)
    claim = winner.decide(1, winner.lock_and_deal(1))
    until(lambda: any("still waits for round 1 of table T01" in alert for alert in alerts(house)), "somebody is told")
    assert winner.valued(claim) is None
    assert "done" in act(house, "ReleaseClaim", {"claim": {"table": "T02", "claim": claim}})
    assert winner.worth(claim).value_micro == RESET_MICRO + GROWTH_MICRO
    award = winner.confirm(1, claim)
    winner.end(1, award)
    dead.decide(1)
    dead.end(1)
    meter = books(house)
    assert (meter["hits"], meter["wins_minor"], meter["pending_micro"]) == (1, award, 0)
    assert meter["after_micro"] == 2 * RESET_MICRO + 2 * GROWTH_MICRO - award * 1_000_000


@pytest.mark.timeout(120)
def test_of_two_overlapping_claims_the_hand_dealt_first_takes_the_meter_though_its_letter_comes_last(
    house: HandHouse,
) -> None:
    first, second, _ = house.tables
    dealt_first = first.lock_and_deal(1)
    time.sleep(APART_S)
    late = second.decide(1, second.lock_and_deal(1))
    early = first.decide(1, dealt_first)
    whole = first.worth(early)
    assert whole.value_micro >= RESET_MICRO + GROWTH_MICRO
    assert second.valued(late) is None, "one meter is not promised twice"
    paid = first.confirm(1, early)
    assert second.worth(late).value_micro < RESET_MICRO + 2 * GROWTH_MICRO
    paid += second.confirm(1, late)
    meter = books(house)
    assert (meter["hits"], meter["wins_minor"], meter["waiting_micro"]) == (2, paid, 0)
    assert meter["after_micro"] == 3 * RESET_MICRO + 2 * GROWTH_MICRO - paid * 1_000_000


@pytest.mark.timeout(120)
def test_claims_that_no_clock_tells_apart_wait_for_the_house_and_then_go_on_in_its_order(house: HandHouse) -> None:
    first, other, _ = house.tables
    house.controller.kill()  # its knowledge of the tables' clocks dies with it
    house.controller.keep_until_it_answers()
    times = [table.lock_and_deal(1) for table in (first, other)]
    claims = [table.decide(1, at) for table, at in zip((first, other), times, strict=True)]
    until(lambda: any("undetermined" in alert for alert in alerts(house)), "somebody is told")
    assert (first.valued(claims[0]), other.valued(claims[1])) == (None, None)
    order = [{"table": "T02", "claim": claims[1]}, {"table": "T01", "claim": claims[0]}]
    assert "done" in act(house, "OrderClaims", {"meter": "hot/major", "claims": order})
    paid = other.confirm(1, claims[1])
    first.deny(1, claims[0])
    assert (books(house)["hits"], books(house)["wins_minor"]) == (1, paid)


@pytest.mark.timeout(120)
def test_a_claim_after_a_payment_is_for_the_new_cycle_alone(house: HandHouse) -> None:
    winner, other, _ = house.tables
    first = winner.decide(1, winner.lock_and_deal(1))
    winner.worth(first)
    dealt = other.lock_and_deal(1)  # while the display is frozen: its bet belongs to the next cycle
    paid = winner.confirm(1, first)
    second = other.decide(1, dealt)
    assert other.worth(second).value_micro == RESET_MICRO + GROWTH_MICRO
    assert paid == (RESET_MICRO + GROWTH_MICRO) // 1_000_000
    paid += other.confirm(1, second)
    assert (books(house)["hits"], books(house)["wins_minor"]) == (2, paid)
