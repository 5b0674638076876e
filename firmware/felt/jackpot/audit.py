"""Does the ledger tell one story? The standing against the sums of the entries when a ledger is opened, and the
money against the letters themselves, by an arithmetic of its own. It repairs nothing."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from felt.jackpot.ledger import Ledger, LedgerError, SumKey, Sums
from felt.jackpot.meters import AWARDS, INJECTIONS, MONEY, Account, Kind, Meter, expected_micro, total_micro
from felt.jackpot.rows import standing_of
from felt.jackpot.standing import Entry, Standing, pending_stake
from felt.jackpot.terms import MeterTerms, Procedure, link_of
from felt.nouns.money import MICRO_PER_MINOR, growth_micro


def standing_in(ledger: Ledger, procedure: Procedure) -> Standing:
    """The standing of a ledger, cross-checked; a `LedgerError` when its parts do not agree."""
    try:
        standing = standing_of(ledger.rows())
    except ValueError as error:
        raise LedgerError(f"The ledger's standing cannot be read ({error}): {_REMEDY}") from None
    _check_links(_counted_on(standing), procedure)
    sums = ledger.sums()
    problems = [problem for meter in standing.meters for problem in _problems_of(standing, meter, sums, procedure)]
    strangers = {key.meter for key in sums} - {meter.terms.name for meter in standing.meters}
    problems += [f"the entries know a meter {name!r} that the standing does not" for name in sorted(strangers)]
    problems += _missing_letters(ledger, standing)
    if problems:
        _check_links(((entry.table, entry.meter) for entry in ledger.entries(Kind.PENDED)), procedure)
        raise LedgerError(f"The ledger contradicts itself: {problems[0]}; {_REMEDY}")
    return standing


def _check_links(counted_on: Iterable[tuple[str, str]], procedure: Procedure) -> None:
    """What a table's bets were counted on is not told by its letters: it keeps its link as long as the ledger runs."""
    links = dict(procedure.links)
    for table, meter in counted_on if links else ():
        if links.get(table) != link_of(meter):
            raise LedgerError(
                f"The bets of table {table} are on the link {link_of(meter)!r}, and it is configured on "
                f"{links.get(table, 'none')!r}: put it back; a table that moves to another link gets another name."
            )


def _counted_on(standing: Standing) -> Iterator[tuple[str, str]]:
    """Tables, each with the meters that its latest rounds, its claims and its latest hits are known to be on."""
    for one in standing.rounds:
        yield from ((one.table, name) for name in (*(rate.meter for rate in one.rates), *one.held))
    yield from ((claim.table, claim.meter) for claim in standing.claims)
    yield from ((hit.table, hit.meter) for hit in standing.hits)


_REMEDY = "do not open betting, keep the file as evidence and restore the ledger from its backup."


def balance(sums: Sums, meter: str, account: Account) -> int:
    return sum(amount for key, amount in sums.items() if key.meter == meter and key.account is account)


def _problems_of(standing: Standing, meter: Meter, sums: Sums, procedure: Procedure) -> list[str]:
    name = meter.terms.name
    problems = []
    for account in Account:
        written, stands = balance(sums, name, account), getattr(meter, account.value)
        if written != stands:
            problems.append(f"the {account} of the meter {name!r} stands at {stands}, its entries add up to {written}")
    links = dict(procedure.links)
    pending = pending_stake(standing, name, lambda table: links.get(table, ""))
    if growth_micro(pending, meter.terms.rate_bp) != meter.pending:
        problems.append(f"the pending rounds do not add up to the pending {meter.pending} of the meter {name!r}")
    expected = expected_micro(meter, _injected(sums, name))
    if expected != total_micro(meter):
        problems.append(f"the meter {name!r} holds {total_micro(meter)} where rates, seeds and awards make {expected}")
    return problems


def _injected(sums: Sums, meter: str) -> int:
    """What the house put in and took out of a meter's purses."""
    return sum(amount for key, amount in sums.items() if key.meter == meter and key.kind in INJECTIONS)


