"""What happened at a table in a shift or a day, counted from its journal: rounds, bets, money as far as it is known,
jackpots, chips, irregularities, faults, entries, what persons did. Pure: it is given the steps of a retelling. Money
that nobody knows is counted as unknown and never as nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from felt.evidence.events import sentence_of, shown
from felt.evidence.retelling import Step, ended_in
from felt.nouns.money import growth_micro
from felt.rules.rulebook import Line
from felt.table import facts, redacted, settle
from felt.table.state import Question, Round, Standing, Table

CLOCK_SLACK_NS = 15 * 60 * 10**9  # the wall clock may have been set back while the period ended


class Sum(NamedTuple):
    """Minor units that are known, and how many amounts are not."""

    known: int = 0
    unknown: int = 0

    def plus(self, amount: int | None) -> Sum:
        return Sum(self.known, self.unknown + 1) if amount is None else Sum(self.known + amount, self.unknown)


class Wagered(NamedTuple):
    bets: int = 0
    handle: Sum = Sum()
    lost: Sum = Sum()
    paid: Sum = Sum()

    def plus(self, line: Line) -> Wagered:
        """A line without a stake is something paid beside a bet, and no bet."""
        is_bet = line.stake != 0
        lost, paid = self.lost.plus(line.lost), self.paid.plus(line.paid)
        handle = self.handle.plus(line.stake) if is_bet else self.handle
        return Wagered(self.bets + is_bet, handle, lost, paid)

    def hold(self) -> int | None:
        """What stayed with the house; None while anything of it is unknown."""
        return None if self.lost.unknown or self.paid.unknown else self.lost.known - self.paid.known


class Jackpot(NamedTuple):
    wall_ns: int
    round: int
    claim: str
    seat: int
    level: str
    award_minor: int | None
    verdict: str
    person: str


class Asked(NamedTuple):
    """A question that only a person could answer, and the answer."""

    wall_ns: int
    round: int
    what: str
    where: str
    rule: str
    because: str
    answer: str
    person: str


class FaultSeen(NamedTuple):
    wall_ns: int
    code: str
    where: str
    cleared_ns: int | None
    cleared_by: str


class Happened(NamedTuple):
    wall_ns: int
    kind: str
    person: str
    text: str


class Voided(NamedTuple):
    wall_ns: int
    round: int
    rule: str
    reason: str


@dataclass
class TableReport:
    table: str = ""
    currency: str = ""
    minor_digits: int = 2
    settled: int = 0
    voided: list[Voided] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    wagers: dict[str, Wagered] = field(default_factory=dict)
    contributed_micro: dict[str, int] = field(default_factory=dict)
    jackpots: list[Jackpot] = field(default_factory=list)
    chips_accepted: int = 0
    rounds_with_chips: int = 0
    rounds_collected: int = 0
    chips_differed: int = 0
    asked: dict[tuple[str, int], Asked] = field(default_factory=dict)
    faults: list[FaultSeen] = field(default_factory=list)
    entries: list[Happened] = field(default_factory=list)
    acts: list[Happened] = field(default_factory=list)
    starts: list[Happened] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # why something is not counted
    alerts: list[tuple[Standing, str]] = field(default_factory=list)  # at the end, with who takes care of it


_ENTRIES = (facts.EntryLogged, facts.DoorMoved)
_STARTS = (facts.Booted, facts.EraClosed, facts.ClockStepped)
_BETTING = (facts.BetKeyed, facts.BetUnkeyed)  # play itself, in the sums


def report_of(steps: Iterable[Step], from_ns: int, until_ns: int, role: str = "") -> TableReport:
    made = TableReport()
    for step in steps:
        wall_ns = step.fact.at.wall_ns
        if wall_ns >= until_ns + CLOCK_SLACK_NS:
            break
        if wall_ns >= until_ns:
            continue
        _note_table(made, step.after)
        if wall_ns >= from_ns:
            _take(made, step, role)
    return made


def _note_table(made: TableReport, table: Table) -> None:
    if table.settings is not None:
        currency = table.settings.terms.currency
        made.table, made.currency, made.minor_digits = table.settings.table_id, currency.code, currency.minor_digits
    acknowledged = dict(table.service.acknowledged)
    passed = [(fault, "") for fault in table.service.passed if fault not in table.service.faults]
    made.alerts = [*((fault, acknowledged.get(fault, "")) for fault in table.service.faults), *passed]


def _take(made: TableReport, step: Step, role: str) -> None:
    fact, wall_ns = step.fact, step.fact.at.wall_ns
    _note_questions(made, step, role)
    _note_faults(made, step)
    refusal = _refusal(step)
    if isinstance(fact, facts.CountMismatchPressed) and not refusal:
        made.chips_differed += 1
    told = _told(fact, role)
    if refusal:
        told = told._replace(text=f"{told.text} REFUSED: {refusal}")
    if isinstance(fact, _ENTRIES):
        made.entries.append(told)
    elif isinstance(fact, _STARTS):
        made.starts.append(told)
    elif (told.person and not isinstance(fact, _BETTING)) or isinstance(fact, facts.WrongCodeEntered):
        made.acts.append(told)
    ended = ended_in(step)
    if ended is not None:
        _take_round(made, ended, step.after, wall_ns, role)


def _told(fact: facts.Fact, role: str) -> Happened:
    plain = shown(facts.encode(fact), role)
    person = str(plain.get("person", "") or (plain.get("name", "") if isinstance(fact, facts.DealerSignedIn) else ""))
    return Happened(fact.at.wall_ns, type(fact).__name__, person, sentence_of(plain))


def _refusal(step: Step) -> str:
    """With which sentence the table refused what the fact asked for."""
    known, notices = step.before.panel.noticed, step.after.panel.notices
    return next((one.sentence for one in reversed(notices) if one.number > known and one.kind == "refused"), "")


def _note_faults(made: TableReport, step: Step) -> None:
    """By what stands: many a fault is found by the table itself, and some pass by themselves."""
    before, after = step.before.service.faults, step.after.service.faults
    if after is before:
        return
    wall_ns, person = step.fact.at.wall_ns, getattr(step.fact, "person", "")
    made.faults += [FaultSeen(wall_ns, *fault, None, "") for fault in after if fault not in before]
    for fault in before:
        if fault not in after:
            _clear(made, fault, wall_ns, person)


def _clear(made: TableReport, fault: Standing, wall_ns: int, person: str) -> None:
    for place, one in enumerate(made.faults):
        if (one.code, one.where, one.cleared_ns) == (*fault, None):
            made.faults[place] = one._replace(cleared_ns=wall_ns, cleared_by=person)
            return
    made.faults.append(FaultSeen(0, *fault, wall_ns, person))


def _note_questions(made: TableReport, step: Step, role: str) -> None:
    known = {one.id for one in step.before.irregularity.questions}
    number = step.after.round.number if step.after.round else step.after.tally.rounds
    for question in step.after.irregularity.questions:
        if question.id not in known:
            made.asked[question.id, number] = _asked(question, step.fact.at.wall_ns, number, role)
    ruled = step.after.irregularity.ruled
    if isinstance(step.fact, facts.RulingMade) and ruled is not None:
        reason = f"{ruled.choice} ({ruled.reason})" if ruled.reason else ruled.choice
        answer = reason if role in redacted.MAY_SEE_CARDS else redacted.scrubbed(reason)
        kept = next((key for key in reversed(made.asked) if key[0] == ruled.question.id), None)
        if kept is None:  # asked before the period began
            kept = (ruled.question.id, number)
            made.asked[kept] = _asked(ruled.question, step.fact.at.wall_ns, number, role)
        made.asked[kept] = made.asked[kept]._replace(answer=answer, person=ruled.person)


def _asked(question: Question, wall_ns: int, number: int, role: str) -> Asked:
    said = redacted.question_of(question, role)
    what = said.mishap or said.kind
    return Asked(wall_ns, said.round or number, what, said.place or said.where, said.rule, said.because, "", "")


def _take_round(made: TableReport, ended: Round, table: Table, wall_ns: int, role: str) -> None:
    made.numbers.append(ended.number)
    if ended.void_rule:
        reason = ended.void_reason if role in redacted.MAY_SEE_CARDS else redacted.scrubbed(ended.void_reason)
        made.voided.append(Voided(wall_ns, ended.number, ended.void_rule, reason))
    else:
        made.settled += 1
    for line in ended.lines:
        made.wagers[line.bet] = made.wagers.get(line.bet, Wagered()).plus(line)
    for claim in ended.claims:
        made.jackpots.append(
            Jackpot(
                wall_ns,
                ended.number,
                claim.claim,
                claim.seat,
                claim.level,
                claim.award_minor,
                claim.verdict,
                claim.person,
            )
        )
    contributions = () if ended.void_rule else settle.contributions(ended)
    made.chips_accepted += len(contributions)
    made.rounds_with_chips += bool(contributions)
    made.rounds_collected += bool(contributions) and ended.collected
    assert table.settings is not None
    for level, rate_bp in table.settings.terms.rates_bp:
        grown = sum(growth_micro(one.stake_minor, rate_bp) for one in contributions)
        made.contributed_micro[level] = made.contributed_micro.get(level, 0) + grown
