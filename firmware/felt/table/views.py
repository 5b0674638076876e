"""What the world sees of a table: lamps, keys, prompts, mail, the next deadline. Pure functions of the table,
so that after a crash everything is shown again and nothing was fired once and forgotten."""

from __future__ import annotations

import json
from functools import cache
from operator import itemgetter
from typing import Any

from felt.nouns.ids import Spot, seat_of
from felt.rules.rulebook import WIN
from felt.table import deal, declaring, facts, inventory, letters, lock, panel, prompts, redacted, settle
from felt.table.asked import once_a_table
from felt.table.guards import stop_faults
from felt.table.irregular import bets, voids
from felt.table.irregular.keys import MISDEAL
from felt.table.irregular.parts import claim_is_confirmed
from felt.table.lock import Presence
from felt.table.settings import MAIL_MAX
from felt.table.state import Deadline, LinkState, Mail, Phase, Round, ServiceState, SpotState, Table

# Lamp patterns. What each looks like belongs to the lamp driver.
OFF, ON = "off", "on"
INVITE, SEEN, ACCEPTED, LATE, REMOVED = "invite", "seen", "accepted", "late", "removed"
WINNER, OUT_OF_SERVICE, FAULT = "winner", "out_of_service", "fault"
ALARM = "alarm"

_LOCKED = (
    Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING,
    Phase.INTERRUPTED,
)
_WON = (Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)

KEYS = (
    "open", "no_more_bets", "collect", "cards_seen", "fold", "play", "reveal", "settle", "void", "misdeal", "other",
    "count_mismatch",
)
SWITCHES = ("supervisor", "door")  # inputs of the panel and the cabinet that are no keys and have no lamps
BUZZER = "buzzer"
_KEY_LAMPS = {key: f"key.{key}" for key in KEYS}


# --- lamps -------------------------------------------------------------------------------------------


@cache
def _dark_panel(seats: int) -> dict[str, str]:
    """Every lamp of the panel, off. Copied, never changed."""
    return dict.fromkeys((*_KEY_LAMPS.values(), *(f"key.seat_{seat}" for seat in range(1, seats + 1))), OFF)


def lamps(table: Table) -> dict[str, str]:
    """Every lamp of the table and the pattern it shows: coin spots and keys, and the buzzer as if it were one."""
    return _lamps(table).copy()


@once_a_table
def _lamps(table: Table) -> dict[str, str]:
    if table.settings is None:
        return {}
    shown = _coin_lamps(table, table.settings.table_id)
    shown[BUZZER] = ALARM if _is_alarming(table, shown) else OFF
    shown.update(_dark_panel(table.settings.seats))
    for key in keys_lit(table):
        shown[_KEY_LAMPS[key]] = ON
    for seat in seats_lit(table):
        shown[f"key.seat_{seat}"] = ON
    return _tried(shown, table.service.trying) if table.service.trying else shown


def _tried(shown: dict[str, str], trying: tuple[str, ...]) -> dict[str, str]:
    """In test mode exactly the lamps that are tried, so that a crossed pair shows."""
    lit = {BUZZER: ALARM}
    return {lamp: lit.get(lamp, ON) if lamp in trying else OFF for lamp in shown}


def _is_alarming(table: Table, coin_lamps: dict[str, str]) -> bool:
    """A coin spot disagrees with the record, play is held, or a jackpot waits for the supervisor."""
    if table.phase in (Phase.INTERRUPTED, Phase.VERIFYING):
        return True
    waits = table.phase is Phase.SETTLING and table.link is LinkState.LOST
    return waits or LATE in coin_lamps.values() or REMOVED in coin_lamps.values()


# All that the lamps of the coin spots are made of. Most facts touch none of it: then they are as they were.
PARTS_SHOWN = ("settings", "service", "link", "phase", "spots", "quarantined", "barred", "progressive_off")
PARTS_SHOWN_OF_ROUND = (
    "progressive_open", "lock_ns", "rulings", "bets", "plan", "collected", "collected_ns", "returned", "lines",
)
_parts_shown = itemgetter(*map(Table._fields.index, PARTS_SHOWN))
_parts_shown_of_round = itemgetter(*map(Round._fields.index, PARTS_SHOWN_OF_ROUND))


