"""Sentences about the dealer's keys and the orders of people with authority."""

from __future__ import annotations

import difflib
import re
from decimal import Decimal
from re import Match
from typing import Any

from felt.stories.amounts import MONEY, MS, SPOT, minor
from felt.stories.chips import bounce
from felt.stories.errors import StoryError
from felt.stories.script import fields_in, hints, says
from felt.stories.stage import SETTLED_MS, StoryStage, in_ns
from felt.table.keys import LOCK_KEY
from felt.table.state import Question

KEYS = (
    "open|no more bets|collect|cards seen|fold|play|reveal|settle|void|misdeal|other|count mismatch|(?:box|seat) [1-9]"
)
MODES = "walk away|return bet|seat out|link boxes|sign in"
PERSON = r"(?P<person>[A-Za-z]\w*)"
ROLE = r"(?: as (?P<role>dealer|supervisor|shift manager))?"
BECAUSE = r"(?: because (?P<reason>.+))?"


# --- keys --------------------------------------------------------------------------------------------


def press_key(stage: StoryStage, key: str, hold_ms: int = SETTLED_MS) -> None:
    name = re.sub(r"^box ", "seat ", key).replace(" ", "_")
    stage.require_power()
    if name == "no_more_bets":
        stage.lock()
    else:
        stage.drive(f"key.{name}", True)
        stage.advance(hold_ms)
        stage.drive(f"key.{name}", False)
        stage.advance(SETTLED_MS)


@says("press KEY [twice | N times]", rf"press ({KEYS})(?: (twice|\d+ times))?")
def press(stage: StoryStage, found: Match[str]) -> None:
    times = 2 if found[2] == "twice" else int((found[2] or "1").split()[0])
    for _ in range(times):
        press_key(stage, found[1])


@hints(r"(?:press|hold) (?P<key>[a-z ]+?\w?)(?: twice| \d+ times| for \d+ ms)?")
def unknown_key(found: Match[str]) -> str:
    keys = [*KEYS.split("|")[:-1], *(f"box {seat}" for seat in range(1, 10))]
    if found["key"] in keys:
        return ""
    near = difflib.get_close_matches(found["key"], keys, n=2)
    nearest = f"nearest: {' or '.join(near)}; " if near else ""
    return f"{found['key']} is no key; {nearest}keys are {', '.join(keys[:-9])} and box N"


@says("press KEY, bouncing N times in N ms", rf"press ({KEYS}), bouncing (\d+) times in {MS}")
def press_bouncing(stage: StoryStage, found: Match[str]) -> None:
    line = "key." + re.sub(r"^box ", "seat ", found[1]).replace(" ", "_")
    if line == LOCK_KEY.line:
        stage.lock(2 * int(found[2]), in_ns(Decimal(found[3])))
        return
    bounce(stage, line, True, int(found[2]), Decimal(found[3]))
    stage.advance(SETTLED_MS)
    stage.drive(line, False)
    stage.advance(SETTLED_MS)


@says("hold KEY for N ms", rf"hold ({KEYS}) for (\d+) ms")
def hold(stage: StoryStage, found: Match[str]) -> None:
    press_key(stage, found[1], int(found[2]))


@says("fold box N[, N] / play box N[, N]", r"(fold|play) box(?:es)? ([1-9](?:, ?[1-9])*)")
def decide(stage: StoryStage, found: Match[str]) -> None:
    press_key(stage, found[1])
    for seat in found[2].split(","):
        press_key(stage, f"seat {seat.strip()}")


@says("light walk away | return bet | seat out | link boxes | sign in", rf"light ({MODES})")
def light(stage: StoryStage, found: Match[str]) -> None:
    """Presses OTHER as often as needed."""
    for _ in MODES.split("|"):
        if stage.table.panel.mode == found[1].replace(" ", "_"):
            return
        press_key(stage, "other")
    if stage.table.panel.mode != found[1].replace(" ", "_"):
        raise StoryError(f"OTHER does not light {found[1]}: the mode is {stage.table.panel.mode or 'dark'}")


@says("link boxes N and N", r"link boxes ([1-9]) and ([1-9])")
def link(stage: StoryStage, found: Match[str]) -> None:
    if stage.table.panel.mode != "link_boxes":
        light(stage, re.fullmatch("light (.+)", "light link boxes"))  # type: ignore[arg-type]  # it does match
    press_key(stage, f"seat {found[1]}")
    press_key(stage, f"seat {found[2]}")


@says("enter code DIGITS", r"enter code ([1-9]+)")
def enter_code(stage: StoryStage, found: Match[str]) -> None:
    """On the box keys, whatever mode is lit."""
    for digit in found[1]:
        press_key(stage, f"seat {digit}")


