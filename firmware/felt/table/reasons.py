"""Why a fact was refused, in sentences that a dealer can act on."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE
from felt.nouns.money import say
from felt.table import facts, settle
from felt.table.guards import stop_faults
from felt.table.state import Table

CONFIGURED_IN_ROUND = "The settings cannot change while a round is open: end the round first."
IN_SERVICE_ALREADY = "The table is in service already."
BOOTING = "The table is still starting."
CLOSED = "The table is closed: a supervisor opens it."
OPEN_ALREADY = "The table is open already."
ROUND_OPEN = "A round is in play: end it first."
BETS_OPEN = "Bets are open already."
MAIL_FULL = "Too many letters wait for the jackpot controller: restore the link before the next round."
CLOCK_TOO_EARLY = "By the table's clock no version of the rulebook is in force yet: set the clock."
NO_BETS_OPEN = "No bets are open: press OPEN first."
PRESSED_BEFORE_OPEN = "NO MORE BETS was pressed before bets were opened: press it again."
LOCKED_ALREADY = "Bets are closed already."
NOT_LOCKED = "Bets are not locked: there is nothing to collect."
NO_COIN_SPOTS = "This game has no coin spots: there is nothing to collect."
COLLECTED_ALREADY = "The coin spots are collected already."
AMOUNT_WRONG = "A bet's amount is more than nothing: key it in whole minor units."
ONE_PLAYER = "In this game a box has one player: no other may bet on it."
NOT_FOUND_NOW = "Amounts are found between the lock and the end of paying, a jackpot stake before SETTLE; not now."
NOTHING_TO_SHOW = "Hands are shown between the reveal and SETTLE, not now."
NO_COIN_SPOTS_HERE = "This game has no progressive bets."
NO_REFUSAL = "Refusing to show cards changes nothing in this game: the player proves his hand himself."
CARD_OUTSIDE_ROUND = "A card came outside a round: check the shuffler."
SEEN_ALREADY = "CARDS SEEN is noted already."
NO_CARDS_TO_SEE = "There are no cards to see now."
NO_DECISIONS = "There is no decision to make now."
MODE_FIRST = "Press FOLD or PLAY first, then the box."
NO_CARDS_DEALT = "No cards are out: there is no misdeal to declare."
NO_COUNT = "There is no count of progressive bets to compare now."
NO_RETURN = "Bets of a single box go back between the lock and the settlement, not now."
NOT_BARRED_NOW = "A box goes out of play between rounds or while bets are open, not now."
KEY_SWITCH_FIRST = "Bets go back with the supervisor key on: call the supervisor."
CODE_ON_THE_KEYS = "A code is entered on the panel's own keys; at the desk a dealer signs in by name."
REVEALED_ALREADY = "The dealer's hand is revealed: press SETTLE."
NOTHING_TO_REVEAL = "There is no hand to reveal now."
REVEAL_FIRST = "Reveal the dealer's hand first."
LOCKED_UP = "A jackpot is being verified: the supervisor confirms or denies it first."
NOTHING_TO_SETTLE = "There is nothing to settle now."
ANSWER_FIRST = "A question is open: the supervisor answers it before the round ends."
ANSWER_BEFORE_OPENING = "A question is open about the last round: the supervisor answers it before bets are opened."
NOT_VALUED = "The jackpot controller has not valued this claim yet."
CLAIM_CONFIRMED = "A jackpot of this round is confirmed: it cannot be voided here; call the shift manager."
VOID_ALREADY = "The round is void already: return the bets and press SETTLE."
NOTHING_TO_VOID = "There is no round to void."
TEST_OF_A_CLOSED_TABLE = "Test mode is for a closed table: end the round and close the table first."
NO_TEST = "The table is not in test mode: enter it first."
TOO_MANY_LAMPS = "A table has not so many lamps."


def faults_stand(table: Table, _: facts.Fact) -> str:
    codes = dict.fromkeys(stop_faults(table))
    remedies = " ".join(f"{code}: {CATALOGUE[code].remedy}" for code in codes)
    return f"The table stays out of service. {remedies}"


def in_test(table: Table, _: facts.Fact) -> str:
    return f"The table is in test mode ({table.service.tested_by}): leave it first."


def out_of_service(table: Table, fact: facts.Fact) -> str:
    if table.service.tested_by:
        return in_test(table, fact)
    if table.service.ordered_out:
        return f"The table is out of service ({table.service.ordered_out})."
    return faults_stand(table, fact)


def held(table: Table, _: facts.Fact) -> str:
    asked = ", ".join(one.id for one in table.irregularity.questions if one.holds)
    return f"Play is held: the supervisor answers {asked} first."


def no_such_spot(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    return f"{fact.spot} is no spot of this table."


def nothing_keyed(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetUnkeyed)
    return f"{fact.spot} has no keyed bet that could be taken back."


def coin_amount(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed) and table.settings is not None
    prescribed = table.settings.terms.progressive_stake
    if prescribed is None:
        return AMOUNT_WRONG
    stake = say(prescribed, table.settings.terms.currency)
    return f"{fact.spot} takes {stake} and no other amount: key that, or no amount."


def no_such_box(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned | facts.SeatBarred | facts.RevealRefused)
    return f"{fact.seat} is no box of this table."


def nothing_to_return(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed | facts.BetsReturned)
    return f"Box {fact.seat} has no bets that could go back now."


def no_bet_with_amount(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound)
    return f"{fact.spot}: there is no such bet in this round, or the amount is not more than nothing."


def short_coin(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    terms, rule = table.settings.terms, settle.paragraphs_of(table).wrong_coin_amount
    whole = say(terms.progressive_stake or 0, terms.currency)
    return (
        f"{fact.spot} was booked as {whole} with the lock and plays as that ({rule}): have it made up to {whole}; if "
        "it is not, press COUNT MISMATCH or let a supervisor return the bets of the box."
    )


def nobody_refuses(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.RevealRefused)
    if not settle.paragraphs_of(table).refused_reveal:
        return NO_REFUSAL
    return f"Box {fact.seat} has no played hand to show."


def switched_already(table: Table, _: facts.Fact) -> str:
    return f"Progressive bets are {'off' if table.progressive_off else 'on'} already."


def cannot_leave(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return f"Box {fact.seat} has no bet that stands, or its player has left already."


def barred_so_already(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatBarred)
    return f"Box {fact.seat} is {'out of' if fact.out else 'in'} play already."


def no_such_dealer(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.DealerSignedIn)
    return f"{fact.name} is no dealer of this table: the table file names them."


def mode_not_now(table: Table, _: facts.Fact) -> str:
    mode = table.panel.mode.replace("_", " ").upper()
    return f"{mode} does nothing at this point: press OTHER, FOLD or PLAY for another mode." if mode else NO_DECISIONS


def seat_decides_nothing(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return f"Box {fact.seat} has no decision to make."


def decided_so(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.SeatPressed)
    return f"Box {fact.seat} is at {table.panel.mode} already."


def undecided(table: Table, _: facts.Fact) -> str:
    return f"{say_undecided(settle.undecided_seats(table))}."


def say_undecided(seats: tuple[int, ...]) -> str:
    if len(seats) == 1:
        return f"Box {seats[0]} has not decided"
    return f"Boxes {', '.join(map(str, seats[:-1]))} and {seats[-1]} have not decided"


def no_such_claim(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed | facts.ClaimDenied)
    return f"Claim {fact.claim} is not the one in hand."
