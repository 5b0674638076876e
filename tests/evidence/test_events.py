"""Every event has its time, its device, its own code and a sentence. No event names a closed card."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Formatter

import pytest

from felt import cli
from felt.commands.console_archive import DiskArchive
from felt.config import load
from felt.evidence.events import SENTENCES, JournalName, device_of, events_of, sentence_of
from felt.evidence.outcomes import FactOutcome, outcomes
from felt.journal.reading import read_records
from felt.nouns.values import fields_of
from felt.table.facts import FACTS
from felt.table.opening import OPEN_ALREADY
from felt.wording.messages import say
from tests.evidence.evening import BEGIN, ROUND, SignedTable

IS_OPEN = say("en", OPEN_ALREADY)
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    return SignedTable(tmp_path_factory.mktemp("table"))


def test_every_kind_of_fact_has_a_sentence_of_its_own() -> None:
    assert sorted(set(FACTS) - set(SENTENCES)) == []
    assert sorted(set(SENTENCES) - set(FACTS)) == []


def test_an_unknown_fact_is_told_by_its_name() -> None:
    assert sentence_of({"is": "LidMoved", "at": ["b", 1, 2], "is_open": True}) == "Lid moved: is_open yes."


def test_every_event_says_when_where_and_what_under_a_code_of_its_own(table: SignedTable) -> None:
    disk = table.stage.evening.disk
    device = device_of(disk)
    assert device == JournalName("T1", "00c0ffee")
    events = list(events_of(outcomes(disk), device))
    assert len({event.code for event in events}) == len(events) > 50
    for event in events:
        assert event.code == f"T1:00c0ffee:{event.seq}"
        assert event.device == "table T1, journal 00c0ffee"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event.time)
        assert event.kind in FACTS
        assert re.fullmatch(r"[^{}]+[.)]", event.text), event.text


def test_replay_lists_events_for_people_and_for_programs(
    table: SignedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", str(table.journal), "--events"]) == 0
    told = capsys.readouterr().out
    assert not CARD.search(told)
    assert " T1:00c0ffee:2 EraOpened: An era of the journal begins" in told.splitlines()[0]
    assert cli.main(["replay", str(table.journal), "--events", "--json", "--role", "supervisor"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"code", "time", "device", "seq", "kind", "text", "refused"} == set(events[0])
    assert any(CARD.search(event["text"]) for event in events)


def test_a_fault_is_told_with_its_meaning() -> None:
    told = sentence_of({"is": "FaultRaised", "at": ["b", 1, 2], "code": "F-401", "where": "journal"})
    assert told.startswith("Fault F-401 journal: ")
    assert len(told) > 40


def test_a_sentence_names_only_what_its_fact_has() -> None:
    for name, sentence in SENTENCES.items():
        fields = set(fields_of(FACTS[name])) | {"fault"}
        assert {part for _, part, _, _ in Formatter().parse(sentence) if part} <= fields, name


def test_what_the_table_refused_is_told_as_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN + BEGIN + f'expect refused "{IS_OPEN}"\n' + ROUND)
    assert cli.main(["replay", str(table.journal), "--events"]) == 0
    done, refused = (line for line in capsys.readouterr().out.splitlines() if " TableOpened: " in line)
    assert done.endswith(" opened the table.")
    assert f" opened the table. REFUSED: {IS_OPEN}" in refused
    assert cli.main(["replay", str(table.journal), "--events", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["refused"] for event in events if event["kind"] == "TableOpened"] == ["", IS_OPEN]
    archive = DiskArchive(load(table.config_file))
    assert [line for line in archive.tail(1000, "") if "REFUSED" in line] == [refused]
    told = next(json.loads(line) for line in archive.export(1000, "") if "REFUSED" in line)
    assert told["refused"] == IS_OPEN


def test_an_outcome_is_the_same_from_any_starting_point(table: SignedTable) -> None:
    disk = table.stage.evening.disk
    every = list(outcomes(disk))
    assert [outcome.record for outcome in every] == list(read_records(disk))
    for place in (0, len(every) // 2, len(every) - 1):
        assert list(outcomes(disk, every[place].record.seq)) == every[place:]


def test_an_order_that_only_another_version_can_replay_is_not_told_as_done(table: SignedTable) -> None:
    record = next(record for record in read_records(table.stage.evening.disk) if "TableOpened" in record.payload)
    event = next(events_of([FactOutcome(record, None)], JournalName("T1", "00c0ffee")))
    assert event.refused is None
    assert event.text.endswith("Only the version that wrote it can tell whether it was refused.")


def test_the_number_of_a_message_is_not_taken_for_the_number_of_a_card() -> None:
    told = sentence_of({"is": "CardDealt", "at": ["b", 1, 2], "sequence": 3, "card": "##"})
    assert told == "A card left the shuffler (message 3): ##."
