"""What those who care for the table do: test mode, lamps tried, the log of entries, alerts, as sentences."""

from __future__ import annotations

from re import Match

from tests.rounds.people import PERSON, give_order
from tests.rounds.script import Unmet, says
from tests.rounds.stage import Stage


@says("PERSON enters | leaves test mode", rf"{PERSON} (?P<way>enters|leaves) test mode")
def test_mode(stage: Stage, found: Match[str]) -> None:
    kind = "TestModeEntered" if found["way"] == "enters" else "TestModeLeft"
    give_order(stage, kind, person=found["person"])


test_mode.__test__ = False  # type: ignore[attr-defined]  # a sentence, not a test


@says("PERSON lights the lamp LAMP[, LAMP] / lights no lamp",
      rf"{PERSON} lights (?:no lamp|the lamps? (?P<lamps>.+))")
def try_lamps(stage: Stage, found: Match[str]) -> None:
    lamps = [one.strip() for one in (found["lamps"] or "").split(",") if one.strip()]
    give_order(stage, "LampsTried", lamps=lamps, person=found["person"])


@says("PERSON logs an entry into PART because REASON",
      rf"{PERSON} logs an entry into (?P<part>.+?) because (?P<reason>.+)")
def log_entry(stage: Stage, found: Match[str]) -> None:
    part, reason = found["part"], found["reason"]
    give_order(stage, "EntryLogged", part=part, reason=reason, person=found["person"], licence="L-7")


@says("PERSON acknowledges F-NNN at WHERE", rf"{PERSON} acknowledges (?P<code>F-\d+) at (?P<where>.+)")
def acknowledge(stage: Stage, found: Match[str]) -> None:
    fields = {"code": found["code"], "where": found["where"]}
    give_order(stage, "AlertAcknowledged", **fields, person=found["person"])


@says("expect F-NNN acknowledged by PERSON | nobody", r"expect (?P<code>F-\d+) acknowledged by (?P<person>\w+)")
def acknowledged(stage: Stage, found: Match[str]) -> None:
    by = [by for fault, by in stage.table.service.acknowledged if fault.code == found["code"]] or ["nobody"]
    if found["person"] not in by:
        raise Unmet(f"{found['code']} acknowledged by {found['person']}", ", ".join(by))
