"""From "Place your Bets" to the snapshot of bets."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.rulebook import Rulebook, readings_in_force
from felt.table import deal, facts, lock, panel, prompts, settle
from felt.table.asked import once_a_pair
from felt.table.moves.failures import say_no_progressive
from felt.table.registered import meters_unheard
from felt.table.settings import Settings
from felt.table.state import Deadline, Round, SpotState, Table, with_round
from felt.table.upkeep import notice, post


def open_round(table: Table, fact: facts.Fact) -> Table:
    settings = table.settings
    assert settings is not None
    book = shelf.rulebook_at(settings.game, fact.at.wall_ns)
    assert book is not None
    readings = _say_readings(book, settings)
    number = table.tally.rounds + 1
    may_open = settle.progressive_may_open(table)
    opened = Round(
        number, fact.at, book.id, book.version, readings, progressive_open=may_open, dealer=table.panel.dealer,
        dealing=settings.dealing,
    )
    table = replace(
        table,
        round=opened,
        previous=None,
        panel=replace(panel.dark(table.panel), notices=()),
        spots=tuple(_ready(spot, settings) for spot in table.spots),
        tally=replace(table.tally, rounds=number),
        irregularity=replace(table.irregularity, ruled=None),
    )
    if settle.coin_wager(settings) and not opened.progressive_open:
        table = say_no_progressive(table)
    return _announce_method(table, settings)


@once_a_pair
def _say_readings(book: Rulebook, settings: Settings) -> str:
    return " ".join([f"{name}={value}" for name, value in readings_in_force(book, settings.terms).items()])


def _announce_method(table: Table, settings: Settings) -> Table:
    """Where the book wants the players to know how this round is dealt before it begins."""
    procedure = settle.procedure_of(table)
    if not procedure.announced:
        return table
    method = procedure.method(settings.dealing)
    sentence = f"This round is dealt {method.words} ({method.paragraph}): tell the players ({procedure.announced})."
    return notice(table, "noted", sentence)


def _ready(spot: SpotState, settings: Settings) -> SpotState:
    """Keyed bets and amounts belong to one round; chips stay as they lie."""
    present = spot.present and settings.sensor(spot.spot) is not None
    used = spot.bursts or spot.keyed or spot.stakes or spot.amount_minor is not None
    if not used and spot.present == spot.before == present:
        return spot
    return replace(spot, present=present, before=present, bursts=(), keyed=False, amount_minor=None, stakes=())


def stamp_lock(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.NoMoreBetsPressed) and table.settings is not None
    due_ns = lock.drain_ends_ns(table.settings, fact.edge_ns)
    table = replace(
        table,
        deadlines=(*table.deadlines, Deadline("drain", due_ns)), panel=panel.dark(table.panel)
    )
    table = with_round(table, lock_ns=fact.edge_ns, locked_at=fact.at, registered=fact.meters)
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
    return replace(table, deadlines=tuple(one for one in table.deadlines if one.name != fact.name))


def await_rulings(table: Table, fact: facts.Fact) -> Table:
    return with_round(expire(table, fact), drained=True)


def take_snapshot(table: Table, fact: facts.Fact) -> Table:
    """The one immutable list of bets; from here the journal wins over every sensor."""
    assert table.settings is not None and table.round is not None
    bets = settle.snapshot_of(table)
    method = settle.procedure_of(table).method(table.round.dealing)
    plan = deal.plan(method, settle.seats_in_play(settle.book_of(table), bets))
    table = replace(table, deadlines=tuple(one for one in table.deadlines if one.name != "drain"))
    table = with_round(table, bets=bets, plan=plan, drained=True)
    for bet in bets:
        if not bet.accepted:
            table = notice(table, "noted", f"{bet.seat}.{bet.wager}: hand the bet back ({bet.rule}).")
    for spot in lock.missing_chips(table):
        table = notice(table, "noted", prompts.tell(table, "chip.missing", spot=spot))
    assert table.round is not None and table.round.locked_at is not None
    contributions = settle.contributions(table.round)
    return post(table, letters.RoundLockedLetter(table.round.number, table.round.locked_at, contributions))
