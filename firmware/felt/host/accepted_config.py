"""Which configuration a table may play with: the one that a supervisor accepted. Its digest is stored beside the
journal. A table that starts with another configuration raises a fault that stops betting; the person who clears the
fault accepts the configuration. A new table accepts its first configuration by itself, because nobody is listed yet
who could."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from felt.loop.inbox import Order
from felt.nouns.values import Value, read_message, to_bytes
from felt.ports import Disk, DiskError
from felt.table.redacted import PublicTable
from felt.table.state import StandingFault

NOT_ACCEPTED = "F-503"
KEPT_IN = "configuration"
SHOWN = 16  # digits of a digest that a person compares
PUT_BACK = "the accepted configuration was put back"


class _Kept(Value):
    accepted: str  # a digest


class AcceptedConfig:
    def __init__(
        self, disk: Disk, digest: str, tell: Callable[[str], None] = lambda _: None, *, born: bool
    ) -> None:
        """`reports` is for the caller at the start; later problems go to `tell`."""
        self._disk = disk
        self._digest = digest
        self._tell = tell
        self.reports: list[str] = []
        accepted = self._kept()
        if born and accepted != digest:  # also if earlier starts failed and the file was corrected since
            accepted = digest
            self._keep(self.reports.append)
            self.reports.append(f"the configuration {self._shown} is accepted as the one this table is born with")
        self._waits = accepted != digest
        self._stood = False

    @property
    def _shown(self) -> str:
        return self._digest[:SHOWN]

    def orders(self, table: PublicTable) -> Iterator[Order]:
        """The orders to the table at its start."""
        standing = [fault.where for fault in table.service.faults if fault.code == NOT_ACCEPTED]
        wanted = [self._shown] if self._waits else []
        for where in standing:
            if where not in wanted:
                yield Order("FaultCleared", {"code": NOT_ACCEPTED, "where": where, "person": PUT_BACK}, _nobody)
        for where in wanted:
            if where not in standing:
                yield Order("FaultRaised", {"code": NOT_ACCEPTED, "where": where}, _nobody)

    def look(self, table: PublicTable) -> None:
        """Called after a turn. If the fault was cleared, this configuration is accepted. After a power cut before it
        is stored, the table asks again."""
        if self._waits and self._stood and not self._stands(table):
            self._waits = False
            self._keep(self._tell)
        self._stood = self._stands(table)

    def _stands(self, table: PublicTable) -> bool:
        return StandingFault(NOT_ACCEPTED, self._shown) in table.service.faults

    def _kept(self) -> str:
        try:
            if KEPT_IN not in self._disk.names():
                return ""
            return read_message(_Kept, self._disk.read(KEPT_IN)).accepted
        except (DiskError, ValueError) as error:
            self.reports.append(f"which configuration was accepted cannot be read ({error})")
            return ""

    def _keep(self, tell: Callable[[str], None]) -> None:
        try:
            self._disk.replace(KEPT_IN, to_bytes(_Kept(self._digest)))
        except DiskError as error:
            tell(f"the acceptance of the configuration cannot be stored; the table will ask again ({error})")


def _nobody(_: str) -> None:
    """Ignores the answer."""