def _missing_letters(ledger: Ledger, standing: Standing) -> list[str]:
    """Letters of a journal are numbered without a gap, so the last one and the one after it tell."""
    problems = []
    for journal in standing.journals:
        origin = (journal.table, journal.nonce)
        has_last = journal.highest == 0 or ledger.letter(*origin, journal.highest) is not None
        if not has_last or ledger.letter(*origin, journal.highest + 1) is not None:
            problems.append(f"letter {journal.highest} of table {journal.table} is not the last that is stored")
    return problems


def differing_terms(standing: Standing, wanted: tuple[MeterTerms, ...]) -> tuple[str, ...]:
    """A sentence for each meter whose configured terms are neither in force nor agreed on: the ledger's are the terms.
    A `LedgerError` for meters that one of the two does not know."""
    kept = {meter.terms.name: meter.terms for meter in standing.meters}
    agreed = {one.terms.name: one.terms for one in standing.agreed}
    for name in sorted(kept.keys() - {terms.name for terms in wanted}):
        raise LedgerError(f"The ledger keeps a meter {name!r} that is not configured: put it back.")
    for name in sorted({terms.name for terms in wanted} - kept.keys()):
        raise LedgerError(
            f"The meter {name!r} is configured, and the ledger was opened without it: take it out; a further meter "
            "gets a controller and a ledger of its own."
        )
    return tuple(
        _differing(kept[terms.name], terms)
        for terms in wanted
        if terms not in (kept[terms.name], agreed.get(terms.name))
    )


def _differing(kept: MeterTerms, configured: MeterTerms) -> str:
    differences = ", ".join(
        f"{field} {in_force!s} and not {written!s}"
        for field, in_force, written in zip(MeterTerms._fields, kept, configured, strict=True)
        if in_force != written
    )
    return (
        f"The meter {kept.name!r} goes by the ledger's terms ({differences}): write them into the file; terms change "
        "by ChangeTerms."
    )


Key = tuple[str, str, int]


class Tally(NamedTuple):
    """What the letters alone say, whatever the entries say."""

    accepted: dict[Key, int]  # stakes by table, journal and round
    won: frozenset[Key]  # rounds with an award
    awards_minor: int

    def stakes_minor(self, meter: str, procedure: Procedure, left_out: Collection[Key]) -> int:
        """What counts for one meter: the rounds of the tables of its link."""
        links, link = dict(procedure.links), link_of(meter)
        return sum(
            stakes for key, stakes in self.accepted.items() if links.get(key[0], "") == link and key not in left_out
        )


def tally_of_letters(ledger: Ledger) -> Tally:
    """Read as plain JSON and not by the letters' own reader: this checks what others have made of them."""
    locked: dict[Key, dict[int, int]] = {}
    accepted: dict[Key, dict[int, int]] = {}
    won: set[Key] = set()
    awards_minor = 0
    for stored in ledger.letters():
        try:
            body: dict[str, Any] = json.loads(stored.body)
            key = (stored.table, stored.nonce, body["round"])
            if stored.kind == "RoundLocked":
                locked[key] = dict(body["contributions"])
            elif stored.kind == "RoundResult":
                stakes = locked.pop(key)
                accepted[key] = {seat: stake for seat, stake in stakes.items() if seat not in body["returned"]}
            elif stored.kind == "BetsReturned":
                accepted[key] = {seat: stake for seat, stake in accepted[key].items() if seat not in body["seats"]}
            elif stored.kind == "RoundVoided":
                accepted.pop(key, None)
            elif stored.kind == "ClaimConfirmed":
                awards_minor += body["award_minor"]
                won.add(key)
        except (ValueError, LookupError, TypeError) as error:
            place = f"{stored.sequence} of table {stored.table}"
            raise LedgerError(f"Letter {place} in the ledger cannot be read ({error}): {_REMEDY}") from None
    stakes_of = {key: sum(stakes.values()) for key, stakes in accepted.items()}
    return Tally(stakes_of, frozenset(won), awards_minor)


