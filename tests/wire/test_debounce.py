from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from felt.nouns.stamps import NS_PER_MS
from felt.ports import BoardLine
from felt.wire.debounce import (
    DELIVERY_WORST_MS,
    WAITING_EDGES_MAX,
    Chattered,
    Debouncer,
    Disagreed,
    Event,
    Flickered,
    Settled,
)

SETTLE_MS = 10
SETTLE_NS = SETTLE_MS * NS_PER_MS
SPOT = "3.progressive"
KEY = "key.no_more_bets"
FOREVER_NS = 10**15
Edge = tuple[str, bool, int]


def line(name: str = SPOT, settle_ms: int = SETTLE_MS, late_ms_max: int = 2) -> BoardLine:
    return BoardLine(name, settle_ms, True, late_ms_max)


def settled(level: bool, first_edge_ms: int, settled_ms: int, after_chatter: bool = False) -> Settled:
    last_edge_ms = settled_ms - SETTLE_MS
    return Settled(SPOT, level, first_edge_ms * NS_PER_MS, last_edge_ms * NS_PER_MS, after_chatter)


def toggles(*instants_ms: int, start: bool = True) -> list[Edge]:
    """Edges of one line that alternate, beginning with `start`."""
    return [(SPOT, start if place % 2 == 0 else not start, at * NS_PER_MS) for place, at in enumerate(instants_ms)]


def events_of(edges: list[Edge], until_ns: int = FOREVER_NS) -> list[Event]:
    debouncer = Debouncer([line()])
    for edge in edges:
        debouncer.edge(*edge)
    return debouncer.advance(until_ns)


def test_a_chip_that_bounces_is_one_change_dated_by_its_first_edge() -> None:
    assert events_of(toggles(100, 101, 102, 103, 104)) == [settled(True, 100, 114)]


def test_nothing_is_reported_before_the_settle_time_has_passed() -> None:
    assert events_of(toggles(100), until_ns=110 * NS_PER_MS - 1) == []
    assert events_of(toggles(100), until_ns=110 * NS_PER_MS) == [settled(True, 100, 110)]


def test_a_change_that_returns_within_the_settle_time_is_a_flicker() -> None:
    assert events_of(toggles(100, 104)) == [Flickered(SPOT, 100 * NS_PER_MS, 104 * NS_PER_MS)]


def test_a_change_that_lasts_exactly_the_settle_time_is_believed() -> None:
    assert events_of(toggles(100, 110)) == [
        settled(True, 100, 110),
        settled(False, 110, 120),
    ]


def test_a_burst_of_exactly_four_settle_times_is_still_a_bet() -> None:
    burst = toggles(100, 108, 116, 124, 132, 138, 140)
    assert events_of(burst) == [settled(True, 100, 150)]


def test_a_longer_burst_is_chatter_and_its_level_is_no_bet() -> None:
    burst = toggles(100, 108, 116, 124, 132, 138, 141, 149, 150)
    assert events_of(burst) == [
        Chattered(SPOT, 100 * NS_PER_MS, 141 * NS_PER_MS),
        settled(True, 100, 160, after_chatter=True),
    ]


def test_chatter_that_ends_where_it_began_still_reports_its_end() -> None:
    burst = toggles(100, 108, 116, 124, 132, 138, 141, 149)
    assert events_of(burst)[-1] == settled(False, 100, 159, after_chatter=True)


def test_a_chip_laid_down_after_chatter_has_settled_is_a_bet_again() -> None:
    burst = toggles(100, 108, 116, 124, 132, 138, 141, 149) + toggles(500)
    assert events_of(burst)[-1] == settled(True, 500, 510)


def test_repeated_edges_change_nothing() -> None:
    doubled = [edge for edge in toggles(100, 101, 102) for _ in range(2)]
    assert events_of(doubled) == events_of(toggles(100, 101, 102))


def test_an_edge_with_the_level_the_line_already_has_changes_nothing() -> None:
    assert events_of(toggles(100, start=False)) == []


def test_a_stamp_that_steps_back_keeps_the_order_of_arrival() -> None:
    assert events_of([(SPOT, True, 100), (SPOT, False, 99)]) == [Flickered(SPOT, 100, 100)]


def test_an_edge_that_comes_too_late_keeps_its_own_stamp() -> None:
    debouncer = Debouncer([line()])
    assert debouncer.advance(500 * NS_PER_MS) == []
    debouncer.edge(*toggles(100)[0])
    assert debouncer.advance(500 * NS_PER_MS) == [settled(True, 100, 110)]


