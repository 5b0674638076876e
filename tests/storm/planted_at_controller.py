"""Possible mistakes at the jackpot controller, planted one at a time: in its arithmetic, in the order of claims, and in
what it stores before it answers."""

from __future__ import annotations

from typing import Any

import pytest

from felt.jackpot import claims, clocks, daemon, meters, next_cycle, office, order, receiving, standing
from felt.jackpot.draft import Draft
from felt.jackpot.ledger import Finish
from felt.jackpot.staged import no_wait
from felt.jackpot.terms import FractionalCent
from felt.nouns import money
from felt.nouns.stamps import Stamp


def award_paid_twice(patch: pytest.MonkeyPatch) -> None:
    honest = meters.pay

    def pay(meter: meters.Meter, award_minor: int, *how: Any) -> meters.Moved:
        paid = honest(meter, award_minor, *how)
        return honest(paid.meter, award_minor, *how) if paid.meter.display > 2 * award_minor else paid

    patch.setattr(meters, "pay", pay)


def reserve_put_on_the_display(patch: pytest.MonkeyPatch) -> None:
    honest = meters.commit

    def commit(meter: meters.Meter, stake_minor: int, wagers: int, to_bucket: bool) -> meters.Moved:
        plain = meter._replace(terms=meter.terms._replace(reserve_bp=0))
        moved = honest(plain, stake_minor, wagers, to_bucket)
        return meters.Moved(moved.meter._replace(terms=meter.terms), moved.movements)

    patch.setattr(meters, "commit", commit)


