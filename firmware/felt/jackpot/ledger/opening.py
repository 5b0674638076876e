"""Opens the ledger that a configuration names: a file, or a PostgreSQL database. The module of each is imported only
where it is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from felt.jackpot.ledger.port import Key, is_database
from felt.jackpot.ledger.sql import SqlLedger


def open_ledger(
    where: str, path_of: Callable[[str], Path] = Path, *, alone: bool = False, key: Key | None = None
) -> SqlLedger:
    """`path_of` resolves a file's name against its folder. `alone`: refuse a file that another controller has open; of
    a database, `standby` sees to that."""
    if is_database(where):
        from felt.jackpot.ledger.postgresql import PostgresqlLedger

        return PostgresqlLedger(where, key)
    from felt.jackpot.ledger.sqlite import SqliteLedger

    return SqliteLedger(path_of(where), alone=alone, key=key)
