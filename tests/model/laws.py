"""What must hold with every step. The laws ask the model's controller one question only: what its clocks could know.
They take sums from the letters alone, and the order of hands from true time alone. The laws of a purse and of its
letters hold for a real ledger too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tests.model.controller import AFTER, BEFORE, Controller
from tests.model.words import (
    BETS,
    NO_VALUE,
    RESET,
    SHARES,
    WHOLE,
    Action,
    Claim,
    Letter,
    Purse,
    Standing,
    State,
    award,
    pending,
)

_CLOCKS = Controller()  # a sound controller, whatever the model's is
Key = tuple[int, int]  # a table and one of its rounds


def broken_law(before: State, action: Action, after: State) -> str:
    """One sentence; empty if every law holds."""
    if action.name == "letter is refused":
        return "a letter of an honest table is refused"
    if after.standing == before.standing and after.said == before.said and after.tables == before.tables:
        return ""
    return _of_state(after) or _of_step(before, action, after)


# --- in every state ----------------------------------------------------------------------------------


def _of_state(state: State) -> str:
    standing, purse = state.standing, state.standing.purse
    for table in (0, 1):
        if max(state.tables[table].answered, state.said[table]) > standing.heard[table]:
            return "a letter is acknowledged that is not in the ledger"
    if [claim.value != NO_VALUE for claim in standing.claims].count(True) > 1:
        return "two claims are valued at once"
    taken = [state.tables[table].mail[: standing.heard[table]] for table in (0, 1)]
    given_up = [round_[:2] for round_ in standing.rounds if round_.stage == "dropped"]
    return of_purse(purse) or of_letters(purse, taken, given_up, lambda _: BETS)


def of_purse(purse: Purse) -> str:
    if purse.display + purse.bucket != purse.seeded + purse.committed - purse.corrected - purse.awarded:
        return "money is not conserved"
    if min(purse) < 0 or pending(purse) < 0:
        return "a part of the meter is below nought"
    return ""


def of_letters(
    purse: Purse, taken: Sequence[Sequence[Letter]], given_up: Collection[Key], staked: Callable[[Key], int]
) -> str:
    """Every contribution and every award counts exactly once, by the letters that the ledger has taken from each table.
    `staked`: by how much the bets of a round raise the meter."""
    locked, decided, void = (_rounds(taken, kind) for kind in ("locked", "result", "voided"))
    if purse.committed != sum(map(staked, decided)) or purse.corrected != sum(map(staked, decided & void)):
        return "a contribution is not committed exactly once, or not taken back exactly once"
    if pending(purse) != sum(map(staked, (locked - decided - void).difference(given_up))):
        return "what pends is not the rounds without a result"
    if purse.awarded != sum([letter.amount for mail in taken for letter in mail if letter.kind == "confirmed"]):
        return "what was paid is not what was confirmed"
    return ""


def _rounds(taken: Sequence[Sequence[Letter]], kind: str) -> set[Key]:
    return {(table, letter.round) for table, mail in enumerate(taken) for letter in mail if letter.kind == kind}


# --- with every step ---------------------------------------------------------------------------------


def _of_step(before: State, action: Action, after: State) -> str:
    if after.standing == before.standing:
        return ""
    if action.name in {"controller crashes", "table crashes"}:
        return "a crash has changed the ledger"
    was, now, taken = before.standing, after.standing, _taken(before, action)
    problem = _of_act(was, now) if taken is None else _of_letter(was, now, *taken)
    if problem:
        return problem
    for claim in now.claims:
        former = [earlier for earlier in was.claims if earlier[:3] == claim[:3]]
        former_value = former[0].value if former else NO_VALUE
        if former_value not in (NO_VALUE, claim.value):
            problem = "a valued claim has lost its value"
        elif former_value == NO_VALUE and claim.value != NO_VALUE:
            problem = _of_valuing(after, claim)
        problem = problem or ("" if former else _of_lateness(after, claim))
        if problem:
            return problem
    return ""


def _taken(before: State, action: Action) -> tuple[int, int, Letter] | None:
    """The letter that this step puts into the ledger, with its table and its number."""
    table, number = action.table, action.number
    if action.name == "commit" and before.staged is not None:
        table, number = before.staged.table, before.staged.number
    elif action.name != "letter arrives":
        return None
    return table, number, before.tables[table].mail[number - 1]


def _of_act(was: Standing, now: Standing) -> str:
    return "the display falls without an award or a correction" if now.purse.display < was.purse.display else ""


def _of_letter(was: Standing, now: Standing, table: int, number: int, letter: Letter) -> str:
    if now.purse.display < was.purse.display and letter.kind != "confirmed" and not letter.after:
        return "the display falls without an award or a correction"
    if now.purse.dropped > was.purse.dropped and letter.kind != "voided":
        return "contributions are dropped that nobody gave up"
    if number != was.heard[table] + 1:
        return "a letter is counted out of its turn"
    own = [claim for claim in was.claims if claim[:2] == (table, letter.round)]
    if letter.kind == "confirmed":
        return _of_award(was, now, next(claim for claim in own if claim.seat == letter.seat))
    if letter.kind == "ended":
        round_ = next(round_ for round_ in was.rounds if round_[:2] == (table, letter.round))
        staked = BETS if round_.stage == "committed" else 0
        if own or (letter.staked, letter.amount) != (staked, round_.awards):
            return "the totals of a round differ, or a claim of it is left"
    return ""


def _of_award(was: Standing, now: Standing, claim: Claim) -> str:
    if now.purse.awarded - was.purse.awarded != claim.value // SHARES[claim.table]:
        return "an award is not the share of the meter as it was valued"
    if SHARES[claim.table] == WHOLE and now.purse.display < RESET:
        return "a cycle begins below the reset value"
    return ""


def _of_valuing(after: State, claim: Claim) -> str:
    standing = after.standing
    for round_ in standing.rounds:
        is_open = round_.stage == "pending" and round_.table != claim.table and round_.dealt is not None
        if is_open and not claim.released and round_.dealt and round_.dealt.time < claim.moment.time + 2:
            if _CLOCKS.order_of(after.clocks, round_.dealt, claim.moment) != AFTER:
                return "a claim is valued before the result of a round that was dealt not later"
    for other in standing.claims:
        if other[:3] == claim[:3] or (other.house and claim.house):
            continue
        if other.table == claim.table and other[1:3] < claim[1:3]:
            return "a hand is passed over that its own table dealt first"
        if other.table != claim.table and other.moment.time < claim.moment.time + 2:
            return "a claim is valued before one that was dealt first or cannot be told apart, and no person said so"
    if any(lot.dealt.time <= claim.moment.time for lot in standing.lots):
        return "a claim is valued without bets that were dealt not later"
    if claim.value != standing.purse.display or award(claim) > standing.purse.display:
        return "a claim is not valued by the display"
    return ""


def _of_lateness(after: State, claim: Claim) -> str:
    """A claim is marked late exactly when the clocks can tell that it is."""
    gone = [other for other in (*after.standing.claims, *after.standing.hits) if other.table != claim.table]
    passed = [other for other in gone if other.value != NO_VALUE and claim.moment.time + 2 <= other.moment.time]
    certain = [other for other in passed if _CLOCKS.order_of(after.clocks, claim.moment, other.moment) == BEFORE]
    if claim.late and not passed:
        return "a claim is marked late that is not"
    return "a claim was passed over and is not marked" if certain and not claim.late else ""
