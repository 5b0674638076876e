"""The jackpot controller of the model: one letter against one standing, after the words of the specification and not
after the code. Each method is one rule; a mutant changes one of them."""

from __future__ import annotations

from functools import cache

from tests.model.words import (
    BETS,
    NO_VALUE,
    NOWHERE,
    RESET,
    SHARES,
    WHOLE,
    Claim,
    Clocks,
    Letter,
    Lot,
    Moment,
    Purse,
    Round,
    Standing,
    award,
    put,
)

BEFORE, AFTER, UNDETERMINED = "before", "after", "undetermined"
RESOLVING = ("result", "confirmed", "denied", "voided")


class RefusedError(Exception):
    """What this standing does not take."""


class Controller:
    def __init__(self) -> None:
        self.take = cache(self._take)  # the same letter meets the same standing along many ways

    # --- letters -------------------------------------------------------------------------------------

    def is_due(self, standing: Standing, table: int, number: int) -> bool:
        """Letters are taken in their order, each once."""
        return number == standing.heard[table] + 1

    def _take(self, standing: Standing, clocks: Clocks, table: int, number: int, letter: Letter) -> Standing:
        standing = standing._replace(heard=put(standing.heard, table, number))
        match letter.kind:
            case "locked":
                standing = self.lock(standing, table, letter)
            case "dealt":
                standing = self.deal(standing, clocks, table, letter)
            case "result":
                standing = self.decide(standing, clocks, table, letter)
            case "confirmed":
                standing = self.confirm(standing, self.claim_of(standing, table, letter), letter)
                standing = self.bring_in(standing, clocks)
            case "denied":
                standing = self.bring_in(_without(standing, self.claim_of(standing, table, letter)), clocks)
            case "voided":
                standing = self.void(standing, clocks, table, letter)
        look = letter.kind in RESOLVING or number == 1
        return _tidied(self.value_next(standing, clocks) if look else standing)

    def lock(self, standing: Standing, table: int, letter: Letter) -> Standing:
        own = [round_ for round_ in standing.rounds if round_.table == table]
        if any(round_.stage == "pending" for round_ in own):
            raise RefusedError
        claimed = [(claim.table, claim.round) for claim in standing.claims]
        kept = tuple(round_ for round_ in standing.rounds if round_.table != table or round_[:2] in claimed)
        purse = standing.purse._replace(pended=standing.purse.pended + BETS)
        return standing._replace(rounds=tuple(sorted((*kept, Round(table, letter.round)))), purse=purse)

    def deal(self, standing: Standing, clocks: Clocks, table: int, letter: Letter) -> Standing:
        round_ = self.round_of(standing, table, letter)
        if round_.stage not in ("pending", "dropped") or round_.dealt is not None:
            raise RefusedError
        placed = clocks.boot if (table, letter.boot) in clocks.known else NOWHERE
        return _with(standing, round_._replace(dealt=Moment(letter.time, table, letter.boot, placed)))

    def decide(self, standing: Standing, clocks: Clocks, table: int, letter: Letter) -> Standing:
        round_ = self.round_of(standing, table, letter)
        if round_.stage == "dropped":  # by the house, and its table speaks of it after all
            standing = standing._replace(purse=standing.purse._replace(pended=standing.purse.pended + BETS))
        elif round_.stage != "pending":
            raise RefusedError
        round_ = round_._replace(stage="committed")
        standing = self.commit(_with(standing, round_), clocks, round_)
        for seat in range(1, letter.claims + 1):
            assert round_.dealt is not None
            placed = clocks.boot if (table, round_.dealt.boot) in clocks.known else NOWHERE
            claim = Claim(table, round_.number, seat, round_.dealt._replace(placed=placed))
            claim = claim._replace(late=self.is_late(standing, clocks, claim))
            standing = standing._replace(claims=(*standing.claims, claim))
        return standing

    def commit(self, standing: Standing, clocks: Clocks, round_: Round) -> Standing:
        purse = standing.purse._replace(committed=standing.purse.committed + BETS)
        if self.is_of_next_cycle(standing, clocks, round_):
            assert round_.dealt is not None
            lots = tuple(sorted((*standing.lots, Lot(round_.table, round_.number, round_.dealt))))
            return standing._replace(purse=purse._replace(bucket=purse.bucket + BETS), lots=lots)
        return standing._replace(purse=purse._replace(display=purse.display + BETS))

    def confirm(self, standing: Standing, claim: Claim, letter: Letter) -> Standing:
        if claim.value == NO_VALUE or letter.amount != award(claim):
            raise RefusedError
        round_ = next(round_ for round_ in standing.rounds if round_[:2] == claim[:2])
        standing = _without(standing, claim)._replace(hits=(*standing.hits, claim))
        standing = _with(standing, round_._replace(paid=round_.paid + 1, awards=round_.awards + letter.amount))
        waiting = [lot[:2] for lot in standing.lots]
        closed = [
            round_._replace(paid_away=round_.stage == "committed" and round_[:2] not in waiting)
            for round_ in standing.rounds
        ]
        standing = standing._replace(rounds=tuple(closed))  # an award closes what is settled
        purse = _drawn(standing.purse, letter.amount, ("display",))
        purse = purse._replace(awarded=purse.awarded + letter.amount)
        if SHARES[claim.table] == WHOLE:
            purse = purse._replace(display=purse.display + RESET, seeded=purse.seeded + RESET)
        return standing._replace(purse=purse)

    def bring_in(self, standing: Standing, clocks: Clocks) -> Standing:
        """Bets that come after no claim any more whose turn it is join the display."""
        waiting = tuple(lot for lot in standing.lots if self.is_of_next_cycle(standing, clocks, lot))
        joining = BETS * (len(standing.lots) - len(waiting))
        purse = standing.purse
        purse = purse._replace(display=purse.display + joining, bucket=purse.bucket - joining)
        return standing._replace(purse=purse, lots=waiting)

    def void(self, standing: Standing, clocks: Clocks, table: int, letter: Letter) -> Standing:
        round_ = self.round_of(standing, table, letter)
        if round_.stage == "void" or round_.paid:
            raise RefusedError
        standing = _with(standing, round_._replace(stage="void"))
        if round_.stage == "pending":
            standing = standing._replace(purse=standing.purse._replace(dropped=standing.purse.dropped + BETS))
        if round_.stage != "committed":
            return standing
        standing = standing._replace(claims=tuple(claim for claim in standing.claims if claim[:2] != round_[:2]))
        lots = tuple(lot for lot in standing.lots if lot[:2] != round_[:2])
        purse = standing.purse
        if round_.paid_away:  # its cycle was paid: no part of the meter moves, and the house makes good
            purse = purse._replace(seeded=purse.seeded + BETS)
        else:
            purse = _drawn(purse, BETS, ("display",) if lots == standing.lots else ("bucket",))
        purse = purse._replace(corrected=purse.corrected + BETS)
        # Only then comes in what has waited for its claims: nobody else's bets stand in for those that are void.
        return self.bring_in(standing._replace(purse=purse, lots=lots), clocks)

    def round_of(self, standing: Standing, table: int, letter: Letter) -> Round:
        found = [round_ for round_ in standing.rounds if round_[:2] == (table, letter.round)]
        if not found:
            raise RefusedError
        return found[0]

    def claim_of(self, standing: Standing, table: int, letter: Letter) -> Claim:
        found = [claim for claim in standing.claims if claim[:3] == (table, letter.round, letter.seat)]
        if not found:
            raise RefusedError
        return found[0]

    # --- whose turn it is ----------------------------------------------------------------------------

    def value_next(self, standing: Standing, clocks: Clocks) -> Standing:
        first = self.turn(standing, clocks)
        if len(first) != 1 or first[0].value != NO_VALUE:
            return standing
        if not first[0].released and self.waits(standing, clocks, first[0]):
            return standing
        standing = self.bring_in(standing, clocks)
        return _with_claim(standing, first[0], first[0]._replace(value=standing.purse.display))

    def turn(self, standing: Standing, clocks: Clocks) -> tuple[Claim, ...]:
        """The claim that is valued, else those that none was dealt before: several are undetermined."""
        valued = tuple(claim for claim in standing.claims if claim.value != NO_VALUE)
        if valued:
            return valued
        queue = standing.claims
        return tuple(claim for claim in queue if all(self.order(clocks, other, claim) != BEFORE for other in queue))

    def order(self, clocks: Clocks, claim: Claim, other: Claim) -> str:
        if claim.house and other.house:
            return _by_number(claim.house, other.house)
        return self.evidence(clocks, claim, other)

    def evidence(self, clocks: Clocks, claim: Claim, other: Claim) -> str:
        if claim.table == other.table:
            return _by_number(claim[1:3], other[1:3])
        return self.order_of(clocks, claim.moment, other.moment)

    def order_of(self, clocks: Clocks, moment: Moment, other: Moment) -> str:
        """Hands of two tables. Moments that are nearer than the clocks can tell are not told apart."""
        mine, theirs = self.placed(clocks, moment), self.placed(clocks, other)
        if mine == NOWHERE or mine != theirs or abs(moment.time - other.time) < 2:
            return UNDETERMINED
        return _by_number(moment.time, other.time)

    def placed(self, clocks: Clocks, moment: Moment) -> int:
        return clocks.boot if (moment.table, moment.boot) in clocks.known else moment.placed

    def waits(self, standing: Standing, clocks: Clocks, claim: Claim) -> bool:
        """For the results of rounds whose deal is known and not known to be later: a hand of theirs may go first, and
        their bets belong to the value."""
        return any(
            round_.stage == "pending"
            and round_.table != claim.table
            and round_.dealt is not None
            and self.order_of(clocks, round_.dealt, claim.moment) != AFTER
            for round_ in standing.rounds
        )

    def is_of_next_cycle(self, standing: Standing, clocks: Clocks, round_: Round | Lot) -> bool:
        """Whether a round was dealt after every claim whose turn it is."""
        turn = self.turn(standing, clocks)
        if any(claim.value != NO_VALUE for claim in turn):
            return True
        return bool(turn) and all(self._is_later(standing, clocks, round_, claim) for claim in turn)

    def _is_later(self, standing: Standing, clocks: Clocks, round_: Round | Lot, claim: Claim) -> bool:
        if round_.table == claim.table:
            return round_.number > claim.round
        claimed = next(other for other in standing.rounds if other[:2] == claim[:2])
        assert round_.dealt is not None
        assert claimed.dealt is not None
        return self.order_of(clocks, round_.dealt, claimed.dealt) == AFTER

    def is_late(self, standing: Standing, clocks: Clocks, claim: Claim) -> bool:
        """A hand that was certainly dealt later is valued or paid already."""
        gone = [*(other for other in standing.claims if other.value != NO_VALUE), *standing.hits]
        return any(claim.table != other.table and self.evidence(clocks, claim, other) == BEFORE for other in gone)

    # --- persons at the controller -------------------------------------------------------------------

    def drop(self, standing: Standing, round_: Round) -> Standing:
        purse = standing.purse._replace(dropped=standing.purse.dropped + BETS)
        return _with(standing, round_._replace(stage="dropped"))._replace(purse=purse)

    def put_first(self, standing: Standing, first: Claim) -> Standing:
        others = [claim for claim in standing.claims if claim != first]
        places = {claim: place for place, claim in enumerate([first, *others], 1)}
        return standing._replace(claims=tuple(claim._replace(house=places[claim]) for claim in standing.claims))

    def release(self, standing: Standing, claim: Claim) -> Standing:
        return _with_claim(standing, claim, claim._replace(released=True))


