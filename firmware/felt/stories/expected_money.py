"""Sentences about expected bets, verdicts, claims, money and letters."""

from __future__ import annotations

import json
from re import Match

from felt.letters import from_table as letters
from felt.nouns.money import MICRO_PER_MINOR, say
from felt.nouns.values import fields_of
from felt.rules.rulebook import Line
from felt.stories.amounts import MONEY, RULE, SPOT, fits_rule, minor
from felt.stories.errors import StoryError, Unmet
from felt.stories.journaled import journaled_facts
from felt.stories.script import says
from felt.stories.stage import StoryStage
from felt.table import views


def _say(stage: StoryStage, amount_minor: int | None) -> str:
    currency = stage.table.settings.terms.currency if stage.table.settings else None
    return "unknown" if amount_minor is None or currency is None else say(amount_minor, currency)


# --- bets and verdicts -------------------------------------------------------------------------------


@says("expect bet SPOT [$AMOUNT | of unknown amount] accepted | returned [by RULE]",
      rf"expect bet {SPOT}(?: ({MONEY}|of unknown amount))? (accepted|returned)(?: by ({RULE}))?")
def bet(stage: StoryStage, found: Match[str]) -> None:
    recorded = {f"{bet.seat}.{bet.wager}": bet for bet in stage.round.bets}
    bet = recorded.get(found[1])
    if bet is None:
        raise Unmet(f"a bet on {found[1]}", sorted(recorded) or "no bets")
    if bet.accepted != (found[3] == "accepted") or not fits_rule(found[4], bet.rule):
        raise Unmet(f"{found[1]} {found[3]} by {found[4]}", bet)
    if found[2]:
        wanted = None if found[2].startswith("of") else minor(stage, found[2])
        if bet.amount_minor != wanted:
            raise Unmet(f"{found[1]} {found[2]}", _say(stage, bet.amount_minor))


@says("expect no bet SPOT", rf"expect no bet {SPOT}")
def no_bet(stage: StoryStage, found: Match[str]) -> None:
    if any(f"{bet.seat}.{bet.wager}" == found[1] for bet in stage.round.bets):
        raise Unmet(f"no bet on {found[1]}", stage.round.bets)


@says("expect N progressive bets", r"expect (\d+) progressive bets?")
def progressive_bets(stage: StoryStage, found: Match[str]) -> None:
    if views.accepted_count(stage.table) != int(found[1]):
        raise Unmet(f"{found[1]} progressive bets", views.accepted_count(stage.table))


_AMOUNT = rf"{MONEY}|unknown"


@says('expect box N WAGER [of PLAYER] win | lose | push | returned [by RULE] [stake $] [returned $] [lost $] [paid $] '
      '[odds TEXT] [because "TEXT"]',
      rf"expect box (?P<seat>[1-9]) (?P<bet>[a-z_0-9]+)(?: of (?P<player>\w+))? "
      rf"(?P<outcome>win|lose|push|returned)(?: by (?P<rule>{RULE}))?"
      rf"(?:,? stake (?P<stake>{_AMOUNT}))?(?:,? returned (?P<back>{_AMOUNT}))?(?:,? lost (?P<lost>{_AMOUNT}))?"
      rf'(?:,? paid (?P<paid>{_AMOUNT}))?(?:,? odds (?P<odds>[^"]+?))?(?:,? because "(?P<because>.+)")?')
def verdict(stage: StoryStage, found: Match[str]) -> None:
    lines = [line for line in stage.round.lines if line.seat == int(found["seat"]) and line.bet == found["bet"]]
    if not any(_line_fits(stage, line, found) for line in lines):
        raise Unmet(found[0].removeprefix("expect "), [_say_line(stage, line) for line in lines] or _all_lines(stage))


def _line_fits(stage: StoryStage, line: Line, found: Match[str]) -> bool:
    amounts = (("stake", line.stake), ("back", line.returned), ("lost", line.lost), ("paid", line.paid))
    return (
        line.outcome == found["outcome"]
        and found["player"] in (None, line.player)
        and fits_rule(found["rule"], line.rule)
        and found["odds"] in (None, line.odds)
        and (found["because"] or "") in line.because
        and all(_amount_fits(stage, found[name], amount) for name, amount in amounts)
    )


