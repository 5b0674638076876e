"""Sentences about what a story expects of the table and of what people see. An expectation changes nothing. One that
does not hold reports what was expected and what was seen."""

from __future__ import annotations

from re import Match

from felt.stories.amounts import RULE, fits_rule
from felt.stories.errors import StoryError, Unmet
from felt.stories.irregularities import HAND
from felt.stories.script import HEAD_REFUSED, says
from felt.stories.stage import StoryStage
from felt.table import views
from felt.table.chart import Refusal
from felt.table.state import Phase, Question, Table

QUOTED = r'"(.+)"'


# --- where the table stands --------------------------------------------------------------------------


@says("expect phase PHASE [held from PHASE]", rf"expect phase ({'|'.join(Phase)})(?: held from (\w+))?")
def phase(stage: StoryStage, found: Match[str]) -> None:
    table = stage.table
    if table.phase != found[1]:
        raise Unmet(f"phase {found[1]}", f"{table.phase}; {_last_notices(table)}")
    if found[2] and (table.round is None or table.round.held_from != found[2]):
        raise Unmet(f"held from {found[2]}", table.round.held_from if table.round else "no round")


def _last_notices(table: Table) -> str:
    return "last notices: " + (" | ".join(notice.sentence for notice in table.panel.notices[-3:]) or "none")


@says("expect service IN_SERVICE | OUT_OF_SERVICE | TEST", r"expect service (IN_SERVICE|OUT_OF_SERVICE|BOOTING|TEST)")
def service(stage: StoryStage, found: Match[str]) -> None:
    if stage.table.service.state != found[1]:
        raise Unmet(f"service {found[1]}", f"{stage.table.service}")


@says("expect link UP | LOST", r"expect link (UP|LOST)")
def link(stage: StoryStage, found: Match[str]) -> None:
    if stage.table.link != found[1]:
        raise Unmet(f"link {found[1]}", stage.table.link)


@says("expect shuffler connected | lost", r"expect shuffler (connected|lost)")
def shuffler(stage: StoryStage, found: Match[str]) -> None:
    if stage.table.shuffler.connected != (found[1] == "connected"):
        raise Unmet(f"shuffler {found[1]}", stage.table.shuffler)


@says("expect dark", r"expect dark")
def dark(stage: StoryStage, found: Match[str]) -> None:
    if stage.evening.running is not None:
        raise Unmet("the table to be dark", f"it runs, {stage.table.phase}")


@says('expect head refused "TEXT"', HEAD_REFUSED.pattern)
def head_refused(stage: StoryStage, found: Match[str]) -> None:
    """The runner evaluates this one if the head is refused: then there is no table to examine."""
    raise Unmet(f"the head to be refused with {found[1]!r}", f"a table: {stage.table.phase}")


@says('expect boot refused "TEXT"', rf"expect boot refused {QUOTED}")
def boot_refused(stage: StoryStage, found: Match[str]) -> None:
    if found[1] not in stage.boot_refused:
        raise Unmet(f"the boot to be refused with {found[1]!r}", stage.boot_refused or "no refusal")


@says("expect fault F-NNN [at WHERE]", r"expect fault (F-\d+)(?: at (.+))?")
def fault(stage: StoryStage, found: Match[str]) -> None:
    standing = stage.table.service.faults
    if not any(fault.code == found[1] and found[2] in (None, fault.where) for fault in standing):
        raise Unmet(f"fault {found[1]} at {found[2] or 'anywhere'}", standing or "none")


@says("expect no fault [F-NNN]", r"expect no fault(?: (F-\d+))?")
def no_fault(stage: StoryStage, found: Match[str]) -> None:
    standing = [fault for fault in stage.table.service.faults if found[1] in (None, fault.code)]
    if standing:
        raise Unmet("no such fault", standing)


# --- what people see ---------------------------------------------------------------------------------


@says("expect lamp LAMP PATTERN[, LAMP PATTERN]", r"expect lamps? (\S+ [a-z_]+(?:, \S+ [a-z_]+)*)")
def lamp(stage: StoryStage, found: Match[str]) -> None:
    shown = stage.evening.board.lamps
    for pair in found[1].split(", "):
        name, pattern = pair.split()
        if name not in shown:
            raise StoryError(f"{name} is no lamp of this table")
        if shown[name] != pattern:
            raise Unmet(f"lamp {name} {pattern}", shown[name])


