"""The dealer's panel: modes of the box keys, the supervisor's key switch, signing in, barred and linked boxes, returned
bets."""

from __future__ import annotations

from felt.nouns.ids import seat_of
from felt.nouns.values import replace
from felt.rules.rulebook import FOLD, PLAY, WALK_AWAY
from felt.table import bets, deciding, discards, facts, questions, remedies, settle, state, voiding
from felt.table.chart import Guard, move, refuse, stay
from felt.table.deciding import NO_DECISIONS, seat_has_no_decision
from felt.table.misdeals import MISDEAL_MODE
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.state import BEFORE_SETTLEMENT, EVERY_PHASE, Phase, Round, ServiceState, Table, phase_of_play
from felt.table.voiding import KEY_SWITCH

MODE_FIRST = "refused.mode_first"
NO_RETURN = "refused.no_return"
NOT_BARRED_NOW = "refused.not_barred_now"
KEY_SWITCH_FIRST = "refused.key_switch_first"
CODE_ON_THE_KEYS = "refused.code_on_the_keys"
RETURN_BET, SEAT_OUT, LINK_BOXES, SIGN_IN = "return_bet", "seat_out", "link_boxes", "sign_in"
OTHER_MODES = (WALK_AWAY, RETURN_BET, SEAT_OUT, LINK_BOXES, SIGN_IN)
DECIDING_MODES = (FOLD, PLAY, WALK_AWAY)
# Outside the time of decisions a player's leaving may be recorded.
LEAVING = (Phase.DEALING, Phase.REVEALING)


def mode_after(mode: str) -> str:
    """The mode that OTHER lights next."""
    if mode not in OTHER_MODES:
        return OTHER_MODES[0]
    return OTHER_MODES[(OTHER_MODES.index(mode) + 1) % len(OTHER_MODES)]


def seats_that_act(table: Table) -> tuple[int, ...]:
    """The boxes on which the lit mode can act now."""
    assert table.settings is not None
    mode, phase, playing = table.panel.mode, table.phase, table.round
    if not mode and phase not in (Phase.DECIDING, Phase.REVEALING):
        return ()  # the usual case
    every = tuple(range(1, table.settings.seats + 1))
    if not mode and discards.is_due(table):
        return every[: len(discards.PLACES)]
    if mode == SEAT_OUT:
        return every if phase in (Phase.IDLE, Phase.BETTING) else ()
    if mode == SIGN_IN or (mode == MISDEAL_MODE and phase not in (Phase.IDLE, Phase.CLOSED, Phase.VOIDING)):
        return every
    if playing is None or phase not in (Phase.BETTING, Phase.LOCKING, *BEFORE_SETTLEMENT):
        return ()
    if mode == LINK_BOXES:
        return every
    may_return = table.panel.supervisor and phase in BEFORE_SETTLEMENT
    if mode == RETURN_BET and may_return and voiding.supervisor_may_return(table):
        return tuple(seat for seat in every if may_be_returned(playing, seat))
    if mode == WALK_AWAY:
        return tuple(seat for seat in _may_leave(table) if seat not in _left(playing))
    if mode in OTHER_MODES or discards.is_due(table):
        return ()
    return settle.undecided_seats(table) if phase is Phase.DECIDING else ()


def _may_leave(table: Table) -> tuple[int, ...]:
    """Every box with a standing bet, whether it has a decision to make or not."""
    return settle.standing_seats(settle.round_of(table)) if table.phase in (Phase.DECIDING, *LEAVING) else ()


def _left(playing: Round) -> tuple[int, ...]:
    return tuple(decision.seat for decision in playing.decisions if decision.left)


def may_be_returned(playing: Round, seat: int) -> bool:
    return seat not in playing.returned and any(bet.seat == seat and bet.accepted for bet in playing.bets)


# --- truths ------------------------------------------------------------------------------------------


def return_leaves_nobody(table: Table, fact: facts.Fact) -> bool:
    """An order or a key returns the bets of the last box in the round."""
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    if isinstance(fact, facts.SeatPressed) and not returns(table, fact):
        return False
    playing = settle.round_of(table)
    return not remedies.plays(table, (*playing.returned, fact.seat))


