"""The desk on the production service: questions answered from a frozen picture, orders in a person's name, roles, two
persons, and wrong PINs that count across lines."""

from __future__ import annotations

import json

import pytest

from felt.desk import answers
from felt.desk.desk import PICTURES_MAX, QUESTIONS
from felt.desk.odds import odds
from felt.desk.permissions import POWERS
from felt.journal.store import Head
from felt.loop.picture import Picture
from felt.nouns.faults import CATALOGUE
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import fields_of, replace
from felt.table import facts, redacted
from felt.table.state import Table
from tests.console.desk_evening import PIN, DeskEvening
from tests.table.bench import Bench


@pytest.fixture
def table() -> DeskEvening:
    return DeskEvening()


def test_every_question_is_answered_on_one_line(table: DeskEvening) -> None:
    client = table.desk.welcome()
    for question in ("status", "spots", "panel", "round", "questions", "faults", "shuffler", "link", "meters", "lamps"):
        assert table.say(client, ask=question)["answer"], question
    for question in ("versions", "clock", "screen"):
        assert table.say(client, ask=question)["answer"], question


def test_the_odds_are_given_for_the_present_meters(table: DeskEvening) -> None:
    answer = table.say(table.desk.welcome(), ask="odds")["answer"]
    by_wager = {wager["wager"]: wager for wager in answer["wagers"]}
    assert by_wager["ante"]["house_edge_percent"] == 3.373
    (major,) = by_wager["progressive"]["levels"]
    assert (major["minor"], major["even_minor"], major["is_above_even"]) == (5_000_000, 100_440_851, False)
    assert by_wager["progressive"]["strategy_changes_minor"][0] == 5_382_500
    assert answer["above_even"] == []


def test_a_jackpot_above_break_even_is_reported_and_stops_nothing(table: DeskEvening) -> None:
    picture = replace(table.desk.picture(), meters={"major": 200_000_000 * 1_000_000})
    assert odds(picture)["above_even"]
    assert any("breaks even" in sentence for sentence in QUESTIONS["status"](picture)["waiting"])
    assert "F-" not in str(QUESTIONS["status"](picture)["alerts"])


def test_an_unknown_question_is_refused_with_those_that_are_known(table: DeskEvening) -> None:
    said = table.say(table.desk.welcome(), ask="weather")["refused"]
    assert "weather" in said
    assert "status" in said


def test_another_version_is_refused_with_the_one_that_is_spoken(table: DeskEvening) -> None:
    answer = table.desk.welcome().answer({"felt": 9, "id": 3, "ask": "status"})
    assert answer["refused"].startswith("This desk speaks version 1")


def test_nobody_orders_before_signing_in(table: DeskEvening) -> None:
    answer = table.say(table.desk.welcome(), order="TableOpened", fields={})
    assert answer["refused"] == "Sign in first."
    assert table.phase == "CLOSED"


def test_an_order_is_recorded_in_the_name_of_who_signed_in_whatever_the_client_says(table: DeskEvening) -> None:
    client = table.signed_in("Sam")
    assert "answer" in table.say(client, order="OutOfServiceOrdered", fields={"person": "the king", "reason": "smoke"})
    assert table.table.service.ordered_out == "Sam: smoke"


def test_the_tables_own_refusal_comes_back_as_it_is(table: DeskEvening) -> None:
    client = table.signed_in("Sam")
    assert "answer" in table.say(client, order="TableOpened", fields={})
    assert table.say(client, order="TableOpened", fields={})["refused"] == "The table is open already."


def test_a_viewer_orders_nothing_and_a_technician_no_play(table: DeskEvening) -> None:
    assert "for a technician" in table.say(table.signed_in("Vic"), order="OutOfServiceOrdered", fields={})["refused"]
    assert "for a supervisor" in table.say(table.signed_in("Tess"), order="TableOpened", fields={})["refused"]