# By table, for who has several. Parts and lamps are one value: threads that only look find what belongs together.
_shown_last: dict[str, tuple[object, dict[str, str]]] = {}


def _coin_lamps(table: Table, table_id: str) -> dict[str, str]:
    """As they were last, while everything that they are made of is the same. A copy: the caller adds to it."""
    parts = (_parts_shown(table), None if table.round is None else _parts_shown_of_round(table.round))
    known = _shown_last.get(table_id)
    if known is None or known[0] != parts:
        known = _shown_last[table_id] = (parts, coin_lamps_anew(table))
    return known[1].copy()


def coin_lamps_anew(table: Table) -> dict[str, str]:
    """The whole table's state first, then spot by spot: most of the time all spots are of one kind."""
    coin, spots = settle.coin_spots(table)
    if coin is None:
        return {}
    everywhere = _lamp_of_all(table)
    shown: dict[str, str] = {spot.spot: everywhere for spot in spots}
    if table.service.state is not ServiceState.IN_SERVICE:
        return shown
    playing = table.round
    if playing is not None and playing.progressive_open and table.phase is not Phase.VOIDING:
        if playing.lock_ns is None:
            backed = lock.backed_seats(table, coin)
            for spot in spots:
                confirmed = spot.present and (backed is None or seat_of(spot.spot) in backed)
                shown[spot.spot] = SEEN if confirmed else INVITE
        else:
            locked = table.phase in _LOCKED and bool(playing.plan)
            shown.update((_locked_lamps if locked else _locking_lamps)(table, playing, spots))
    if table.barred and table.phase is not Phase.CLOSED:
        for spot in spots:
            if seat_of(spot.spot) in table.barred and shown[spot.spot] != LATE:
                shown[spot.spot] = OUT_OF_SERVICE
    for name in table.quarantined:
        if name in shown:
            shown[name] = FAULT
    return shown


def _lamp_of_all(table: Table) -> str:
    """What every coin spot shows that has nothing of its own to say."""
    if table.service.state is not ServiceState.IN_SERVICE:
        return OUT_OF_SERVICE
    playing = table.round
    if playing is None or table.phase is Phase.VOIDING:
        closed = table.phase is not Phase.CLOSED and (table.link is LinkState.LOST or bool(table.progressive_off))
        return OUT_OF_SERVICE if closed else OFF
    return OFF if playing.progressive_open else OUT_OF_SERVICE


def _locking_lamps(table: Table, playing: Round, spots: tuple[SpotState, ...]) -> dict[str, str]:
    return {spot.spot: _locking_lamp(table, playing, spot) for spot in spots}


def _locking_lamp(table: Table, playing: Round, spot: SpotState) -> str:
    there = lock.presence(table, playing, spot)
    if there is Presence.UNDETERMINED:
        return LATE
    if there is Presence.THERE:
        return SEEN
    return LATE if spot.present else OFF


def _locked_lamps(table: Table, playing: Round, spots: tuple[SpotState, ...]) -> dict[str, str]:
    accepted = _coin_seats(playing)
    won = _winners(playing) if table.phase in _WON else []
    shown: dict[str, str] = {}
    for spot in spots:
        seat = seat_of(spot.spot)
        shown[spot.spot] = WINNER if seat in won else _locked_lamp(table, playing, spot, accepted=seat in accepted)
    return shown


def _coin_seats(playing: Round) -> list[int]:
    """Boxes whose progressive bet stands."""
    return [bet.seat for bet in playing.bets if bet.coin and bet.accepted and bet.seat not in playing.returned]


def _locked_lamp(table: Table, playing: Round, spot: SpotState, *, accepted: bool) -> str:
    """From the snapshot on, a lamp compares what was recorded with what lies there."""
    if not accepted:
        return LATE if spot.present else OFF
    if playing.collected:
        return LATE if spot.present and _added_since(table, spot, playing.collected_ns) else ACCEPTED
    return ACCEPTED if spot.present or spot.keyed else REMOVED


def _added_since(table: Table, spot: SpotState, since_ns: int) -> bool:
    assert table.settings is not None
    moved = lock.movements(spot, lock.settle_ns(table.settings, spot.spot))
    return bool(moved) and moved[-1].edge_ns > since_ns


