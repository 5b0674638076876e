"""What every test may ask for: the size of the run (`full`), a run in which nothing may be skipped, and the record of
each test's outcome."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from tests.real import postgres as postgres_server
from tests.trace import recording

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NO_SKIPS = "FELT_NO_SKIPS"
MACHINE = Path(__file__).parent / "machine"

# How long an example takes depends on what else the machine does: figures belong to tools/bench.
hypothesis.settings.register_profile("felt", deadline=None)
hypothesis.settings.load_profile("felt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run every bar at full size instead of a scaled sample")
    parser.addoption("--machine", action="store_true", help="run tests/machine too, in a virtual machine")
    parser.addoption("--long", action="store_true", help="with --machine: as many power cuts as the full bar asks for")


def pytest_configure(config: pytest.Config) -> None:
    recording.register(config)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell that starts the tests in the background disables Ctrl-C for them and all their children.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The machine's tests take minutes, memory and Debian's packages: they run only on request."""
    return True if collection_path == MACHINE and not config.getoption("--machine") else None


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """True when the bars run at full size."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """True when the machine's tests run at full length."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A PostgreSQL server of this run's own."""
    if not postgres_server.is_installed():
        pytest.fail("PostgreSQL is not installed: apt install postgresql", pytrace=False)
    with postgres_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def browser_when_asked() -> Iterator[Callable[[], Browser]]:
    """One Chromium for all tests of a worker, started by the first that asks: Playwright runs once in a process."""
    from tests.screens.browsers import chromium  # most workers of a short run need no browser

    with contextlib.ExitStack() as opened:
        yield cache(lambda: opened.enter_context(chromium()))


def _skipped(config: pytest.Config) -> list[pytest.TestReport]:
    """What was skipped, as the reporting process sees it: all workers' reports pass through it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return [] if reporter is None else list(reporter.stats.get("skipped", ()))


def _skips_are_fatal(config: pytest.Config) -> bool:
    is_worker = hasattr(config, "workerinput")
    return os.environ.get(NO_SKIPS) == "1" and not is_worker


def pytest_sessionfinish(session: pytest.Session) -> None:
    passed_so_far = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if passed_so_far and _skips_are_fatal(session.config) and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    yield
    skipped = _skipped(config)
    if skipped and _skips_are_fatal(config):
        terminalreporter.write_line(f"{NO_SKIPS}=1: the run fails, because {len(skipped)} skipped:", red=True)
        for report in skipped:
            terminalreporter.write_line(f"  {report.nodeid}", red=True)
