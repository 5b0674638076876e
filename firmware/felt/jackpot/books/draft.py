"""A standing while one letter or one act changes it, and the entries that say so. Nothing here is kept until the
office has committed it; what cannot be is refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from felt.jackpot.books.accounts import Code, Entry
from felt.jackpot.books.clocks import Clocks, Moment, moment_of
from felt.jackpot.books.meter import Meter, Moved
from felt.jackpot.books.standing import (
    ClaimKey,
    OpenClaim,
    Origin,
    Round,
    RoundKey,
    Standing,
    claim_of,
    meter_named,
    meters_of_link,
    round_of,
    with_meter,
)
from felt.jackpot.books.terms import MeterTerms, Procedure
from felt.nouns.stamps import Stamp
from felt.nouns.values import parts_of


class RefusedError(Exception):
    """What this standing cannot accept, in one sentence."""


class Context:
    """What a standing is judged by and does not hold: the controller's time, the clocks, the house's procedure."""

    def __init__(self, now: Stamp, clocks: Clocks, procedure: Procedure, links: Mapping[str, str]) -> None:
        self.now = now
        self.clocks = clocks
        self.procedure = procedure
        self.links = links  # the procedure's, by table

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
        self.told_to_table: list[str] = []  # with the answer to this letter

    @property
    def round_key(self) -> RoundKey:
        return RoundKey(self.origin.table, self.origin.nonce, self.round)

    def speak_of(self, key: RoundKey) -> None:
        self.origin, self.round = Origin(key.table, key.nonce), key.number

    def write(self, code: Code, claim: str = "", meter: str = "", amount: int = 0, detail: str = "") -> None:
        table, nonce = self.origin.table, self.origin.nonce
        self.entries.append(
            Entry(
                code, table, nonce, self.round, claim, meter, amount=amount, at_wall_ns=self.at_wall_ns, detail=detail,
                persons=self.persons,
            )
        )  # fmt: skip

    def move(self, moved: Moved, claim: str = "", detail: str = "") -> None:
        meter, (table, nonce) = moved.meter, (self.origin.table, self.origin.nonce)
        former = self.meter(meter.name)
        self.standing = with_meter(self.standing, meter)
        self.entries += [
            Entry(
                told.code, table, nonce, self.round, claim, meter.name, told.debit, told.credit, told.micro,
                told.stake_minor, told.wagers, self.at_wall_ns, detail, self.persons,
            )
            for told in moved.transfers
        ]  # fmt: skip
        if former.agreed is not None and meter.agreed is None:
            by = f"Terms agreed by {former.agreed.persons}: {former.agreed.reason}"
            self.write(
                Code.TERMS_CHANGED,
                meter=meter.name,
                amount=meter.terms.rate_bp,
                detail=f"{by}; now {said_terms(meter.terms)}.",
            )

    def link_meters(self) -> tuple[Meter, ...]:
        """The meters that the bets of this table raise."""
        links, table = self.context.links, self.origin.table
        if links and table not in links:
            raise RefusedError(f"Table {table} is on no link: name it in the controller's configuration.")
        return meters_of_link(self.standing, links.get(table, ""))

    def round_or_refuse(self) -> Round:
        found = round_of(self.standing, self.round_key)
        if found is None:
            raise RefusedError(f"Round {self.round} is not open: it was never locked, or a later one is.")
        return found

    def claim_or_refuse(self, claim: str) -> OpenClaim:
        found = claim_of(self.standing, ClaimKey(self.origin.table, self.origin.nonce, claim))
        if found is None or found.round != self.round:
            raise RefusedError(f"Round {self.round} has no open claim {claim}: it was never made, or is resolved.")
        return found

    def meter(self, name: str) -> Meter:
        found = meter_named(self.standing, name)
        assert found is not None, f"a claim names the meter {name}, which was checked when it was made"
        return found


def said_terms(terms: MeterTerms) -> str:
    return listed(f"{name} {value}" for name, value in parts_of(terms).items() if value not in ("", 0))


def listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names)) or "none"