def test_an_edge_that_came_late_belongs_to_the_burst_that_seemed_to_be_over() -> None:
    debouncer = Debouncer([line()])
    debouncer.edge(*toggles(100)[0])
    assert debouncer.advance(500 * NS_PER_MS) == [settled(True, 100, 110)]
    debouncer.edge(SPOT, False, 104 * NS_PER_MS)
    debouncer.edge(SPOT, True, 108 * NS_PER_MS)
    assert debouncer.advance(500 * NS_PER_MS) == [Flickered(SPOT, 100 * NS_PER_MS, 108 * NS_PER_MS)]
    debouncer.edge(SPOT, False, 118 * NS_PER_MS)
    assert debouncer.advance(500 * NS_PER_MS) == [settled(False, 118, 128)]


def test_a_burst_whose_first_edge_still_waits_is_known_at_once() -> None:
    debouncer = Debouncer([line()])
    assert debouncer.burst_began_ns(SPOT) is None
    debouncer.edge(*toggles(100)[0])
    assert debouncer.advance(101 * NS_PER_MS) == []
    assert debouncer.burst_began_ns(SPOT) == 100 * NS_PER_MS
    debouncer.advance(500 * NS_PER_MS)
    assert debouncer.burst_began_ns(SPOT) is None


def test_the_next_due_instant_leads_to_the_next_event() -> None:
    debouncer = Debouncer([line()])
    assert debouncer.next_due_ns() is None
    for edge in toggles(100, 101, 102):
        debouncer.edge(*edge)
    told: list[Event] = []
    while (due_ns := debouncer.next_due_ns()) is not None:
        told += debouncer.advance(due_ns)
    assert told == [settled(True, 100, 112)]


def test_a_level_read_at_rest_that_contradicts_the_edges_is_a_lost_edge() -> None:
    debouncer = Debouncer([line()])
    debouncer.resync(SPOT, True, 100 * NS_PER_MS)
    assert debouncer.advance((111 + DELIVERY_WORST_MS) * NS_PER_MS) == []
    told = debouncer.advance((112 + DELIVERY_WORST_MS) * NS_PER_MS)
    assert told == [Disagreed(SPOT, True, 100 * NS_PER_MS)]
    assert debouncer.levels() == {SPOT: True}
    debouncer.resync(SPOT, True, 200 * NS_PER_MS)
    assert debouncer.advance(FOREVER_NS) == []


def test_a_level_read_while_an_edge_is_on_its_way_is_no_lost_edge() -> None:
    for read_ms in (95, 100, 105, 109):
        debouncer = Debouncer([line()])
        debouncer.resync(SPOT, True, read_ms * NS_PER_MS)
        debouncer.edge(*toggles(100)[0])
        assert debouncer.advance(FOREVER_NS) == [settled(True, 100, 110)]


def test_a_level_known_at_the_start_is_no_news() -> None:
    debouncer = Debouncer([line()], {SPOT: True})
    debouncer.resync(SPOT, True, 100)
    debouncer.edge(SPOT, True, 200)
    assert debouncer.advance(FOREVER_NS) == []


def test_a_stalled_caller_finds_a_bounded_queue() -> None:
    """Edges beyond the bound change nothing: the debouncer drops them."""
    full, overfull = Debouncer([line()]), Debouncer([line()])
    for place in range(WAITING_EDGES_MAX + 5):
        if place < WAITING_EDGES_MAX:
            full.edge(SPOT, place % 2 == 0, place)
        overfull.edge(SPOT, place % 2 == 0, place)
    assert overfull.advance(FOREVER_NS) == full.advance(FOREVER_NS) != []


# -- properties ------------------------------------------------------------------------------------------------

lines_of_test = (line(SPOT), line(KEY, settle_ms=3), line("5.ante", settle_ms=25))
gaps = st.one_of(st.integers(0, 2 * SETTLE_NS), st.sampled_from([SETTLE_NS, 3 * NS_PER_MS, 25 * NS_PER_MS]))
edges_of_a_line = st.lists(st.tuples(gaps, st.booleans()), max_size=40)


@st.composite
def evenings(draw: st.DrawFn) -> list[Edge]:
    """Edges of several lines in stamp order."""
    edges: list[Edge] = []
    for each in lines_of_test:
        now_ns = 1_000
        for gap_ns, level in draw(edges_of_a_line):
            now_ns += gap_ns
            edges.append((each.name, level, now_ns))
    return sorted(edges, key=lambda edge: edge[2])


