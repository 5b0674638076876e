"""The sums of long runs, kept in a file: what was played before is added to, and a run that was ended goes on where
it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.storm.storm import COUNTED, NOTHING, Figures

NUMBERS = COUNTED[:13]


def write(path: Path, version: str, next_seed: int, total: Figures) -> None:
    plain: dict[str, Any] = {"version": version, "next_seed": next_seed}
    plain |= {name: getattr(total, name) for name in NUMBERS}
    plain["fired"] = dict(sorted(total.fired.items()))
    plain["faults"] = dict(sorted(total.faults.items()))
    plain["cells"] = sorted(total.cells)
    plain["paragraphs"] = sorted(total.paragraphs)
    beside = path.with_suffix(path.suffix + ".new")
    beside.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def read(path: Path, version: str) -> tuple[int, Figures]:
    """The next seed and what is summed so far; nothing of another version counts."""
    if not path.exists():
        return 0, NOTHING
    plain = json.loads(path.read_text(encoding="utf-8"))
    if plain["version"] != version:
        return 0, NOTHING
    total = NOTHING._replace(
        **{name: plain[name] for name in NUMBERS},
        fired=Counter(plain["fired"]),
        faults=Counter(plain["faults"]),
        cells=frozenset((region, state, fact) for region, state, fact in plain["cells"]),
        paragraphs=frozenset(plain["paragraphs"]),
    )
    return plain["next_seed"], total


def version_of(root: Path) -> str:
    """Of the code that was played: its digest, with or without a repository."""
    digest = hashlib.sha256()
    for folder in ("firmware/felt", "tests/storm"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]