def _amount_fits(stage: StoryStage, text: str | None, amount: int | None) -> bool:
    return text is None or amount == (None if text == "unknown" else minor(stage, text))


def _say_line(stage: StoryStage, line: Line) -> str:
    return (
        f"box {line.seat} {line.bet} {line.outcome} by {line.rule} stake {_say(stage, line.stake)} "
        f"returned {_say(stage, line.returned)} lost {_say(stage, line.lost)} paid {_say(stage, line.paid)} "
        f"odds {line.odds!r} because {line.because!r}"
    )


def _all_lines(stage: StoryStage) -> object:
    return [f"box {line.seat} {line.bet} {line.outcome}" for line in stage.round.lines] or "no verdict lines"


@says("expect no line box N WAGER", r"expect no line box ([1-9]) ([a-z_0-9]+)")
def no_line(stage: StoryStage, found: Match[str]) -> None:
    if any(line.seat == int(found[1]) and line.bet == found[2] for line in stage.round.lines):
        raise Unmet(f"no line of box {found[1]} {found[2]}", _all_lines(stage))


@says("expect void [by RULE] / expect no void", rf"expect (?:(no )void|void(?: by ({RULE}))?)")
def void(stage: StoryStage, found: Match[str]) -> None:
    rule = stage.round.void_rule
    if bool(rule) is bool(found[1]) or not fits_rule(found[2], rule):
        raise Unmet(found[0].removeprefix("expect "), rule or "no void")


@says("expect plan TARGET TARGET …", r"expect plan ((?:\w+ ?)+)")
def plan(stage: StoryStage, found: Match[str]) -> None:
    if stage.round.plan != tuple(found[1].split()):
        raise Unmet(f"plan {found[1]}", " ".join(stage.round.plan))


# --- money, claims, letters --------------------------------------------------------------------------


