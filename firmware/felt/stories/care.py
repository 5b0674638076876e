"""Sentences about the care of the table: test mode, lamps under test, log entries, alerts."""

from __future__ import annotations

from re import Match

from felt.stories.errors import Unmet
from felt.stories.people import PERSON, give_order
from felt.stories.script import says
from felt.stories.stage import StoryStage


@says("PERSON enters | leaves test mode", rf"{PERSON} (?P<way>enters|leaves) test mode")
def test_mode(stage: StoryStage, found: Match[str]) -> None:
    kind = "TestModeEntered" if found["way"] == "enters" else "TestModeLeft"
    give_order(stage, kind, person=found["person"])


test_mode.__test__ = False  # type: ignore[attr-defined]  # a sentence, not a test


@says("PERSON lights the lamp LAMP[, LAMP] / lights no lamp",
      rf"{PERSON} lights (?:no lamp|the lamps? (?P<lamps>.+))")
def try_lamps(stage: StoryStage, found: Match[str]) -> None:
    lamps = [lamp.strip() for lamp in (found["lamps"] or "").split(",") if lamp.strip()]
    give_order(stage, "LampsTried", lamps=lamps, person=found["person"])


@says("PERSON logs an entry into PART because REASON",
      rf"{PERSON} logs an entry into (?P<part>.+?) because (?P<reason>.+)")
def log_entry(stage: StoryStage, found: Match[str]) -> None:
    part, reason = found["part"], found["reason"]
    give_order(stage, "EntryLogged", part=part, reason=reason, person=found["person"], licence="L-7")


@says("PERSON acknowledges F-NNN at WHERE", rf"{PERSON} acknowledges (?P<code>F-\d+) at (?P<where>.+)")
def acknowledge(stage: StoryStage, found: Match[str]) -> None:
    fields = {"code": found["code"], "where": found["where"]}
    give_order(stage, "AlertAcknowledged", **fields, person=found["person"])


@says("expect F-NNN acknowledged by PERSON | nobody", r"expect (?P<code>F-\d+) acknowledged by (?P<person>\w+)")
def acknowledged(stage: StoryStage, found: Match[str]) -> None:
    by = [by for fault, by in stage.table.service.acknowledged if fault.code == found["code"]] or ["nobody"]
    if found["person"] not in by:
        raise Unmet(f"{found['code']} acknowledged by {found['person']}", ", ".join(by))


@says("PERSON signs in at the desk as ROLE / PERSON is locked out for N seconds",
      rf"{PERSON} (?:signs in at the desk as (?P<role>\w+)|is locked out for (?P<wait>\d+) seconds)")
def sign_in(stage: StoryStage, found: Match[str]) -> None:
    role, wait = found["role"] or "", int(found["wait"] or 0)
    give_order(
        stage, "SignInNoted", person=found["person"], role=role, outcome="in" if role else "locked", wait_s=wait
    )


@says("PERSON and PERSON adjust METER by AMOUNT because REASON",
      rf"{PERSON} and (?P<second>\w+) adjust (?P<meter>\w+) by (?P<amount>-?\d+) because (?P<reason>.+)")
def adjust(stage: StoryStage, found: Match[str]) -> None:
    both = f"{found['person']} and {found['second']}"
    fields = {"meter": found["meter"], "purse": "display", "type": "adjusted", "amount_minor": int(found["amount"])}
    give_order(stage, "MeterAdjusted", **fields, person=both, reason=found["reason"])


@says("expect passed alerts F-NNN[, F-NNN] | none", r"expect passed alerts (?P<codes>.+)")
def passed_alerts(stage: StoryStage, found: Match[str]) -> None:
    codes = ", ".join(alert.code for alert in stage.table.service.passed) or "none"
    if codes != found["codes"]:
        raise Unmet(f"passed alerts {found['codes']}", codes)
