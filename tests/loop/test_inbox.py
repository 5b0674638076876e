"""Each source has its share of a turn and its own limit. Within a turn the stamps decide the order."""

from __future__ import annotations

import random

from felt.journal.reading import read_records
from felt.loop.inbox import (
    EDGES_MAX,
    LIMITS,
    LINE_EDGES_MAX,
    LINE_EDGES_SURE,
    Answer,
    Edge,
    Inbox,
    Order,
    ShufflerBytes,
    Source,
)
from felt.nouns.cards import DECK
from felt.nouns.stamps import NS_PER_MS, NS_PER_S
from felt.stories.evening import Evening
from felt.table import facts
from felt.table.state import Phase
from felt.wire.shuffler import OneCard, encode_card

SETTLE_MS = 20


def order() -> Order:
    return Order("TableOpened", {"person": "sup"}, lambda _: None)


def test_a_flood_fills_its_own_box_and_no_other() -> None:
    inbox = Inbox(lambda: 0)
    for _ in range(100):
        inbox.put(ShufflerBytes(b"x" * 4096, 0))
        inbox.put(Answer(b"x" * 65_536))
    for _ in range(10_000):
        inbox.put(Edge("key.fold", True, 0))
        inbox.put(order())
    inbox.put(Edge("key.open", True, 1))
    taken = inbox.take(0)
    assert taken[-1].item == Edge("key.open", True, 1)
    share_bytes = sum(len(entry.item.content) for entry in taken if isinstance(entry.item, ShufflerBytes))
    assert share_bytes == LIMITS[Source.SHUFFLER].share_bytes
    assert sum(isinstance(entry.item, Order) for entry in taken) == LIMITS[Source.DESK].share_items
    assert sum(isinstance(entry.item, Edge) for entry in taken) == LINE_EDGES_MAX + 1
    assert set(inbox.refused) == set(Source)
    assert list(inbox.refused_edges) == ["key.fold"]


def test_a_box_is_limited_by_bytes_and_what_exceeds_its_share_by_age() -> None:
    now_ns = 0
    inbox = Inbox(lambda: now_ns)
    limits = LIMITS[Source.SHUFFLER]
    for _ in range(limits.content_bytes // 1024 + 5):
        inbox.put(ShufflerBytes(b"x" * 1024, 0))
    assert inbox.refused[Source.SHUFFLER] == 5
    inbox.take(0)
    assert inbox.waits(Source.SHUFFLER)
    now_ns = limits.age_ns + 1
    inbox.take(0)
    assert inbox.empty()


def test_what_waited_because_the_table_was_slow_is_not_dropped_for_its_age() -> None:
    now_ns = 0
    inbox = Inbox(lambda: now_ns)
    inbox.put(ShufflerBytes(b"card", 0))
    inbox.put(Answer(b"acked"))
    now_ns = 60 * NS_PER_S
    assert len(inbox.take(0)) == 2
    assert not inbox.refused.total()


def test_a_quiet_line_has_room_where_others_have_filled_the_box() -> None:
    inbox = Inbox(lambda: 0)
    for number in range(2 * EDGES_MAX):
        inbox.put(Edge(f"{number % 40}.ante", True, number))
    before = inbox.refused[Source.BOARD]
    for _ in range(LINE_EDGES_SURE):
        inbox.put(Edge("key.open", True, 1))
    assert inbox.refused[Source.BOARD] == before


def test_a_turn_is_in_the_order_of_stamps_and_each_source_keeps_its_own_order() -> None:
    chance = random.Random(4)
    for _ in range(200):
        inbox = Inbox(lambda: 50)
        for _ in range(chance.randrange(40)):
            ns = chance.randrange(100)
            inbox.put(chance.choice((Edge("key.open", True, ns), ShufflerBytes(str(ns).encode(), ns), Answer(b"x"))))
        taken = inbox.take(0)
        assert [entry.ns for entry in taken] == sorted(entry.ns for entry in taken)
        assert all(entry.item == Answer(b"x") or entry.ns >= entry.item.ns for entry in taken)  # type: ignore[union-attr]


# --- cards and keys --------------------------------------------------------------------------------------------


def locked(until: str) -> Evening:
    evening = Evening()
    evening.advance(1_000)
    evening.place_antes(1, 2)
    if until == "lock":
        return evening
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    return evening


def facts_after(evening: Evening, number: int) -> list[str]:
    told = (facts.CardDealt, facts.CardsSeenPressed, facts.NoMoreBetsPressed, facts.DeadlinePassed)
    written = [facts.decode(record.payload) for record in read_records(evening.disk)][number:]
    return [type(fact).__name__ for fact in written if isinstance(fact, told)]


def written(evening: Evening) -> int:
    return len(list(read_records(evening.disk)))


def card(number: int, place: int) -> bytes:
    return encode_card(number, place + 1, OneCard(DECK[place], False, False, False, b""))


def test_a_card_never_overtakes_the_lock_key_pressed_before_it() -> None:
    """Whatever the table is doing meanwhile, and however soon after the key the card comes."""
    for after_ms in (1, SETTLE_MS // 2, SETTLE_MS + 15, 120, 400):
        for stalled_ms in (0, 500):
            evening = locked("lock")
            assert evening.running is not None
            before, begun_ns = written(evening), evening.clock.now_ns()
            put = evening.running.loop.inbox.put
            put(Edge("key.no_more_bets", True, begun_ns))
            if not stalled_ms:
                evening.advance(after_ms)
            put(ShufflerBytes(card(900, 0), begun_ns + after_ms * NS_PER_MS))
            evening.clock.advance_to(begun_ns + max(stalled_ms, after_ms) * NS_PER_MS)
            evening.advance(300)
            told = facts_after(evening, before)
            assert told.index("NoMoreBetsPressed") < told.index("CardDealt"), (after_ms, stalled_ms, told)
            if after_ms == 400 and not stalled_ms:
                assert told.index("DeadlinePassed") < told.index("CardDealt")


def test_cards_seen_never_overtakes_a_card_that_came_before_it() -> None:
    evening = locked("deal")
    assert evening.running is not None
    before, begun_ns = written(evening), evening.clock.now_ns()
    put = evening.running.loop.inbox.put
    put(Edge("key.cards_seen", True, begun_ns + 80 * NS_PER_MS))
    for place in range(9):
        put(ShufflerBytes(card(900 + place, place), begun_ns + place * NS_PER_MS))
    evening.clock.advance_to(begun_ns + 300 * NS_PER_MS)
    evening.advance(300)
    assert facts_after(evening, before) == ["CardDealt"] * 9 + ["CardsSeenPressed"]
