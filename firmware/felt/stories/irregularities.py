"""Sentences about what went wrong with the cards, who declared it, and what the players chose."""

from __future__ import annotations

from re import Match

from felt.rules.mishaps import Mishap
from felt.stories.errors import StoryError
from felt.stories.mishap_words import KINDS
from felt.stories.people import PERSON, ROLE, give_order, press_key, question_named, role_of
from felt.stories.script import says
from felt.stories.stage import StoryStage

HAND = "box [1-9]|the dealer|the community"
PLACE = rf"(?: at (?P<place>{HAND}))?"
JUDGED = r"(?:, (?:which )?(?P<judged>can|cannot) be reconstructed)?"
END = rf"{JUDGED}{ROLE}(?: because (?P<evidence>.+))?"
FORM_END = "[, can | cannot be reconstructed] [as ROLE] [because EVIDENCE]"

CHOICE = r"(?:to )?continue|to go on|(?:to )?return|to (?:take|have) (?:the|his|its|their) bets? (?:back|returned)"
ON_THE_KEY = {
    "exposed card": Mishap.EXPOSED_CARD,
    "exposed cards": Mishap.EXPOSED_CARDS,
    "wrong number": Mishap.WRONG_COUNT,
    "wrong box": Mishap.WRONG_BOX,
    "dealing error": Mishap.DEALING_ERROR,
    "missed burn": Mishap.MISSED_BURN,
    "drawn together": Mishap.SIMULTANEOUS_CARDS,
    "foreign card": Mishap.FOREIGN_CARD,
    "second hand": Mishap.SECOND_HAND_EXAMINED,
    "chip in error": Mishap.CHIP_IN_ERROR,
    "not shuffled": Mishap.NOT_SHUFFLED,
    "something else": Mishap.OTHER,
}


def _place(text: str | None) -> str:
    return (text or "").removeprefix("box ").removeprefix("the ")


def _declare(stage: StoryStage, found: Match[str], mishap: Mishap, where: str, other: str = "", count: int = 0) -> None:
    role = role_of(found, "dealer")
    give_order(
        stage, "IrregularityDeclared",
        mishap=mishap.value, where=where, evidence=found["evidence"] or "", person=found["person"], role=role,
        other=other, count=count, reconstructable={"can": "yes", "cannot": "no", None: ""}[found["judged"]],
    )  # fmt: skip


@says(f"PERSON declares MISHAP [at PLACE]{FORM_END}",
      rf"{PERSON} declares (?P<kind>(?i:{'|'.join(KINDS)})){PLACE}{END}")
def declare(stage: StoryStage, found: Match[str]) -> None:
    _declare(stage, found, KINDS[found["kind"].lower()], _place(found["place"]))


@says(f"PERSON declares N cards at PLACE{FORM_END}",
      rf"{PERSON} declares (?P<count>\d+) cards at (?P<place>{HAND}){END}")
def declare_count(stage: StoryStage, found: Match[str]) -> None:
    _declare(stage, found, Mishap.WRONG_COUNT, _place(found["place"]), count=int(found["count"]))


@says(f"PERSON declares the hand of PLACE dealt to PLACE{FORM_END}",
      rf"{PERSON} declares the hand of (?P<place>box [1-9]) dealt to (?P<other>box [1-9]|the dealer){END}")
def declare_wrong_box(stage: StoryStage, found: Match[str]) -> None:
    _declare(stage, found, Mishap.WRONG_BOX, _place(found["place"]), _place(found["other"]))


@says("box N[, N] chooses to continue | to take the bets back [on QUESTION]",
      rf"box(?:es)? (?P<seats>[1-9](?:(?:, ?| and )[1-9])*) chooses? (?P<choice>{CHOICE})"
      r"(?: on (?P<on>\S+))?")
def choose(stage: StoryStage, found: Match[str]) -> None:
    for seat in found["seats"].replace(" and ", ",").split(","):
        _choose(stage, int(seat), found)


@says("every box chooses to continue | to take the bets back [on QUESTION]",
      rf"every box chooses (?P<choice>{CHOICE})(?: on (?P<on>\S+))?")
def choose_alike(stage: StoryStage, found: Match[str]) -> None:
    for seat in _open_to_players(stage, found["on"])[1]:
        _choose(stage, seat, found)


def _choose(stage: StoryStage, seat: int, found: Match[str]) -> None:
    choice = "continue" if found["choice"] in ("continue", "to continue", "to go on") else "return"
    question = _open_to_players(stage, found["on"])[0]
    give_order(stage, "PlayerChose", question=question, seat=seat, choice=choice, person="dealer")


def _open_to_players(stage: StoryStage, named: str | None) -> tuple[str, tuple[int, ...]]:
    """The question that the players answer. If there is none, any named or open question, so that the table refuses."""
    to_players = (question for question in stage.table.irregularity.questions if question.players)
    opened = [question for question in to_players if named in (None, question.id, question.mishap)]
    asked = opened[0] if len(opened) == 1 else question_named(stage, named)
    return asked.id, asked.players


@says("light misdeal MISHAP", rf"light misdeal (?P<kind>{'|'.join(ON_THE_KEY)})")
def light_misdeal(stage: StoryStage, found: Match[str]) -> None:
    """Presses MISDEAL as often as needed."""
    wanted = ON_THE_KEY[found["kind"]]
    for _ in ON_THE_KEY:
        press_key(stage, "misdeal")
        if stage.table.panel.mishap == wanted:
            return
    raise StoryError(f"MISDEAL does not light {found['kind']}: it has lit {stage.table.panel.mishap or 'nothing'}")


@says("PERSON corrects round N: WHAT [as ROLE] because REASON",
      rf"{PERSON} corrects round (?P<round>\d+): (?P<what>.+?){ROLE} because (?P<reason>.+)")
def correct(stage: StoryStage, found: Match[str]) -> None:
    role = role_of(found, "supervisor")
    give_order(
        stage, "CorrectionRecorded",
        round=int(found["round"]), what=found["what"], person=found["person"], role=role, reason=found["reason"],
    )  # fmt: skip
