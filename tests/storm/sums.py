"""Keeps the sums of long runs in a file. New runs add to it, and an interrupted run continues. The sums are of one
firmware; the file also records how much each version of the simulator has played."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from tests.storm.storm import COUNTED, NOTHING, Figures

NUMBERS = COUNTED[:13]


class Kept(NamedTuple):
    next_seed: int = 0
    total: Figures = NOTHING
    by_simulator: tuple[tuple[str, int], ...] = ()  # version and rounds


class Versions(NamedTuple):
    """Digests of the code that plays, with or without a repository."""

    firmware: str
    simulator: str


def versions_of(root: Path) -> Versions:
    return Versions(_digest(root, "firmware/felt"), _digest(root, "tests/storm"))


def _digest(root: Path, folder: str) -> str:
    digest = hashlib.sha256()
    for path in sorted((root / folder).rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def write(path: Path, versions: Versions, before: Kept, next_seed: int, total: Figures) -> None:
    """`before`: the stored sums when this run began."""
    played = Counter(dict(before.by_simulator))
    played[versions.simulator] += total.rounds - before.total.rounds
    plain: dict[str, Any] = {"firmware": versions.firmware, "simulators": dict(played), "next_seed": next_seed}
    plain |= {name: getattr(total, name) for name in NUMBERS}
    plain["fired"] = dict(sorted(total.fired.items()))
    plain["faults"] = dict(sorted(total.faults.items()))
    plain["cells"] = sorted(" ".join(cell) for cell in total.cells)
    plain["paragraphs"] = sorted(total.paragraphs)
    beside = path.with_suffix(path.suffix + ".new")
    beside.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def read(path: Path, firmware: str) -> Kept:
    """The sums so far, without those of another firmware. Raises ValueError if the file is not a file of sums."""
    if not path.exists():
        return Kept()
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        return _kept(plain) if plain["firmware"] == firmware else Kept()
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no sums of a storm: name another file or take it away") from error


def _kept(plain: dict[str, Any]) -> Kept:
    numbers: dict[str, Any] = {name: int(plain[name]) for name in NUMBERS}
    total = NOTHING._replace(
        **numbers,
        fired=Counter(plain["fired"]),
        faults=Counter(plain["faults"]),
        cells=frozenset((region, state, fact) for region, state, fact in map(str.split, plain["cells"])),
        paragraphs=frozenset(plain["paragraphs"]),
    )
    return Kept(int(plain["next_seed"]), total, tuple(plain["simulators"].items()))
