"""What a fact does to a round. Each move is a verb: it takes a table and a fact and returns a new table.
Moves never touch the phase; the charts do."""

from __future__ import annotations

from typing import Any

from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.rules import shelf
from felt.rules.rulebook import WALK_AWAY, readings_in_force
from felt.table import deal, diagnosis, facts, irregular, letters, lock, panel, settle
from felt.table.settings import Settings
from felt.table.state import Change, ClaimState, Deadline, Dealt, Decision, Phase, Round, SpotState, Table
from felt.table.upkeep import notice, post, stand_fault

# --- chips and bets ----------------------------------------------------------------------------------


def record_change(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    return _with_spot(table, fact.spot, Change(fact.edge_ns, isinstance(fact, facts.ChipSeen)), clean=True)


def refuse_late_chip(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipSeen)
    rule = settle.paragraphs_of(table).after_lock
    sentence = f"{fact.spot}: a chip came after the lock and is no bet; hand it back ({rule})."
    return notice(record_change(table, fact), "refused", sentence)


def record_level(table: Table, fact: facts.Fact) -> Table:
    """A level without an edge proves no time: while the lock is being decided it counts as its very instant."""
    assert isinstance(fact, facts.LevelFound)
    locking = irregular.phase_of_play(table) is Phase.LOCKING
    edge_ns = table.round.lock_ns if locking and table.round else None
    found_ns = fact.at.mono_ns if edge_ns is None else edge_ns
    table = _with_spot(table, fact.spot, Change(found_ns, fact.present, found=True))
    return notice(table, "noted", f"{fact.spot}: its level was found changed without an edge.")


def note_flicker(table: Table, fact: facts.Fact) -> Table:
    """Both its edges are remembered: bounces that came late may belong to it, and then it was no touch."""
    assert isinstance(fact, facts.ChipFlickered)
    present = next((spot.present for spot in table.spots if spot.spot == fact.spot), False)
    for change in (Change(fact.edge_ns, not present), Change(fact.last_ns, present)):
        table = _with_spot(table, fact.spot, change)
    return notice(table, "noted", f"{fact.spot}: a touch too short to be a bet.")


def quarantine_spot(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipChattered)
    return stand_fault(table, facts.FaultRaised(fact.at, "F-101", fact.spot))


def key_bet(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.BetKeyed)
    return _with_keyed(table, fact.spot, keyed=True, amount_minor=fact.amount_minor)


def unkey_bet(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.BetUnkeyed)
    return _with_keyed(table, fact.spot, keyed=False, amount_minor=None)


def _with_keyed(table: Table, name: Spot, *, keyed: bool, amount_minor: int | None) -> Table:
    assert table.settings is not None
    sensed = table.settings.sensor(name) is not None
    spots = tuple(
        spot._replace(keyed=keyed, amount_minor=amount_minor, present=spot.present if sensed else keyed)
        if spot.spot == name
        else spot
        for spot in table.spots
    )
    return table._replace(spots=spots)


def _with_spot(table: Table, name: Spot, change: Change, *, clean: bool = False) -> Table:
    """`clean`: both edges were seen and settled, which shows that the contact works this way round."""
    needed_from_ns = lock.needed_from_ns(table, name)
    spots = list(table.spots)
    for place, spot in enumerate(spots):
        if spot.spot == name:
            changed = lock.with_change(spot, change, needed_from_ns)
            spots[place] = _proved(changed, change.present) if clean else changed
            break
    return table._replace(spots=tuple(spots))


def _proved(spot: SpotState, present: bool) -> SpotState:
    return spot._replace(proved_on=spot.proved_on or present, proved_off=spot.proved_off or not present)


# --- the round ---------------------------------------------------------------------------------------


def _with_round(table: Table, **changes: Any) -> Table:
    """Every card and every key comes through here, so it does by hand what `_replace` does in general."""
    assert table.round is not None
    parts = list(table.round)
    for name, value in changes.items():
        parts[_PLACES[name]] = value
    return table._replace(round=Round._make(parts))


_PLACES = {name: place for place, name in enumerate(Round._fields)}


def open_round(table: Table, fact: facts.Fact) -> Table:
    settings = table.settings
    assert settings is not None
    book = shelf.rulebook_at(settings.game, fact.at.wall_ns)
    assert book is not None
    readings = " ".join(f"{name}={value}" for name, value in readings_in_force(book, settings.terms).items())
    number = table.tally.rounds + 1
    may_open = settle.progressive_may_open(table)
    opened = Round(
        number, fact.at, book.id, book.version, readings, progressive_open=may_open, dealer=table.panel.dealer
    )
    table = table._replace(
        round=opened,
        previous=None,
        panel=panel.dark(table.panel)._replace(notices=()),
        spots=tuple(_ready(spot, settings) for spot in table.spots),
        tally=table.tally._replace(rounds=number),
        irregularity=table.irregularity._replace(ruled=None),
    )
    if settle.coin_wager(settings) and not opened.progressive_open:
        table = _say_no_progressive(table)
    return table


def close_coin_spots(table: Table, _: facts.Fact) -> Table:
    return _say_no_progressive(_with_round(table, progressive_open=False))


def _say_no_progressive(table: Table) -> Table:
    rule = settle.paragraphs_of(table).no_progressive
    return notice(table, "noted", f"No progressive bets are taken this round ({rule}).")


def _ready(spot: SpotState, settings: Settings) -> SpotState:
    """Keyed bets and amounts belong to one round; chips stay as they lie."""
    present = spot.present and settings.sensor(spot.spot) is not None
    ready = spot._replace(present=present, before=present, changes=(), keyed=False, amount_minor=None)
    return spot if spot == ready else ready


def stamp_lock(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.NoMoreBetsPressed) and table.settings is not None
    due_ns = fact.edge_ns + table.settings.drain_ms * NS_PER_MS
    table = table._replace(
        deadlines=(*table.deadlines, Deadline("drain", due_ns)), panel=panel.dark(table.panel)
    )
    return _with_round(table, lock_ns=fact.edge_ns, locked_at=fact.at, registered=fact.meters)


def expire(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DeadlinePassed)
    return table._replace(deadlines=tuple(one for one in table.deadlines if one.name != fact.name))


def await_rulings(table: Table, fact: facts.Fact) -> Table:
    return _with_round(expire(table, fact), drained=True)


def take_snapshot(table: Table, fact: facts.Fact) -> Table:
    """The one immutable list of bets; from here the journal wins over every sensor."""
    assert table.settings is not None and table.round is not None
    bets = settle.snapshot_of(table)
    method = settle.procedure_of(table).method(table.settings.dealing)
    plan = deal.plan(method, settle.seats_in_play(settle.book_of(table), bets))
    table = table._replace(deadlines=tuple(one for one in table.deadlines if one.name != "drain"))
    table = _with_round(table, bets=bets, plan=plan, drained=True)
    for bet in bets:
        if not bet.accepted:
            table = notice(table, "noted", f"{bet.seat}.{bet.wager}: hand the bet back ({bet.rule}).")
    assert table.round is not None and table.round.locked_at is not None
    contributions = settle.contributions(table.round)
    return post(table, letters.RoundLockedLetter(table.round.number, table.round.locked_at, contributions))


def void_without_bets(table: Table, fact: facts.Fact) -> Table:
    table = take_snapshot(table, fact)
    return _void(table, fact.at, settle.paragraphs_of(table).takes_part, "no box takes part", person="")


def bind_card(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardDealt) and table.round is not None
    target = table.round.plan[len(table.round.dealt)]
    return _with_round(table, dealt=(*table.round.dealt, Dealt(fact.card, target, fact.arrived_ns)))


def bind_last_card(table: Table, fact: facts.Fact) -> Table:
    table = _with_round(bind_card(table, fact), dealt_at=fact.at)
    assert table.round is not None
    hands = tuple(
        letters.DealtHand(seat, deal.last_card_ns(table.round, str(seat)))
        for seat in settle.seats_in_play(settle.book_of(table), table.round.bets)
    )
    return post(table, letters.RoundDealtLetter(table.round.number, fact.at, hands))


def bind_held_card(table: Table, fact: facts.Fact) -> Table:
    """The deal goes on under an interruption; when it is complete, what is held is the phase after it."""
    playing = settle.round_of(table)
    if len(playing.dealt) + 1 < len(playing.plan):
        return bind_card(table, fact)
    after = Phase.DECIDING if settle.deciding_seats(table) else Phase.REVEALING
    return _with_round(bind_last_card(table, fact), held_from=after)


def set_card_aside(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.CardDealt) and table.round is not None
    if fact.card not in table.round.strays:
        table = _with_round(table, strays=(*table.round.strays, fact.card))
    return notice(table, "noted", "A card came that no hand waits for: set it aside, face down.")


def hold_for_card(table: Table, fact: facts.Fact) -> Table:
    return hold(set_card_aside(table, fact), fact)


def mark_seen(table: Table, _: facts.Fact) -> Table:
    return _with_round(table, seen=True)


def mark_collected(table: Table, fact: facts.Fact) -> Table:
    return _with_round(table, collected=True, collected_ns=fact.at.mono_ns)


def decide(table: Table, fact: facts.Fact) -> Table:
    """A decision shows that the player has had his cards. Until the reveal the dealer may correct it."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    others = tuple(one for one in table.round.decisions if one.seat != fact.seat)
    left = table.panel.mode == WALK_AWAY
    made = panel.walk_away(table, fact.seat) if left else Decision(fact.seat, table.panel.mode)
    decided = (*others, made)
    return _with_round(table, decisions=tuple(sorted(decided)), seen=True)


def reveal(table: Table, _: facts.Fact) -> Table:
    return _with_round(table._replace(panel=panel.dark(table.panel)), revealed=True)


def settle_round(table: Table, fact: facts.Fact) -> Table:
    assert table.round is not None
    lines = settle.lines_of(table)
    claims = settle.claims_of(table.round, lines)
    states = tuple(ClaimState(claim.claim, claim.seat, claim.level) for claim in claims)
    table = _with_round(table, lines=lines, claims=states, settled_at=fact.at)
    assert table.round is not None
    tallied = table.tally.contributions_minor + settle.staked_minor(table.round)
    tally = table.tally._replace(contributions_minor=tallied)
    returned = settle.contributions_returned(table.round)
    return post(table._replace(tally=tally), letters.RoundResultLetter(table.round.number, fact.at, claims, returned))


# --- claims ------------------------------------------------------------------------------------------


def _with_claim(table: Table, name: str, **changes: Any) -> Table:
    assert table.round is not None
    claims = tuple(one._replace(**changes) if one.claim == name else one for one in table.round.claims)
    return _with_round(table, claims=claims)


def value_claim(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimValued)
    table = _with_claim(table, fact.claim, value_micro=fact.value_micro, award_minor=fact.award_minor)
    rule = settle.paragraphs_of(table).jackpot_shown
    return notice(table, "noted", f"Jackpot {fact.claim}: call the supervisor; cards stay face up ({rule}).")


def confirm_claim(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimConfirmed)
    return _pay_claim(table, fact, by_registered_value=False)


def confirm_by_registered_value(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimConfirmed)
    value_micro, award_minor = settle.registered_award(table, settle.claim_named(table, fact.claim))
    table = _with_claim(
        table, fact.claim, value_micro=value_micro, award_minor=award_minor, by_registered_value=True
    )
    return _pay_claim(table, fact, by_registered_value=True)


def _pay_claim(table: Table, fact: facts.ClaimConfirmed, *, by_registered_value: bool) -> Table:
    assert table.round is not None
    table = _with_claim(table, fact.claim, verdict="confirmed", person=fact.person)
    claim = settle.claim_named(table, fact.claim)
    assert claim.award_minor is not None
    table = _with_round(table, lines=settle.with_award(settle.round_of(table).lines, claim))
    tally = table.tally._replace(awards_minor=table.tally.awards_minor + claim.award_minor)
    number = settle.round_of(table).number
    letter = letters.ClaimConfirmedLetter(
        number, claim.claim, claim.award_minor, by_registered_value, fact.person, fact.at
    )
    return post(table._replace(tally=tally), letter)


def deny_claim(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimDenied)
    table = _with_claim(table, fact.claim, verdict="denied", person=fact.person)
    claim = settle.claim_named(table, fact.claim)
    table = _with_round(table, lines=settle.without_award(settle.round_of(table).lines, claim, fact.reason))
    number = settle.round_of(table).number
    return post(table, letters.ClaimDeniedLetter(number, fact.claim, fact.person, fact.reason, fact.at))


# --- ends --------------------------------------------------------------------------------------------


def end_round(table: Table, fact: facts.Fact) -> Table:
    ended = settle.round_of(table)
    table = table._replace(tally=table.tally._replace(settled=table.tally.settled + 1))
    table = post(table, settle.ended_letter(ended, fact.at))
    return diagnosis.find_stuck_off(_put_away(table, ended), fact)


def end_void(table: Table, _: facts.Fact) -> Table:
    return _put_away(table, settle.round_of(table))


def _put_away(table: Table, ended: Round) -> Table:
    return table._replace(round=None, previous=ended._replace(ended=True), deadlines=())


def void_by_order(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.VoidOrdered)
    return _void(table, fact.at, settle.paragraphs_of(table).void_returns, fact.reason, fact.person)


def void_by_key(table: Table, fact: facts.Fact) -> Table:
    reason = "VOID was pressed with the supervisor key on"
    return _void(table, fact.at, settle.paragraphs_of(table).void_returns, reason, panel.KEY_SWITCH)


def void_by_ruling(table: Table, fact: facts.Fact) -> Table:
    ruled = table.irregularity.ruled
    assert ruled is not None
    return _void(table, fact.at, ruled.question.rule, ruled.question.because, ruled.person)


def void_previous(table: Table, fact: facts.Fact) -> Table:
    """A void that the rules still allow after the round has ended is a correction of its own."""
    assert isinstance(fact, facts.VoidOrdered) and table.previous is not None
    rule, ended = settle.paragraphs_of(table).dealer_count, table.previous
    voided = ended._replace(void_rule=rule, void_reason=fact.reason, lines=settle.returned_lines(ended, rule))
    letter = letters.RoundVoidedLetter(voided.number, fact.reason, rule, fact.person, fact.at, after_result=True)
    table = post(_untally(table, ended), letter)
    tally = table.tally._replace(settled=table.tally.settled - 1, voided=table.tally.voided + 1)
    table = table._replace(previous=voided, tally=tally)
    return notice(table, "noted", f"Round {voided.number} is void ({rule}): return its bets.")


def _void(table: Table, at: Stamp, rule: str, reason: str, person: str) -> Table:
    playing = settle.round_of(table)
    if playing.plan or playing.bets:  # the controller has heard of the round
        after_result = playing.settled_at is not None
        table = post(table, letters.RoundVoidedLetter(playing.number, reason, rule, person, at, after_result))
        table = _untally(table, playing)
    table = _with_round(
        table, void_rule=rule, void_reason=reason, lines=settle.returned_lines(playing, rule), held_from=None
    )
    table = table._replace(deadlines=(), tally=table.tally._replace(voided=table.tally.voided + 1))
    returns = settle.paragraphs_of(table).void_returns
    return notice(table, "noted", f"Round {playing.number} is void ({rule}): return every bet ({returns}).")


def _untally(table: Table, voided: Round) -> Table:
    if voided.settled_at is None:
        return table
    tallied = table.tally.contributions_minor - settle.staked_minor(voided)
    return table._replace(tally=table.tally._replace(contributions_minor=tallied))


def call_supervisor(table: Table, _: facts.Fact) -> Table:
    return notice(table, "noted", "VOID was pressed: a supervisor orders the void or lets play go on.")


def hold(table: Table, _: facts.Fact) -> Table:
    return _with_round(table, held_from=irregular.phase_of_play(table))


def resume(table: Table, _: facts.Fact) -> Table:
    return _with_round(table, held_from=None)


def resume_with_snapshot(table: Table, fact: facts.Fact) -> Table:
    return take_snapshot(resume(table, fact), fact)
