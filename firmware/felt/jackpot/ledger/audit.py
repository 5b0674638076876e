"""Does the ledger tell one story? When it is opened: its chain since the latest closing, and the standing against the
balances and the transfers. When somebody asks: the money against the letters themselves, by an arithmetic of its own.
It repairs nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from felt.jackpot.books.accounts import AWARDS, COUNTED, Account, Code, Entry
from felt.jackpot.books.draft import listed
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
from felt.nouns.values import parts_of

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
    archived = any(known.archived for known in ledger.closed_days())
    for journal in journals_in(standing):
        origin = Origin(journal.table, journal.nonce)
        last = ledger.letter(origin.table, origin.nonce, journal.highest)
        has_last = journal.highest == 0 or last is not None or archived
        if not has_last or ledger.letter(origin.table, origin.nonce, journal.highest + 1) is not None:
            yield f"letter {journal.highest} of table {journal.table} is not the last that is stored"


def differing_terms(standing: Standing, wanted: tuple[MeterTerms, ...]) -> tuple[str, ...]:
    """A sentence for each meter whose configured terms are neither in force nor agreed on: the ledger's are the terms.
    A `LedgerError` for meters that one of the two does not know."""
    kept = {meter.name: meter for meter in standing.meters}
    for name in sorted(kept.keys() - {terms.name for terms in wanted}):
        raise LedgerError(f"The ledger keeps a meter {name!r} that is not configured: put it back.")
    for name in sorted({terms.name for terms in wanted} - kept.keys()):
        raise LedgerError(
            f"The meter {name!r} is configured, and the ledger was opened without it: take it out; a further meter "
            "gets a controller and a ledger of its own."
        )
    return tuple(
        _differing(kept[terms.name].terms, terms)
        for terms in wanted
        if terms not in (kept[terms.name].terms, _agreed_for(kept[terms.name]))
    )


def _agreed_for(meter: Meter) -> MeterTerms | None:
    return None if meter.agreed is None else meter.agreed.terms


def _differing(kept: MeterTerms, configured: MeterTerms) -> str:
    written = parts_of(configured)
    differences = listed(
        f"{field} {in_force!s} and not {written[field]!s}"
        for field, in_force in parts_of(kept).items()
        if in_force != written[field]
    )
    return (
        f"The meter {kept.name!r} goes by the ledger's terms ({differences}): write them into the file; terms change "
        "by ChangeTerms."
    )


# --- against the letters -----------------------------------------------------------------------------


class _Tally:
    """What the letters since a closing say, whatever the entries say. Read as plain JSON and not by the letters' own
    reader: this checks what others have made of them."""

    def __init__(self, former: Standing) -> None:
        self.locked: dict[RoundKey, dict[int, int]] = {}  # stakes by seat
        self.accepted: dict[RoundKey, dict[int, int]] = {}
        self.won: set[RoundKey] = set()
        self.awards_minor = 0
        for played in rounds_in(former):
            stakes = {bet.seat: bet.stake_minor for bet in played.contributions}
            if played.stage in (RoundStage.PENDING, RoundStage.DROPPED):
                self.locked[played.key] = stakes
            elif played.stage is RoundStage.COMMITTED:
                self.accepted[played.key] = stakes
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


class _Entered:
    """What the entries since a closing say."""

    def __init__(self, former: Standing, standing: Standing) -> None:
        known = former.meters or standing.meters
        self._rates = {meter.name: _terms_at_first(meter, former).rate_bp for meter in known}
        self.counted: Counter[BetsKey] = Counter()
        self.added_nothing: set[BetsKey] = set()
        self.too_much: Counter[str] = Counter()  # by meter, beyond what the rate makes of the stakes
        self.awards_minor = self.by_persons_minor = 0
        self.won: set[RoundKey] = set()
        for played in rounds_in(former):
            if played.stage is not RoundStage.COMMITTED:
                continue
            self.counted.update({BetsKey(played.key, share.meter): played.stake for share in played.shares})
            known_of = {late.meter for late in played.held}.union(share.meter for share in played.shares)
            self.added_nothing.update(
                BetsKey(played.key, meter.name) for meter in former.meters if meter.name not in known_of
            )

    def take(self, entry: Entry) -> None:
        key = BetsKey(RoundKey(entry.table, entry.nonce, entry.round), entry.meter)
        if entry.code is Code.TERMS_CHANGED:
            self._rates[entry.meter] = entry.amount
        elif entry.code is Code.ADDED_NOTHING:
            self.added_nothing.add(key)
        elif entry.code in COUNTED:
            self.counted[key] += entry.stake_minor
        if entry.code is Code.COMMITTED:
            self.too_much[entry.meter] += entry.amount - growth_micro(entry.stake_minor, self._rates[entry.meter])
        if entry.code in AWARDS:
            self.awards_minor += entry.amount // MICRO_PER_MINOR
            if entry.persons and entry.code is Code.AWARDED:  # a stated one may have its turn by an act of persons
                self.by_persons_minor += entry.amount // MICRO_PER_MINOR
                self.won.add(key.round)


def broken_conservation(ledger: Ledger, standing: Standing, procedure: Procedure) -> str:
    """One sentence about the first break since the latest closing, or nothing: the stakes that were committed must be
    those of the letters, each at the rate that was in force, and the awards those that the letters confirmed."""
    after_entry, after_letter, former = _since(ledger)
    tally, entered = _Tally(former), _Entered(former, standing)
    for stored in ledger.letters(after=after_letter):
        try:
            tally.take(stored)
        except (ValueError, LookupError, TypeError) as error:
            place = f"{stored.sequence} of table {stored.table}"
            raise LedgerError(f"Letter {place} in the ledger cannot be read ({error}): {_REMEDY}") from None
    for entry in ledger.entries(after=after_entry):
        entered.take(entry)
    problem = next(_uncounted(standing, tally, entered, procedure), "")
    if problem:
        return problem
    for name, micro in entered.too_much.items():
        if micro:
            return f"The bets on the meter {name!r} were committed at another rate than its terms': {micro} too much."
    paid_minor = entered.awards_minor + _stated(standing) - _stated(former)
    if paid_minor != tally.awards_minor + entered.by_persons_minor:
        also = f" and persons {entered.by_persons_minor}" if entered.by_persons_minor else ""
        return f"The entries paid {paid_minor} where the letters confirmed {tally.awards_minor}{also}."
    return next(filter(None, (_more_than_the_value(standing, meter) for meter in standing.meters)), "")


def _terms_at_first(meter: Meter, former: Standing) -> MeterTerms:
    return meter.terms if former.meters else (*meter.former_terms, meter.terms)[0]


def _stated(standing: Standing) -> int:
    """What tables have paid and meters have not."""
    return sum(claim.stated_minor or 0 for claim in standing.claims)


def _uncounted(standing: Standing, tally: _Tally, entered: _Entered, procedure: Procedure) -> Iterator[str]:
    """Rounds of which a meter has other stakes than their letters say. Those that are held until their claims are
    resolved are not on it yet; of those that won the entries may say that they added nothing, by a reading."""
    links = dict(procedure.links)
    held = {BetsKey(played.key, late.meter) for played in rounds_in(standing) for late in played.held}
    won = tally.won | entered.won
    for meter in standing.meters:
        for key, stakes in tally.accepted.items():
            if links.get(key.table, "") != link_of(meter.name):
                continue
            on_meter, expected = BetsKey(key, meter.name), sum(stakes.values())
            found = entered.counted[on_meter]
            nothing = found == 0 and (on_meter in held or (on_meter in entered.added_nothing and key in won))
            if found != expected and not nothing:
                yield (
                    f"The meter {meter.name!r} has counted {found} of round {key.number} of table {key.table}, whose "
                    f"letters say {expected}."
                )
    for on_meter, found in entered.counted.items():
        key = on_meter.round
        if found and key not in tally.accepted:
            yield (
                f"The meter {on_meter.meter!r} has counted {found} of round {key.number} of table {key.table} without "
                "a letter."
            )


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
