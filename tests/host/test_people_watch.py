"""Nobody gains power at a table unnoticed: every person who is listed, removed or changed is journaled by name, and
stays an alert until a supervisor has accepted the change."""

from __future__ import annotations

import pytest

from felt.config.people import ListedPerson, Role, digest_of
from felt.host.people_watch import FIRST, KEPT_IN, PEOPLE_CHANGED, YOUR_OWN, accept_first
from felt.nouns.values import replace
from felt.ports import DiskError
from felt.table import facts
from tests.console.desk_evening import PIN, DeskEvening

MIA = ListedPerson(Role.SHIFT_MANAGER, digest_of("6666"), "L-2")


@pytest.fixture
def table() -> DeskEvening:
    return DeskEvening(watched=True)


def alerts(table: DeskEvening) -> list[str]:
    table.advance(20)
    return [fault.where for fault in table.table.service.faults if fault.code == PEOPLE_CHANGED]


def restarted(table: DeskEvening) -> None:
    table.desk = table.new_desk()
    table.desk.show(table.loop.picture())


def cleared(table: DeskEvening, by: str, where: str, pin: str = "") -> str:
    client = table.desk.welcome()
    assert "answer" in table.say(client, login=by, pin=pin or PIN[by])
    said = table.say(client, order="FaultCleared", fields={"code": PEOPLE_CHANGED, "where": where})
    return str(said.get("refused", ""))


def test_a_table_accepts_the_people_it_is_born_with_and_says_so(table: DeskEvening) -> None:
    assert alerts(table) == []
    said = accept_first(table.memory, {"Sam": table.known["Sam"], "Mia": MIA})
    assert said.endswith("born with: Mia shift_manager, Sam supervisor")
    assert accept_first(table.memory, {}).endswith("born with: nobody")


def test_the_first_people_listed_later_are_journaled_and_accepted_as_they_are(table: DeskEvening) -> None:
    accept_first(table.memory, {})
    restarted(table)
    assert alerts(table) == []
    assert "Max added as shift_manager" in [raised.where for raised in table.journaled(facts.FaultRaised)]
    assert {cleared.person for cleared in table.journaled(facts.FaultCleared)} == {FIRST}
    restarted(table)
    assert alerts(table) == []
    assert len(table.journaled(facts.FaultRaised)) == len(table.known)


def test_a_new_shift_manager_is_an_alert_before_he_has_ordered_anything(table: DeskEvening) -> None:
    table.known["Mia"] = MIA
    table.say(table.desk.welcome(), login="Mia", pin="6666")
    assert alerts(table) == ["Mia added as shift_manager"]
    raised, came = table.journaled(facts.FaultRaised)[-1], table.journaled(facts.SignInNoted)[-1]
    assert (raised.where, came.person) == ("Mia added as shift_manager", "Mia")
    assert raised.at.mono_ns <= came.at.mono_ns


def test_it_stays_until_another_supervisor_accepts_it_and_then_for_good(table: DeskEvening) -> None:
    table.known["Mia"] = MIA
    restarted(table)
    (where,) = alerts(table)
    assert cleared(table, "Mia", where, "6666") == YOUR_OWN
    assert "for a supervisor" in cleared(table, "Tess", where)
    table.say(table.signed_in("Tess"), order="AlertAcknowledged", fields={"code": PEOPLE_CHANGED, "where": where})
    restarted(table)
    assert alerts(table) == [where]
    assert not cleared(table, "Sam", where)
    assert table.journaled(facts.FaultCleared)[-1].person == "Sam"
    restarted(table)
    assert alerts(table) == []
    table.known["Mia"] = replace(MIA, role=Role.VIEWER)
    restarted(table)
    assert alerts(table) == ["Mia now viewer, was shift_manager"]


def test_a_person_who_was_added_and_removed_again_is_still_reported(table: DeskEvening) -> None:
    table.known["Mia"] = MIA
    table.say(table.desk.welcome(), login="Mia", pin="6666")
    table.known.pop("Mia")
    restarted(table)
    assert alerts(table) == ["Mia added as shift_manager"]
    assert not cleared(table, "Sam", "Mia added as shift_manager")
    table.signed_in("Sam")
    assert alerts(table) == []


def test_a_removal_a_new_pin_and_a_new_licence_are_told_apart_and_no_pin_is_kept(table: DeskEvening) -> None:
    table.known.pop("Max")
    table.known["Shu"] = replace(table.known["Shu"], pin=digest_of("8642"))
    table.known["Tess"] = replace(table.known["Tess"], licence="L-9")
    table.signed_in("Sam")
    assert alerts(table) == ["Max removed, was shift_manager", "Shu has another PIN", "Tess has another licence"]
    assert cleared(table, "Shu", "Tess has another licence", "8642") == YOUR_OWN
    for where in alerts(table):
        assert not cleared(table, "Sam", where)
    assert alerts(table) == []
    kept = table.memory.read(KEPT_IN).decode()
    assert not [person for person in table.known.values() if person.pin in kept]


def test_where_everybody_is_new_somebody_can_still_accept(table: DeskEvening) -> None:
    table.known.clear()
    table.known["Mia"] = MIA
    restarted(table)
    for where in alerts(table):
        assert not cleared(table, "Mia", where, "6666")
    assert alerts(table) == []
    assert "Mia added as shift_manager" in [cleared.where for cleared in table.journaled(facts.FaultCleared)]


@pytest.mark.parametrize("content", [None, b"", b"[]", b"null", b"\xff", b'{"Sam": 7}', b'{"Sam": ["x"]}'])
def test_the_accepted_people_cannot_be_removed_unnoticed(table: DeskEvening, content: bytes | None) -> None:
    if content is None:
        table.memory.remove(KEPT_IN)
    else:
        table.memory.replace(KEPT_IN, content)
    restarted(table)
    assert len(alerts(table)) == len(table.known)


def test_an_acceptance_that_the_disk_refuses_is_reported_and_asked_for_again(
    table: DeskEvening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_name: str, _data: bytes) -> None:
        raise DiskError("full")

    table.known["Mia"] = MIA
    restarted(table)
    (where,) = alerts(table)
    with monkeypatch.context() as full:
        full.setattr(table.memory, "replace", refuse)
        assert not cleared(table, "Sam", where)
        assert "it will be asked again (full)" in " ".join(table.told)
    restarted(table)
    assert alerts(table) == [where]
