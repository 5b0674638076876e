"""A hunt changes known contents at random. It keeps a content that reaches something new in the firmware and changes it
further. It shortens a content that breaks its target and saves it. The guide is which line of felt ran after which
other. It needs only the standard library."""

from __future__ import annotations

import contextlib
import hashlib
import random
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from tests.fuzz.edits import CONTENT_BYTES_MAX, mutated
from tests.fuzz.target import CORPUS, Target, corpus_of

FIRMWARE = "/firmware/felt/"
HANG_S = 5.0  # of work; a busy machine may let it sleep for longer
ASLEEP_S = 120.0
KEPT_BYTES_MAX = 2_000  # of contents that are saved because they reach something new
PROGRESS_S = 5.0
Step = tuple[str, int, int]


class Hung(BaseException):
    """The target took too long. No reader catches this kind by mistake."""


class Found(NamedTuple):
    content: bytes
    error: str


class Steps:
    """Records which line of the firmware ran after which in the same function."""

    def __init__(self) -> None:
        self.seen: set[Step] = set()

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if FIRMWARE not in frame.f_code.co_filename:
            return None
        last = 0
        name = f"{frame.f_code.co_filename}:{frame.f_code.co_name}"

        def local(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "line":
                self.seen.add((name, last, frame.f_lineno))
                last = frame.f_lineno
            return local

        return local


@contextlib.contextmanager
def limited() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise Hung("it came to no end")

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, HANG_S), (signal.ITIMER_REAL, signal.SIGALRM, ASLEEP_S))
    former = [signal.signal(told, give_up) for _, told, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (timer, told, _), before in zip(timers, former, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(told, before)


def problem_with(target: Target, content: bytes, steps: Steps | None = None) -> str:
    """What went wrong; empty if nothing did."""
    try:
        with limited():
            if steps is not None:
                sys.settrace(steps.trace)
            target.check(content)
    except (Exception, Hung) as error:  # noqa: BLE001 # whatever comes out is what is hunted
        return f"{type(error).__name__}: {error}"
    finally:
        sys.settrace(None)
    return ""


def hunt(name: str, target: Target, seconds: float, seed: int) -> tuple[list[Found], int]:
    """The findings, and how many contents were tried."""
    rng, steps = random.Random(seed), Steps()
    contents = [*target.seeds(), *(path.read_bytes() for path in corpus_of(name))]
    found: dict[str, Found] = {}
    for content in contents:
        _note(found, target, content, problem_with(target, content, steps))
    known, tried = len(contents), len(contents)
    begun = told = time.monotonic()
    while time.monotonic() - begun < seconds:
        content = mutated(contents, target.words, rng)
        before = len(steps.seen)
        problem = problem_with(target, content, steps)
        tried += 1
        if problem:
            _note(found, target, content, problem)
        elif len(steps.seen) > before:
            contents.append(content)
            _save(name, "new", content)
        if time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"{name}: {tried} tried, {len(steps.seen)} steps, {len(contents) - known} new, {len(found)} found")
    for finding in found.values():
        _save(name, "found", finding.content, always=True)
    print(f"{name}: {tried} tried, {len(steps.seen)} steps, {len(contents) - known} new, {len(found)} found")
    return list(found.values()), tried


def _note(found: dict[str, Found], target: Target, content: bytes, problem: str) -> None:
    """Keeps one finding of each kind, as short as possible."""
    kind = problem.partition(":")[0] + problem[-40:]
    if problem and kind not in found:
        short = shortened(target, content)
        found[kind] = Found(short, problem)
        print(f"FOUND {problem[:300]}\n  with {short[:300]!r}")


def shortened(target: Target, content: bytes, tries: int = 400) -> bytes:
    """Leaves pieces out for as long as the rest still breaks the target."""
    size = max(1, len(content) // 2)
    while size and tries:
        at = 0
        while at < len(content) and tries:
            tries -= 1
            shorter = content[:at] + content[at + size :]
            if problem_with(target, shorter):
                content = shorter
            else:
                at += size
        size //= 2
    return content


def _save(name: str, why: str, content: bytes, *, always: bool = False) -> None:
    if len(content) > (CONTENT_BYTES_MAX if always else KEPT_BYTES_MAX):
        return
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{why}-{hashlib.sha256(content).hexdigest()[:12]}").write_bytes(content)
