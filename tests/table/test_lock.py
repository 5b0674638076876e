"""Which chips lay there at the lock depends on stamps and margins, never on delivery."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import replace
from felt.table import facts
from felt.table.facts import Fact
from felt.table.lock import ChipPresence, Lock, presence_at, with_burst
from felt.table.service import BEFORE_THE_BOOT_NS
from felt.table.settings import HISTORY_MAX
from felt.table.state import Burst, Phase, SpotState
from tests.table.bench import METERS, STEPPER, Bench, settings_of, table_at

LOCK_NS = 10_000 * NS_PER_MS
SETTLE_NS = 20 * NS_PER_MS
HONEST = Lock(LOCK_NS, 2 * NS_PER_MS, SETTLE_NS, LOCK_NS + 1_000 * NS_PER_MS)
SPOTS = ("1.progressive", "2.progressive", "3.ante", "4.pair_plus")


class Evening(NamedTuple):
    """Changes of each spot in the order of their stamps, around a lock at `LOCK_NS`."""

    edges: dict[str, tuple[int, ...]]


# Far enough apart for each to be a movement of its own; some are exactly at the lock.
_offsets = st.integers(-40, 40).map(lambda place: place * 41 * NS_PER_MS // 2)
_edges = st.lists(_offsets, max_size=HISTORY_MAX, unique=True).map(lambda some: tuple(sorted(some)))
_evenings = st.fixed_dictionaries(dict.fromkeys(SPOTS, _edges)).map(Evening)


def _facts_of(evening: Evening) -> dict[str, list[Fact]]:
    """Each line's facts, in the order in which the line itself delivers them."""
    at = Bench().stamp()
    lines: dict[str, list[Fact]] = {"key": [facts.NoMoreBetsPressed(at, LOCK_NS, METERS)]}
    for spot, offsets in evening.edges.items():
        kinds = (facts.ChipSeen, facts.ChipLifted)
        lines[spot] = [kinds[place % 2](at, Spot(spot), LOCK_NS + ns) for place, ns in enumerate(offsets)]
    return lines


def _wanted(evening: Evening, margin_ns: int) -> dict[str, ChipPresence]:
    """The same rule from the other side: what certainly lay there before, and whether anything is near the lock."""
    wanted = {}
    for spot, offsets in evening.edges.items():
        certain = [ns for ns in offsets if ns < -margin_ns]
        near = [ns for ns in offsets if -margin_ns <= ns <= margin_ns]
        there = ChipPresence.THERE if len(certain) % 2 else ChipPresence.ABSENT
        wanted[spot] = ChipPresence.UNDETERMINED if near else there
    return wanted


@given(evening=_evenings, data=st.data())
@settings(max_examples=2_000, deadline=None)
def test_the_lock_depends_only_on_stamps_and_margins(evening: Evening, data: st.DataObject) -> None:
    """In any delivery each line brings its own edges in order, lines overtake one another at will, and the lock key is
    only one of the lines."""
    lines = _facts_of(evening)
    order = data.draw(st.permutations([name for name, some in lines.items() for _ in some]))
    table = STEPPER.after(table_at("IDLE"), facts.OpenPressed(Bench().stamp()))
    for name in order:
        table = STEPPER.after(table, lines[name].pop(0))
    table = STEPPER.after(table, facts.DeadlinePassed(Bench().stamp(), "drain"))
    wanted = _wanted(evening, margin_ns=0)
    assert table.round is not None
    asked = {question.where for question in table.irregularity.questions}
    assert asked == {spot for spot, presence in wanted.items() if presence is ChipPresence.UNDETERMINED}
    if not asked:
        seated = {f"{bet.seat}.{bet.wager}" for bet in table.round.bets}
        assert seated == {spot for spot, presence in wanted.items() if presence is ChipPresence.THERE}


