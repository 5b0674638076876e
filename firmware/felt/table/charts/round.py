"""The chart of the round."""

from __future__ import annotations

from functools import partial

from felt.nouns.values import replace
from felt.table import card_guards, diagnosis, discarding, facts, guards, opening, panel, showing, upkeep
from felt.table import reasons as why
from felt.table.charts.cards import CARDS
from felt.table.charts.remedies import DECLARING, REMEDIES
from felt.table.charts.rows import Region, after, move, refuse, stay
from felt.table.charts.testing import TESTED
from felt.table.irregular import bets, voids
from felt.table.irregular.parts import AFTER_LOCK, HELD_FROM, IN_PLAY
from felt.table.moves import betting, chips, claims, ends, failures, hits, play, remedies
from felt.table.state import Phase

_ALL = tuple(Phase)
_ruled = partial(after, remedies.take_ruling)
_HOLDING = (
    facts.Booted, facts.FaultRaised, facts.StepFailed, facts.OutOfServiceOrdered, facts.LinkLost,
    facts.ChipChattered, facts.LampFound,
)
_PANEL_KEYS = (
    facts.OpenPressed, facts.NoMoreBetsPressed, facts.CollectPressed, facts.CardsSeenPressed,
    facts.FoldModePressed, facts.PlayModePressed, facts.SeatPressed, facts.RevealPressed, facts.SettlePressed,
    facts.MisdealPressed, facts.CountMismatchPressed,
)

_CHIPS = (
    *stay(facts.ChipSeen, AFTER_LOCK, when=chips.chip_comes_back, do=chips.welcome_chip),
    *refuse(
        facts.ChipSeen, AFTER_LOCK, chips.late_chip, when=guards.edge_is_after_lock, do=chips.record_change
    ),
    *stay(facts.ChipSeen, Phase.BETTING, do=chips.record_chip),
    *stay((facts.ChipSeen, facts.ChipLifted), _ALL, do=chips.record_change),
    *stay(facts.LevelFound, _ALL, do=chips.record_level),
    *stay(facts.ChipFlickered, _ALL, do=chips.note_flicker),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), Phase.BETTING, why.no_such_spot, when=guards.spot_is_unknown),
    *refuse(facts.BetKeyed, Phase.BETTING, bets.why_not_taken, when=bets.bet_is_not_taken),
    *stay(facts.BetKeyed, Phase.BETTING, when=guards.bet_can_be_keyed, do=chips.key_bet),
    *refuse(facts.BetKeyed, Phase.BETTING, why.ONE_PLAYER, when=guards.box_has_one_player),
    *refuse(facts.BetKeyed, Phase.BETTING, why.coin_amount, when=guards.spot_is_a_coin_spot),
    *refuse(facts.BetKeyed, Phase.BETTING, why.AMOUNT_WRONG),
    *refuse(facts.BetUnkeyed, Phase.BETTING, why.nothing_keyed, when=guards.nothing_is_keyed),
    *stay(facts.BetUnkeyed, Phase.BETTING, do=chips.unkey_bet),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), _ALL, why.bets_are_closed, when=guards.bets_are_locked),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), Phase.INTERRUPTED, why.held),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), _ALL, opening.no_bets_open),
    *refuse(facts.AmountFound, AFTER_LOCK, why.NOT_FOUND_NOW, when=guards.amount_is_out_of_time),
    *refuse(facts.AmountFound, AFTER_LOCK, why.no_bet_with_amount, when=guards.no_bet_has_the_amount),
    *refuse(facts.AmountFound, AFTER_LOCK, why.short_coin, when=guards.coin_is_short),
    *stay(facts.AmountFound, AFTER_LOCK, do=play.find_amount),
    *refuse(facts.AmountFound, _ALL, why.NOT_FOUND_NOW),
)

