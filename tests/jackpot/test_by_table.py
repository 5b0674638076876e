"""Many tables at one controller: a letter and a ping find their own table's rows and read no other's."""

from __future__ import annotations

import pytest

from felt.jackpot.by_table import ByTable
from felt.jackpot.ledger import LedgerError, MemoryLedger
from felt.jackpot.office import Office
from felt.jackpot.rows import rows_of
from tests.jackpot.evening import MAJOR, Sender
from tests.jackpot.house import House, Table

TABLES = 40


def test_a_change_leaves_the_value_that_it_came_from_as_it_was() -> None:
    committed: ByTable[int] = ByTable({"T1": (1, 2), "T2": (3,)})
    changed = committed.put("T2", (4,)).put("T3", (5,))
    assert (list(committed), list(changed)) == ([1, 2, 3], [1, 2, 4, 5])
    assert (committed.of("T2"), committed.of("T3"), changed.of("T2"), changed.of("T9")) == ((3,), (), (4,), ())
    assert changed.changes() == [((3,), (4,)), ((), (5,))]
    assert committed.changes() == []


def test_what_is_settled_has_no_changes_and_forgets_a_table_without_rows() -> None:
    rows: ByTable[int] = ByTable({"T1": (1,), "T2": (2,)}).put("T1", ()).put("T2", (3,))
    settled = rows.settled()
    assert (list(settled), settled.changes(), len(settled)) == ([3], [], 1)


class FullDisk(MemoryLedger):
    full = False

    def commit(self, *given: object, **named: object) -> None:
        if self.full:
            raise LedgerError("The disk is full.")
        super().commit(*given, **named)  # type: ignore[arg-type]  # handed on as it came


def test_after_a_ledger_that_failed_nothing_of_the_letter_was_taken() -> None:
    ledger = FullDisk()
    office = Office(ledger, [MAJOR])
    table = Sender(office)
    table.play(1, 1)
    before = rows_of(office.standing)
    ledger.full = True
    with pytest.raises(LedgerError):
        table.lock(2, 1)
    assert rows_of(office.standing) == before == ledger.rows()
    ledger.full = False
    table.lock(2, 1)  # the same number is free, and the round was never heard of
    assert rows_of(office.standing) == ledger.rows()


def _refuse_to_read_all(_: object) -> None:
    raise AssertionError("a letter or a ping has read the rows of every table")


def test_neither_a_round_nor_a_ping_reads_the_rows_of_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(Office(MemoryLedger(), [MAJOR]))
    tables = [Table(house, f"T{number}") for number in range(TABLES)]
    for table in tables:
        table.ping()
        table.lock(1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(ByTable, "__iter__", _refuse_to_read_all)
        patched.setattr(ByTable, "__len__", _refuse_to_read_all)
        for table in tables:
            table.ping()
            table.deal(1, 1)
            table.decide(1, {})
            table.lock(2, 1)
    assert house.office.report().conserved


def test_only_a_result_looks_at_the_rounds_that_an_open_claim_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(Office(MemoryLedger(), [MAJOR]))
    early, winner, third = (Table(house, name) for name in ("T1", "T2", "T3"))
    for table in (early, winner, third):
        table.ping()
        table.ping()
    early.lock(1, 1)
    early.deal(1, 1)
    winner.lock(1, 1)
    times = winner.deal(1, 1)
    winner.decide(1, times)
    assert house.valued() == []
    third.lock(1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(ByTable, "__iter__", _refuse_to_read_all)
        third.deal(1, 1)
        third.ping()
    early.decide(1, {})
    assert [valued.table for valued in house.valued()] == ["T2"]
