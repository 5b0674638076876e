"""The bets around the hits of a meter. Those of a round that was dealt later than the hit whose turn it is stand behind
it; all others are settled. When a hit has gone, the bets between it and the next one move up. Pure: it changes a
draft."""

from __future__ import annotations

from collections.abc import Sequence

from felt.jackpot.books import meter as meters
from felt.jackpot.books.draft import Draft
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.order import not_behind, stands_behind
from felt.jackpot.books.standing import Bets, BetsKey, Round, round_of, with_bets, with_round, without_bets
from felt.letters.from_table import Contribution
from felt.nouns.values import replace


def commit(draft: Draft, played: Round, meter: Meter, detail: str = "") -> Round:
    """The bets of a round come onto a meter, or stand behind its hits; the round with how they were counted."""
    share = meters.share_of(meter)
    bets = Bets(
        played.table, played.nonce, played.number, meter.name, played.dealt, played.begun,
        meters.rise_of(share, played.stake),
    )  # fmt: skip
    behind = bool(draft.standing.claims) and stands_behind(draft.standing, draft.context, meter.name, bets)
    draft.move(meters.commit(meter, played.stake, len(played.contributions), behind=behind), detail=detail)
    if behind and bets.micro:  # at a rate of nought nothing waits
        draft.standing = with_bets(draft.standing, bets)
    counted = replace(played, shares=(*played.shares, share))
    draft.standing = with_round(draft.standing, counted)
    return counted


def move_up(draft: Draft, name: str) -> None:
    """Bets that come after no hit any more whose turn it is are settled, each in the name of its round. So a hit
    always has the bets of its own round."""
    joining = sorted(not_behind(draft.standing, draft.context, name), key=_in_the_order_of_deals)
    if not joining:
        return
    draft.standing = without_bets(draft.standing, {bets.key for bets in joining})
    speaking = draft.round_key
    for bets in joining:
        draft.speak_of(bets.round_key)
        draft.move(meters.move_up(draft.meter(name), bets.micro))
        _settle(draft, bets)
    draft.speak_of(speaking)


def _settle(draft: Draft, bets: Bets) -> None:
    played = round_of(draft.standing, bets.round_key)
    if played is not None:
        stretch = draft.meter(bets.meter).stretch
        shares = tuple(
            replace(share, stretch=stretch) if share.meter == bets.meter else share for share in played.shares
        )
        draft.standing = with_round(draft.standing, replace(played, shares=shares))


def take_off(draft: Draft, name: str, played: Round, bets: Sequence[Contribution], why: str, claim: str = "") -> None:
    """Bets of a round that had been counted, from where they are."""
    share = next(share for share in played.shares if share.meter == name)
    behind = draft.standing.bets.get(BetsKey(played.key, name))
    meter, stake_minor = draft.meter(name), sum(bet.stake_minor for bet in bets)
    waiting = None if behind is None else behind.micro
    moved = meters.take_back(meter, share, stake_minor, len(bets), waiting=waiting)
    draft.move(moved, claim, why)
    if behind is not None:
        left = behind.micro - (meter.waiting - moved.meter.waiting)
        draft.standing = without_bets(draft.standing, {behind.key})
        if len(bets) < len(played.contributions):
            draft.standing = with_bets(draft.standing, replace(behind, micro=left))


def _in_the_order_of_deals(bets: Bets) -> tuple[str, int, int]:
    return bets.table, bets.begun, bets.number
