"""Which of several controllers on one real PostgreSQL database leads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import psycopg
import pytest

from felt.jackpot.controller.standby import BEAT_S, Lease, while_nobody_leads
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.postgresql import LEAD_LOCK, PostgresqlLedger
from tests.real.postgres import Server

PATIENCE_S = 20.0
TAKEOVER_S = 60.0  # longer than the test's patience: a controller that leads sooner did not wait for it
SHORT_S = 0.3


class Two(NamedTuple):
    address: str
    first: Lease
    second: Lease


@pytest.fixture
def two(postgres: Server) -> Iterator[Two]:
    """Two controllers' leases; the first leads."""
    address = postgres.new_database()
    with ExitStack() as closed:
        first, second = (closed.enter_context(closing(Lease(address, TAKEOVER_S))) for _ in range(2))
        assert first.wait(lambda: True)
        yield Two(address, first, second)


def leads_in_time(lease: Lease) -> bool:
    deadline_s = time.monotonic() + PATIENCE_S
    return lease.wait(lambda: time.monotonic() < deadline_s)


def stir_at_last(lease: Lease) -> None:
    """Wait until its last beat is too old to be good."""
    deadline_s = time.monotonic() + BEAT_S + SHORT_S
    while time.monotonic() < deadline_s:
        lease.stir()
        time.sleep(SHORT_S / 3)
    lease.stir()


def test_one_of_two_leads_and_the_other_waits_until_it_is_told_to_stop(two: Two) -> None:
    asked = iter((True, True, False))
    assert not two.second.wait(lambda: next(asked))
    stir_at_last(two.first)
    assert not two.second.take()


def test_a_leader_that_stops_leaves_the_lead_at_once(two: Two) -> None:
    two.first.close()
    assert leads_in_time(two.second)


def test_a_leader_whose_connection_dies_leaves_the_lead_at_once_and_knows_it_before_it_speaks(two: Two) -> None:
    with psycopg.connect(two.address, autocommit=True) as connection:
        held = (
            "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database "
            "WHERE locktype = 'advisory' AND (classid, objid) = (%s, %s) AND datname = current_database()"
        )
        assert connection.execute(held, LEAD_LOCK).fetchall() == [(True,)]
    assert leads_in_time(two.second)
    with pytest.raises(LedgerError, match="cannot be asked of the database"):
        stir_at_last(two.first)


def test_a_leader_that_hangs_is_cut_off_by_the_server_and_is_told_why_when_it_wakes(postgres: Server) -> None:
    address = postgres.new_database()
    with closing(Lease(address, SHORT_S)) as hung, closing(Lease(address, TAKEOVER_S)) as standby:
        assert hung.take()
        assert leads_in_time(standby)
        with pytest.raises(LedgerError, match=r"silent for 0\.3 s and has lost the lead"):
            stir_at_last(hung)


def test_a_restore_holds_the_lead_and_is_refused_while_a_controller_has_it(two: Two) -> None:
    with pytest.raises(LedgerError, match="A controller is running on this ledger"), while_nobody_leads(two.address):
        raise AssertionError("it was let in")
    two.first.close()
    with while_nobody_leads(two.address):
        assert not two.second.take()
    assert leads_in_time(two.second)


def test_a_file_has_no_lead() -> None:
    with while_nobody_leads("/nowhere/jackpot.ledger"):
        pass


def test_the_lead_of_one_database_is_not_that_of_another(two: Two, postgres: Server) -> None:
    with closing(Lease(postgres.new_database(), TAKEOVER_S)) as elsewhere:
        assert elsewhere.take()


def test_a_database_that_names_no_encoding_has_a_lead(postgres: Server) -> None:
    with closing(Lease(postgres.new_database("SQL_ASCII"), TAKEOVER_S)) as lease:
        assert lease.take()


def test_the_lead_does_not_keep_anybody_from_opening_the_ledger(two: Two) -> None:
    """The epoch decides who writes: a lead that was lost unnoticed does no harm."""
    with closing(PostgresqlLedger(two.address)) as late, closing(PostgresqlLedger(two.address)) as last:
        last.commit([], {"a": "1"})
        with pytest.raises(LedgerError, match="Another process has taken over"):
            late.commit([], {"a": "2"})


def test_a_server_that_is_not_there_is_told_in_one_sentence() -> None:
    with pytest.raises(LedgerError, match="see to the server"):
        Lease("postgresql:///nowhere?host=/nonexistent", TAKEOVER_S)
