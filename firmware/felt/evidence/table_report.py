"""What happened at a table in a shift or a day, counted from its journal: rounds, bets, known money, jackpots,
chips, irregularities, faults, entries, actions of persons. Pure: it consumes the steps of a reconstruction. Unknown
amounts are counted as unknown, never as zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from felt.evidence.events import sentence_of, shown, with_refusal
from felt.evidence.outcomes import refusal_in
from felt.evidence.retelling import Amended, RetoldStep, amended_in, ended_in
from felt.evidence.wagered import Wagered
from felt.nouns.money import growth_micro
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value, replace
from felt.rules.verdicts import maxima
from felt.table import facts, redacted, settle
from felt.table.settings import Settings
from felt.table.state import ClaimState, Question, Round, StandingFault

CLOCK_SLACK_NS = 15 * 60 * NS_PER_S  # a larger step of the clock is not an ordinary correction
AFTER_ITS_END = "after its end"
SETTLED_EARLIER = "an earlier report counts it as settled; the sums here subtract it"


class Jackpot(Value):
    wall_ns: int
    round: int
    claim: str
    seat: int
    level: str
    award_minor: int | None
    verdict: str
    person: str


class AskedQuestion(Value):
    """A question that only a person may answer, and the answer."""

    wall_ns: int
    round: int
    what: str
    where: str
    rule: str
    because: str
    answer: str
    person: str


class FaultSeen(Value):
    wall_ns: int
    code: str
    where: str
    cleared_ns: int | None
    cleared_by: str


class Happened(Value):
    wall_ns: int
    kind: str
    person: str
    text: str


class Voided(Value):
    wall_ns: int
    round: int
    rule: str
    reason: str
    how: str = ""  # it was voided after its end


class Counted(Value):
    """A round as it was counted, and the settings that applied."""

    round: Round
    settings: Settings
    in_period: bool


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
    staked_minor: int = 0  # staked on them
    rounds_with_chips: int = 0
    rounds_collected: int = 0
    chips_differed: int = 0
    asked: dict[tuple[str, int], AskedQuestion] = field(default_factory=dict)
    faults: list[FaultSeen] = field(default_factory=list)
    entries: list[Happened] = field(default_factory=list)
    acts: list[Happened] = field(default_factory=list)
    starts: list[Happened] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # why something is not counted
    alerts: list[tuple[StandingFault, str]] = field(
        default_factory=list
    )  # open at the end, with who takes care of each
    last_ended: Counted | None = None
    voided_at_ns: int = 0  # when the round that is now void was voided; it ends later


_ENTRIES = (facts.EntryLogged, facts.DoorMoved)
_STARTS = (facts.Booted, facts.EraClosed, facts.ClockStepped)
_BETTING = (facts.BetKeyed, facts.BetUnkeyed)  # part of play and already in the sums


def report_of(steps: Iterable[RetoldStep], from_ns: int, until_ns: int, role: str = "") -> TableReport:
    """Counts facts by their own time stamps, whatever their order, because clocks may have been wrong and been
    corrected."""
    made, clock = TableReport(), _Clock(from_ns, until_ns)
    last: RetoldStep | None = None
    for step in steps:
        wall_ns = step.fact.at.wall_ns
        is_within = from_ns <= wall_ns < until_ns
        clock.watch(step.fact)
        if is_within:
            _take(made, step, role)
        _note_round(made, step, role, is_within=is_within)
        if wall_ns < until_ns:
            last = step
    if last is not None:
        _note_table(made, last)
    made.problems += clock.problems()
    return made


class _Clock:
    """Tracks whether the clock was moved far enough to shift facts into or out of the period."""

    def __init__(self, from_ns: int, until_ns: int) -> None:
        self._from_ns, self._until_ns = from_ns, until_ns
        self._last_ns: int | None = None
        self._moved_s: list[int] = []

    def watch(self, fact: facts.Fact) -> None:
        now_ns, last_ns = fact.at.wall_ns, self._last_ns
        self._last_ns = now_ns
        if last_ns is not None and now_ns < last_ns:
            self._note(now_ns, last_ns, now_ns - last_ns)
        elif isinstance(fact, facts.ClockStepped) and fact.by_ns > 0:
            self._note(now_ns - fact.by_ns, now_ns, fact.by_ns)

    def _note(self, early_ns: int, late_ns: int, by_ns: int) -> None:
        touches = early_ns < self._until_ns and late_ns >= self._from_ns
        if touches and abs(by_ns) > CLOCK_SLACK_NS:
            self._moved_s.append(by_ns // NS_PER_S)

    def problems(self) -> list[str]:
        if not self._moved_s:
            return []
        said = ", ".join(f"{seconds:+d} s" for seconds in self._moved_s[:5])
        return [
            f"The wall clock was set {len(self._moved_s)} times by a large step ({said}): rounds are counted where "
            "the clock of the time put them, which may be another shift or day: see those reports too."
        ]


def _note_table(made: TableReport, last: RetoldStep) -> None:
    """The state of the table at the end of the period."""
    table = last.after
    if table.settings is not None:
        currency = table.settings.terms.currency
        made.table, made.currency, made.minor_digits = table.settings.table_id, currency.code, currency.minor_digits
    acknowledged = dict(table.service.acknowledged)
    passed = [(fault, "") for fault in table.service.passed if fault not in table.service.faults]
    made.alerts = [*((fault, acknowledged.get(fault, "")) for fault in table.service.faults), *passed]
    if table.round is not None:
        wall_ns = last.fact.at.wall_ns
        made.jackpots += [_jackpot(claim, table.round.number, wall_ns) for claim in table.round.claims]


def _take(made: TableReport, step: RetoldStep, role: str) -> None:
    fact = step.fact
    _note_questions(made, step, role)
    _note_faults(made, step)
    refusal = refusal_in(step)
    if isinstance(fact, facts.CountMismatchPressed) and not refusal:
        made.chips_differed += 1
    told = _told(fact, role, refusal)
    if isinstance(fact, _ENTRIES):
        made.entries.append(told)
    elif isinstance(fact, _STARTS):
        made.starts.append(told)
    elif (told.person and not isinstance(fact, _BETTING)) or isinstance(fact, facts.WrongCodeEntered):
        made.acts.append(told)


def _told(fact: facts.Fact, role: str, refusal: str) -> Happened:
    plain = shown(facts.encode(fact), role)
    person = str(plain.get("person", "") or (plain.get("name", "") if isinstance(fact, facts.DealerSignedIn) else ""))
    return Happened(fact.at.wall_ns, type(fact).__name__, person, with_refusal(sentence_of(plain), refusal))


def _note_faults(made: TableReport, step: RetoldStep) -> None:
    """Compares standing faults, because the table itself finds many faults and some clear by themselves."""
    before, after = step.before.service.faults, step.after.service.faults
    if after is before:
        return
    wall_ns, person = step.fact.at.wall_ns, getattr(step.fact, "person", "")
    made.faults += [FaultSeen(wall_ns, fault.code, fault.where, None, "") for fault in after if fault not in before]
    for fault in before:
        if fault not in after:
            _clear(made, fault, wall_ns, person)


def _clear(made: TableReport, fault: StandingFault, wall_ns: int, person: str) -> None:
    for place, seen in enumerate(made.faults):
        if (seen.code, seen.where, seen.cleared_ns) == (fault.code, fault.where, None):
            made.faults[place] = replace(seen, cleared_ns=wall_ns, cleared_by=person)
            return
    made.faults.append(FaultSeen(0, fault.code, fault.where, wall_ns, person))


def _note_questions(made: TableReport, step: RetoldStep, role: str) -> None:
    known = {question.id for question in step.before.irregularity.questions}
    number = step.after.round.number if step.after.round else step.after.tally.rounds
    for question in step.after.irregularity.questions:
        if question.id not in known:
            made.asked[question.id, number] = _asked(question, step.fact.at.wall_ns, number, role)
    ruled = step.after.irregularity.ruled
    if isinstance(step.fact, facts.RulingMade) and step.refused is None and ruled is not None:
        reason = f"{ruled.choice} ({ruled.reason})" if ruled.reason else ruled.choice
        answer = reason if role in redacted.MAY_SEE_CARDS else redacted.scrubbed(reason)
        kept = next((key for key in reversed(made.asked) if key[0] == ruled.question.id), None)
        if kept is None:  # asked before the period began
            kept = (ruled.question.id, number)
            made.asked[kept] = _asked(ruled.question, step.fact.at.wall_ns, number, role)
        made.asked[kept] = replace(made.asked[kept], answer=answer, person=ruled.person)


def _asked(question: Question, wall_ns: int, number: int, role: str) -> AskedQuestion:
    said = redacted.question_of(question, role)
    what = said.mishap or said.kind
    return AskedQuestion(wall_ns, said.round or number, what, said.place or said.where, said.rule, said.because, "", "")


def _note_round(made: TableReport, step: RetoldStep, role: str, *, is_within: bool) -> None:
    """Counts a change to a round in the period of the change."""
    settings, ended, amended = step.after.settings, ended_in(step), amended_in(step)
    if settings is None:
        return
    if _becomes_void(step):
        made.voided_at_ns = step.fact.at.wall_ns
    if ended is not None:
        made.last_ended = Counted(ended, settings, is_within)
        if is_within:
            _take_round(made, ended, step.fact.at.wall_ns, role)
            _count(made, made.last_ended, 1)
        made.voided_at_ns = 0
    elif amended is not None:
        known = made.last_ended
        if known is None or known.round.number != amended.before.number:
            known = Counted(amended.before, settings, in_period=False)
        made.last_ended = replace(known, round=amended.after)
        if is_within:
            _amend_round(made, known, amended, step.fact.at.wall_ns, role)


def _becomes_void(step: RetoldStep) -> bool:
    before, after = step.before.round, step.after.round
    return after is not None and bool(after.void_rule) and not (before is not None and before.void_rule)


def _take_round(made: TableReport, ended: Round, wall_ns: int, role: str) -> None:
    made.numbers.append(ended.number)
    if ended.void_rule:
        made.voided.append(_voided(ended, made.voided_at_ns or wall_ns, role))
    made.jackpots += [_jackpot(claim, ended.number, wall_ns) for claim in ended.claims]


def _amend_round(made: TableReport, known: Counted, amended: Amended, wall_ns: int, role: str) -> None:
    """Takes the round out of the sums as it was and adds it as it is now."""
    number = amended.after.number
    if amended.after.void_rule and not amended.before.void_rule:
        how = AFTER_ITS_END if known.in_period else f"{AFTER_ITS_END}; {SETTLED_EARLIER}"
        made.voided.append(_voided(amended.after, wall_ns, role, how))
    if amended.after.claims != amended.before.claims:
        made.jackpots = [jackpot for jackpot in made.jackpots if jackpot.round != number]
        made.jackpots += [_jackpot(claim, number, wall_ns) for claim in amended.after.claims]
    if known.round.bets and not known.round.lines:  # a hand-over carries the round's bets, not its verdicts
        made.problems.append(
            f"Round {number} was voided after a restart, and its verdicts lie before the records read here: an "
            "earlier report still counts its bets."
        )
    _count(made, known, -1)
    _count(made, replace(known, round=amended.after), 1)


def _voided(ended: Round, wall_ns: int, role: str, how: str = "") -> Voided:
    reason = ended.void_reason if role in redacted.MAY_SEE_CARDS else redacted.scrubbed(ended.void_reason)
    return Voided(wall_ns, ended.number, ended.void_rule, reason, how)


def _jackpot(claim: ClaimState, number: int, wall_ns: int) -> Jackpot:
    return Jackpot(
        wall_ns, number, claim.claim, claim.seat, claim.level, claim.award_minor, claim.verdict, claim.person
    )


def _count(made: TableReport, counted: Counted, times: int) -> None:
    ended, terms = counted.round, counted.settings.terms
    made.settled += 0 if ended.void_rule else times
    tops = maxima(terms)
    for line in ended.lines:
        made.wagers[line.bet] = made.wagers.get(line.bet, Wagered()).plus(line, tops, times)
    contributions = () if ended.void_rule else settle.contributions(ended)
    stakes = [contribution.stake_minor for contribution in contributions]
    made.chips_accepted += times * len(stakes)
    made.staked_minor += times * sum(stakes)
    made.rounds_with_chips += times * bool(stakes)
    made.rounds_collected += times * (bool(stakes) and ended.collected)
    for level, rate_bp in terms.rates_bp:
        grown = sum(growth_micro(stake, rate_bp) for stake in stakes)
        made.contributed_micro[level] = made.contributed_micro.get(level, 0) + times * grown