def _winners(playing: Round) -> list[int]:
    return [line.seat for line in playing.lines if line.bet == "progressive" and line.outcome == WIN]


# --- keys --------------------------------------------------------------------------------------------


def keys_lit(table: Table) -> tuple[str, ...]:
    """What the dealer may press now: exactly the keys that the charts do not refuse."""
    phase = table.phase
    if phase is Phase.INTERRUPTED:
        return _void_key(table)
    if phase is Phase.IDLE:
        served = table.service.state is ServiceState.IN_SERVICE and len(table.post.unanswered) < MAIL_MAX
        may_open = served and not table.irregularity.questions and not inventory.unfit_deck(table)
        return ("open", "other") if may_open else ("other",)
    if table.round is None:
        return ("other",)
    if phase is Phase.VOIDING:
        return ("settle", "other")
    if phase is Phase.BETTING:
        lock_key = () if inventory.too_few_cards(table) else ("no_more_bets",)
        return (*lock_key, "other", *_void_key(table))
    if phase is Phase.LOCKING:
        return ("other", *_void_key(table))
    keys = ("misdeal", "other", *_void_key(table), *_keys_after_the_snapshot(table, table.round))
    if table.panel.mode != MISDEAL:
        return keys
    # SETTLE declares something now, or is refused, whatever else it would do.
    others = tuple(key for key in keys if key != "settle")
    return (*others, "settle") if declaring.settle_declares(table) else others


def _void_key(table: Table) -> tuple[str, ...]:
    """With the supervisor key on it voids; what is paid cannot be voided here, nor while a question leaves no void."""
    if not table.panel.supervisor:
        return ("void",)
    return () if claim_is_confirmed(table) or voids.supervisor_may_not_void(table) else ("void",)


def _keys_after_the_snapshot(table: Table, playing: Round) -> tuple[str, ...]:
    assert table.settings is not None
    phase, coins = table.phase, settle.coin_wager(table.settings) is not None
    collect = ("collect",) if coins and not playing.collected else ()
    count = ("count_mismatch",) if coins else ()
    seen = () if playing.seen or not _a_box_has_cards(playing) else ("cards_seen",)
    if phase is Phase.DEALING:
        return (*collect, *seen, *count)
    if phase is Phase.DECIDING:
        undecided = settle.undecided_seats(table)
        return (*collect, *seen, *count, "fold", "play", *(() if undecided else ("reveal",)))
    if phase is Phase.REVEALING:
        examined = seen if settle.hands_are_examined(table) else ()
        known = ("settle",) if not inventory.unread_targets(playing) else ()
        return (*collect, *examined, *count, *(known if playing.revealed else ("reveal",)))
    may_end = phase is Phase.PAYING and not table.irregularity.questions
    return (*collect, *(("settle",) if may_end else ()))


def _a_box_has_cards(playing: Round) -> bool:
    for dealt in playing.dealt:  # noqa: SIM110 # asked with every card: a generator would cost more than it says
        if dealt.target.isdigit():
            return True
    return False


def seats_lit(table: Table) -> tuple[int, ...]:
    """The boxes that the lit mode can act on; before a mode is chosen, those that have a decision to make."""
    return panel.seats_that_act(table)


def prompt(table: Table) -> str:
    """One short sentence: what the dealer does next."""
    if table.service.state is ServiceState.TEST:
        return f"TEST MODE ({table.service.tested_by}): nothing counts."
    if table.service.state is not ServiceState.IN_SERVICE:
        codes = ", ".join(dict.fromkeys(stop_faults(table)))
        return f"OUT OF SERVICE {codes or table.service.ordered_out}".strip()
    if table.phase is Phase.INTERRUPTED:
        question = next(one for one in table.irregularity.questions if one.holds)
        because = redacted.scrubbed(question.because)  # everybody at the table reads it
        proposal = prompts.tell_word(table, question.proposal)
        return prompts.tell(table, "question.held", rule=question.rule, because=because, proposal=proposal)
    if table.phase is Phase.IDLE:
        return inventory.unfit_deck(table) or _idle_prompt(table)
    if table.phase is Phase.BETTING:
        return inventory.too_few_cards(table) or _betting_prompt(table)
    if table.phase is Phase.LOCKING and table.irregularity.questions:
        return "A chip lies too near the lock: the supervisor decides."
    if table.phase is Phase.DEALING and table.round is not None:
        return f"Deal: next card to {deal.say_target(table.round.plan[len(table.round.dealt)])}."
    if table.phase is Phase.DECIDING:
        undecided = settle.undecided_seats(table)
        return f"Fold or play: box {', '.join(map(str, undecided))}." if undecided else "Press REVEAL."
    if table.phase is Phase.REVEALING and table.round is not None:
        if table.round.revealed and inventory.unread_targets(table.round):
            return "A card was not read: the supervisor keys it."
        return "Press SETTLE." if table.round.revealed else "Press REVEAL."
    return _PROMPTS[table.phase]