def test_a_key_of_the_panel_is_no_order_because_it_names_nobody(table: DeskEvening) -> None:
    answer = table.say(table.signed_in("Max"), order="OpenPressed", fields={})
    assert "nothing that this desk can order" in answer["refused"]


def test_every_power_is_over_a_fact_that_names_its_person() -> None:
    for kind in POWERS:
        if kind in facts.FACTS:
            assert "person" in fields_of(facts.FACTS[kind]), kind


def test_a_claim_takes_two_different_persons(table: DeskEvening) -> None:
    client = table.signed_in("Sam")
    fields = {"claim": "1.1"}
    assert table.say(client, order="ClaimConfirmed", fields=fields)["needs"] == "second"
    himself = {"login": "Sam", "pin": PIN["Sam"]}
    assert table.say(client, order="ClaimConfirmed", fields=fields, second=himself)["needs"] == "second"
    viewer = {"login": "Vic", "pin": PIN["Vic"]}
    assert "must be a supervisor" in table.say(client, order="ClaimConfirmed", fields=fields, second=viewer)["refused"]
    other = {"login": "Shu", "pin": PIN["Shu"]}
    said = table.say(client, order="ClaimConfirmed", fields=fields, second=other)["refused"]
    assert "1.1" in said  # both are accepted, but the table has no such claim


EVIDENCE = ("F-302", "F-303", "F-304", "F-306", "F-401", "F-403", "F-404", "F-405", "F-407", "F-408", "F-410", "F-701",
            "F-702")  # fmt: skip


def test_two_technicians_clear_no_fault_that_keeps_evidence(table: DeskEvening) -> None:
    table.known["Tom"] = table.known["Tess"]
    client = table.signed_in("Tess")
    for code in EVIDENCE:
        fields = {"code": code, "where": "here"}
        second = {"login": "Tom", "pin": PIN["Tess"]}
        refused = table.say(client, order="FaultCleared", fields=fields, second=second)
        assert refused["refused"] == "One of the two must be a supervisor or a shift manager."
        assert refused["needs"] == "second"
    assert table.journaled(facts.FaultCleared) == []
    table.say(client, order="FaultCleared", fields=fields, second={"login": "Sam", "pin": PIN["Sam"]})
    assert [cleared.person for cleared in table.journaled(facts.FaultCleared)] == ["Tess and Sam"]


def test_a_technician_clears_no_fault_of_ledger_link_or_audit(table: DeskEvening) -> None:
    client = table.signed_in("Tess")
    for code in ("F-305", "F-307", "F-402", "F-409", "F-503"):
        refused = table.say(client, order="FaultCleared", fields={"code": code, "where": "here"})
        assert "for a supervisor" in refused["refused"]


def test_wrong_pins_lock_a_person_out_for_longer_and_longer_on_every_line(table: DeskEvening) -> None:
    waits = []
    for _ in range(5):
        said = table.say(table.desk.welcome(), login="Sam", pin="0000")["refused"]
        waits.append(said)
        if "wait" in said:
            table.now_ns += int(said.split()[-2]) * NS_PER_S
    assert waits[:2] == ["This name and this PIN do not belong together."] * 2
    assert [said.split()[-2] for said in waits[2:]] == ["30", "60", "120"]
    table.now_ns -= NS_PER_S
    right = table.say(table.desk.welcome(), login="Sam", pin=PIN["Sam"])
    assert "wait 1 seconds" in right["refused"], "the right PIN waits too"
    table.now_ns += NS_PER_S
    assert "answer" in table.say(table.desk.welcome(), login="Sam", pin=PIN["Sam"])
    assert "answer" in table.say(table.desk.welcome(), login="Tess", pin=PIN["Tess"])


def test_guesses_of_names_are_counted_together_and_reveal_nothing(table: DeskEvening) -> None:
    said = [table.say(table.desk.welcome(), login=f"x{n}", pin="0000")["refused"] for n in range(3)]
    assert said[0] == "This name and this PIN do not belong together."
    assert "wait" in said[2]
    assert "answer" in table.say(table.desk.welcome(), login="Sam", pin=PIN["Sam"])


