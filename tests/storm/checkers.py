"""What must hold whatever the weather, judged from outside: from what left the table, from what truly happened at
the contacts, and from what the disk keeps for certain. Never from the product's own bookkeeping alone."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from felt.jackpot.meters import Kind
from felt.jackpot.office import GAP_TOLD, Office
from felt.journal.reading import read_records
from felt.journal.record import JournalError, Record
from felt.nouns.ids import Spot, kind_of, seat_of, spot_of
from felt.nouns.stamps import NS_PER_MS
from felt.table import facts, views
from felt.table.charts import REGIONS
from felt.table.machine import Stepper
from felt.table.state import Digester, Phase, Round, Table
from felt.wire import jackpot
from tests.storm.purse import Purse, Violation

if TYPE_CHECKING:
    from tests.storm.world import Act, World

__all__ = ["Checkers", "Violation"]

COIN = ".progressive"
SPOKEN_FOR = (views.ACCEPTED, views.WINNER)
# Faults that say that the table or its controller has lost something: never in honest weather.
NEVER = ("F-302", "F-303", "F-401", "F-405", "F-701", "F-702", "F-703")
CLEAR_OF_LOCK_NS = 60 * NS_PER_MS
RECOVERED_NS = 3_000 * NS_PER_MS  # after this long, a lost edge has been found by reading the level again
ACTS = (
    facts.OpenPressed, facts.NoMoreBetsPressed, facts.CollectPressed, facts.CardsSeenPressed, facts.FoldModePressed,
    facts.PlayModePressed, facts.SeatPressed, facts.RevealPressed, facts.SettlePressed, facts.VoidPressed,
    facts.TableOpened, facts.TableClosed, facts.VoidOrdered, facts.RulingMade, facts.ClaimConfirmed,
    facts.ClaimDenied, facts.FaultCleared, facts.BackInServiceOrdered, facts.MisdealPressed, facts.OtherModePressed,
    facts.CountMismatchPressed, facts.SupervisorTurned, facts.BetsReturned, facts.SeatBarred, facts.DealerSignedIn,
)  # fmt: skip


class Checkers:
    def __init__(self, *, reads_the_disk: bool = True) -> None:
        self.purse = Purse()
        self.copyist = Copyist(reads_the_disk)
        self.witness = Witness()
        self.boxes = 0
        self.judged: set[int] = set()
        self._seen: Table | None = None

    def looked(self, world: World) -> None:
        """After every tick."""
        self.heard(world)
        table = world.table
        if table is self._seen:
            return
        before, self._seen = self._seen, table
        self._check_lamps(world, table)
        self._judge_bets(world, table)
        if before is not None and before.round is not None and table.round is None:
            self.round_ended(world)

    def heard(self, world: World) -> None:
        for content in world.letters:
            message = jackpot.decode(content)
            if isinstance(message, jackpot.Posted):
                self.witness.hears(message)
                world.digest.update(content)
        world.letters.clear()

    def arrived(self, content: bytes, office: Office) -> None:
        message = jackpot.decode(content)
        if isinstance(message, jackpot.Posted):
            self.purse.receives(message.sequence, message.kind, json.loads(message.body))
            self.purse.compare(office.standing.meters[0])

    def booted(self, world: World) -> None:
        self._seen = None
        self.copyist.compare(world)
        self.heard(world)
        self._check_lamps(world, world.table)
        self._judge_bets(world, world.table)

    def round_ended(self, world: World) -> None:
        self.copyist.compare(world)
        self._check_office(world.office, world)

    def at_rest(self, world: World) -> None:
        """The weather is over, the table is idle and all its mail is answered."""
        self.round_ended(world)
        self.witness.all_is_said()
        self.purse.all_is_settled()
        tally = world.table.tally
        if (tally.contributions_minor, tally.awards_minor) != (self.purse.stakes, self.purse.wins):
            told = (tally.contributions_minor, tally.awards_minor)
            raise Violation(f"the table counts {told}, its letters {(self.purse.stakes, self.purse.wins)}")

    def _check_office(self, office: Office, world: World) -> None:
        report = office.report()
        if not report.conserved:
            raise Violation(f"money is not conserved: {report.problem}")
        for entry in world.ledger.entries(Kind.ALARM):
            if entry.detail != GAP_TOLD:
                raise Violation(f"the office is alarmed: {entry.detail}")
        if report.garbage:
            raise Violation(f"{report.garbage} messages were garbage")

    # --- lamps ---------------------------------------------------------------------------------------

    def _check_lamps(self, world: World, table: Table) -> None:
        shown, projected = world.board.lamps, views.lamps(table)
        if shown != projected:
            wrong = [name for name in shown if shown[name] != projected.get(name)]
            raise Violation(f"lamps {wrong} show {[shown[name] for name in wrong]}, not what the table projects")
        if table.round is not None:
            promised = [Spot(name) for name, lamp in shown.items() if lamp in SPOKEN_FOR and name.endswith(COIN)]
            self.witness.sees(table.round.number, {seat_of(spot) for spot in promised})

    # --- the lock ------------------------------------------------------------------------------------

    def _judge_bets(self, world: World, table: Table) -> None:
        playing = table.round
        if playing is None or playing.number in self.judged or not playing.plan or playing.locked_at is None:
            return
        self.judged.add(playing.number)
        self.boxes += len({target for target in playing.plan if target.isdigit()})
        lock_ns = _true_lock_ns(world, playing)
        sensed = world.config.board.sensed
        recorded = {(bet.seat, bet.wager) for bet in playing.bets}
        for bet in playing.bets:
            spot = spot_of(bet.seat, bet.wager)
            if bet.keyed and spot in table.quarantined:
                continue  # no sensor to believe: a person told of it
            if bet.accepted and bet.wager in sensed and not _may_be_accepted(world, playing, spot, lock_ns):
                raise Violation(f"round {playing.number}: {spot} is accepted and was not there at the lock")
        for name, acts in world.acts.items():
            seen = (seat_of(Spot(name)), kind_of(Spot(name))) in recorded
            if not seen and _must_be_recorded(world, name, acts, lock_ns):
                raise Violation(f"round {playing.number}: {name} was there at the lock and is not recorded")
        accepted = {bet.seat for bet in playing.bets if bet.coin and bet.accepted}
        self.witness.expects(playing.number, accepted)


def _true_lock_ns(world: World, playing: Round) -> int:
    """When the key was truly pressed that closed this round's bets."""
    assert playing.locked_at is not None
    assert playing.lock_ns is not None
    boot = playing.locked_at.boot
    pressed = [press for press in world.presses if press.boot == boot and press.stamp_ns <= playing.lock_ns]
    if not pressed:
        raise Violation(f"round {playing.number} was locked and nobody pressed the key")
    return pressed[-1].world_ns


