"""The table's end of Felt's own protocol, version 1: numbered messages repeated until acknowledged, heartbeats, and
orders with answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from felt.wire.adapters.adapter import (
    Alive,
    CardLeft,
    CardsLeft,
    CountLost,
    DeckTold,
    Event,
    Greeted,
    NotUnderstood,
    OrderAnswered,
    Unsupported,
)
from felt.wire.shuffler import frames, messages
from felt.wire.shuffler.reading import ShufflerReader

_REFUSALS: dict[int, str] = {
    messages.OrderOutcome.BUSY: "it is busy",
    messages.OrderOutcome.TOO_FEW_CARDS: "it has too few cards",
    messages.OrderOutcome.JAMMED: "it is jammed",
    messages.OrderOutcome.DOOR_OPEN: "its door is open",
    messages.OrderOutcome.IMPOSSIBLE: "it cannot do that",
}


class Felt1:
    """Implements `Adapter`."""

    numbers = frames.SEQUENCE_MAX
    silent_after_ms = 3_000  # three heartbeats
    counts_the_deal = True
    ask_every_ms = 0

    def __init__(self) -> None:
        self._reader = ShufflerReader()

    def receive(self, received: bytes) -> Sequence[Event]:
        self._reader.receive(received)
        return [told for event in self._reader for told in self._told(event)]

    def question(self, *, greeted: bool) -> bytes:
        return messages.encode_ask_status() if greeted else messages.encode_ask_hello()

    def dispense(self, origin: int, order: int, sets: int, cards_each: int) -> bytes:
        return messages.encode_dispense(order, origin, sets, cards_each)

    def _told(self, event: messages.DeviceEvent) -> Iterator[Event]:
        match event:
            case frames.FrameError():
                # An unknown kind of message holds no card in this version: keep it as evidence and acknowledge it.
                owed = b"" if event.damaged or not event.sequence else messages.encode_ack(event.sequence)
                yield NotUnderstood(event.reason, event.raw, event.damaged, owed)
            case messages.Heartbeat():
                yield Alive()
            case messages.Hello():
                yield self._greeted(event)
            case messages.CardsRead():
                yield from self._cards_left(event)
            case messages.DeckStatus():
                yield DeckTold(
                    event.cards, event.shuffled, event.sets, event.face_up_next, event.jammed, event.door_open,
                    messages.encode_ack(event.sequence),
                )  # fmt: skip
            case messages.Done(order=order, outcome=outcome):
                refused = "" if outcome == messages.OrderOutcome.TAKEN else _REFUSALS.get(outcome, f"reason {outcome}")
                busy = outcome == messages.OrderOutcome.BUSY
                yield OrderAnswered(order, refused, busy, messages.encode_ack(event.sequence))

    def _greeted(self, event: messages.Hello) -> Event:
        lowest, highest = messages.VERSIONS_SPOKEN
        version = min(event.highest, highest)
        if version < max(event.lowest, lowest):
            theirs, ours = f"{event.lowest} to {event.highest}", f"{lowest} to {highest}"
            return Unsupported(f"it speaks versions {theirs}; this table speaks {ours}")
        return Greeted(event.session, event.identity, version, messages.encode_welcome(event.sequence, version))

    def _cards_left(self, event: messages.CardsRead) -> Iterator[Event]:
        if not event.repeat:
            yield from (
                NotUnderstood("a reported card is not in the deck", card_told.letters, damaged=False)
                for card_told in event.cards
                if card_told.letters
            )
        knows = event.first_ordinal != messages.ORDINAL_UNKNOWN
        if not knows and not event.repeat:
            yield CountLost("the shuffler does not know how many cards of the deal have left")
        cards = tuple(
            CardLeft(
                card_told.card,
                event.age_ms,
                card_told.face_up,
                card_told.burnt,
                card_told.together,
                bool(card_told.letters),
            )
            for card_told in event.cards
        )
        ordinal = event.first_ordinal if knows else None
        yield CardsLeft(event.sequence, cards, event.repeat, messages.encode_ack(event.sequence), ordinal)