@says("expect every spot lamp PATTERN", r"expect every spot lamp ([a-z_]+)")
def every_spot_lamp(stage: StoryStage, found: Match[str]) -> None:
    shown = {name: pattern for name, pattern in stage.evening.board.lamps.items() if _is_of_a_spot(name)}
    if set(shown.values()) != {found[1]}:
        raise Unmet(f"every spot lamp {found[1]}", shown)


@says("expect no spot lamps", r"expect no spot lamps")
def no_spot_lamps(stage: StoryStage, found: Match[str]) -> None:
    """For a game without coin spots."""
    shown = [name for name in stage.evening.board.lamps if _is_of_a_spot(name)]
    if shown:
        raise Unmet("no spot lamps", shown)


def _is_of_a_spot(lamp: str) -> bool:
    return lamp[0].isdigit()


@says("expect keys KEY[, KEY] / expect keys none", r"expect keys (.+)")
def keys(stage: StoryStage, found: Match[str]) -> None:
    wanted = [] if found[1] == "none" else sorted(key.strip().replace(" ", "_") for key in found[1].split(","))
    lit = sorted(views.keys_lit(stage.table))
    if lit != wanted:
        raise Unmet(f"keys {', '.join(wanted) or 'none'}", ", ".join(lit) or "none")


@says("expect boxes lit N[, N] / expect boxes lit none", r"expect boxes lit (none|[1-9](?:, ?[1-9])*)")
def boxes_lit(stage: StoryStage, found: Match[str]) -> None:
    wanted = () if found[1] == "none" else tuple(int(seat) for seat in found[1].split(","))
    if views.seats_lit(stage.table) != wanted:
        raise Unmet(f"boxes lit {wanted}", views.seats_lit(stage.table))


@says("expect mode MODE / expect mode dark", r"expect mode ([a-z ]+)")
def mode(stage: StoryStage, found: Match[str]) -> None:
    lit = stage.table.panel.mode.replace("_", " ") or "dark"
    if lit != found[1]:
        raise Unmet(f"mode {found[1]}", lit)


@says("expect round dealt by NAME | nobody", r"expect round dealt by (\w+)")
def dealt_by(stage: StoryStage, found: Match[str]) -> None:
    dealer = views.record(stage.round)["dealer"] or "nobody"
    if dealer != found[1]:
        raise Unmet(f"the round dealt by {found[1]}", dealer)


@says('expect interruption "TEXT"', rf"expect interruption {QUOTED}")
def interruption(stage: StoryStage, found: Match[str]) -> None:
    told = views.record(stage.round)["interruptions"]
    if not any(found[1] in sentence for sentence in told):
        raise Unmet(f"an interruption with {found[1]!r}", ", ".join(told) or "none")


@says('expect prompt "TEXT"', rf"expect prompt {QUOTED}")
def prompt(stage: StoryStage, found: Match[str]) -> None:
    if found[1] not in views.prompt(stage.table):
        raise Unmet(f"a prompt with {found[1]!r}", views.prompt(stage.table))


@says('expect notice "TEXT" / expect no notice "TEXT"', rf"expect (no )?notice {QUOTED}")
def notice(stage: StoryStage, found: Match[str]) -> None:
    given = [notice.sentence for notice in stage.table.panel.notices]
    if any(found[2] in sentence for sentence in given) == bool(found[1]):
        raise Unmet(f"{found[1] or 'a '}notice with {found[2]!r}", given or "no notices")


@says('expect refused ["TEXT"]', rf"expect refused(?: {QUOTED})?")
def refused(stage: StoryStage, found: Match[str]) -> None:
    given = [refusal.sentence for refusal in refusals_of(stage)]
    if not any((found[1] or "") in sentence for sentence in given):
        raise Unmet(f"a refusal with {found[1] or 'any reason'!r}", given or "no refusal")


@says("expect not refused", r"expect not refused")
def not_refused(stage: StoryStage, found: Match[str]) -> None:
    if refusals_of(stage):
        raise Unmet("no refusal", [refusal.sentence for refusal in refusals_of(stage)])


