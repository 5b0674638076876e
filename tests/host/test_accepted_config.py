"""A table is played only with the configuration that a supervisor accepted."""

from __future__ import annotations

import pytest

from felt.desk.permissions import POWERS, powers_of
from felt.host.accepted_config import KEPT_IN, NOT_ACCEPTED, AcceptedConfig
from felt.ports import DiskError
from felt.stories.evening import Evening
from felt.table.state import Phase, ServiceState
from felt.virtual.disk import ForgetfulDisk

OLD, NEW = "1" * 64, "2" * 64
SHOWN = NEW[:16]


def started(evening: Evening, accepted: AcceptedConfig) -> None:
    """What `felt run` does with it: what it tells the table before the first turn, and a look after each turn."""
    assert evening.running is not None
    for order in accepted.orders(evening.running.loop.shown()):
        evening.running.loop.inbox.put(order)
    loop = evening.running.loop
    loop.on_turn = lambda: accepted.look(loop.shown())
    evening.tick()


@pytest.fixture
def disk() -> ForgetfulDisk:
    disk = ForgetfulDisk()
    said = AcceptedConfig(disk, OLD, born=True).reports
    assert said == [f"the configuration {OLD[:16]} is accepted as the one this table is born with"]
    return disk


def faults(evening: Evening) -> list[tuple[str, str]]:
    return [(fault.code, fault.where) for fault in evening.table.service.faults]


def is_refused(evening: Evening) -> bool:
    return evening.phase is not Phase.BETTING


def test_the_accepted_configuration_is_no_fault(disk: ForgetfulDisk) -> None:
    evening = Evening()
    started(evening, AcceptedConfig(disk, OLD, born=False))
    assert faults(evening) == []
    assert not evening.order("TableOpened", person="Sam")


def test_another_configuration_stops_betting_until_it_is_accepted_and_then_for_good(disk: ForgetfulDisk) -> None:
    evening = Evening()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    assert faults(evening) == [(NOT_ACCEPTED, SHOWN)]
    assert evening.table.service.state is ServiceState.OUT_OF_SERVICE
    assert "stays out of service" in evening.order("BackInServiceOrdered", person="Sam")
    evening.order("TableOpened", person="Sam")
    evening.press("open")
    assert is_refused(evening)
    assert not evening.order("FaultCleared", code=NOT_ACCEPTED, where=SHOWN, person="Sam")
    assert not evening.order("BackInServiceOrdered", person="Sam")
    assert not evening.order("TableOpened", person="Sam")
    evening.advance(1500)
    evening.press("open")
    assert not is_refused(evening)
    again = Evening()
    started(again, AcceptedConfig(disk, NEW, born=False))
    assert faults(again) == []


def test_the_fault_stands_across_a_power_cut_and_goes_when_the_former_file_is_back(disk: ForgetfulDisk) -> None:
    evening = Evening()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    evening.power_cut()
    evening.boot()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    assert faults(evening) == [(NOT_ACCEPTED, SHOWN)]
    evening.power_cut()
    evening.boot()
    started(evening, AcceptedConfig(disk, OLD, born=False))
    assert faults(evening) == []


def test_a_third_configuration_is_named_instead_of_the_second(disk: ForgetfulDisk) -> None:
    evening = Evening()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    evening.power_cut()
    evening.boot()
    started(evening, AcceptedConfig(disk, "3" * 64, born=False))
    assert faults(evening) == [(NOT_ACCEPTED, "3" * 16)]


def test_a_table_that_never_started_accepts_its_first_file_as_corrected(disk: ForgetfulDisk) -> None:
    AcceptedConfig(disk, NEW, born=True)
    evening = Evening()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    assert faults(evening) == []


@pytest.mark.parametrize("content", [None, b"", b"[]", b"null", b"\xff", b'{"accepted": 7}'])
def test_what_was_accepted_cannot_be_made_away_with(disk: ForgetfulDisk, content: bytes | None) -> None:
    if content is None:
        disk.remove(KEPT_IN)
    else:
        disk.replace(KEPT_IN, content)
    evening = Evening()
    started(evening, AcceptedConfig(disk, NEW, born=False))
    assert faults(evening) == [(NOT_ACCEPTED, SHOWN)]


def test_an_acceptance_that_the_disk_refuses_is_reported_and_asked_for_again(
    disk: ForgetfulDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_name: str, _data: bytes) -> None:
        raise DiskError("full")

    evening = Evening()
    told: list[str] = []
    accepted = AcceptedConfig(disk, NEW, told.append, born=False)
    started(evening, accepted)
    monkeypatch.setattr(disk, "replace", refuse)
    evening.order("FaultCleared", code=NOT_ACCEPTED, where=SHOWN, person="Sam")
    assert told == ["the acceptance of the configuration cannot be stored; the table will ask again (full)"]
    again = Evening()
    started(again, AcceptedConfig(disk, NEW, born=False))
    assert faults(again) == [(NOT_ACCEPTED, SHOWN)]


def test_who_may_change_the_file_may_not_accept_it() -> None:
    assert "technician" in POWERS["FaultCleared"]
    assert powers_of("FaultCleared", NOT_ACCEPTED) == ("supervisor", "shift_manager")
    assert powers_of("FaultCleared", "F-107") == POWERS["FaultCleared"]
