"""How a link stands: its meters, the rounds that can still change them, the open claims, the journals heard.
A frozen value, written to the ledger as rows of text and read back strictly. It decides nothing."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import NamedTuple

from felt.jackpot.meters import Account, Kind, Meter
from felt.nouns.plain import write_plain
from felt.nouns.shapes import from_plain
from felt.nouns.stamps import Stamp
from felt.wire.jackpot import Contribution


class Origin(NamedTuple):
    """Whose letter: a table and the journal it keeps."""

    table: str
    nonce: str


class Journal(NamedTuple):
    table: str
    nonce: str
    highest: int = 0  # the latest letter, and therefore the number of letters
    last_round: int = 0
    superseded: bool = False  # the table has begun another journal: this one will hardly speak again


class RoundStage(StrEnum):
    PENDING = "pending"
    COMMITTED = "committed"
    VOIDED = "voided"


class Round(NamedTuple):
    """A locked round, kept until the table locks its next one: until then a void may still correct it."""

    table: str
    nonce: str
    number: int
    contributions: tuple[Contribution, ...]
    stage: RoundStage = RoundStage.PENDING
    dealt_at: Stamp | None = None
    paid_claims: tuple[str, ...] = ()
    awards_minor: int = 0


class Valuation(NamedTuple):
    value_micro: int  # the frozen meter
    award_minor: int


class OpenClaim(NamedTuple):
    """A share of a meter that nobody has confirmed or denied yet."""

    table: str
    nonce: str
    round: int
    claim: str
    meter: str
    share_num: int
    share_den: int
    hand_wall_ns: int  # when the hand's last card was dealt
    place: int  # order of arrival, to settle equal times
    valuation: Valuation | None = None


class Standing(NamedTuple):
    meters: tuple[Meter, ...] = ()
    rounds: tuple[Round, ...] = ()
    claims: tuple[OpenClaim, ...] = ()
    journals: tuple[Journal, ...] = ()


class Entry(NamedTuple):
    """One line of the ledger. An amount is in micro-units, or in the unit of its account where that differs."""

    kind: Kind
    table: str = ""
    nonce: str = ""
    round: int = 0
    claim: str = ""
    meter: str = ""
    account: Account | None = None
    amount: int = 0
    at_wall_ns: int = 0
    detail: str = ""


def stake_of(one: Round) -> int:
    return sum(contribution.stake_minor for contribution in one.contributions)


# --- finding -----------------------------------------------------------------------------------------


def meter_named(standing: Standing, name: str) -> Meter | None:
    return next((meter for meter in standing.meters if meter.terms.name == name), None)


def round_of(standing: Standing, origin: Origin, number: int) -> Round | None:
    wanted = (*origin, number)
    return next((one for one in standing.rounds if one[:3] == wanted), None)


def claim_of(standing: Standing, origin: Origin, claim: str) -> OpenClaim | None:
    return next((one for one in standing.claims if one[:2] == origin and one.claim == claim), None)


def journal_of(standing: Standing, origin: Origin) -> Journal:
    """The journal as known; one that was never heard of is empty."""
    found = next((journal for journal in standing.journals if journal[:2] == origin), None)
    return Journal(*origin) if found is None else found


def valued_claim_on(standing: Standing, meter: str) -> OpenClaim | None:
    """The claim that the meter is frozen for."""
    return next((one for one in standing.claims if one.meter == meter and one.valuation is not None), None)


def shown_micro(standing: Standing, meter: Meter) -> int:
    frozen = valued_claim_on(standing, meter.terms.name)
    return meter.display if frozen is None or frozen.valuation is None else frozen.valuation.value_micro


# --- changing ----------------------------------------------------------------------------------------


def with_meter(standing: Standing, meter: Meter) -> Standing:
    meters = tuple(meter if one.terms.name == meter.terms.name else one for one in standing.meters)
    return standing._replace(meters=meters)


def with_round(standing: Standing, changed: Round) -> Standing:
    others = tuple(one for one in standing.rounds if one[:3] != changed[:3])
    return standing._replace(rounds=(*others, changed))


def with_claim(standing: Standing, changed: OpenClaim) -> Standing:
    return standing._replace(claims=tuple(changed if one.place == changed.place else one for one in standing.claims))


def without_claim(standing: Standing, gone: OpenClaim) -> Standing:
    return standing._replace(claims=tuple(one for one in standing.claims if one.place != gone.place))


def with_journal(standing: Standing, changed: Journal) -> Standing:
    others = tuple(journal for journal in standing.journals if journal[:2] != changed[:2])
    return standing._replace(journals=(*others, changed))


# --- rows --------------------------------------------------------------------------------------------

Rows = dict[str, str]
def rows_of(standing: Standing) -> Rows:
    keyed: dict[str, tuple[object, ...]] = {}
    keyed |= {f"meter/{one.terms.name}": one for one in standing.meters}
    keyed |= {f"round/{one.table}/{one.nonce}/{one.number}": one for one in standing.rounds}
    keyed |= {f"claim/{one.place:09d}": one for one in standing.claims}
    keyed |= {f"journal/{one.table}/{one.nonce}": one for one in standing.journals}
    return {key: write_plain(value) for key, value in keyed.items()}


def changed_rows(before: Rows, after: Rows) -> dict[str, str | None]:
    """What to write; None for a row that is gone."""
    gone: dict[str, str | None] = {key: None for key in before if key not in after}
    return gone | {key: text for key, text in after.items() if before.get(key) != text}


def standing_of(rows: Rows) -> Standing:
    """What `rows_of` wrote; a ValueError for anything else."""
    parts: dict[str, list[object]] = {"meter": [], "round": [], "claim": [], "journal": []}
    for key in sorted(rows):
        part = parts.get(key.partition("/")[0])
        if part is None:
            raise ValueError(f"{key!r} is no part of a standing")
        part.append(json.loads(rows[key]))
    plain = [parts["meter"], parts["round"], parts["claim"], parts["journal"]]
    return from_plain(Standing, plain)
