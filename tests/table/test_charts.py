"""The charts are total, every cell is visited by a real table, and every phase leads back to IDLE."""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

import pytest

from felt.nouns.values import replace
from felt.stories.journaled import journaled_facts
from felt.stories.playing import play_file
from felt.table import chart, charts, facts, invariants
from felt.table.chart import Region
from felt.table.charts import cell
from felt.table.facts import FACTS, Fact
from felt.table.machine import Stepped
from felt.table.state import LinkState, Phase, Round, ServiceState, Table
from tests.table.bench import PHASES_BY_WAY, STEPPER, WAYS, booting_table, samples, table_at
from tests.table.reading_charts import read

ROUNDS = Path(__file__).parent.parent / "rounds"
CELLS = [(region, state, kind) for region in charts.REGIONS for state in region.states for kind in region.alphabet]


def _say(region: Region, state: StrEnum, kind: type[Fact]) -> str:
    return f"{region.name}: {kind.__name__} in {state}"


# --- the charts as data --------------------------------------------------------------------------------


def test_every_cell_ends_in_a_row_without_a_condition() -> None:
    open_cells = [_say(*key) for key in CELLS if not cell(*key) or cell(*key)[-1].when is not None]
    assert open_cells == []


def test_only_the_last_row_of_a_cell_has_no_condition() -> None:
    assert [_say(*key) for key in CELLS if any(row.when is None for row in cell(*key)[:-1])] == []


def test_every_row_can_be_reached_in_every_state_that_it_names() -> None:
    """A row for all states is the default, and more specific rows may hide it in some of them, though not in all. Any
    other row behind one without a condition is a mistake."""
    behind = []
    for region in charts.REGIONS:
        named = defaultdict(list)
        for row in region.rows:
            named[_written(row)].append(row)
        for rows in named.values():
            hidden = [row for row in rows if row not in cell(region, row.source, row.fact)]
            is_for_all = len(rows) == len(region.states) > len(hidden)
            behind += [] if is_for_all else [_say(region, row.source, row.fact) for row in hidden]
    assert behind == []


def test_two_rows_of_a_cell_never_have_the_same_condition() -> None:
    doubled = []
    for key in CELLS:
        asked = [row.when for row in cell(*key) if row.when is not None]
        if len(set(asked)) != len(asked):
            doubled.append(_say(*key))
    assert doubled == []


def test_every_fact_is_in_some_alphabet() -> None:
    known = {kind for region in charts.REGIONS for kind in region.alphabet}
    assert known == set(FACTS.values())


def test_a_refusal_never_moves() -> None:
    assert [row for region in charts.REGIONS for row in region.rows if row.why and row.dest is not None] == []


def test_every_phase_can_reach_idle() -> None:
    leads_to = {phase: {row.dest for row in charts.ROUND.rows if row.source is phase} for phase in Phase}
    reach = {Phase.IDLE}
    for _ in Phase:
        reach |= {phase for phase in Phase if leads_to[phase] & reach}
    assert reach == set(Phase)


# --- real tables ---------------------------------------------------------------------------------------


def _tables() -> list[Table]:
    return [booting_table(), *(table_at(way) for way in WAYS)]


@pytest.mark.parametrize("way", WAYS)
def test_the_bench_reaches_the_phases_that_it_names(way: str) -> None:
    phase = PHASES_BY_WAY.get(way, Phase.INTERRUPTED if way.startswith("held") else None)
    assert phase is None or table_at(way).phase is phase


def test_every_cell_is_visited_and_nothing_raises() -> None:
    visited = set()
    for table in _tables():
        for kind in FACTS.values():
            for fact in samples(kind, table):
                after = STEPPER.after(table, fact)
                invariants.check(after, table)
                visited |= {(region, region.state_of(table), kind) for region in charts.REGIONS}
    missed = [_say(*key) for key in CELLS if key not in visited]
    assert missed == []


def test_the_machine_does_what_the_charts_say() -> None:
    for table in _tables():
        for kind in FACTS.values():
            for fact in samples(kind, table):
                wanted = read(table, fact)
                assert STEPPER.step(table, fact) == Stepped(wanted.table, wanted.refused), f"{kind} in {table.phase}"


def test_every_refusal_has_a_reason_and_changes_nothing_else() -> None:
    for table in _tables():
        for kind in FACTS.values():
            for fact in samples(kind, table):
                stepped = STEPPER.step(table, fact)
                after, refused = stepped.table, stepped.refused
                if refused is None:
                    continue
                said = f"{kind.__name__} in {table.phase}: {refused.code}"
                last = after.panel.notices[-1]
                assert len(refused.sentence) > 10, said
                assert (last.kind, last.sentence) == ("refused", refused.sentence), said
                if not any(made.row.do for made in read(table, fact).taken):
                    assert after == replace(charts.ask(table, fact), panel=after.panel), said