def _may_be_accepted(world: World, playing: Round, spot: str, lock_ns: int) -> bool:
    if (playing.number, spot) in world.seated:
        return True
    acts = world.acts.get(spot, [])
    before = [act for act in acts if act.world_ns <= lock_ns]
    if before and (before[-1].present or before[-1].lost or before[-1].blurred):
        return True
    after = next((act for act in acts if act.world_ns > lock_ns), None)
    return after is not None and after.blurred


def _must_be_recorded(world: World, spot: str, acts: list[Act], lock_ns: int) -> bool:
    if any(abs(act.world_ns - lock_ns) < CLEAR_OF_LOCK_NS for act in acts):
        return False
    before = [act for act in acts if act.world_ns <= lock_ns]
    if not before or not before[-1].present or before[-1].blurred:
        return False
    if world.dirty_until_ns.get(spot, 0) > lock_ns - RECOVERED_NS:
        return False
    return not any(act.lost and act.world_ns > lock_ns - RECOVERED_NS for act in before)


class Witness:
    """Remembers every letter and every promise of a lamp. Nothing said is unsaid."""

    def __init__(self) -> None:
        self.bodies: dict[int, tuple[str, str]] = {}
        self.locked: dict[int, set[int]] = {}
        self.ended: dict[int, str] = {}
        self.corrected: set[int] = set()
        self._expected: dict[int, set[int]] = {}
        self._promised: dict[int, set[int]] = {}

    def hears(self, letter: jackpot.Posted) -> None:
        known = self.bodies.setdefault(letter.sequence, (letter.kind, letter.body))
        if known != (letter.kind, letter.body):
            raise Violation(f"letter {letter.sequence} was {known} and is now {(letter.kind, letter.body)}")
        body = json.loads(letter.body)
        number = body[0]
        if letter.kind == "RoundLocked":
            self._hears_lock(number, {seat for seat, _ in body[2]})
        elif letter.kind in ("RoundEnded", "RoundVoided"):
            self._hears_end(number, letter, body)

    def _hears_lock(self, number: int, seats: set[int]) -> None:
        if self.locked.setdefault(number, seats) != seats:
            raise Violation(f"round {number} was locked twice, with other boxes")
        self._compare(number)

    def _hears_end(self, number: int, letter: jackpot.Posted, body: list[Any]) -> None:
        told = f"{letter.kind} {letter.sequence}"
        if self.ended.setdefault(number, told) == told:
            return
        correction = letter.kind == "RoundVoided" and body[5] and self.ended[number].startswith("RoundEnded")
        if not correction:
            raise Violation(f"round {number} ended with {self.ended[number]} and again with {told}")
        self.corrected.add(number)

    def sees(self, number: int, seats: set[int]) -> None:
        self._promised.setdefault(number, set()).update(seats)
        self._compare(number)

    def expects(self, number: int, seats: set[int]) -> None:
        self._expected[number] = seats
        self._compare(number)

    def _compare(self, number: int) -> None:
        locked = self.locked.get(number)
        if locked is None:
            return
        if not self._promised.get(number, set()) <= locked:
            raise Violation(f"round {number}: lamps promised {self._promised[number]}, the letter says {locked}")
        if self._expected.get(number, locked) != locked:
            raise Violation(f"round {number}: {self._expected[number]} were accepted, the letter says {locked}")

    def all_is_said(self) -> None:
        for number in {number for number, seats in self._promised.items() if seats}:
            if number not in self.locked:
                raise Violation(f"round {number}: lamps promised bets of which no letter tells")
        for number in self.locked:
            if number not in self.ended:
                raise Violation(f"round {number} was locked and never ended")
        if sorted(self.bodies) != list(range(1, len(self.bodies) + 1)):
            raise Violation(f"letters are missing among {sorted(self.bodies)}")


