"""Possible mistakes, planted one at a time, to show that the checkers find them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from felt.jackpot.books import meter as meters
from felt.jackpot.books.accounts import Code
from felt.jackpot.controller import office
from felt.journal import opening, store
from felt.loop import boot, intake, outward, shuffler_intake, table_loop
from felt.loop.inbox import Arrival, Order
from felt.loop.intake import Intake, Taken
from felt.loop.outward import Outward
from felt.loop.shuffler_intake import ShufflerIntake
from felt.loop.table_loop import TableLoop, World
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.ports import Disk, DiskError, Link
from felt.rules import progressive_3_card_poker
from felt.table import chart, chips, claims, facts, lock, notices, redacted, settle, settling, voiding
from felt.table.chart import Refusal
from felt.table.facts import Fact
from felt.table.lock import ChipPresence
from felt.table.state import SpotState, Table
from felt.wire.adapters import adapter as told
from felt.wire.shuffler import reading
from tests.storm import planted_at_controller as at_controller
from tests.storm.mistakes import Mistake
from tests.storm.planted_at_table import PLANTED_AT_TABLE

STAX = "stax-three-card"


def speak_before_write(patch: pytest.MonkeyPatch) -> None:
    honest = TableLoop._write

    def write(self: TableLoop, happened: list[Fact], now: Stamp) -> list[Refusal | None]:
        thought = self._turn._think(happened)
        self._outward.speak(thought.table, self._turn.store.head, now, [])
        return honest(self, happened, now)

    patch.setattr(table_loop.TableLoop, "_write", write)


def write_without_sync(patch: pytest.MonkeyPatch) -> None:
    def write(self: store.Store, name: str, content: bytes) -> None:
        self._disk.append(name, content)

    patch.setattr(store.Store, "_write", write)


def keep_the_torn_tail(patch: pytest.MonkeyPatch) -> None:
    def settle_nothing(disk: Disk, walked: Any) -> None:
        return None

    patch.setattr(opening, "_settle", settle_nothing)


def order_answered_before_it_is_durable(patch: pytest.MonkeyPatch) -> None:
    honest = Intake._take_order

    def take_order(self: Intake, order: Order, now: Stamp, taken: Taken) -> None:
        order.reply("")
        honest(self, replace(order, reply=lambda _: None), now, taken)

    patch.setattr(intake.Intake, "_take_order", take_order)


def card_acknowledged_before_it_is_durable(patch: pytest.MonkeyPatch) -> None:
    honest_init, honest_take = TableLoop.__init__, Intake.take
    links: dict[Intake, Link] = {}

    def begin(self: TableLoop, world: World, *more: Any) -> None:
        honest_init(self, world, *more)
        links[self._intake] = world.link

    def take(self: Intake, arrivals: list[Arrival], table: Table, now: Stamp, *, shuffler_waits: bool) -> Taken:
        taken = honest_take(self, arrivals, table, now, shuffler_waits=shuffler_waits)
        for answer in taken.answers:
            links[self].send(answer)
        return taken

    patch.setattr(table_loop.TableLoop, "__init__", begin)
    patch.setattr(intake.Intake, "take", take)


def what_a_flood_drowned_is_acknowledged(patch: pytest.MonkeyPatch) -> None:
    """The table acknowledges messages of an ignored device although nobody read them."""
    honest = ShufflerIntake.take_bytes

    def take_bytes(self: ShufflerIntake, content: bytes, ns: int, table: Table, now: Stamp) -> Iterator[bytes]:
        if not self._conversation.left_alone:
            yield from honest(self, content, ns, table, now)
            return
        for event in self._adapter.receive(content):
            if not isinstance(event, told.Unsupported) and event.answer:
                yield event.answer

    patch.setattr(shuffler_intake.ShufflerIntake, "take_bytes", take_bytes)


def lock_by_arrival(patch: pytest.MonkeyPatch) -> None:
    honest = Intake._take_key

    def take_key(self: Intake, event: Any, table: Table, now: Stamp, taken: Taken) -> None:
        honest(self, replace(event, first_edge_ns=now.mono_ns), table, now, taken)

    patch.setattr(intake.Intake, "_take_key", take_key)


def snapshot_takes_late_chips(patch: pytest.MonkeyPatch) -> None:
    def presence_now(spot: SpotState, _: lock.Lock) -> ChipPresence:
        return ChipPresence.THERE if spot.present else ChipPresence.ABSENT

    patch.setattr(lock, "presence_at", presence_now)


def margin_of_honesty_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lock, "margin_ns", lambda settings, spot: 0)


def contribution_forgotten(patch: pytest.MonkeyPatch) -> None:
    honest = settle.contributions

    def all_but_the_last(playing: Any) -> Any:
        found = honest(playing)
        return found[:3]

    patch.setattr(settle, "contributions", all_but_the_last)


def award_again_on_resend(patch: pytest.MonkeyPatch) -> None:
    honest = office.Office._answer_again

    def answer_again(self: office.Office, posted: Any, origin: Any, highest: int) -> Any:
        if posted.kind == "ClaimConfirmed":
            meter = self._standing.meters[0]
            paid = meters.pay(meters.freeze(meter), 100, Code.AWARDED, whole=False, last=True)
            self._standing = replace(self._standing, meters=(paid.meter,))
        return honest(self, posted, origin, highest)

    patch.setattr(office.Office, "_answer_again", answer_again)


def letter_dropped_without_answer(patch: pytest.MonkeyPatch) -> None:
    honest = Intake.take

    def take(self: Intake, arrivals: list[Arrival], table: Table, now: Stamp, *, shuffler_waits: bool) -> Taken:
        taken = honest(self, arrivals, table, now, shuffler_waits=shuffler_waits)
        taken.facts.extend(facts.LetterAcked(now, mail.sequence) for mail in table.post.unanswered)
        return taken

    patch.setattr(intake.Intake, "take", take)


def answer_not_journaled(patch: pytest.MonkeyPatch) -> None:
    """The office's answer is received but not journaled."""
    honest = Intake._take_answer

    def take_answer(self: Intake, content: bytes, table: Table, now: Stamp, taken: Taken) -> bool:
        before = len(taken.facts)
        heard = honest(self, content, table, now, taken)
        taken.facts[before:] = [fact for fact in taken.facts[before:] if not isinstance(fact, facts.LetterAcked)]
        return heard

    patch.setattr(intake.Intake, "_take_answer", take_answer)


