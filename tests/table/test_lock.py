"""Which chips lay there at the lock: a function of stamps and margins, never of delivery."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS
from felt.table import facts
from felt.table.facts import Fact
from felt.table.lock import Presence, movements, presence_at
from felt.table.settings import HISTORY_MAX
from felt.table.state import Change, Phase, SpotState
from felt.table.upkeep import BEFORE_THE_BOOT_NS
from tests.table.bench import METERS, STEPPER, Bench, settings_of, table_at

LOCK_NS = 10_000 * NS_PER_MS
SPOTS = ("1.progressive", "2.progressive", "3.ante", "4.pair_plus")


class Evening(NamedTuple):
    """Changes of each spot in the order of their stamps, around a lock at `LOCK_NS`."""

    edges: dict[str, tuple[int, ...]]


# Far enough apart for each to be a movement of its own, and now and then at the very instant.
_offsets = st.integers(-40, 40).map(lambda place: place * 41 * NS_PER_MS // 2)
_edges = st.lists(_offsets, max_size=HISTORY_MAX, unique=True).map(lambda some: tuple(sorted(some)))
_evenings = st.fixed_dictionaries(dict.fromkeys(SPOTS, _edges)).map(Evening)


def _told(evening: Evening) -> dict[str, list[Fact]]:
    """Each line's facts, in the order in which the line itself brings them."""
    at = Bench().stamp()
    lines: dict[str, list[Fact]] = {"key": [facts.NoMoreBetsPressed(at, LOCK_NS, METERS)]}
    for spot, offsets in evening.edges.items():
        kinds = (facts.ChipSeen, facts.ChipLifted)
        lines[spot] = [kinds[place % 2](at, Spot(spot), LOCK_NS + ns) for place, ns in enumerate(offsets)]
    return lines


def _wanted(evening: Evening, margin_ns: int) -> dict[str, Presence]:
    """The rule once more, told from the other side: what lay there certainly before, and is anything near."""
    wanted = {}
    for spot, offsets in evening.edges.items():
        certain = [ns for ns in offsets if ns < -margin_ns]
        near = [ns for ns in offsets if -margin_ns <= ns <= margin_ns]
        there = Presence.THERE if len(certain) % 2 else Presence.ABSENT
        wanted[spot] = Presence.UNDETERMINED if near else there
    return wanted


@given(evening=_evenings, data=st.data())
@settings(max_examples=2_000, deadline=None)
def test_the_lock_depends_only_on_stamps_and_margins(evening: Evening, data: st.DataObject) -> None:
    """Any delivery: each line brings its own edges in order, lines overtake one another at will, and the lock key is
    only one of them."""
    lines = _told(evening)
    order = data.draw(st.permutations([name for name, some in lines.items() for _ in some]))
    table = STEPPER.step(table_at("IDLE"), facts.OpenPressed(Bench().stamp()))
    for name in order:
        table = STEPPER.step(table, lines[name].pop(0))
    table = STEPPER.step(table, facts.DeadlinePassed(Bench().stamp(), "drain"))
    wanted = _wanted(evening, margin_ns=0)
    assert table.round is not None
    asked = {question.where for question in table.irregularity.questions}
    assert asked == {spot for spot, presence in wanted.items() if presence is Presence.UNDETERMINED}
    if not asked:
        seated = {f"{bet.seat}.{bet.wager}" for bet in table.round.bets}
        assert seated == {spot for spot, presence in wanted.items() if presence is Presence.THERE}


@given(offsets=_edges, margin_ms=st.integers(0, 10))
@settings(max_examples=500, deadline=None)
def test_a_margin_makes_undetermined_exactly_what_is_within_it(offsets: tuple[int, ...], margin_ms: int) -> None:
    changes = tuple(Change(LOCK_NS + ns, place % 2 == 0) for place, ns in enumerate(offsets))
    margin_ns = margin_ms * NS_PER_MS
    wanted = _wanted(Evening({"1.ante": offsets}), margin_ns)["1.ante"]
    assert presence_at(SpotState(Spot("1.ante"), changes=changes), LOCK_NS, margin_ns) is wanted


@pytest.mark.parametrize("first_ns", [0, 1, NS_PER_MS])
def test_a_late_chip_is_never_seated_however_often_it_moves(first_ns: int) -> None:
    bench = Bench().idle().do(facts.OpenPressed).chip("1.ante")
    bench.do(facts.NoMoreBetsPressed, edge_ns=LOCK_NS, meters=METERS)
    for move in range(4 * HISTORY_MAX + 1):
        kind = facts.ChipLifted if move % 2 else facts.ChipSeen
        bench.do(kind, spot=Spot("1.progressive"), edge_ns=LOCK_NS + first_ns + move * 25 * NS_PER_MS)
    bench.do(facts.DeadlinePassed, name="drain")
    playing = bench.table.round
    assert playing is not None
    assert all(bet.wager != "progressive" for bet in playing.bets)
    assert (bench.table.phase is Phase.LOCKING) == (first_ns == 0)  # at the very instant: the supervisor decides


def test_many_moves_before_the_lock_are_remembered_as_one_level() -> None:
    bench = Bench().idle().do(facts.OpenPressed)
    for move in range(4 * HISTORY_MAX + 1):
        kind = facts.ChipLifted if move % 2 else facts.ChipSeen
        bench.do(kind, spot=Spot("1.ante"), edge_ns=LOCK_NS - (200 - move) * NS_PER_MS)
    bench.do(facts.NoMoreBetsPressed, edge_ns=LOCK_NS, meters=METERS).do(facts.DeadlinePassed, name="drain")
    assert bench.table.round is not None
    assert [bet.wager for bet in bench.table.round.bets] == ["ante"]


