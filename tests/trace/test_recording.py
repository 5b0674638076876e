"""The record of a test run, written by real runs of pytest in a project of two small files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from felt.trace.record import EMPTY, PLACE, Result, RunOutcome, firmware_digest, merged, read_record, write_record

ROOT = Path(__file__).resolve().parents[2]

CONFTEST = """
import pytest
from tests.trace import recording
def pytest_configure(config): recording.register(config)
@pytest.fixture
def broken_afterwards():
    yield
    raise ValueError
"""
ONE = """
import pytest
def test_good(): pass
def test_bad(): assert False
@pytest.mark.parametrize("number", [1, 2])
def test_each(number): pass
@pytest.mark.skip
def test_skipped(): pass
def test_spoilt_afterwards(broken_afterwards): pass
def test_without_its_fixture(nobody_has_this): pass
"""
ALL = {
    "test_one.py::test_good": "passed",
    "test_one.py::test_bad": "failed",
    "test_one.py::test_each[1]": "passed",
    "test_one.py::test_each[2]": "passed",
    "test_one.py::test_skipped": "skipped",
    "test_one.py::test_spoilt_afterwards": "failed",
    "test_one.py::test_without_its_fixture": "failed",
    "test_two.py::test_other": "passed",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(f'[pytest]\npythonpath = "{ROOT}"\n', encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_one.py").write_text(ONE, encoding="utf-8")
    (tmp_path / "test_two.py").write_text("def test_other(): pass\n", encoding="utf-8")
    return tmp_path


def _pytest(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins only cost time here
    return subprocess.run(command, cwd=project, env=bare, capture_output=True, text=True, check=False, timeout=100)


def _run(project: Path, *arguments: str) -> dict[str, str]:
    _pytest(project, *arguments)
    place = project / PLACE
    return {node: result.outcome.value for node, result in read_record(place).results.items()} if place.exists() else {}


@pytest.mark.parametrize("spread", [(), ("-p", "xdist.plugin", "-n", "2")], ids=["alone", "xdist"])
def test_a_whole_run_records_every_test_once(project: Path, spread: tuple[str, ...]) -> None:
    assert _run(project, *spread) == ALL
    codes = {result.code for result in read_record(project / PLACE).results.values()}
    assert codes == {firmware_digest()}


def test_a_partial_run_updates_only_what_it_ran(project: Path) -> None:
    _run(project)
    (project / "test_one.py").write_text("def test_good(): assert False\ndef test_new(): pass\n", encoding="utf-8")
    assert _run(project, "test_one.py::test_good") == {**ALL, "test_one.py::test_good": "failed"}
    assert _run(project, "-k", "new") == {**ALL, "test_one.py::test_good": "failed", "test_one.py::test_new": "passed"}


def test_tests_that_are_gone_are_forgotten_when_their_file_is_run_whole(project: Path) -> None:
    _run(project)
    (project / "test_one.py").write_text("def test_good(): pass\n", encoding="utf-8")
    left = {"test_one.py::test_good": "passed", "test_two.py::test_other": "passed"}
    assert _run(project, "test_two.py") == ALL
    assert _run(project, "test_one.py") == left


def test_a_run_without_tests_leaves_the_record_alone(project: Path) -> None:
    assert _run(project, "--collect-only") == {}
    _run(project)
    assert _run(project, "-k", "nothing_of_that_name") == ALL


def test_a_record_that_cannot_be_read_is_begun_anew(project: Path) -> None:
    place = project / PLACE
    place.parent.mkdir()
    place.write_text("{", encoding="utf-8")
    assert _run(project, "test_two.py") == {"test_two.py::test_other": "passed"}


def test_a_tree_that_cannot_be_written_changes_no_result(project: Path) -> None:
    (project / PLACE.parent).write_text("a file where the folder should be", encoding="utf-8")
    run = _pytest(project, "test_two.py")
    assert run.returncode == 0
    assert f"{PLACE} could not be written" in run.stdout


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    record = merged(
        EMPTY, {'t.py::a["x\\n"]': Result(RunOutcome.PASSED, "ab"), "t.py::b": Result(RunOutcome.FAILED, "cd")}
    )
    path = tmp_path / "record.json"
    path.write_text(write_record(record), encoding="utf-8")
    assert read_record(path) == record


def test_the_digest_changes_with_the_code_and_not_with_the_catalogue(tmp_path: Path) -> None:
    package = tmp_path / "felt"
    (package / "trace").mkdir(parents=True)
    (package / "code.py").write_text("a = 1\n", encoding="utf-8")
    first = firmware_digest(package)
    (package / "trace" / "book.toml").write_text("a = 1\n", encoding="utf-8")
    (package / "code.pyc").write_bytes(b"left behind")
    assert firmware_digest(package) == first
    (package / "code.py").write_text("a = 2\n", encoding="utf-8")
    assert firmware_digest(package) != first