def broken_conservation(ledger: Ledger, standing: Standing, procedure: Procedure) -> str:
    """One sentence about the first break, or nothing: for each meter, the purses as the entries add them up must
    be rates x stakes + seeds - awards, and stakes and awards must be those of the letters."""
    sums = ledger.sums()
    tally = tally_of_letters(ledger)
    by_persons = _paid_by_persons(ledger, standing)
    won = tally.won.union(map(_round_of, by_persons))
    dropped = _dropped_because_won(ledger, standing)
    awards_minor = 0
    for meter in standing.meters:
        name = meter.terms.name
        held = sum(balance(sums, name, account) for account in MONEY)
        paid = -sum(sums.get(SumKey(name, kind, account), 0) for kind in AWARDS for account in MONEY)
        carried = balance(sums, name, Account.CARRIED)
        added_nothing = {_round_of(entry) for entry in dropped if entry.meter == name}
        if not added_nothing <= won:
            return f"Rounds that nobody won have added nothing to the meter {name!r}: {sorted(added_nothing - won)}."
        # Rounds held until their claims are resolved have their result and are not on the meter yet.
        held_back = {one[:3] for one in standing.rounds if name in one.held}
        stakes_minor = tally.stakes_minor(name, procedure, added_nothing | held_back)
        grown = growth_micro(stakes_minor, meter.terms.rate_bp) + carried
        injected = _injected(sums, name)
        if held != grown + injected - paid:
            return f"The meter {name!r} holds {held}, not {grown} grown + {injected} put in - {paid} paid."
        waiting = sum(lot.micro for lot in standing.lots if lot.meter == name)
        if waiting != meter.bucket:
            return f"The next cycle of the meter {name!r} holds {meter.bucket}, not the {waiting} of known rounds."
        awards_minor += paid // MICRO_PER_MINOR
    at_the_controller = sum(entry.amount for entry in by_persons if entry.account is Account.WINS)
    if standing.meters and awards_minor != tally.awards_minor + at_the_controller:
        also = f" and persons {at_the_controller}" if at_the_controller else ""
        return f"The entries paid {awards_minor} where the letters confirmed {tally.awards_minor}{also}."
    return next(filter(None, (_more_than_the_value(standing, meter) for meter in standing.meters)), "")


def _more_than_the_value(standing: Standing, meter: Meter) -> str:
    """The awards that one frozen value is shared out to, paid or not yet, are never more than it."""
    name = meter.terms.name
    parts = [claim for claim in standing.claims if claim.meter == name and claim.valuation is not None]
    if not parts or parts[0].valuation is None:
        return ""
    value_micro, award_minor = parts[0].valuation
    who = (name, *parts[0][:3], value_micro, award_minor)
    paid = [
        hit.award_minor
        for hit in standing.hits
        if parts[0].split > 1
        and (hit.meter, hit.table, hit.nonce, hit.round, hit.value_micro, hit.award_minor) == who
    ]
    awards = [*paid, *(claim.valuation.award_minor for claim in parts if claim.valuation is not None)]
    # By one reading each part is rounded to the nearest minor unit, and the house adds what it lacks.
    if sum(awards) * MICRO_PER_MINOR > value_micro + len(awards) * MICRO_PER_MINOR:
        return f"The meter {name!r} was valued at {value_micro} and is shared out to awards of {sum(awards)}."
    return ""


def _paid_by_persons(ledger: Ledger, standing: Standing) -> list[Entry]:
    """Awards that no letter confirmed: two persons have signed each at the controller."""
    awarded = ledger.entries(Kind.AWARDED) if standing.hits else ()
    return [entry for entry in awarded if entry.persons and entry.account in (Account.HITS, Account.WINS)]


def _dropped_because_won(ledger: Ledger, standing: Standing) -> list[Entry]:
    """As it was written down when the claims were resolved, by the reading that was in force then."""
    return list(ledger.entries(Kind.ADDED_NOTHING)) if standing.hits else []


def _round_of(entry: Entry) -> Key:
    return entry.table, entry.nonce, entry.round