def test_the_margin_is_the_chips_lateness_and_the_keys_together() -> None:
    from felt.table.lock import margin_ns

    late = settings_of()._replace(lock_key_late_ms_max=3)
    late = late._replace(sensors=tuple(sensor._replace(late_ms_max=4) for sensor in late.sensors))
    assert margin_ns(late, Spot("1.ante")) == 7 * NS_PER_MS


@pytest.mark.parametrize("choice", ["seat", "return"])
def test_a_ruling_settles_an_undetermined_chip(choice: str) -> None:
    table = table_at("locking with an undetermined chip")
    asked = table.irregularity.questions[0].id
    table = STEPPER.step(table, facts.RulingMade(Bench().stamp(), asked, choice, "supervisor", ""))
    assert table.round is not None
    seated = any((bet.seat, bet.wager) == (2, "progressive") for bet in table.round.bets)
    assert (table.phase, seated) == (Phase.DEALING, choice == "seat")


def test_what_comes_to_light_at_another_spot_while_one_is_ruled_on_is_asked_about_too() -> None:
    """A lost edge is found by reading the level: the table waited for a ruling that nobody had been asked for."""
    bench = Bench().betting().chip("2.ante")
    lock_ns = bench.stamp().mono_ns + 50 * NS_PER_MS
    bench.do(facts.ChipSeen, spot=Spot("2.progressive"), edge_ns=lock_ns)
    bench.do(facts.NoMoreBetsPressed, edge_ns=lock_ns, meters=METERS)
    bench.do(facts.DeadlinePassed, name="drain")
    bench.do(facts.LevelFound, spot=Spot("1.pair_plus"), present=True)
    first = bench.table.irregularity.questions[0].id
    bench.do(facts.RulingMade, question=first, choice="seat", person="supervisor", reason="seen")
    assert [deadline.name for deadline in bench.table.deadlines] == ["drain"]
    bench.do(facts.DeadlinePassed, name="drain")
    (asked,) = bench.table.irregularity.questions
    assert asked.where == "1.pair_plus"
    bench.do(facts.RulingMade, question=asked.id, choice="return", person="supervisor", reason="seen")
    assert bench.table.phase is Phase.DEALING


def test_hands_keep_their_times_in_the_boot_of_their_deal() -> None:
    bench = Bench().deciding()
    before = bench.table.round
    bench.boot()
    assert before is not None
    assert bench.table.round is not None
    assert bench.table.round.dealt == before.dealt


def test_how_long_before_a_boot_its_last_cards_were_dealt_is_not_known() -> None:
    bench = Bench().dealing()
    bench.do(facts.CardDealt, card="2c", arrived_ns=bench.stamp().mono_ns, sequence=9)
    bench.boot()
    assert bench.table.round is not None
    (dealt,) = bench.table.round.dealt
    assert (dealt.arrived_ns, dealt.uncertain_ns) == (0, BEFORE_THE_BOOT_NS)


def test_edges_of_a_later_boot_are_after_the_lock() -> None:
    bench = Bench().dealing()
    lock_ns = bench.table.round.lock_ns if bench.table.round else None
    assert lock_ns is not None
    bench.boot()
    first = bench.table.irregularity.questions[0].id
    bench.do(facts.RulingMade, question=first, choice="continue", person="s", reason="as they lay")
    bench.do(facts.ChipSeen, spot=Spot("2.progressive"), edge_ns=1)
    assert bench.table.irregularity.questions == ()
    assert "after the lock" in bench.table.panel.notices[-1].sentence


@pytest.mark.parametrize(
    ("heard", "why"),
    [
        ((), "the jackpot controller has not told its value since the table started"),
        ((("minor", 5),), "the jackpot controller tells this table no value of major: see the meters in its file"),
    ],
)
def test_without_a_value_of_every_meter_no_progressive_bet_is_taken(heard: facts.Meters, why: str) -> None:
    table = STEPPER.step(table_at("IDLE"), facts.OpenPressed(Bench().stamp()))
    for spot in ("1.ante", "1.progressive"):
        table = STEPPER.step(table, facts.ChipSeen(Bench().stamp(), Spot(spot), 1))
    table = STEPPER.step(table, facts.NoMoreBetsPressed(Bench().stamp(), LOCK_NS, heard))
    assert table.panel.notices[-1].sentence.endswith(f": {why}.")
    table = STEPPER.step(table, facts.DeadlinePassed(Bench().stamp(), "drain"))
    assert table.round is not None
    assert {bet.wager: bet.accepted for bet in table.round.bets} == {"ante": True, "progressive": False}


@pytest.mark.parametrize(
    ("edges_ms", "told_ms"),
    [
        ([(0, True)], [(0, True)]),
        ([(0, True), (19, False)], []),  # a touch
        ([(0, True), (20, False)], [(0, True), (20, False)]),
        ([(0, True), (3, False), (6, True)], [(0, True)]),  # bounces, dated by the first edge
        ([(0, True), (3, False), (6, True), (60, False)], [(0, True), (60, False)]),
        ([(0, True), (60, False), (62, True)], [(0, True)]),
    ],
)
def test_a_movement_is_told_by_its_stamps_however_its_edges_came(
    edges_ms: list[tuple[int, bool]], told_ms: list[tuple[int, bool]]
) -> None:
    changes = tuple(Change(ms * NS_PER_MS, present) for ms, present in edges_ms)
    told = movements(SpotState(Spot("1.ante"), changes=changes), 20 * NS_PER_MS)
    assert [(one.edge_ns // NS_PER_MS, one.present) for one in told] == told_ms


def test_a_level_that_was_found_is_no_part_of_a_movement() -> None:
    changes = (Change(0, True), Change(5 * NS_PER_MS, False, found=True))
    assert movements(SpotState(Spot("1.ante"), changes=changes), 20 * NS_PER_MS) == changes
