"""Bets that wait: those of rounds that were dealt after an open claim are counted for the cycle after it. Each round's
are a lot of their own, so that what comes before the next claim is told from what comes after it, and what becomes void
is taken back from where it is. The lots of a meter are its bucket. Pure: it changes a draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from felt.jackpot import meters
from felt.jackpot.draft import Draft
from felt.jackpot.meters import Meter
from felt.jackpot.order import belongs_to_next_cycle, brought_in
from felt.jackpot.standing import Lot, Origin, Round, Standing, stake_of
from felt.letters.from_table import Contribution

NOBODY_CLAIMS = "No claim is open: what waited for the next cycle is in it."
BEFORE_A_CLAIM = "These bets come before the claim that has its turn now."
LOTS_APART = 12  # of each table and meter: one that plays on while a claim is open has no end of them


def commit(draft: Draft, one: Round, raised: tuple[Meter, ...], details: tuple[str, ...] = ()) -> None:
    """The bets of a round raise meters, or their next cycle where the round came after an open claim."""
    standing, stake_minor, wagers = draft.standing, stake_of(one), len(one.contributions)
    moved, lots = [], []
    for meter in raised:
        name = meter.terms.name
        to_bucket = bool(standing.claims) and belongs_to_next_cycle(standing, draft.context, name, one)
        one_moved = meters.commit(meter, stake_minor, wagers, to_bucket)
        moved.append(one_moved)
        micro = one_moved.meter.bucket - meter.bucket
        if micro:  # at a rate of nought nothing waits
            lots.append(Lot(*one[:3], name, one.dealt, one.begun, micro))
    if any(details):
        for one_moved, detail in zip(moved, details, strict=True):
            draft.move(one_moved, detail=detail)
    else:
        draft.move_all(moved)
    for lot in lots:
        _add(draft, lot)


def bring_in(draft: Draft, name: str) -> None:
    """Bets belong to this cycle after all when the claim that they came after is gone and they do not come after
    another; also when the house has put that one first, or its hand was the first of a deal that ended later. So a
    claim always has the bets of its own round. While claims are open, each lot comes in in the name of its round,
    whoever's letter it is."""
    joining = sorted(brought_in(draft.standing, draft.context, name), key=_by_table)
    for table, own in groupby(joining, key=_TABLE):
        gone = {lot[:3] for lot in own}
        _put(draft, table, [lot for lot in draft.standing.lots.of(table) if lot.meter != name or lot[:3] not in gone])
    if all(claim.meter != name for claim in draft.standing.claims):
        draft.move(meters.bring_in(draft.meter(name), sum(lot.micro for lot in joining)), detail=NOBODY_CLAIMS)
        return
    speaking = draft.origin, draft.round
    for lot in joining:
        draft.origin, draft.round = Origin(lot.table, lot.nonce), lot.round
        draft.move(meters.bring_in(draft.meter(name), lot.micro), detail=BEFORE_A_CLAIM)
    draft.origin, draft.round = speaking


def take_off(draft: Draft, name: str, one: Round, bets: Sequence[Contribution], why: str, claim: str = "") -> None:
    """Bets of a round that had been committed, from where they were counted."""
    rates = next(rate for rate in one.rates if rate.meter == name)
    stake_minor, lot = sum(bet.stake_minor for bet in bets), _lot_of(draft.standing, one, name)
    if lot is None:
        draft.move(meters.correct(draft.meter(name), stake_minor, len(bets), rates), claim, why)
        return
    moved = meters.correct(draft.meter(name), stake_minor, len(bets), rates, waiting=lot.micro)
    left = lot._replace(micro=lot.micro + moved.meter.bucket - draft.meter(name).bucket)
    draft.move(moved, claim, why)
    # One of which nothing is left stays known as long as its round has bets: they are not on the display.
    _exchange(draft, lot, (left,) if len(bets) < len(one.contributions) else ())


def draw_from_lots(draft: Draft, name: str, micro: int) -> None:
    """An award was paid from what waits: the tables in the order of their names, the last first."""
    waiting = sorted((lot for lot in draft.standing.lots if lot.meter == name), key=_by_table, reverse=True)
    for lot in waiting:
        part = min(micro, lot.micro)
        if part:
            micro -= part
            _exchange(draft, lot, (lot._replace(micro=lot.micro - part),))


def _lot_of(standing: Standing, one: Round, name: str) -> Lot | None:
    return next((lot for lot in standing.lots.of(one.table) if (*lot[:3], lot.meter) == (*one[:3], name)), None)


def _exchange(draft: Draft, lot: Lot, changed: tuple[Lot, ...]) -> None:
    _put(draft, lot.table, [*(one for one in draft.standing.lots.of(lot.table) if one != lot), *changed])


def _add(draft: Draft, lot: Lot) -> None:
    """Of those of one table and meter, the oldest become one, which is as late as the latest of them. A round that may
    still speak, because a void or a claim can come of it, keeps its own."""
    own = [*draft.standing.lots.of(lot.table), lot]
    known = [one[:3] for one in draft.standing.rounds.of(lot.table)]
    silent = sorted((one for one in own if one.meter == lot.meter and one[:3] not in known), key=_by_table)
    apart = sum(one.meter == lot.meter for one in own)
    joined = silent[: apart - LOTS_APART + 1] if apart > LOTS_APART else []
    if len(joined) > 1:
        both = joined[-1]._replace(micro=sum(one.micro for one in joined))
        own = [*(one for one in own if one not in joined), both]
    _put(draft, lot.table, own)


def _put(draft: Draft, table: str, lots: Iterable[Lot]) -> None:
    kept = tuple(sorted(lots, key=_by_table))
    draft.standing = draft.standing._replace(lots=draft.standing.lots.put(table, kept))


def _by_table(lot: Lot) -> tuple[str, int, int, str]:
    """And in the order of its deals."""
    return lot.table, lot.begun, lot.round, lot.meter


_TABLE = attrgetter("table")
