"""What others see of a table: lamps, keys, prompts, mail, the next deadline. All are pure functions of the table, so
after a crash everything is shown again and nothing is sent only once."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Any

from felt.letters import from_table as letters
from felt.nouns.ids import Spot, seat_of, spot_of
from felt.nouns.values import Value, read, to_plain
from felt.rules.rulebook import WIN
from felt.table import (
    bets,
    deck,
    discards,
    facts,
    inventory,
    lock,
    misdeals,
    opening,
    panel,
    prompts,
    redacted,
    service,
    settle,
    settling,
    voiding,
)
from felt.table.keys import KEYS, SEAT_KEYS, seat_keys
from felt.table.lock import ChipPresence
from felt.table.misdeals import MISDEAL_MODE
from felt.table.questions import has_confirmed_claim
from felt.table.remembered import once_a_table
from felt.table.service import stop_faults
from felt.table.state import (
    AFTER_SNAPSHOT,
    SETTLED,
    Deadline,
    LinkState,
    Mail,
    Phase,
    Question,
    Round,
    ServiceState,
    SpotState,
    Table,
    phase_of_play,
)

# Lamp patterns. The lamp driver decides what each one looks like.
OFF, ON = "off", "on"
INVITE, SEEN, ACCEPTED, LATE, REMOVED = "invite", "seen", "accepted", "late", "removed"
WINNER, OUT_OF_SERVICE, FAULT = "winner", "out_of_service", "fault"
_OF_A_BET = (SEEN, ACCEPTED, WINNER)
ALARM = "alarm"
_LOCKED = (*AFTER_SNAPSHOT, Phase.INTERRUPTED)
BUZZER = "buzzer"
_KEY_LAMPS = {key.name: key.line for key in KEYS}


@cache
def _dark_panel(seats: int) -> dict[str, str]:
    """Every lamp of the panel, off. Callers copy it."""
    return dict.fromkeys((*_KEY_LAMPS.values(), *seat_keys(seats)), OFF)


def lamps(table: Table) -> dict[str, str]:
    """Every lamp of the table and its pattern: coin spots, keys, and the buzzer as a lamp."""
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
        shown[f"{SEAT_KEYS}{seat}"] = ON
    return _tried(shown, table.service.trying) if table.service.trying else shown


def _tried(shown: dict[str, str], trying: tuple[str, ...]) -> dict[str, str]:
    """In test mode exactly the lamps under test are lit, so that crossed wires show."""
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
    "progressive_open", "lock_ns", "rulings", "chattered", "bets", "plan", "collected", "collected_ns", "returned",
    "lines",
)
_parts_shown = attrgetter(*PARTS_SHOWN)
_parts_shown_of_round = attrgetter(*PARTS_SHOWN_OF_ROUND)
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
    """The table's state first, then spot by spot: usually all spots show the same."""
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
                confirmed = lock.lies(table, spot) and (backed is None or seat_of(spot.spot) in backed)
                shown[spot.spot] = SEEN if confirmed else INVITE
        else:
            locked = table.phase in _LOCKED and bool(playing.plan)
            shown.update((_locked_lamps if locked else _locking_lamps)(table, playing, spots))
    if table.barred and table.phase is not Phase.CLOSED:
        for spot in spots:
            if seat_of(spot.spot) in table.barred and shown[spot.spot] != LATE:
                shown[spot.spot] = OUT_OF_SERVICE
    keyed = _keyed_bets(table, spots)
    for name in table.quarantined:
        if name in shown and not (name in keyed and shown[name] in _OF_A_BET):
            shown[name] = FAULT
    return shown


def _keyed_bets(table: Table, spots: tuple[SpotState, ...]) -> list[Spot]:
    """A bet that a person keyed is shown, even if the sensor is not believed."""
    if table.round is None:
        return []
    if not table.round.plan:
        return [spot.spot for spot in spots if spot.keyed]
    return [spot_of(bet.seat, bet.wager) for bet in table.round.bets if bet.coin and bet.keyed and bet.accepted]


def _lamp_of_all(table: Table) -> str:
    """The pattern of every coin spot without one of its own."""
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
    if there is ChipPresence.UNDETERMINED:
        return LATE
    if there is ChipPresence.THERE:
        return SEEN
    return LATE if spot.present else OFF


