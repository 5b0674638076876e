"""Every event has its time, its device, a code of its own and a sentence; none of them tells a closed card."""

from __future__ import annotations

import dataclasses
import json
import re
from string import Formatter

import pytest

from felt import cli
from felt.evidence.events import SENTENCES, Device, device_of, events_of, sentence_of
from felt.journal.reading import read_records
from felt.table.facts.text import FACTS
from tests.evidence.evening import SignedTable

CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    return SignedTable(tmp_path_factory.mktemp("table"))


def test_every_kind_of_fact_has_a_sentence_of_its_own() -> None:
    assert sorted(set(FACTS) - set(SENTENCES)) == []
    assert sorted(set(SENTENCES) - set(FACTS)) == []


def test_a_fact_that_nobody_here_knows_is_told_by_its_name() -> None:
    assert sentence_of({"fact": "LidMoved", "at": ["b", 1, 2], "is_open": True}) == "Lid moved: is_open yes."


def test_every_event_says_when_where_and_what_under_a_code_of_its_own(table: SignedTable) -> None:
    disk = table.stage.evening.disk
    device = device_of(disk)
    assert device == Device("T1", "00c0ffee")
    events = list(events_of(read_records(disk), device))
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
    assert {"code", "time", "device", "seq", "kind", "text"} == set(events[0])
    assert any(CARD.search(event["text"]) for event in events)


def test_a_fault_is_told_with_its_meaning() -> None:
    told = sentence_of({"fact": "FaultRaised", "at": ["b", 1, 2], "code": "F-401", "where": "journal"})
    assert told.startswith("Fault F-401 journal: ")
    assert len(told) > 40


def test_a_sentence_names_only_what_its_fact_has() -> None:
    for name, sentence in SENTENCES.items():
        fields = {field.name for field in dataclasses.fields(FACTS[name])} | {"fault"}
        assert {part for _, part, _, _ in Formatter().parse(sentence) if part} <= fields, name
