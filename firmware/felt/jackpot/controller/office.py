"""The counter of the jackpot controller: messages in, answers out, everything in the ledger before a word is said.
It knows who wrote what before (identity, order, resends) and leaves what a letter means to the books. It knows no
transport and no thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from felt.jackpot.books import acts, receiving
from felt.jackpot.books.accounts import Code, Entry
from felt.jackpot.books.alerts import alerts_of
from felt.jackpot.books.clocks import Clocks, Sample
from felt.jackpot.books.draft import Context, Draft, RefusedError
from felt.jackpot.books.meter import open_meter, shown_micro
from felt.jackpot.books.standing import (
    Journal,
    OpenClaim,
    Origin,
    Standing,
    edition_of,
    is_known,
    journal_of,
    meters_of_link,
)
from felt.jackpot.books.terms import MeterTerms, Procedure, check_terms, level_of
from felt.jackpot.controller.days import DayOf, GamingDays
from felt.jackpot.controller.totals import Report, report_of
from felt.jackpot.ledger.audit import broken_conservation, differing_terms, standing_in
from felt.jackpot.ledger.port import Ledger, StoredLetter
from felt.jackpot.ledger.rows import changed_rows
from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.letters.from_table import Ping, Posted
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.nouns.values import replace
from felt.wire.jackpot import Message, WireError, decode, encode, read_letter

ALARM_ENTRIES_MAX = 1000  # each alarm is written once; more different ones since the opening are counted, not kept
# Once a journal and not for every letter: each broker that is started again makes some, and they cure themselves.
GAP_TOLD = "Letters came before others that were due: some were lost on the way, and the table must send them again."
SENTENCE_CHARACTERS_MAX = 500
CALL = "nothing was changed; keep the ledger as evidence and call the supplier."


def _unaccountable(broken: AssertionError) -> str:
    return f"The controller cannot account for this act ({broken}): {CALL}"


class _Staged:
    """What the next commit will hold, and where everything stood before it."""

    def __init__(self, committed: Standing, counted: tuple[int, int]) -> None:
        self.committed = committed
        self.counted = counted  # alarms and garbage
        self.entries: list[Entry] = []
        self.letters: list[StoredLetter] = []
        self.told: list[tuple[str, str, str]] = []


class Office:
    """The controller's time comes with each call: the stamp of its own clock when the message arrived. An office
    that is given none takes the letter's own, which is right where both are one process."""

    def __init__(
        self,
        ledger: Ledger,
        meter_terms: Iterable[MeterTerms],
        procedure: Procedure | None = None,
        day_of: DayOf | None = None,
    ) -> None:
        """`day_of`: the gaming day of a time on the wall; without it nobody closes days."""
        self.alarms = 0
        self.garbage = 0
        self._procedure = Procedure() if procedure is None else procedure
        self._links = dict(self._procedure.links)
        self._clocks = Clocks("", self._procedure.drift_ppm, self._procedure.card_late_ms * NS_PER_MS)
        self._ledger = ledger
        self._standing = standing_in(ledger, self._procedure)
        self._stage()
        self._alarmed = self._told_before()
        self._alarmed_before = len(self._alarmed)
        self.differing_terms = self._open_meters(check_terms(meter_terms))
        self._opened_with = self._standing.meters
        self._doubt_told = ""
        self._days = None if day_of is None else GamingDays(day_of, ledger)

    @property
    def standing(self) -> Standing:
        return self._standing

    def receive(self, data: bytes, now: Stamp | None = None) -> list[bytes]:
        """The answers to one message, each to the table it names."""
        return self.receive_batch((data,), now)

    def receive_batch(self, messages: Sequence[bytes], now: Stamp | None = None) -> list[bytes]:
        """The answers to several messages, taken in their order and committed together. After a `LedgerError`
        the office stands where it stood, and none of them was answered."""
        known = [message for data in messages if (message := self._read(data)) is not None]
        return [encode(answer) for answer in self.take_batch(known, now)]

    def take_batch(self, messages: Sequence[Message], now: Stamp | None = None) -> list[Message]:
        """The same for messages that are read already."""
        context = None if now is None else self._context(now)
        answers: list[Message] = []
        try:
            for message in messages:
                answers += self._take(message, context)
            self._flush()
        except BaseException:  # whatever it was, the standing must not run ahead of the ledger
            self._give_up()
            raise
        return answers

    def preview(self, act: acts.Act, persons: Sequence[acts.Person], reason: str, now: Stamp) -> Draft:
        """What an act would lead to; nothing is changed or written. A `RefusedError` says why it is impossible."""
        try:
            return acts.perform(self._standing, self._context(now), act, persons, reason)
        except AssertionError as broken:
            raise RefusedError(_unaccountable(broken)) from broken

    def act(self, act: acts.Act, persons: Sequence[acts.Person], reason: str, now: Stamp) -> list[Message]:
        """What persons decide at the controller; the answers that follow from it. A `RefusedError` is a sentence
        for them, and nothing has changed."""
        try:
            draft = self.preview(act, persons, reason, now)
        except RefusedError as refusal:
            if isinstance(refusal.__cause__, AssertionError):
                self.alarm("", str(refusal), now)
            raise
        self._take_up(draft)
        self._commit()
        if isinstance(act, acts.ConfirmClock):
            self._ledger.clock.confirm()
        return [_valued(claim) for claim in draft.valued]

    def alarm(self, table: str, sentence: str, now: Stamp) -> None:
        """Something is wrong on the way to a table; the same sentence is written down once."""
        self.alarms += 1
        self._tell_once(Entry(Code.ALARM, table, at_wall_ns=now.wall_ns, detail=sentence[:SENTENCE_CHARACTERS_MAX]))
        self._commit()

    def look_again(self, now: Stamp) -> list[Message]:
        """Once in a while: alerts are written down, and claims whose clocks are known better now are valued."""
        valued = self._looked_again(self._context(now))
        for alert in alerts_of(self._standing, self._context(now)):
            told = Entry(Code.ALERT, alert.table, alert.nonce, at_wall_ns=now.wall_ns, detail=alert.sentence)
            self._tell_once(told)
        self._commit()
        self._close_day(now)
        return [_valued(claim) for claim in valued]

    def _close_day(self, now: Stamp) -> None:
        doubt = self._ledger.clock.doubt
        if doubt and doubt != self._doubt_told:
            self._staged.entries.append(Entry(Code.CLOCK_DOUBTED, at_wall_ns=now.wall_ns, detail=doubt))
            self._commit()
        self._doubt_told = doubt
        day = "" if self._days is None else self._days.over()
        if day and self._days is not None:
            self.close_period(day)
            self._days.closed()

    def close_period(self, day: str) -> None:
        """A gaming day is over: from here on reports, backups and starts need not look further back."""
        self._commit()
        self._ledger.close_period(day)
        self._alarmed.clear()
        self._alarmed_before = 0

    def alerts(self, now: Stamp) -> list[str]:
        """What waits for a person, one sentence each: undetermined claims, claims that have waited long enough,
        contributions that pend for too long, a clock that jumped, a file that says former terms."""
        found = [alert.sentence for alert in alerts_of(self._standing, self._context(now))]
        return [*found, *self.differing_terms, *filter(None, (self._ledger.clock.doubt,))]

    def meters(self) -> dict[str, int]:
        """What the sign shows, in micro-units: the frozen value while a hit has one."""
        return {meter.name: shown_micro(meter) for meter in self._standing.meters}

    def report(self) -> Report:
        problem = broken_conservation(self._ledger, self._standing, self._procedure)
        return report_of(self._opened_with, self._standing, problem, self.alarms, self.garbage)

    def close(self) -> None:
        self._ledger.close()

    # --- opening -------------------------------------------------------------------------------------

    def _open_meters(self, wanted: tuple[MeterTerms, ...]) -> tuple[str, ...]:
        """A sentence for each meter that is configured otherwise than the ledger has it."""
        if self._standing.meters:
            return differing_terms(self._standing, wanted)
        draft = Draft(self._standing, self._context(Stamp("", 0, 0)), Origin("", ""), 0, 0)
        for moved in (open_meter(terms) for terms in sorted(wanted, key=_name)):
            draft.standing = replace(draft.standing, meters=(*draft.standing.meters, moved.meter))
            draft.move(moved, detail="Opened.")
        self._take_up(draft)
        self._commit()
        return ()

    def _told_before(self) -> set[tuple[str, str, str]]:
        closing = self._ledger.last_closing()
        after = 0 if closing is None else closing.closed.last_entry
        return {_alarm_key(entry) for entry in self._ledger.entries(*_TOLD_ONCE, after=after)}

    # --- letters -------------------------------------------------------------------------------------

    def _read(self, data: bytes) -> Message | None:
        try:
            return decode(data)
        except WireError:
            self.garbage += 1
            return None

    def _take(self, message: Message, context: Context | None) -> list[Message]:
        if isinstance(message, Posted):
            return self._receive_letter(message, context)
        if isinstance(message, Ping):
            return self._receive_ping(message, context)
        self.garbage += 1
        return []

    def _receive_letter(self, posted: Posted, context: Context | None) -> list[Message]:
        origin = Origin(posted.table, posted.nonce)
        journal = journal_of(self._standing, origin)
        sequence, highest = posted.sequence, journal.highest
        if sequence <= highest:
            return self._answer_again(posted, origin, highest)
        if sequence != highest + 1:
            return self._refuse(posted, GAP, GAP_TOLD)
        forgotten = sequence == 1 and not is_known(self._standing, origin) and self._known(posted) is not None
        if journal.superseded or forgotten:
            sentence = (
                f"Table {origin.table} has left the journal {origin.nonce} for another one: put the right disk in, or "
                "have the journal reinstated at the controller."
            )
            return self._refuse(posted, sentence, sentence)
        try:
            return self._accept(posted, origin, context, journal)
        except (WireError, RefusedError) as refusal:
            return self._refuse(posted, str(refusal), str(refusal))

    def _answer_again(self, posted: Posted, origin: Origin, highest: int) -> list[Message]:
        stored = self._known(posted)
        if stored is None or (stored.kind, stored.body) != (posted.kind, posted.body):
            sentence = f"Letter {posted.sequence} is known with another text; the first one stands."
            return self._refuse(posted, sentence, sentence)
        acked = Acked(posted.table, posted.nonce, posted.sequence, highest, stored.differs)
        return [acked, *self._outstanding(origin)]

    def _known(self, posted: Posted) -> StoredLetter | None:
        identity = (posted.table, posted.nonce, posted.sequence)
        staged = (
            letter for letter in self._staged.letters if (letter.table, letter.nonce, letter.sequence) == identity
        )
        return next(staged, None) or self._ledger.letter(*identity)

    def _accept(self, posted: Posted, origin: Origin, context: Context | None, journal: Journal) -> list[Message]:
        letter = read_letter(posted.kind, posted.body)
        if context is None:
            context = self._context(receiving.stamp_of(letter))
        standing = self._standing
        noted: tuple[Entry, ...] = ()
        if posted.sequence == 1:
            standing, noted = receiving.supersede(standing, origin)
            journal = journal_of(standing, origin)
        try:
            draft = receiving.receive(standing, context, origin, journal, letter)
        except AssertionError as broken:
            # A controller that ends here would end again at each resend, and with it every other table's jackpot.
            raise RefusedError(f"The controller cannot account for this letter ({broken}): {CALL}") from broken
        differs = " ".join(draft.told_to_table)
        self._staged.letters.append(
            StoredLetter(
                posted.table, posted.nonce, posted.sequence, posted.kind, posted.body, posted.head_sequence,
                posted.head_hash, differs,
            )
        )  # fmt: skip
        self._note(noted)
        self._take_up(draft)
        acked = Acked(posted.table, posted.nonce, posted.sequence, posted.sequence, differs)
        return [acked, *map(_valued, draft.valued)]

    def _refuse(self, posted: Posted, reason: str, detail: str) -> list[Message]:
        """Changes nothing but the list of alarms; each alarm is written once, however often it is repeated."""
        self.alarms += 1
        text = detail if reason == GAP else f"Letter {posted.sequence} ({posted.kind}): {detail}"
        text = text[:SENTENCE_CHARACTERS_MAX]
        self._tell_once(Entry(Code.ALARM, posted.table, posted.nonce, detail=text))
        return [Refused(posted.table, posted.nonce, posted.sequence, reason[:SENTENCE_CHARACTERS_MAX])]

    def _tell_once(self, entry: Entry) -> None:
        key = _alarm_key(entry)
        if key not in self._alarmed and len(self._alarmed) - self._alarmed_before < ALARM_ENTRIES_MAX:
            self._alarmed.add(key)
            self._staged.told.append(key)
            self._staged.entries.append(entry)

    # --- heartbeats and clocks -----------------------------------------------------------------------

    def _receive_ping(self, ping: Ping, context: Context | None) -> list[Message]:
        valued: list[OpenClaim] = []
        now = None if context is None else context.now
        if context is not None:
            self._sample(ping, context.now)
            # What the clocks of other tables say is looked at once a second, not with every ping of every table.
            if any(claim.table == ping.table and claim.valuation is None for claim in self._standing.claims):
                valued = [claim for claim in self._looked_again(context) if claim.table != ping.table]
        origin = Origin(ping.table, ping.nonce)
        clock = ("", 0) if now is None else (now.boot, now.mono_ns)
        shown, edition = self._shown_to(ping.table), edition_of(self._standing)
        pong = Pong(ping.table, ping.nonce, journal_of(self._standing, origin).highest, shown, *clock, edition)
        return [pong, *self._outstanding(origin), *map(_valued, valued)]

    def _looked_again(self, context: Context) -> list[OpenClaim]:
        """The claims that are valued now."""
        try:
            draft = receiving.look_again(self._standing, context)
        except AssertionError as broken:  # the claims wait; letters, and the other meters, go on
            self._tell_once(
                Entry(
                    Code.ALARM,
                    at_wall_ns=context.now.wall_ns,
                    detail=f"The controller cannot account for a claim whose turn it is ({broken}): {CALL}",
                )
            )
            return []
        self._take_up(draft)
        return draft.valued

    def _sample(self, ping: Ping, now: Stamp) -> None:
        if ping.boot and ping.heard_boot == now.boot:
            sample = Sample(ping.heard_controller_ns, ping.heard_ns, ping.sent_ns, now.mono_ns)
            self._clocks.learn(ping.table, ping.boot, ping.card_late_ns, sample)

    def _context(self, now: Stamp) -> Context:
        self._clocks.begin(now.boot)
        return Context(now, self._clocks, self._procedure, self._links)

    def _shown_to(self, table: str) -> dict[str, int]:
        own = meters_of_link(self._standing, self._links.get(table, ""))
        return {level_of(meter.name): shown_micro(meter) for meter in own}

    def _outstanding(self, origin: Origin) -> list[Message]:
        """The valuations that a table may have missed."""
        return [
            _valued(claim) for claim in self._standing.claims if claim.origin == origin and claim.valuation is not None
        ]

    # --- writing -------------------------------------------------------------------------------------

    def _take_up(self, draft: Draft) -> None:
        self._standing = draft.standing
        if draft.entries:
            self._note(draft.entries)

    def _note(self, entries: Sequence[Entry]) -> None:
        self._staged.entries += entries
        self.alarms += sum(entry.code is Code.ALARM for entry in entries)

    def _commit(self) -> None:
        try:
            self._flush()
        except BaseException:
            self._give_up()
            raise

    def _flush(self) -> None:
        staged = self._staged
        rows = changed_rows(staged.committed, self._standing)
        if rows or staged.entries or staged.letters:
            self._ledger.commit(staged.entries, rows, staged.letters)
        # Also where nothing is written, as for a ping: a table must not believe in books that are gone. After the
        # commit, so that nothing is answered that went into a file which was gone by then.
        self._ledger.check_place()
        self._stage()

    def _give_up(self) -> None:
        staged = self._staged
        self._standing = staged.committed
        self.alarms, self.garbage = staged.counted
        self._alarmed.difference_update(staged.told)
        self._stage()

    def _stage(self) -> None:
        self._staged = _Staged(self._standing, (self.alarms, self.garbage))


_TOLD_ONCE = (Code.ALARM, Code.ALERT)


def _name(terms: MeterTerms) -> str:
    return terms.name


def _valued(claim: OpenClaim) -> Valued:
    assert claim.valuation is not None, "only a valued claim is told"
    value_micro, award_minor = claim.valuation.value_micro, claim.valuation.award_minor
    share = (level_of(claim.meter), claim.share_num, claim.share_den)
    return Valued(claim.table, claim.nonce, claim.claim, value_micro, award_minor, *share)


def _alarm_key(entry: Entry) -> tuple[str, str, str]:
    return (entry.table, entry.nonce, entry.detail)
