"""A standing while one letter or one act changes it, and the entries that say so. Nothing here is kept until the
office has committed it; what cannot be is refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from felt.jackpot import meters
from felt.jackpot.clocks import Clocks, Moment, moment_of
from felt.jackpot.meters import Kind, Meter
from felt.jackpot.standing import (
    Entry,
    OpenClaim,
    Origin,
    Round,
    Standing,
    claim_of,
    meter_named,
    meters_of_link,
    round_of,
    with_meters,
)
from felt.jackpot.terms import Procedure
from felt.nouns.stamps import Stamp


class RefusedError(Exception):
    """What this standing cannot accept, in one sentence."""


class Context(NamedTuple):
    """What a standing is judged by and does not hold: the controller's time, the clocks, the house's procedure."""

    now: Stamp
    clocks: Clocks
    procedure: Procedure
    links: Mapping[str, str]  # the procedure's, by table

    def link_of_table(self, table: str) -> str:
        """The empty link where the house has one alone."""
        return self.links.get(table, "")

    def moment(self, table: str, boot: str, mono_ns: int, early_ns: int = 0) -> Moment:
        return moment_of(self.clocks, table, boot, mono_ns, early_ns)

    def elapsed_ns(self, since: Stamp) -> int:
        """By the clock that nobody sets where it is the same one, else by the one on the wall."""
        if since.boot == self.now.boot:
            return self.now.mono_ns - since.mono_ns
        return max(0, self.now.wall_ns - since.wall_ns)


class Draft:
    __slots__ = ("at_wall_ns", "context", "entries", "origin", "persons", "round", "standing", "valued")

    def __init__(
        self,
        standing: Standing,
        context: Context,
        origin: Origin,
        round_number: int,
        at_wall_ns: int,
        persons: str = "",
    ) -> None:
        self.standing = standing
        self.context = context
        self.origin = origin
        self.round = round_number
        self.at_wall_ns = at_wall_ns
        self.persons = persons
        self.entries: list[Entry] = []
        self.valued: list[OpenClaim] = []  # their tables are to hear of it

    def write(self, kind: Kind, claim: str = "", meter: str = "", amount: int = 0, detail: str = "") -> None:
        self.entries.append(
            Entry(kind, *self.origin, self.round, claim, meter, None, amount, self.at_wall_ns, detail, self.persons)
        )

    def move(self, moved: meters.Moved, claim: str = "", detail: str = "") -> None:
        self.move_all((moved,), claim, detail)

    def move_all(self, all_moved: Sequence[meters.Moved], claim: str = "", detail: str = "") -> None:
        """Several meters at once, in the order in which they stand."""
        self.standing = with_meters(self.standing, [meter for meter, _ in all_moved])
        for moved in all_moved:
            name = moved.meter.terms.name
            for kind, account, amount in moved.movements:
                self.entries.append(
                    Entry(
                        kind, *self.origin, self.round, claim, name, account, amount, self.at_wall_ns, detail,
                        self.persons,
                    )
                )  # fmt: skip

    def link_meters(self) -> tuple[Meter, ...]:
        """The meters that the bets of this table raise."""
        links, table = self.context.links, self.origin.table
        if links and table not in links:
            raise RefusedError(f"Table {table} is on no link: name it in the controller's configuration.")
        return meters_of_link(self.standing, links.get(table, ""))

    def round_or_refuse(self) -> Round:
        found = round_of(self.standing, self.origin, self.round)
        if found is None:
            raise RefusedError(f"Round {self.round} is not open: it was never locked, or a later one is.")
        return found

    def claim_or_refuse(self, claim: str) -> OpenClaim:
        found = claim_of(self.standing, self.origin, claim)
        if found is None or found.round != self.round:
            raise RefusedError(f"Round {self.round} has no open claim {claim}: it was never made, or is resolved.")
        return found

    def meter(self, name: str) -> Meter:
        found = meter_named(self.standing, name)
        assert found is not None, f"a claim names the meter {name}, which was checked when it was made"
        return found


def listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names)) or "none"
