"""Which configuration a table may be played with: the one a supervisor accepted. Its digest is kept beside the journal;
a table that starts with another one says so as a fault that stops betting, and whoever clears it accepts it in his own
name. A table that is born accepts what it is born with, because nobody has been listed yet who could."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from felt.loop.inbox import Order
from felt.ports import Disk, DiskError
from felt.table.state import Standing, Table

NOT_ACCEPTED = "F-503"
KEPT_IN = "configuration"
SHOWN = 16  # digits of a digest, as a person compares them
PUT_BACK = "the accepted configuration was put back"


class AcceptedConfig:
    def __init__(
        self, disk: Disk, digest: str, tell: Callable[[str], None] = lambda _: None, *, born: bool
    ) -> None:
        """`reports` is for whoever starts the table; what goes wrong later is told to `tell`."""
        self._disk = disk
        self._digest = digest
        self._tell = tell
        self.reports: list[str] = []
        accepted = self._kept()
        if born and accepted != digest:  # also when the first tries failed, and the file was mended since
            accepted = digest
            self._keep(self.reports.append)
            self.reports.append(f"the configuration {self._shown} is accepted as the one this table is born with")
        self._waits = accepted != digest
        self._stood = False

    @property
    def _shown(self) -> str:
        return self._digest[:SHOWN]

    def orders(self, table: Table) -> Iterator[Order]:
        """What the table is told when it starts."""
        standing = [fault.where for fault in table.service.faults if fault.code == NOT_ACCEPTED]
        wanted = [self._shown] if self._waits else []
        for where in standing:
            if where not in wanted:
                yield Order("FaultCleared", {"code": NOT_ACCEPTED, "where": where, "person": PUT_BACK}, _nobody)
        for where in wanted:
            if where not in standing:
                yield Order("FaultRaised", {"code": NOT_ACCEPTED, "where": where}, _nobody)

    def look(self, table: Table) -> None:
        """After a turn: a fault that stood and stands no more was cleared, so this configuration is the accepted one.
        Cut off before it is kept, the table asks again."""
        if self._waits and self._stood and not self._stands(table):
            self._waits = False
            self._keep(self._tell)
        self._stood = self._stands(table)

    def _stands(self, table: Table) -> bool:
        return Standing(NOT_ACCEPTED, self._shown) in table.service.faults

    def _kept(self) -> str:
        try:
            plain = json.loads(self._disk.read(KEPT_IN)) if KEPT_IN in self._disk.names() else {}
            return str(plain.get("accepted", ""))
        except (DiskError, ValueError, AttributeError) as error:
            self.reports.append(f"which configuration was accepted cannot be read ({error})")
            return ""

    def _keep(self, tell: Callable[[str], None]) -> None:
        try:
            self._disk.replace(KEPT_IN, json.dumps({"accepted": self._digest}).encode())
        except DiskError as error:
            tell(f"that the configuration was accepted cannot be kept, it will be asked again ({error})")


def _nobody(_: str) -> None:
    """Nobody waits for an answer."""
