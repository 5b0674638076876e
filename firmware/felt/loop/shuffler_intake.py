"""Turns the shuffler's messages into facts. It decides nothing about the deal; it knows which message is a repeat,
which frames to keep, when a device has been silent too long, and when it is out of order. A flooding device or a
failed adapter is a fault and is ignored: nothing is sent to it and its bytes are dropped, until it has been calm for
a while or somebody clears the fault. Answers to the device leave once the facts are durable."""

from __future__ import annotations

from collections.abc import Iterator

from felt.loop.guarded_adapter import AdapterFailed, GuardedAdapter
from felt.loop.rate_limit import RateLimit
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.values import parts_of, replace
from felt.ports import Link
from felt.table import facts, redacted
from felt.table.deck import ADAPTER_FAILED, FLOODS, left_alone
from felt.table.facts import Fact
from felt.table.maintenance import BY_ITSELF
from felt.table.state import UNREAD, Deck, Phase, Shuffler, StandingFault, Table
from felt.wire.adapters import adapter as told

DAMAGED, UNSUPPORTED, RESTARTED, ORDER_FAILED = "F-202", "F-203", "F-204", "F-205"
NOT_READING, LINE_HANGS = "F-207", "F-209"
WHERE = "shuffler"
LINE_MS = 20  # delay from the end of a message at the device to its stamp here: line, adapter, reading thread
KEPT_A_MINUTE = 20
MINUTE_NS = 60 * NS_PER_S
STALL_NS = 1 * NS_PER_S  # a longer gap between turns was our own pause, not the device's silence
UNOPENED_NS = 3 * NS_PER_S
ORDER_PATIENCE_NS = 5 * NS_PER_S
# An honest device waits for an acknowledgement before its next message, and a deal takes about a hundred messages. More
# than these (burst, rate a second) is a flood.
BYTES_ALLOWED = (16 * 1024, 4 * 1024)
EVENTS_ALLOWED = (512, 200)
CARDS_ALLOWED = (104, 16)  # two decks in a burst
DECKS_ALLOWED = (48, 16)  # states of the deck, each repeated a few times
FACTS_ALLOWED = (512, 64)
FACTS_OF_A_DAY_ALLOWED = (8_192, 2)  # a slow drip must not fill the disk either
PLUGS_ALLOWED = (8, 1)  # a loose cable
CALM_NS = 5 * NS_PER_S  # after this long within its limits the device is heard again; doubles each time
CALM_DOUBLINGS_MAX = 4
# An acknowledgement repeated this often and this long was never read.
UNREAD_ANSWERS, UNREAD_NS = 10, 3 * NS_PER_S


class ShufflerConversation:
    """What was said since the line opened. Volatile: after a start everything is asked again."""

    def __init__(self) -> None:
        self.open = False  # the line, with or without a device
        self.left_alone = False
        self.failed = ""  # what the adapter did wrong while asking or ordering
        self.heard_ns = 0
        self.greeted = False
        self.deck_told = False
        self.ordered: int | None = None
        self.ordered_ns = 0  # when it was first given
        self.order_answered = False

    def begin(self, now: Stamp) -> None:
        self.open = True
        self.heard_ns = now.mono_ns
        self.greeted = self.deck_told = False
        self.ordered = None  # nobody knows whether it was heard, so it is given again

    def end(self) -> None:
        self.open = False