def _locked_lamps(table: Table, playing: Round, spots: tuple[SpotState, ...]) -> dict[str, str]:
    accepted = _coin_seats(playing)
    won = _winners(playing) if table.phase in SETTLED else []
    shown: dict[str, str] = {}
    for spot in spots:
        seat = seat_of(spot.spot)
        shown[spot.spot] = WINNER if seat in won else _locked_lamp(table, playing, spot, accepted=seat in accepted)
    return shown


def _coin_seats(playing: Round) -> list[int]:
    """Boxes whose progressive bet stands."""
    return [bet.seat for bet in playing.bets if bet.coin and bet.accepted and bet.seat not in playing.returned]


def _locked_lamp(table: Table, playing: Round, spot: SpotState, *, accepted: bool) -> str:
    """From the snapshot on, a lamp compares the record with what lies there."""
    if not accepted:
        return LATE if spot.present else OFF
    if playing.collected:
        return LATE if spot.present and _added_since(spot, playing.collected_ns) else ACCEPTED
    return REMOVED if lock.lacks_its_chip(playing, spot) else ACCEPTED


def _added_since(spot: SpotState, since_ns: int) -> bool:
    """The chip that lies there came after this instant: its contact was seen uncovered since."""
    moved = lock.changes(spot)
    return bool(moved) and moved[-1].edge_ns > since_ns


def _winners(playing: Round) -> list[int]:
    return [line.seat for line in playing.lines if line.bet == "progressive" and line.outcome == WIN]


def keys_lit(table: Table) -> tuple[str, ...]:
    """What the dealer may press now: exactly the keys that the charts do not refuse."""
    phase = table.phase
    if phase is Phase.INTERRUPTED:
        return _void_key(table)
    if phase is Phase.IDLE:
        return ("other",) if opening.why_not_open(table) else ("open", "other")
    if table.round is None:
        return ("other",)
    if phase is Phase.VOIDING:
        return ("settle", "other")
    if phase is Phase.BETTING:
        lock_key = () if inventory.why_no_lock(table) else ("no_more_bets",)
        return (*lock_key, "other", *_void_key(table))
    if phase is Phase.LOCKING:
        return ("other", *_void_key(table))
    keys = ("misdeal", "other", *_void_key(table), *_keys_after_the_snapshot(table, table.round))
    if table.panel.mode != MISDEAL_MODE:
        return keys
    # SETTLE declares something now or is refused, whatever it would do otherwise.
    others = tuple(key for key in keys if key != "settle")
    return (*others, "settle") if misdeals.settle_declares(table) else others


def _void_key(table: Table) -> tuple[str, ...]:
    """With the supervisor key on it voids, unless a jackpot is paid or an open question allows no void."""
    if not table.panel.supervisor:
        return ("void",)
    return () if has_confirmed_claim(table) or voiding.supervisor_may_not_void(table) else ("void",)


def _keys_after_the_snapshot(table: Table, playing: Round) -> tuple[str, ...]:
    assert table.settings is not None
    phase, coins = table.phase, settle.coin_wager(table.settings) is not None
    collect = ("collect",) if coins and not playing.collected else ()
    count = ("count_mismatch",) if coins else ()
    seen = () if playing.seen or not _a_box_has_cards(playing) else ("cards_seen",)
    if phase is Phase.DEALING:
        return (*collect, *seen, *count)
    if discards.is_due(table):
        return (*collect, *count)
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
    """The boxes that the lit mode can act on; before a mode is chosen, those with a decision to make."""
    return panel.seats_that_act(table)


def prompt(table: Table) -> str:
    """What the dealer does next, in short sentences. A shuffler that cannot deal comes first, then chips that disagree
    with the record; but what holds play comes before both."""
    news, step = [*_no_cards_to_come(table), *_chips_to_mend(table)], _next_step(table)
    return " ".join([step, *news] if table.phase is Phase.INTERRUPTED else [*news, step])


def _no_cards_to_come(table: Table) -> list[str]:
    """A dealer who waits for cards must learn that none can come."""
    waits = table.service.state is ServiceState.IN_SERVICE and phase_of_play(table) in _BEFORE_THE_LAST_CARD
    told = _of_the_shuffler(table) if waits else ""
    return [told] if told else []


