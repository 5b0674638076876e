"""Replays the durable part of the journal beside the live table, and reads every fact on the way."""

from __future__ import annotations

import json
from collections import Counter
from enum import StrEnum

from felt.journal.record import Record
from felt.journal.segment import GENESIS, first_of_next, scan, segment_name
from felt.nouns.values import replace
from felt.rules.rulebook import PLAY, RETURNED
from felt.table import facts
from felt.table.charts import REGIONS
from felt.table.machine import Stepper
from felt.table.state import ClaimState, Round, Table, digest_of
from tests.storm.judge import Judge
from tests.storm.purse import Violation
from tests.storm.seams import Copied
from tests.storm.shares import Shares

# Faults that report lost data: they never occur in honest weather.
NEVER = ("F-302", "F-303", "F-306", "F-401", "F-405", "F-701", "F-702", "F-703")
ACTS = frozenset((
    facts.OpenPressed, facts.NoMoreBetsPressed, facts.CollectPressed, facts.CardsSeenPressed, facts.FoldModePressed,
    facts.PlayModePressed, facts.SeatPressed, facts.RevealPressed, facts.SettlePressed, facts.VoidPressed,
    facts.TableOpened, facts.TableClosed, facts.VoidOrdered, facts.RulingMade, facts.ClaimConfirmed,
    facts.ClaimDenied, facts.FaultCleared, facts.BackInServiceOrdered, facts.MisdealPressed, facts.OtherModePressed,
    facts.CountMismatchPressed, facts.SupervisorTurned, facts.BetsReturned, facts.SeatBarred, facts.DealerSignedIn,
    facts.IrregularityDeclared, facts.PlayerChose, facts.CardKeyed, facts.AmountFound, facts.TestModeEntered,
    facts.TestModeLeft, facts.RevealRefused, facts.ProgressiveSwitched, facts.CardStruck, facts.DeckChanged,
    facts.DeckVerified,
    facts.StubChecked, facts.HitReported, facts.CorrectionRecorded, facts.BetKeyed, facts.BetUnkeyed,
))  # fmt: skip
Cell = tuple[str, str, str]
ENVIED = "progressive-3-card-poker"


class Copyist:
    def __init__(self, reads_the_disk: bool) -> None:
        self._reads_the_disk = reads_the_disk
        self.facts = 0
        self.cells: set[Cell] = set()
        self.faults: Counter[str] = Counter()
        self.paragraphs: set[str] = set()
        self._stepper = _stepper()
        self._shares = Shares()
        self.judge = Judge()
        self._table = Table()
        self._end = GENESIS  # how far the disk has been read
        self._kept: dict[str, bytes] = {}  # what has been read of each segment
        self._cards: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._visited: set[tuple[type[facts.Fact], tuple[StrEnum, ...]]] = set()

    def compare(self, place: Copied, *, anew: bool = False) -> None:
        """`anew`: the table was restarted, so everything durable before must still be there."""
        if not self._reads_the_disk:
            return
        if anew:
            self._check_kept(place)
        for record in self._new_records(place):
            self._copy(record, place)
        if digest_of(self._table) != place.live_digest():
            raise Violation(
                f"replay ends at {self._table.phase} {self._table.tally}, the live table is another"
            )
        self._check_promises(place)

    def _new_records(self, place: Copied) -> list[Record]:
        found: list[Record] = []
        while True:
            name = segment_name(self._end.segment)
            content = place.disk.durable(name)
            if len(content) > self._end.offset:
                scanned = scan(content, self._end)
                if scanned.end.offset != len(content):
                    raise Violation(f"what the disk keeps cannot be read after record {scanned.end.seq}")
                found += scanned.records
                self._end = scanned.end
                self._kept[name] = content
            following = first_of_next(self._end)
            if not place.disk.durable(segment_name(following.segment)):
                return found
            self._end = following

    def _check_kept(self, place: Copied) -> None:
        """Compares byte by byte. Later records are read on the chain of the earlier ones."""
        for name, kept in self._kept.items():
            if not place.disk.durable(name).startswith(kept):
                raise Violation(f"{name} up to byte {len(kept)} was durable and is gone")

    def _check_promises(self, place: Copied) -> None:
        """Everything that was answered or acknowledged is in the journal."""
        for kind, count in place.replied.items():
            if self._kinds[kind] < count:
                raise Violation(f"{count} orders {kind} were answered, the journal has {self._kinds[kind]}")
            if self.judge.done[kind] < count:
                raise Violation(f"{count} orders {kind} were answered as done, and {self.judge.done[kind]} were")
        known, acknowledged = self._kinds["CardDealt"] + self._kinds["CardUnread"], place.device.acknowledged
        if known < acknowledged:
            raise Violation(f"{acknowledged} cards were acknowledged, {known} are known")

    def _copy(self, record: Record, place: Copied) -> None:
        before, fact = self._table, facts.decode(record.payload)
        stepped = self._stepper.step(before, fact)
        self._table = after = stepped.table
        self.facts += 1
        self._kinds[type(fact).__name__] += 1
        place.house.note(record.chain)
        if place.house.story is not None:
            place.house.remark(f"            journal {record.seq} {_brief(record.payload)}", place)
        if record.digest is not None and digest_of(after) != record.digest:
            raise Violation(f"replay differs from the evening at record {record.seq}: {record.payload}")
        self._visit(before, fact)
        if isinstance(fact, facts.CardDealt):
            self._cards[fact.card] += 1
            if self._cards[fact.card] > place.device.dealt[fact.card]:
                raise Violation(f"{fact.card} was recorded more often than the shuffler dealt it")
        self._check_fact(before, fact, after, place)
        self.judge.reads(before, fact, after, place.config, refused=stepped.refused is not None)
        if after.round is not None and before.round is not None and after.round.lines is not before.round.lines:
            _check_lines(after)
            self.paragraphs.update(f"{after.round.rulebook} {line.rule}" for line in after.round.lines)

    def _visit(self, before: Table, fact: facts.Fact) -> None:
        states = (before.link, before.service.state, before.phase)
        if (type(fact), states) in self._visited:
            return
        self._visited.add((type(fact), states))
        name = type(fact).__name__
        for region, state in zip(_REGIONS, states, strict=True):
            if (region, name) in _ALPHABET:
                self.cells.add((region, state.value, name))

    def _check_fact(self, before: Table, fact: facts.Fact, after: Table, place: Copied) -> None:
        if isinstance(fact, facts.StepFailed):
            raise Violation(f"a step failed: {fact.problem} on {fact.failed}")
        if isinstance(fact, facts.FaultRaised):
            self.faults[fact.code] += 1
            if fact.code in NEVER:
                raise Violation(f"{fact.code} {fact.where}")
        if isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed):
            self._shares.reads(before, fact, after)
        if after.irregularity is not before.irregularity:
            self.paragraphs.update(f"{place.config.game.id} {one.rule}" for one in after.irregularity.questions)
        if type(fact) in ACTS and replace(after, panel=before.panel) == before:
            lit = (after.panel.mode, after.panel.linking) != (before.panel.mode, before.panel.linking)
            if not lit and not _says_it_again(before, fact) and not _gives_a_reason(before, after):
                raise Violation(f"{type(fact).__name__} did nothing in {before.phase} and no reason was given")


