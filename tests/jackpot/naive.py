"""The jackpots once more, as a person would count them with pencil and paper: one list of what happened in the order of
the deals, walked from its beginning. Written from the sentences of firmware/JACKPOT.md alone; it knows neither accounts
nor gaps, keeps nothing between two questions and shares no code with the books.

It covers whole and partial hits of several tables whose deals are known in their true order, denials, awards that a
table has stated, voids and returned bets after the result, and new terms."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Bet:
    """A round's bets: `deal` is when it was dealt, by the order of all deals."""

    deal: int
    stake: int
    heard: int | None = None  # when the controller had its result
    void: int | None = None  # when it became void


@dataclass
class Win:
    deal: int
    share: Fraction
    heard: int
    end: int | None = None  # when it was paid, stated or denied
    award: int | None = None  # none: denied
    stated: bool = False


@dataclass
class Paper:
    reset: int
    rate: Fraction  # of a stake, onto the display
    reserve: Fraction
    partial: str = "deduct"
    reserve_joins: bool = False
    bets: list[Bet] = field(default_factory=list)
    wins: list[Win] = field(default_factory=list)

    def count(self) -> tuple[Fraction, Fraction, list[int]]:  # noqa: PLR0915 - told in one go, as it is counted
        """What the sign shows, what is in reserve, and what was paid, in the order in which the meter paid it."""
        display, reserve, paid = Fraction(self.reset), Fraction(0), list[int]()
        behind: list[Bet] = []
        cycle_of: dict[int, int] = {}  # of a bet that is on the display: how many awards came before
        joined_of: dict[int, int] = {}
        cycle = joined = 0
        queue: list[Win] = []
        valued: Win | None = None
        value = Fraction(0)

        def settle(bet: Bet) -> None:
            nonlocal display
            display += bet.stake * self.rate
            cycle_of[id(bet)] = cycle

        def move_up() -> None:
            first = None if not queue else min(queue, key=lambda win: win.deal)
            for bet in [bet for bet in behind if first is None or bet.deal <= first.deal]:
                behind.remove(bet)
                settle(bet)

        def pay(win: Win, award: int) -> None:
            nonlocal display, reserve, cycle, joined, valued
            queue.remove(win)
            paid.append(award)
            display = max(Fraction(0), display - award)
            cycle += 1
            valued = None
            if win.share == 1:
                display += self.reset
                if self.reserve_joins:
                    display, reserve = display + reserve, Fraction(0)
                    joined += 1
            elif self.partial == "reset":
                reserve, display = reserve + display, Fraction(self.reset)
            elif self.partial == "deduct_not_below_reset":
                display = max(display, Fraction(self.reset))
            move_up()

        def turn() -> None:
            nonlocal valued, value
            while valued is None and queue:
                first = min(queue, key=lambda win: win.deal)
                if any(bet.deal < first.deal and (bet.heard is None or bet.heard > now) for bet in self.bets):
                    return  # an earlier round has no result yet
                move_up()
                value = display
                if first.stated and first.end is not None and first.end <= now and first.award is not None:
                    pay(first, first.award)
                else:
                    valued = first

        for now in range(1 + max([0, *self._instants()])):
            for bet in [bet for bet in self.bets if bet.heard == now]:
                reserve += bet.stake * self.reserve
                joined_of[id(bet)] = joined
                first = None if not queue else min(queue, key=lambda win: win.deal)
                is_behind = valued is not None or (first is not None and bet.deal > first.deal)
                behind.append(bet) if is_behind else settle(bet)
            queue += [win for win in self.wins if win.heard == now]
            for bet in [bet for bet in self.bets if bet.void == now]:
                if joined_of[id(bet)] == joined:
                    reserve -= bet.stake * self.reserve
                if bet in behind:
                    behind.remove(bet)
                elif cycle_of[id(bet)] == cycle:
                    display -= bet.stake * self.rate
            for win in [win for win in self.wins if win.end == now]:
                if win.award is None:
                    queue.remove(win)
                    valued = None if valued is win else valued
                    move_up()
                elif valued is win:
                    pay(win, win.award)
            turn()
        return (value if valued is not None else display), reserve, paid

    def _instants(self) -> list[int]:
        all_known = [instant for bet in self.bets for instant in (bet.heard, bet.void)]
        all_known += [instant for win in self.wins for instant in (win.heard, win.end)]
        return [instant for instant in all_known if instant is not None]
