"""Why a fact was refused, in sentences that a dealer can act on. None of them names a card that the room may not
see. A constant is the key of its sentence."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE
from felt.nouns.money import say
from felt.table import facts, inventory, settle
from felt.table.guards import stop_faults
from felt.table.prompts import tell
from felt.table.state import ServiceState, Table

CONFIGURED_IN_ROUND = "refused.configured_in_round"
IN_SERVICE_ALREADY = "refused.in_service_already"
BOOTING = "refused.booting"
CLOSED = "refused.closed"
OPEN_ALREADY = "refused.open_already"
ROUND_OPEN = "refused.round_open"
BETS_OPEN = "refused.bets_open"
MAIL_FULL = "refused.mail_full"
CLOCK_TOO_EARLY = "refused.clock_too_early"
PRESSED_BEFORE_OPEN = "refused.pressed_before_open"
LOCKED_ALREADY = "refused.locked_already"
NOT_LOCKED = "refused.not_locked"
NO_COIN_SPOTS = "refused.no_coin_spots"
COLLECTED_ALREADY = "refused.collected_already"
AMOUNT_WRONG = "refused.amount_wrong"
ONE_PLAYER = "refused.one_player"
NOT_FOUND_NOW = "refused.not_found_now"
NO_COIN_SPOTS_HERE = "refused.no_coin_spots_here"
CARD_OUTSIDE_ROUND = "refused.card_outside_round"
SEEN_ALREADY = "refused.seen_already"
NO_CARDS_TO_SEE = "refused.no_cards_to_see"
NO_DECISIONS = "refused.no_decisions"
MODE_FIRST = "refused.mode_first"
NO_CARDS_DEALT = "refused.no_cards_dealt"
NO_COUNT = "refused.no_count"
NO_RETURN = "refused.no_return"
NOT_BARRED_NOW = "refused.not_barred_now"
KEY_SWITCH_FIRST = "refused.key_switch_first"
CODE_ON_THE_KEYS = "refused.code_on_the_keys"
REVEALED_ALREADY = "refused.revealed_already"
NOTHING_TO_REVEAL = "refused.nothing_to_reveal"
REVEAL_FIRST = "refused.reveal_first"
LOCKED_UP = "refused.locked_up"
NOTHING_TO_SETTLE = "refused.nothing_to_settle"
ANSWER_FIRST = "refused.answer_first"
ANSWER_BEFORE_OPENING = "refused.answer_before_opening"
NOT_VALUED = "refused.not_valued"
RETURN_EVERY_BET = "refused.return_every_bet"
VOID_ALREADY = "refused.void_already"
NOTHING_TO_VOID = "refused.nothing_to_void"
TEST_OF_A_CLOSED_TABLE = "refused.test_of_a_closed_table"
NO_TEST = "refused.no_test"
TOO_MANY_LAMPS = "refused.too_many_lamps"
SUPERVISOR_ONLY = "refused.supervisor_only"
CARD_STRUCK = "refused.card_struck"
CARD_IS_OUT = "refused.card_is_out"
NO_CARD_MISSING = "refused.no_card_missing"
CARD_UNREAD = "refused.card_unread"
PLACE_EMPTIED = "noted.place_emptied"
DECK_IN_PLAY = "refused.deck_in_play"
NO_STUB = "refused.no_stub"


def faults_stand(table: Table, _: facts.Fact) -> str:
    return say_faults(table)


def say_faults(table: Table) -> str:
    """Which faults stop the table, and what to do about each."""
    codes = dict.fromkeys(stop_faults(table))
    remedies = " ".join(f"{code}: {CATALOGUE[code].remedy}" for code in codes)
    return tell(table, "refused.faults_stand", remedies=remedies)


def in_test(table: Table, _: facts.Fact) -> str:
    return say_test(table)


def say_test(table: Table) -> str:
    return tell(table, "refused.in_test", person=table.service.tested_by)


def not_in_service(table: Table, _: facts.Fact) -> str:
    return out_of_service(table)


def out_of_service(table: Table) -> str:
    """Why, and what brings it back. A fault is named only where one stands."""
    if table.service.tested_by:
        return say_test(table)
    if stop_faults(table):
        return say_faults(table)
    if table.service.ordered_out:
        return tell(table, "refused.ordered_out", why=table.service.ordered_out)
    if table.service.state is ServiceState.BOOTING:
        return tell(table, BOOTING)
    return tell(table, "refused.may_come_back")


def why_not_continued(table: Table) -> str:
    """Play goes on only at a table that serves."""
    if stop_faults(table):
        return tell(table, "refused.continue_after_fault")
    because = f" ({table.service.ordered_out})" if table.service.ordered_out else ""
    return tell(table, "refused.continue_in_service", because=because)


def claim_is_confirmed(table: Table, _: facts.Fact) -> str:
    return f"{tell(table, 'refused.claim_confirmed')} {tell(table, 'refused.declare_instead')}"


def held(table: Table, _: facts.Fact) -> str:
    asked = ", ".join(one.id for one in table.irregularity.questions if one.holds)
    return tell(table, "refused.held", asked=asked)


def bets_are_closed(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    rule = settle.paragraphs_of(table).after_lock
    return tell(table, "refused.bets_are_closed", spot=fact.spot, rule=rule)


def no_such_spot(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    return tell(table, "refused.no_such_spot", spot=fact.spot)


def nothing_keyed(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetUnkeyed)
    return tell(table, "refused.nothing_keyed", spot=fact.spot)


def coin_amount(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed) and table.settings is not None
    prescribed = table.settings.terms.progressive_stake
    if prescribed is None:
        return tell(table, AMOUNT_WRONG)
    stake = say(prescribed, table.settings.terms.currency)
    return tell(table, "refused.coin_amount", spot=fact.spot, stake=stake)


def no_such_box(table: Table, fact: facts.Fact) -> str:
    assert isinstance(
        fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused | facts.HandEstablished
    )
    return tell(table, "refused.no_such_box", box=fact.seat)


def nothing_to_return(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    return tell(table, "refused.nothing_to_return", box=fact.seat)


def no_bet_with_amount(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound)
    return tell(table, "refused.no_bet_with_amount", spot=fact.spot)


def short_coin(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    terms, rule = table.settings.terms, settle.paragraphs_of(table).wrong_coin_amount
    whole = say(terms.progressive_stake or 0, terms.currency)
    booked = tell(table, "refused.short_coin", spot=fact.spot, whole=whole, rule=rule)
    return f"{booked}; {tell(table, 'refused.short_coin_else')}"


def no_word_of_a_denial(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ClaimDenied)
    return tell(table, "refused.denial", word=fact.hand, misread=settle.MISREAD, stands=settle.STANDS)


def switched_already(table: Table, _: facts.Fact) -> str:
    return tell(table, "refused.progressive_off" if table.progressive_off else "refused.progressive_on")


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


def seat_decides_nothing(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return tell(table, "refused.seat_decides_nothing", box=fact.seat)


def decided_so(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return tell(table, "refused.decided_so", box=fact.seat, mode=table.panel.mode)


def undecided(table: Table, _: facts.Fact) -> str:
    seats = settle.undecided_seats(table)
    if len(seats) == 1:
        return tell(table, "refused.undecided", boxes=seats[0])
    return tell(table, "refused.undecided_boxes", boxes=", ".join(map(str, seats[:-1])), last=seats[-1])


def no_such_claim(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed | facts.ClaimDenied)
    return tell(table, "refused.no_such_claim", claim=fact.claim)


def no_such_card(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return tell(table, "refused.no_such_card", card=repr(fact.card))


def bets_stay_open(table: Table, _: facts.Fact) -> str:
    return inventory.why_no_lock(table)
