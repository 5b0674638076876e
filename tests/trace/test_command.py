"""`felt trace`, as a person or a program calls it, on records made for the occasion."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from felt.cli import main
from felt.trace.catalogue import Book, CatalogueEntry, Work, load_books
from felt.trace.record import FORMAT, RecordedRun, Result, RunOutcome, firmware_digest, write_record
from felt.trace.verdict_of_tests import Judge, Status

NAMED_TESTS = sorted({pattern for book in load_books() for entry in book.entry for pattern in entry.tests})
NOTHING_PLANNED = "3.15.1"


def _node(pattern: str) -> str:
    """Some test that the pattern matches."""
    if pattern.endswith(".round"):
        return f"tests/rounds/test_rounds.py::test_round[{pattern.removeprefix('tests/rounds/')}]"
    return pattern.removesuffix("*") if "::" in pattern else f"{pattern}::test_it"


def _write(path: Path, outcome: RunOutcome = RunOutcome.PASSED, code: str | None = None) -> Path:
    result = Result(outcome, firmware_digest() if code is None else code)
    path.write_text(write_record(RecordedRun(FORMAT, {_node(one): result for one in NAMED_TESTS})), encoding="utf-8")
    return path


@pytest.fixture
def passed(tmp_path: Path) -> Path:
    return _write(tmp_path / "record.json")


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["trace", "--json", *words])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def _ids(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(book["book"], entry["id"]) for book in answer["books"] for entry in book["entries"]]


def test_all_entries_are_told_with_their_status_and_counted(capsys: pytest.CaptureFixture[str], passed: Path) -> None:
    assert main(["trace", "--record", str(passed)]) == 0
    lines = capsys.readouterr().out.splitlines()
    books = load_books()
    assert sum(len(book.entry) for book in books) == int(lines[-1].split()[2])
    assert ["5.11", "shown", "After", "the", "closing", "call"] in [line.split()[:6] for line in lines]
    for book in books:
        assert f"{book.key}: {book.title}" in lines


def test_with_every_test_passed_all_is_shown_duty_or_planned(capsys: pytest.CaptureFixture[str], passed: Path) -> None:
    answer = _json(capsys, "--record", str(passed))
    counts = answer["counts"]
    assert counts["failing"] == counts["not run"] == 0
    assert counts["shown"] + counts["duty"] + counts["planned"] == len(_ids(answer))
    assert answer["results_of_other_code"] == 0


def test_a_book_is_named_by_its_key_or_its_game(capsys: pytest.CaptureFixture[str], passed: Path) -> None:
    by_key = _json(capsys, "003", "--record", str(passed))
    assert by_key == _json(capsys, "california-three-card-poker", "--record", str(passed))
    assert [book["book"] for book in by_key["books"]] == ["003"]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["000", "5.8.1", "5.10"], [("000", "5.8.1"), ("000", "5.10")]),
        (["B1", "h5"], [("requirements", "B1"), ("requirements", "H5")]),
        (["5.17.2 a"], [("000", "5.17.2 a"), ("002", "5.17.2 a")]),
        (["5.23", "000", "5.23"], [("000", "5.23"), ("002", "5.23")]),
        (["playing 4"], [("003", "Playing ¶4")]),
        (["004", "Winning (a)", "B2"], [("004", "Winning (a)"), ("requirements", "B2")]),
    ],
)
def test_paragraphs_and_requirements_are_named_by_id(
    capsys: pytest.CaptureFixture[str], passed: Path, words: list[str], ids: list[tuple[str, str]]
) -> None:
    assert _ids(_json(capsys, *words, "--record", str(passed))) == ids


def test_a_named_entry_is_told_with_its_places_and_tests(capsys: pytest.CaptureFixture[str], passed: Path) -> None:
    assert main(["trace", "000", "5.11", "--record", str(passed)]) == 0
    told = capsys.readouterr().out
    assert "in felt.table.lock.snapshot" in told
    assert "by tests/rounds/progressive_3_card_poker/late_chip.round: 1 passed" in told


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["5.99"], "'5.99' is not a book, paragraph or requirement; the books are 000"),
        (["000", "4.7.2"], "book 000 has no paragraph 4.7.2: felt trace 000 lists them"),
        (["blackjack"], "the books are 000, 001, 002, 003, 004, requirements"),
        ([""], "is not a book"),
    ],
)
def test_an_unknown_book_or_id_is_wrong_use(capsys: pytest.CaptureFixture[str], words: list[str], part: str) -> None:
    assert main(["trace", *words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("felt trace: ")
    assert part in output.err
    assert output.err.count("\n") == 1


def _as_folder(path: Path) -> None:
    path.mkdir()


def _with(content: bytes) -> Callable[[Path], None]:
    return lambda path: void(path.write_bytes(content))


def void(_: object) -> None:
    return None


@pytest.mark.parametrize(
    ("prepare", "part"),
    [
        (void, "does not exist: run tools/test"),
        (_as_folder, "cannot be read"),
        (_with(b""), "is not the record of a test run"),
        (_with(b"\xff\xfe\x00"), "is not the record of a test run"),
        (_with(b"{" * 100_000), "is not the record of a test run"),
        (_with(b"[]"), "is not the record of a test run"),
        (_with(b'{"format": 1}'), "results: missing"),
        (_with(b'{"format": 1, "results": [1]}'), "is not the record of a test run"),
        (_with(b'{"format": 1, "results": {"t": {"outcome": "lovely", "code": ""}}}'), "results.t.outcome"),
        (_with(b'{"format": 2, "results": {}}'), "has format 2, not 1"),
    ],
)
def test_a_bad_record_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], prepare: Callable[[Path], None], part: str
) -> None:
    path = tmp_path / "record.json"
    prepare(path)
    assert main(["trace", "--record", str(path)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"felt trace: {path} ")
    assert part in output.err
    assert output.err.count("\n") == 1


def test_without_any_record_nothing_has_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("felt.commands.trace.default_place", lambda: tmp_path / "record.json")
    assert main(["trace", "000", NOTHING_PLANNED]) == 0
    output = capsys.readouterr()
    assert "not run" in output.out
    assert "no test has run: tools/test writes it" in output.err


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [("passed", "shown", 0), ("failed", "failing", 1), ("skipped", "not run", 1)],
)
def test_the_status_follows_the_outcome_and_final_wants_it_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], outcome: str, status: str, code: int
) -> None:
    record = _write(tmp_path / "record.json", RunOutcome(outcome))
    assert main(["trace", "000", NOTHING_PLANNED, "--final", "--record", str(record)]) == code
    output = capsys.readouterr()
    assert f"{NOTHING_PLANNED}  {status}" in output.out
    assert ("not final: 1" in output.err) is bool(code)


def test_final_fails_on_what_is_planned(capsys: pytest.CaptureFixture[str], passed: Path) -> None:
    assert main(["trace", "A7", "--final", "--record", str(passed)]) == 1
    assert "felt trace: not final: 1 planned" in capsys.readouterr().err


def test_results_of_other_code_are_named_and_not_final(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = _write(tmp_path / "record.json", code="0123456789abcdef")
    assert main(["trace", "000", NOTHING_PLANNED, "--record", str(record)]) == 0
    assert f"{len(NAMED_TESTS)} of {len(NAMED_TESTS)} results are of other code" in capsys.readouterr().err
    assert main(["trace", "000", NOTHING_PLANNED, "--final", "--record", str(record)]) == 1


def test_the_document_has_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "004", "--markdown"]) == 0
    output = capsys.readouterr()
    assert "## 004: " in output.out
    assert "## 000: " not in output.out
    assert output.err == ""


BOOK = Book("9", "Nine", ())


@pytest.mark.parametrize(
    ("entry", "outcomes", "status"),
    [
        (CatalogueEntry("1", "s", tests=("a", "b")), {"a": "passed", "b[1]": "passed"}, Status.SHOWN),
        (CatalogueEntry("1", "s", tests=("a", "b")), {"a": "passed"}, Status.NOT_RUN),
        (CatalogueEntry("1", "s", tests=("a", "b")), {"a": "passed", "b": "skipped"}, Status.NOT_RUN),
        (
            CatalogueEntry("1", "s", tests=("a", "b")),
            {"a": "passed", "b[1]": "passed", "b[2]": "failed"},
            Status.FAILING,
        ),
        (CatalogueEntry("1", "s", tests=("a",), duty="d"), {"a": "passed"}, Status.DUTY),
        (CatalogueEntry("1", "s", tests=("a",), duty="d"), {}, Status.NOT_RUN),
        (CatalogueEntry("1", "s", duty="d"), {}, Status.DUTY),
        (CatalogueEntry("1", "s", tests=("a",), planned=Work.STORM), {"a": "passed"}, Status.PLANNED),
        (CatalogueEntry("1", "s", tests=("a",), planned=Work.STORM), {"a": "failed"}, Status.FAILING),
        (CatalogueEntry("1", "s", planned=Work.STORM), {}, Status.PLANNED),
    ],
)
def test_a_status_is_no_better_than_its_weakest_test(
    entry: CatalogueEntry, outcomes: dict[str, str], status: Status
) -> None:
    results = {node: Result(RunOutcome(outcome), "") for node, outcome in outcomes.items()}
    assert Judge(RecordedRun(FORMAT, results)).standing(BOOK, entry).status is status
