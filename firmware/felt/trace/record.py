"""The record of a test run: the outcome of each test, and a digest of the firmware that it ran against. A partial
run replaces only the results of its own tests."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from felt.nouns.values import ShapeError, Value, from_plain

FORMAT = 1
PLACE = Path("build") / "test-record.json"
PACKAGE = Path(__file__).parents[1]
RECORD_BYTES_MAX = 64 << 20

_STORY_FOLDER = "tests/rounds/"
_STORY_TEST = "tests/rounds/test_rounds.py::test_round"
_AFTER_EVERYTHING = chr(0x10FFFF)


class RunOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class RecordError(Exception):
    """The record cannot be used. One sentence names the file and the remedy."""


class Result(Value):
    outcome: RunOutcome
    code: str  # digest of the firmware that the test ran against


class RecordedRun(Value):
    format: int
    results: dict[str, Result]  # by node id


EMPTY = RecordedRun(FORMAT, {})


def default_place() -> Path:
    """Where `tools/test` writes: below the working directory, or below the tree that contains this firmware."""
    own_tree = PACKAGE.parents[1] / PLACE
    return own_tree if own_tree.exists() and not PLACE.exists() else PLACE


def read_record(path: Path) -> RecordedRun:
    try:
        if path.stat().st_size > RECORD_BYTES_MAX:
            raise RecordError(f"{path} is larger than any record of a test run: name the file that tools/test wrote")
        record = from_plain(RecordedRun, json.loads(path.read_bytes()))
    except FileNotFoundError:
        raise RecordError(f"{path} does not exist: run tools/test, which writes it") from None
    except OSError as error:
        raise RecordError(f"{path} cannot be read ({error.strerror}): name the file that tools/test wrote") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path} is not the record of a test run ({_short(error)}): run tools/test again") from None
    if record.format != FORMAT:
        raise RecordError(f"{path} has format {record.format}, not {FORMAT}: run tools/test again")
    return record


def _short(error: Exception) -> str:
    text = str(error) if isinstance(error, ShapeError | json.JSONDecodeError) else "it is not JSON"
    return " ".join(text.split())[:200]


def write_record(record: RecordedRun) -> str:
    results = {node: [result.outcome, result.code] for node, result in sorted(record.results.items())}
    lines = ",\n".join(
        f'    {json.dumps(node)}: {{"outcome": "{outcome}", "code": "{code}"}}'
        for node, (outcome, code) in results.items()
    )
    return f'{{\n  "format": {record.format},\n  "results": {{\n{lines}\n  }}\n}}\n'


def merged(before: RecordedRun, results: dict[str, Result], whole_files: Iterable[str] = ()) -> RecordedRun:
    """Merges new results over old ones. In a file that ran as a whole, tests that no longer exist are dropped."""
    run_whole = frozenset(whole_files)
    kept = {node: result for node, result in before.results.items() if node.partition("::")[0] not in run_whole}
    return RecordedRun(FORMAT, {**kept, **results})


def firmware_digest(package: Path = PACKAGE) -> str:
    """A digest of what runs: code and data of the firmware, without this catalogue's own lists."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package).as_posix()
        if path.suffix in (".py", ".toml", ".bin") and not (name.startswith("trace/") and path.suffix == ".toml"):
            digest.update(f"{name}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


class Nodes:
    """Sorted node ids, so that a pattern's tests are found quickly."""

    def __init__(self, nodes: Iterable[str]) -> None:
        self._sorted = sorted(nodes)

    def matching(self, pattern: str) -> list[str]:
        """The nodes of a pattern: a node id with all its parameters, a file, a story under tests/rounds, or a prefix
        ending in *."""
        if pattern.endswith("*"):
            return self._beginning_with(pattern[:-1])
        if pattern.startswith(_STORY_FOLDER) and pattern.endswith(".round"):
            pattern = f"{_STORY_TEST}[{pattern.removeprefix(_STORY_FOLDER)}]"
        return [
            node
            for node in self._beginning_with(pattern)
            if node == pattern or node.startswith((f"{pattern}[", f"{pattern}::"))
        ]

    def _beginning_with(self, text: str) -> list[str]:
        first = bisect_left(self._sorted, text)
        return self._sorted[first : bisect_left(self._sorted, text + _AFTER_EVERYTHING, first)]