@says("expect meter NAME $AMOUNT [and N millionths]", rf"expect meter (\w+) ({MONEY})(?: and (\d+) millionths)?")
def meter(stage: StoryStage, found: Match[str]) -> None:
    shown = stage.evening.office.meters()
    wanted = minor(stage, found[2]) * MICRO_PER_MINOR + int(found[3] or 0)
    seen = shown.get(found[1])
    if seen is None or (seen != wanted if found[3] else seen // MICRO_PER_MINOR != wanted // MICRO_PER_MINOR):
        raise Unmet(f"meter {found[1]} {found[2]}", _say_micro(stage, seen))


def _say_micro(stage: StoryStage, micro: int | None) -> str:
    if micro is None:
        return "no such meter"
    return f"{_say(stage, micro // MICRO_PER_MINOR)} and {micro % MICRO_PER_MINOR} millionths"


@says("expect reserve NAME $AMOUNT", rf"expect reserve (\w+) ({MONEY})")
def reserve(stage: StoryStage, found: Match[str]) -> None:
    seen = next((meter.reserve for meter in stage.evening.office.standing.meters if meter.terms.name == found[1]), None)
    if seen is None or seen // MICRO_PER_MINOR != minor(stage, found[2]):
        raise Unmet(f"reserve {found[1]} {found[2]}", _say_micro(stage, seen))


@says("expect registered NAME $AMOUNT", rf"expect registered (\w+) ({MONEY})")
def registered(stage: StoryStage, found: Match[str]) -> None:
    seen = dict(stage.round.registered).get(found[1])
    if seen is None or seen // MICRO_PER_MINOR != minor(stage, found[2]):
        raise Unmet(f"registered {found[1]} {found[2]}", _say_micro(stage, seen))


@says("expect claim N.N [level NAME] [value $] [award $] [unvalued] [confirmed | denied | open] "
      "[by registered value] [by hand]",
      rf"expect claim (?P<claim>[\d.]+)(?: level (?P<level>\w+))?(?: value (?P<value>{MONEY}))?"
      rf"(?: award (?P<award>{MONEY}))?(?P<unvalued> unvalued)?(?: (?P<verdict>confirmed|denied|open))?"
      r"(?P<registered> by registered value)?(?P<by_hand> by hand)?")
def claim(stage: StoryStage, found: Match[str]) -> None:
    claim = next((claim for claim in stage.round.claims if claim.claim == found["claim"]), None)
    if claim is None:
        raise Unmet(f"claim {found['claim']}", stage.round.claims or "no claims")
    wanted = (
        found["level"] in (None, claim.level)
        and (not found["value"] or (claim.value_micro or 0) // MICRO_PER_MINOR == minor(stage, found["value"]))
        and (not found["award"] or claim.award_minor == minor(stage, found["award"]))
        and (not found["unvalued"] or claim.value_micro is None)
        and (not found["verdict"] or claim.verdict == found["verdict"].replace("open", ""))
        and (not found["registered"] or claim.by_registered_value)
        and (not found["by_hand"] or claim.by_hand)
    )
    if not wanted:
        raise Unmet(found[0].removeprefix("expect "), claim)


@says("expect no claim", r"expect no claim")
def no_claim(stage: StoryStage, found: Match[str]) -> None:
    if stage.round.claims:
        raise Unmet("no claim", stage.round.claims)


@says("expect tally [rounds N] [settled N] [voided N] [contributions $] [awards $]",
      rf"expect tally(?: rounds (?P<rounds>\d+))?(?: settled (?P<settled>\d+))?(?: voided (?P<voided>\d+))?"
      rf"(?: contributions (?P<contributions>{MONEY}))?(?: awards (?P<awards>{MONEY}))?")
def tally(stage: StoryStage, found: Match[str]) -> None:
    seen = stage.table.tally
    for name in ("rounds", "settled", "voided"):
        if found[name] and getattr(seen, name) != int(found[name]):
            raise Unmet(f"{name} {found[name]}", seen)
    for name in ("contributions", "awards"):
        if found[name] and getattr(seen, f"{name}_minor") != minor(stage, found[name]):
            raise Unmet(f"{name} {found[name]}", seen)


@says("expect money conserved", r"expect money conserved")
def conserved(stage: StoryStage, found: Match[str]) -> None:
    report = stage.evening.office.report()
    if not report.conserved:
        raise Unmet("money conserved", report.problem)


@says("expect letters KIND[, KIND] / expect letters none", r"expect letters (none|\w+(?:, \w+)*)")
def letters_sent(stage: StoryStage, found: Match[str]) -> None:
    """The letters that left the table since the last such expectation."""
    wanted = [] if found[1] == "none" else found[1].split(", ")
    for kind in wanted:
        if kind not in letters.LETTERS:
            raise StoryError(f"{kind} is no letter; known: {', '.join(letters.LETTERS)}")
    sent = stage.letters()
    fresh = [letter.kind for letter in sent[stage.letters_read :]]
    stage.letters_read = len(sent)
    if fresh != wanted:
        raise Unmet(f"letters {found[1]}", ", ".join(fresh) or "none")


@says("expect last letter KIND with FIELD JSON", r"expect last letter (\w+) with (\w+) (.+)")
def last_letter(stage: StoryStage, found: Match[str]) -> None:
    kind = letters.LETTERS.get(found[1])
    if kind is None or found[2] not in fields_of(kind):
        raise StoryError(f"{found[1]} is no letter with a part {found[2]}")
    sent = [letter for letter in stage.letters() if letter.kind == found[1]]
    if not sent:
        raise Unmet(f"a letter {found[1]}", [letter.kind for letter in stage.letters()])
    seen = json.loads(sent[-1].body)[found[2]]
    if seen != json.loads(found[3]):
        raise Unmet(f"{found[1]} with {found[2]} {found[3]}", json.dumps(seen))


@says("expect mail empty / expect N letters unanswered", r"expect (?:mail empty|(\d+) letters? unanswered)")
def mail(stage: StoryStage, found: Match[str]) -> None:
    waiting = [letter.kind for letter in views.mail(stage.table)]
    if len(waiting) != int(found[1] or 0):
        raise Unmet(f"{found[1] or 0} letters unanswered", waiting or "none")


@says("expect facts KIND N times / expect fact KIND", r"expect facts? (\w+)(?: (\d+) times)?")
def facts_journaled(stage: StoryStage, found: Match[str]) -> None:
    kinds = [type(fact).__name__ for fact in journaled_facts(stage)]
    count = kinds.count(found[1])
    if count != int(found[2]) if found[2] else count == 0:
        raise Unmet(f"{found[2] or 'some'} {found[1]} in the journal", count)
