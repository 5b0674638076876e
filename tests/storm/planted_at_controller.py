"""Possible mistakes at the jackpot controller, planted one at a time: in its arithmetic, in the order of claims, and in
what it stores before it answers."""

from __future__ import annotations

from typing import Any

import pytest

from felt.jackpot.books import clocks, hits, order, queue, receiving, standing
from felt.jackpot.books import meter as meters
from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.draft import Draft
from felt.jackpot.books.terms import FractionalCent, PartialWin
from felt.jackpot.controller import daemon, office
from felt.nouns import money
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace


def award_paid_twice(patch: pytest.MonkeyPatch) -> None:
    honest = meters.pay

    def pay(meter: meters.Meter, award_minor: int, code: Code, *, whole: bool, last: bool) -> meters.Moved:
        micro = award_minor * money.MICRO_PER_MINOR
        if meter.display > 2 * micro:
            posting = meters._Posting(meter)
            posting.post(code, Account.DISPLAY, Account.WINNERS, micro)
            meter = posting.meter
        return honest(meter, award_minor, code, whole=whole, last=last)

    patch.setattr(meters, "pay", pay)


def reserve_put_on_the_display(patch: pytest.MonkeyPatch) -> None:
    honest = meters.commit

    def commit(meter: meters.Meter, *how: Any, **where: Any) -> meters.Moved:
        plain = replace(meter, terms=replace(meter.terms, reserve_bp=0))
        moved = honest(plain, *how, **where)
        return replace(moved, meter=replace(moved.meter, terms=meter.terms))

    patch.setattr(meters, "commit", commit)


