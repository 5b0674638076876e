"""Which of several controllers on one PostgreSQL database leads: the one that holds an advisory lock. The lock belongs
to a connection of its own and goes with it: at once when the leader stops or dies, and after `takeover_s` when the
leader hangs, because the server ends a session that is silent for so long. The lock alone does not keep two controllers
from writing: the ledger's epoch does, because only the controller that opened the ledger last may write."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from felt.jackpot.ledger.port import LedgerError, is_database
from felt.jackpot.ledger.postgresql import LEAD_LOCK, connect, driver

WATCH_S = 0.25
BEAT_S = 0.5
_TAKE = "SELECT pg_try_advisory_lock(%s, %s)"
_STIR = "SELECT 1"
_GIVE_UP = "SELECT pg_advisory_unlock_all()"


class Lease:
    """The lead, waited for and kept. Use it from one thread at a time."""

    def __init__(self, address: str, takeover_s: float) -> None:
        """`takeover_s` is how long the server lets the holder be silent; 0 is for ever."""
        self._psycopg = driver()
        self._takeover_s = takeover_s
        self._stirred_s = 0.0
        try:
            self._connection: Any = connect(self._psycopg, address)
            self._connection.execute(f"SET idle_session_timeout = {int(takeover_s * 1000)}")
        except self._psycopg.Error as error:
            raise self._failed(error) from None

    def take(self) -> bool:
        """Take the lead if nobody has it."""
        asked_s = time.monotonic()
        try:
            taken = bool(self._connection.execute(_TAKE, LEAD_LOCK).fetchone()[0])
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        if taken:
            self._stirred_s = asked_s
        return taken

    def wait(self, goes_on: Callable[[], bool]) -> bool:
        """Wait for the lead. False: `goes_on`, which is called before every attempt, said no first."""
        while goes_on():
            if self.take():
                return True
            time.sleep(WATCH_S)
        return False

    def stir(self) -> None:
        """Call this before anything is said: a `LedgerError` means that the lead is lost. A lead that was confirmed a
        moment ago is not asked for again, because the server does not end the session so soon."""
        if time.monotonic() - self._stirred_s < BEAT_S:
            return
        asked_s = time.monotonic()
        try:
            self._connection.execute(_STIR)
        except self._psycopg.errors.IdleSessionTimeout:
            raise LedgerError(
                f"This controller was silent for {self._takeover_s:g} s and has lost the lead of the jackpot ledger: "
                "it ends, and another takes over."
            ) from None
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        self._stirred_s = asked_s

    def close(self) -> None:
        """Give up the lead. The lock goes with the connection, but only once the server notices that it is closed. So
        unlock first, if the connection still works."""
        with contextlib.suppress(self._psycopg.Error):
            self._connection.execute(_GIVE_UP)
        self._connection.close()

    def _failed(self, error: Exception) -> LedgerError:
        problem = " ".join(str(error).split())
        return LedgerError(f"Which controller leads cannot be asked of the database ({problem}): see to the server.")


@contextlib.contextmanager
def while_nobody_leads(where: str) -> Iterator[None]:
    """Hold the lead, so that no controller gets it meanwhile; a `LedgerError` if one has it. A file has no lead."""
    if not is_database(where):
        yield
        return
    with contextlib.closing(Lease(where, takeover_s=0)) as lease:
        if not lease.take():
            raise LedgerError("A controller is running on this ledger: stop it first.")
        yield
