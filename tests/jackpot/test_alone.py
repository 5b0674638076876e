"""A ledger's file of which one process at a time may be the controller."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.sqlite import SqliteLedger


def test_one_that_is_alone_keeps_out_others_that_would_be_and_takes_no_harm_by_them(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger", alone=True)) as first:
        for _ in range(2):
            with pytest.raises(LedgerError, match="Another controller has the jackpot ledger"):
                SqliteLedger(tmp_path / "ledger", alone=True)
            first.commit([], {"a": "1"})
    with closing(SqliteLedger(tmp_path / "ledger", alone=True)) as next_one:
        assert next_one.rows() == {"a": "1"}


def test_without_that_wish_whoever_opened_last_may_write(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger", alone=True)) as first:
        with closing(SqliteLedger(tmp_path / "ledger")) as second:
            second.commit([], {"a": "2"})
        with pytest.raises(LedgerError, match="Another process has taken over"):
            first.commit([], {"a": "1"})


def test_one_that_was_refused_for_another_reason_keeps_nobody_out(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "ledger").close()
    witness = tmp_path / "ledger-witness"
    kept = witness.read_bytes()
    witness.write_bytes(b"9" * 19)
    with pytest.raises(LedgerError, match="has lost"):
        SqliteLedger(tmp_path / "ledger", alone=True)
    witness.write_bytes(kept)
    SqliteLedger(tmp_path / "ledger", alone=True).close()
