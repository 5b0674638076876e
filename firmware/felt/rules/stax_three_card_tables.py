"""What the Stax book prints as figures, and the readings of what it leaves open. Data only."""

from __future__ import annotations

from felt.rules.irregularities import FOR_BOOKS_WITHOUT_ANY
from felt.rules.rulebook import PayTable, PrintedMeter, Reading, share_of, to

EVEN_MONEY = to(1)
ANTE_AND_PLAY = PayTable("ante", "", "Pay tables", (("ante", EVEN_MONEY), ("play", EVEN_MONEY)))
ANTE_BONUS = PayTable(
    "ante_bonus", "", "Table 1", (("straight_flush", to(5)), ("three_of_a_kind", to(4)), ("straight", to(1)))
)


def _columns(bet: str, paragraph: str, rows: tuple[tuple[str, tuple[int | None, ...]], ...]) -> tuple[PayTable, ...]:
    """A printed table with columns A, B and C as three pay tables; N/A is a row that is not there."""
    return tuple(
        PayTable(
            bet, letter, paragraph, tuple((hand, to(odds)) for hand, all_odds in rows if (odds := all_odds[column]))
        )
        for column, letter in enumerate("ABC")
    )


PLAYER_BONUS = _columns(
    "player_bonus",
    "Table 2",
    (
        ("mini_royal", (50, 50, 40)),
        ("straight_flush", (40, 40, 40)),
        ("three_of_a_kind", (30, 30, 30)),
        ("straight", (6, 5, 6)),
        ("flush", (3, 4, 3)),
        ("pair", (1, 1, 1)),
    ),
)
SIX_CARD_BOUNTY = _columns(
    "six_card_bounty",
    "Table 3",
    (
        ("six_card_royal", (20_000, None, None)),
        ("royal_flush", (1_000, 1_000, 1_000)),
        ("straight_flush", (200, 200, 200)),
        ("four_of_a_kind", (50, 100, 100)),
        ("full_house", (20, 20, 20)),
        ("flush", (15, 15, 15)),
        ("straight", (10, 9, 10)),
        ("three_of_a_kind", (5, 8, 7)),
    ),
)
STAX = PayTable(
    "progressive",
    "",
    "Table 4",
    (
        ("royal_flush_diamonds", share_of("star", 100)),
        ("royal_flush", share_of("spade", 100)),
        ("straight_flush_diamonds", share_of("heart", 100)),
        ("straight_flush", share_of("diamond", 100)),
        ("three_of_a_kind", to(20)),
        ("straight", to(6)),
        ("flush", to(3)),
    ),
)
PRINTED_TERMS = Reading(
    "printed_progressive_terms",
    "as_printed",
    ("other_approval",),
    "Table 5",
    "Whether resets and rates are those printed, or those of another approval that the table file names.",
)
READINGS = (
    Reading(
        "winning_clauses",
        "rules_of_play",
        ("clauses_a_b",),
        "Winning (a), (b)",
        "Whether Ante and Play follow the rules of play or the two clauses that contradict them.",
    ),
    Reading(
        "stax_hand", "player_three", ("best_five_of_six",), "Table 4", "Which cards the Stax progressives look at."
    ),
    Reading("stax_on_fold", "live", ("forfeit",), "Table 4", "Whether a Stax bet survives a fold."),
    Reading(
        "stax_stake_on_meter_win",
        "returned",
        ("kept",),
        "Table 4",
        "Whether the stake of a Stax bet that wins a meter goes back.",
    ),
    Reading(
        "same_level_hits",
        "in_deal_order",
        ("split_equally",),
        "Table 4",
        "How two hits of one level in one round are paid.",
    ),
    Reading("reserve_on_hit", "kept_apart", ("added_to_reset",), "Table 5", "What a hit does with the reserve."),
    Reading(
        "increment_timing",
        "before_settlement",
        ("after_settlement",),
        "Table 5",
        "Whether a round's own bets raise the meters before they pay.",
    ),
    Reading(
        "ante_bonus_on_fold",
        "none",
        ("paid",),
        "Rules of play ¶7",
        "Whether a folded straight or better still earns the Ante Bonus.",
    ),
    Reading(
        "fractional_cent",
        "down",
        ("nearest",),
        "Table 5",
        "How an award that is not whole in the smallest unit is rounded.",
    ),
    Reading(
        "play_mismatch",
        "lesser",
        ("play_stands",),
        "Rules of play ¶3",
        "How a Play wager unequal to the Ante is settled.",
    ),
    PRINTED_TERMS,
    *FOR_BOOKS_WITHOUT_ANY,
)

# Table 5: reset value and increment rate of each level.
PRINTED_METERS = (
    PrintedMeter("star", 1_000, 500),
    PrintedMeter("spade", 500, 500),
    PrintedMeter("heart", 400, 700),
    PrintedMeter("diamond", 250, 600),
)
