"""What one era tells the next. It is small and neutral, so the previous and the next version can both read it. Only a
table without an open round has one."""

from __future__ import annotations

from typing import Any

from felt.nouns.ids import Spot, spot_of
from felt.nouns.stamps import Stamp
from felt.nouns.values import ShapeError, Value, from_plain, parts_of, replace, to_plain
from felt.table import settle
from felt.table.settings import Settings
from felt.table.state import Bet, Mail, Outbox, Phase, Round, Service, ServiceState, StandingFault, Table, TableTotals

FORMAT = 1


class LastRound(Value, forbid_unknown_fields=False):
    """A round that ended and may still be voided: what goes back and what was booked. No cards."""

    number: int
    opened_at: Stamp
    rulebook: str
    version: str
    readings: str
    bets: tuple[Bet, ...]  # includes bets placed since, with the amounts known by now; a jackpot stake
    # as it was booked
    returned: tuple[int, ...]
    linked: tuple[tuple[int, ...], ...]
    settled_at: Stamp | None
    registered: tuple[tuple[str, int], ...]
    dealer: str
    found: tuple[tuple[Spot, int], ...] = ()  # on coin spots, in addition to what was booked
    returned_by: tuple[tuple[int, str], ...] = ()


class Device(Value, forbid_unknown_fields=False):
    """The shuffler as last heard. What it sends again was dealt in the previous era. It reports its deck itself."""

    session: int = 0
    identity: str = ""
    version: int = 0
    sequence: int = 0
    ordinal: int | None = None
    unchecked: int = 0


class HandOver(Value, forbid_unknown_fields=False):
    """Within one format a later version may hand over more fields than this one knows."""

    format: int
    letters_written: int
    unanswered: tuple[Mail, ...]
    faults: tuple[StandingFault, ...]
    ordered_out: str
    quarantined: tuple[Spot, ...]
    registered: tuple[tuple[str, int], ...]  # the meters as journaled with the last lock
    tally: TableTotals
    questions_asked: int
    notices_made: int
    barred: tuple[int, ...] = ()
    last_round: LastRound | None = None
    progressive_off: str = ""
    deck_doubt: str = ""
    passed: tuple[StandingFault, ...] = ()
    device: Device = Device()


def era_may_close(table: Table) -> bool:
    """A question about the last round must be answered in its own era, because no hand-over carries questions."""
    return table.round is None and not table.irregularity.questions


def hand_over(table: Table) -> dict[str, Any]:
    assert table.round is None, "an era is closed only when no round is open"
    shuffler = table.shuffler
    handed = HandOver(
        format=FORMAT,
        letters_written=table.post.written,
        unanswered=table.post.unanswered,
        faults=table.service.faults,
        ordered_out=table.service.ordered_out,
        quarantined=table.quarantined,
        registered=table.previous.registered if table.previous else (),
        tally=table.tally,
        questions_asked=table.irregularity.asked,
        notices_made=table.panel.noticed,
        barred=table.barred,
        last_round=_voidable(table.previous),
        progressive_off=table.progressive_off,
        deck_doubt=shuffler.doubt,
        passed=table.service.passed,
        device=Device(
            session=shuffler.session,
            identity=shuffler.identity,
            version=shuffler.version,
            sequence=shuffler.sequence,
            ordinal=shuffler.ordinal,
            unchecked=shuffler.unchecked,
        ),
    )
    plain: dict[str, Any] = to_plain(handed)
    return plain


def _voidable(ended: Round | None) -> LastRound | None:
    """A restart neither opens nor closes the window in which a round can be voided."""
    if ended is None or ended.void_rule or any(claim.verdict == "confirmed" for claim in ended.claims):
        return None
    coins = [spot_of(bet.seat, bet.wager) for bet in ended.bets if bet.coin]
    every = (*ended.bets, *settle.placed_since(ended))
    bets = tuple(bet if bet.coin else _as_known(ended, bet) for bet in every)
    return LastRound(
        ended.number, ended.opened_at, ended.rulebook, ended.version, ended.readings, bets,
        ended.returned, ended.linked, ended.settled_at, ended.registered, ended.dealer,
        tuple((spot, minor) for spot, minor in ended.found if spot in coins), ended.returned_by,
    )


def _as_known(ended: Round, bet: Bet) -> Bet:
    """A bet that was found to have another amount belongs to the box's own player."""
    found = spot_of(bet.seat, bet.wager) in dict(ended.found)
    return replace(bet, amount_minor=settle.amount_of(ended, bet), stakes=() if found else bet.stakes)


def _as_it_ended(last: LastRound | None) -> Round | None:
    if last is None:
        return None
    return Round(
        last.number, last.opened_at, last.rulebook, last.version, last.readings, progressive_open=True, drained=True,
        bets=last.bets, returned=last.returned, linked=last.linked, settled_at=last.settled_at,
        registered=last.registered, dealer=last.dealer, ended=True, found=last.found,
        returned_by=last.returned_by,
    )


def taken_over(plain: dict[str, Any], settings: Settings | None) -> Table:
    """The table that begins a new era: closed, booting, with the letters that the old one still owes."""
    born = Table(settings=settings)
    if not plain:
        return born
    if plain.get("format") != FORMAT:
        problem = f"{plain.get('format')!r} is another format of hand-over than {FORMAT}"
        raise ShapeError(problem, ("format",))
    old = from_plain(HandOver, plain)
    return replace(
        born,
        phase=Phase.CLOSED,
        previous=_as_it_ended(old.last_round),
        service=Service(ServiceState.BOOTING, old.faults, old.ordered_out, passed=old.passed),
        quarantined=old.quarantined,
        barred=old.barred,
        progressive_off=old.progressive_off,
        shuffler=replace(born.shuffler, doubt=old.deck_doubt, **parts_of(old.device)),
        post=Outbox(old.letters_written, old.unanswered),
        tally=old.tally,
        irregularity=replace(born.irregularity, asked=old.questions_asked),
        panel=replace(born.panel, noticed=old.notices_made),
    )