_INTERRUPTIONS = (
    *stay(
        (facts.FaultRaised, facts.ChipChattered, facts.LampFound), (Phase.BETTING, Phase.INTERRUPTED),
        when=failures.spot_closes, do=failures.note_spot_closed,
    ),
    *move(_HOLDING, HELD_FROM, Phase.INTERRUPTED, when=guards.play_is_held, do=ends.hold),
    *stay((*_HOLDING, facts.ShufflerGreeted, facts.DealCountLost), _ALL),
    *refuse(facts.RulingMade, _ALL, remedies.why_no_authority, when=remedies.ruling_lacks_authority),
    *refuse(facts.RulingMade, _ALL, upkeep.why_not_ruled, when=guards.ruling_is_not_taken),
    *move(
        facts.RulingMade, IN_PLAY, Phase.VOIDING,
        when=_ruled(guards.ruling_voids), do=(remedies.take_ruling, ends.void_by_ruling),
    ),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.VOIDING,
        when=_ruled(guards.held_lock_is_over_without_bets), do=(remedies.take_ruling, ends.void_without_bets),
    ),
    *move(
        facts.RulingMade, Phase.INTERRUPTED, Phase.DEALING,
        when=_ruled(guards.held_lock_is_over), do=(remedies.take_ruling, ends.resume_with_snapshot),
    ),
    *(
        row
        for phase in HELD_FROM
        for row in move(
            facts.RulingMade, Phase.INTERRUPTED, phase,
            when=_ruled(guards.ruling_resumes(phase)), do=(remedies.take_ruling, ends.resume),
        )
    ),
    *move(
        facts.RulingMade, Phase.LOCKING, Phase.VOIDING,
        when=_ruled(guards.drain_is_over_without_bets), do=(remedies.take_ruling, ends.void_without_bets),
    ),
    *move(
        facts.RulingMade, Phase.LOCKING, Phase.DEALING,
        when=_ruled(guards.drain_is_over), do=(remedies.take_ruling, betting.take_snapshot),
    ),
    *REMEDIES,
    *stay(facts.RulingMade, _ALL, do=remedies.take_ruling),
    *refuse(facts.VoidOrdered, IN_PLAY, why.claim_is_confirmed, when=guards.a_claim_was_confirmed),
    *move(facts.VoidOrdered, IN_PLAY, Phase.VOIDING, do=(remedies.answer_by_void, ends.void_by_order)),
    *stay(
        facts.VoidOrdered, (Phase.IDLE, Phase.CLOSED),
        when=guards.previous_round_can_be_voided, do=(remedies.answer_by_void, ends.void_previous),
    ),
    *refuse(facts.VoidOrdered, Phase.VOIDING, why.VOID_ALREADY),
    *refuse(facts.VoidOrdered, _ALL, why.NOTHING_TO_VOID),
    *refuse(facts.VoidPressed, IN_PLAY, why.claim_is_confirmed, when=panel.supervisor_may_not_void),
    *move(
        facts.VoidPressed, IN_PLAY, Phase.VOIDING,
        when=panel.supervisor_is_here, do=(remedies.answer_by_void, ends.void_by_key),
    ),
    *stay(facts.VoidPressed, IN_PLAY, do=ends.call_supervisor),
    *refuse(facts.VoidPressed, _ALL, why.NOTHING_TO_VOID),
)

_OPENING = (
    *move(
        facts.TableOpened, Phase.CLOSED, Phase.IDLE, when=guards.table_is_in_service, do=diagnosis.judge_contacts
    ),
    *refuse(facts.TableOpened, Phase.CLOSED, why.not_in_service),
    *refuse(facts.TableOpened, _ALL, why.OPEN_ALREADY),
    *move(facts.TableClosed, Phase.IDLE, Phase.CLOSED, do=diagnosis.ask_for_tests),
    *refuse(facts.TableClosed, Phase.CLOSED, why.CLOSED),
    *refuse(facts.TableClosed, _ALL, why.ROUND_OPEN),
    *refuse(_PANEL_KEYS, Phase.CLOSED, why.CLOSED),
    *refuse(_PANEL_KEYS, Phase.INTERRUPTED, why.held),
    *move(facts.OpenPressed, Phase.IDLE, Phase.BETTING, when=opening.round_may_open, do=betting.open_round),
    *refuse(facts.OpenPressed, Phase.IDLE, opening.refusal),
    *refuse(facts.OpenPressed, Phase.BETTING, why.BETS_OPEN),
    *refuse(facts.OpenPressed, _ALL, why.ROUND_OPEN),
)

