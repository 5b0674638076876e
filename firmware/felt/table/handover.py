"""What one era tells the next: small, neutral, and readable by the version before and the version after.
Only a table without an open round has one."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from felt.nouns.frozen import Frozen
from felt.nouns.ids import Spot, spot_of
from felt.nouns.shapes import ShapeError, from_plain
from felt.nouns.stamps import Stamp
from felt.table import settle
from felt.table.settings import Settings
from felt.table.state import Bet, Mail, Phase, Post, Round, Service, ServiceState, Standing, Table, Tally

FORMAT = 1


class LastRound(Frozen):
    """Of a round that ended and may still be voided: what goes back, and what was booked. No cards."""

    number: int
    opened_at: Stamp
    rulebook: str
    version: str
    readings: str
    bets: tuple[Bet, ...]  # with what was placed since, and with the amounts that are known by now; a jackpot stake
    # as it was booked
    returned: tuple[int, ...]
    linked: tuple[tuple[int, ...], ...]
    settled_at: Stamp | None
    registered: tuple[tuple[str, int], ...]
    dealer: str
    found: tuple[tuple[Spot, int], ...] = ()  # on coin spots, beside what was booked


class Device(Frozen):
    """The shuffler as it was last heard: what it sends again was dealt in the era before. Which deck lies in it, it
    tells itself."""

    session: int = 0
    identity: str = ""
    version: int = 0
    sequence: int = 0
    unchecked: int = 0


class HandOver(Frozen):
    format: int
    letters_written: int
    unanswered: tuple[Mail, ...]
    faults: tuple[Standing, ...]
    ordered_out: str
    quarantined: tuple[Spot, ...]
    registered: tuple[tuple[str, int], ...]  # the meters as journaled with the last lock
    tally: Tally
    questions_asked: int
    notices_made: int
    barred: tuple[int, ...] = ()
    last_round: LastRound | None = None
    progressive_off: str = ""
    deck_doubt: str = ""
    passed: tuple[Standing, ...] = ()
    device: Device = Device()


def era_may_close(table: Table) -> bool:
    """A question about the last round is answered in the era that asked it: no hand-over carries it."""
    return table.round is None and not table.irregularity.questions


def hand_over(table: Table) -> dict[str, Any]:
    assert table.round is None, "an era is closed only when no round is open"
    last = _voidable(table.previous)
    return {
        "format": FORMAT,
        "letters_written": table.post.written,
        "unanswered": table.post.unanswered,
        "faults": table.service.faults,
        "ordered_out": table.service.ordered_out,
        "quarantined": table.quarantined,
        "registered": table.previous.registered if table.previous else (),
        "tally": table.tally,
        "questions_asked": table.irregularity.asked,
        "notices_made": table.panel.noticed,
        "barred": table.barred,
        "progressive_off": table.progressive_off,
        "deck_doubt": table.shuffler.doubt,
        "passed": table.service.passed,
        "last_round": None if last is None else asdict(last),
        "device": {name: getattr(table.shuffler, name) for name in _names(Device)},
    }


def _voidable(ended: Round | None) -> LastRound | None:
    """A restart neither opens nor closes the window in which a round can be voided."""
    if ended is None or ended.void_rule or any(claim.verdict == "confirmed" for claim in ended.claims):
        return None
    lines = settle.returned_lines(ended, "")
    recorded = (
        bet if bet.coin else bet._replace(amount_minor=line.stake)
        for bet, line in zip(ended.bets, lines, strict=False)
    )  # fmt: skip
    coins = [spot_of(bet.seat, bet.wager) for bet in ended.bets if bet.coin]
    since = (
        Bet(line.seat, line.bet, line.stake, keyed=False, coin=False, accepted=True, rule="")
        for line in lines[len(ended.bets) :]
    )
    return LastRound(
        ended.number, ended.opened_at, ended.rulebook, ended.version, ended.readings, (*recorded, *since),
        ended.returned, ended.linked, ended.settled_at, ended.registered, ended.dealer,
        tuple(one for one in ended.found if one[0] in coins),
    )


def _as_it_ended(last: LastRound | None) -> Round | None:
    if last is None:
        return None
    return Round(
        last.number, last.opened_at, last.rulebook, last.version, last.readings, progressive_open=True, drained=True,
        bets=last.bets, returned=last.returned, linked=last.linked, settled_at=last.settled_at,
        registered=last.registered, dealer=last.dealer, ended=True, found=last.found,
    )


def _names(shape: type[HandOver | LastRound | Device]) -> list[str]:
    return [field.name for field in fields(shape)]


def _known(shape: type[HandOver | LastRound | Device], plain: Any) -> Any:
    """Within one format a later version may hand over more than this one knows."""
    if not isinstance(plain, dict):
        return plain
    return {name: plain[name] for name in _names(shape) if name in plain}


def taken_over(plain: dict[str, Any], settings: Settings | None) -> Table:
    """The table with which a new era begins: closed, booting, and owing what the old one owed."""
    born = Table(settings=settings)
    if not plain:
        return born
    if plain.get("format") != FORMAT:
        problem = f"{plain.get('format')!r} is another format of hand-over than {FORMAT}"
        raise ShapeError(problem, ("format",))
    told = _known(HandOver, plain)
    for name, shape in (("last_round", LastRound), ("device", Device)):
        if name in told:
            told[name] = _known(shape, told[name])
    old = from_plain(HandOver, told)
    return born._replace(
        phase=Phase.CLOSED,
        previous=_as_it_ended(old.last_round),
        service=Service(ServiceState.BOOTING, old.faults, old.ordered_out, passed=old.passed),
        quarantined=old.quarantined,
        barred=old.barred,
        progressive_off=old.progressive_off,
        shuffler=born.shuffler._replace(doubt=old.deck_doubt, **asdict(old.device)),
        post=Post(old.letters_written, old.unanswered),
        tally=old.tally,
        irregularity=born.irregularity._replace(asked=old.questions_asked),
        panel=born.panel._replace(noticed=old.notices_made),
    )
