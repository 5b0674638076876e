"""Does the ledger tell one story? When it is opened: its chain since the latest closing, and the standing against the
balances and the transfers. When somebody asks: the money against the letters themselves, by an arithmetic of its own.
It repairs nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from felt.jackpot.books.accounts import AWARDS, COUNTED, Account, Code
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import (
    BetsKey,
    Origin,
    RoundKey,
    RoundStage,
    Standing,
    journals_in,
    rounds_in,
)
from felt.jackpot.books.terms import MeterTerms, Procedure, link_of
from felt.jackpot.ledger.port import Ledger, LedgerError, StoredLetter
from felt.jackpot.ledger.rows import standing_of
from felt.nouns.money import MICRO_PER_MINOR, growth_micro

_REMEDY = "do not open betting, keep the file as evidence and restore the ledger from its backup."


def standing_in(ledger: Ledger, procedure: Procedure) -> Standing:
    """The standing of a ledger, cross-checked; a `LedgerError` when its parts do not agree."""
    broken = ledger.broken_chain()
    if broken:
        raise LedgerError(f"The ledger was changed behind the controller's back ({broken}): {_REMEDY}")
    try:
        standing = standing_of(ledger.rows())
    except ValueError as error:
        raise LedgerError(f"The ledger's standing cannot be read ({error}): {_REMEDY}") from None
    _check_links(_counted_on(standing), procedure)
    problems = [*_wrong_balances(ledger, standing), *_wrong_queues(standing, procedure)]
    problems += [*_wrong_openings(ledger, standing), *_missing_letters(ledger, standing)]
    if problems:
        after = _since(ledger)[0]
        pended = ((entry.table, entry.meter) for entry in ledger.entries(Code.PENDED, after=after))
        _check_links(pended, procedure)
        raise LedgerError(f"The ledger contradicts itself: {problems[0]}; {_REMEDY}")
    return standing


def _since(ledger: Ledger) -> tuple[int, int, Standing]:
    """The latest closing: its last entry, its last letter and how everything stood."""
    closing = ledger.last_closing()
    if closing is None:
        return 0, 0, standing_of({})
    return closing.closed.last_entry, closing.closed.last_letter, standing_of(closing.rows)


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
    """Tables, each with the meters that its latest rounds, its hits in the queue and its latest hits are on."""
    for played in rounds_in(standing):
        names = [*(share.meter for share in played.shares), *(late.meter for late in played.held)]
        yield from ((played.table, name) for name in names)
    yield from ((claim.table, claim.meter) for claim in standing.claims)
    yield from ((hit.table, hit.meter) for hit in standing.hits)


def _wrong_balances(ledger: Ledger, standing: Standing) -> Iterator[str]:
    after, _, former = _since(ledger)
    summed: Counter[tuple[str, Account]] = Counter()
    for meter in former.meters:
        summed.update({(meter.name, account): getattr(meter, account.value) for account in Account})
    for key, micro in ledger.sums(after=after).items():
        summed[key.meter, key.debit] -= micro
        summed[key.meter, key.credit] += micro
    stored = ledger.balances()
    for name in sorted({name for name, _ in summed}.union(stored) - {meter.name for meter in standing.meters}):
        yield f"the entries know a meter {name!r} that the standing does not"
    for meter in standing.meters:
        for account in Account:
            stands, written = getattr(meter, account.value), summed[meter.name, account]
            if not stands == written == stored.get(meter.name, {}).get(account, 0):
                yield (f"the {account} of the meter {meter.name!r} stands at {stands}, its entries add up to {written}")


def _wrong_queues(standing: Standing, procedure: Procedure) -> Iterator[str]:
    links = dict(procedure.links)
    for meter in standing.meters:
        name = meter.name
        pending = sum(
            played.stake
            for played in rounds_in(standing)
            if links.get(played.table, "") == link_of(name)
            and (played.stage is RoundStage.PENDING or name in [late.meter for late in played.held])
        )
        if (pending, growth_micro(pending, meter.terms.rate_bp)) != (meter.pending_stake, meter.pending):
            yield f"the pending rounds do not add up to the pending {meter.pending} of the meter {name!r}"
        waiting = sum(bets.micro for bets in standing.bets.values() if bets.meter == name)
        if waiting != meter.waiting:
            yield f"the bets behind the hits of the meter {name!r} are {waiting}, and its account has {meter.waiting}"
        if (meter.frozen is None) == any(claim.meter == name and claim.valuation for claim in standing.claims):
            yield f"the meter {name!r} is frozen for a claim that has no value, or not for one that has"


def _wrong_openings(ledger: Ledger, standing: Standing) -> Iterator[str]:
    """The first seed is what the first terms say."""
    first = {meter.name: (*meter.former_terms, meter.terms)[0] for meter in standing.meters}
    if ledger.last_closing() is not None:
        return
    for entry in ledger.entries(Code.SEED):
        terms = first.pop(entry.meter, None)
        if terms is not None and entry.amount != (terms.base_minor or terms.reset_minor) * MICRO_PER_MINOR:
            yield f"the meter {entry.meter!r} was opened with {entry.amount}, which its terms do not say"


def _missing_letters(ledger: Ledger, standing: Standing) -> Iterator[str]:
    """The latest letter of each journal is stored, and none after it; what is archived nobody asks for."""
    archived = any(closing.archived for closing in ledger.closings())
    for journal in journals_in(standing):
        origin = Origin(journal.table, journal.nonce)
        last = ledger.letter(origin.table, origin.nonce, journal.highest)
        has_last = journal.highest == 0 or last is not None or archived
        if not has_last or ledger.letter(origin.table, origin.nonce, journal.highest + 1) is not None:
            yield f"letter {journal.highest} of table {journal.table} is not the last that is stored"


def terms_that_differ(standing: Standing, wanted: tuple[MeterTerms, ...]) -> list[str]:
    """The ledger's terms are the terms. A file may still say what was in force before others were agreed, or already
    what is agreed; any others it may not say."""
    kept = {meter.name: meter for meter in standing.meters}
    differing = []
    for terms in wanted:
        meter = kept.pop(terms.name, None)
        agreed = () if meter is None or meter.agreed is None else (meter.agreed.terms,)
        if meter is None or terms not in (meter.terms, *agreed, *meter.former_terms):
            raise LedgerError(
                f"The meter {terms.name!r} is configured otherwise than the ledger was opened with: its terms cannot "
                "change while it runs; put the former ones back, and agree on new ones at the controller."
            )
        if terms not in (meter.terms, *agreed):
            differing.append(terms.name)
    for name in kept:
        raise LedgerError(f"The ledger keeps a meter {name!r} that is not configured: put it back.")
    return differing


# --- against the letters -----------------------------------------------------------------------------


class _Tally:
    """What the letters since a closing say, whatever the entries say. Read as plain JSON and not by the letters' own
    reader: this checks what others have made of them."""

    def __init__(self, former: Standing) -> None:
        self.locked: dict[RoundKey, dict[int, int]] = {}  # stakes by seat
        self.accepted: dict[RoundKey, dict[int, int]] = {}
        self.before: Counter[tuple[str, RoundKey]] = Counter()  # by meter: what was counted when the period began
        self.won: set[RoundKey] = set()
        self.awards_minor = 0
        for played in rounds_in(former):
            stakes = {bet.seat: bet.stake_minor for bet in played.contributions}
            if played.stage in (RoundStage.PENDING, RoundStage.DROPPED):
                self.locked[played.key] = stakes
            elif played.stage is RoundStage.COMMITTED:
                self.accepted[played.key] = stakes
                self.before.update({(share.meter, played.key): played.stake for share in played.shares})
            if played.paid_claims:
                self.won.add(played.key)

    def take(self, stored: StoredLetter) -> None:
        body: dict[str, Any] = json.loads(stored.body)
        key = RoundKey(stored.table, stored.nonce, body["round"])
        match stored.kind:
            case "RoundLocked":
                self.locked[key] = dict(body["contributions"])
            case "RoundResult":
                stakes = self.locked.pop(key)
                self.accepted[key] = {seat: stake for seat, stake in stakes.items() if seat not in body["returned"]}
            case "BetsReturned":
                kept = {seat: stake for seat, stake in self.accepted[key].items() if seat not in body["seats"]}
                self.accepted[key] = kept
            case "RoundVoided":
                if key in self.accepted:
                    self.accepted[key] = {}
            case "ClaimConfirmed":
                self.awards_minor += body["award_minor"]
                self.won.add(key)


def broken_conservation(ledger: Ledger, standing: Standing, procedure: Procedure) -> str:
    """One sentence about the first break since the latest closing, or nothing: the stakes that were committed must be
    those of the letters, each at the rate that was in force, and the awards those that the letters confirmed."""
    after_entry, after_letter, former = _since(ledger)
    tally = _Tally(former)
    for stored in ledger.letters(after=after_letter):
        try:
            tally.take(stored)
        except (ValueError, LookupError, TypeError) as error:
            place = f"{stored.sequence} of table {stored.table}"
            raise LedgerError(f"Letter {place} in the ledger cannot be read ({error}): {_REMEDY}") from None
    known = former.meters or standing.meters
    rates = {meter.name: _terms_at_first(meter, former).rate_bp for meter in known}
    counted: Counter[tuple[str, RoundKey]] = Counter(tally.before)
    grown: Counter[str] = Counter()
    awards_minor = by_persons_minor = 0
    for entry in ledger.entries(after=after_entry):
        key = RoundKey(entry.table, entry.nonce, entry.round)
        if entry.code is Code.TERMS_CHANGED:
            rates[entry.meter] = entry.amount
        if entry.code in COUNTED:
            counted[entry.meter, key] += entry.stake_minor
        if entry.code is Code.COMMITTED:
            grown[entry.meter] += entry.amount - growth_micro(entry.stake_minor, rates[entry.meter])
        if entry.code in AWARDS:
            awards_minor += entry.amount // MICRO_PER_MINOR
            if entry.persons:
                by_persons_minor += entry.amount // MICRO_PER_MINOR
                tally.won.add(key)
    problem = next(_uncounted(standing, tally, counted, procedure), "")
    if problem:
        return problem
    for name, micro in grown.items():
        if micro:
            return f"The bets on the meter {name!r} were committed at another rate than its terms': {micro} too much."
    unpaid = _stated(standing) - _stated(former)
    if awards_minor + unpaid != tally.awards_minor + by_persons_minor:
        also = f" and persons {by_persons_minor}" if by_persons_minor else ""
        return f"The entries paid {awards_minor + unpaid} where the letters confirmed {tally.awards_minor}{also}."
    return next(filter(None, (_more_than_the_value(standing, meter) for meter in standing.meters)), "")


def _terms_at_first(meter: Meter, former: Standing) -> MeterTerms:
    return meter.terms if former.meters else (*meter.former_terms, meter.terms)[0]


def _stated(standing: Standing) -> int:
    """What tables have paid and meters have not."""
    return sum(claim.stated_minor or 0 for claim in standing.claims)


def _uncounted(
    standing: Standing, tally: _Tally, counted: Counter[tuple[str, RoundKey]], procedure: Procedure
) -> Iterator[str]:
    """Rounds of which a meter has other stakes than their letters say. Those that are held until their claims are
    resolved are not on it yet; those that won may have added nothing, by a reading."""
    links = dict(procedure.links)
    held = {BetsKey(played.key, late.meter) for played in rounds_in(standing) for late in played.held}
    for meter in standing.meters:
        for key, stakes in tally.accepted.items():
            if links.get(key.table, "") != link_of(meter.name):
                continue
            expected, found = sum(stakes.values()), counted[meter.name, key]
            nothing = found == 0 and (BetsKey(key, meter.name) in held or key in tally.won)
            if found != expected and not nothing:
                yield (
                    f"The meter {meter.name!r} has counted {found} of round {key.number} of table {key.table}, whose "
                    f"letters say {expected}."
                )
    for (name, key), found in counted.items():
        if found and key not in tally.accepted:
            yield f"The meter {name!r} has counted {found} of round {key.number} of table {key.table} without a letter."


def _more_than_the_value(standing: Standing, meter: Meter) -> str:
    """The awards that one frozen value is shared out to are never more than it."""
    awards = [claim.valuation.award_minor for claim in standing.claims if claim.meter == meter.name and claim.valuation]
    if meter.frozen is None or not awards:
        return ""
    # By one reading each part is rounded to the nearest minor unit, and the house adds what it lacks.
    parts = len(awards) + meter.frozen.paid
    if max(awards) * parts * MICRO_PER_MINOR > meter.frozen.value_micro + parts * MICRO_PER_MINOR:
        return f"The meter {meter.name!r} was valued at {meter.frozen.value_micro} and is shared out to {awards}."
    return ""
