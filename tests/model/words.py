"""The nouns of the model: what a table has written, what the controller's ledger holds, and what is only in memory.
They are frozen values, so that a state can be a key. Money is counted in units: each round's bets raise the meter by
`BETS`, and a new cycle begins at `RESET`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

RESET, BETS = 10, 2
NAMES = "AB"
WHOLE, HALF = 1, 2
SHARES = (WHOLE, HALF)  # the share of each table's claims: the whole meter for table A, half of it for table B
NO_VALUE = -1
NOWHERE = -1


class Setting(NamedTuple):
    """How far the explorer goes."""

    rounds: tuple[int, int] = (1, 1)
    claims: int = 2
    table_crashes: int = 1
    controller_crashes: int = 1
    seats: int = 1  # of one round that may claim
    backlog: int = 2  # a table writes nothing new while this many letters have not arrived
    voids: bool = True
    corrections: bool = True  # voids after the result
    house_drops: bool = True
    apart: bool = True  # taking a letter and committing it are two steps


class Letter(NamedTuple):
    kind: str
    round: int
    seat: int = 0
    amount: int = 0  # an award; of an end, the awards
    staked: int = 0
    time: int = 0  # of the last card, by the table's clock
    boot: int = 0  # of that clock
    claims: int = 0  # of a result
    after: bool = False  # of a void: after the result


class Table(NamedTuple):
    """All of it is in the journal: a crash begins another boot and forgets nothing. A thought that was not written is
    not here, because nobody heard it."""

    mail: tuple[Letter, ...] = ()  # every letter that was ever written; its place is its number
    answered: int = 0  # no more than this many are kept
    boot: int = 0
    valued: tuple[tuple[int, int], ...] = ()  # by seat, for the round that is played


class Moment(NamedTuple):
    """When a hand was dealt. The controller knows the time only as far as clocks are tied together."""

    time: int
    table: int
    boot: int
    placed: int = NOWHERE  # the controller's boot in whose time it lies


class Claim(NamedTuple):
    table: int
    round: int
    seat: int
    moment: Moment
    late: bool = False
    house: int = 0  # place in the order of the house
    released: bool = False
    value: int = NO_VALUE


class Round(NamedTuple):
    table: int
    number: int
    stage: str = "pending"
    dealt: Moment | None = None
    paid: int = 0
    awards: int = 0
    paid_away: bool = False  # an award has closed what its bets were settled in


class Lot(NamedTuple):
    """The bets of a round that are in the next cycle."""

    table: int
    number: int
    dealt: Moment


class Purse(NamedTuple):
    display: int = RESET
    bucket: int = 0
    pended: int = 0
    committed: int = 0
    dropped: int = 0
    corrected: int = 0
    seeded: int = RESET
    awarded: int = 0


class Standing(NamedTuple):
    """The ledger."""

    heard: tuple[int, int] = (0, 0)
    rounds: tuple[Round, ...] = ()
    claims: tuple[Claim, ...] = ()  # in the order of their arrival
    hits: tuple[Claim, ...] = ()
    purse: Purse = Purse()
    lots: tuple[Lot, ...] = ()


class Clocks(NamedTuple):
    """In the controller's memory: which boots of which tables are tied to its own."""

    boot: int = 0
    known: frozenset[tuple[int, int]] = frozenset()


class Staged(NamedTuple):
    """What the controller has thought but not committed."""

    standing: Standing
    table: int
    number: int


class State(NamedTuple):
    tables: tuple[Table, Table] = (Table(), Table())
    standing: Standing = Standing()
    clocks: Clocks = Clocks()
    said: tuple[int, int] = (0, 0)  # the highest letter that each table was sent an answer to
    staged: Staged | None = None
    time: int = 0  # of the last deal in the house
    crashes: tuple[int, int] = (0, 0)  # of tables, of the controller


class Action(NamedTuple):
    name: str
    table: int = -1
    number: int = 0
    seat: int = 0

    def __str__(self) -> str:
        parts = [self.name, *([NAMES[self.table]] if self.table >= 0 else [])]
        return " ".join([*parts, *(str(part) for part in (self.number, self.seat) if part)])


class Playing(NamedTuple):
    """What a table's own mail says about the round that it plays."""

    round: int = 0
    stage: str = "ended"
    open_seats: tuple[int, ...] = ()  # claims that nobody has decided
    awards: int = 0


@cache
def playing(mail: tuple[Letter, ...]) -> Playing:
    now = Playing()
    for letter in mail:
        match letter.kind:
            case "locked":
                now = Playing(letter.round, "locked")
            case "dealt":
                now = now._replace(stage="dealt")
            case "result":
                now = now._replace(stage="decided", open_seats=tuple(range(1, letter.claims + 1)))
            case "confirmed" | "denied":
                seats = tuple(seat for seat in now.open_seats if seat != letter.seat)
                now = now._replace(open_seats=seats, awards=now.awards + letter.amount)
            case "voided":
                ended = now.stage in ("ended", "corrected")
                now = now._replace(stage="corrected" if ended else "void", open_seats=())
            case "ended":
                now = now._replace(stage="corrected" if now.stage == "void" else "ended")
    return now


def pending(purse: Purse) -> int:
    return purse.pended - purse.committed - purse.dropped


def award(claim: Claim) -> int:
    return claim.value // SHARES[claim.table]


def put(pair: tuple[int, int], table: int, value: int) -> tuple[int, int]:
    return (value, pair[1]) if table == 0 else (pair[0], value)