@says("the supervisor key is turned on | off", r"the supervisor key is turned (on|off)")
def turn_key(stage: StoryStage, found: Match[str]) -> None:
    stage.drive("key.supervisor", found[1] == "on")
    stage.settle_edges()


@says("the door is opened | closed", r"the door is (opened|closed)")
def move_door(stage: StoryStage, found: Match[str]) -> None:
    stage.drive("key.door", found[1] == "opened")
    stage.settle_edges()


# --- people with authority ---------------------------------------------------------------------------


def give_order(stage: StoryStage, kind: str, **fields: Any) -> None:
    stage.require_power()
    stage.reply = stage.evening.order(kind, **fields)


@says("PERSON opens | closes the table", rf"{PERSON} (opens|closes) the table")
def open_or_close(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "TableOpened" if found[2] == "opens" else "TableClosed", person=found["person"])


@says("PERSON voids the round [as ROLE] because REASON",
      rf"{PERSON} voids the round{ROLE} because (?P<reason>.+)")
def void(stage: StoryStage, found: Match[str]) -> None:
    role = role_of(found, "supervisor")
    give_order(stage, "VoidOrdered", person=found["person"], reason=found["reason"], role=role)


@says("PERSON rules CHOICE [on QUESTION] [as ROLE] [because REASON]",
      rf"{PERSON} rules (?P<choice>\w+)(?: on (?P<on>\S+))?{ROLE}{BECAUSE}")
def rule(stage: StoryStage, found: Match[str]) -> None:
    asked = found["on"] if re.fullmatch(r"q\d+", found["on"] or "") else question_named(stage, found["on"]).id
    _rule(stage, found, asked, found["choice"])


@says("PERSON accepts the proposal [on QUESTION] [as ROLE] [because REASON]",
      rf"{PERSON} accepts the proposal(?: on (?P<on>\S+))?{ROLE}{BECAUSE}")
def accept(stage: StoryStage, found: Match[str]) -> None:
    asked = question_named(stage, found["on"])
    if not asked.proposal:
        raise StoryError(f"{asked.id} proposes nothing: rule one of {', '.join(asked.options)}")
    _rule(stage, found, asked.id, asked.proposal)


def _rule(stage: StoryStage, found: Match[str], asked: str, choice: str) -> None:
    role = role_of(found, "supervisor")
    reason = found["reason"] or ""
    give_order(stage, "RulingMade", question=asked, choice=choice, person=found["person"], reason=reason, role=role)


def role_of(found: Match[str], otherwise: str) -> str:
    """The role as given, or as the person's name implies."""
    offices = ("dealer", "supervisor", "shift_manager")
    told = (found["role"] or "").replace(" ", "_")
    return told or (found["person"] if found["person"] in offices else otherwise)


def question_named(stage: StoryStage, named: str | None) -> Question:
    """The question by its number, kind or place. Without a name there must be exactly one."""
    opened = stage.table.irregularity.questions
    fitting = [
        question
        for question in opened
        if named in (None, question.id, question.kind, question.where, question.mishap, question.place)
    ]
    if len(fitting) != 1:
        listed = ", ".join(f"{question.id} {question.kind} at {question.where}" for question in opened) or "none"
        raise StoryError(f"{len(fitting)} open questions fit; open: {listed}")
    return fitting[0]


@says("PERSON reports a HAND at box N [as ROLE] [because EVIDENCE]",
      rf"{PERSON} reports an? (?P<hand>[a-z ]+?) at box (?P<seat>\d+){ROLE}{BECAUSE}")
def report_hit(stage: StoryStage, found: Match[str]) -> None:
    hand, role = found["hand"].replace(" ", "_"), role_of(found, "dealer")
    give_order(
        stage, "HitReported",
        seat=int(found["seat"]), hand=hand, evidence=found["reason"] or "", person=found["person"], role=role,
    )  # fmt: skip


@says("PERSON confirms the claim / claim N.N", rf"{PERSON} confirms (?:the claim|claim (?P<claim>\S+))")
def confirm(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "ClaimConfirmed", claim=found["claim"] or _claim(stage), person=found["person"])


@says("PERSON denies the claim / claim N.N [as misread | but the hand stands] because REASON",
      rf"{PERSON} denies (?:the claim|claim (?P<claim>[^\s,]+))"
      r"(?:,? (?P<hand>as misread|(?:but |although )?the hand stands))?,? because (?P<reason>.+)")
def deny(stage: StoryStage, found: Match[str]) -> None:
    """A denial means that the hand was misread, unless it says that the hand stands."""
    claim = found["claim"] or _claim(stage)
    hand = "stands" if (found["hand"] or "").endswith("stands") else "misread"
    give_order(stage, "ClaimDenied", claim=claim, person=found["person"], reason=found["reason"], hand=hand)