_LOCKING = (
    *refuse(facts.NoMoreBetsPressed, Phase.BETTING, why.PRESSED_BEFORE_OPEN, when=guards.lock_is_before_opening),
    *refuse(
        facts.NoMoreBetsPressed, Phase.BETTING, why.bets_stay_open, when=card_guards.deck_is_unfit_for_the_deal
    ),
    *move(facts.NoMoreBetsPressed, Phase.BETTING, Phase.LOCKING, do=betting.stamp_lock),
    *refuse(facts.NoMoreBetsPressed, (Phase.IDLE, Phase.VOIDING), opening.no_bets_open),
    *refuse(facts.NoMoreBetsPressed, _ALL, why.LOCKED_ALREADY),
    *move(
        facts.DeadlinePassed, Phase.LOCKING, Phase.VOIDING,
        when=guards.drain_is_over_without_bets, do=ends.void_without_bets,
    ),
    *move(facts.DeadlinePassed, Phase.LOCKING, Phase.DEALING, when=guards.drain_is_over, do=betting.take_snapshot),
    *stay(
        facts.DeadlinePassed, (Phase.LOCKING, Phase.INTERRUPTED), when=guards.is_drain, do=betting.await_rulings
    ),
    *stay(facts.DeadlinePassed, _ALL, do=betting.expire),
    *refuse(facts.CollectPressed, (Phase.IDLE, Phase.BETTING, Phase.LOCKING, Phase.VOIDING), why.NOT_LOCKED),
    *refuse(facts.CollectPressed, _ALL, why.NO_COIN_SPOTS, when=guards.game_has_no_coin_spots),
    *refuse(facts.CollectPressed, _ALL, why.COLLECTED_ALREADY, when=guards.spots_were_collected),
    *stay(facts.CollectPressed, _ALL, do=play.mark_collected),
)

# What nobody does before it is said which community card is discarded.
_SAID_FIRST = (
    facts.CardsSeenPressed, facts.FoldModePressed, facts.PlayModePressed, facts.RevealPressed, facts.HandEstablished,
)

_DECIDING = (
    *refuse(facts.CardsSeenPressed, _ALL, why.SEEN_ALREADY, when=guards.cards_were_seen),
    *refuse(facts.CardsSeenPressed, Phase.DEALING, why.NO_CARDS_TO_SEE, when=guards.no_box_has_a_card),
    *refuse(_SAID_FIRST, (Phase.DECIDING, Phase.REVEALING), discarding.say_first, when=discarding.is_due),
    *stay(facts.CardsSeenPressed, (Phase.DEALING, Phase.DECIDING), do=play.mark_seen),
    *stay(facts.CardsSeenPressed, Phase.REVEALING, when=guards.hands_are_examined, do=play.mark_seen),
    *refuse(facts.CardsSeenPressed, _ALL, why.NO_CARDS_TO_SEE),
    *stay(facts.FoldModePressed, Phase.DECIDING, do=panel.light_mode("fold")),
    *stay(facts.PlayModePressed, Phase.DECIDING, do=panel.light_mode("play")),
    *refuse((facts.FoldModePressed, facts.PlayModePressed), _ALL, why.NO_DECISIONS),
    *move(facts.RevealPressed, Phase.DECIDING, Phase.REVEALING, when=guards.everybody_decided, do=play.reveal),
    *refuse(facts.RevealPressed, Phase.DECIDING, why.undecided),
    *refuse(facts.RevealPressed, Phase.REVEALING, why.REVEALED_ALREADY, when=guards.dealer_is_revealed),
    *stay(facts.RevealPressed, Phase.REVEALING, do=play.reveal),
    *refuse(facts.RevealPressed, _ALL, why.NOTHING_TO_REVEAL),
)

_BETWEEN_SNAPSHOT_AND_SETTLEMENT = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)
_FROM_OPEN_TO_SETTLEMENT = (Phase.BETTING, Phase.LOCKING, *_BETWEEN_SNAPSHOT_AND_SETTLEMENT)

_SEAT_KEYS = (
    *refuse(facts.OtherModePressed, Phase.INTERRUPTED, why.held),
    *stay(facts.OtherModePressed, _ALL, do=panel.light_other_mode),
    *refuse(facts.SeatPressed, _ALL, why.no_such_box, when=panel.seat_is_unknown),
    *stay(
        facts.SeatPressed, (Phase.DECIDING, Phase.REVEALING), when=discarding.key_says_it, do=discarding.say_by_key
    ),
    *refuse(
        facts.SeatPressed, (Phase.DECIDING, Phase.REVEALING), discarding.say_first, when=discarding.no_key_says_it
    ),
    *refuse(facts.SeatPressed, _ALL, why.CODE_ON_THE_KEYS, when=panel.mode_is(panel.SIGN_IN)),
    *stay(facts.SeatPressed, (Phase.IDLE, Phase.BETTING), when=panel.bars, do=panel.toggle_barred),
    *stay(facts.SeatPressed, _FROM_OPEN_TO_SETTLEMENT, when=panel.links, do=panel.link_box),
    *refuse(facts.SeatPressed, panel.LEAVING, why.cannot_leave, when=panel.seat_cannot_leave),
    *stay(facts.SeatPressed, panel.LEAVING, when=panel.leaves, do=play.note_left),
    *stay(facts.SeatPressed, Phase.DECIDING, when=panel.seat_leaves_without_a_decision, do=play.note_left),
    *refuse(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, why.KEY_SWITCH_FIRST,
        when=panel.returns_without_the_key,
    ),
    *refuse(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, why.nothing_to_return, when=panel.mode_returns_nothing
    ),
    *refuse(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, voids.why_no_return, when=panel.mode_may_not_return
    ),
    *move(
        facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.VOIDING,
        when=remedies.return_leaves_nobody, do=remedies.return_last_bets,
    ),
    *stay(facts.SeatPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, when=panel.returns, do=panel.return_bets),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.MODE_FIRST, when=guards.mode_is_dark),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.mode_not_now, when=panel.mode_decides_nothing),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.seat_decides_nothing, when=guards.seat_has_no_decision),
    *refuse(facts.SeatPressed, Phase.DECIDING, why.decided_so, when=guards.seat_decided_so_already),
    *stay(facts.SeatPressed, Phase.DECIDING, do=play.decide),
    *refuse(facts.SeatPressed, _ALL, why.mode_not_now),
)

