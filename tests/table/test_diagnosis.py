"""Contacts found wrong are named, stay out of play, and come back only when they test good."""

from __future__ import annotations

import pytest

from felt.nouns.ids import Spot
from felt.table import facts
from felt.table.state import SpotState
from tests.table.bench import Bench

SPOT = Spot("3.progressive")


def _spot(bench: Bench) -> SpotState:
    return next(spot for spot in bench.table.spots if spot.spot == SPOT)


def _quarantined(bench: Bench) -> list[Spot]:
    return list(bench.table.quarantined)


def _cover(bench: Bench) -> Bench:
    return bench.do(facts.ChipSeen, spot=SPOT, edge_ns=bench.stamp().mono_ns)


def _uncover(bench: Bench) -> Bench:
    return bench.do(facts.ChipLifted, spot=SPOT, edge_ns=bench.stamp().mono_ns)


def _clear(bench: Bench, code: str) -> bool:
    """Whether the fault could be cleared."""
    bench.do(facts.FaultCleared, code=code, where=SPOT, person="technician")
    return all(fault.code != code for fault in bench.table.service.faults)


@pytest.mark.parametrize("code", ["F-101", "F-104", "F-105", "F-110"])
def test_a_spot_is_believed_after_one_clean_cover_and_one_clean_uncover(code: str) -> None:
    bench = Bench().do(facts.FaultRaised, code=code, where=SPOT)
    assert not _clear(bench, code)
    assert not _clear(_cover(bench), code)
    assert _clear(_uncover(bench), code)
    assert bench.table.quarantined == ()


def test_what_was_proved_before_the_fault_does_not_count() -> None:
    bench = _uncover(_cover(Bench())).do(facts.ChipChattered, spot=SPOT, edge_ns=1)
    assert not _clear(bench, "F-101")


def test_chattering_again_restarts_the_test() -> None:
    bench = _cover(Bench().do(facts.ChipChattered, spot=SPOT, edge_ns=1))
    assert not _clear(_uncover(bench.do(facts.ChipChattered, spot=SPOT, edge_ns=2)), "F-101")


def test_a_level_found_without_an_edge_proves_nothing() -> None:
    bench = _cover(Bench().do(facts.ChipChattered, spot=SPOT, edge_ns=1))
    assert not _clear(bench.do(facts.LevelFound, spot=SPOT, present=False), "F-101")


def test_a_spot_with_two_faults_stays_out_of_play_until_both_are_cleared() -> None:
    bench = Bench().do(facts.FaultRaised, code="F-101", where=SPOT).do(facts.FaultRaised, code="F-104", where=SPOT)
    assert _quarantined(bench) == [SPOT]
    assert _clear(_uncover(_cover(bench)), "F-101")
    assert _quarantined(bench) == [SPOT]
    assert _clear(bench, "F-104")
    assert _quarantined(bench) == []


def _round_with(bench: Bench, *seats: int, without_coin: int | None = None) -> Bench:
    """`without_coin` takes part with an Ante alone."""
    bench.do(facts.OpenPressed)
    if without_coin is not None:
        seats = (*seats, without_coin)
        if not bench.table.spots[3 * without_coin - 3].present:
            bench.chip(f"{without_coin}.ante")
    for seat in seats:
        if seat != without_coin and not bench.table.spots[3 * seat - 1].present:
            bench.chip(f"{seat}.ante", f"{seat}.progressive")
    bench.lock().do(facts.DeadlinePassed, name="drain")
    playing = bench.table.round
    assert playing is not None
    deck = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d 3d 4d 5d 6d 7d 8d 9d".split()
    bench.cards(" ".join(deck[: len(playing.plan)])).do(facts.FoldModePressed)
    for seat in seats:
        bench.do(facts.SeatPressed, seat=seat)
    return bench.do(facts.RevealPressed).do(facts.SettlePressed).do(facts.SettlePressed)


def test_only_rounds_with_two_other_bets_count_against_a_spot_that_sees_nothing() -> None:
    bench = Bench("diagnosis.unseen_rounds=2").idle()
    for _ in range(3):
        _round_with(bench, 1, without_coin=3)
    assert _spot(bench).unseen == 0
    for _ in range(2):
        _round_with(bench, 1, 2, without_coin=3)
    assert [(fault.code, fault.where) for fault in bench.table.service.faults] == [("F-105", SPOT)]
    assert bench.table.quarantined == ()


def test_an_empty_box_is_not_doubted_where_the_ante_is_sensed() -> None:
    bench = Bench("diagnosis.unseen_rounds=1").idle()
    _round_with(bench, 1, 2)
    assert bench.table.service.faults == ()


def test_where_no_ante_is_sensed_any_box_may_have_had_a_player() -> None:
    bench = Bench("diagnosis.unseen_rounds=1", 'board.sensed=["progressive"]').idle().do(facts.OpenPressed)
    bench.chip("1.progressive", "2.progressive").lock().do(facts.DeadlinePassed, name="drain")
    playing = bench.table.round
    assert playing is not None
    deck = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc".split()
    bench.cards(" ".join(deck[: len(playing.plan)])).do(facts.FoldModePressed)
    bench.do(facts.SeatPressed, seat=1).do(facts.SeatPressed, seat=2)
    bench.do(facts.RevealPressed).do(facts.SettlePressed).do(facts.SettlePressed)
    assert SPOT in [fault.where for fault in bench.table.service.faults if fault.code == "F-105"]


def test_a_lamp_is_cleared_by_its_own_current_and_by_no_person() -> None:
    bench = Bench().do(facts.LampFound, lamp=SPOT, state="open")
    assert _quarantined(bench) == [SPOT]
    assert not _clear(_uncover(_cover(bench)), "F-108")
    bench.do(facts.LampFound, lamp=SPOT, state="short")
    assert [fault.code for fault in bench.table.service.faults] == ["F-109"]
    bench.do(facts.FaultRaised, code="F-101", where=SPOT).do(facts.LampFound, lamp=SPOT, state="good")
    assert [fault.code for fault in bench.table.service.faults] == ["F-101"]
    assert _quarantined(bench) == [SPOT]


def test_a_box_out_of_play_is_not_doubted_for_seeing_nothing() -> None:
    bench = Bench("diagnosis.unseen_rounds=1").idle().do(facts.SeatBarred, seat=3, out=True, person="s")
    _round_with(bench, 1, 2, without_coin=3)
    assert SPOT not in [fault.where for fault in bench.table.service.faults]


def test_a_limit_of_zero_rounds_doubts_no_spot() -> None:
    bench = Bench("diagnosis.unseen_rounds=0").idle()
    _round_with(_round_with(bench, 1, 2), 1, 2)
    assert bench.table.service.faults == ()