class Copyist:
    """Replays what the disk keeps for certain, beside the live table, and reads every fact on the way."""

    def __init__(self, reads_the_disk: bool) -> None:
        self._reads_the_disk = reads_the_disk
        self.facts = 0
        self.cells: set[tuple[str, str, str]] = set()
        self._stepper = _stepper()
        self._digester = Digester()
        self._table = Table()
        self._chain: tuple[int, str] = (0, "")
        self._cards: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()

    def compare(self, world: World) -> None:
        if not self._reads_the_disk:
            return
        live = Digester().of(world.table)
        try:
            records = list(read_records(world.disk.certain(), max(1, self._chain[0])))
        except JournalError as error:
            raise Violation(f"what the disk keeps cannot be read: {error}") from error
        self._check_kept(records)
        for record in records:
            if record.seq > self._chain[0]:
                self._copy(record, world)
        if self._digester.of(self._table) != live:
            raise Violation(f"replay ends at {self._table.phase} {self._table.tally}, the live table is another")
        self._check_promises(world)

    def _check_promises(self, world: World) -> None:
        """Whatever was answered or acknowledged is in the journal."""
        for kind, count in world.replied.items():
            if self._kinds[kind] < count:
                raise Violation(f"{count} orders {kind} were answered, the journal has {self._kinds[kind]}")
        known, acknowledged = self._kinds["CardDealt"], world.device.acknowledged
        if known < acknowledged:
            raise Violation(f"{acknowledged} cards were acknowledged, {known} are known")

    def _check_kept(self, records: list[Record]) -> None:
        seq, chain = self._chain
        if seq and (not records or (records[0].seq, records[0].chain) != (seq, chain)):
            raise Violation(f"record {seq} was durable and is gone")

    def _copy(self, record: Record, world: World) -> None:
        before, fact = self._table, facts.decode(record.payload)
        self._table = self._stepper.step(before, fact)
        self._chain = (record.seq, record.chain)
        self.facts += 1
        self._kinds[type(fact).__name__] += 1
        world.digest.update(record.chain.encode())
        if world.story is not None:
            world.story.append(f"{'':>12}    journal      {record.seq} {_brief(record.payload)}")
        if record.digest is not None and self._digester.of(self._table) != record.digest:
            raise Violation(f"replay differs from the evening at record {record.seq}: {record.payload}")
        self._visit(before, fact)
        if isinstance(fact, facts.CardDealt):
            self._cards[fact.card] += 1
            if self._cards[fact.card] > world.device.dealt[fact.card]:
                raise Violation(f"{fact.card} was recorded more often than the shuffler dealt it")
        _check_fact(before, fact, self._table)

    def _visit(self, before: Table, fact: facts.Fact) -> None:
        name = type(fact).__name__
        states = (before.irregularity.state, before.link, before.service.state, before.phase)
        for region, state in zip(("irregularity", "link", "service", "round"), states, strict=True):
            if (region, name) in _ALPHABET:
                self.cells.add((region, state.value, name))