class ShufflerIntake:
    def __init__(self, adapter: GuardedAdapter, conversation: ShufflerConversation, line: Link) -> None:
        self._adapter = adapter
        self._conversation = conversation
        self._line = line
        self._believed = Shuffler()  # as it will be after the facts so far
        self._facts: list[Fact] = []
        # Since our own start the device sent something other than the last remembered message.
        self._went_on = False
        self._minute_ns: int | None = None
        self._kept = 0
        self._seen_ns: int | None = None
        self._allow_anew()
        self._news_of_a_day = RateLimit(*FACTS_OF_A_DAY_ALLOWED)
        self._restless_ns: int | None = None  # when an ignored device last exceeded its limits
        self._floods = 0
        self._owed = b""
        self._owed_times = 0
        self._owed_since_ns = 0

    def begin_turn(self, table: Table, into: list[Fact], now: Stamp) -> None:
        self._believed = table.shuffler
        self._facts = into
        alone = left_alone(table)
        if self._conversation.left_alone and not alone:
            self._take_up(now)
        self._conversation.left_alone = alone

    def take_state(self, connected: bool, table: Table, now: Stamp) -> None:
        if connected:
            self._conversation.begin(now)
            self._owed_times = 0
        else:
            self._conversation.end()
        if self._conversation.left_alone:
            self._restless_ns = now.mono_ns
            return
        self._note_connected(connected, now)
        if not self._plugs.take(1, now.mono_ns):
            self._leave_alone(FLOODS, "its cable comes and goes", table, now)

    def take_bytes(self, content: bytes, ns: int, table: Table, now: Stamp) -> Iterator[bytes]:
        """Yields the answers that the device gets when this turn is durable."""
        within = self._bytes.take(len(content), now.mono_ns)
        if self._conversation.left_alone:
            if not within:
                self._restless_ns = now.mono_ns
            return
        if not within:
            self._leave_alone(FLOODS, "more bytes than it can have to say", table, now)
            return
        try:
            events = self._adapter.receive(content)
        except AdapterFailed as failed:
            self._leave_alone(ADAPTER_FAILED, str(failed), table, now)
            return
        # Judge the whole piece before believing any of it.
        cards = sum(len(event.cards) for event in events if isinstance(event, told.CardsLeft) and not event.repeat)
        decks = sum(isinstance(event, told.DeckTold) for event in events)
        counted = ((self._events, len(events)), (self._cards, cards), (self._decks, decks))
        if not all(allowance.take(count, now.mono_ns) for allowance, count in counted):
            self._leave_alone(FLOODS, "more messages than it can have to say", table, now)
            return
        for event in events:
            if self._conversation.left_alone:
                return
            yield from self._take_one(event, ns, table, now)

    def _take_one(self, event: told.Event, ns: int, table: Table, now: Stamp) -> Iterator[bytes]:
        before = len(self._facts)
        if not isinstance(event, told.NotUnderstood) or not event.damaged:
            self._conversation.heard_ns = max(self._conversation.heard_ns, ns)
            if self._conversation.open:
                self._note_connected(True, now)
        self._take(event, ns, table, now)
        self._count_news(len(self._facts) - before, table, now)
        answer = b"" if isinstance(event, told.Unsupported) else event.answer
        if answer:
            self._note_owed(answer, now)
            yield answer

    def pass_time(self, table: Table, now: Stamp, *, unread: bool) -> None:
        """Raises what is overdue. `unread`: something from the device still waits, so it is not silent."""
        stalled = self._seen_ns is None or now.mono_ns - self._seen_ns > STALL_NS
        self._seen_ns = now.mono_ns
        self._end_minute(now)
        if self._conversation.left_alone:
            self._look_for_calm(table, now)
            return
        if self._conversation.failed:
            self._leave_alone(ADAPTER_FAILED, self._conversation.failed, table, now)
            return
        if stalled:
            self._conversation.heard_ns = max(self._conversation.heard_ns, now.mono_ns - STALL_NS)
        # A line that is not open after a start says nothing about the remembered device.
        silent_ns = self._adapter.silent_after_ms * NS_PER_MS if self._conversation.open else UNOPENED_NS
        if silent_ns and not unread and now.mono_ns - self._conversation.heard_ns > silent_ns:
            self._note_connected(False, now)
        self._check_order(table, now)
        self._check_line(table, now)

    # --- a device out of order -----------------------------------------------------------------------

    def _leave_alone(self, code: str, where: str, table: Table, now: Stamp) -> None:
        self._conversation.left_alone = True
        self._conversation.failed = ""
        self._restless_ns = now.mono_ns
        self._floods += 1
        self._raise_once(facts.FaultRaised(now, code, where), table)
        self._note_connected(False, now)

    def _count_news(self, count: int, table: Table, now: Stamp) -> None:
        within = self._news.take(count, now.mono_ns)
        if not self._news_of_a_day.take(count, now.mono_ns) or not within:
            self._leave_alone(FLOODS, "more news than it can have to tell", table, now)

    def _allow_anew(self) -> None:
        self._bytes = RateLimit(*BYTES_ALLOWED)
        self._events = RateLimit(*EVENTS_ALLOWED)
        self._cards = RateLimit(*CARDS_ALLOWED)
        self._decks = RateLimit(*DECKS_ALLOWED)
        self._news = RateLimit(*FACTS_ALLOWED)
        self._plugs = RateLimit(*PLUGS_ALLOWED)

    def _look_for_calm(self, table: Table, now: Stamp) -> None:
        if self._restless_ns is None:
            self._restless_ns = now.mono_ns
        calm_ns = CALM_NS << min(max(self._floods - 1, 0), CALM_DOUBLINGS_MAX)
        if now.mono_ns - self._restless_ns < calm_ns:
            return
        self._facts.extend(
            facts.FaultCleared(now, fault.code, fault.where, BY_ITSELF)
            for fault in table.service.faults
            if fault.code == FLOODS
        )

    def _take_up(self, now: Stamp) -> None:
        """Listens to the device again as if its line had just opened; what it said meanwhile is lost."""
        self._adapter.begin_anew()
        self._went_on = False
        self._allow_anew()
        self._restless_ns = None
        self._owed_times = 0
        if self._conversation.open:
            self._conversation.begin(now)

    def _note_owed(self, answer: bytes, now: Stamp) -> None:
        if answer != self._owed or not self._owed_times:
            self._owed, self._owed_times, self._owed_since_ns = answer, 0, now.mono_ns
        self._owed_times += 1

    def _check_line(self, table: Table, now: Stamp) -> None:
        repeated = self._owed_times >= UNREAD_ANSWERS and now.mono_ns - self._owed_since_ns >= UNREAD_NS
        deaf = self._conversation.open and (repeated or self._line.unread())
        for code, is_so in ((NOT_READING, deaf), (LINE_HANGS, not self._line.alive())):
            if is_so:
                self._raise_once(facts.FaultRaised(now, code, WHERE), table)
            elif any(fault.code == code for fault in table.service.faults):
                self._facts.append(facts.FaultCleared(now, code, WHERE, BY_ITSELF))

    # --- events --------------------------------------------------------------------------------------

    def _take(self, event: told.Event, ns: int, table: Table, now: Stamp) -> None:
        match event:
            case told.Greeted():
                self._greet(event, table, now)
            case told.Unsupported(what=what):
                self._raise_once(facts.FaultRaised(now, UNSUPPORTED, redacted.scrubbed(what)), table)
            case told.CardsLeft():
                self._deal(event, ns, now)
                return
            case told.CountLost(reason=reason):
                self._facts.append(facts.DealCountLost(now, reason))
            case told.DeckTold():
                self._note_deck(event, now)
            case told.OrderAnswered():
                self._note_answer(event, table, now)
            case told.NotUnderstood():
                self._keep(event, now)
                if event.damaged:
                    self._raise_once(facts.FaultRaised(now, DAMAGED, WHERE), table)
                    return
            case told.Alive():
                pass
        self._went_on = self._went_on or bool(not isinstance(event, told.Unsupported) and event.answer)

    def _greet(self, event: told.Greeted, table: Table, now: Stamp) -> None:
        self._conversation.greeted = True
        self._facts.extend(
            facts.FaultCleared(now, fault.code, fault.where, "the shuffler speaks our version")
            for fault in table.service.faults
            if fault.code == UNSUPPORTED
        )
        session = self._believed.session + 1 if event.session is None else event.session
        if session == self._believed.session:
            return
        if self._believed.session and _deal_is_under_way(table):
            self._raise_once(facts.FaultRaised(now, RESTARTED, WHERE), table)
        self._facts.append(facts.ShufflerGreeted(now, session, event.identity, event.version))
        self._lose_count("the shuffler started anew", now)
        self._believed = replace(self._believed, session=session, sequence=0)

    def _lose_count(self, reason: str, now: Stamp) -> None:
        """For a device that does not count cards: nobody would learn of cards that left meanwhile."""
        if not self._adapter.counts_the_deal:
            self._facts.append(facts.DealCountLost(now, reason))

    def _deal(self, event: told.CardsLeft, ns: int, now: Stamp) -> None:
        if self._is_repeat(event):
            return
        sequence = self._fact_number(event.message)
        self._believed = replace(self._believed, sequence=sequence)
        self._went_on = True
        for place, card in enumerate(event.cards):
            uncertain_ns = (card.age_ms + LINE_MS) * NS_PER_MS
            age_ns = card.age_ms * NS_PER_MS if card.age_ms < told.AGE_UNKNOWN_MS else 0
            ordinal = None if event.first_ordinal is None else event.first_ordinal + place
            if card.card is None:
                unread = facts.CardUnread(now, ns, sequence, uncertain_ns, card.foreign, ordinal, age_ns, card.missing)
                self._facts.append(unread)
            else:
                marks = (card.face_up, card.burnt, card.together)
                self._facts.append(
                    facts.CardDealt(now, card.card, ns, sequence, uncertain_ns, *marks, ordinal, age_ns)
                )

    def _is_repeat(self, event: told.CardsLeft) -> bool:
        """The adapter recognises repeats, but after a start it has no memory. The table then compares number,
        ordinal and first card with its last message, because the number alone may come from another run."""
        if event.repeat or event.message is None or not event.cards:
            return event.repeat
        last = self._believed.sequence
        if self._went_on or not last or (event.message - last) % self._adapter.numbers:
            return False
        first = self._believed.told  # unknown for a card that was not read, and after an era
        return event.first_ordinal == self._believed.ordinal and first in (UNREAD, event.cards[0].card)

    def _fact_number(self, message: int | None) -> int:
        """Numbers on the line wrap around; those of facts continue, so no old number is ever repeated."""
        last = self._believed.sequence
        if message is None:
            return last + 1
        return last + ((message - last) % self._adapter.numbers or self._adapter.numbers)

    def _note_deck(self, event: told.DeckTold, now: Stamp) -> None:
        self._conversation.deck_told = True
        deck = Deck(event.cards, event.shuffled, event.sets, event.face_up_next, event.jammed, event.door_open)
        if deck != self._believed.deck:
            self._facts.append(facts.DeckReported(now, **parts_of(deck)))
            self._believed = replace(self._believed, deck=deck)

    def _note_answer(self, event: told.OrderAnswered, table: Table, now: Stamp) -> None:
        if event.order != self._conversation.ordered or event.busy:
            return  # outdated, or it wants to be asked again
        self._conversation.order_answered = True
        if event.refused:
            self._raise_once(facts.FaultRaised(now, ORDER_FAILED, redacted.scrubbed(event.refused)), table)

    # --- what is kept --------------------------------------------------------------------------------

    def _keep(self, event: told.NotUnderstood, now: Stamp) -> None:
        self._end_minute(now)
        if self._minute_ns is None:
            self._minute_ns = now.mono_ns
        self._kept += 1
        if self._kept <= KEPT_A_MINUTE:
            self._facts.append(facts.FrameKept(now, event.reason, event.raw.hex()))

    def _end_minute(self, now: Stamp) -> None:
        if self._minute_ns is None or now.mono_ns - self._minute_ns < MINUTE_NS:
            return
        if self._kept > KEPT_A_MINUTE:
            self._facts.append(facts.FramesCounted(now, self._kept - KEPT_A_MINUTE))
        self._minute_ns, self._kept = None, 0

    # --- states --------------------------------------------------------------------------------------

    def _note_connected(self, connected: bool, now: Stamp) -> None:
        if connected != self._believed.connected:
            self._facts.append((facts.ShufflerFound if connected else facts.ShufflerLost)(now))
            self._lose_count("the shuffler's line was interrupted", now)
            self._believed = replace(self._believed, connected=connected)

    def _check_order(self, table: Table, now: Stamp) -> None:
        talk = self._conversation
        if not talk.open or talk.ordered is None or talk.order_answered:
            return
        if now.mono_ns - talk.ordered_ns < ORDER_PATIENCE_NS:
            return
        self._raise_once(facts.FaultRaised(now, ORDER_FAILED, "it does not answer"), table)

    def _raise_once(self, fault: facts.FaultRaised, table: Table) -> None:
        standing = StandingFault(fault.code, fault.where) in table.service.faults
        if not standing and fault not in self._facts:
            self._facts.append(fault)


def _deal_is_under_way(table: Table) -> bool:
    playing = table.round
    return playing is not None and table.phase is Phase.DEALING and len(playing.dealt) < len(playing.plan)
