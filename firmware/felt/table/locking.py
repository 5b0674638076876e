"""No more bets: the lock, its drain, the chips too near it to decide, and the one immutable snapshot of bets."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.ids import Spot
from felt.nouns.stamps import BURST_SETTLE_TIMES
from felt.nouns.values import replace
from felt.rules.remedies import RETURN
from felt.table import deal, facts, inventory, link, lock, opening, prompts, settle, state, voiding
from felt.table.chart import move, refuse, stay
from felt.table.claims import meters_unheard
from felt.table.link import say_no_progressive
from felt.table.notices import notice, post
from felt.table.questions import SEAT, once
from felt.table.state import EVERY_PHASE, Deadline, Phase, Question, Table, phase_of_play, with_round

PRESSED_BEFORE_OPEN = "refused.pressed_before_open"
LOCKED_ALREADY = "refused.locked_already"
NOT_LOCKED = "refused.not_locked"
NO_COIN_SPOTS = "refused.no_coin_spots"
COLLECTED_ALREADY = "refused.collected_already"


# --- truths ------------------------------------------------------------------------------------------


def lock_is_before_opening(table: Table, fact: facts.Fact) -> bool:
    """The key went down before bets were opened, and its edge arrives only now."""
    assert isinstance(fact, facts.NoMoreBetsPressed) and table.round is not None
    opened_at = table.round.opened_at
    return opened_at.boot == table.boot and fact.edge_ns < opened_at.mono_ns


def drain_is_over(table: Table, fact: facts.Fact) -> bool:
    """The drain's deadline has passed, and every chip near the lock is decided."""
    assert table.round is not None
    passed = table.round.drained or (isinstance(fact, facts.DeadlinePassed) and fact.name == "drain")
    return passed and not lock.undetermined(table)


def drain_is_over_without_bets(table: Table, fact: facts.Fact) -> bool:
    return drain_is_over(table, fact) and not settle.seats_in_play(settle.book_of(table), settle.snapshot_of(table))


def is_drain(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.DeadlinePassed)
    return fact.name == "drain"


