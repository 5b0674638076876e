"""The counter of the jackpot controller: messages in, answers out, everything in the ledger before a word is said.
It knows who wrote what before (identity, order, resends) and leaves what a letter means to `claims`. It knows no
transport and no thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter

from felt.jackpot import acts, receiving
from felt.jackpot.alerts import alerts_of
from felt.jackpot.audit import broken_conservation, differing_terms, standing_in
from felt.jackpot.clocks import Clocks, Sample
from felt.jackpot.draft import Context, Draft, RefusedError
from felt.jackpot.ledger import Finish, Ledger, StoredLetter
from felt.jackpot.meters import Kind, open_meter
from felt.jackpot.registrable import with_peaks
from felt.jackpot.rows import changed_rows
from felt.jackpot.staged import Begun, Flight, Staged, no_wait
from felt.jackpot.standing import (
    Entry,
    Journal,
    OpenClaim,
    Origin,
    Standing,
    journal_of,
    meters_of_link,
    settled,
    shown_micro,
    taken_back,
)
from felt.jackpot.terms import MeterTerms, Procedure, check_terms, level_of
from felt.jackpot.totals import Report, report_of
from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.letters.from_table import Letter, Ping, Posted, RoundEndedLetter
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.wire.jackpot import Message, WireError, decode, encode, read_letter

ALARM_ENTRIES_MAX = 1000  # each alarm is written once; more different ones since the opening are counted, not kept
# Once a journal and not for every letter: each broker that is started again makes some, and they cure themselves.
GAP_TOLD = "Letters came before others that were due: some were lost on the way, and the table must send them again."
SENTENCE_CHARACTERS_MAX = 500
CALL = "nothing was changed; keep the ledger as evidence and call the supplier."


class Office:
    """The controller's time comes with each call: the stamp of its own clock when the message arrived. An office
    that is given none takes the letter's own, which is right where both are one process."""

    def __init__(
        self, ledger: Ledger, meter_terms: Iterable[MeterTerms], procedure: Procedure | None = None
    ) -> None:
        self.alarms = 0
        self.garbage = 0
        self.differing_terms: tuple[str, ...] = ()  # what is configured otherwise than the ledger has it
        self._procedure = Procedure() if procedure is None else procedure
        self._links = dict(self._procedure.links)
        self._clocks = Clocks("", self._procedure.drift_ppm, self._procedure.card_late_ms * NS_PER_MS)
        self._ledger = ledger
        self._standing = standing_in(ledger, self._procedure)
        self._flight: Flight | None = None
        self._stage()
        self._open_meters(check_terms(meter_terms))
        self._opened_with = self._standing.meters
        self._differing = _differing(ledger.entries(Kind.ALARM))
        self._alarmed = {_alarm_key(entry) for kind in _TOLD_ONCE for entry in ledger.entries(kind)}
        self._alarmed_before = len(self._alarmed)

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
        return self.begin_batch(messages, now, aside=False).answers()

    def begin_batch(self, messages: Sequence[Message], now: Stamp | None = None, *, aside: bool = True) -> Begun:
        """The same for whoever has another batch to bring while this one is being made durable; its answers may be
        given when it is. If it cannot be, neither is what was begun after it."""
        context = None if now is None else self._context(now)
        answers: list[Message] = []
        try:
            for message in messages:
                answers += self._take(message, context)
            return Begun(answers, self._flush(aside=aside))
        except BaseException:  # whatever it was, the standing must not run ahead of the ledger
            self._give_up()
            raise

    def preview(self, act: acts.Act, persons: Sequence[acts.Person], reason: str, now: Stamp) -> Draft:
        """What an act would lead to; nothing is changed or written."""
        return acts.perform(self._standing, self._context(now), act, persons, reason)

    def act(self, act: acts.Act, persons: Sequence[acts.Person], reason: str, now: Stamp) -> list[Message]:
        """What persons decide at the controller; the answers that follow from it. A `RefusedError` is a sentence
        for them, and nothing has changed."""
        try:
            draft = acts.perform(self._standing, self._context(now), act, persons, reason)
        except AssertionError as broken:
            sentence = f"The controller cannot account for this act ({broken}): {CALL}"
            self.alarm("", sentence, now)
            raise RefusedError(sentence) from broken
        self._take_up(draft)
        self._commit()
        return [_valued(claim) for claim in draft.valued]

    def alarm(self, table: str, sentence: str, now: Stamp) -> None:
        """Something is wrong on the way to a table; the same sentence is written down once."""
        self.alarms += 1
        self._tell_once(Entry(Kind.ALARM, table, at_wall_ns=now.wall_ns, detail=sentence[:SENTENCE_CHARACTERS_MAX]))
        self._commit()

    def look_again(self, now: Stamp) -> list[Message]:
        """Once in a while: alerts are written down, and claims whose clocks are known better now are valued."""
        valued = self._looked_again(self._context(now))
        for table, nonce, sentence in alerts_of(self._standing, self._context(now)):
            self._tell_once(Entry(Kind.ALERT, table, nonce, at_wall_ns=now.wall_ns, detail=sentence))
        remark = self._ledger.look()
        if remark:
            self._tell_once(Entry(Kind.ALERT, at_wall_ns=now.wall_ns, detail=remark))
        self._commit()
        return [_valued(claim) for claim in valued]

    def alerts(self, now: Stamp) -> list[str]:
        """What waits for a person, one sentence each: undetermined claims, claims that have waited long enough,
        contributions that pend for too long."""
        remark = self._ledger.look()
        found = [alert.sentence for alert in alerts_of(self._standing, self._context(now))]
        return [*found, remark] if remark else found

    def meters(self) -> dict[str, int]:
        """What the sign shows, in micro-units: the frozen value while a claim is open on a meter. Nobody sees what is
        not durable."""
        standing = self._standing if self._flight is None else self._flight.staged.committed
        return {meter.terms.name: shown_micro(standing, meter) for meter in standing.meters}

    def report(self) -> Report:
        problem = broken_conservation(self._ledger, self._standing, self._procedure)
        return report_of(self._opened_with, self._standing, problem, self.alarms, self.garbage)

    def close(self) -> None:
        self._ledger.close()

    # --- opening -------------------------------------------------------------------------------------

    def _open_meters(self, wanted: tuple[MeterTerms, ...]) -> None:
        if self._standing.meters:
            self.differing_terms = differing_terms(self._standing, wanted)
            return
        opened = [open_meter(terms) for terms in sorted(wanted)]
        self._standing = self._standing._replace(meters=tuple(moved.meter for moved in opened))
        self._staged.entries += [
            Entry(kind, "", "", 0, "", moved.meter.terms.name, account, amount, 0, "Opened.")
            for moved in opened
            for kind, account, amount in moved.movements
        ]
        self._commit()

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
        if journal.superseded:
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
        identity = (*origin, posted.sequence)
        staged = (letter for letter in self._staged.letters if letter[:3] == identity)
        stored = next(staged, None) or self._ledger.letter(*identity)
        if stored is None or (stored.kind, stored.body) != (posted.kind, posted.body):
            sentence = f"Letter {posted.sequence} is known with another text; the first one stands."
            return self._refuse(posted, sentence, sentence)
        differs = self._differs(origin, read_letter(posted.kind, posted.body))
        return [Acked(*origin, posted.sequence, highest, differs), *self._outstanding(origin)]

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
        self._staged.letters.append(StoredLetter(*_LETTER_PARTS(posted)))
        if noted:
            self._note(noted)
        self._take_up(draft)
        differs = ""
        if isinstance(letter, RoundEndedLetter):
            if draft.entries:
                self._differing |= _differing(draft.entries)
            differs = self._differs(origin, letter)
        acked = Acked(posted.table, posted.nonce, posted.sequence, posted.sequence, differs)
        return [acked, *map(_valued, draft.valued)] if draft.valued else [acked]

    def _differs(self, origin: Origin, letter: Letter) -> str:
        """What the ledger counts otherwise than the letter; the same again for the same letter."""
        return self._differing.get((*origin, letter.round), "") if isinstance(letter, RoundEndedLetter) else ""

    def _refuse(self, posted: Posted, reason: str, detail: str) -> list[Message]:
        """Changes nothing but the list of alarms; each alarm is written once, however often it is repeated."""
        self.alarms += 1
        text = detail if reason == GAP else f"Letter {posted.sequence} ({posted.kind}): {detail}"
        text = text[:SENTENCE_CHARACTERS_MAX]
        self._tell_once(Entry(Kind.ALARM, posted.table, posted.nonce, detail=text))
        return [Refused(posted.table, posted.nonce, posted.sequence, reason[:SENTENCE_CHARACTERS_MAX])]

    def _tell_once(self, entry: Entry) -> None:
        key = _alarm_key(entry)
        if key not in self._alarmed and len(self._alarmed) - self._alarmed_before < ALARM_ENTRIES_MAX:
            self._alarmed.add(key)
            self._staged.told.append(key)
            self._staged.entries.append(entry)

    # --- heartbeats and clocks -----------------------------------------------------------------------

    def _receive_ping(self, ping: Ping, context: Context | None) -> list[Message]:
        self._ledger.look()  # nothing is written for a ping, and a table must not believe in books that are gone
        valued: list[OpenClaim] = []
        now = None if context is None else context.now
        if context is not None:
            self._sample(ping, context.now)
            # What the clocks of other tables say is looked at once a second, not with every ping of every table.
            if any(claim.table == ping.table and claim.valuation is None for claim in self._standing.claims):
                valued = [claim for claim in self._looked_again(context) if claim.table != ping.table]
        origin = Origin(ping.table, ping.nonce)
        clock = ("", 0) if now is None else (now.boot, now.mono_ns)
        shown = self._shown_to(ping.table)
        pong = Pong(*origin, journal_of(self._standing, origin).highest, shown, *clock)
        return [pong, *self._outstanding(origin), *map(_valued, valued)]

    def _looked_again(self, context: Context) -> list[OpenClaim]:
        """The claims that are valued now."""
        try:
            draft = receiving.look_again(self._standing, context)
        except AssertionError as broken:  # the claims wait; letters, and the other meters, go on
            self._tell_once(
                Entry(
                    Kind.ALARM,
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
        return {level_of(meter.terms.name): shown_micro(self._standing, meter) for meter in own}

    def _outstanding(self, origin: Origin) -> list[Message]:
        """The valuations that a table may have missed."""
        own = [claim for claim in self._standing.claims if claim[:2] == origin and claim.valuation is not None]
        return [_valued(claim) for claim in own]

    # --- writing -------------------------------------------------------------------------------------

    def _take_up(self, draft: Draft) -> None:
        self._standing = with_peaks(self._standing, draft.standing, draft.context.link_of_table)
        if draft.entries:
            self._note(draft.entries)

    def _note(self, entries: Sequence[Entry]) -> None:
        self._staged.entries += entries
        for entry in entries:
            if entry[0] is _ALARM:
                self.alarms += 1

    def _commit(self) -> None:
        try:
            self._flush()
        except BaseException:
            self._give_up()
            raise

    def _flush(self, *, aside: bool = False) -> Finish:
        """Gives what waits until all of it is durable."""
        staged = self._staged
        rows = changed_rows(staged.committed, self._standing)
        if self._flight is not None:
            self._land(self._flight)
        if rows or staged.entries or staged.letters:
            write = self._ledger.begin if aside else self._ledger.commit
            finish = write(staged.entries, rows, staged.letters)
            if finish is not None:
                self._flight = Flight(finish, staged, taken_back(staged.committed, self._standing))
            self._standing = settled(self._standing)
        self._stage()
        return no_wait if self._flight is None else partial(self._land, self._flight)

    def _land(self, flight: Flight) -> None:
        """Until what was begun is durable. If it cannot be, whatever was decided after it has come to nothing too."""
        if flight is self._flight:
            self._flight = None
            try:
                flight.finish()
            except BaseException as error:
                flight.failed = error
                self._give_up()
                settled(flight.taken_back)
                self._staged = flight.staged
                self._give_up()
                raise
        if flight.failed is not None:
            raise flight.failed

    def _give_up(self) -> None:
        staged = self._staged
        self._standing = staged.committed
        self.alarms, self.garbage = staged.counted
        self._alarmed.difference_update(staged.told)
        self._stage()

    def _stage(self) -> None:
        self._staged = Staged(self._standing, (self.alarms, self.garbage))


_LETTER_PARTS = attrgetter(*StoredLetter._fields)
_ALARM = Kind.ALARM  # looked for in every entry
_TOLD_ONCE = (Kind.ALARM, Kind.ALERT)


def _valued(claim: OpenClaim) -> Valued:
    assert claim.valuation is not None, "only a valued claim is told"
    value_micro, award_minor = claim.valuation
    share = (level_of(claim.meter), claim.share_num, claim.share_den)
    return Valued(claim.table, claim.nonce, claim.claim, value_micro, award_minor, *share)


def _differing(entries: Iterable[Entry]) -> dict[tuple[str, str, int], str]:
    found: dict[tuple[str, str, int], str] = {}
    for entry in entries:
        if entry.kind is Kind.ALARM and entry.detail.startswith(receiving.TOLD_TO_TABLE):
            key = (entry.table, entry.nonce, entry.round)
            found[key] = f"{found[key]} {entry.detail}" if key in found else entry.detail
    return found


def _alarm_key(entry: Entry) -> tuple[str, str, str]:
    return (entry.table, entry.nonce, entry.detail)
