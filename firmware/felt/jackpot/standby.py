"""Who leads, of several controllers on one PostgreSQL database. The one that leads keeps a row alive; a standby watches
it and takes over when it is given up, or has not stirred for long enough by the standby's own clock. No two clocks are
compared. That two can never both write is not seen to here but by the ledger's epoch: whoever opened it last may
write. What is seen to here is that one who no longer leads says nothing either."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from felt.jackpot.ledger import POSTGRESQL, LedgerError
from felt.jackpot.postgresql import connect, driver
from felt.nouns.named import NamedTuple

WATCH_S = 0.25
BEAT_S = 0.5
_MAKE = (
    "CREATE TABLE IF NOT EXISTS lease "
    "(one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one), holder TEXT NOT NULL, beat BIGINT NOT NULL)"
)
_FIRST = "INSERT INTO lease (holder, beat) VALUES ('', 0) ON CONFLICT DO NOTHING"
_LOOK = "SELECT holder, beat FROM lease"
_TAKE = "UPDATE lease SET holder = %s, beat = beat + 1 WHERE holder = %s AND beat = %s"
_STIR = "UPDATE lease SET beat = beat + 1 WHERE holder = %s"
_GIVE_UP = "UPDATE lease SET holder = '', beat = beat + 1 WHERE holder = %s"


class Led(NamedTuple):
    holder: str  # empty: nobody leads
    beat: int


class Lease:
    """One thread at a time. Its beats wait for no disk: the ledger's own commits do."""

    def __init__(self, address: str, holder: str, takeover_s: float) -> None:
        self._psycopg = driver()
        self._holder = holder
        self._takeover_s = takeover_s
        self._stirred_s = 0.0
        self._leads = False
        try:
            self._connection: Any = connect(self._psycopg, address)
            self._connection.execute("SET synchronous_commit = off")
            self._connection.execute(f"SET statement_timeout = {int(takeover_s * 1000)}")
            with self._connection.transaction():
                self._connection.execute("SELECT pg_advisory_xact_lock(hashtext('felt lease'))")
                self._connection.execute(_MAKE)
                self._connection.execute(_FIRST)
        except self._psycopg.Error as error:
            raise self._failed(error) from None

    def wait(self, goes_on: Callable[[], bool]) -> bool:
        """Until this one leads; False when it was told to stop before. `goes_on` is asked all the time."""
        seen, since_s = self.look(), time.monotonic()
        while goes_on():
            found, now_s = self.look(), time.monotonic()
            if found != seen:
                seen, since_s = found, now_s
            if (not found.holder or now_s - since_s >= self._takeover_s) and self._take(found):
                return True
            time.sleep(WATCH_S)
        return False

    def stir(self) -> None:
        """Before anything is said: a `LedgerError` when another leads. A lease that was kept alive a moment ago is
        good without asking, for no standby takes over so soon."""
        if time.monotonic() - self._stirred_s < BEAT_S:
            return
        asked_s = time.monotonic()
        try:
            kept = self._connection.execute(_STIR, (self._holder,)).rowcount == 1
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        if not kept:
            raise LedgerError("Another controller has taken over the jackpot ledger: this one ends.")
        self._stirred_s = asked_s

    def close(self) -> None:
        """Gives up the lead, where it has it, so that a standby need not wait."""
        if self._leads:
            with contextlib.suppress(self._psycopg.Error):  # then a standby waits its time
                self._connection.execute(_GIVE_UP, (self._holder,))
        self._connection.close()

    def look(self) -> Led:
        try:
            return Led(*self._connection.execute(_LOOK).fetchone())
        except self._psycopg.Error as error:
            raise self._failed(error) from None

    def _take(self, seen: Led) -> bool:
        """Of two standbys that see the same, one has it."""
        asked_s = time.monotonic()
        try:
            taken = bool(self._connection.execute(_TAKE, (self._holder, *seen)).rowcount == 1)
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        self._leads = taken
        self._stirred_s = asked_s if taken else 0.0
        return taken

    def _failed(self, error: Exception) -> LedgerError:
        problem = " ".join(str(error).split())
        return LedgerError(f"Which controller leads cannot be asked of the database ({problem}): see to the server.")


def is_led(where: str, within_s: float) -> bool:
    """Whether a controller keeps the database's lease alive; never of a file."""
    if not where.startswith(POSTGRESQL):
        return False
    lease = Lease(where, "", within_s)
    try:
        seen, deadline_s = lease.look(), time.monotonic() + within_s
        if not seen.holder:
            return False
        while time.monotonic() < deadline_s:
            if lease.look() != seen:
                return True
            time.sleep(WATCH_S)
        return False
    finally:
        lease.close()
