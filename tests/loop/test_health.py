"""What the loop notices about itself, and which failures are faults and which are reasons to restart."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from felt.config import load
from felt.evidence.audit_result import OLD_NS, Audit, LastAudit, Verdict, nobody_audits
from felt.loop.health import LOOK_NS, ROOM_LEAST_BYTES, ROOM_LOW_BYTES, Health, Watched
from felt.loop.inbox import Inbox
from felt.nouns.stamps import NS_PER_S
from felt.stories.evening import Evening
from felt.table import facts, service, views
from felt.table.facts import Fact
from felt.table.state import Phase, ServiceState, StandingFault
from felt.virtual.link import VirtualLink
from felt.virtual.shuffler import ShufflerDevice
from felt.wiring import devices, table_builder
from felt.wiring.audit_folders import keep_audit

LOOKED_MS = LOOK_NS // 1_000_000 + 1_000


def codes(evening: Evening) -> list[str]:
    return [fault.code for fault in evening.table.service.faults]


def leave_free(evening: Evening, free_bytes: int) -> None:
    disk = evening.disk
    disk.capacity_bytes = sum(len(disk.read(name)) for name in disk.names()) + free_bytes


def opened() -> Evening:
    evening = Evening()
    assert evening.order("TableOpened", person="Ann") == ""
    evening.press("open")
    assert evening.phase is Phase.BETTING
    return evening


# --- the disk ----------------------------------------------------------------------------------------------


def test_a_filling_disk_is_reported_in_good_time_and_play_goes_on() -> None:
    evening = opened()
    leave_free(evening, ROOM_LOW_BYTES - 1)
    evening.advance(LOOKED_MS)
    assert codes(evening) == ["F-406"]
    assert evening.table.service.state is ServiceState.IN_SERVICE


def test_before_the_disk_is_full_the_round_in_play_is_finished_and_no_other_one_opened() -> None:
    evening = opened()
    leave_free(evening, ROOM_LEAST_BYTES - 1)
    evening.advance(LOOKED_MS)
    assert evening.table.round is not None
    assert evening.table.service.state is ServiceState.IN_SERVICE
    assert not evening.table.irregularity.questions
    assert evening.order("VoidOrdered", person="Ann", reason="a test") == ""
    evening.press("settle")
    evening.until(lambda: evening.phase is Phase.IDLE)
    evening.advance(LOOKED_MS)
    assert codes(evening) == ["F-406", "F-407"]
    assert not service.table_may_serve(evening.table, facts.LinkLost(evening.clock.stamp()))
    evening.press("open")
    assert evening.phase is Phase.IDLE
    assert "less than 60 MB are free" in evening.table.service.faults[-1].where


def test_a_cleared_fault_of_the_disk_returns_until_there_is_room() -> None:
    evening = Evening()
    leave_free(evening, 0)
    evening.disk.capacity_bytes = (evening.disk.capacity_bytes or 0) + ROOM_LEAST_BYTES // 2
    evening.advance(LOOKED_MS)
    (fault,) = evening.table.service.faults
    evening.order("FaultCleared", code="F-407", where=fault.where, person="Tess")
    evening.advance(LOOKED_MS)
    assert codes(evening) == ["F-407"]
    evening.disk.capacity_bytes = None
    evening.advance(LOOKED_MS)
    assert codes(evening) == []


def test_a_fault_of_the_disk_stays_true_while_the_disk_fills() -> None:
    evening = opened()
    for free in (ROOM_LOW_BYTES - 1, ROOM_LOW_BYTES // 2, ROOM_LEAST_BYTES - 1):
        leave_free(evening, free)
        evening.advance(LOOKED_MS)
        (fault,) = evening.table.service.faults
        assert fault.where == "less than 300 MB are free, 60 MB are needed to open a round"


def test_a_disk_with_room_again_clears_its_faults_and_a_person_puts_the_table_back() -> None:
    evening = Evening()
    leave_free(evening, ROOM_LEAST_BYTES - 1)
    evening.advance(LOOKED_MS)
    assert codes(evening) == ["F-407"]
    leave_free(evening, ROOM_LEAST_BYTES + 10**6)
    evening.advance(LOOKED_MS)
    assert codes(evening) == ["F-406"]
    evening.disk.capacity_bytes = None
    evening.advance(LOOKED_MS)
    assert codes(evening) == []
    assert [fault.code for fault in evening.table.service.passed] == ["F-407", "F-406"]
    assert "puts it back in service" in views.prompt(evening.table)
    assert evening.order("BackInServiceOrdered", person="Ann") == ""
    assert evening.table.service.state is ServiceState.IN_SERVICE


def test_a_disk_with_room_again_at_the_start_has_no_fault() -> None:
    evening = Evening()
    leave_free(evening, ROOM_LEAST_BYTES - 1)
    evening.advance(LOOKED_MS)
    evening.power_cut()
    evening.disk.capacity_bytes = None
    evening.boot()
    assert codes(evening) == []


# --- hardware that does not answer, and threads that do not --------------------------------------------------


def test_levels_that_cannot_be_read_are_a_fault_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    evening.advance(50)

    def gone() -> Mapping[str, bool]:
        raise OSError("line 3 of mcp23017 (1.ante) cannot be read (error: no device)")

    with monkeypatch.context() as unplugged:
        unplugged.setattr(evening.board, "levels", gone)
        evening.advance(2_500)
        assert codes(evening) == ["F-111"]
        assert evening.table.service.state is ServiceState.OUT_OF_SERVICE
    (fault,) = evening.table.service.faults
    assert "line 3 of mcp23017" in fault.where
    evening.advance(1_500)
    evening.order("FaultCleared", code=fault.code, where=fault.where, person="Tess")
    evening.advance(1_500)
    assert codes(evening) == []


def test_lamps_that_cannot_be_written_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening()
    monkeypatch.setattr(evening.board, "problem", lambda: "line 7 of mcp23017 (3.progressive) cannot be written")
    evening.advance(50)
    assert codes(evening) == ["F-111"]


def looking(evening: Evening, last_audit: LastAudit = nobody_audits, software: str = "") -> Health:
    watched = Watched(evening.board, evening.post, evening.disk, last_audit, Inbox(), software)
    return Health(watched, lost_s=30)


@pytest.mark.parametrize("part", ["board", "post"])
def test_the_watchdog_is_not_patted_for_a_thread_that_does_not_respond(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening()
    health = looking(evening)
    assert health.well()
    monkeypatch.setattr(getattr(evening, part), "alive", lambda: False)
    assert not health.well()


def test_a_post_that_says_what_hinders_it_is_a_fault_and_no_reason_to_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evening = Evening()
    health = looking(evening)
    monkeypatch.setattr(evening.post, "alive", lambda: False)
    monkeypatch.setattr(evening.post, "problem", lambda: "another process holds the ledger")
    assert health.well()


# --- the last audit ----------------------------------------------------------------------------------------


def raised(evening: Evening, audit: Audit | None, software: str = "") -> list[tuple[str, str]]:
    found: list[Fact] = looking(evening, lambda: audit, software).noticed(evening.table, evening.clock.stamp())
    return [(fact.code, fact.where) for fact in found if isinstance(fact, facts.FaultRaised)]


def audited(evening: Evening, verdict: Verdict, age_ns: int = 0, **more: Any) -> Audit:
    return Audit(evening.clock.stamp().wall_ns - age_ns, verdict, "so it is", **more)


def test_an_audit_that_found_nothing_raises_no_fault() -> None:
    evening = Evening()
    assert raised(evening, audited(evening, Verdict.GOOD, OLD_NS - NS_PER_S)) == []
    assert raised(evening, audited(evening, Verdict.NONE)) == []
    assert raised(evening, None) == []


def test_a_damaged_journal_stops_the_table_between_rounds() -> None:
    evening = Evening()
    assert raised(evening, audited(evening, Verdict.BAD)) == [("F-408", "so it is")]
    assert raised(opened(), audited(evening, Verdict.BAD)) == []


@pytest.mark.parametrize("verdict", [Verdict.GOOD, Verdict.NONE])
def test_a_journal_that_was_not_audited_for_days_is_noted(verdict: Verdict) -> None:
    evening = Evening()
    assert raised(evening, audited(evening, verdict, OLD_NS + NS_PER_S)) == [("F-409", "the last audit was 3 days ago")]


def test_an_audit_that_could_not_be_done_is_noted() -> None:
    evening = Evening()
    assert raised(evening, audited(evening, Verdict.UNDONE)) == [("F-409", "so it is")]


def test_software_that_was_changed_stops_the_table_between_rounds() -> None:
    evening = Evening()
    assert raised(evening, None, "felt/cli.py was changed") == [("F-410", "felt/cli.py was changed")]
    seen_at_night = audited(evening, Verdict.GOOD, software="felt/cli.py is missing")
    assert raised(evening, seen_at_night) == [("F-410", "felt/cli.py is missing")]
    assert raised(opened(), seen_at_night) == []


def test_a_clock_that_nobody_set_for_a_day_is_noted_even_during_a_round() -> None:
    alone = "the clock was last synchronised 31 hours ago"
    assert raised(Evening(), audited(Evening(), Verdict.GOOD, clock=alone)) == [("F-411", alone)]
    assert raised(opened(), audited(Evening(), Verdict.GOOD, clock=alone)) == [("F-411", alone)]


def test_what_the_box_finds_wrong_with_itself_stands_before_its_first_word(tmp_path: Path) -> None:
    """On a real disk, from end to end: a table starts beside a folder of audits."""
    (tmp_path / "table.toml").touch()
    config = load(tmp_path / "table.toml")
    keep_audit(config, Audit(time.time_ns(), Verdict.BAD, "record 7 does not hold"))
    board, link = devices.virtual_board(config), VirtualLink(ShufflerDevice(random.Random(1)))
    running = table_builder.build(config, board, link)
    try:
        running.loop.start()
        # Before the first turn, and before the first word.
        assert StandingFault("F-408", "record 7 does not hold") in running.loop.table.service.faults
        assert running.loop.table.service.state is ServiceState.OUT_OF_SERVICE
    finally:
        running.close()
