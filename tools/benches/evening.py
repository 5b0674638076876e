"""A recorded evening to measure with: whole rounds at a full table, played in virtual time through the production
service, and the journal of them."""

from __future__ import annotations

import random
from typing import NamedTuple

from felt.journal.reading import read_records
from felt.nouns.cards import INDEX_OF
from felt.ports import Disk
from felt.rules import hands
from felt.stories.evening import Evening
from felt.table import deal, settle
from felt.table.facts import Fact, decode
from felt.table.state import Phase
from felt.virtual.shuffler import ShufflerDevice

ROUNDS = 60
SUPERVISOR = "bench"
QUEEN_SIX_FOUR = hands.three_card_rank(*(INDEX_OF[card] for card in ("Qs", "6h", "4d")))


class Recorded(NamedTuple):
    disk: Disk
    facts: tuple[Fact, ...]
    rounds: int


def record(rounds: int = ROUNDS, seed: int = 7) -> Recorded:
    evening = Evening(seed, device=ShufflerDevice(random.Random(seed), packets=True))
    evening.advance(1500)  # the jackpot controller has answered
    evening.order("TableOpened", person=SUPERVISOR)
    for _ in range(rounds):
        _play_round(evening)
    written = tuple(decode(record.payload) for record in read_records(evening.disk))
    return Recorded(evening.disk, written, rounds)


def _play_round(evening: Evening) -> None:
    evening.press("open")
    spots = _bet(evening)
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    evening.press("collect")
    evening.deal()
    evening.until(lambda: evening.phase is Phase.DECIDING)
    evening.press("cards_seen")
    for mode in ("play", "fold"):
        undecided = settle.undecided_seats(evening.table)
        seats = [seat for seat in undecided if mode == "fold" or _is_worth_it(evening, seat)]
        if seats:
            evening.press(mode)
        for seat in seats:
            evening.press(f"seat_{seat}")
    evening.press("reveal")
    evening.press("settle")
    while (claim := settle.claim_in_hand(evening.table)) is not None:
        evening.until(lambda: evening.phase is Phase.VERIFYING)
        evening.order("ClaimConfirmed", claim=claim.claim, person=SUPERVISOR)
    for spot in spots:
        evening.chip(spot, False)
    evening.advance(100)
    evening.press("settle")
    evening.until(lambda: evening.phase is Phase.IDLE)


def _bet(evening: Evening) -> list[str]:
    """Five boxes in seven have an ante, and most of them the other bets too. One amount in two is known."""
    chance = evening.chance
    boxes = sorted(chance.sample(range(1, 8), 5))
    spots = [f"{seat}.ante" for seat in boxes]
    spots += [f"{seat}.{kind}" for seat in boxes for kind in ("pair_plus", "progressive") if chance.randrange(3)]
    for spot in spots:
        evening.chip(spot)
        evening.advance(chance.randrange(40, 400))
    for seat in boxes:
        if chance.randrange(2):
            evening.order("BetKeyed", spot=f"{seat}.ante", amount_minor=2500, person=SUPERVISOR)
    return spots


def _is_worth_it(evening: Evening, seat: int) -> bool:
    cards = deal.hand_of(settle.round_of(evening.table), str(seat))
    return hands.three_card_rank(*(INDEX_OF[card] for card in cards)) >= QUEEN_SIX_FOUR