def spots_were_collected(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.collected


def deck_is_unfit_for_the_deal(table: Table, _: facts.Fact) -> bool:
    return bool(inventory.why_no_lock(table))


def bets_stay_open(table: Table, _: facts.Fact) -> str:
    return inventory.why_no_lock(table)


# --- moves -------------------------------------------------------------------------------------------


def stamp_lock(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.NoMoreBetsPressed) and table.settings is not None
    due_ns = lock.drain_ends_ns(table.settings, fact.edge_ns)
    table = replace(
        table,
        deadlines=(*table.deadlines, Deadline("drain", due_ns)), panel=state.without_mode(table.panel)
    )
    table = with_round(
        table, lock_ns=fact.edge_ns, locked_at=fact.at, registered=fact.meters, edition=fact.edition
    )
    assert table.round is not None
    unheard = meters_unheard(table) if table.round.progressive_open else ()
    if not unheard:
        return table
    why = "the jackpot controller has not told its value since the table started"
    if fact.meters:
        why = f"the jackpot controller tells this table no value of {', '.join(unheard)}: see the meters in its file"
    return say_no_progressive(with_round(table, progressive_open=False), why)


def expire(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeadlinePassed)
    return replace(table, deadlines=tuple(deadline for deadline in table.deadlines if deadline.name != fact.name))


def await_rulings(table: Table, fact: facts.Fact) -> Table:
    return with_round(expire(table, fact), drained=True)


def take_snapshot(table: Table, fact: facts.Fact) -> Table:
    """Takes the one immutable list of bets. From here the journal wins over every sensor."""
    assert table.settings is not None and table.round is not None
    bets = settle.snapshot_of(table)
    method = settle.procedure_of(table).method(table.round.dealing)
    plan = deal.plan(method, settle.seats_in_play(settle.book_of(table), bets))
    table = replace(table, deadlines=tuple(deadline for deadline in table.deadlines if deadline.name != "drain"))
    table = with_round(table, bets=bets, plan=plan, drained=True)
    for bet in bets:
        if not bet.accepted:
            table = notice(table, "noted", f"{bet.seat}.{bet.wager}: hand the bet back ({bet.rule}).")
    for spot in lock.missing_chips(table):
        table = notice(table, "noted", prompts.tell(table, "chip.missing", spot=spot))
    assert table.round is not None and table.round.locked_at is not None
    locked = table.round
    contributions = settle.contributions(locked)
    letter = letters.RoundLockedLetter(locked.number, table.round.locked_at, contributions, locked.edition)
    return post(table, letter)


def void_without_bets(table: Table, fact: facts.Fact) -> Table:
    table = take_snapshot(table, fact)
    return voiding.void(table, fact.at, settle.paragraphs_of(table).takes_part, "no box takes part", person="")


def mark_collected(table: Table, fact: facts.Fact) -> Table:
    return with_round(table, collected=True, collected_ns=fact.at.mono_ns)


# --- questions ---------------------------------------------------------------------------------------


def by_drain(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.DeadlinePassed)
    return _undetermined_chips(table) if fact.name == "drain" else ()


def by_ruling(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """While the lock waits for rulings a failed coin spot can recover: then its chip needs a ruling as well."""
    return _undetermined_chips(table) if table.round is not None and table.round.drained else ()


def _undetermined_chips(table: Table) -> tuple[Question, ...]:
    if phase_of_play(table) is not Phase.LOCKING:
        return ()
    rule = settle.paragraphs_of(table).after_lock
    asked = (_undetermined(table, spot, rule) for spot in lock.undetermined(table))
    return tuple(fresh for question in asked for fresh in once(table, question))


def _undetermined(table: Table, spot: Spot, rule: str) -> Question:
    because = _why_undetermined(table, spot)
    return Question("", "undetermined_chip", spot, rule, (RETURN, SEAT), RETURN, because, holds=False)


def _why_undetermined(table: Table, name: Spot) -> str:
    assert table.settings is not None
    spot = next(spot_state for spot_state in table.spots if spot_state.spot == name)
    long_ns = BURST_SETTLE_TIMES * lock.settle_ns(table.settings, name)
    if not spot.bursts[-1].ended:
        return f"the contact of {name} still chatters: nobody can tell what lay there at the lock"
    needed_from_ns = lock.needed_from_ns(table, name) or 0
    near = [burst for burst in lock.changes(spot) if burst.last_ns >= needed_from_ns]
    if any(burst.found for burst in near):
        return f"{name} was found changed without an edge: nobody can tell whether that was before the lock"
    if any(burst.last_ns - burst.edge_ns > long_ns for burst in near):
        return f"the contact of {name} chattered across the lock and ended changed: nobody can tell when it changed"
    return f"the edge of {name} lies too near the lock for its clock to tell which came first"


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse(facts.NoMoreBetsPressed, Phase.BETTING, PRESSED_BEFORE_OPEN, when=lock_is_before_opening),
    *refuse(
        facts.NoMoreBetsPressed, Phase.BETTING, bets_stay_open, when=deck_is_unfit_for_the_deal
    ),
    *move(facts.NoMoreBetsPressed, Phase.BETTING, Phase.LOCKING, do=stamp_lock),
    *refuse(facts.NoMoreBetsPressed, (Phase.IDLE, Phase.VOIDING), opening.no_bets_open),
    *refuse(facts.NoMoreBetsPressed, EVERY_PHASE, LOCKED_ALREADY),
    *move(
        facts.DeadlinePassed, Phase.LOCKING, Phase.VOIDING,
        when=drain_is_over_without_bets, do=void_without_bets,
    ),
    *move(facts.DeadlinePassed, Phase.LOCKING, Phase.DEALING, when=drain_is_over, do=take_snapshot),
    *stay(
        facts.DeadlinePassed, (Phase.LOCKING, Phase.INTERRUPTED), when=is_drain, do=await_rulings
    ),
    *stay(facts.DeadlinePassed, EVERY_PHASE, do=expire),
    *refuse(facts.CollectPressed, (Phase.IDLE, Phase.BETTING, Phase.LOCKING, Phase.VOIDING), NOT_LOCKED),
    *refuse(facts.CollectPressed, EVERY_PHASE, NO_COIN_SPOTS, when=link.game_has_no_coin_spots),
    *refuse(facts.CollectPressed, EVERY_PHASE, COLLECTED_ALREADY, when=spots_were_collected),
    *stay(facts.CollectPressed, EVERY_PHASE, do=mark_collected),
)