def void_keeps_contributions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(meters, "drop", lambda meter, stake: meters.Moved(meter, ()))


def void_is_not_told(patch: pytest.MonkeyPatch) -> None:
    def post(table: Table, letter: Any) -> Table:
        return table if type(letter).__name__ == "RoundVoidedLetter" else notices.post(table, letter)

    patch.setattr(voiding, "post", post)


def lamps_left_as_they_were(patch: pytest.MonkeyPatch) -> None:
    """The lamps are projected only every second time."""
    honest = Outward._show
    calls = [0]

    def show(self: Outward, table: Table) -> None:
        calls[0] += 1
        if calls[0] % 2:
            honest(self, table)

    patch.setattr(outward.Outward, "_show", show)


def replay_depends_on_the_day(patch: pytest.MonkeyPatch) -> None:
    honest = chips._with_burst
    calls = [0]

    def with_burst(table: Table, name: Any, burst: Any, *, clean: bool = False) -> Table:
        calls[0] += 1
        return honest(table, name, replace(burst, edge_ns=burst.edge_ns + calls[0] % 2), clean=clean)

    patch.setattr(chips, "_with_burst", with_burst)


def only_the_last_message_is_known_again(patch: pytest.MonkeyPatch) -> None:
    """A card that was overtaken is dealt again."""
    patch.setattr(reading, "REPEATS_REMEMBERED", 1)


def repeated_card_dealt_again(patch: pytest.MonkeyPatch) -> None:
    """Neither the reader nor the table recognizes a repeated message."""
    patch.setattr(ShufflerIntake, "_is_repeat", lambda self, event: False)


def boot_stops_at_the_snapshot(patch: pytest.MonkeyPatch) -> None:
    """A start uses the snapshot and ignores the records after it."""
    honest = boot._starting_point

    def starting_point(opened: Any, *more: Any) -> Any:
        table, records = honest(opened, *more)
        return table, records if opened.snapshot is None else records[:1]

    patch.setattr(boot, "_starting_point", starting_point)


def failed_sync_tried_again(patch: pytest.MonkeyPatch) -> None:
    """After a failed sync the bytes are lost, and the next sync succeeds without them."""

    def write(self: store.Store, name: str, content: bytes) -> None:
        self._disk.append(name, content)
        try:
            self._disk.sync(name)
        except DiskError:
            self._disk.sync(name)

    patch.setattr(store.Store, "_write", write)


def refused_without_a_reason(patch: pytest.MonkeyPatch) -> None:
    honest = notices.notice

    def notice(table: Table, kind: str, sentence: str) -> Table:
        return table if kind == "refused" else honest(table, kind, sentence)

    patch.setattr(chart, "notice", notice)


def cards_on_the_screen(patch: pytest.MonkeyPatch) -> None:
    honest = redacted.hands_of
    patch.setattr(redacted, "hands_of", lambda playing, role="": honest(playing, "supervisor"))


def envy_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(progressive_3_card_poker, "_give_envy", lambda one, seen, around, lines: None)


def denied_hit_keeps_its_part(patch: pytest.MonkeyPatch) -> None:
    """Without a link, the other claims of its round are paid as if this one shared with them."""
    patch.setattr(claims, "_parts", lambda table, level, sharing: max(1, len(sharing)))