_PROMPTS = {
    Phase.CLOSED: "Table closed.",
    Phase.LOCKING: "No more bets.",
    Phase.SETTLING: "Jackpot: waiting for its value.",
    Phase.VERIFYING: "Jackpot: the supervisor confirms or denies.",
    Phase.PAYING: "Pay, then press SETTLE to end the round.",
    Phase.VOIDING: "Round void: return every bet, then press SETTLE.",
}


def _idle_prompt(table: Table) -> str:
    if table.previous is not None and inventory.stub_is_due(table):
        return "Count the cards left, then press OPEN for the next round."
    return "Press OPEN for the next round."


def _betting_prompt(table: Table) -> str:
    """What is wrong with bets comes first: it can be mended until the lock."""
    remarks = " ".join(remark.sentence for remark in bets.while_open(table))
    return remarks or "Bets are open. Press NO MORE BETS to lock."


# --- cards, mail, deadlines --------------------------------------------------------------------------


Hand = redacted.Hand


def hands(table: Table) -> tuple[Hand, ...]:
    """The hands as the room may see them."""
    return () if table.round is None else redacted.hands_of(table.round)


def accepted_count(table: Table) -> int:
    """Progressive bets of the snapshot, for the dealer to compare with the chips collected."""
    return 0 if table.round is None else len(settle.contributions(table.round))


def mail(table: Table) -> tuple[Mail, ...]:
    return table.post.unanswered


def awaited_claims(table: Table) -> tuple[str, ...]:
    """The claims of which any may be valued next."""
    return settle.unvalued_claims(table) if table.phase is Phase.SETTLING else ()


def is_awaited_value(table: Table, told: facts.ClaimValued) -> bool:
    """Whether a value that the controller tells is news: the first, or a corrected one of the claim in hand."""
    if _is_being_denied(table, told.claim):
        return False
    return told.claim in awaited_claims(table) or settle.is_valued_otherwise(table, told)


def _is_being_denied(table: Table, claim: str) -> bool:
    """Where the hit was reported anew since: before the controller has the denial, it tells the former value."""
    denials = [mail for mail in table.post.unanswered if mail.kind == letters.NAME_OF[letters.ClaimDeniedLetter]]
    return any(letters.ClaimDeniedLetter(*json.loads(mail.body)).claim == claim for mail in denials)


def next_deadline(table: Table) -> Deadline | None:
    return min(table.deadlines, key=lambda deadline: deadline.due_ns, default=None)


def alarms(table: Table) -> tuple[tuple[Spot, str], ...]:
    """Coin spots that disagree with what was recorded, each with its pattern."""
    shown = lamps(table)
    return tuple((Spot(name), pattern) for name, pattern in shown.items() if pattern in (LATE, REMOVED, FAULT))


def record(ended: Round, role: str = "") -> dict[str, Any]:
    """A finished round as the index and the screens keep it, with the cards that this reader may see."""
    return {
        "round": ended.number,
        "rulebook": ended.rulebook,
        "version": ended.version,
        "readings": dict(one.split("=") for one in ended.readings.split()),
        "void": ended.void_rule,
        "dealer": ended.dealer,
        "accepted": _coin_seats(ended),
        "returned": list(ended.returned),
        "left": [one.seat for one in ended.decisions if one.left],
        "lines": list(redacted.lines_of(ended, role)),
        "claims": ended.claims,
        "dealing": ended.dealing,
        "hands": [list(hand) for hand in redacted.hands_of(ended, role)],
        "findings": [f"{one.mishap}: {one.evidence}" for one in ended.findings],
    }