def _chips_to_mend(table: Table) -> list[str]:
    if table.phase not in _LOCKED:
        return []
    missing = [prompts.tell(table, "chip.missing", spot=name) for name in lock.missing_chips(table)]
    late = [prompts.tell(table, "chip.late", spot=name) for name, pattern in _lamps(table).items() if pattern == LATE]
    return missing + late


def _next_step(table: Table) -> str:
    if table.service.state is ServiceState.TEST:
        return prompts.tell(table, "prompt.test", person=table.service.tested_by)
    if table.service.state is not ServiceState.IN_SERVICE:
        codes = ", ".join(dict.fromkeys(stop_faults(table)))
        cause = codes or table.service.ordered_out
        return prompts.tell(table, "prompt.out_of_service", cause=cause) if cause else service.out_of_service(table)
    if table.phase is Phase.INTERRUPTED:
        return " ".join(_say_held(table, question) for question in table.irregularity.questions if question.holds)
    if table.phase is Phase.IDLE:
        parts = (_of_the_shuffler(table), _idle_prompt(table))
        return opening.why_not_open(table) or " ".join(filter(None, parts))
    return _prompt_in_play(table)


_BEFORE_THE_LAST_CARD = (Phase.CLOSED, Phase.BETTING, Phase.LOCKING, Phase.DEALING)


def _say_held(table: Table, question: Question) -> str:
    because = redacted.scrubbed(question.because)  # everybody at the table can read it
    return prompts.tell_question(table, "question.held", question, because)


def _prompt_in_play(table: Table) -> str:
    if table.panel.mode == MISDEAL_MODE:
        return misdeals.say_lit(table)
    if table.phase is Phase.BETTING:
        return _betting_prompt(table)
    if table.phase is Phase.LOCKING and table.irregularity.questions:
        return prompts.tell(table, "prompt.near_the_lock")
    if table.phase is Phase.DEALING and table.round is not None:
        target = table.round.plan[len(table.round.dealt)]
        return prompts.tell(table, "prompt.deal", target=prompts.tell_target(table, target))
    if discards.is_due(table):
        return discards.prompt(table)
    if table.phase is Phase.DECIDING:
        undecided = settle.undecided_seats(table)
        boxes = ", ".join(map(str, undecided))
        return prompts.tell(table, "prompt.decide" if undecided else "prompt.reveal", boxes=boxes)
    if table.phase is Phase.REVEALING and table.round is not None:
        if table.round.revealed and inventory.unread_targets(table.round):
            return prompts.tell(table, "prompt.unread")
        return prompts.tell(table, "prompt.settle" if table.round.revealed else "prompt.reveal")
    if table.phase is Phase.VOIDING and table.round is not None:
        return _void_prompt(table, table.round)
    if table.phase is Phase.PAYING and table.irregularity.questions:
        return prompts.tell(table, settling.ANSWER_FIRST)
    return prompts.tell(table, _PROMPTS[table.phase])


def _of_the_shuffler(table: Table) -> str:
    """Why no card will come from the shuffler; empty if it can deal."""
    flooded = prompts.tell(table, "shuffler.left_alone") if deck.left_alone(table) else ""
    return deck.why_no_deal(table) or flooded or inventory.shuffler_stopped(table)


_PROMPTS = {
    Phase.CLOSED: "prompt.closed",
    Phase.LOCKING: "prompt.locking",
    Phase.SETTLING: "prompt.jackpot_value",
    Phase.VERIFYING: "prompt.jackpot",
    Phase.PAYING: "prompt.pay",
}


def _void_prompt(table: Table, voided: Round) -> str:
    """Nobody may hand a bet back twice."""
    if not voided.returned:
        return prompts.tell(table, "prompt.void")
    if voiding.all_went_back(voided):
        return prompts.tell(table, "prompt.void_rest")
    return prompts.tell(table, "prompt.void_but", boxes=", ".join(map(str, voided.returned)))


def _idle_prompt(table: Table) -> str:
    if table.previous is not None and inventory.stub_is_due(table):
        return prompts.tell(table, "prompt.count_stub")
    return prompts.tell(table, "prompt.open")