def _claim(stage: StoryStage) -> str:
    """The valued claim, otherwise the first."""
    unsettled = [claim for claim in stage.round.claims if not claim.verdict]
    if not unsettled:
        raise StoryError("there is no unsettled claim; name one, as in claim 1.3")
    return next((claim.claim for claim in unsettled if claim.value_micro is not None), unsettled[0].claim)


@says("PERSON keys SPOT [$AMOUNT] [for PLAYER]",
      rf"{PERSON} keys {SPOT}(?: (?P<amount>-?{MONEY}))?(?: for (?P<player>\w+))?")
def key_bet(stage: StoryStage, found: Match[str]) -> None:
    text = found["amount"]
    amount = None if text is None else minor(stage, text.lstrip("-")) * (-1 if text.startswith("-") else 1)
    player = found["player"] or ""
    give_order(stage, "BetKeyed", spot=found[2], amount_minor=amount, person=found["person"], player=player)


@says("PERSON unkeys SPOT", rf"{PERSON} unkeys {SPOT}")
def unkey_bet(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "BetUnkeyed", spot=found[2], person=found["person"])


@says("PERSON returns the bets of box N [as ROLE]", rf"{PERSON} returns the bets of box (?P<seat>\d+){ROLE}")
def return_bets(stage: StoryStage, found: Match[str]) -> None:
    role = role_of(found, "supervisor")
    give_order(stage, "BetsReturned", seat=int(found["seat"]), person=found["person"], role=role)


@says("PERSON takes box N out of play / puts box N back in play",
      rf"{PERSON} (?P<act>takes|puts) box (?P<seat>\d+) (?:out of|back in) play")
def bar_box(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "SeatBarred", seat=int(found["seat"]), out=found["act"] == "takes", person=found["person"])


@says("PERSON signs in / signs out", rf"{PERSON} signs (?P<way>in|out)")
def sign(stage: StoryStage, found: Match[str]) -> None:
    name = found["person"] if found["way"] == "in" else ""
    give_order(stage, "DealerSignedIn", name=name, person=found["person"])


@says("PERSON clears F-NNN [at WHERE]", rf"{PERSON} clears (?P<code>F-\d+)(?: at (?P<where>.+))?")
def clear_fault(stage: StoryStage, found: Match[str]) -> None:
    where = found["where"]
    if where is None:
        where = next((fault.where for fault in stage.table.service.faults if fault.code == found["code"]), "")
    give_order(stage, "FaultCleared", code=found["code"], where=where, person=found["person"])


@says("PERSON takes the table out of service because REASON",
      rf"{PERSON} takes the table out of service because (?P<reason>.+)")
def out_of_service(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "OutOfServiceOrdered", person=found["person"], reason=found["reason"])


@says("PERSON puts the table back in service", rf"{PERSON} puts the table back in service")
def back_in_service(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "BackInServiceOrdered", person=found["person"])


# --- cards and the deck ------------------------------------------------------------------------------

_ROLE = r"(?:, (?P<role>(?:shift )?[a-z_]+),)?"  # otherwise the role that the person's name implies, or supervisor


@says("PERSON[, ROLE,] keys the card CARD", rf"{PERSON}{_ROLE} keys the card (?P<card>\S+)")
def key_card(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "CardKeyed", card=found["card"], person=found["person"], role=role_of(found, "supervisor"))


@says("PERSON[, ROLE,] strikes out the card CARD because REASON",
      rf"{PERSON}{_ROLE} strikes out the card (?P<card>\S+) because (?P<reason>.+)")
def strike_card(stage: StoryStage, found: Match[str]) -> None:
    role = role_of(found, "supervisor")
    give_order(stage, "CardStruck", card=found["card"], person=found["person"], role=role, reason=found["reason"])


@says("PERSON[, ROLE,] changes the deck", rf"{PERSON}{_ROLE} changes the deck")
def change_deck(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "DeckChanged", person=found["person"], role=role_of(found, "supervisor"))


@says("PERSON[, ROLE,] verifies the deck", rf"{PERSON}{_ROLE} verifies the deck")
def verify_deck(stage: StoryStage, found: Match[str]) -> None:
    """Verifies that the deck is in order, counted and complete."""
    give_order(stage, "DeckVerified", person=found["person"], role=role_of(found, "supervisor"))


@says("PERSON counts N cards left", rf"{PERSON} counts (?P<cards>\d+) cards left")
def count_stub(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "StubChecked", cards=int(found["cards"]), person=found["person"])


@says("order KIND {JSON}", r"order (\w+)(?: (\{.*\}))?")
def order(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, found[1], **fields_in(found[2] or "{}"))
