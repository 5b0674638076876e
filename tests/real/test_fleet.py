"""The great kill. Tables, controller, broker and database die at random moments while everybody plays. Nothing is lost
or doubled, to the micro-unit, by a tally that never saw the ledger."""

from __future__ import annotations

import sys

import pytest

from tests.real import postgres
from tests.real.fleet import Outcome, Size, fleet
from tests.real.fleet_house import Say

SAMPLE = Size(tables=6, groups=2, rounds=12, kills=4, within_s=150)
FULL = Size(tables=50, groups=5, rounds=200, kills=100, within_s=1800)
SEED = 1


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], full: bool) -> Say:
    """Print progress past the runner, which captures what tests print."""

    def speak(sentence: str) -> None:
        if full:
            with capsys.disabled():
                print(f"\nfleet: {sentence}", end="", file=sys.stderr, flush=True)

    return speak


def check(outcome: Outcome, size: Size, say: Say) -> None:
    """The fleet compared money, letters, claims and signs when it closed up."""
    say(str(outcome))
    assert sum(outcome.kills.values()) >= size.kills - 1
    assert outcome.found.rounds == size.tables * size.rounds
    assert outcome.found.claims_paid
    assert outcome.found.claims_denied


@pytest.mark.timeout(2000)
def test_nothing_is_lost_or_doubled_whoever_is_killed(say: Say, full: bool) -> None:
    if not postgres.is_installed():
        pytest.fail("PostgreSQL is not installed: apt install postgresql", pytrace=False)
    size = FULL if full else SAMPLE
    with fleet(SEED, size, on_postgresql=True, say=say) as made:
        outcome = made.play()
    check(outcome, size, say)
    assert {kind.partition(",")[0] for kind in outcome.kills} == {"tables", "controller", "broker", "database"}


@pytest.mark.timeout(2000)
def test_nothing_is_lost_or_doubled_on_a_file(say: Say, full: bool) -> None:
    size = FULL if full else SAMPLE._replace(rounds=10, kills=3)
    with fleet(SEED + 1, size, on_postgresql=False, say=say) as made:
        outcome = made.play()
    check(outcome, size, say)
    assert set(outcome.kills) == {"tables", "controller", "broker"}
