"""What the Californian book prints as figures, and the readings of what it leaves open. Data only."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.irregularities import ENVY_AFTER_DENIAL, FOR_BOOKS_WITHOUT_ANY, PRESUMED_ANTE_OF_A_CARD_ROOM
from felt.rules.rulebook import PayTable, Reading, share_of, sum_of, to

EVEN_MONEY = to(1)
ANTE_AND_PLAY = PayTable("ante", "", "Playing ¶3, ¶4", (("ante", EVEN_MONEY), ("play", EVEN_MONEY)))
PROGRESSIVE = PayTable(
    "progressive", "", "Progressive ¶1", (("royal_flush", share_of("major", 100)), ("mini_royal", sum_of(2_500)))
)
ROYAL, MINI_ROYAL = (odds for _, odds in PROGRESSIVE.rows)
SIX_CARD_BONUS_TOP_UNITS = 100
PROGRESSIVE_STAKE_UNITS = 1

READINGS = (
    Reading(
        "nonqualify_lower_hand",
        "ante_loses",
        ("ante_returned",),
        "Playing ¶5",
        "What becomes of the Ante when a dealer who does not qualify has the better hand.",
    ),
    Reading(
        "tie_break",
        "poker",
        ("highest_card",),
        "Rank of hands, last ¶",
        "Whether hands of one rank are compared as in poker or by their highest card.",
    ),
    Reading("ace_low_straight", "yes", ("no",), "Rank of hands ¶4", "Whether 3-2-A is a straight."),
    Reading(
        "progressive_on_fold", "live", ("forfeit",), "Playing ¶2", "Whether a progressive bet survives a fold."
    ),
    Reading(
        "both_royals",
        "five_card_only",
        ("both",),
        "Progressive ¶1",
        "What a mini-royal that is also part of a five-card royal is paid.",
    ),
    Reading(
        "progressive_stake_on_win",
        "kept",
        ("returned",),
        "Progressive ¶1",
        "Whether the stake of a winning progressive bet goes back as well.",
    ),
    Reading(
        "envy_achiever_needs_bet",
        "no",
        ("yes",),
        "Progressive ¶1",
        "Whether a mini-royal gives envy only with a progressive bet of its own.",
    ),
    Reading(
        "envy_folded_boxes",
        "count",
        ("excluded",),
        "Progressive ¶1",
        "Whether folded boxes give and receive envy.",
    ),
    replace(ENVY_AFTER_DENIAL, paragraph="Progressive ¶1"),
    Reading(
        "pair_plus_over_ante",
        "excess_returned",
        ("stands",),
        "Playing ¶1",
        "What becomes of a Pair Plus larger than the Ante.",
    ),
    Reading(
        "play_mismatch", "lesser", ("play_stands",), "Playing ¶2", "How a Play bet unequal to the Ante is settled."
    ),
    Reading(
        "fractional_cent",
        "down",
        ("nearest",),
        "Progressive ¶1",
        "How an award that is not whole in the smallest unit is rounded.",
    ),
    PRESUMED_ANTE_OF_A_CARD_ROOM,
    *FOR_BOOKS_WITHOUT_ANY,
)