def bets_stay_while_held(table: Table, fact: facts.Fact) -> bool:
    """While play is held, bets go back only by what the question offers, or by a void that it allows."""
    return voiding.may_not_return_while_held(table) or return_leaves_nobody(table, fact)


def mode_is(mode: str) -> Guard:
    def mode_is_lit(table: Table, _: facts.Fact) -> bool:
        return table.panel.mode == mode

    mode_is_lit.__name__ = f"mode_is_{mode}"
    return mode_is_lit


leaves = mode_is(WALK_AWAY)
bars = mode_is(SEAT_OUT)
links = mode_is(LINK_BOXES)
returns = mode_is(RETURN_BET)


def seat_cannot_leave(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return leaves(table, fact) and fact.seat not in seats_that_act(table)


def seat_leaves_without_a_decision(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed)
    return leaves(table, fact) and fact.seat in seats_that_act(table) and seat_has_no_decision(table, fact)


def mode_decides_nothing(table: Table, _: facts.Fact) -> bool:
    return table.panel.mode not in ("", *DECIDING_MODES)


def returns_without_the_key(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and not table.panel.supervisor


def mode_returns_nothing(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and box_has_nothing_to_return(table, fact)


def mode_may_not_return(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and voiding.may_not_return(table, fact)


def box_has_nothing_to_return(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    too_late = phase_of_play(table) not in BEFORE_SETTLEMENT
    return too_late or not may_be_returned(settle.round_of(table), fact.seat)


def seat_is_barred_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatBarred)
    return fact.out == (fact.seat in table.barred)


def dealer_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.DealerSignedIn)
    known = [name for name, _ in table.settings.dealers] if table.settings else []
    return fact.name not in ("", *known)


# --- reasons -----------------------------------------------------------------------------------------


def nothing_to_return(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    return tell(table, "refused.nothing_to_return", box=fact.seat)


def cannot_leave(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return tell(table, "refused.cannot_leave", box=fact.seat)


def barred_so_already(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatBarred)
    return tell(table, "refused.barred" if fact.out else "refused.not_barred", box=fact.seat)


def no_such_dealer(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.DealerSignedIn)
    return tell(table, "refused.no_such_dealer", name=fact.name)


def mode_not_now(table: Table, _: facts.Fact) -> str:
    mode = table.panel.mode.replace("_", " ").upper()
    return tell(table, "refused.mode_not_now", mode=mode) if mode else tell(table, NO_DECISIONS)


# --- moves -------------------------------------------------------------------------------------------


def light_other_mode(table: Table, _: facts.Fact) -> Table:
    mode = table.panel.mode
    # The box keys are needed without a mode while a discard must be told, and no other key does that.
    is_last = mode == OTHER_MODES[-1] or (bool(mode) and mode not in OTHER_MODES)
    after = "" if is_last and discards.is_due(table) else mode_after(mode)
    return replace(table, panel=replace(state.without_mode(table.panel), mode=after))


def toggle_barred(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return _barred(table, fact.seat, out=fact.seat not in table.barred)


def bar_seat(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatBarred)
    return _barred(table, fact.seat, out=fact.out)


def _barred(table: Table, seat: int, *, out: bool) -> Table:
    others = tuple(box for box in table.barred if box != seat)
    table = replace(table, barred=tuple(sorted((*others, seat))) if out else others)
    rule = settle.paragraphs_of(table).box_barred
    said = f"is out of play ({rule}): no bets on it" if out else "is in play again"
    table = notice(table, "noted", f"Box {seat} {said}.")
    if not out or table.phase is not Phase.BETTING:
        return table
    for remark in bets.not_taken(table):
        if seat_of(remark.spot) == seat:
            table = notice(table, "noted", remark.sentence)
    return table


def link_box(table: Table, fact: facts.Fact) -> Table:
    """Two boxes pressed one after the other belong to one player. If the first was linked, it becomes its own again."""
    assert isinstance(fact, facts.SeatPressed)
    playing, first = settle.round_of(table), table.panel.linking
    linked = any(fact.seat in boxes for boxes in playing.linked)
    if first and first != fact.seat:
        said = f"Boxes {first} and {fact.seat} belong to one player."
        return _with_links(table, _joined(playing.linked, first, fact.seat), said)
    if linked:
        said = f"Box {fact.seat} belongs to a player of its own."
        return _with_links(table, _parted(playing.linked, fact.seat), said)
    return replace(table, panel=replace(table.panel, linking=0 if first else fact.seat))


def _with_links(table: Table, linked: tuple[tuple[int, ...], ...], said: str) -> Table:
    table = replace(
        table,
        round=replace(settle.round_of(table), linked=linked), panel=replace(table.panel, linking=0)
    )
    return notice(table, "noted", said)


def _joined(linked: tuple[tuple[int, ...], ...], first: int, second: int) -> tuple[tuple[int, ...], ...]:
    boxes = [first, second, *(seat for group in linked if first in group or second in group for seat in group)]
    others = (group for group in linked if first not in group and second not in group)
    return tuple(sorted((*others, tuple(sorted(dict.fromkeys(boxes))))))


def _parted(linked: tuple[tuple[int, ...], ...], seat: int) -> tuple[tuple[int, ...], ...]:
    left = (tuple(box for box in group if box != seat) for group in linked)
    return tuple(group for group in left if len(group) > 1)


def return_bets(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    playing, paragraphs = settle.round_of(table), settle.paragraphs_of(table)
    returned = tuple(sorted((*playing.returned, fact.seat)))
    by = (*playing.returned_by, (fact.seat, paragraphs.bets_back))
    table = replace(table, round=replace(playing, returned=returned, returned_by=by))
    rule = paragraphs.dealing_error
    person = fact.person if isinstance(fact, facts.BetsReturned) else KEY_SWITCH
    return notice(table, "noted", f"Box {fact.seat}: the hand is invalid, hand its bets back ({rule}; {person}).")


def turn_supervisor_key(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SupervisorTurned)
    table = replace(table, panel=replace(table.panel, supervisor=fact.on))
    return notice(table, "noted", f"The supervisor key is {'on' if fact.on else 'off'}.")


def sign_in(table: Table, fact: facts.Fact) -> Table:
    """The round names the dealer who was signed in when it opened, or otherwise the first one who signed in."""
    assert isinstance(fact, facts.DealerSignedIn)
    table = replace(table, panel=replace(state.without_mode(table.panel), dealer=fact.name))
    if table.round is not None and not table.round.dealer:
        table = replace(table, round=replace(table.round, dealer=fact.name))
    return notice(table, "noted", f"Dealer {fact.name} is signed in." if fact.name else "No dealer is signed in.")


def note_wrong_code(table: Table, _: facts.Fact) -> Table:
    return notice(table, "noted", "No dealer has the code that was entered: enter it again.")


def return_last_bets(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    table = return_bets(table, fact)
    person = fact.person if isinstance(fact, facts.BetsReturned) else KEY_SWITCH
    reason = "every box has its bets back"
    return voiding.void(table, fact.at, settle.paragraphs_of(table).dealing_error, reason, person)


def why_not_returned(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetsReturned)
    if voiding.may_not_return_while_held(table):
        return voiding.why_not_returned(table)
    asked = table.irregularity.questions
    return tell(table, "refused.last_box", box=fact.seat, id=asked[0].id if asked else "")


# --- rows --------------------------------------------------------------------------------------------

_FROM_OPEN_TO_SETTLEMENT = (Phase.BETTING, Phase.LOCKING, *BEFORE_SETTLEMENT)
SERVICE_ROWS = (
    *stay(facts.SupervisorTurned, ServiceState, do=turn_supervisor_key),
)
ROWS = (
    *refuse(facts.OtherModePressed, Phase.INTERRUPTED, questions.held),
    *stay(facts.OtherModePressed, EVERY_PHASE, do=light_other_mode),
    *refuse(facts.SeatPressed, EVERY_PHASE, deciding.no_such_box, when=deciding.seat_is_unknown),
    *stay(
        facts.SeatPressed, (Phase.DECIDING, Phase.REVEALING), when=discards.key_says_it, do=discards.say_by_key
    ),
    *refuse(
        facts.SeatPressed, Phase.DECIDING, discards.say_first, when=discards.key_is_for_a_decision,
        do=discards.switch_dark,
    ),
    *refuse(
        facts.SeatPressed, (Phase.DECIDING, Phase.REVEALING), discards.say_first, when=discards.no_key_says_it
    ),
    *refuse(facts.SeatPressed, EVERY_PHASE, CODE_ON_THE_KEYS, when=mode_is(SIGN_IN)),
    *stay(facts.SeatPressed, (Phase.IDLE, Phase.BETTING), when=bars, do=toggle_barred),
    *stay(facts.SeatPressed, _FROM_OPEN_TO_SETTLEMENT, when=links, do=link_box),
    *refuse(facts.SeatPressed, LEAVING, cannot_leave, when=seat_cannot_leave),
    *stay(facts.SeatPressed, LEAVING, when=leaves, do=deciding.note_left),
    *stay(facts.SeatPressed, Phase.DECIDING, when=seat_leaves_without_a_decision, do=deciding.note_left),
    *refuse(
        facts.SeatPressed, BEFORE_SETTLEMENT, KEY_SWITCH_FIRST,
        when=returns_without_the_key,
    ),
    *refuse(
        facts.SeatPressed, BEFORE_SETTLEMENT, nothing_to_return, when=mode_returns_nothing
    ),
    *refuse(
        facts.SeatPressed, BEFORE_SETTLEMENT, voiding.why_no_return, when=mode_may_not_return
    ),
    *move(
        facts.SeatPressed, BEFORE_SETTLEMENT, Phase.VOIDING,
        when=return_leaves_nobody, do=return_last_bets,
    ),
    *stay(facts.SeatPressed, BEFORE_SETTLEMENT, when=returns, do=return_bets),
    *refuse(facts.SeatPressed, Phase.DECIDING, MODE_FIRST, when=deciding.mode_is_dark),
    *refuse(facts.SeatPressed, Phase.DECIDING, mode_not_now, when=mode_decides_nothing),
    *refuse(facts.SeatPressed, Phase.DECIDING, deciding.seat_decides_nothing, when=seat_has_no_decision),
    *refuse(facts.SeatPressed, Phase.DECIDING, deciding.decided_so, when=deciding.seat_decided_so_already),
    *stay(facts.SeatPressed, Phase.DECIDING, do=deciding.decide),
    *refuse(facts.SeatPressed, EVERY_PHASE, mode_not_now),
    *refuse(
        (facts.BetsReturned, facts.SeatBarred), EVERY_PHASE, deciding.no_such_box,
        when=deciding.seat_is_unknown,
    ),
    *refuse(
        facts.BetsReturned, (*BEFORE_SETTLEMENT, Phase.INTERRUPTED), nothing_to_return,
        when=box_has_nothing_to_return,
    ),
    *refuse(
        facts.BetsReturned, (*BEFORE_SETTLEMENT, Phase.INTERRUPTED), voiding.why_no_return,
        when=voiding.may_not_return,
    ),
    *refuse(facts.BetsReturned, Phase.INTERRUPTED, why_not_returned, when=bets_stay_while_held),
    *move(
        facts.BetsReturned, BEFORE_SETTLEMENT, Phase.VOIDING,
        when=return_leaves_nobody, do=return_last_bets,
    ),
    *stay(facts.BetsReturned, (*BEFORE_SETTLEMENT, Phase.INTERRUPTED), do=return_bets),
    *refuse(facts.BetsReturned, EVERY_PHASE, NO_RETURN),
    *refuse(facts.SeatBarred, EVERY_PHASE, barred_so_already, when=seat_is_barred_so_already),
    *stay(facts.SeatBarred, (Phase.CLOSED, Phase.IDLE, Phase.BETTING), do=bar_seat),
    *refuse(facts.SeatBarred, EVERY_PHASE, NOT_BARRED_NOW),
    *refuse(facts.DealerSignedIn, EVERY_PHASE, no_such_dealer, when=dealer_is_unknown),
    *stay(facts.DealerSignedIn, EVERY_PHASE, do=sign_in),
    *stay(facts.WrongCodeEntered, EVERY_PHASE, do=note_wrong_code),
)
