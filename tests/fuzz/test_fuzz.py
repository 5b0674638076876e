"""Every reader of outside content, on its saved corpus and on fresh damage. tools/fuzz hunts for longer."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.edits import EVERYWHERE, LARGE, Edit, edited
from tests.fuzz.file_targets import FILES
from tests.fuzz.hunting import FIRMWARE, Steps, hunt, problem_with, shortened
from tests.fuzz.people_targets import PEOPLE
from tests.fuzz.target import Target, corpus_of
from tests.fuzz.wire_targets import WIRE

TARGETS: dict[str, Target] = {**WIRE, **FILES, **PEOPLE}
ONE_S_MAX = 5.0


def checked(target: Target, content: bytes) -> None:
    begun = time.process_time()
    target.check(content)
    assert time.process_time() - begun < ONE_S_MAX


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_breaks_nothing(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    assert seeds
    for content in [*seeds[:10], *(path.read_bytes() for path in corpus_of(name))]:
        checked(target, content)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", TARGETS)
def test_any_content_is_taken_or_refused_in_a_sentence(name: str, full: bool) -> None:
    target = TARGETS[name]
    known = [*target.seeds(), *(path.read_bytes() for path in corpus_of(name))]
    put = st.sampled_from([*target.words, *EVERYWHERE, *LARGE[:3]]) | st.binary(max_size=8)
    edits = st.lists(st.builds(Edit, st.integers(0, 20_000), st.sampled_from((0, 1, 2, 8, 40)), put), max_size=4)

    @settings(
        max_examples=target.examples * (50 if full else 1), deadline=None, derandomize=not full, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.builds(edited, st.sampled_from(known), edits))
    def taken_or_refused(content: bytes) -> None:
        checked(target, content)

    taken_or_refused()


# --- the hunt itself ---------------------------------------------------------------------------------


def _breaks_on_a_comma(content: bytes) -> None:
    if b"," in content:
        raise RuntimeError("a comma")


def test_a_hunt_finds_what_is_planted_and_makes_it_short(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.hunting.CORPUS", tmp_path)
    target = Target(_breaks_on_a_comma, lambda: [b"one two three"], (b",",))
    found, tried = hunt("planted", target, 1.0, seed=1)
    assert [finding.content for finding in found] == [b","]
    assert tried > 1
    assert [path.read_bytes() for path in (tmp_path / "planted").iterdir()] == [b","]


def test_a_hunt_knows_when_something_new_is_reached() -> None:
    steps = Steps()
    assert problem_with(WIRE["bulletin"], b"{}", steps) == ""
    first = len(steps.seen)
    assert problem_with(WIRE["bulletin"], WIRE["bulletin"].seeds()[0], steps) == ""
    assert len(steps.seen) > first > 0
    assert all(FIRMWARE in name for name, _, _ in steps.seen)


def _never_ends(content: bytes) -> None:
    while content:
        pass


def test_a_target_that_never_ends_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.hunting.HANG_S", 0.1)
    assert "came to no end" in problem_with(Target(_never_ends, list), b"x")
    assert not problem_with(Target(_never_ends, list), b"")


def test_a_finding_is_shortened_to_what_matters() -> None:
    assert shortened(Target(_breaks_on_a_comma, list), b"some words, and more") == b","
