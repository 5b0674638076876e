"""Protocols with one mistake in each. A law that lets one of them pass is no law."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.model.controller import BEFORE, Controller, RefusedError
from tests.model.protocol import Protocol, Step
from tests.model.words import (
    BETS,
    NO_VALUE,
    Action,
    Claim,
    Clocks,
    Letter,
    Moment,
    Round,
    Setting,
    Staged,
    Standing,
    State,
    Table,
    award,
    playing,
    put,
)


class ValuesBeforeEarlierResults(Controller):
    def waits(self, standing: Standing, clocks: Clocks, claim: Claim) -> bool:
        return False


class ValuesTwoAtOnce(Controller):
    def turn(self, standing: Standing, clocks: Clocks) -> tuple[Claim, ...]:
        waiting = standing._replace(claims=tuple(claim for claim in standing.claims if claim.value == NO_VALUE))
        return super().turn(waiting, clocks) or super().turn(standing, clocks)


class OrdersByArrival(Controller):
    def turn(self, standing: Standing, clocks: Clocks) -> tuple[Claim, ...]:
        return super().turn(standing, clocks)[:1]


class BelievesEveryStamp(Controller):
    """Compares stamps of two tables without a tie between their clocks, however near they are."""

    def order_of(self, clocks: Clocks, moment: Moment, other: Moment) -> str:
        return BEFORE if moment.time < other.time else "after"


class MarksNothingLate(Controller):
    def is_late(self, standing: Standing, clocks: Clocks, claim: Claim) -> bool:
        return False


class PaysByThePresentDisplay(Controller):
    def confirm(self, standing: Standing, claim: Claim, letter: Letter) -> Standing:
        display = standing.purse.display + standing.purse.bucket
        changed = claim._replace(value=display)
        claims = tuple(changed if other == claim else other for other in standing.claims)
        return super().confirm(standing._replace(claims=claims), changed, letter._replace(amount=award(changed)))


class LosesWhatWaitsWhenItComesIn(Controller):
    def bring_in(self, standing: Standing, clocks: Clocks) -> Standing:
        after = super().bring_in(standing, clocks)
        return after._replace(purse=after.purse._replace(display=standing.purse.display))


class LeavesWhatWaitedForAClaimThatIsGone(Controller):
    def bring_in(self, standing: Standing, clocks: Clocks) -> Standing:
        return standing if standing.claims else super().bring_in(standing, clocks)


class BeginsWithoutReset(Controller):
    def confirm(self, standing: Standing, claim: Claim, letter: Letter) -> Standing:
        paid = super().confirm(standing, claim, letter).purse
        seeds = paid.seeded - standing.purse.seeded
        purse = paid._replace(display=paid.display - seeds, seeded=paid.seeded - seeds)
        return super().confirm(standing, claim, letter)._replace(purse=purse)


class CommitsWithTheLock(Controller):
    """It commits again with the result."""

    def lock(self, standing: Standing, table: int, letter: Letter) -> Standing:
        locked = super().lock(standing, table, letter)
        purse = locked.purse._replace(display=locked.purse.display + BETS, committed=locked.purse.committed + BETS)
        return locked._replace(purse=purse)


class RefusesWhatTheHouseGaveUp(Controller):
    def round_of(self, standing: Standing, table: int, letter: Letter) -> Round:
        round_ = super().round_of(standing, table, letter)
        if round_.stage == "dropped":
            raise RefusedError
        return round_


class LowersTheDisplayWithAVoid(Controller):
    """A void before the result takes bets from the display that only pend."""

    def void(self, standing: Standing, clocks: Clocks, table: int, letter: Letter) -> Standing:
        voided = super().void(standing, clocks, table, letter)
        lower = voided.purse._replace(display=voided.purse.display - 1)
        return voided if letter.after else voided._replace(purse=lower)


class TakesLettersOutOfTurn(Controller):
    def is_due(self, standing: Standing, table: int, number: int) -> bool:
        return number > standing.heard[table]


class CountsAResendAgain(Protocol):
    def arrivals(self, state: State, table: int) -> Iterator[Step]:
        yield from super().arrivals(state, table)
        for number, letter in enumerate(state.tables[table].mail[: state.standing.heard[table]], 1):
            if letter.kind == "result":
                purse = state.standing.purse
                purse = purse._replace(display=purse.display + BETS, committed=purse.committed + BETS)
                staged = Staged(state.standing._replace(purse=purse), table, number)
                yield Action("letter arrives", table, number), self.staged(state, staged)


class AnswersBeforeCommitting(Protocol):
    def staged(self, state: State, staged: Staged) -> State:
        said = put(state.said, staged.table, staged.number)
        return state._replace(staged=staged, said=said)


class DropsWhatPendsInACrash(Protocol):
    def controller_crashes(self, state: State) -> Step:
        action, crashed = super().controller_crashes(state)
        for round_ in crashed.standing.rounds:
            if round_.stage == "pending":
                crashed = crashed._replace(standing=self.controller.drop(crashed.standing, round_))
        return action, crashed


class ForgetsUnansweredLetters(Protocol):
    """After a restart a table has only the letters that were answered."""

    def restarted(self, table: Table) -> Table:
        return super().restarted(table)._replace(mail=table.mail[: table.answered])


class ValuesInMemoryOnly(Protocol):
    """A valuation is sent but not committed."""

    def controller_crashes(self, state: State) -> Step:
        action, crashed = super().controller_crashes(state)
        claims = tuple(claim._replace(value=NO_VALUE) for claim in crashed.standing.claims)
        return action, crashed._replace(standing=crashed.standing._replace(claims=claims))


class NobodyOrders(Protocol):
    """Claims that no clock can tell apart wait for the clock."""

    def acts(self, state: State) -> Iterator[Step]:
        return (step for step in super().acts(state) if step[0].name != "order first")


class EndsWithOpenClaims(Protocol):
    def letters(self, state: State, table: int) -> Iterator[tuple[str, Letter, int]]:
        yield from super().letters(state, table)
        now = playing(state.tables[table].mail)
        if now.stage == "decided" and now.open_seats:
            yield "end", Letter("ended", now.round, staked=BETS), state.time


Made = Callable[[Setting], Protocol]


def _with(kind: type[Controller]) -> Made:
    return lambda setting: Protocol(setting, kind())


_CONTROLLERS = (
    ValuesBeforeEarlierResults, ValuesTwoAtOnce, OrdersByArrival, BelievesEveryStamp, MarksNothingLate,
    PaysByThePresentDisplay, LosesWhatWaitsWhenItComesIn, LeavesWhatWaitedForAClaimThatIsGone, BeginsWithoutReset,
    CommitsWithTheLock, RefusesWhatTheHouseGaveUp, LowersTheDisplayWithAVoid,
    TakesLettersOutOfTurn,
)  # fmt: skip
_PROTOCOLS = (
    CountsAResendAgain, AnswersBeforeCommitting, DropsWhatPendsInACrash, ForgetsUnansweredLetters, ValuesInMemoryOnly,
    NobodyOrders, EndsWithOpenClaims,
)  # fmt: skip
MUTANTS: dict[str, Made] = {kind.__name__: _with(kind) for kind in _CONTROLLERS} | {
    kind.__name__: kind for kind in _PROTOCOLS
}
