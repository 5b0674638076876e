"""The rarer things that the dealer's panel can do: the other modes of the seat keys, the supervisor's key switch,
signing in, and the misdeal and count keys. Truths and moves; which phase allows what stands in the charts."""

from __future__ import annotations

from felt.nouns.ids import seat_of
from felt.nouns.values import replace
from felt.rules.rulebook import FOLD, PLAY, WALK_AWAY
from felt.table import facts, settle
from felt.table.guards import Guard, seat_has_no_decision
from felt.table.irregular import bets, discards, voids
from felt.table.irregular.keys import MISDEAL
from felt.table.irregular.parts import claim_is_confirmed, phase_of_play
from felt.table.state import Decision, Panel, Phase, Round, Table
from felt.table.upkeep import Move, notice

RETURN_BET, SEAT_OUT, LINK_BOXES, SIGN_IN = "return_bet", "seat_out", "link_boxes", "sign_in"
OTHER_MODES = (WALK_AWAY, RETURN_BET, SEAT_OUT, LINK_BOXES, SIGN_IN)
DECIDING_MODES = (FOLD, PLAY, WALK_AWAY)
KEY_SWITCH = "supervisor key"  # in whose name a void or a return is recorded that the key switch allowed

# From the snapshot to the settlement a single box can leave the round.
RETURNABLE = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)
# Outside the time of decisions a player may be noted to have left.
LEAVING = (Phase.DEALING, Phase.REVEALING)


def mode_after(mode: str) -> str:
    """What OTHER lights next."""
    if mode not in OTHER_MODES:
        return OTHER_MODES[0]
    return OTHER_MODES[(OTHER_MODES.index(mode) + 1) % len(OTHER_MODES)]


def dark(panel: Panel) -> Panel:
    return replace(panel, mode="", linking=0, mishap="")


def seats_that_act(table: Table) -> tuple[int, ...]:
    """The boxes on which the lit mode can do something now."""
    assert table.settings is not None
    mode, phase, playing = table.panel.mode, table.phase, table.round
    if not mode and phase not in (Phase.DECIDING, Phase.REVEALING):
        return ()  # most of an evening
    every = tuple(range(1, table.settings.seats + 1))
    if not mode and discards.is_due(table):
        return every[: len(discards.PLACES)]
    if mode == SEAT_OUT:
        return every if phase in (Phase.IDLE, Phase.BETTING) else ()
    if mode == SIGN_IN or (mode == MISDEAL and phase not in (Phase.IDLE, Phase.CLOSED, Phase.VOIDING)):
        return every
    if playing is None or phase not in (Phase.BETTING, Phase.LOCKING, *RETURNABLE):
        return ()
    if mode == LINK_BOXES:
        return every
    if mode == RETURN_BET and phase in RETURNABLE and table.panel.supervisor and voids.supervisor_may_return(table):
        return tuple(seat for seat in every if may_be_returned(playing, seat))
    if mode == WALK_AWAY:
        return tuple(seat for seat in _may_leave(table) if seat not in _left(playing))
    if mode in OTHER_MODES:
        return ()
    return settle.undecided_seats(table) if phase is Phase.DECIDING else ()


def _may_leave(table: Table) -> tuple[int, ...]:
    """Everybody with a bet that stands, whether he has a decision to make or not."""
    return settle.standing_seats(settle.round_of(table)) if table.phase in (Phase.DECIDING, *LEAVING) else ()


def _left(playing: Round) -> tuple[int, ...]:
    return tuple(one.seat for one in playing.decisions if one.left)


def may_be_returned(playing: Round, seat: int) -> bool:
    return seat not in playing.returned and any(bet.seat == seat and bet.accepted for bet in playing.bets)


# --- truths ------------------------------------------------------------------------------------------


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


def seat_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(
        fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused | facts.HandEstablished
    )
    return table.settings is None or not 1 <= fact.seat <= table.settings.seats


def mode_decides_nothing(table: Table, _: facts.Fact) -> bool:
    return table.panel.mode not in ("", *DECIDING_MODES)


def returns_without_the_key(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and not table.panel.supervisor


def mode_returns_nothing(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and nothing_to_return(table, fact)


def mode_may_not_return(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and voids.may_not_return(table, fact)


def nothing_to_return(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    too_late = phase_of_play(table) not in RETURNABLE
    return too_late or not may_be_returned(settle.round_of(table), fact.seat)


def seat_is_barred_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatBarred)
    return fact.out == (fact.seat in table.barred)


def dealer_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.DealerSignedIn)
    known = [name for name, _ in table.settings.dealers] if table.settings else []
    return fact.name not in ("", *known)


def supervisor_is_here(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor


def supervisor_may_not_void(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor and claim_is_confirmed(table)


def no_coin_spots(table: Table, _: facts.Fact) -> bool:
    return table.settings is None or settle.coin_wager(table.settings) is None


# --- moves -------------------------------------------------------------------------------------------


def light_mode(mode: str) -> Move:
    def light(table: Table, _: facts.Fact) -> Table:
        return replace(table, panel=replace(dark(table.panel), mode=mode))

    return light


def light_other_mode(table: Table, _: facts.Fact) -> Table:
    mode = table.panel.mode
    # While a discard is to be said the box keys are needed without a mode, and no other key leads there.
    after = "" if mode == OTHER_MODES[-1] and discards.is_due(table) else mode_after(mode)
    return replace(table, panel=replace(dark(table.panel), mode=after))


def walk_away(table: Table, seat: int) -> Decision:
    """With a decision to make it counts as a fold; a decision that was made stands and is settled, and so do bets
    that need none."""
    pending = Decision(seat, WALK_AWAY if seat in settle.undecided_seats(table) else "")
    made = next((one for one in settle.round_of(table).decisions if one.seat == seat), pending)
    return replace(made, left=True)


def toggle_barred(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return _barred(table, fact.seat, out=fact.seat not in table.barred)


def bar_seat(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatBarred)
    return _barred(table, fact.seat, out=fact.out)


def _barred(table: Table, seat: int, *, out: bool) -> Table:
    others = tuple(one for one in table.barred if one != seat)
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
    """Two boxes pressed one after the other belong to one player; a linked box pressed first is its own again."""
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
    left = (tuple(one for one in group if one != seat) for group in linked)
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


def note_mismatch(table: Table, _: facts.Fact) -> Table:
    count = len(settle.contributions(settle.round_of(table)))
    return notice(table, "noted", f"{count} progressive bets were accepted and the tray holds another number of chips.")


def turn_supervisor_key(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SupervisorTurned)
    table = replace(table, panel=replace(table.panel, supervisor=fact.on))
    return notice(table, "noted", f"The supervisor key is {'on' if fact.on else 'off'}.")


def sign_in(table: Table, fact: facts.Fact) -> Table:
    """The round names who was signed in when it opened; if nobody was, who came first."""
    assert isinstance(fact, facts.DealerSignedIn)
    table = replace(table, panel=replace(dark(table.panel), dealer=fact.name))
    if table.round is not None and not table.round.dealer:
        table = replace(table, round=replace(table.round, dealer=fact.name))
    return notice(table, "noted", f"Dealer {fact.name} is signed in." if fact.name else "No dealer is signed in.")


def sign_out(table: Table, _: facts.Fact) -> Table:
    return replace(table, panel=replace(dark(table.panel), dealer=""))


def note_wrong_code(table: Table, _: facts.Fact) -> Table:
    return notice(table, "noted", "No dealer has the code that was entered: enter it again.")
