"""Real tables in every phase, made only by stepping facts, and samples of every fact for each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from felt.config import load
from felt.nouns.cards import DECK, Card, parse_cards
from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CHOICES
from felt.table import facts, invariants
from felt.table.facts import Fact
from felt.table.handover import hand_over
from felt.table.machine import Stepper
from felt.table.settings import MAIL_MAX, Settings
from felt.table.state import Mail, Outbox, Phase, Table
from felt.virtual.clock import VirtualClock
from felt.wiring import devices, table_settings

STEPPER = Stepper()
ROYAL = "As Ks Qs Js Ts 2d"
NOTHING = "2c 7d 9h Qd Jc 4s"
METERS = (("major", 5_000_000 * 1_000_000),)
BOOT = "00000001"


def settings_of(*overrides: str) -> Settings:
    config = load(None, ('dealers.Kim="1234"', *overrides))
    return table_settings.settings_of(config, devices.virtual_board(config, VirtualClock()).lines())


@cache
def _settings(overrides: tuple[str, ...]) -> Settings:
    return settings_of(*overrides)


class Bench:
    """One table and the facts that made it."""

    def __init__(self, *overrides: str) -> None:
        self.table = Table()
        self.told: list[Fact] = []
        self._ms = 0
        self._boot = 1
        self.do(facts.EraOpened, nonce="00c0ffee", firmware="0", handover={})
        self.do(facts.Configured, settings=_settings(overrides), digest="0" * 64)
        self.boot(next_one=False)
        self.do(facts.LinkFound)
        self.do(facts.ShufflerFound)

    def stamp(self) -> Stamp:
        self._ms += 1
        return Stamp(f"{self._boot:08x}", self._ms * NS_PER_MS, 1_800_000_000 * 10**9 + self._ms * NS_PER_MS)

    def step(self, fact: Fact) -> None:
        after = STEPPER.after(self.table, fact)
        invariants.check(after, self.table)
        self.table = after
        self.told.append(fact)

    def do(self, kind: type[Fact], **fields: Any) -> Bench:
        self.step(kind(self.stamp(), **fields))
        return self

    def boot(self, *, next_one: bool = True) -> Bench:
        self._boot += next_one
        levels = tuple((spot.spot, spot.present) for spot in self.table.spots)
        return self.do(facts.Booted, firmware="0", levels=levels)

    def chip(self, *spots: str) -> Bench:
        for spot in spots:
            self.do(facts.ChipSeen, spot=Spot(spot), edge_ns=self.stamp().mono_ns)
        return self

    def lock(self) -> Bench:
        return self.do(facts.NoMoreBetsPressed, edge_ns=self.stamp().mono_ns, meters=METERS)

    def cards(self, text: str) -> Bench:
        for card in parse_cards(text):
            sequence = self.table.shuffler.sequence + 1
            self.do(facts.CardDealt, card=card, arrived_ns=self.stamp().mono_ns, sequence=sequence)
        return self

    def unread(self) -> Bench:
        sequence = self.table.shuffler.sequence + 1
        return self.do(facts.CardUnread, arrived_ns=self.stamp().mono_ns, sequence=sequence)

    def other(self, times: int) -> Bench:
        for _ in range(times):
            self.do(facts.OtherModePressed)
        return self

    def declare(self, kind: str, where: str, **fields: Any) -> Bench:
        return self.do(
            facts.IrregularityDeclared, mishap=kind, where=where, evidence="", person="Kim", role="dealer", **fields
        )

    def report_hit(self) -> Bench:
        fields = {"evidence": "", "person": "Kim", "role": "dealer"}
        return self.do(facts.HitReported, seat=1, hand="royal_flush", **fields)

    def misdeal(self, mishap: Mishap) -> Bench:
        """Press MISDEAL until this mishap is lit."""
        while self.table.panel.mishap != mishap:
            self.do(facts.MisdealPressed)
        return self

    # --- the way of a round --------------------------------------------------------------------------

    def idle(self) -> Bench:
        return self.do(facts.TableOpened, person="supervisor")

    def betting(self) -> Bench:
        return self.idle().do(facts.OpenPressed).chip("1.ante", "1.progressive")

    def locking(self) -> Bench:
        return self.betting().lock()

    def dealing(self) -> Bench:
        return self.locking().do(facts.DeadlinePassed, name="drain")

    def deciding(self, cards: str = NOTHING) -> Bench:
        return self.dealing().cards(cards)

    def two_boxes(self) -> Bench:
        self.idle().do(facts.OpenPressed).chip("1.ante", "1.progressive", "2.ante").lock()
        return self.do(facts.DeadlinePassed, name="drain").cards("2c 7d 9h 3c 8d Th Qd Jc 4s")

    def pair_plus_alone(self) -> Bench:
        self.idle().do(facts.OpenPressed).chip("1.pair_plus").lock().do(facts.DeadlinePassed, name="drain")
        return self.cards(NOTHING)

    def revealing(self, cards: str = NOTHING) -> Bench:
        self.deciding(cards).do(facts.PlayModePressed).do(facts.SeatPressed, seat=1)
        return self.do(facts.RevealPressed)

    def settling(self) -> Bench:
        return self.revealing(ROYAL).do(facts.SettlePressed)

    def verifying(self) -> Bench:
        award = 5_000_100
        return self.settling().do(facts.ClaimValued, claim="1.1", value_micro=award * 1_000_000, award_minor=award)

    def paying(self) -> Bench:
        return self.revealing().do(facts.SettlePressed)

    def paying_a_jackpot(self) -> Bench:
        return self.verifying().do(facts.ClaimConfirmed, claim="1.1", person="supervisor")

    def voiding(self) -> Bench:
        return self.dealing().do(facts.VoidOrdered, person="supervisor", reason="a quarrel")

    def ended(self) -> Bench:
        return self.paying().do(facts.SettlePressed)

    def out_of_service(self) -> Bench:
        return self.do(facts.OutOfServiceOrdered, person="technician", reason="smoke")


def _undetermined(bench: Bench, spot: str) -> Bench:
    lock_ns = bench.stamp().mono_ns + 50 * NS_PER_MS
    bench.do(facts.ChipSeen, spot=Spot(spot), edge_ns=lock_ns)
    bench.do(facts.NoMoreBetsPressed, edge_ns=lock_ns, meters=METERS)
    return bench.do(facts.DeadlinePassed, name="drain")


def _late_evidence(bench: Bench) -> Bench:
    playing = bench.paying().table.round
    lock_ns = playing.lock_ns if playing else None
    assert lock_ns is not None
    return bench.do(facts.ChipSeen, spot=Spot("2.progressive"), edge_ns=lock_ns - 1)


def _two_claims(bench: Bench) -> Bench:
    """Two claims, as in games with several majors on one table: a second box has the same hand."""
    playing = bench.table.round
    assert playing is not None
    second = replace(playing.claims[0], claim="1.2", seat=2, value_micro=None, award_minor=None)
    line = replace(next(line for line in playing.lines if line.level), seat=2)
    bets = (*playing.bets, *(replace(bet, seat=2) for bet in playing.bets if bet.coin))
    bench.table = replace(
        bench.table,
        round=replace(playing, claims=(*playing.claims, second), lines=(*playing.lines, line), bets=bets)
    )
    return bench


def _full_mail(bench: Bench) -> Bench:
    mail = tuple(Mail(sequence, "RoundEnded", "[]") for sequence in range(1, MAIL_MAX + 1))
    bench.idle()
    bench.table = replace(bench.table, post=Outbox(MAIL_MAX, mail))
    return bench


# How to reach a table of each kind. Phases come first, under their own names.
WAYS: dict[str, Callable[[Bench], Bench]] = {
    "CLOSED": lambda bench: bench,
    "IDLE": Bench.idle,
    "BETTING": Bench.betting,
    "LOCKING": Bench.locking,
    "DEALING": Bench.dealing,
    "DECIDING": Bench.deciding,
    "REVEALING": Bench.revealing,
    "SETTLING": Bench.settling,
    "VERIFYING": Bench.verifying,
    "PAYING": Bench.paying,
    "VOIDING": Bench.voiding,
    "closed and out of service": Bench.out_of_service,
    "closed, in test mode": lambda bench: bench.do(facts.TestModeEntered, person="t"),
    "closed, in test mode, lamps tried": lambda bench: bench.do(facts.TestModeEntered, person="t")
    .do(facts.LampsTried, lamps=("1.progressive",), person="t"),
    "out of service, in test mode": lambda bench: bench.out_of_service().do(facts.TestModeEntered, person="t"),
    "in test mode after a round": lambda bench: bench.ended().do(facts.TableClosed, person="supervisor")
    .do(facts.TestModeEntered, person="t"),
    "in test mode, a question about the last round open": lambda bench: bench.ended().declare("wrong_count", "1")
    .do(facts.TableClosed, person="supervisor").do(facts.TestModeEntered, person="t"),
    "in test mode, the supervisor's key on": lambda bench: bench.ended().do(facts.TableClosed, person="supervisor")
    .do(facts.TestModeEntered, person="t").do(facts.SupervisorTurned, on=True),
    "idle and out of service": lambda bench: bench.idle().out_of_service(),
    "idle with a lost link": lambda bench: bench.idle().do(facts.LinkLost),
    "idle, the shuffler lost": lambda bench: bench.idle().do(facts.ShufflerLost),
    "idle, the shuffler of another version": lambda bench: bench.idle()
    .do(facts.FaultRaised, code="F-203", where="it speaks version 9"),
    "idle, the clock not set": lambda bench: bench.idle().do(facts.ClockJudged, early=True),
    "idle, the shuffler jammed": lambda bench: bench.idle().do(
        facts.DeckReported, cards=52, shuffled=True, sets=0, face_up_next=False, jammed=True, door_open=False
    ),
    "idle, its fault cleared and not back in service": lambda bench: bench.idle()
    .do(facts.FaultRaised, code="F-702", where="inbox").do(facts.FaultCleared, code="F-702", where="inbox", person="t"),
    "ended": Bench.ended,
    "closed after a round": lambda bench: bench.ended().do(facts.TableClosed, person="supervisor"),
    "betting with a lost link": lambda bench: bench.idle().do(facts.LinkLost).do(facts.OpenPressed).chip("1.ante"),
    "locking with an undetermined chip": lambda bench: _undetermined(bench.betting().chip("2.ante"), "2.progressive"),
    "locking with an undetermined chip alone": lambda bench: _undetermined(
        bench.idle().do(facts.OpenPressed), "2.ante"
    ),
    "dealing half": lambda bench: bench.dealing().cards("2c 7d"),
    "dealing, the cards counted by the shuffler": lambda bench: bench.dealing()
    .do(facts.CardDealt, card=Card("2c"), arrived_ns=bench.stamp().mono_ns, sequence=1, ordinal=1),
    "dealing, a card unread": lambda bench: bench.dealing().unread(),
    "dealing, the shuffler lost": lambda bench: bench.dealing().cards("2c 7d").do(facts.ShufflerLost),
    "dealing, the last card missing": lambda bench: bench.dealing().cards("2c 7d 9h Qd Jc").do(facts.ShufflerLost),
    "dealing without decisions, the last card missing": lambda bench: bench.idle().do(facts.OpenPressed)
    .chip("1.pair_plus").lock().do(facts.DeadlinePassed, name="drain").cards("2c 7d 9h Qd Jc").do(facts.ShufflerLost),
    "held in dealing, the shuffler lost": lambda bench: bench.dealing().boot().do(facts.ShufflerLost),
    "revealing, a card unread": lambda bench: bench.dealing().cards("2c 7d").unread().cards("Qd Jc 4s")
    .do(facts.PlayModePressed).do(facts.SeatPressed, seat=1).do(facts.RevealPressed),
    "idle, a card struck out": lambda bench: bench.idle()
    .do(facts.CardStruck, card=Card("2c"), person="Sam", role="supervisor", reason="it is bent"),
    "betting with few cards": lambda bench: bench.betting().do(
        facts.DeckReported, cards=5, shuffled=False, sets=9, face_up_next=False, jammed=False, door_open=False
    ),
    "deciding, a mode lit": lambda bench: bench.deciding().do(facts.FoldModePressed),
    "deciding, all folded": lambda bench: bench.deciding().do(facts.FoldModePressed).do(facts.SeatPressed, seat=1),
    "deciding, walk-away lit": lambda bench: bench.deciding().other(1),
    "deciding, walked away": lambda bench: bench.deciding().other(1).do(facts.SeatPressed, seat=1),
    "deciding, return lit": lambda bench: bench.deciding().other(2),
    "deciding, return lit and the key on": lambda bench: bench.deciding().other(2).do(facts.SupervisorTurned, on=True),
    "deciding, a card unread, return lit and the key on": lambda bench: bench.dealing().cards("2c 7d").unread()
    .cards("Qd Jc 4s").other(2).do(facts.SupervisorTurned, on=True),
    "deciding, bets returned": lambda bench: bench.deciding()
    .do(facts.BetsReturned, seat=1, person="s", role="shift_manager"),
    "deciding, seat out lit": lambda bench: bench.deciding().other(3),
    "deciding, sign-in lit": lambda bench: bench.deciding().other(5),
    "deciding, one box of a link pressed": lambda bench: bench.deciding().other(4).do(facts.SeatPressed, seat=2),
    "deciding, boxes linked": lambda bench: bench.deciding().other(4).do(facts.SeatPressed, seat=1)
    .do(facts.SeatPressed, seat=7),
    "betting, seat out lit": lambda bench: bench.betting().other(3),
    "betting, a box out of play": lambda bench: bench.betting().do(facts.SeatBarred, seat=2, out=True, person="s"),
    "idle, the progressive off": lambda bench: bench.idle()
    .do(facts.ProgressiveSwitched, off=True, person="s", reason="a dead sign"),
    "dealing, walk-away lit": lambda bench: bench.dealing().other(1),
    "dealing, walked away": lambda bench: bench.dealing().other(1).do(facts.SeatPressed, seat=1),
    "revealing, walk-away lit": lambda bench: bench.revealing().other(1),
    "settling after a lost link": lambda bench: bench.settling().do(facts.LinkLost).do(facts.LinkFound),
    "verifying after a lost link": lambda bench: bench.settling().do(facts.LinkLost).do(facts.LinkFound)
    .do(facts.ClaimValued, claim="1.1", value_micro=5_000_100 * 1_000_000, award_minor=5_000_100),
    "idle, a box out of play": lambda bench: bench.idle().do(facts.SeatBarred, seat=1, out=True, person="s"),
    "dealing with a mismatch": lambda bench: bench.dealing().do(facts.CountMismatchPressed),
    "dealing, the supervisor's key on": lambda bench: bench.dealing().do(facts.SupervisorTurned, on=True),
    "closed, the door open": lambda bench: bench.do(facts.DoorMoved, is_open=True),
    "closed, a lamp open": lambda bench: bench.do(facts.LampFound, lamp=Spot("1.progressive"), state="open"),
    "closed on a covered spot": lambda bench: bench.chip("1.progressive"),
    "paying a jackpot, the supervisor's key on": lambda bench: bench.paying_a_jackpot()
    .do(facts.SupervisorTurned, on=True),
    "held by a declared misdeal": lambda bench: bench.deciding().do(facts.MisdealPressed).do(facts.SettlePressed),
    "held for a player's choice": lambda bench: bench.deciding().declare("exposed_card", "1"),
    "held for the choices of two": lambda bench: bench.two_boxes().declare("exposed_card", "dealer"),
    "held by a hand in the wrong box": lambda bench: bench.two_boxes().declare("wrong_box", "1", other="2"),
    "held by a wrong count": lambda bench: bench.two_boxes().declare("wrong_count", "1"),
    "held in dealing by a wrong count": lambda bench: bench.dealing().cards("2c 7d 9h Qd").declare("wrong_count", "1"),
    "held in dealing for a player's choice": lambda bench: bench.dealing().cards("2c").declare("exposed_card", "1"),
    "held in revealing for a player's choice": lambda bench: bench.pair_plus_alone().declare("exposed_card", "1"),
    "held by cards drawn together": lambda bench: bench.two_boxes().declare("simultaneous_cards", ""),
    "held by a wrong count in paying": lambda bench: bench.paying().declare("wrong_count", "1"),
    "ended, with a wrong count": lambda bench: bench.ended().declare("wrong_count", "1"),
    "ended, with a wrong count of the dealer": lambda bench: bench.ended().declare("wrong_count", "dealer"),
    "deciding, misdeal lit": lambda bench: bench.deciding().do(facts.MisdealPressed),
    "deciding, misdeal lit on the wrong box": lambda bench: bench.deciding().misdeal(Mishap.WRONG_BOX),
    "deciding, misdeal lit and one box pressed": lambda bench: bench.deciding().misdeal(Mishap.WRONG_BOX)
    .do(facts.SeatPressed, seat=1),
    "deciding, misdeal lit on a chip in error": lambda bench: bench.deciding().misdeal(Mishap.CHIP_IN_ERROR),
    "held in dealing, the supervisor's key on": lambda bench: bench.dealing().boot()
    .do(facts.SupervisorTurned, on=True),
    "deciding, cards seen": lambda bench: bench.deciding().do(facts.CardsSeenPressed).do(facts.CollectPressed),
    "revealing, hidden": lambda bench: bench.idle().do(facts.OpenPressed).chip("1.pair_plus").lock()
    .do(facts.DeadlinePassed, name="drain").cards(NOTHING),
    "revealing a royal": lambda bench: bench.revealing(ROYAL),
    "settling with a lost link": lambda bench: bench.settling().do(facts.LinkLost),
    "settling two claims": lambda bench: _two_claims(bench.settling()),
    "settling two claims with a lost link": lambda bench: _two_claims(bench.settling()).do(facts.LinkLost),
    "verifying two claims": lambda bench: _two_claims(bench.verifying()),
    "idle with full mail": _full_mail,
    "paying with a question": _late_evidence,
    "paying a jackpot": Bench.paying_a_jackpot,
    "voiding and out of service": lambda bench: bench.voiding().out_of_service(),
    "held in betting": lambda bench: bench.betting().out_of_service(),
    "held in locking": lambda bench: bench.locking().boot(),
    "held in locking by a card": lambda bench: bench.locking().cards("As"),
    "held in locking by a card, drained": lambda bench: bench.locking().cards("As")
    .do(facts.DeadlinePassed, name="drain"),
    "held in locking without bets": lambda bench: bench.idle().do(facts.OpenPressed).lock().cards("As")
    .do(facts.DeadlinePassed, name="drain"),
    "held in dealing": lambda bench: bench.dealing().boot(),
    "held in dealing before its last card": lambda bench: bench.dealing().cards("2c 7d 9h Qd Jc").boot(),
    "held in deciding": lambda bench: bench.deciding().do(facts.LinkLost),
    "held in deciding by a card": lambda bench: bench.deciding().cards("5h"),
    "held in revealing": lambda bench: bench.revealing().boot(),
    "held in settling": lambda bench: bench.settling().boot(),
    "held in verifying": lambda bench: bench.verifying().out_of_service(),
    "held in paying": lambda bench: bench.paying().boot(),
    "held in paying a jackpot": lambda bench: bench.paying_a_jackpot().boot(),
    "held by a reported hit": lambda bench: bench.paying().report_hit(),
    "settling a reported hit": lambda bench: bench.paying().report_hit()
    .do(facts.RulingMade, question="q1", choice="claim", person="supervisor", reason=""),
}  # fmt: skip


@cache
def table_at(way: str, *overrides: str) -> Table:
    return WAYS[way](Bench(*overrides)).table


@cache
def booting_table() -> Table:
    """Between the first fact of an era and its first boot."""
    return STEPPER.after(Table(), facts.EraOpened(Stamp(BOOT, 1, 1), "00c0ffee", "0", {}))


# --- samples of facts ----------------------------------------------------------------------------------


def samples(kind: type[Fact], table: Table) -> Iterator[Fact]:
    """Facts of a kind for this table, sensible and foolish ones."""
    at = Stamp(table.boot or BOOT, 10**12, 1_800_000_100 * 10**9)
    for fields in _FIELDS.get(kind, _no_fields)(table):
        yield kind(at, **fields)
        yield kind(replace(at, wall_ns=1), **fields)  # a clock that was never set


Fields = Iterator[dict[str, Any]]


def _no_fields(_: Table) -> Fields:
    yield {}


def _edges(table: Table) -> Fields:
    lock_ns = table.round.lock_ns if table.round else None
    for spot in ("1.progressive", "2.progressive", "1.ante", "7.pair_plus"):
        for offset_ns in (-NS_PER_MS, 0, NS_PER_MS):
            yield {"spot": Spot(spot), "edge_ns": (lock_ns or 10**9) + offset_ns}


def _claims(table: Table) -> Iterator[str]:
    yield "9.9"
    for playing in (table.round, table.previous):
        yield from (claim.claim for claim in (playing.claims if playing else ()))


def _rulings(table: Table) -> Fields:
    questions = [question.id for question in table.irregularity.questions]
    for question in (*questions, "q0"):
        for choice in (*CHOICES, "return", "seat", "noted", "claim", "reject", "perhaps"):
            for reason in ("", "as the camera shows"):
                yield {"question": question, "choice": choice, "person": "supervisor", "reason": reason}
        for role in ("dealer", "shift_manager", "cook"):
            yield {"question": question, "choice": "void", "person": "somebody", "reason": "", "role": role}


def _choices(table: Table) -> Fields:
    questions = [question.id for question in table.irregularity.questions]
    for question in (*questions, "q0"):
        for seat in (1, 2):
            for choice in ("continue", "return", "perhaps"):
                yield {"question": question, "seat": seat, "choice": choice, "person": "dealer"}


def _declarations(_: Table) -> Fields:
    for kind in (*Mishap, "spilt_drink"):
        for where in ("1", "dealer", ""):
            yield {"mishap": str(kind), "where": where, "evidence": "", "person": "Kim", "role": "dealer"}
    odd = {"mishap": "exposed_card", "evidence": "", "person": "Kim", "role": "dealer", "where": "1"}
    yield {**odd, "where": "99"}
    yield {**odd, "role": "cook"}
    yield {**odd, "mishap": "wrong_box", "other": "2", "reconstructable": "no"}
    yield {**odd, "mishap": "wrong_count", "count": 4, "reconstructable": "no"}


def _reports(_: Table) -> Fields:
    seen = {"evidence": "seen on the layout", "person": "Kim", "role": "dealer"}
    for seat in (1, 2, 99):
        for hand in ("royal_flush_spades", "royal_flush", "flush"):
            yield {"seat": seat, "hand": hand, **seen}
    yield {"seat": 1, "hand": "royal_flush", **seen, "role": "cook"}


def _cards_of(table: Table) -> Fields:
    playing = table.round
    out = [dealt.card for dealt in playing.dealt] if playing else []
    fresh = next(card for card in DECK if card not in out)
    for card in (fresh, *out[:1], *(playing.strays[:1] if playing else ())):
        yield {"card": Card(card), "arrived_ns": 10**12, "sequence": 77}
    yield {"card": Card(fresh), "arrived_ns": 10**12, "sequence": table.shuffler.sequence}
    for card in out[:1]:
        yield {"card": Card(card), "arrived_ns": 10**12, "sequence": 77, "ordinal": 1}
    for mark in ("face_up", "burnt", "together"):
        yield {"card": Card(fresh), "arrived_ns": 10**12, "sequence": 77, mark: True}


def _keyed_cards(table: Table) -> Fields:
    fields = {"person": "Sam", "role": "supervisor"}
    for sample in _cards_of(table):
        yield {"card": sample["card"], **fields}
    yield {"card": Card("1x"), **fields}
    yield {"card": Card("Kd"), **fields, "role": "dealer"}


def _struck_cards(table: Table) -> Fields:
    for fields in _keyed_cards(table):
        yield {**fields, "reason": "it is bent"}


def _handovers(table: Table) -> Iterator[dict[str, Any]]:
    yield {}
    if table.round is None:
        yield json.loads(json.dumps(hand_over(table)))


_FIELDS: dict[type[Fact], Callable[[Table], Fields]] = {
    facts.Configured: lambda table: iter([{"settings": _settings(()), "digest": "1" * 64}]),
    facts.Booted: lambda table: iter(
        [{"firmware": "0", "levels": tuple((spot.spot, level) for spot in table.spots)} for level in (True, False)]
    ),
    facts.EraClosed: lambda table: iter([{"handover": {}}]),
    facts.EraOpened: lambda table: iter(
        [{"nonce": "n", "firmware": "1", "handover": handover} for handover in _handovers(table)]
    ),
    facts.SnapshotTaken: lambda table: iter([{"digest": "2" * 64}]),
    facts.DeadlinePassed: lambda table: iter([{"name": "drain"}, {"name": "another"}]),
    facts.StepFailed: lambda table: iter([{"failed": "{}", "problem": "a mistake"}]),
    facts.FaultRaised: lambda table: iter(
        [{"code": code, "where": "1.progressive"} for code in ("F-101", "F-102", "F-103", "F-104", "F-701")]
    ),
    facts.FaultCleared: lambda table: iter(
        [
            {"code": code, "where": where, "person": "t"}
            for code, where in (("F-101", "1.progressive"), ("F-103", "?"), ("F-107", "door"))
        ]
    ),
    facts.OutOfServiceOrdered: lambda table: iter([{"person": "t", "reason": "smoke"}]),
    facts.TestModeEntered: lambda table: iter([{"person": "t"}]),
    facts.TestModeLeft: lambda table: iter([{"person": "t"}]),
    facts.LampsTried: lambda table: iter(
        [{"lamps": lamps, "person": "t"} for lamps in ((), ("1.progressive", "buzzer"), ("key.open",) * 65)]
    ),
    facts.EntryLogged: lambda table: iter(
        [{"part": "cabinet", "reason": "a new sensor", "person": "t", "licence": licence} for licence in ("", "L-7")]
    ),
    facts.AlertAcknowledged: lambda table: iter(
        [{"code": code, "where": where, "person": "t"} for code, where in (("F-107", "door"), ("F-101", "?"))]
    ),
    facts.SignInNoted: lambda table: iter(
        [
            {"person": person, "role": "technician", "outcome": outcome, "wait_s": 30}
            for person in ("t", "")
            for outcome in ("in", "wrong", "locked", "?")
        ]
    ),
    facts.MeterAdjusted: lambda table: iter(
        [
            {"meter": "major", "purse": "display", "amount_minor": amount, "type": "adjusted", "person": "s and t",
             "reason": "as counted"}
            for amount in (100, 0, -100)
        ]
    ),
    facts.BackInServiceOrdered: lambda table: iter([{"person": "t"}]),
    facts.ChipSeen: _edges,
    facts.ChipLifted: _edges,
    facts.ChipFlickered: lambda table: ({**fields, "last_ns": fields["edge_ns"] + 5} for fields in _edges(table)),
    facts.ChipChattered: _edges,
    facts.LevelFound: lambda table: iter(
        [{"spot": Spot("1.progressive"), "present": level} for level in (True, False)]
    ),
    facts.BetKeyed: lambda table: iter(
        [
            {"spot": Spot(spot), "amount_minor": amount, "person": "d", "player": player}
            for spot in ("1.ante", "1.progressive", "9.ante")
            for amount in (2500, None, 0)
            for player in ("", "Ann")
        ]
    ),
    facts.AmountFound: lambda table: iter(
        [
            {"spot": Spot(spot), "amount_minor": amount, "person": "d"}
            for spot in ("1.ante", "1.play", "1.progressive", "9.ante")
            for amount in (150_000, 100, 0)
        ]
    ),
    facts.ProgressiveSwitched: lambda table: iter(
        [{"off": off, "person": "s", "reason": "a dead sign"} for off in (True, False)]
    ),
    facts.RevealRefused: lambda table: iter([{"seat": seat, "person": "s"} for seat in (1, 2, 99)]),
    facts.DiscardSaid: lambda table: iter([{"place": place, "person": "s"} for place in (1, 3, 4)]),
    facts.HandEstablished: lambda table: iter([{"seat": seat, "person": "s"} for seat in (1, 2, 99)]),
    facts.BetUnkeyed: lambda table: iter([{"spot": Spot(spot), "person": "d"} for spot in ("1.ante", "9.ante")]),
    facts.NoMoreBetsPressed: lambda table: iter(
        [{"edge_ns": edge_ns, "meters": METERS} for edge_ns in (10**12, 1)]
    ),
    facts.SeatPressed: lambda table: iter([{"seat": seat} for seat in (1, 2, 7, 99)]),
    facts.ClockJudged: lambda table: iter([{"early": early} for early in (True, False)]),
    facts.ClockStepped: lambda table: iter([{"by_ns": by_ns} for by_ns in (3 * 10**9, -(10**12))]),
    facts.LampFound: lambda table: iter(
        [{"lamp": Spot("1.progressive"), "state": state} for state in ("open", "short", "good")]
    ),
    facts.DoorMoved: lambda table: iter([{"is_open": level} for level in (True, False)]),
    facts.SupervisorTurned: lambda table: iter([{"on": level} for level in (True, False)]),
    facts.BetsReturned: lambda table: iter(
        [{"seat": seat, "person": "s", "role": role} for seat in (1, 2, 0) for role in ("supervisor", "shift_manager")]
    ),
    facts.SeatBarred: lambda table: iter(
        [{"seat": seat, "out": out, "person": "s"} for seat in (1, 2, 99) for out in (True, False)]
    ),
    facts.DealerSignedIn: lambda table: iter([{"name": name, "person": name} for name in ("Kim", "Nobody", "")]),
    facts.TableOpened: lambda table: iter([{"person": "s"}]),
    facts.TableClosed: lambda table: iter([{"person": "s"}]),
    facts.VoidOrdered: lambda table: iter(
        [{"person": "s", "reason": "a quarrel", "role": role} for role in ("supervisor", "dealer", "shift_manager")]
    ),
    facts.RulingMade: _rulings,
    facts.IrregularityDeclared: _declarations,
    facts.PlayerChose: _choices,
    facts.CorrectionRecorded: lambda table: iter(
        [
            {"round": number, "what": "box 1 is paid again", "person": "s", "role": role, "reason": "the camera"}
            for number in (1, 99)
            for role in ("supervisor", "dealer")
        ]
    ),
    facts.HitReported: _reports,
    facts.ClaimConfirmed: lambda table: iter([{"claim": claim, "person": "s"} for claim in _claims(table)]),
    facts.ClaimDenied: lambda table: iter(
        [
            {"claim": claim, "person": "s", "reason": "no", "hand": hand}
            for claim in _claims(table) for hand in ("misread", "stands", "perhaps")
        ]
    ),
    facts.CardDealt: _cards_of,
    facts.CardUnread: lambda table: iter(
        [
            {"arrived_ns": 10**12, "sequence": sequence, "ordinal": ordinal}
            for sequence, ordinal in ((77, None), (0, None), (77, 1))
        ]
    ),
    facts.CardKeyed: _keyed_cards,
    facts.CardStruck: _struck_cards,
    facts.DeckChanged: lambda table: iter([{"person": "Sam", "role": role} for role in ("supervisor", "dealer")]),
    facts.DeckVerified: lambda table: iter([{"person": "Sam", "role": role} for role in ("supervisor", "dealer")]),
    facts.StubChecked: lambda table: iter([{"cards": cards, "person": "Sam"} for cards in (46, 45)]),
    facts.ShufflerGreeted: lambda table: iter([{"session": 5}]),
    facts.DealCountLost: lambda table: iter([{"reason": "the shuffler's line was interrupted"}]),
    facts.DeckReported: lambda table: iter(
        [
            {"cards": cards, "shuffled": True, "sets": 0, "face_up_next": False, "jammed": jam, "door_open": False}
            for cards in (52, 51, 0)
            for jam in (False, True)
        ]
    ),
    facts.FrameKept: lambda table: iter([{"reason": "kind 0x99 is unknown", "raw": "7e0199"}]),
    facts.FramesCounted: lambda table: iter([{"count": 12}]),
    facts.LetterAcked: lambda table: iter([{"sequence": 1}, {"sequence": 10**6}]),
    facts.ClaimValued: lambda table: iter(
        [
            {"claim": claim, "value_micro": 10**12, "award_minor": 10**6, **share}
            for claim in _claims(table)
            for share in ({}, {"level": "major", "share_num": 1, "share_den": 4})
        ]
    ),
}
PHASES_BY_WAY: dict[str, Phase] = {phase.value: phase for phase in Phase if phase.value in WAYS}
