"""What the table sends to the shuffler by itself: questions until they are answered and, if the house wants it,
orders to deal until they are answered. Both are rate-limited. Nothing here needs to be durable, because an order's
number comes from the round's number, and the device runs the same number once. Nothing is sent to an ignored device."""

from __future__ import annotations

from zlib import crc32

from felt.loop.guarded_adapter import AdapterFailed, GuardedAdapter
from felt.loop.shuffler_intake import ShufflerConversation
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.values import Value
from felt.ports import Link
from felt.table.deal import HAND_CARDS
from felt.table.state import Phase, Table

ASK_NS = 1 * NS_PER_S
ORDER_NS = 1 * NS_PER_S
ORDER_NUMBERS = 0xFFFF  # from 1


class DealOrder(Value):
    origin: int  # which table's orders these are; another journal numbers its rounds anew
    number: int
    sets: int


def wanted_order(table: Table) -> DealOrder | None:
    """The deal of the current round, until its first card arrives."""
    playing = table.round
    if playing is None or table.phase is not Phase.DEALING or not playing.plan or playing.dealt:
        return None
    assert len(playing.plan) % HAND_CARDS == 0, "the configuration allows orders for sets of three alone"
    number = (playing.number - 1) % ORDER_NUMBERS + 1
    return DealOrder(crc32(table.nonce.encode()), number, len(playing.plan) // HAND_CARDS)


class ShufflerTalk:
    def __init__(
        self, adapter: GuardedAdapter, link: Link, conversation: ShufflerConversation, *, orders_the_deal: bool
    ) -> None:
        self._adapter = adapter
        self._link = link
        self._conversation = conversation
        self._orders_the_deal = orders_the_deal
        self._asked_ns: int | None = None
        self._ordered_ns: int | None = None

    def speak(self, table: Table, now: Stamp, answers: list[bytes]) -> None:
        for answer in answers:
            self._link.send(answer)
        if not self._conversation.open or self._conversation.left_alone:
            self._asked_ns = None
            return
        try:
            self._ask(now)
            if self._orders_the_deal:
                self._order(table, now)
        except AdapterFailed as failed:
            self._conversation.failed = str(failed)  # reported with the next turn

    def _ask(self, now: Stamp) -> None:
        talk = self._conversation
        answered = talk.greeted and talk.deck_told
        every_ns = self._adapter.ask_every_ms * NS_PER_MS if answered else ASK_NS
        if every_ns and (self._asked_ns is None or now.mono_ns - self._asked_ns >= every_ns):
            self._asked_ns = now.mono_ns
            self._link.send(self._adapter.question(greeted=talk.greeted))

    def _order(self, table: Table, now: Stamp) -> None:
        talk, wanted = self._conversation, wanted_order(table)
        if wanted is None:
            talk.ordered = self._ordered_ns = None
            return
        if talk.ordered != wanted.number:
            talk.ordered, talk.ordered_ns, talk.order_answered = wanted.number, now.mono_ns, False
            self._ordered_ns = None
        if talk.order_answered or (self._ordered_ns is not None and now.mono_ns - self._ordered_ns < ORDER_NS):
            return
        self._ordered_ns = now.mono_ns
        self._link.send(self._adapter.dispense(wanted.origin, wanted.number, wanted.sets, HAND_CARDS))