def settled_twice(patch: pytest.MonkeyPatch) -> None:
    """The end of a round is reported twice."""
    honest = notices.post

    def post(table: Table, letter: Any) -> Table:
        table = honest(table, letter)
        return honest(table, letter) if type(letter).__name__ == "RoundEndedLetter" else table

    patch.setattr(settling, "post", post)


_UNSAID = ("and is now", "was durable and is gone", "F-302", "locked twice", "the tally is", "journal lost")
_FORGOTTEN = (
    "F-304", "F-303", "was counted as its", "letters were said", "left open", "the tally is", "never ended",
    "the office is alarmed", "are unanswered", "its letters",
)  # fmt: skip
_NOT_REPLAYED = ("replay", "does not start", "cannot be read", "was durable and is gone")
_LATE = ("was not there at the lock", "was there at the lock and is not recorded")

PLANTED = (
    Mistake(speak_before_write, _UNSAID),
    Mistake(order_answered_before_it_is_durable, ("were answered, the journal has",)),
    Mistake(card_acknowledged_before_it_is_durable, ("cards were acknowledged",)),
    Mistake(what_a_flood_drowned_is_acknowledged, ("cards were acknowledged",)),
    Mistake(write_without_sync, _NOT_REPLAYED),
    Mistake(keep_the_torn_tail, _NOT_REPLAYED),
    Mistake(lock_by_arrival, _LATE),
    Mistake(snapshot_takes_late_chips, _LATE),
    Mistake(margin_of_honesty_forgotten, _LATE),
    Mistake(contribution_forgotten, ("the letter says",)),
    Mistake(award_again_on_resend, ("the tally is", "not conserved"), race=True),
    Mistake(letter_dropped_without_answer, ("left open", "are missing", "never ended", "no letter tells", "no rest")),
    Mistake(answer_not_journaled, ("are unanswered",)),
    Mistake(void_keeps_contributions, ("the tally is",)),
    Mistake(void_is_not_told, ("F-303", "the tally is", "never ended", "left open")),
    Mistake(lamps_left_as_they_were, ("not what the table projects",)),
    Mistake(replay_depends_on_the_day, _NOT_REPLAYED),
    Mistake(repeated_card_dealt_again, ("recorded more often",)),
    Mistake(only_the_last_message_is_known_again, ("recorded more often",)),
    Mistake(boot_stops_at_the_snapshot, _NOT_REPLAYED),
    Mistake(failed_sync_tried_again, _NOT_REPLAYED),
    Mistake(refused_without_a_reason, ("no reason was given",)),
    Mistake(cards_on_the_screen, ("left the table in",)),
    Mistake(envy_forgotten, ("has no envy award",), race=True),
    Mistake(settled_twice, ("ended with",)),
    Mistake(denied_hit_keeps_its_part, ("share its value",), race=True, game=STAX, weather=("link cut",)),
    Mistake(at_controller.award_paid_twice, ("the tally is", "not conserved")),
    Mistake(at_controller.reserve_put_on_the_display, ("the tally is",)),
    Mistake(at_controller.fractions_of_a_cent_lost, ("the tally is",)),
    Mistake(
        at_controller.denied_claim_keeps_what_stood_behind_it,
        ("the tally is", "contradicts itself", "of known rounds wait"), race=True,
    ),
    Mistake(at_controller.bets_left_waiting_for_a_claim_that_is_gone, ("without its own round's bets",)),
    Mistake(at_controller.void_takes_back_what_others_have_bet, ("the tally is",), race=True),
    Mistake(at_controller.claims_wait_for_nobody, ("without the result of round",), race=True),
    Mistake(at_controller.every_round_comes_after_a_claim, ("that were dealt after them", "is not so"), race=True),
    Mistake(at_controller.earlier_bets_stay_behind, ("without the bets of round",), race=True),
    Mistake(at_controller.answered_before_it_is_committed, _FORGOTTEN),
    Mistake(
        at_controller.claims_ordered_by_the_clocks_of_their_tables,
        ("was valued before", "without the result of round"), race=True,
    ),
    Mistake(
        at_controller.claims_ordered_by_clocks_that_step, ("was valued before",), race=True,
        weather=("wall clock stepped",),
    ),
    Mistake(at_controller.clocks_believed_too_much, ("its card left", "was valued before"), race=True),
    Mistake(at_controller.taken_over_and_not_noticed, ("taken over",)),
    Mistake(at_controller.letters_taken_out_of_order, (*_FORGOTTEN, "contradicts itself")),
    Mistake(at_controller.partial_win_taken_twice, ("the tally is",), race=True),
    Mistake(at_controller.half_of_the_reserve_stays_behind, ("the tally is",), race=True, game=STAX),
    Mistake(at_controller.winning_bets_counted_at_once, ("the tally is",), race=True, game=STAX),
    Mistake(at_controller.cents_always_rounded_down, ("and is worth",), race=True, game=STAX),
    Mistake(at_controller.equal_parts_forgotten, ("the tally is", "and is worth"), race=True, game=STAX),
    *PLANTED_AT_TABLE,
)  # fmt: skip
