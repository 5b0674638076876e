"""What the shuffler says becomes facts. It decides nothing about the deal; it knows which message is a repeat, which
frames are kept, and when a device has been silent for too long. What the device is owed goes back as answers, which
leave when the facts are durable."""

from __future__ import annotations

from collections.abc import Iterator

from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.table import facts
from felt.table.facts import Fact
from felt.table.state import Deck, Phase, Shuffler, Table
from felt.wire.adapters import adapter as told
from felt.wire.adapters.adapter import Adapter

DAMAGED, UNSUPPORTED, RESTARTED, ORDER_FAILED = "F-202", "F-203", "F-204", "F-205"
WHERE = "shuffler"
LINE_MS = 20  # from the end of a message at the device to its stamp here: the line, the adapter, the reading thread
KEPT_A_MINUTE = 20
MINUTE_NS = 60 * NS_PER_S
STALL_NS = 1 * NS_PER_S  # turns further apart than this were our own silence, not the device's
UNOPENED_NS = 3 * NS_PER_S
ORDER_PATIENCE_NS = 5 * NS_PER_S


class Conversation:
    """What was said since the line opened. Volatile: after a start everything is asked again."""

    def __init__(self) -> None:
        self.open = False  # the line, whoever is at its other end
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
        self.ordered = None  # whether it was heard is not known: it is given again

    def end(self) -> None:
        self.open = False


class ShufflerIntake:
    def __init__(self, adapter: Adapter, conversation: Conversation) -> None:
        self._adapter = adapter
        self._conversation = conversation
        self._believed = Shuffler()  # as it will be when the facts so far are stepped
        self._facts: list[Fact] = []
        # Since our own start the device sent something else than the last message that the table remembers.
        self._went_on = False
        self._minute_ns: int | None = None
        self._kept = 0
        self._seen_ns: int | None = None

    def begin_turn(self, table: Table, into: list[Fact]) -> None:
        self._believed = table.shuffler
        self._facts = into

    def take_state(self, connected: bool, now: Stamp) -> None:
        if connected:
            self._conversation.begin(now)
        else:
            self._conversation.end()
        self._note_connected(connected, now)

    def take_bytes(self, content: bytes, ns: int, table: Table, now: Stamp) -> Iterator[bytes]:
        """Yields what the device is owed when this turn is durable."""
        for event in self._adapter.receive(content):
            if not isinstance(event, told.NotUnderstood) or not event.damaged:
                self._conversation.heard_ns = max(self._conversation.heard_ns, ns)
                if self._conversation.open:
                    self._note_connected(True, now)
            self._take(event, ns, table, now)
            answer = b"" if isinstance(event, told.Unsupported) else event.answer
            if answer:
                yield answer

    def pass_time(self, table: Table, now: Stamp) -> None:
        """When nothing waits unread: what has become late."""
        stalled = self._seen_ns is None or now.mono_ns - self._seen_ns > STALL_NS
        self._seen_ns = now.mono_ns
        if stalled:
            self._conversation.heard_ns = max(self._conversation.heard_ns, now.mono_ns - STALL_NS)
        # A line that is not open after a start says nothing of the device that the table remembers.
        silent_ns = self._adapter.silent_after_ms * NS_PER_MS if self._conversation.open else UNOPENED_NS
        if silent_ns and now.mono_ns - self._conversation.heard_ns > silent_ns:
            self._note_connected(False, now)
        self._end_minute(now)
        self._check_order(table, now)

    # --- events --------------------------------------------------------------------------------------

    def _take(self, event: told.Event, ns: int, table: Table, now: Stamp) -> None:
        match event:
            case told.Greeted():
                self._greet(event, table, now)
            case told.Unsupported(what=what):
                self._raise_once(facts.FaultRaised(now, UNSUPPORTED, what), table)
            case told.CardsLeft():
                self._deal(event, ns, now)
                return
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
        self._believed = self._believed._replace(session=session, sequence=0)

    def _deal(self, event: told.CardsLeft, ns: int, now: Stamp) -> None:
        if self._is_repeat(event):
            return
        sequence = self._fact_number(event.message)
        self._believed = self._believed._replace(sequence=sequence)
        self._went_on = True
        for one in event.cards:
            uncertain_ns = (one.age_ms + LINE_MS) * NS_PER_MS
            if one.card is None:
                self._facts.append(facts.CardUnread(now, ns, sequence, uncertain_ns, one.foreign))
            else:
                self._facts.append(
                    facts.CardDealt(now, one.card, ns, sequence, uncertain_ns, one.face_up, one.burnt, one.together)
                )

    def _is_repeat(self, event: told.CardsLeft) -> bool:
        """The adapter knows what came before; after a start it has no memory, but the table has: its last message."""
        if event.repeat or event.message is None:
            return event.repeat
        last = self._believed.sequence
        return not self._went_on and last > 0 and (event.message - last) % self._adapter.numbers == 0

    def _fact_number(self, message: int | None) -> int:
        """Numbers on the line begin again; those of the facts go on, so that no old one is ever met a second time."""
        last = self._believed.sequence
        if message is None:
            return last + 1
        return last + ((message - last) % self._adapter.numbers or self._adapter.numbers)

    def _note_deck(self, event: told.DeckTold, now: Stamp) -> None:
        self._conversation.deck_told = True
        deck = Deck(event.cards, event.shuffled, event.sets, event.face_up_next, event.jammed, event.door_open)
        if deck != self._believed.deck:
            self._facts.append(facts.DeckReported(now, *deck))
            self._believed = self._believed._replace(deck=deck)

    def _note_answer(self, event: told.OrderAnswered, table: Table, now: Stamp) -> None:
        if event.order != self._conversation.ordered or event.busy:
            return  # of another day, or it wants to be asked again
        self._conversation.order_answered = True
        if event.refused:
            self._raise_once(facts.FaultRaised(now, ORDER_FAILED, event.refused), table)

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
            self._believed = self._believed._replace(connected=connected)

    def _check_order(self, table: Table, now: Stamp) -> None:
        talk = self._conversation
        if not talk.open or talk.ordered is None or talk.order_answered:
            return
        if now.mono_ns - talk.ordered_ns < ORDER_PATIENCE_NS:
            return
        self._raise_once(facts.FaultRaised(now, ORDER_FAILED, "it does not answer"), table)

    def _raise_once(self, fault: facts.FaultRaised, table: Table) -> None:
        standing = any((one.code, one.where) == (fault.code, fault.where) for one in table.service.faults)
        if not standing and fault not in self._facts:
            self._facts.append(fault)


def _deal_is_under_way(table: Table) -> bool:
    playing = table.round
    return playing is not None and table.phase is Phase.DEALING and len(playing.dealt) < len(playing.plan)
