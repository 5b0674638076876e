"""Writes what became of each test into the record that `felt trace` reads. Under xdist the process that hears all
workers writes; of two runs at the same time neither loses the other's results."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from felt.trace.record import (
    EMPTY,
    PLACE,
    RecordedRun,
    RecordError,
    Result,
    RunOutcome,
    firmware_digest,
    merged,
    read_record,
    write_record,
)

# What narrows a run within a file, so that a test without a result may still exist.
NARROWING = ("keyword", "markexpr", "deselect", "lf", "failedfirst", "newfirst", "stepwise", "maxfail", "pyargs")


class RunRecord:
    """A plugin of one test run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._outcomes: dict[str, RunOutcome] = {}
        self._code = firmware_digest()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test has passed when its call passed and nothing around it failed or was skipped."""
        if report.when == "call" or report.outcome != "passed":
            before = self._outcomes.get(report.nodeid, RunOutcome.PASSED)
            worst = max(
                (before, RunOutcome(report.outcome)),
                key=(RunOutcome.PASSED, RunOutcome.SKIPPED, RunOutcome.FAILED).index,
            )
            self._outcomes[report.nodeid] = worst

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._outcomes:
            return
        results = {node: Result(outcome, self._code) for node, outcome in self._outcomes.items()}
        files = {node.partition("::")[0] for node in results} if self._ran_files_whole(session) else ()
        place = self._config.rootpath / PLACE
        try:
            with _held(place.with_suffix(".lock")):
                _replace(place, merged(_before(place), results, files))
        except OSError as error:
            self._say(f"{PLACE} could not be written, so felt trace does not know of this run: {error}")

    def _say(self, sentence: str) -> None:
        """The tests' own result stands, whatever becomes of its record."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"\n{sentence}")

    def _ran_files_whole(self, session: pytest.Session) -> bool:
        came_to_its_end = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        narrowed = any("::" in word for word in self._config.args) or any(
            self._config.getoption(option, None) for option in NARROWING
        )
        return came_to_its_end and not narrowed


def register(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker:
        config.pluginmanager.register(RunRecord(config), "felt-run-record")


def _before(place: Path) -> RecordedRun:
    """A record that cannot be read is begun anew: results are cheap to have again."""
    try:
        return read_record(place)
    except RecordError:
        return EMPTY


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _replace(place: Path, record: RecordedRun) -> None:
    fresh = place.with_suffix(".new")
    fresh.write_text(write_record(record), encoding="utf-8")
    os.replace(fresh, place)
