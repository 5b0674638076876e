"""The counter of the jackpot controller: messages in, answers out, everything in the ledger before a word is said.
It knows who wrote what before (identity, order, resends) and leaves what a letter means to `claims`. It knows no
transport and no thread."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from felt.jackpot import claims
from felt.jackpot.audit import broken_conservation, standing_in
from felt.jackpot.ledger import Ledger, LedgerError, StoredLetter
from felt.jackpot.meters import Kind, MeterTerms, check_terms, open_meter
from felt.jackpot.standing import (
    Entry,
    OpenClaim,
    Origin,
    Standing,
    changed_rows,
    journal_of,
    rows_of,
    shown_micro,
    with_journal,
)
from felt.wire.jackpot import (
    GAP,
    Acked,
    Message,
    Ping,
    Pong,
    Posted,
    Refused,
    Valued,
    WireError,
    decode,
    encode,
    read_letter,
)

ALARM_ENTRIES_MAX = 1000  # each alarm is written once; a flood of different ones is counted, not kept
SENTENCE_CHARACTERS_MAX = 500


class MeterReport(NamedTuple):
    name: str
    before_micro: int  # the display when the office opened
    after_micro: int
    reserve_micro: int
    overflow_micro: int
    bucket_micro: int
    pending_micro: int
    wagers: int  # these three since the ledger was born
    hits: int
    wins_minor: int


class Report(NamedTuple):
    """Totals since the office opened; conservation since the ledger was born."""

    contributions_minor: int  # accepted stakes whose rounds have their result
    awards_minor: int
    meters: tuple[MeterReport, ...]
    conserved: bool
    problem: str  # why it is not conserved
    alarms: int
    garbage: int


class Office:
    def __init__(self, ledger: Ledger, meter_terms: Iterable[MeterTerms]) -> None:
        self.alarms = 0
        self.garbage = 0
        self._ledger = ledger
        self._standing = standing_in(ledger)
        self._rows = rows_of(self._standing)
        self._open_meters(check_terms(meter_terms))
        self._opened_with = self._standing.meters
        self._alarmed = {_alarm_key(entry) for entry in ledger.entries(Kind.ALARM)}

    @property
    def standing(self) -> Standing:
        return self._standing

    def receive(self, data: bytes) -> list[bytes]:
        """The answers to one message, each to the table it names. A `LedgerError` means that nothing was said."""
        try:
            message = decode(data)
        except WireError:
            self.garbage += 1
            return []
        if isinstance(message, Posted):
            return [encode(answer) for answer in self._receive_letter(message)]
        if isinstance(message, Ping):
            return [encode(answer) for answer in self._receive_ping(message)]
        self.garbage += 1
        return []

    def meters(self) -> dict[str, int]:
        """What the sign shows, in micro-units: the frozen value while a claim is open on a meter."""
        standing = self._standing
        return {meter.terms.name: shown_micro(standing, meter) for meter in standing.meters}

    def report(self) -> Report:
        problem = broken_conservation(self._ledger, self._standing)
        pairs = list(zip(self._opened_with, self._standing.meters, strict=True))
        return Report(
            contributions_minor=max((after.stakes - before.stakes for before, after in pairs), default=0),
            awards_minor=sum(after.wins - before.wins for before, after in pairs),
            meters=tuple(
                MeterReport(
                    after.terms.name,
                    before.display,
                    after.display,
                    after.reserve,
                    after.overflow,
                    after.bucket,
                    after.pending,
                    after.wagers,
                    after.hits,
                    after.wins,
                )
                for before, after in pairs
            ),
            conserved=not problem,
            problem=problem,
            alarms=self.alarms,
            garbage=self.garbage,
        )

    def close(self) -> None:
        self._ledger.close()

    # --- opening -------------------------------------------------------------------------------------

    def _open_meters(self, wanted: tuple[MeterTerms, ...]) -> None:
        kept = tuple(meter.terms for meter in self._standing.meters)
        if kept:
            _check_same_terms(kept, wanted)
            return
        opened = [open_meter(terms) for terms in sorted(wanted)]
        entries = [
            Entry(movement.kind, "", "", 0, "", moved.meter.terms.name, movement.account, movement.amount, 0, "Opened.")
            for moved in opened
            for movement in moved.movements
        ]
        self._commit(self._standing._replace(meters=tuple(moved.meter for moved in opened)), entries)

    # --- letters -------------------------------------------------------------------------------------

    def _receive_letter(self, posted: Posted) -> list[Message]:
        origin = Origin(posted.table, posted.nonce)
        highest = journal_of(self._standing, origin).highest
        if posted.sequence <= highest:
            return self._answer_again(posted, origin, highest)
        if posted.sequence != highest + 1:
            detail = f"Letter {posted.sequence} came where {highest + 1} was due: letters between them are missing."
            return self._refuse(posted, GAP, detail)
        try:
            return self._accept(posted, origin)
        except (WireError, claims.RefusedError) as refusal:
            return self._refuse(posted, str(refusal), str(refusal))

    def _answer_again(self, posted: Posted, origin: Origin, highest: int) -> list[Message]:
        stored = self._ledger.letter(*origin, posted.sequence)
        if stored is None or (stored.kind, stored.body) != (posted.kind, posted.body):
            sentence = f"Letter {posted.sequence} is known with another text; the first one stands."
            return self._refuse(posted, sentence, sentence)
        return [Acked(*origin, posted.sequence, highest), *self._outstanding(origin)]

    def _accept(self, posted: Posted, origin: Origin) -> list[Message]:
        letter = read_letter(posted.kind, posted.body)
        standing = self._standing
        noted: tuple[Entry, ...] = ()
        if posted.sequence == 1:
            standing, noted = claims.supersede(standing, origin)
        outcome = claims.receive(standing, origin, letter)
        journal = journal_of(outcome.standing, origin)._replace(highest=posted.sequence)
        stored = StoredLetter(
            *origin, posted.sequence, posted.kind, posted.body, posted.head_sequence, posted.head_hash
        )
        self._commit(with_journal(outcome.standing, journal), (*noted, *outcome.entries), stored)
        self.alarms += sum(entry.kind is Kind.ALARM for entry in outcome.entries)
        return [Acked(*origin, posted.sequence, posted.sequence), *map(_valued, outcome.valued)]

    def _refuse(self, posted: Posted, reason: str, detail: str) -> list[Message]:
        """Changes nothing but the list of alarms; each alarm is written once, however often it is repeated."""
        self.alarms += 1
        text = f"Letter {posted.sequence} ({posted.kind}): {detail}"[:SENTENCE_CHARACTERS_MAX]
        alarm = Entry(Kind.ALARM, posted.table, posted.nonce, detail=text)
        if _alarm_key(alarm) not in self._alarmed and len(self._alarmed) < ALARM_ENTRIES_MAX:
            self._commit(self._standing, (alarm,))
            self._alarmed.add(_alarm_key(alarm))
        return [Refused(posted.table, posted.nonce, posted.sequence, reason[:SENTENCE_CHARACTERS_MAX])]

    def _receive_ping(self, ping: Ping) -> list[Message]:
        origin = Origin(ping.table, ping.nonce)
        pong = Pong(*origin, journal_of(self._standing, origin).highest, self.meters())
        return [pong, *self._outstanding(origin)]

    def _outstanding(self, origin: Origin) -> list[Message]:
        """The valuations that a table may have missed."""
        own = [claim for claim in self._standing.claims if claim[:2] == origin and claim.valuation is not None]
        return [_valued(claim) for claim in own]

    def _commit(self, standing: Standing, entries: Iterable[Entry], letter: StoredLetter | None = None) -> None:
        rows = rows_of(standing)
        self._ledger.commit(tuple(entries), changed_rows(self._rows, rows), letter)
        self._standing, self._rows = standing, rows


def _valued(claim: OpenClaim) -> Valued:
    assert claim.valuation is not None, "only a valued claim is told"
    return Valued(claim.table, claim.nonce, claim.claim, *claim.valuation)


def _alarm_key(entry: Entry) -> tuple[str, str, str]:
    return (entry.table, entry.nonce, entry.detail)


def _check_same_terms(kept: tuple[MeterTerms, ...], wanted: tuple[MeterTerms, ...]) -> None:
    former = {terms.name: terms for terms in kept}
    for terms in wanted:
        if former.pop(terms.name, None) != terms:
            raise LedgerError(
                f"The meter {terms.name!r} is configured otherwise than the ledger was opened with: its terms cannot "
                "change while it runs; put the former ones back, or begin a new ledger."
            )
    for name in former:
        raise LedgerError(f"The ledger keeps a meter {name!r} that is not configured: put it back.")