def _betting_prompt(table: Table) -> str:
    """Wrong bets come first, because they can be corrected until the lock."""
    unfit, remarks = inventory.why_no_lock(table), [remark.sentence for remark in bets.while_open(table)]
    wrong = " ".join((unfit, *remarks) if unfit else remarks)
    return wrong or prompts.tell(table, "prompt.bets_open")


Hand = redacted.Hand


def hands(table: Table) -> tuple[Hand, ...]:
    """The hands as people at the table may see them."""
    return () if table.round is None else redacted.hands_of(table.round)


def accepted_count(table: Table) -> int:
    """The number of progressive bets of the snapshot, which the dealer compares with the collected chips."""
    return 0 if table.round is None else len(settle.contributions(table.round))


def mail(table: Table) -> tuple[Mail, ...]:
    return table.post.unanswered


def awaited_claims(table: Table) -> tuple[str, ...]:
    """The claims that may be valued next."""
    return settle.unvalued_claims(table) if table.phase in (Phase.SETTLING, Phase.VERIFYING) else ()


def is_awaited_value(table: Table, told: facts.ClaimValued) -> bool:
    """True if the value that the controller tells is news: the first one, or a corrected one of an open claim."""
    if _is_being_denied(table, told.claim):
        return False
    return told.claim in awaited_claims(table) or settle.is_valued_otherwise(table, told)


def _is_being_denied(table: Table, claim: str) -> bool:
    """The hit was reported again after a denial. Until the controller has the denial, it tells the former value."""
    denials = [mail for mail in table.post.unanswered if mail.kind == letters.NAME_OF[letters.ClaimDeniedLetter]]
    return any(read(letters.ClaimDeniedLetter, mail.body).claim == claim for mail in denials)


def next_deadline(table: Table) -> Deadline | None:
    return min(table.deadlines, key=lambda deadline: deadline.due_ns, default=None)


def alarms(table: Table) -> tuple[tuple[Spot, str], ...]:
    """Coin spots that disagree with the record, each with its pattern."""
    shown = lamps(table)
    return tuple((Spot(name), pattern) for name, pattern in shown.items() if pattern in (LATE, REMOVED, FAULT))


def record(ended: Round, role: str = "") -> dict[str, Any]:
    """A finished round as the index and the screens store it, with the cards that this reader may see."""
    return {
        "round": ended.number,
        "rulebook": ended.rulebook,
        "version": ended.version,
        "readings": dict(reading.split("=") for reading in ended.readings.split()),
        "void": ended.void_rule,
        "dealer": ended.dealer,
        "accepted": _coin_seats(ended),
        "spots_closed": list(ended.spots_closed),
        "returned": list(ended.returned),
        "left": [decision.seat for decision in ended.decisions if decision.left],
        "lines": list(redacted.lines_of(ended, role)),
        "claims": ended.claims,
        "dealing": ended.dealing,
        "hands": [to_plain(hand) for hand in redacted.hands_of(ended, role)],
        "interruptions": list(ended.interruptions),
        "findings": [f"{finding.mishap}: {finding.evidence}" for finding in ended.findings],
    }


# --- signs -------------------------------------------------------------------------------------------

NO_PROGRESSIVE, BOX_BARRED = "no_progressive", "box_barred"


class PlayersNotice(Value):
    """A notice by its kind, so that a sign can say it in its own language."""

    kind: str
    rule: str
    seat: int = 0  # the box concerned; 0: the whole table


def players_notices(table: Table) -> tuple[PlayersNotice, ...]:
    """The notices that the gaming table must display now."""
    if table.settings is None or table.phase is Phase.CLOSED:
        return ()
    paragraphs = settle.paragraphs_of(table)
    whole = () if _takes_progressive_bets(table) else (PlayersNotice(NO_PROGRESSIVE, paragraphs.without_progressive),)
    return (*whole, *(PlayersNotice(BOX_BARRED, paragraphs.box_barred, seat) for seat in table.barred))


def signs(table: Table) -> tuple[str, ...]:
    """The same notices as sentences."""
    return tuple(
        prompts.tell(table, f"sign.{notice.kind}", seat=notice.seat, rule=notice.rule)
        for notice in players_notices(table)
    )


def _takes_progressive_bets(table: Table) -> bool:
    assert table.settings is not None
    if settle.coin_wager(table.settings) is None:
        return True
    return table.round.progressive_open if table.round is not None else settle.progressive_may_open(table)
