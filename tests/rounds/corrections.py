"""What people find out or decide about bets after the lock, who leaves, and how the house plays on, as sentences."""

from __future__ import annotations

import re
from re import Match

from tests.rounds.amounts import MONEY, SPOT, minor
from tests.rounds.people import PERSON, give_order, light, press_key
from tests.rounds.script import says
from tests.rounds.stage import Stage


@says("PERSON finds $AMOUNT on SPOT", rf"{PERSON} finds (?P<amount>{MONEY}) on {SPOT}")
def find_amount(stage: Stage, found: Match[str]) -> None:
    give_order(stage, "AmountFound", spot=found[3], amount_minor=minor(stage, found["amount"]), person=found["person"])


@says("box N walks away", r"box ([1-9]) walks away")
def walk_away(stage: Stage, found: Match[str]) -> None:
    """OTHER until WALK AWAY is lit, then the box."""
    lit = re.fullmatch("light (.+)", "light walk away")
    assert lit is not None
    light(stage, lit)
    press_key(stage, f"seat {found[1]}")


@says("box N refuses to show his cards", r"box ([1-9]) refuses to (?:show|reveal)(?: (?:his|its) cards)?")
def refuse_to_show(stage: Stage, found: Match[str]) -> None:
    give_order(stage, "RevealRefused", seat=int(found[1]), person="dealer")


@says("PERSON turns the progressive off | on because REASON",
      rf"{PERSON} turns the progressive (?P<way>off|on) because (?P<reason>.+)")
def switch_progressive(stage: Stage, found: Match[str]) -> None:
    off = found["way"] == "off"
    give_order(stage, "ProgressiveSwitched", off=off, person=found["person"], reason=found["reason"])