def test_who_was_removed_from_the_file_can_do_nothing_any_more(table: DeskEvening) -> None:
    client = table.signed_in("Sam")
    table.known.pop("Sam")
    assert table.say(client, order="TableOpened", fields={})["refused"] == "Sign in first."
    assert table.phase == "CLOSED"


def test_sign_ins_and_failed_ones_are_logged(table: DeskEvening) -> None:
    table.signed_in("Sam")
    table.say(table.desk.welcome(), login="Sam", pin="0000")
    table.say(table.desk.welcome(), login="3333", pin="0000")
    assert table.told == [
        "Sam signed in as supervisor", "a wrong PIN for Sam", "a wrong PIN for somebody unknown",
    ]


def test_a_client_that_leaves_is_signed_out(table: DeskEvening) -> None:
    client = table.signed_in("Sam")
    assert table.say(client, logout=True)["answer"] == {}
    assert table.say(client, order="TableOpened", fields={})["refused"] == "Sign in first."


def test_a_watcher_hears_every_contact_though_it_asks_late(table: DeskEvening) -> None:
    client = table.desk.welcome()
    number = table.say(client, ask="changes", since=0)["answer"]["number"]
    for present in (True, False, True):
        table.chip("3.progressive", present)
        table.advance(100)
    table.press("open")
    said = [change["said"] for change in table.say(client, ask="changes", since=number)["answer"]["changes"]]
    assert [change for change in said if change.startswith("3.progressive: ")][:3] == [
        "3.progressive: covered", "3.progressive: uncovered", "3.progressive: covered",
    ]
    assert "key.open: down" in said
    assert "key.open: up" in said


def test_a_watcher_that_fell_behind_is_told_so(table: DeskEvening) -> None:
    client = table.desk.welcome()
    number = table.say(client, ask="changes", since=0)["answer"]["number"]
    for turn in range(PICTURES_MAX + 2):
        table.chip("3.progressive", turn % 2 == 0)
        table.advance(60)
    assert table.say(client, ask="changes", since=number)["answer"]["missed"]


def test_a_card_is_shown_without_its_face(table: DeskEvening) -> None:
    sam = table.signed_in("Sam")
    table.say(sam, order="TableOpened", fields={})
    table.advance(2000)
    table.press("open")
    table.chip("1.ante")
    table.advance(200)
    table.press("no_more_bets")
    table.advance(500)
    number = table.say(sam, ask="changes", since=0)["answer"]["number"]
    table.deal()
    table.until(lambda: table.phase == "DECIDING")
    told = json.dumps(table.say(sam, ask="changes", since=number)["answer"])
    assert "card 1 of 6 to box 1" in told
    playing = table.table.round
    assert playing is not None
    for question in ("status", "screen", "round", "spots", "link", "versions"):
        told += json.dumps(table.say(sam, ask=question)["answer"])
    for dealt in playing.dealt:
        assert f'"{dealt.card}"' not in told


def test_every_alert_has_its_remedy(table: DeskEvening) -> None:
    found = table.say(table.desk.welcome(), ask="faults")["answer"]["alerts"]
    assert {alert["code"] for alert in found} <= set(CATALOGUE)
    for fault in CATALOGUE.values():
        assert fault.remedy
        assert fault.sentence


def test_the_desk_hides_a_card_that_a_person_wrote_as_evidence() -> None:
    table = Bench().deciding().do(
        facts.IrregularityDeclared,
        mishap="wrong_box", where="1", evidence="the Ah lies there", person="Kim", role="dealer", other="2",
    ).table  # fmt: skip
    told = [*answers.waiting(redacted.table_of(table)), json.dumps(answers._questions(_picture(table)))]
    assert all("the ## lies there" in sentence and "Ah" not in sentence for sentence in told)


def _picture(table: Table) -> Picture:
    return Picture(redacted.table_of(table), (), {}, Head(0, ""), Stamp("00000001", 1, 1))