def expected_events(edges: list[Edge]) -> list[Event]:
    """The same rules computed differently: over the whole history at once."""
    dated: list[tuple[int, int, Event]] = []
    for place, each in enumerate(lines_of_test):
        settle_ns = each.settle_ms * NS_PER_MS
        changes: list[tuple[int, bool]] = []
        for name, level, ns in edges:
            if name == each.name and level != (changes[-1][1] if changes else False):
                changes.append((ns, level))
        bursts: list[list[tuple[int, bool]]] = []
        for change in changes:
            if bursts and change[0] - bursts[-1][-1][0] < settle_ns:
                bursts[-1].append(change)
            else:
                bursts.append([change])
        before = False
        for burst in bursts:
            first, (last, after) = burst[0][0], burst[-1]
            too_late = [ns for ns, _ in burst if ns - first > 4 * settle_ns]
            if too_late:
                dated.append((too_late[0], place, Chattered(each.name, first, too_late[0])))
            if too_late or after != before:
                rest = Settled(each.name, after, first, last, bool(too_late))
                dated.append((last + settle_ns, place, rest))
            else:
                dated.append((last + settle_ns, place, Flickered(each.name, first, last)))
            before = after
    return [event for _, _, event in sorted(dated, key=lambda entry: entry[:2])]


@given(evenings(), st.lists(st.integers(0, 60 * SETTLE_NS), max_size=30), st.randoms(use_true_random=False))
def test_events_depend_on_stamps_alone(edges: list[Edge], call_times: list[int], chance: random.Random) -> None:
    """Random bounce, random times of asking, lines delivered in any order among each other, and some edges early."""
    debouncer = Debouncer(lines_of_test)
    told: list[Event] = []
    waiting = list(edges)
    for now_ns in [*sorted(call_times), FOREVER_NS]:
        arrived = [edge for edge in waiting if edge[2] <= now_ns or chance.random() < 0.2]
        # Within a line nothing overtakes: an early edge brings all that came before it.
        newest = {edge[0]: edge[2] for edge in arrived}
        arrived = [edge for edge in waiting if edge[2] <= newest.get(edge[0], -1)]
        waiting = [edge for edge in waiting if edge[2] > newest.get(edge[0], -1)]
        for name in chance.sample([each.name for each in lines_of_test], len(lines_of_test)):
            for edge in arrived:
                if edge[0] == name:
                    debouncer.edge(*edge)
        told += debouncer.advance(now_ns)
    assert told == expected_events(edges)
    assert debouncer.next_due_ns() is None


@given(edges_of_a_line)
def test_every_change_of_level_is_accounted_for(changes: list[tuple[int, bool]]) -> None:
    """Nothing is lost silently: after the evening the believed level is the last one that was driven."""
    debouncer = Debouncer([line()])
    now_ns, last = 0, False
    for gap_ns, last in changes:
        now_ns += gap_ns
        debouncer.edge(SPOT, last, now_ns)
    told = debouncer.advance(FOREVER_NS)
    assert debouncer.levels()[SPOT] == last
    assert bool(told) == any(level for _, level in changes)


def test_a_reading_from_before_an_edge_is_not_believed_though_the_edge_told_nothing_new() -> None:
    """The edge of placing was lost, a reading saw the chip, and it was lifted again: the last event counts."""
    debouncer = Debouncer([line("3.progressive")])
    debouncer.resync("3.progressive", True, 100 * NS_PER_MS)
    debouncer.edge("3.progressive", False, 105 * NS_PER_MS)
    assert debouncer.advance(10_000 * NS_PER_MS) == []
    assert debouncer.levels()["3.progressive"] is False


@given(st.randoms(use_true_random=False))
def test_reading_a_whole_board_gives_the_same_events_as_reading_its_lines_one_by_one(chance: random.Random) -> None:
    """Even with edges that get lost or come late, and lines with different settle times."""
    lines = [line(), line(KEY, settle_ms=3 * SETTLE_MS), line("4.ante", late_ms_max=9)]
    whole, one_by_one, levels = Debouncer(lines), Debouncer(lines), {each.name: False for each in lines}
    for now_ms in range(0, 900, 30):
        name, now_ns = chance.choice(list(levels)), now_ms * NS_PER_MS
        levels[name] = not levels[name]
        if chance.random() < 0.7:
            edge_ns = now_ns - chance.choice((0, 5, 40, 200)) * NS_PER_MS
            whole.edge(name, levels[name], edge_ns)
            one_by_one.edge(name, levels[name], edge_ns)
        if chance.random() < 0.4:
            whole.resync_all(dict(levels), now_ns)
            for each, level in levels.items():
                one_by_one.resync(each, level, now_ns)
        assert whole.advance(now_ns) == one_by_one.advance(now_ns)
    assert whole.advance(FOREVER_NS) == one_by_one.advance(FOREVER_NS)
    assert whole.next_due_ns() is None
