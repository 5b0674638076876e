"""Readings about interruptions and irregularities that several games share. They decide what the table proposes; the
settlement only sees a void round or an invalidated box."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.rulebook import Reading

_EVERY_GAME = (
    Reading(
        "outcome_established_by",
        "acts_and_revealed_cards",
        ("cards_known_to_machine",),
        "5.7",
        "What makes a bet conclusively won or lost when a round is interrupted.",
    ),
    Reading(
        "power_cut_in_betting", "resume", ("void",), "5.7", "Whether betting goes on after a power cut before the lock."
    ),
    Reading(
        "void_window",
        "until_next_open",
        ("until_end_round",),
        "5.8.7",
        "How long a misdeal can still void a round or a hand.",
    ),
    Reading(
        "options_after_simultaneous",
        "continue_or_return",
        ("reconstructed_or_return",),
        "5.14.1",
        "What players may choose after two cards were drawn at once.",
    ),
    Reading(
        "card_before_lock",
        "misdeal_void_offered",
        ("card_removed",),
        "5.11",
        "What is offered when a card comes while bets are open.",
    ),
    Reading(
        "void_after_reveal",
        "shift_manager",
        ("supervisor",),
        "5.23",
        "Who voids a round after the reveal with which nothing is wrong.",
    ),
    Reading(
        "return_without_error",
        "shift_manager",
        ("supervisor",),
        "5.23",
        "Who returns the bets of a box where no error was declared.",
    ),
    Reading(
        "uncovered_correction",
        "shift_manager",
        ("supervisor",),
        "5.23",
        "Who records a correction that no paragraph covers.",
    ),
)
_PROGRESSIVE = (
    Reading(
        "power_cut_after_cards_seen",
        "void_5_7",
        ("continue_5_17",),
        "5.7",
        "Whether a power cut after cards were seen is a technical interruption or a failed progressive.",
    ),
    Reading(
        "failure_while_betting",
        "void_5_16",
        ("spots_closed",),
        "5.16",
        "What a coin spot that fails does to a round whose bets are still open.",
    ),
    Reading(
        "link_lost_in_betting",
        "coin_spots_close_at_once",
        ("void_5_16",),
        "5.16",
        "What a lost link with the jackpot controller does to a round whose bets are still open.",
    ),
    Reading(
        "one_spot_dead_after_lock",
        "void_5_16",
        ("only_if_bet_there",),
        "5.16",
        "Whether one dead coin spot voids the round for all.",
    ),
    Reading(
        "registered_value",
        "at_lock",
        ("with_own_contribution",),
        "5.17.1",
        "Which meter value counts as registered before a malfunction.",
    ),
    Reading(
        "dealt_incorrectly",
        "particular_rule",
        ("void_5_8_6",),
        "5.8.6",
        "Whether a misdeal with a remedy of its own is void all the same.",
    ),
    Reading(
        "exposed_one_by_one",
        "counts_together",
        ("each_alone",),
        "5.8.2",
        "Whether cards that are exposed one after the other in one round count as several.",
    ),
    Reading(
        "affected_by_a_card",
        "its_box",
        ("everybody",),
        "5.10",
        "Who is affected by an exposed or misplaced card.",
    ),
    Reading(
        "time_of_a_hand",
        "own_third_card",
        ("hand_complete_with_community",),
        "4.9.1",
        "The moment at which a hand counts as dealt.",
    ),
    Reading(
        "majors_across_tables",
        "by_time_of_each_hand",
        ("tables_together",),
        "4.9.1",
        "Whether majors on several tables are paid hand by hand or table by table.",
    ),
    Reading(
        "house_order_against_evidence",
        "accepted_and_flagged",
        ("refused",),
        "4.9.1",
        "What happens when the house's order of payment contradicts the record.",
    ),
    Reading(
        "void_after_award",
        "house_makes_good",
        ("take_back_what_is_left",),
        "5.21",
        "What gives back the contributions of bets that become void after an award: the house or the meter.",
    ),
    Reading(
        "terms_take_effect",
        "next_cycle",
        ("at_clear_only",),
        "1.15",
        "When changed terms of a meter come into force: with the next cycle's seed or after a clear.",
    ),
)
_PRESUMED_ANTE = Reading(
    "presumed_ante",
    "only_where_none_is_sensed_or_keyed",
    ("never",),
    "5.4",
    "Whether the bet that others need is taken as placed where the table has no way to know of it.",
)
_OTHERS_AFTER_WRONG_COUNT = Reading(
    "others_after_wrong_count",
    "options_5_10",
    ("none",),
    "5.15",
    "Whether the other players may choose after one hand had a wrong number of cards.",
)
_EXPOSED_UNHANDLED = Reading(
    "exposed_card_unhandled",
    "options_5_6",
    ("void_5_5_4",),
    "5.5.4",
    "What a card exposed before anybody handled his cards leads to.",
)
_HOUSE_PROCEDURE = Reading(
    "house_irregularities",
    "as_000",
    ("supervisor_only",),
    "not printed",
    "Whose procedure settles irregularities that this book does not mention.",
)

ENVY_AFTER_DENIAL = Reading(
    "envy_after_denial",
    "only_if_the_hand_stands",
    ("always", "never"),
    "4.7",
    "Whether a royal whose claim was denied gives envy: it may have been misread, or lie there all the same.",
)


def _renumbered(readings: tuple[Reading, ...], paragraphs: dict[str, str]) -> tuple[Reading, ...]:
    return tuple(
        replace(reading, paragraph=paragraphs.get(reading.name, reading.paragraph)) for reading in readings
    )


FOR_PROGRESSIVE_3_CARD_POKER = (*_EVERY_GAME, *_PROGRESSIVE, _OTHERS_AFTER_WRONG_COUNT, _PRESUMED_ANTE)
FOR_MULTI_LINK = _renumbered(
    (*_EVERY_GAME, *_PROGRESSIVE, _PRESUMED_ANTE),
    {
        **dict.fromkeys(("time_of_a_hand", "majors_across_tables", "house_order_against_evidence"), "4.7.2"),
        "terms_take_effect": "1.16",
    },
)
FOR_LUCKY_THREE_PICTURES = (
    *_renumbered(
        _EVERY_GAME,
        {
            "outcome_established_by": "5.4",
            "power_cut_in_betting": "5.4",
            "void_window": "5.5.6",
            "options_after_simultaneous": "5.10.1",
            "card_before_lock": "5.7",
            **dict.fromkeys(("void_after_reveal", "return_without_error", "uncovered_correction"), "5.16"),
        },
    ),
    _EXPOSED_UNHANDLED,
    replace(_PRESUMED_ANTE, paragraph="5.13"),
)
# Cited as house procedure: these books print no paragraph about irregularities.
FOR_BOOKS_WITHOUT_ANY = (
    _HOUSE_PROCEDURE,
    *(
        replace(reading, paragraph=f"house procedure, as 000 {reading.paragraph}")
        for reading in FOR_PROGRESSIVE_3_CARD_POKER
        if reading is not _PRESUMED_ANTE
    ),
)
PRESUMED_ANTE_OF_A_CARD_ROOM = replace(_PRESUMED_ANTE, paragraph="Playing ¶1")