def test_every_written_row_is_taken_by_some_table() -> None:
    """The tables of the bench or the stories take it: a row that nobody can take is superfluous. A row is written for a
    family of states and has to be taken in one of them."""
    taken = set()
    for table in _tables():
        for kind in FACTS.values():
            for fact in samples(kind, table):
                taken |= {_written(step.row) for step in read(table, fact).taken}
    for path in sorted(ROUNDS.rglob("*.round")):
        table = Table()
        for fact in _told(path):
            made = read(table, fact)
            table = made.table
            taken |= {_written(step.row) for step in made.taken}
    never = [
        f"{_say(*key)}: {row.when.__name__ if row.when else 'otherwise'}"
        for key in CELLS
        for row in cell(*key)
        if _written(row) not in taken
    ]
    assert never == [], "\n".join(never)


def _told(path: Path) -> list[Fact]:
    stage = play_file(path)
    return [] if stage.boot_refused else journaled_facts(stage)  # a damaged journal tells nothing


def _written(row: chart.Row) -> tuple[object, ...]:
    return row.fact, row.dest, row.when, row.do, row.why


# --- people bring every table home ---------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_people_bring_every_table_back_to_idle(way: str) -> None:
    table = table_at(way)
    for _ in range(40):
        answered = not table.irregularity.questions
        if table.phase is Phase.IDLE and table.service.state is ServiceState.IN_SERVICE and answered:
            break
        table = _next_act(table)
    assert table.phase is Phase.IDLE
    assert table.irregularity.questions == ()
    assert table.round is None


def _next_act(table: Table) -> Table:
    """What a sensible supervisor and dealer do next."""
    at = next(iter(samples(facts.OpenPressed, table))).at

    def do(table: Table, kind: type[Fact], **fields: object) -> Table:
        return STEPPER.after(table, kind(at, **fields))

    if table.service.state is ServiceState.TEST:
        return do(table, facts.TestModeLeft, person="t")
    if table.service.state is not ServiceState.IN_SERVICE:
        return do(table, facts.BackInServiceOrdered, person="t")
    if table.irregularity.questions:
        first = table.irregularity.questions[0]
        if first.players:
            return do(table, facts.PlayerChose, question=first.id, seat=first.players[0], choice="continue", person="s")
        who = "shift_manager"
        return do(table, facts.RulingMade, question=first.id, choice=first.proposal, person="s", reason="", role=who)
    match table.phase:
        case Phase.CLOSED:
            return do(table, facts.TableOpened, person="s")
        case Phase.SETTLING:
            claim = _claim_in_hand(table)
            return do(table, facts.ClaimValued, claim=claim, value_micro=10**12, award_minor=10**6)
        case Phase.VERIFYING:
            return do(table, facts.ClaimConfirmed, claim=_claim_in_hand(table), person="s")
        case Phase.PAYING | Phase.VOIDING:
            return do(table, facts.SettlePressed)
        case _:
            return do(table, facts.VoidOrdered, person="s", reason="the story ends here", role="shift_manager")


def _claim_in_hand(table: Table) -> str:
    assert table.round is not None
    return next(claim.claim for claim in table.round.claims if not claim.verdict)


# --- the region of the link ----------------------------------------------------------------------------


def test_a_round_in_play_keeps_its_link_over_a_boot_and_an_idle_table_asks_again() -> None:
    for way, wanted in (("BETTING", LinkState.UP), ("IDLE", LinkState.LOST)):
        table = table_at(way)
        boot = next(iter(samples(facts.Booted, table)))
        assert STEPPER.after(table, boot).link is wanted


def test_a_step_that_raises_leaves_the_old_table_untouched() -> None:
    table = table_at("BETTING")
    bad = facts.FaultRaised(next(iter(samples(facts.OpenPressed, table))).at, "F-999", "nowhere")
    with pytest.raises(KeyError):
        STEPPER.after(table, bad)
    opened = next(iter(samples(facts.VoidPressed, table)))
    assert STEPPER.after(table, opened).phase is Phase.BETTING


def test_the_numbers_of_rounds_never_repeat() -> None:
    numbers = []
    for path in sorted(ROUNDS.rglob("*.round")):
        rounds: list[Round] = [table.round for table in play_file(path).tables if table.round is not None]
        numbers += [(before.number, after.number) for before, after in pairwise(rounds)]
    assert all(after - before in (0, 1) for before, after in numbers)
