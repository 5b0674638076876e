"""A table whose own jackpot ledger cannot be written says so, and goes on by itself when it can."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from felt.jackpot.books.standing import journals_in
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.letters.from_table import Posted, RoundVoidedLetter, write
from felt.stories.evening import Evening
from felt.wire.jackpot import encode
from felt.wiring import table_settings
from tests.jackpot.evening import stamp


def test_a_ledger_that_somebody_else_holds_is_a_fault_and_the_table_goes_on(tmp_path: Path) -> None:
    evening = Evening()
    evening.office = Office(SqliteLedger(tmp_path / "ledger", busy_ms=1), table_settings.meter_terms_of(evening.config))
    evening.boot()
    body = write(RoundVoidedLetter(1, "misdeal", "5.8", "Ada", stamp(1), False))
    letter = encode(Posted("T1", evening.table.nonce, 1, "RoundVoided", body, 1, "ab"))
    with closing(sqlite3.connect(tmp_path / "ledger", isolation_level=None)) as backup:
        backup.execute("BEGIN IMMEDIATE")
        evening.post.send(letter)
        evening.advance(1_000)
        (fault,) = [fault for fault in evening.table.service.faults if fault.code == "F-305"]
        assert "another process holds it" in fault.where
        backup.execute("ROLLBACK")
    evening.post.send(letter)
    assert next(journals_in(evening.office.standing)).highest == 1
    evening.office.close()