@given(offsets=_edges, margin_ms=st.integers(0, 10))
@settings(max_examples=500, deadline=None)
def test_a_margin_makes_undetermined_exactly_what_is_within_it(offsets: tuple[int, ...], margin_ms: int) -> None:
    bursts = tuple(Burst(LOCK_NS + ns, LOCK_NS + ns, place % 2 == 0) for place, ns in enumerate(offsets))
    margin_ns = margin_ms * NS_PER_MS
    wanted = _wanted(Evening({"1.ante": offsets}), margin_ns)["1.ante"]
    assert presence_at(SpotState(Spot("1.ante"), bursts=bursts), replace(HONEST, margin_ns=margin_ns)) is wanted


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

    late = replace(settings_of(), lock_key_late_ms_max=3)
    late = replace(late, sensors=tuple(replace(sensor, late_ms_max=4) for sensor in late.sensors))
    assert margin_ns(late, Spot("1.ante")) == 7 * NS_PER_MS


@pytest.mark.parametrize("choice", ["seat", "return"])
def test_a_ruling_decides_an_undetermined_chip(choice: str) -> None:
    table = table_at("locking with an undetermined chip")
    asked = table.irregularity.questions[0].id
    table = STEPPER.after(table, facts.RulingMade(Bench().stamp(), asked, choice, "supervisor", ""))
    assert table.round is not None
    seated = any((bet.seat, bet.wager) == (2, "progressive") for bet in table.round.bets)
    assert (table.phase, seated) == (Phase.DEALING, choice == "seat")


def test_what_comes_to_light_at_another_spot_while_one_is_ruled_on_is_asked_about_too() -> None:
    """Reading the level finds a lost edge. The table then waited for a ruling that nobody had been asked for."""
    bench = Bench().betting().chip("2.ante")
    lock_ns = bench.stamp().mono_ns + 50 * NS_PER_MS
    bench.do(facts.ChipSeen, spot=Spot("2.progressive"), edge_ns=lock_ns)
    bench.do(facts.NoMoreBetsPressed, edge_ns=lock_ns, meters=METERS)
    bench.do(facts.DeadlinePassed, name="drain")
    bench.do(facts.LevelFound, spot=Spot("1.pair_plus"), present=True, read_ns=lock_ns + NS_PER_MS)
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
    table = STEPPER.after(table_at("IDLE"), facts.OpenPressed(Bench().stamp()))
    for spot in ("1.ante", "1.progressive"):
        table = STEPPER.after(table, facts.ChipSeen(Bench().stamp(), Spot(spot), 1))
    table = STEPPER.after(table, facts.NoMoreBetsPressed(Bench().stamp(), LOCK_NS, heard))
    assert table.panel.notices[-1].sentence.endswith(f": {why}.")
    table = STEPPER.after(table, facts.DeadlinePassed(Bench().stamp(), "drain"))
    assert table.round is not None
    assert {bet.wager: bet.accepted for bet in table.round.bets} == {"ante": True, "progressive": False}


def _told(*pieces_ms: tuple[int, int, bool]) -> SpotState:
    """A spot after bursts. Each burst is reported as its first edge, its last edge and its level."""
    spot = SpotState(Spot("1.ante"))
    for first_ms, last_ms, present in pieces_ms:
        spot = with_burst(spot, Burst(first_ms * NS_PER_MS, last_ms * NS_PER_MS, present), SETTLE_NS)
    return spot


