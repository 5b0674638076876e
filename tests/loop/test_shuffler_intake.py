"""The shuffler's messages through the whole table in one process: every card counts once, evidence is kept, silence is
noticed, and orders are given once."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest

from felt.journal.reading import read_records
from felt.journal.record import JournalBroken
from felt.loop.inbox import ShufflerBytes
from felt.nouns.cards import DECK
from felt.nouns.stamps import NS_PER_MS
from felt.stories.evening import Evening
from felt.table import facts
from felt.table.facts import Fact
from felt.table.state import Phase
from felt.virtual.disk import PowerCut
from felt.virtual.shuffler import Misbehaviour, ShufflerDevice
from felt.wire.shuffler import (
    SEQUENCE_MAX,
    CommandReader,
    DeckStatus,
    Dispense,
    OneCard,
    OrderOutcome,
    encode_card,
    encode_done,
    encode_frame,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
)

ORDERED = "shuffler.deal_ordered_by=table"


def lock_bets(evening: Evening) -> None:
    lock_bets_until_pressed(evening)
    evening.until(lambda: evening.phase in (Phase.DEALING, Phase.DECIDING))


def lock_bets_until_pressed(evening: Evening) -> None:
    if evening.phase is Phase.CLOSED:
        assert evening.order("TableOpened", person="supervisor") == ""
    evening.press("open")
    for seat in (1, 2):
        evening.chip(f"{seat}.ante")
    evening.advance(200)
    evening.board.drive("key.no_more_bets", True)
    evening.advance(30)
    evening.board.drive("key.no_more_bets", False)


def journaled(evening: Evening, *kinds: type[Fact]) -> list[Any]:
    written = [facts.decode(record.payload) for record in read_records(evening.disk)]
    return [fact for fact in written if isinstance(fact, kinds)]


def say(evening: Evening, *frames: bytes) -> None:
    """Over the line, and the device itself may add what it has to say."""
    assert evening.running is not None
    for frame in frames:
        evening.running.loop.inbox.put(ShufflerBytes(frame, evening.clock.now_ns()))
    evening.tick()


class Mute(ShufflerDevice):
    """A device that says only what the test tells it to, and keeps what it hears."""

    def __init__(self) -> None:
        super().__init__(random.Random(1))
        self.heard = b""

    def receive(self, received: bytes) -> None:
        self.heard += received

    def tick(self, now_ns: int) -> bytes:
        self._now_ns = now_ns
        return b""

    def next_due_ns(self) -> int:
        return self._now_ns + 1_000_000 * NS_PER_MS

    def commands(self) -> list[Any]:
        reader = CommandReader()
        reader.receive(self.heard)
        self.heard = b""
        return list(reader)


@pytest.fixture
def scripted() -> tuple[Evening, Mute]:
    device = Mute()
    evening = Evening(device=device)
    say(evening, encode_hello(1, 500, "by hand"))
    lock_bets(evening)
    device.commands()
    return evening, device


def cards_of(evening: Evening) -> list[Any]:
    assert evening.table.round is not None
    return [dealt.card for dealt in evening.table.round.dealt]


def card(number: int, place: int) -> bytes:
    return encode_card(number, place + 1, OneCard(DECK[place]))


# --- every card once -------------------------------------------------------------------------------------


def test_a_card_is_answered_after_it_is_durable_and_again_when_it_is_repeated(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    say(evening, card(7, 0))
    assert [fact.card for fact in journaled(evening, facts.CardDealt)] == [DECK[0]]
    assert [type(command).__name__ for command in device.commands()] == ["Ack"]
    say(evening, card(7, 0), card(7, 0))
    assert cards_of(evening) == [DECK[0]]
    assert [type(command).__name__ for command in device.commands()] == ["Ack", "Ack"]


def test_when_the_disk_fails_no_answer_leaves(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    evening.disk.fail_syncs()
    with pytest.raises(JournalBroken):
        say(evening, card(7, 0))
    assert device.commands() == []


def test_an_answer_lost_before_a_power_cut_does_not_deal_the_card_again(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    say(evening, card(7, 0))
    evening.power_cut()
    evening.boot()
    device.commands()
    say(evening, card(7, 0))
    assert cards_of(evening) == [DECK[0]]
    assert "Ack" in [type(command).__name__ for command in device.commands()]


def test_an_answer_lost_before_a_power_cut_does_not_deal_an_unread_card_again(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, encode_card(7, 1, OneCard(None)))
    evening.power_cut()
    evening.boot()
    say(evening, encode_card(7, 1, OneCard(None), 5_000))
    assert len(journaled(evening, facts.CardUnread)) == 1


def test_a_restarted_device_may_use_the_tables_last_number_for_another_card(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, card(2, 0))
    say(evening, encode_hello(1, 501, "by hand") + card(2, 1))  # even in one write
    assert cards_of(evening) == [DECK[0], DECK[1]]
    assert [fault.code for fault in evening.table.service.faults] == ["F-204"]


def test_a_restarted_device_may_reuse_the_last_number_after_a_power_cut(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, card(2, 0))
    evening.power_cut()
    evening.boot()
    say(evening, encode_hello(1, 501, "by hand") + card(2, 1))
    assert [fact.card for fact in journaled(evening, facts.CardDealt)] == [DECK[0], DECK[1]]


def test_a_number_alone_makes_no_repetition_after_a_power_cut_of_both(scripted: tuple[Evening, Mute]) -> None:
    """The device lost its greeting as well: its next card has the number of the last one that the table knows."""
    evening, _ = scripted
    say(evening, card(2, 0))
    evening.power_cut()
    evening.boot()
    say(evening, card(2, 2))
    assert cards_of(evening) == [DECK[0], "", DECK[2]]
    assert asked_about(evening) == {"interruption", "missing_card"}


# --- a card that nobody heard of -------------------------------------------------------------------------


def asked_about(evening: Evening) -> set[str]:
    return {question.mishap or question.kind for question in evening.table.irregularity.questions}


@pytest.mark.parametrize("first", [2, 4, 9, 12])
def test_the_first_cards_that_are_missing_are_asked_about(scripted: tuple[Evening, Mute], first: int) -> None:
    evening, _ = scripted
    say(evening, encode_card(7, first, OneCard(DECK[0])))
    assert cards_of(evening)[: first - 1] == [""] * min(first - 1, 9)
    assert "missing_card" in asked_about(evening)
    assert evening.phase is Phase.INTERRUPTED


def test_a_whole_hand_that_is_missing_is_one_question_and_the_next_hands_are_right(
    scripted: tuple[Evening, Mute],
) -> None:
    evening, _ = scripted
    say(evening, encode_packet(7, 4, [OneCard(card) for card in DECK[3:6]]))
    (question,) = evening.table.irregularity.questions
    assert (question.mishap, question.place) == ("missing_card", "1")
    say(evening, encode_packet(8, 7, [OneCard(card) for card in DECK[6:9]]))
    assert evening.table.round is not None
    assert [card.target for card in evening.table.round.dealt if card.card] == ["2"] * 3 + ["dealer"] * 3


def test_a_missing_card_that_comes_after_the_question_takes_its_place(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, card(7, 1))
    evening.advance(100)
    say(evening, encode_card(8, 1, OneCard(DECK[0]), 120))
    assert cards_of(evening) == [DECK[0], DECK[1]]
    say(evening, card(9, 0), card(10, 1))  # and once more, under other numbers
    assert cards_of(evening) == [DECK[0], DECK[1]]
    assert asked_about(evening) == {"missing_card"}


def test_a_card_that_left_later_is_not_the_missing_one(scripted: tuple[Evening, Mute]) -> None:
    """The dealer let another hand out, and the device counts it from 1."""
    evening, _ = scripted
    say(evening, card(7, 1))
    evening.advance(100)
    say(evening, encode_card(8, 1, OneCard(DECK[30]), 5))
    assert cards_of(evening) == ["", DECK[1]]
    assert asked_about(evening) == {"missing_card", "stray_card"}


def test_another_card_under_the_same_ordinal_is_a_stray(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, card(7, 0), encode_card(8, 1, OneCard(DECK[20])))
    assert cards_of(evening) == [DECK[0]]
    assert asked_about(evening) == {"stray_card"}


def test_a_card_that_left_before_the_lock_is_a_stray(scripted: tuple[Evening, Mute]) -> None:
    """It belongs to an earlier deal, and came when the cable was back."""
    evening, _ = scripted
    say(evening, encode_card(7, 1, OneCard(DECK[0]), 60_000))
    assert cards_of(evening) == []
    assert asked_about(evening) == {"stray_card"}


def test_a_supervisor_keys_the_face_of_a_card_that_never_comes_after_a_while(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, encode_packet(7, 1, [OneCard(card) for card in DECK[:8]]))
    keyed = {"card": DECK[8], "person": "Sam", "role": "supervisor"}
    assert "nothing to key" in evening.order("CardKeyed", **keyed)
    for _ in range(5):
        evening.advance(1_000)
        say(evening, encode_heartbeat())
    assert evening.order("CardKeyed", **keyed) == ""
    assert evening.phase is Phase.DECIDING
    say(evening, card(8, 8))
    assert asked_about(evening) == set()


# --- numbers ---------------------------------------------------------------------------------------------


def test_numbers_that_begin_again_hide_no_card(scripted: tuple[Evening, Mute]) -> None:
    """After exactly as many messages as there are numbers, the next card has the number of the last one."""
    evening, device = scripted
    say(evening, card(SEQUENCE_MAX, 0))
    others = [encode_done(number, 1, 1, OrderOutcome.TAKEN) for number in range(1, SEQUENCE_MAX)]
    for begin in range(0, len(others), 450):
        say(evening, b"".join(others[begin : begin + 450]))
        evening.advance(2_500)  # not faster than a device may speak
    device.commands()
    say(evening, card(SEQUENCE_MAX, 1))
    assert cards_of(evening) == [DECK[0], DECK[1]]
    sequences = [fact.sequence for fact in journaled(evening, facts.CardDealt)]
    assert sequences == sorted(set(sequences))


def test_a_second_hello_of_one_session_is_welcomed_and_changes_nothing(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    say(evening, card(2, 0))
    say(evening, encode_hello(3, 500, "by hand"), encode_hello(3, 500, "by hand"))
    assert [type(command).__name__ for command in device.commands()] == ["Ack", "Welcome", "Welcome"]
    assert len(journaled(evening, facts.ShufflerGreeted)) == 1
    assert evening.table.shuffler.sequence == 2


def test_a_packet_is_durable_whole_or_not_at_all(scripted: tuple[Evening, Mute]) -> None:
    """Its cards are one turn, however finely the line cuts the bytes and however many wait in the inbox."""
    evening, _ = scripted
    frame = encode_packet(2, 1, [OneCard(card) for card in DECK[:9]])
    assert evening.running is not None
    for _ in range(100):
        evening.running.loop.inbox.put(ShufflerBytes(encode_heartbeat(), evening.clock.now_ns()))
    for place in range(len(frame)):
        evening.running.loop.inbox.put(ShufflerBytes(frame[place : place + 1], evening.clock.now_ns()))
    for _ in range(10):
        if evening.running.loop.inbox.empty():
            break
        evening.running.loop.tick()
        assert len(cards_of(evening)) in (0, 9)


# --- what a card carries ---------------------------------------------------------------------------------


def test_a_card_says_how_much_earlier_it_may_have_left(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, encode_card(2, 1, OneCard(DECK[0], face_up=True, together=True), 400))
    (dealt,) = journaled(evening, facts.CardDealt)
    assert dealt.uncertain_ns == 420 * NS_PER_MS
    assert (dealt.face_up, dealt.burnt, dealt.together) == (True, False, True)


def test_a_card_of_no_deck_is_unread_and_kept(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, encode_card(2, 1, OneCard(None, letters=b"Jo")))
    assert len(journaled(evening, facts.CardUnread)) == 1
    assert [fact.raw for fact in journaled(evening, facts.FrameKept)] == [b"Jo".hex()]
    assert "F-202" not in [fault.code for fault in evening.table.service.faults]


def test_the_deck_is_a_fact_only_when_it_has_changed(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    before = len(journaled(evening, facts.DeckReported))
    say(evening, encode_status(DeckStatus(2, False, 49, 1, False)), encode_status(DeckStatus(3, False, 49, 1, False)))
    say(evening, encode_status(DeckStatus(4, False, 49, 1, False)))
    say(evening, encode_status(DeckStatus(5, False, 49, 1, False, jammed=True)))
    assert len(journaled(evening, facts.DeckReported)) == before + 2
    assert evening.table.shuffler.deck is not None
    assert evening.table.shuffler.deck.jammed


# --- evidence --------------------------------------------------------------------------------------------


def test_the_first_twenty_strange_frames_of_a_minute_are_kept_and_the_rest_counted(
    scripted: tuple[Evening, Mute],
) -> None:
    evening, device = scripted
    for _ in range(50):
        say(evening, encode_frame(0x33, 0, b"?"))
    assert len(journaled(evening, facts.FrameKept)) == 20
    evening.advance(61_000)
    assert [fact.count for fact in journaled(evening, facts.FramesCounted)] == [30]
    say(evening, encode_frame(0x33, 2, b"?"))
    assert len(journaled(evening, facts.FrameKept)) == 21
    assert evening.table.service.faults == ()
    assert "Ack" in [type(command).__name__ for command in device.commands()]


def test_damage_is_kept_and_raises_its_fault_once(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    say(evening, b"\x7e\x01\x02\x03\x7e", b"\x7e\x01\x02\x03\x7e")
    assert [fact.raw for fact in journaled(evening, facts.FrameKept)] == ["010203", "010203"]
    assert [fault.code for fault in evening.table.service.faults] == ["F-202"]


def test_a_device_of_an_unknown_version_is_named_and_no_card_is_taken(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    say(evening, encode_hello(1, 900, "newest", (2, 3)), encode_hello(1, 900, "newest", (2, 3)))
    assert [(fault.code, fault.where) for fault in evening.table.service.faults] == [
        ("F-203", "it speaks versions 2 to 3; this table speaks 1 to 1")
    ]
    assert device.commands() == []
    say(evening, encode_hello(1, 901, "older", (1, 3)))
    codes = [fault.code for fault in evening.table.service.faults]
    assert codes == ["F-204"]  # another device, or other firmware in it, and a deal was under way
    assert evening.table.shuffler.identity == "older"


# --- silence ---------------------------------------------------------------------------------------------


def test_silence_is_noticed_by_its_age_and_heartbeats_alone_are_no_silence() -> None:
    evening = Evening()
    evening.advance(30_000)
    assert evening.table.shuffler.connected
    evening.device.misbehave(Misbehaviour.SILENCE)
    evening.advance(2_500)
    assert evening.table.shuffler.connected
    evening.advance(2_000)
    assert not evening.table.shuffler.connected
    assert len(journaled(evening, facts.ShufflerLost)) == 1
    evening.device.mend()
    evening.advance(1_500)
    assert evening.table.shuffler.connected


def test_heartbeats_without_a_hello_are_asked_for_one(scripted: tuple[Evening, Mute]) -> None:
    evening, device = scripted
    evening.link.unplug()
    evening.link.plug()
    for _ in range(5):
        evening.advance(1_000)
        say(evening, encode_heartbeat())
    assert evening.table.shuffler.connected
    asked = [type(command).__name__ for command in device.commands()]
    assert set(asked) == {"HelloAsked"}
    assert 4 <= len(asked) <= 7


def test_noise_does_not_count_as_a_sign_of_life(scripted: tuple[Evening, Mute]) -> None:
    evening, _ = scripted
    for _ in range(5):
        evening.advance(1_000)
        say(evening, b"\x7e\x00\x7e")
    assert not evening.table.shuffler.connected


# --- orders ----------------------------------------------------------------------------------------------


def test_the_table_orders_the_deal_at_the_lock_and_it_is_dealt_once() -> None:
    evening = Evening(overrides=[ORDERED], decks=[DECK])
    lock_bets(evening)
    evening.until(lambda: evening.phase is Phase.DECIDING)
    assert cards_of(evening) == list(DECK[:9])
    evening.advance(10_000)
    assert len(journaled(evening, facts.CardDealt)) == 9
    assert evening.table.service.faults == ()


def test_the_dealer_starts_the_deal_where_the_house_says_so() -> None:
    device = Mute()
    evening = Evening(device=device)
    lock_bets(evening)
    evening.advance(3_000)
    assert not [command for command in device.commands() if isinstance(command, Dispense)]


def test_an_order_across_a_power_cut_is_the_same_order() -> None:
    device = Mute()
    evening = Evening(overrides=[ORDERED], device=device)
    say(evening, encode_hello(1, 500, "by hand"))
    lock_bets(evening)
    evening.advance(2_100)
    before = {command for command in device.commands() if isinstance(command, Dispense)}
    evening.power_cut()
    evening.boot()
    evening.advance(500)
    assert evening.phase is not Phase.DEALING  # a supervisor rules first
    assert not [command for command in device.commands() if isinstance(command, Dispense)]
    (question,) = evening.table.irregularity.questions
    ruling = {"question": question.id, "choice": "continue", "person": "supervisor", "reason": "no card had left"}
    assert evening.order("RulingMade", **ruling) == ""
    evening.advance(500)
    after = {command for command in device.commands() if isinstance(command, Dispense)}
    assert len(before) == 1
    assert after == before


class Counting(ShufflerDevice):
    deals = 0

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Any, ...], ...]:
        self.deals += 1
        return super().dispense(sets, cards_each, goes_on=goes_on)


@pytest.mark.parametrize("write", range(1, 14))
def test_wherever_the_power_fails_after_the_lock_the_ordered_deal_comes_once(write: int) -> None:
    device = Counting(random.Random(1), [DECK], packets=True)
    evening = Evening(overrides=[ORDERED], device=device)
    lock_bets_until_pressed(evening)
    evening.disk.cut_at(write)
    with contextlib.suppress(PowerCut):
        evening.until(lambda: evening.phase is Phase.DECIDING)
    evening.power_cut()
    evening.boot()
    if evening.table.irregularity.questions:
        (question,) = evening.table.irregularity.questions
        choice = "continue" if "continue" in question.options else question.proposal
        ruling = {"question": question.id, "choice": choice, "person": "supervisor", "reason": "counted"}
        assert evening.order("RulingMade", **ruling) == ""
    evening.advance(8_000)
    dealt = [fact.card for fact in journaled(evening, facts.CardDealt)]
    assert device.deals <= 1
    assert dealt == list(DECK[: 9 * device.deals])
    assert device.quiet()
    assert {fault.code for fault in evening.table.service.faults} <= {"F-402"}  # the journal's torn tail


def test_orders_are_repeated_once_a_second_until_they_are_answered_or_become_a_fault() -> None:
    device = Mute()
    evening = Evening(overrides=[ORDERED], device=device)
    say(evening, encode_hello(1, 500, "by hand"))
    lock_bets(evening)
    for _ in range(6):
        evening.advance(1_000)
        say(evening, encode_heartbeat())
    assert 5 <= len([command for command in device.commands() if isinstance(command, Dispense)]) <= 8
    assert [(fault.code, fault.where) for fault in evening.table.service.faults] == [("F-205", "it does not answer")]


@pytest.mark.parametrize(
    ("outcome", "faults", "asked_again"),
    [
        (OrderOutcome.TAKEN, [], False),
        (OrderOutcome.BUSY, [], True),
        (OrderOutcome.JAMMED, [("F-205", "it is jammed")], False),
        (OrderOutcome.DOOR_OPEN, [("F-205", "its door is open")], False),
    ],
)
def test_the_answer_to_an_order_decides_its_fault_and_whether_it_is_repeated(
    outcome: OrderOutcome, faults: list[tuple[str, str]], asked_again: bool
) -> None:
    device = Mute()
    evening = Evening(overrides=[ORDERED], device=device)
    say(evening, encode_hello(1, 500, "by hand"))
    lock_bets(evening)
    (order,) = {command for command in device.commands() if isinstance(command, Dispense)}
    assert (order.sets, order.cards_each) == (3, 3)
    say(evening, encode_done(2, order.origin, order.order, outcome))
    evening.advance(1_100)
    assert [(fault.code, fault.where) for fault in evening.table.service.faults] == faults
    assert (order in device.commands()) is asked_again
