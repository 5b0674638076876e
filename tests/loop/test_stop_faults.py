"""A fault that stops a table outlives a power cut, and goes only when somebody has dealt with it."""

from __future__ import annotations

import pytest

from felt.nouns.faults import CATALOGUE, Weight
from felt.table import facts, maintenance
from felt.table.state import ServiceState, StandingFault
from tests.table.bench import Bench

STOPPING = [code for code, fault in CATALOGUE.items() if fault.weight is Weight.STOP]


@pytest.mark.parametrize("code", STOPPING)
def test_a_fault_that_stops_the_table_outlives_the_power_and_is_not_ordered_away(code: str) -> None:
    bench = Bench().idle().do(facts.FaultRaised, code=code, where="here")
    for _ in range(2):
        assert bench.table.service.state is ServiceState.OUT_OF_SERVICE
        assert maintenance.fault_stops_the_table(bench.table, facts.FaultRaised(bench.stamp(), code, "here"))
        bench.do(facts.BackInServiceOrdered, person="Tess").do(facts.OpenPressed)
        assert bench.table.service.state is ServiceState.OUT_OF_SERVICE
        assert bench.table.round is None
        bench.boot()
    assert bench.table.service.faults == (StandingFault(code, "here"),)
    bench.do(facts.FaultCleared, code=code, where="elsewhere", person="Tess")
    assert bench.table.service.faults, "another place was cleared"
    bench.do(facts.FaultCleared, code=code, where="here", person="Tess").do(facts.BackInServiceOrdered, person="Tess")
    assert bench.table.service.state is ServiceState.IN_SERVICE
    bench.do(facts.FaultRaised, code=code, where="here")
    assert bench.table.service.faults, "its cause is still there: the next look finds it again"