_HOUSE = (
    *refuse(
        (facts.BetsReturned, facts.SeatBarred, facts.RevealRefused, facts.HandEstablished), _ALL, why.no_such_box,
        when=panel.seat_is_unknown,
    ),
    *refuse(facts.RevealRefused, Phase.REVEALING, why.REVEAL_FIRST, when=guards.dealer_is_hidden),
    *refuse(facts.RevealRefused, Phase.REVEALING, showing.why_not_refused, when=showing.nobody_can_refuse),
    *stay(facts.RevealRefused, Phase.REVEALING, do=showing.refuse_to_show),
    *refuse(facts.RevealRefused, _ALL, showing.REFUSE_LATER),
    *refuse(
        facts.HandEstablished, showing.OPEN_IN, showing.why_not_established, when=showing.nothing_to_establish
    ),
    *move(
        facts.HandEstablished, Phase.PAYING, Phase.SETTLING, when=showing.raises_a_claim, do=showing.establish
    ),
    *stay(facts.HandEstablished, showing.OPEN_IN, do=showing.establish),
    *refuse(facts.HandEstablished, Phase.INTERRUPTED, why.held),
    *refuse(facts.HandEstablished, _ALL, showing.SHOW_LATER),
    *refuse(facts.DiscardSaid, _ALL, discarding.why_not_said, when=discarding.cannot_be_said),
    *stay(facts.DiscardSaid, _ALL, do=discarding.say_by_order),
    *refuse(facts.ProgressiveSwitched, _ALL, why.NO_COIN_SPOTS_HERE, when=guards.game_has_no_coin_spots),
    *refuse(facts.ProgressiveSwitched, _ALL, why.switched_already, when=failures.switched_so_already),
    *stay(facts.ProgressiveSwitched, _ALL, do=failures.switch_progressive),
    *refuse(
        facts.BetsReturned, (*_BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.INTERRUPTED), why.nothing_to_return,
        when=panel.nothing_to_return,
    ),
    *refuse(
        facts.BetsReturned, (*_BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.INTERRUPTED), voids.why_no_return,
        when=voids.may_not_return,
    ),
    *refuse(facts.BetsReturned, Phase.INTERRUPTED, remedies.why_not_returned, when=remedies.refused_return),
    *move(
        facts.BetsReturned, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.VOIDING,
        when=remedies.return_leaves_nobody, do=remedies.return_last_bets,
    ),
    *stay(facts.BetsReturned, (*_BETWEEN_SNAPSHOT_AND_SETTLEMENT, Phase.INTERRUPTED), do=panel.return_bets),
    *refuse(facts.BetsReturned, _ALL, why.NO_RETURN),
    *refuse(facts.SeatBarred, _ALL, why.barred_so_already, when=panel.seat_is_barred_so_already),
    *stay(facts.SeatBarred, (Phase.CLOSED, Phase.IDLE, Phase.BETTING), do=panel.bar_seat),
    *refuse(facts.SeatBarred, _ALL, why.NOT_BARRED_NOW),
    *refuse(facts.DealerSignedIn, _ALL, why.no_such_dealer, when=panel.dealer_is_unknown),
    *stay(facts.DealerSignedIn, _ALL, do=panel.sign_in),
    *stay(facts.WrongCodeEntered, _ALL, do=panel.note_wrong_code),
    *refuse(facts.MisdealPressed, _ALL, why.NO_CARDS_DEALT),
    *refuse(facts.CountMismatchPressed, _ALL, why.NO_COUNT, when=panel.no_coin_spots),
    *stay(facts.CountMismatchPressed, _BETWEEN_SNAPSHOT_AND_SETTLEMENT, do=panel.note_mismatch),
    *refuse(facts.CountMismatchPressed, _ALL, why.NO_COUNT),
)