def fractions_of_a_cent_lost(patch: pytest.MonkeyPatch) -> None:
    honest = money.growth_micro
    patch.setattr(meters, "growth_micro", lambda stake, rate_bp: honest(stake, rate_bp) // 7 * 7)


def denied_claim_empties_the_bucket(patch: pytest.MonkeyPatch) -> None:
    def bring_in(meter: meters.Meter, micro: int) -> meters.Moved:
        return meters.Moved(meter._replace(bucket=meter.bucket - micro), ())

    patch.setattr(meters, "bring_in", bring_in)


def void_takes_back_what_others_have_bet(patch: pytest.MonkeyPatch) -> None:
    """The latest contribution is removed first, whoever made it."""
    honest = next_cycle._lot_of

    def lot_of(known: standing.Standing, one: standing.Round, name: str) -> standing.Lot | None:
        return honest(known, one, name) or next((lot for lot in known.lots if lot.meter == name), None)

    patch.setattr(next_cycle, "_lot_of", lot_of)


def claims_wait_for_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(claims, "waits", lambda *_: False)


def every_round_comes_after_a_claim(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(next_cycle, "belongs_to_next_cycle", lambda *_: True)


def earlier_bets_stay_in_the_next_cycle(patch: pytest.MonkeyPatch) -> None:
    """A claim commits the contributions of its own round only."""
    honest = order.brought_in

    def own_bets(known: standing.Standing, context: Any, meter: str) -> list[standing.Lot]:
        rounds = [claim[:3] for claim in known.claims if claim.meter == meter]
        return [lot for lot in honest(known, context, meter) if not rounds or lot[:3] in rounds]

    patch.setattr(next_cycle, "brought_in", own_bets)


def answered_before_it_is_committed(patch: pytest.MonkeyPatch) -> None:
    """A batch is answered at once and written with the next batch."""
    honest = office.Office._flush
    late: dict[office.Office, bool] = {}

    def flush(self: office.Office, *, aside: bool = False) -> Finish:
        if self._staged.letters and not late.get(self):
            late[self] = True
            return no_wait
        late[self] = False
        return honest(self, aside=aside)

    patch.setattr(office.Office, "_flush", flush)


def claims_ordered_by_the_clocks_of_their_tables(patch: pytest.MonkeyPatch) -> None:
    """Treats all tables as if they had the same clock."""

    def order_of(one: clocks.Moment, other: clocks.Moment) -> clocks.Order:
        return clocks.Order.BEFORE if one.mono_ns < other.mono_ns else clocks.Order.AFTER

    patch.setattr(order, "order_of", order_of)


def claims_ordered_by_clocks_that_step(patch: pytest.MonkeyPatch) -> None:
    """Dates a hand by the wall clock of its table, which a person may set."""
    honest_stamp, honest_made = receiving.stamp_of, claims._made
    latest = [Stamp("", 0, 0)]

    def stamp_of(letter: Any) -> Stamp:
        latest[0] = honest_stamp(letter)
        return latest[0]

    def made(draft: Any, one: Any, claim: Any) -> Any:
        found, detail = honest_made(draft, one, claim)
        by_wall = clocks.Moment("wall", claim.dealt_ns + latest[0].wall_ns - latest[0].mono_ns)
        return found._replace(moment=by_wall, table_moment=by_wall), detail

    patch.setattr(receiving, "stamp_of", stamp_of)
    patch.setattr(claims, "_made", made)


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
        for topic, content, retain in self._exchange.sign(self._wall_ms(), again=True):
            self._broker.publish(topic, content, retain=retain)
        honest(self, wait_s)

    patch.setattr(daemon.Daemon, "turn", turn)


def letters_taken_out_of_order(patch: pytest.MonkeyPatch) -> None:
    """Gaps in the sequence are ignored, so a lost letter is never requested again."""
    honest = office.Office._receive_letter

    def receive(self: office.Office, posted: Any, context: Any) -> Any:
        origin = standing.Origin(posted.table, posted.nonce)
        journal = standing.journal_of(self._standing, origin)
        if posted.sequence > journal.highest + 1:
            self._standing = standing.with_journal(self._standing, journal._replace(highest=posted.sequence - 1))
        return honest(self, posted, context)

    patch.setattr(office.Office, "_receive_letter", receive)


# --- by a reading ------------------------------------------------------------------------------------


def partial_win_taken_twice(patch: pytest.MonkeyPatch) -> None:
    """After a partial win the house takes the same amount again, while the books still agree with themselves."""
    honest = meters.pay

    def pay(meter: meters.Meter, award_minor: int, whole: bool, *how: Any) -> meters.Moved:
        paid = honest(meter, award_minor, whole, *how)
        once_more = min(paid.meter.display, award_minor * money.MICRO_PER_MINOR)
        taken = ((meters.Kind.SEED, meters.Account.DISPLAY, -once_more),)
        return paid if whole else meters._then(paid, taken)

    patch.setattr(meters, "pay", pay)


def half_of_the_reserve_stays_behind(patch: pytest.MonkeyPatch) -> None:
    """By one reading a hit adds the whole reserve to the reset value."""
    honest = meters._folded

    def folded(meter: meters.Meter, source: meters.Account) -> tuple[meters.Movement, ...]:
        if source is meters.Account.RESERVE:
            meter = meter._replace(reserve=meter.reserve // 2)
        return honest(meter, source)

    patch.setattr(meters, "_folded", folded)


def winning_bets_counted_at_once(patch: pytest.MonkeyPatch) -> None:
    """By some readings the contributions of a claiming round wait for its claims."""
    patch.setattr(claims, "meters_that_wait", lambda draft, made: ())


def cents_always_rounded_down(patch: pytest.MonkeyPatch) -> None:
    honest = meters.award_of

    def award_of(value_micro: int, num: int, den: int, _: FractionalCent = FractionalCent.DOWN) -> int:
        return honest(value_micro, num, den)

    patch.setattr(meters, "award_of", award_of)


def equal_parts_forgotten(patch: pytest.MonkeyPatch) -> None:
    """By one reading all hits of one level in one round share its value."""
    patch.setattr(claims, "hits_share_equally", lambda draft, name: False)


# --- whose turn it is --------------------------------------------------------------------------------


def bets_left_waiting_for_a_claim_that_is_gone(patch: pytest.MonkeyPatch) -> None:
    """When a claim ends, later contributions stay in the next cycle although they belong to another claim."""

    honest = next_cycle.bring_in

    def bring_in(draft: Draft, name: str) -> None:
        if all(claim.meter != name for claim in draft.standing.claims):
            honest(draft, name)

    patch.setattr(claims, "bring_in", bring_in)