def _tidied(standing: Standing) -> Standing:
    """Nobody will ask again when a round was dealt that has its result and no open claim."""
    claimed = [claim[:2] for claim in standing.claims]
    asked = [round_.stage in ("pending", "dropped") or round_[:2] in claimed for round_ in standing.rounds]
    if all(asked):
        return standing
    pairs = zip(standing.rounds, asked, strict=True)
    rounds = [round_ if keep else round_._replace(dealt=None) for round_, keep in pairs]
    return standing._replace(rounds=tuple(rounds))


def _by_number(first: int | tuple[int, ...], other: int | tuple[int, ...]) -> str:
    if first == other:
        return UNDETERMINED
    return BEFORE if first < other else AFTER  # type: ignore[operator]  # both of one kind


def _with(standing: Standing, changed: Round) -> Standing:
    rounds = tuple(changed if round_[:2] == changed[:2] else round_ for round_ in standing.rounds)
    return standing._replace(rounds=rounds)


def _with_claim(standing: Standing, former: Claim, changed: Claim) -> Standing:
    return standing._replace(claims=tuple(changed if claim == former else claim for claim in standing.claims))


def _without(standing: Standing, claim: Claim) -> Standing:
    return standing._replace(claims=tuple(other for other in standing.claims if other != claim))


def _drawn(purse: Purse, amount: int, sources: tuple[str, ...]) -> Purse:
    """No part of a purse goes below nought: the house seeds what is missing."""
    for source in sources:
        held: int = getattr(purse, source)
        part = min(amount, held)
        purse, amount = purse._replace(**{source: held - part}), amount - part
    return purse._replace(seeded=purse.seeded + amount)