_SETTLING = (
    *refuse(facts.SettlePressed, Phase.REVEALING, why.REVEAL_FIRST, when=guards.dealer_is_hidden),
    *refuse(facts.SettlePressed, Phase.REVEALING, why.CARD_UNREAD, when=card_guards.a_hand_is_unread),
    *move(
        facts.SettlePressed, Phase.REVEALING, Phase.SETTLING,
        when=guards.settlement_has_claims, do=play.settle_round,
    ),
    *move(facts.SettlePressed, Phase.REVEALING, Phase.PAYING, do=play.settle_round),
    *refuse(facts.SettlePressed, Phase.PAYING, why.ANSWER_FIRST, when=guards.a_question_is_open),
    *move(facts.SettlePressed, Phase.PAYING, Phase.IDLE, do=ends.end_round),
    *move(facts.SettlePressed, Phase.VOIDING, Phase.IDLE, do=ends.end_void),
    *refuse(facts.SettlePressed, (Phase.SETTLING, Phase.VERIFYING), why.LOCKED_UP),
    *refuse(facts.SettlePressed, _ALL, why.NOTHING_TO_SETTLE),
    *move(
        facts.ClaimValued, Phase.SETTLING, Phase.VERIFYING,
        when=guards.claim_awaits_its_value, do=claims.value_claim,
    ),
    *stay(facts.ClaimValued, Phase.VERIFYING, when=guards.claim_awaits_its_value, do=claims.value_claim),
    *stay(
        facts.ClaimValued, (Phase.VERIFYING, Phase.INTERRUPTED),
        when=guards.claim_is_valued_otherwise, do=claims.value_claim_anew,
    ),
    *refuse(facts.ClaimValued, _ALL, why.no_such_claim),
    *move(
        facts.ClaimConfirmed, Phase.SETTLING, Phase.PAYING,
        when=guards.last_claim_by_registered_value, do=claims.confirm_by_registered_value,
    ),
    *stay(
        facts.ClaimConfirmed, Phase.SETTLING,
        when=guards.claim_can_be_paid_by_registered_value, do=claims.confirm_by_registered_value,
    ),
    *move(
        facts.ClaimConfirmed, Phase.VERIFYING, Phase.PAYING,
        when=guards.last_claim_is_named, do=claims.confirm_claim,
    ),
    *stay(
        facts.ClaimConfirmed, Phase.VERIFYING,
        when=guards.next_claim_has_its_value, do=claims.confirm_claim,
    ),
    *move(
        facts.ClaimConfirmed, Phase.VERIFYING, Phase.SETTLING,
        when=guards.claim_in_hand_is_named, do=claims.confirm_claim,
    ),
    *refuse(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), why.no_word_of_a_denial, when=guards.denial_says_no_hand
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.PAYING,
        when=guards.last_claim_is_named, do=claims.deny_claim,
    ),
    *stay(
        facts.ClaimDenied, Phase.VERIFYING,
        when=guards.next_claim_has_its_value, do=claims.deny_claim,
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.SETTLING,
        when=guards.claim_in_hand_is_named, do=claims.deny_claim,
    ),
    *refuse(facts.ClaimConfirmed, Phase.SETTLING, why.NOT_VALUED, when=guards.claim_in_hand_is_named),
    *refuse((facts.ClaimConfirmed, facts.ClaimDenied), Phase.INTERRUPTED, why.held, when=guards.claim_in_hand_is_named),
    *refuse((facts.ClaimConfirmed, facts.ClaimDenied), _ALL, why.no_such_claim),
)

_SETTLED = (Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)

_REPORTED = (
    *refuse(
        facts.HitReported, (*_SETTLED, Phase.INTERRUPTED), hits.why_not_reported, when=hits.cannot_be_reported
    ),
    *move(facts.HitReported, _SETTLED, Phase.INTERRUPTED, do=ends.hold),
    *stay(facts.HitReported, Phase.INTERRUPTED),
    *refuse(facts.HitReported, _ALL, hits.why_not_reported),
)

ROUND = Region(
    "round",
    Phase,
    lambda table: table.phase,
    lambda table, phase: replace(table, phase=phase),
    (
        *TESTED, *_OPENING, *DECLARING, *_CHIPS, *_LOCKING, *CARDS, *_DECIDING, *_SEAT_KEYS,
        *_HOUSE, *_SETTLING, *_REPORTED, *_INTERRUPTIONS,
    ),
)