_ALPHABET = {(region.name, kind.__name__) for region in REGIONS for kind in region.alphabet}
CELLS = sum(len(region.alphabet) * len(region.states) for region in REGIONS)
_steppers: list[Stepper] = []


def _stepper() -> Stepper:
    """A stepper keeps nothing between two steps: one is enough for every evening of a run."""
    if not _steppers:
        _steppers.append(Stepper())
    return _steppers[0]


def _check_fact(before: Table, fact: facts.Fact, after: Table) -> None:
    if isinstance(fact, facts.StepFailed):
        raise Violation(f"a step failed: {fact.problem} on {fact.failed}")
    if isinstance(fact, facts.FaultRaised) and fact.code in NEVER:
        raise Violation(f"{fact.code} {fact.where}")
    if isinstance(fact, ACTS) and after._replace(panel=before.panel) == before:
        told = after.panel.notices[-1] if after.panel.notices else None
        new = after.panel.noticed > before.panel.noticed
        lit = (after.panel.mode, after.panel.linking) != (before.panel.mode, before.panel.linking)
        repeated_mode = isinstance(fact, facts.FoldModePressed | facts.PlayModePressed)
        if not lit and not repeated_mode and not (new and told is not None and told.sentence.strip()):
            raise Violation(f"{type(fact).__name__} did nothing in {before.phase} and no reason was given")


def _brief(payload: str) -> str:
    plain = json.loads(payload)
    for part in ("at", "v", "settings", "handover", "levels"):
        plain.pop(part, None)
    return " ".join(str(value) for value in plain.values())


def stuck(table: Table) -> str:
    """What keeps a table from its rest, in words; empty when it is idle and everything is answered."""
    if table.phase is not Phase.IDLE:
        return f"the table is still {table.phase} ({views.prompt(table)})"
    if table.post.unanswered:
        return f"letters {[mail.sequence for mail in table.post.unanswered]} are unanswered"
    return ""
