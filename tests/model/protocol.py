"""Two tables and a jackpot controller, as states and guarded actions: what a TLA+ user would write as a module, in
Python. Tables write letters. The network loses, repeats and reorders them. The controller thinks, commits and answers.
Everybody crashes.

What is left out, and why that loses nothing:
- A table thinks, writes and posts in one action: a thought that was not written is heard by nobody, and a letter that
  is written can be posted at any time and as often as it takes.
- There is no bag of messages. A letter can arrive as long as its table keeps it (it posts it again) and as long as a
  copy of it is under way; what is never delivered was lost. An answer can arrive once it was said, and later too.
- The controller's taking and committing are two actions, for there a crash matters. What persons do at the controller
  is one.
- Not in the model: awards by the registered value, returned bets, journals that begin anew, changes of terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.controller import Controller, RefusedError
from tests.model.words import (
    BETS,
    NO_VALUE,
    Action,
    Clocks,
    Letter,
    Setting,
    Staged,
    Standing,
    State,
    Table,
    award,
    pending,
    playing,
    put,
)

Step = tuple[Action, State]


class Protocol:
    def __init__(self, setting: Setting, controller: Controller | None = None) -> None:
        self.setting = setting
        self.controller = controller or Controller()

    def steps(self, state: State) -> Iterator[Step]:
        """Every action that is possible here, and where it leads."""
        if state.staged is not None:
            yield self.commits(state, state.staged)
        else:
            for table in (0, 1):
                yield from self.table_steps(state, table)
                yield from self.answer_steps(state, table)
                yield from self.arrivals(state, table)
                yield from self.pings(state, table)
            yield from self.acts(state)
        if state.crashes[1] < self.setting.controller_crashes:
            yield self.controller_crashes(state)

    def is_resolved(self, state: State) -> bool:
        """Nothing waits for anything."""
        return (
            state.staged is None
            and not state.standing.claims
            and not pending(state.standing.purse)
            and all(table.answered == len(table.mail) for table in state.tables)
            and all(playing(table.mail).stage in ("ended", "corrected") for table in state.tables)
        )

    def gives_up(self, action: Action) -> bool:
        return action.name.startswith(("deny", "void", "drop", "release"))

    # --- tables --------------------------------------------------------------------------------------

    def table_steps(self, state: State, table: int) -> Iterator[Step]:
        own = state.tables[table]
        is_full = len(own.mail) - state.standing.heard[table] >= self.setting.backlog
        for name, letter, time in () if is_full else self.letters(state, table):
            valued = tuple(pair for pair in own.valued if pair[0] != letter.seat and letter.kind != "voided")
            changed = own._replace(mail=(*own.mail, letter), valued=valued)
            yield Action(name, table, 0, letter.seat), _with(state, table, changed)._replace(time=time)
        if state.crashes[0] < self.setting.table_crashes:
            crashes = (state.crashes[0] + 1, state.crashes[1])
            yield Action("table crashes", table), _with(state, table, self.restarted(own))._replace(crashes=crashes)

    def restarted(self, table: Table) -> Table:
        return table._replace(boot=table.boot + 1)

    def letters(self, state: State, table: int) -> Iterator[tuple[str, Letter, int]]:
        """What the table can do next, the letter that it writes, and the time of the house after it."""
        now, time = playing(state.tables[table].mail), state.time
        corrects = self.setting.corrections and not now.awards
        match now.stage:
            case "ended" | "corrected":
                if now.round < self.setting.rounds[table]:
                    yield "lock", Letter("locked", now.round + 1), time
                if corrects and now.stage == "ended" and now.round:
                    yield "void after the end", Letter("voided", now.round, after=True), time
            case "locked" | "dealt":
                yield from self.deals(state, table) if now.stage == "locked" else self.results(state, now.round)
                if self.setting.voids:
                    yield "void", Letter("voided", now.round), time
            case "decided":
                yield from self.decisions(state, table)
                if corrects:
                    yield "void after the result", Letter("voided", now.round, after=True), time
                if not now.open_seats:
                    yield "end", Letter("ended", now.round, amount=now.awards, staked=BETS), time
            case "void":
                yield "end", Letter("ended", now.round), time

    def deals(self, state: State, table: int) -> Iterator[tuple[str, Letter, int]]:
        """The deal follows the house's last one too closely for any clock to tell them apart, or later."""
        number, boot = playing(state.tables[table].mail).round, state.tables[table].boot
        for name, gap in (("deal at once", 1), ("deal later", 2)) if state.time else (("deal", 2),):
            time = state.time + gap
            yield name, Letter("dealt", number, time=time, boot=boot), time

    def results(self, state: State, number: int) -> Iterator[tuple[str, Letter, int]]:
        made = sum(letter.claims for table in state.tables for letter in table.mail)
        for claims in range(min(self.setting.seats, self.setting.claims - made) + 1):
            yield f"result with {claims} claims", Letter("result", number, claims=claims), state.time

    def decisions(self, state: State, table: int) -> Iterator[tuple[str, Letter, int]]:
        own = state.tables[table]
        now = playing(own.mail)
        for seat in now.open_seats:
            yield "deny", Letter("denied", now.round, seat), state.time
            for _, value in [pair for pair in own.valued if pair[0] == seat]:
                yield "confirm", Letter("confirmed", now.round, seat, value), state.time

    def answer_steps(self, state: State, table: int) -> Iterator[Step]:
        own = state.tables[table]
        now = playing(own.mail)
        # An earlier answer only keeps the table from posting what would change nothing.
        if own.answered < state.said[table] == len(own.mail) and now.stage in ("ended", "corrected"):
            yield Action("answer arrives", table), _with(state, table, own._replace(answered=state.said[table]))
        for claim in state.standing.claims:
            mine = claim.table == table and claim.round == now.round and claim.seat in now.open_seats
            if mine and claim.value != NO_VALUE and claim.seat not in [seat for seat, _ in own.valued]:
                valued = tuple(sorted((*own.valued, (claim.seat, award(claim)))))
                yield Action("value arrives", table, 0, claim.seat), _with(state, table, own._replace(valued=valued))

    # --- the controller ------------------------------------------------------------------------------

    def arrivals(self, state: State, table: int) -> Iterator[Step]:
        """Letters that the table still posts, and copies of those that were taken before."""
        own, heard = state.tables[table], state.standing.heard[table]
        for number, letter in enumerate(own.mail, 1):
            if not own.answered < number and number > heard:
                continue
            action = Action("letter arrives", table, number)
            if not self.controller.is_due(state.standing, table, number):
                yield action, state  # known already, or earlier ones are missing: it changes nothing
                continue
            try:
                taken = self.controller.take(state.standing, state.clocks, table, number, letter)
            except RefusedError:
                yield Action("letter is refused", table, number), state
                continue
            staged = Staged(taken, table, number)
            yield action, self.staged(state, staged) if self.setting.apart else self.committed(state, staged)

    def staged(self, state: State, staged: Staged) -> State:
        return state._replace(staged=staged)

    def commits(self, state: State, staged: Staged) -> Step:
        return Action("commit"), self.committed(state, staged)

    def committed(self, state: State, staged: Staged) -> State:
        said = put(state.said, staged.table, max(staged.number, state.said[staged.table]))
        changed = state._replace(standing=staged.standing, staged=None, said=said)
        return changed._replace(clocks=self.clocks_in_use(changed))

    def clocks_in_use(self, state: State) -> Clocks:
        """Forget a clock that has no hand left and expects none."""
        hands = _hands(state.standing)
        for place, table in enumerate(state.tables):
            now = playing(table.mail)
            has_more = state.standing.heard[place] < len(table.mail) or now.stage in ("locked", "dealt")
            if has_more or now.round < self.setting.rounds[place]:
                hands += [(place, boot) for boot in range(table.boot + 1)]
        return state.clocks._replace(known=frozenset(hand for hand in state.clocks.known if hand in hands))

    def pings(self, state: State, table: int) -> Iterator[Step]:
        """A heartbeat ties the table's clock to the controller's, and the controller looks again. It matters before a
        deal is heard and while a claim waits; at other times another step does the same."""
        own, boot = state.tables[table], state.tables[table].boot
        if (table, boot) in state.clocks.known:
            return
        waiting = own.mail[state.standing.heard[table] :]
        is_due = bool(waiting) and waiting[0].kind == "dealt" and waiting[0].boot == boot
        if not is_due and not self.is_asked(state.standing, table, boot):
            return
        clocks = state.clocks._replace(known=state.clocks.known | {(table, boot)})
        standing = self.controller.value_next(state.standing, clocks)
        yield Action("ping", table), state._replace(clocks=clocks, standing=standing)

    def is_asked(self, standing: Standing, table: int, boot: int) -> bool:
        """Whether somebody waits, and a hand of this boot could tell who is first."""
        if all(claim.value != NO_VALUE for claim in standing.claims):
            return False
        return (table, boot) in _hands(standing)

    def acts(self, state: State) -> Iterator[Step]:
        standing, clocks, controller = state.standing, state.clocks, self.controller
        turn = controller.turn(standing, clocks)
        for claim in turn if len(turn) > 1 else ():
            ordered = controller.value_next(controller.put_first(standing, claim), clocks)
            yield Action("order first", claim.table, claim.round, claim.seat), state._replace(standing=ordered)
        for claim in standing.claims:
            if claim.value == NO_VALUE and not claim.released and controller.waits(standing, clocks, claim):
                released = controller.value_next(controller.release(standing, claim), clocks)
                yield Action("release", claim.table, claim.round, claim.seat), state._replace(standing=released)
        for round_ in standing.rounds if self.setting.house_drops else ():
            if round_.stage == "pending":
                dropped = controller.value_next(controller.drop(standing, round_), clocks)
                yield Action("drop", round_.table, round_.number), state._replace(standing=dropped)

    def controller_crashes(self, state: State) -> Step:
        """Everything uncommitted is lost, and so is every clock."""
        crashes = (state.crashes[0], state.crashes[1] + 1)
        clocks = Clocks(state.clocks.boot + 1)
        return Action("controller crashes"), state._replace(staged=None, clocks=clocks, crashes=crashes)


def _hands(standing: Standing) -> list[tuple[int, int]]:
    """By table and boot."""
    hands = [claim.moment for claim in (*standing.claims, *standing.hits)]
    hands += [round_.dealt for round_ in standing.rounds if round_.dealt is not None]
    hands += [lot.dealt for lot in standing.lots]
    return [(hand.table, hand.boot) for hand in hands]


def _with(state: State, table: int, changed: Table) -> State:
    tables = (changed, state.tables[1]) if table == 0 else (state.tables[0], changed)
    return state._replace(tables=tables)
