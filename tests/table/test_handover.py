"""What one era hands over to the next survives, and nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from felt.nouns.ids import Spot
from felt.nouns.values import ShapeError, replace
from felt.table import facts, settle
from felt.table.handover import FORMAT, hand_over, taken_over
from felt.table.state import Phase, ServiceState, Table
from tests.table.bench import WAYS, Bench, table_at

WITHOUT_ROUND = [way for way in WAYS if table_at(way).round is None]


def _written(table: Table) -> dict[str, Any]:
    return dict(json.loads(json.dumps(hand_over(table))))


@pytest.mark.parametrize("way", WITHOUT_ROUND)
def test_what_is_owed_survives_the_end_of_an_era(way: str) -> None:
    old = table_at(way)
    new = taken_over(_written(old), old.settings)
    assert new.post == old.post
    assert new.tally == old.tally
    assert (new.quarantined, new.barred) == (old.quarantined, old.barred)
    assert (new.service.faults, new.service.ordered_out) == (old.service.faults, old.service.ordered_out)
    assert new.irregularity.asked == old.irregularity.asked
    assert new.panel.noticed == old.panel.noticed
    assert (new.phase, new.service.state, new.round) == (Phase.CLOSED, ServiceState.BOOTING, None)


@pytest.mark.parametrize("way", WITHOUT_ROUND)
def test_handing_over_twice_changes_nothing_more(way: str) -> None:
    once = taken_over(_written(table_at(way)), table_at(way).settings)
    again = taken_over(_written(once), once.settings)
    assert again == once


def test_no_era_is_closed_while_a_round_is_open() -> None:
    with pytest.raises(AssertionError, match="only when no round is open"):
        hand_over(table_at("BETTING"))


def test_a_journal_that_is_born_takes_nothing_over() -> None:
    assert taken_over({}, None) == Table()


@pytest.mark.parametrize("wrong", [{"format": "one"}, {"format": 2}, {"tally": [1]}, {"unanswered": [[1]]}])
def test_a_hand_over_that_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShapeError):
        taken_over({**_written(table_at("IDLE")), **wrong}, None)


def test_additional_parts_of_a_later_hand_over_are_ignored() -> None:
    handed = _written(table_at("IDLE"))
    assert taken_over({**handed, "something_new": [1]}, None) == taken_over(handed, None)


def test_an_era_opens_with_what_was_handed_over() -> None:
    bench = Bench().ended().do(facts.ChipChattered, spot="3.progressive", edge_ns=1)
    handed = _written(bench.table)
    assert handed["format"] == FORMAT
    bench.do(facts.EraClosed, handover=handed)
    written = bench.table.post.written
    bench.do(facts.EraOpened, nonce="00c0ffee", firmware="2", handover=handed)
    assert (bench.table.firmware, bench.table.post.written) == ("2", written)
    assert bench.table.quarantined == ("3.progressive",)


def _after_a_round() -> Bench:
    return Bench().revealing().do(facts.SettlePressed).do(facts.SettlePressed)


def test_a_round_that_could_be_voided_before_the_restart_can_be_voided_after_it_and_books_the_same() -> None:
    old = _after_a_round()
    new = taken_over(_written(old.table), old.table.settings)
    before, after = old.table.previous, new.previous
    assert before is not None
    assert after is not None
    assert (after.number, after.settled_at) == (before.number, before.settled_at)
    assert after.dealt == ()
    assert settle.returned_lines(after, "5.16") == settle.returned_lines(before, "5.16")
    assert settle.staked_minor(after) == settle.staked_minor(before)


@pytest.mark.parametrize("reading", ["excess_returned", "whole_bet_returned"])
def test_amounts_that_were_found_go_back_after_the_restart_and_their_booking_is_reversed(reading: str) -> None:
    old = Bench(f"game.readings.pj_wrong_amount={reading}").deciding()
    old.do(facts.PlayModePressed).do(facts.SeatPressed, seat=1)
    for spot, amount in (("1.ante", 3_000), ("1.play", 2_000), ("1.progressive", 800)):
        old.do(facts.AmountFound, spot=Spot(spot), amount_minor=amount, person="d")
    old.do(facts.RevealPressed).do(facts.SettlePressed).do(facts.SettlePressed)
    before, after = old.table.previous, taken_over(_written(old.table), old.table.settings).previous
    assert before is not None
    assert after is not None
    lines = settle.returned_lines(after, "5.16")
    assert lines == settle.returned_lines(before, "5.16")
    assert {line.bet: line.returned for line in lines} == {"ante": 3_000, "play": 2_000, "progressive": 800}
    assert settle.staked_minor(after) == settle.staked_minor(before) == (500 if reading == "excess_returned" else 0)


def test_additional_parts_of_a_later_last_round_are_ignored() -> None:
    handed = _written(_after_a_round().table)
    later = {**handed, "last_round": {**handed["last_round"], "something_new": 1}}
    assert taken_over(later, None) == taken_over(handed, None)


def test_a_card_that_comes_again_after_the_restart_is_known_by_its_number() -> None:
    bench = Bench().idle().do(facts.ShufflerGreeted, session=7, identity="S-100").dealing().cards("As Ks Qs")
    assert bench.table.shuffler.sequence
    shuffler = bench.table.shuffler
    new = taken_over(_written(replace(bench.table, round=None)), bench.table.settings).shuffler
    assert (new.session, new.identity, new.sequence) == (7, "S-100", shuffler.sequence)
    later = {**_written(table_at("IDLE")), "device": {"session": 7, "colour": "red"}}
    assert taken_over(later, None).shuffler.session == 7


def test_a_void_round_and_one_with_a_confirmed_jackpot_are_not_handed_over() -> None:
    void = _after_a_round().do(facts.VoidOrdered, person="s", reason="a quarrel", role="shift_manager")
    assert void.table.previous is not None
    assert void.table.previous.void_rule
    paid = Bench().paying_a_jackpot().do(facts.SettlePressed)
    assert paid.table.previous is not None
    for bench in (void, paid):
        assert taken_over(_written(bench.table), bench.table.settings).previous is None


def test_a_hand_over_of_the_version_before_has_no_last_round() -> None:
    handed = _written(_after_a_round().table)
    del handed["last_round"]
    assert taken_over(handed, None).previous is None
