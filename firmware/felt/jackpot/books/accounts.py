"""Accounts of a meter, and why money moves between them. Each movement is a transfer: so much from one account to
another, for a reason that is enumerated here with the ways it may take. So the sum of all accounts of a meter is nought
after every transfer, and a sum by account and code is a report."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import Value


class Account(StrEnum):
    PLAYERS = "players"  # what bets bring, and voids take back
    PENDING = "pending"  # of locked rounds without a result
    WAITING = "waiting"  # of rounds that stand behind a hit
    DISPLAY = "display"  # settled, and what the next award is a share of
    RESERVE = "reserve"
    OVERFLOW = "overflow"  # what the limit kept off the display
    WINNERS = "winners"
    HOUSE = "house"


PURSES = (Account.DISPLAY, Account.RESERVE, Account.OVERFLOW, Account.WAITING)  # what a meter holds
OUTSIDE_THE_METER = (Account.PLAYERS, Account.HOUSE)  # the two that may be below nought


class Code(StrEnum):
    """Why money moved, or what was noted without any."""

    SEED = "seed"  # the house opens a meter, or begins a cycle
    MADE_GOOD = "made_good"  # the house adds what an award or a void lacks
    ROUNDING = "rounding"  # the house adds less than a minor unit to an award that is rounded up
    PENDED = "pended"
    DROPPED = "dropped"
    ADDED_NOTHING = "added_nothing"  # the round's jackpot was won, so by a reading its bets add nothing
    COMMITTED = "committed"
    CORRECTED = "corrected"  # a void or returned bet takes a committed contribution back
    RERATED = "rerated"  # new terms change what pends
    MOVED_UP = "moved_up"  # bets that stood behind a hit
    FOLDED = "folded"  # a side purse joins the display
    SPILLED = "spilled"  # what stands above the limit
    SWEPT = "swept"  # what a partial win leaves, by the reading that begins again after it
    CLEARED = "cleared"  # by an authorised clear
    AWARDED = "awarded"
    AWARDED_AS_REGISTERED = "awarded_as_registered"  # as its table stated it while the link was lost
    MALFUNCTION_CORRECTED = "malfunction_corrected"  # these four by two persons, with a reason
    OVER_LIMIT_CORRECTED = "over_limit_corrected"
    ADJUSTED = "adjusted"
    SEED_RECOVERED = "seed_recovered"
    # From here on nothing moves.
    CLAIMED = "claimed"
    VALUED = "valued"
    STATED = "stated"  # a table has paid a claim by its registered value; the meter pays when the hit has its turn
    DENIED = "denied"
    WITHDRAWN = "withdrawn"
    CLAIM_CORRECTED = "claim_corrected"  # an open one: its level or share, by two persons
    AWARD_CORRECTED = "award_corrected"  # of a paid one, what was due; the amount is the difference
    AWARD_ACCEPTED = "award_accepted"  # a stated award above its bound, by two persons
    ORDERED = "ordered"  # claims, by the house
    RELEASED = "released"  # a claim from waiting, by a supervisor
    TERMS_AGREED = "terms_agreed"
    TERMS_CHANGED = "terms_changed"
    REINSTATED = "reinstated"  # a journal that its table had left
    PERIOD_CLOSED = "period_closed"
    CLOCK_DOUBTED = "clock_doubted"
    CLOCK_CONFIRMED = "clock_confirmed"
    NOTED = "noted"
    ALERT = "alert"  # somebody should look
    ALARM = "alarm"


AWARDS = (Code.AWARDED, Code.AWARDED_AS_REGISTERED)
ADJUSTMENTS = (Code.MALFUNCTION_CORRECTED, Code.OVER_LIMIT_CORRECTED, Code.ADJUSTED, Code.SEED_RECOVERED)
COUNTED = (Code.COMMITTED, Code.CORRECTED)  # transfers that bear stakes and wagers

_Way = tuple[Account, Account]
_P, _N, _W, _D = Account.PLAYERS, Account.PENDING, Account.WAITING, Account.DISPLAY
_R, _O, _X, _H = Account.RESERVE, Account.OVERFLOW, Account.WINNERS, Account.HOUSE
_ADJUSTING = tuple(way for purse in (_D, _R, _O) for way in ((_H, purse), (purse, _H)))

# From whom to whom each code may move money. From or to the house: only by rules that bound it.
WAYS: dict[Code, tuple[_Way, ...]] = {
    Code.SEED: ((_H, _D),),
    Code.MADE_GOOD: ((_H, _D), (_H, _P)),
    Code.ROUNDING: ((_H, _D),),
    Code.PENDED: ((_P, _N),),
    Code.DROPPED: ((_N, _P),),
    Code.ADDED_NOTHING: ((_N, _P),),
    Code.COMMITTED: ((_N, _D), (_N, _O), (_N, _W), (_N, _R)),
    Code.CORRECTED: ((_D, _P), (_O, _P), (_W, _P), (_R, _P)),
    Code.RERATED: ((_P, _N), (_N, _P)),
    Code.MOVED_UP: ((_W, _D), (_W, _O)),
    Code.FOLDED: ((_O, _D), (_R, _D), (_R, _O)),
    Code.SPILLED: ((_D, _O),),
    Code.SWEPT: ((_D, _R),),
    Code.CLEARED: ((_D, _R), (_O, _R)),
    Code.AWARDED: ((_D, _X),),
    Code.AWARDED_AS_REGISTERED: ((_D, _X),),
    **dict.fromkeys(ADJUSTMENTS, _ADJUSTING),
}


class Transfer(Value):
    """One movement of one meter, before it is said whose it is."""

    code: Code
    debit: Account  # where it comes from
    credit: Account  # where it goes
    micro: int
    stake_minor: int = 0  # what was staked for it, and in how many bets: counted once for each round
    wagers: int = 0


class Entry(Value):
    """One line of the ledger: a transfer, or a note of which the accounts are empty."""

    code: Code
    table: str = ""
    nonce: str = ""
    round: int = 0
    claim: str = ""
    meter: str = ""
    debit: Account | None = None
    credit: Account | None = None
    amount: int = 0  # micro-units
    stake_minor: int = 0
    wagers: int = 0
    at_wall_ns: int = 0  # when its table acted, or the controller, by the clock of that one
    detail: str = ""
    persons: str = ""  # who did it, where persons did