_REGIONS = ("link", "service", "round")
_ALPHABET = {(region.name, kind.__name__) for region in REGIONS for kind in region.alphabet}
CELLS = sum(len(region.alphabet) * len(region.states) for region in REGIONS)
_steppers: list[Stepper] = []


def _stepper() -> Stepper:
    """A stepper keeps no state between steps, so one serves every evening of a run."""
    if not _steppers:
        _steppers.append(Stepper())
    return _steppers[0]


def _gives_a_reason(before: Table, after: Table) -> bool:
    notices = after.panel.notices if after.panel.noticed > before.panel.noticed else ()
    return bool(notices) and bool(notices[-1].sentence.strip())


def _says_it_again(before: Table, fact: facts.Fact) -> bool:
    """Repeats that change nothing and are not refused: a mode that is already lit, the same reported hit, the same
    reported bet."""
    if isinstance(fact, facts.BetKeyed):
        return (fact.spot, fact.amount_minor) in [(one.spot, one.amount_minor) for one in before.spots if one.keyed]
    if isinstance(fact, facts.HitReported):
        reported = [(one.place, one.other) for one in before.irregularity.questions if one.reported_by]
        return (str(fact.seat), fact.hand) in reported
    return isinstance(fact, facts.FoldModePressed | facts.PlayModePressed)


def _check_lines(table: Table) -> None:
    """For each line, a known stake equals returned plus lost. Every accepted bet has exactly one line."""
    playing = table.round
    assert playing is not None
    for line in playing.lines:
        if line.stake is not None and line.returned is not None and line.lost is not None:
            if line.stake != line.returned + line.lost:
                raise Violation(f"round {playing.number}: {line} does not add up")
    if playing.lines and not playing.void_rule:
        lined = [(line.seat, line.bet) for line in playing.lines]
        for bet in playing.bets:
            if (bet.seat, bet.wager) not in lined:
                raise Violation(f"round {playing.number}: the bet {bet} has no line")
        _check_envy(playing)


def _counts(playing: Round, claim: ClaimState) -> bool:
    """Whether a denied royal pays envy depends on the reading and on what the supervisor said about the hand."""
    if claim.verdict != "denied" or "envy_after_denial=always" in playing.readings.split():
        return True
    return "envy_after_denial=never" not in playing.readings.split() and claim.hand == "stands"


def _check_envy(playing: Round) -> None:
    """When a player has a royal flush, every other player with a jackpot bet has an envy award. A royal that only
    people saw has no line: they pay what it changes."""
    if playing.rulebook != ENVIED:
        return
    reported = [claim.seat for claim in playing.claims if claim.reported_by or not _counts(playing, claim)]
    royal = [line.seat for line in playing.lines if line.level and line.seat not in reported]
    envied = [line.seat for line in playing.lines if line.bet == "envy"]
    played = [one.seat for one in playing.decisions if one.choice == PLAY and not one.left]
    stood = [line.seat for line in playing.lines if line.bet == "progressive" and line.outcome != RETURNED]
    for seat in stood:
        linked = [one for one in playing.linked if seat in one]
        owed = [other for other in royal if other != seat and not any(other in one for one in linked)]
        if owed and seat in played and seat not in envied:
            raise Violation(f"round {playing.number}: box {seat} has no envy award for the royal flush of {owed}")


def _brief(payload: str) -> str:
    plain = json.loads(payload)
    for part in ("at", "v", "settings", "handover", "levels"):
        plain.pop(part, None)
    return " ".join(str(value) for value in plain.values())
