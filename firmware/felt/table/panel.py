"""The rarer things that the dealer's panel can do: the other modes of the seat keys, the supervisor's key switch,
signing in, and the misdeal and count keys. Truths and moves; which phase allows what stands in the charts."""

from __future__ import annotations

from felt.rules.rulebook import FOLD, PLAY, WALK_AWAY
from felt.table import facts, guards, settle
from felt.table.guards import Guard
from felt.table.irregular.keys import MISDEAL
from felt.table.irregular.parts import claim_is_confirmed, phase_of_play
from felt.table.state import Decision, Panel, Phase, Round, Table, with_parts
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
    return panel._replace(mode="", linking=0, mishap="")


def seats_that_act(table: Table) -> tuple[int, ...]:
    """The boxes on which the lit mode can do something now."""
    assert table.settings is not None
    mode, phase, playing = table.panel.mode, table.phase, table.round
    if not mode and phase is not Phase.DECIDING:
        return ()  # most of an evening
    every = tuple(range(1, table.settings.seats + 1))
    if mode == SEAT_OUT:
        return every if phase in (Phase.IDLE, Phase.BETTING) else ()
    if mode == SIGN_IN or (mode == MISDEAL and phase not in (Phase.IDLE, Phase.CLOSED, Phase.VOIDING)):
        return every
    if playing is None or phase not in (Phase.BETTING, Phase.LOCKING, *RETURNABLE):
        return ()
    if mode == LINK_BOXES:
        return every
    if mode == RETURN_BET and phase in RETURNABLE and table.panel.supervisor:
        return tuple(seat for seat in every if may_be_returned(playing, seat))
    if mode == WALK_AWAY:
        return tuple(seat for seat in _may_leave(table) if seat not in _left(playing))
    if mode in OTHER_MODES:
        return ()
    return settle.undecided_seats(table) if phase is Phase.DECIDING else ()


def _may_leave(table: Table) -> tuple[int, ...]:
    """While decisions are made, those who have one; before and after it everybody with a bet that stands."""
    if table.phase is Phase.DECIDING:
        return settle.deciding_seats(table)
    return settle.standing_seats(settle.round_of(table)) if table.phase in LEAVING else ()


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


def seat_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused)
    return table.settings is None or not 1 <= fact.seat <= table.settings.seats


def seat_decides(table: Table, fact: facts.Fact) -> bool:
    """The usual press: a lit mode that decides, and a box that has not decided so."""
    if table.panel.mode not in DECIDING_MODES or guards.seat_has_no_decision(table, fact):
        return False
    return not guards.seat_decided_so_already(table, fact)


def mode_decides_nothing(table: Table, _: facts.Fact) -> bool:
    return table.panel.mode not in ("", *DECIDING_MODES)


def returns_without_the_key(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and not table.panel.supervisor


def mode_returns_nothing(table: Table, fact: facts.Fact) -> bool:
    return returns(table, fact) and nothing_to_return(table, fact)


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


def supervisor_voids(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor and table.round is not None and not claim_is_confirmed(table)


def no_coin_spots(table: Table, _: facts.Fact) -> bool:
    return table.settings is None or settle.coin_wager(table.settings) is None


# --- moves -------------------------------------------------------------------------------------------


def light_mode(mode: str) -> Move:
    def light(table: Table, _: facts.Fact) -> Table:
        return with_parts(table, panel=dark(table.panel)._replace(mode=mode))

    return light


def light_other_mode(table: Table, _: facts.Fact) -> Table:
    return table._replace(panel=dark(table.panel)._replace(mode=mode_after(table.panel.mode)))


def walk_away(table: Table, seat: int) -> Decision:
    """With a decision to make it counts as a fold; a decision that was made stands and is settled, and so do bets
    that need none."""
    pending = Decision(seat, WALK_AWAY if seat in settle.undecided_seats(table) else "")
    made = next((one for one in settle.round_of(table).decisions if one.seat == seat), pending)
    return made._replace(left=True)


def toggle_barred(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatPressed)
    return _barred(table, fact.seat, out=fact.seat not in table.barred)


def bar_seat(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SeatBarred)
    return _barred(table, fact.seat, out=fact.out)


def _barred(table: Table, seat: int, *, out: bool) -> Table:
    others = tuple(one for one in table.barred if one != seat)
    table = table._replace(barred=tuple(sorted((*others, seat))) if out else others)
    rule = settle.paragraphs_of(table).box_barred
    said = f"is out of play ({rule}): no bets on it" if out else "is in play again"
    return notice(table, "noted", f"Box {seat} {said}.")


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
    return table._replace(panel=table.panel._replace(linking=0 if first else fact.seat))


def _with_links(table: Table, linked: tuple[tuple[int, ...], ...], said: str) -> Table:
    table = table._replace(
        round=settle.round_of(table)._replace(linked=linked), panel=table.panel._replace(linking=0)
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
    playing = settle.round_of(table)
    table = table._replace(round=playing._replace(returned=tuple(sorted((*playing.returned, fact.seat)))))
    rule = settle.paragraphs_of(table).dealing_error
    person = fact.person if isinstance(fact, facts.BetsReturned) else KEY_SWITCH
    return notice(table, "noted", f"Box {fact.seat}: the hand is invalid, hand its bets back ({rule}; {person}).")


def note_mismatch(table: Table, _: facts.Fact) -> Table:
    count = len(settle.contributions(settle.round_of(table)))
    return notice(table, "noted", f"{count} progressive bets were accepted and the tray holds another number of chips.")


def turn_supervisor_key(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.SupervisorTurned)
    table = table._replace(panel=table.panel._replace(supervisor=fact.on))
    return notice(table, "noted", f"The supervisor key is {'on' if fact.on else 'off'}.")


def sign_in(table: Table, fact: facts.Fact) -> Table:
    """The round names who was signed in when it opened; if nobody was, who came first."""
    assert isinstance(fact, facts.DealerSignedIn)
    table = table._replace(panel=dark(table.panel)._replace(dealer=fact.name))
    if table.round is not None and not table.round.dealer:
        table = table._replace(round=table.round._replace(dealer=fact.name))
    return notice(table, "noted", f"Dealer {fact.name} is signed in." if fact.name else "No dealer is signed in.")


def sign_out(table: Table, _: facts.Fact) -> Table:
    return table._replace(panel=dark(table.panel)._replace(dealer=""))


def note_wrong_code(table: Table, _: facts.Fact) -> Table:
    return notice(table, "noted", "No dealer has the code that was entered: enter it again.")