@pytest.mark.parametrize(
    ("pieces_ms", "bursts_ms"),
    [
        ([(0, 0, True)], [(0, 0, True)]),
        ([(0, 0, True), (19, 19, False)], [(0, 19, False)]),  # a touch
        ([(0, 0, True), (20, 20, False)], [(0, 0, True), (20, 20, False)]),
        ([(0, 3, False), (6, 6, True)], [(0, 6, True)]),  # bounces that came late
        ([(0, 3, False), (6, 6, True), (60, 60, False)], [(0, 6, True), (60, 60, False)]),
        ([(0, 0, True), (60, 60, False), (62, 62, True)], [(0, 0, True), (60, 62, True)]),
    ],
)
def test_a_burst_is_told_by_its_stamps_however_its_edges_came(
    pieces_ms: list[tuple[int, int, bool]], bursts_ms: list[tuple[int, int, bool]]
) -> None:
    told = _told(*pieces_ms).bursts
    assert [(burst.edge_ns // NS_PER_MS, burst.last_ns // NS_PER_MS, burst.present) for burst in told] == bursts_ms


def test_a_level_that_was_read_is_no_part_of_a_burst() -> None:
    edge, read = Burst(0, 0, True), Burst(5 * NS_PER_MS, 5 * NS_PER_MS, False, found=True)
    spot = with_burst(with_burst(SpotState(Spot("1.ante")), edge, SETTLE_NS), read, SETTLE_NS)
    assert spot.bursts == (edge, read)


@pytest.mark.parametrize(
    ("first_ms", "last_ms", "ended", "wanted"),
    [
        (-200, -10, True, ChipPresence.THERE),  # wholly before the lock, however long it was
        (-80, 0, True, ChipPresence.THERE),  # four settle times: dated by its first edge
        (-81, 0, True, ChipPresence.UNDETERMINED),  # longer, and across the lock
        (-3, 77, True, ChipPresence.THERE),
        (-2, 10, True, ChipPresence.UNDETERMINED),  # its first edge is within the margin
        (2, 10, True, ChipPresence.UNDETERMINED),
        (3, 300, True, ChipPresence.ABSENT),  # wholly after the lock
        (-30, -30, False, ChipPresence.UNDETERMINED),  # it goes on
        (3, 3, False, ChipPresence.ABSENT),
    ],
)
def test_a_burst_that_ends_changed_counts_by_its_place_in_time(
    first_ms: int, last_ms: int, ended: bool, wanted: ChipPresence
) -> None:
    burst = Burst(LOCK_NS + first_ms * NS_PER_MS, LOCK_NS + last_ms * NS_PER_MS, present=True, ended=ended)
    spot = SpotState(Spot("1.ante"), bursts=(burst,))
    assert presence_at(spot, HONEST) is wanted


@pytest.mark.parametrize(("last_ms", "is_known"), [(90, True), (91, False), (500, False)])
@pytest.mark.parametrize("lies_there", [True, False])
def test_a_burst_across_the_lock_that_goes_on_when_the_drain_ends_is_undetermined(
    last_ms: int, is_known: bool, lies_there: bool
) -> None:
    """Even if its end is known by now: the answer must not depend on how slow the disk was."""
    burst = Burst(LOCK_NS - NS_PER_MS, LOCK_NS + last_ms * NS_PER_MS, lies_there)
    spot = SpotState(Spot("1.ante"), lies_there, lies_there, (burst,))
    told = presence_at(spot, replace(HONEST, drained_ns=LOCK_NS + 110 * NS_PER_MS))
    assert told is (
        (ChipPresence.THERE if lies_there else ChipPresence.ABSENT) if is_known else ChipPresence.UNDETERMINED
    )


@given(first_ms=st.integers(-300, 300), length_ms=st.integers(0, 600), lies_there=st.booleans())
def test_a_burst_that_ends_where_it_began_has_changed_nothing(first_ms: int, length_ms: int, lies_there: bool) -> None:
    first_ns = LOCK_NS + first_ms * NS_PER_MS
    burst = Burst(first_ns, first_ns + length_ms * NS_PER_MS, lies_there)
    spot = SpotState(Spot("1.ante"), lies_there, lies_there, (burst,))
    wanted = ChipPresence.THERE if lies_there else ChipPresence.ABSENT
    assert presence_at(spot, HONEST) is wanted


@pytest.mark.parametrize(
    ("read_ms", "wanted"),
    [(-3, ChipPresence.THERE), (-2, ChipPresence.UNDETERMINED), (90, ChipPresence.UNDETERMINED)],
)
def test_a_level_found_by_reading_had_changed_at_an_unknown_time(read_ms: int, wanted: ChipPresence) -> None:
    read_ns = LOCK_NS + read_ms * NS_PER_MS
    spot = SpotState(Spot("1.ante"), bursts=(Burst(read_ns, read_ns, True, found=True),))
    assert presence_at(spot, HONEST) is wanted