def refusals_of(stage: StoryStage) -> list[Refusal]:
    """Refusals of the last sentence that did something. An order that became no fact has only its reply."""
    if not stage.reply or any(refusal.sentence == stage.reply for refusal in stage.refused):
        return stage.refused
    return [Refusal("reply", stage.reply), *stage.refused]


@says("expect hand of dealer | community | box N hidden / : CARDS",
      r"expect hand of (dealer|community|box [1-9])(?: (hidden)|: (.+))")
def hand(stage: StoryStage, found: Match[str]) -> None:
    target = found[1].removeprefix("box ")
    hands = {hand.target: hand for hand in views.hands(stage.table)}
    if target not in hands:
        raise Unmet(f"a hand of {found[1]}", sorted(hands) or "no hands")
    wanted = () if found[2] else tuple(found[3].split())
    if hands[target].cards != wanted:
        raise Unmet(f"{found[1]} {found[2] or found[3]}", " ".join(hands[target].cards) or "hidden")


# --- questions ---------------------------------------------------------------------------------------


@says('expect question [KIND] [at WHERE] [by RULE] [proposing CHOICE | nothing] [options A, B] [because "TEXT"]',
      rf"expect question(?: (?P<kind>(?!at |by |proposing |options |because )\w+))?(?: at (?P<where>{HAND}|[\w.]+))?"
      rf"(?: by (?P<rule>{RULE}))?"
      rf'(?: proposing (?P<proposal>\w+))?(?: options (?P<options>\w+(?:, \w+)*))?(?: because "(?P<because>.+)")?')
def question(stage: StoryStage, found: Match[str]) -> None:
    opened = stage.table.irregularity.questions
    if not any(_fits(question, found) for question in opened):
        listed = [
            f"{question.id} {question.kind} at {question.where} by {question.rule} proposing {question.proposal} "
            f"options {', '.join(question.options)} because {question.because!r}"
            for question in opened
        ]
        raise Unmet(found[0].removeprefix("expect "), listed or "no question")


def _fits(question: Question, found: Match[str]) -> bool:
    options = tuple(found["options"].split(", ")) if found["options"] else question.options
    return (
        found["kind"] in (None, question.kind, question.mishap)
        and found["where"] in (None, question.where, _place(question.place))
        and fits_rule(found["rule"], question.rule)
        and found["proposal"] in (None, question.proposal or "nothing")
        and sorted(options) == sorted(question.options)
        and (found["because"] or "") in question.because
    )


def _place(place: str) -> str:
    return f"box {place}" if place.isdigit() else f"the {place}"


@says("expect players of box N[, N] to choose", r"expect players of box(?:es)? (?P<seats>[1-9](?:, ?[1-9])*) to choose")
def choosing(stage: StoryStage, found: Match[str]) -> None:
    wanted = tuple(int(seat) for seat in found["seats"].split(","))
    seen = [question.players for question in stage.table.irregularity.questions if question.players]
    if wanted not in seen:
        raise Unmet(f"box {found['seats']} to choose", seen or "nobody has a choice")


@says("expect choice CHOICE [at PLACE] [by RULE] [from PERSON] [as ROLE]",
      rf"expect choice (?P<choice>\w+)(?: at (?P<where>{HAND}))?"
      rf"(?: by (?P<rule>{RULE}))?(?: from (?P<person>\w+))?"
      r"(?: as (?P<role>player|dealer|supervisor|shift manager))?")
def chosen(stage: StoryStage, found: Match[str]) -> None:
    """What a person chose after something went wrong, in the round in play or otherwise the last one."""
    made = (stage.table.round or stage.table.previous or stage.round).remedied
    role = (found["role"] or "").replace(" ", "_") or None
    if not any(
        remedied.choice == found["choice"]
        and found["where"] in (None, _place(remedied.place))
        and fits_rule(found["rule"], remedied.rule)
        and found["person"] in (None, remedied.person)
        and role in (None, remedied.role)
        for remedied in made
    ):
        raise Unmet(found[0].removeprefix("expect "), made or "nobody has chosen anything")


@says("expect no question", r"expect no question")
def no_question(stage: StoryStage, found: Match[str]) -> None:
    if stage.table.irregularity.questions:
        raise Unmet("no question", stage.table.irregularity.questions)