def fractions_of_a_cent_lost(patch: pytest.MonkeyPatch) -> None:
    honest = money.growth_micro
    patch.setattr(meters, "growth_micro", lambda stake, rate_bp: honest(stake, rate_bp) // 7 * 7)


def denied_claim_keeps_what_stood_behind_it(patch: pytest.MonkeyPatch) -> None:
    """The bets behind it are forgotten, and stay in their account."""

    def move_up(meter: meters.Meter, _: int) -> meters.Moved:
        return meters.Moved(meter)

    patch.setattr(meters, "move_up", move_up)


def void_takes_back_what_others_have_bet(patch: pytest.MonkeyPatch) -> None:
    """The bets leave the display even after an award, so the bets of the next cycle make it good."""
    honest = meters.take_back

    def take_back(meter: meters.Meter, share: meters.Share, *how: Any, **where: Any) -> meters.Moved:
        return honest(meter, replace(share, stretch=meter.stretch), *how, **where)

    patch.setattr(meters, "take_back", take_back)


def claims_wait_for_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(hits, "waits", lambda *_: False)


def every_round_comes_after_a_claim(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(queue, "stands_behind", lambda *_: True)


def earlier_bets_stay_behind(patch: pytest.MonkeyPatch) -> None:
    """A claim moves up the bets of its own round only."""
    honest = order.not_behind

    def own_bets(known: standing.Standing, context: Any, meter: str) -> list[standing.Bets]:
        rounds = [claim.round_key for claim in known.claims if claim.meter == meter]
        return [bets for bets in honest(known, context, meter) if not rounds or bets.round_key in rounds]

    patch.setattr(queue, "not_behind", own_bets)


def answered_before_it_is_committed(patch: pytest.MonkeyPatch) -> None:
    """A batch is answered at once and written with the next batch."""
    honest = office.Office._flush
    late: dict[office.Office, bool] = {}

    def flush(self: office.Office) -> None:
        if self._staged.letters and not late.get(self):
            late[self] = True
            return
        late[self] = False
        honest(self)

    patch.setattr(office.Office, "_flush", flush)


def claims_ordered_by_the_clocks_of_their_tables(patch: pytest.MonkeyPatch) -> None:
    """Treats all tables as if they had the same clock."""

    def order_of(one: clocks.Moment, other: clocks.Moment) -> clocks.Order:
        return clocks.Order.BEFORE if one.mono_ns < other.mono_ns else clocks.Order.AFTER

    patch.setattr(order, "order_of", order_of)


def claims_ordered_by_clocks_that_step(patch: pytest.MonkeyPatch) -> None:
    """Dates a hand by the wall clock of its table, which a person may set."""
    honest_stamp, honest_made = receiving.stamp_of, hits._made
    latest = [Stamp("", 0, 0)]

    def stamp_of(letter: Any) -> Stamp:
        latest[0] = honest_stamp(letter)
        return latest[0]

    def made(draft: Any, played: Any, claim: Any) -> Any:
        by_wall = clocks.Moment("wall", claim.dealt_ns + latest[0].wall_ns - latest[0].mono_ns)
        return replace(honest_made(draft, played, claim), moment=by_wall, table_moment=by_wall)

    patch.setattr(receiving, "stamp_of", stamp_of)
    patch.setattr(hits, "_made", made)


def clocks_believed_too_much(patch: pytest.MonkeyPatch) -> None:
    """Ignores drift and message delay: each interval shrinks to its middle."""
    honest = clocks.interval_of

    def interval_of(*parts: Any) -> clocks.Interval | None:
        found = honest(*parts)
        return None if found is None else clocks.Interval(found.high_ns, found.high_ns)

    patch.setattr(clocks, "interval_of", interval_of)


def taken_over_and_not_noticed(patch: pytest.MonkeyPatch) -> None:
    """A controller that publishes its sign before it checks that it still leads."""
    honest = daemon.Daemon.turn

    def turn(self: daemon.Daemon, wait_s: float) -> None:
        for message in self._exchange.sign(self._wall_ms(), again=True):
            self._broker.publish(message.topic, message.content, retain=message.retain)
        honest(self, wait_s)

    patch.setattr(daemon.Daemon, "turn", turn)


def letters_taken_out_of_order(patch: pytest.MonkeyPatch) -> None:
    """Gaps in the sequence are ignored, so a lost letter is never requested again."""
    honest = office.Office._receive_letter

    def receive(self: office.Office, posted: Any, context: Any) -> Any:
        journal = standing.journal_of(self._standing, standing.Origin(posted.table, posted.nonce))
        if posted.sequence > journal.highest + 1:
            skipped = replace(journal, highest=posted.sequence - 1)
            self._standing = standing.with_journal(self._standing, skipped)
        return honest(self, posted, context)

    patch.setattr(office.Office, "_receive_letter", receive)


# --- by a reading ------------------------------------------------------------------------------------


def partial_win_taken_twice(patch: pytest.MonkeyPatch) -> None:
    """After a partial win the house takes the same amount again, while the books still agree with themselves."""
    honest = meters.pay

    def pay(meter: meters.Meter, award_minor: int, code: Code, *, whole: bool, last: bool) -> meters.Moved:
        paid = honest(meter, award_minor, code, whole=whole, last=last)
        once_more = min(paid.meter.display, award_minor * money.MICRO_PER_MINOR)
        taken = meters.adjust(paid.meter, Account.DISPLAY, -once_more, Code.ADJUSTED)
        return paid if whole else meters.Moved(taken.meter, (*paid.transfers, *taken.transfers))

    patch.setattr(meters, "pay", pay)


def half_of_the_reserve_stays_behind(patch: pytest.MonkeyPatch) -> None:
    """By one reading a hit adds the whole reserve to the reset value."""
    honest = meters._Posting.raise_display

    def raise_display(self: meters._Posting, code: Code, source: Account, micro: int) -> int:
        return honest(self, code, source, micro // 2 if source is Account.RESERVE else micro)

    patch.setattr(meters._Posting, "raise_display", raise_display)


def partial_win_sweeps_nothing(patch: pytest.MonkeyPatch) -> None:
    """By one reading what a partial win leaves goes to the reserve."""
    honest = meters._after_win

    def after_win(posting: meters._Posting, *, whole: bool) -> None:
        if not whole and posting.meter.terms.partial_win_meter is PartialWin.RESET:
            posting.begin_cycle()
        else:
            honest(posting, whole=whole)

    patch.setattr(meters, "_after_win", after_win)


def winning_bets_counted_at_once(patch: pytest.MonkeyPatch) -> None:
    """By some readings the contributions of a claiming round wait for its claims."""
    patch.setattr(hits, "meters_that_wait", lambda draft, made: ())


def cents_always_rounded_down(patch: pytest.MonkeyPatch) -> None:
    honest = meters.award_of

    def award_of(value_micro: int, num: int, den: int, _: FractionalCent = FractionalCent.DOWN) -> int:
        return honest(value_micro, num, den)

    patch.setattr(meters, "award_of", award_of)


def equal_parts_forgotten(patch: pytest.MonkeyPatch) -> None:
    """By one reading all hits of one level in one round share its value."""
    patch.setattr(hits, "meters_that_split", lambda draft, made: ())


# --- whose turn it is --------------------------------------------------------------------------------


def bets_left_waiting_for_a_claim_that_is_gone(patch: pytest.MonkeyPatch) -> None:
    """When a claim ends, later contributions stay behind although they belong to another claim."""

    honest = queue.move_up

    def move_up(draft: Draft, name: str) -> None:
        if all(claim.meter != name for claim in draft.standing.claims):
            honest(draft, name)

    patch.setattr(queue, "move_up", move_up)
