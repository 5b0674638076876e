"""The desk's answers: plain values made from one frozen picture of the table. Answers hold only cards that the room
may see, and nothing here blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from felt.loop.picture import Picture
from felt.nouns.faults import CATALOGUE
from felt.nouns.ids import kind_of, seat_of
from felt.nouns.money import minor_of
from felt.nouns.texts import capitalized
from felt.nouns.values import to_plain
from felt.odds.standing import above_even
from felt.rules import shelf
from felt.table import views
from felt.table.deck import left_alone
from felt.table.questions import plain_statement
from felt.table.redacted import PublicTable
from felt.table.service import stop_faults
from felt.table.state import LinkState, Phase, Question, Round, ServiceState, StandingFault

Answer = dict[str, Any]


# --- what needs somebody ---------------------------------------------------------------------------------


def alerts(table: PublicTable) -> list[Answer]:
    """Every standing fault, what the table knows of its links, and faults that passed by themselves and were not
    acknowledged, each with sentence and remedy."""
    standing = list(table.service.faults)
    if table.link is LinkState.LOST:
        standing.append(StandingFault("F-301", "link"))
    if not table.shuffler.connected and not left_alone(table):
        standing.append(StandingFault("F-201", "shuffler"))
    seen = dict(table.service.acknowledged)
    standing = list(dict.fromkeys(standing))
    passed = [alert for alert in table.service.passed if alert not in standing]
    return [
        *(_alert(alert, seen.get(alert, ""), passed=False) for alert in standing),
        *(_alert(alert, "", passed=True) for alert in passed),
    ]


def _alert(alert: StandingFault, seen_by: str, *, passed: bool) -> Answer:
    fault = CATALOGUE[alert.code]
    said = {"weight": fault.weight, "sentence": fault.sentence, "remedy": fault.remedy}
    return {"code": alert.code, "where": alert.where, **said, "acknowledged": seen_by, "passed": passed}


def waiting(table: PublicTable) -> list[str]:
    """What is not a fault but waits for a person, or a person should know."""
    return [*_waiting_in_play(table), *_waiting_in_the_house(table)]


def _waiting_in_play(table: PublicTable) -> Iterator[str]:
    for question in table.irregularity.questions:
        yield f"Question {question.id}: {question.because} ({question.rule}). Command: {_command(question)}."
    if table.round is not None and table.phase in (Phase.SETTLING, Phase.VERIFYING):
        for claim in table.round.claims:
            if not claim.verdict:
                yield f"Jackpot claim {claim.claim} of box {claim.seat} waits. {_OF_A_CLAIM.format(claim.claim)}"
    for spot, pattern in views.alarms(table):
        if pattern == views.LATE:
            yield f"{spot}: a chip lies there that is not in the bet. Hand it back."
        elif pattern == views.REMOVED:
            yield f"{spot}: the chip of an accepted bet is gone. Put it back."


_ON_AGAIN = "Command: progressive on REASON."
_OF_A_CLAIM = "Command: confirm {0}, or deny {0} misread|stands REASON."


def _command(question: Question) -> str:
    """The command that answers it, with an example."""
    choices = "|".join(question.options)
    if question.players:
        who = f"choose {question.id} {question.players[0]}"
        return f"{who} {choices}, as in {who} {question.options[0]}"
    first = question.proposal if question.proposal in question.options else question.options[0]
    return f"rule {question.id} {choices} REASON, as in rule {question.id} {first} seen by the supervisor"


def _waiting_in_the_house(table: PublicTable) -> Iterator[str]:
    deck = table.shuffler.deck
    barred = ", ".join(map(str, table.barred))
    known = (
        (table.service.ordered_out, f"Out of service by order: {table.service.ordered_out}. Command: back-in-service."),
        (_is_out_for_nothing(table), "Out of service, and nothing stops it any more. Command: back-in-service."),
        (table.panel.door_open, "The cabinet's door is open."),
        (table.panel.supervisor, "The supervisor key is on."),
        (table.barred, f"Out of play: box {barred}. Command: seat {barred[:1]} in."),
        (table.progressive_off, f"No progressive bets by order: {table.progressive_off}. {_ON_AGAIN}"),
        (deck is not None and deck.jammed, "The shuffler is jammed."),
        (deck is not None and deck.door_open, "The shuffler's door is open."),
        (
            table.post.unanswered and table.link is LinkState.LOST,
            f"{len(table.post.unanswered)} letters wait for the jackpot controller.",
        ),
    )
    return (sentence for is_so, sentence in known if is_so)


def _is_out_for_nothing(table: PublicTable) -> bool:
    """Its last fault was cleared, but a person must still put it back into service."""
    is_out = table.service.state is ServiceState.OUT_OF_SERVICE
    return is_out and not table.service.ordered_out and not stop_faults(table)


# --- questions -------------------------------------------------------------------------------------------


def _status(picture: Picture) -> Answer:
    table = picture.table
    settings = table.settings
    assert settings is not None
    return {
        "table": settings.table_id,
        "game": settings.game,
        "currency": to_plain(settings.terms.currency),
        "firmware": table.firmware,
        "wall_ns": picture.at.wall_ns,
        "number": picture.number,
        "service": table.service.state,
        "phase": table.phase,
        "prompt": views.prompt(table),
        "round": table.round.number if table.round else 0,
        "rounds": table.tally.rounds,
        "dealer": table.panel.dealer,
        "link": table.link,
        "mail": len(table.post.unanswered),
        "shuffler": table.shuffler.connected,
        "meters": {name: minor_of(micro) for name, micro in picture.meters.items()},
        "journal": picture.head.seq,
        "alerts": alerts(table),
        "waiting": [*waiting(table), *_jackpots_above_even(picture)],
    }


def _jackpots_above_even(picture: Picture) -> Iterator[str]:
    """Nothing stops for it, and a pit manager wants to know."""
    settings = picture.table.settings
    assert settings is not None
    meters = {name: minor_of(micro) for name, micro in picture.meters.items()}
    for sentence in above_even(shelf.rulebook(settings.game), settings.terms, meters):
        yield f"{capitalized(sentence)}. Nothing needs to be done."


def _spots(picture: Picture) -> Answer:
    table = picture.table
    lamps = views.lamps(table)
    quarantined = set(table.quarantined)
    return {
        "spots": [
            {
                "spot": spot.spot,
                "seat": seat_of(spot.spot),
                "kind": kind_of(spot.spot),
                "sensed": table.settings is not None and table.settings.sensor(spot.spot) is not None,
                "present": spot.present,
                "keyed": spot.keyed,
                "amount_minor": spot.amount_minor,
                "lamp": lamps.get(spot.spot, ""),
                "unseen": spot.unseen,
                "proved": spot.proved_on and spot.proved_off,
                "quarantined": spot.spot in quarantined,
                "barred": seat_of(spot.spot) in table.barred,
            }
            for spot in table.spots
        ]
    }


def _panel(picture: Picture) -> Answer:
    table = picture.table
    return {
        "lit": list(views.keys_lit(table)),
        "seats": list(views.seats_lit(table)),
        "down": list(picture.down),
        "mode": table.panel.mode,
        "supervisor": table.panel.supervisor,
        "door_open": table.panel.door_open,
        "dealer": table.panel.dealer,
        "dealers": [name for name, _ in table.settings.dealers] if table.settings else [],
        "notices": [to_plain(note) for note in table.panel.notices],
    }


def _round(picture: Picture) -> Answer:
    playing = picture.table.round
    return {"phase": picture.table.phase, "round": None if playing is None else _plain_round(playing)}


def _plain_round(playing: Round) -> Answer:
    """The round in play without its cards."""
    return {
        "number": playing.number,
        "rulebook": f"{playing.rulebook} {playing.version}",
        "dealer": playing.dealer,
        "locked": playing.lock_ns is not None,
        "bets": [to_plain(bet) for bet in playing.bets],
        "dealt": len(playing.dealt),
        "of": len(playing.plan),
        "decisions": [to_plain(decided) for decided in playing.decisions],
        "revealed": playing.revealed,
        "claims": [to_plain(claim) for claim in playing.claims],
        "void": playing.void_rule,
    }


def _questions(picture: Picture) -> Answer:
    return {
        "questions": [
            plain_question(question) for question in picture.table.irregularity.questions
        ]
    }


def plain_question(question: Question) -> Answer:
    """Without the cards that it may concern."""
    told = ("id", "kind", "where", "rule", "options", "proposal", "because", "holds", "players")
    statement = None if question.statement is None else plain_statement(question.statement)
    return {**{name: getattr(question, name) for name in told}, "statement": statement}


def _shuffler(picture: Picture) -> Answer:
    shuffler = picture.table.shuffler
    return {**to_plain(shuffler), "deck": None if shuffler.deck is None else to_plain(shuffler.deck)}


def _link(picture: Picture) -> Answer:
    table = picture.table
    letters = [{"sequence": mail.sequence, "kind": mail.kind} for mail in table.post.unanswered]
    return {"link": table.link, "written": table.post.written, "unanswered": letters, "nonce": table.nonce}


def _meters(picture: Picture) -> Answer:
    table = picture.table
    registered = () if table.round is None else table.round.registered
    return {
        "meters": {name: minor_of(micro) for name, micro in picture.meters.items()},
        "registered": {name: minor_of(micro) for name, micro in registered},
        "tally": to_plain(table.tally),
    }


def _lamps(picture: Picture) -> Answer:
    return {"lamps": views.lamps(picture.table)}


def _versions(picture: Picture) -> Answer:
    table = picture.table
    ended = table.round or table.previous
    return {
        "firmware": table.firmware,
        "configuration": table.configuration,
        "rulebook": "" if ended is None else f"{ended.rulebook} {ended.version}",
        "journal": table.nonce,
        "head": {"seq": picture.head.seq},  # without its chain, which would reveal a card in 52 tries
        "boot": table.boot,
        "shuffler": f"{table.shuffler.identity} protocol {table.shuffler.version}".strip(),
        "inbox_refused": picture.inbox_refused,
    }


def _faults(picture: Picture) -> Answer:
    return {"alerts": alerts(picture.table), "waiting": waiting(picture.table)}


def _clock(picture: Picture) -> Answer:
    return {"boot": picture.at.boot, "mono_ns": picture.at.mono_ns, "wall_ns": picture.at.wall_ns}


def _screen(picture: Picture) -> Answer:
    """For the sign and the dealer's screen: what the room may see."""
    table = picture.table
    return {
        **_status(picture),
        "lamps": views.lamps(table),
        "hands": [to_plain(hand) for hand in views.hands(table)],
        "accepted": views.accepted_count(table),
        "open": table.service.state is ServiceState.IN_SERVICE and table.phase is not Phase.CLOSED,
    }


QUESTIONS: dict[str, Callable[[Picture], Answer]] = {
    "status": _status,
    "spots": _spots,
    "panel": _panel,
    "round": _round,
    "questions": _questions,
    "faults": _faults,
    "shuffler": _shuffler,
    "link": _link,
    "meters": _meters,
    "lamps": _lamps,
    "versions": _versions,
    "clock": _clock,
    "screen": _screen,
}
