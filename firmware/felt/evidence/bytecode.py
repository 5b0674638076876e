"""Checks that the compiled code that an import would run is the code of its source. Digests cover sources, but a
compiled file beside a source may run instead of it. So this module recompiles every source and compares. It runs
none of the code. It takes seconds, so it is meant for inspections and the nightly audit, not for a start."""

from __future__ import annotations

import marshal
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType

from felt.evidence.digests import Digests, digest_of_file, every_file

# Without references and interning marks, which depend on what else is in memory.
PLAIN_FORM = 2
_ANY_NAME = "judged"
_NO_CODE = b""


class _AsImported(SourceFileLoader):
    """Finds what an import would run, by the interpreter's own rules, and writes no cache."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        del path, data, _mode


def foreign_bytecode(files: Iterable[tuple[str, str]] | None = None) -> Digests:
    """Every compiled file that differs from the source beside it, or that has no source."""
    found: Digests = {}
    for name, file in every_file() if files is None else files:
        if name.endswith(".py"):
            compiled = cache_from_source(file)
            if os.path.isfile(compiled) and not _runs_as_written(file, _digest(file), _digest(compiled)):
                found[f"{os.path.dirname(name)}/__pycache__/{os.path.basename(compiled)}".lstrip("/")] = _digest(
                    compiled
                )
        elif name.endswith((".pyc", ".pyo")) and "__pycache__" not in name.split("/"):
            found[name] = _digest(file)
    return found


def files_below(root: Path, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """For folders other than the running ones."""
    for folder in folders:
        for place, _, names in os.walk(root / folder):
            yield from ((os.path.relpath(f"{place}/{name}", root), f"{place}/{name}") for name in sorted(names))


def _digest(file: str) -> str:
    return digest_of_file(file, b"")


@cache
def _runs_as_written(file: str, *_contents: str) -> bool:
    loader = _AsImported(_ANY_NAME, file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a library's invalid escapes are not our concern here
        written = _dumped(lambda: loader.source_to_code(loader.get_data(file), file))
        return written == _dumped(lambda: loader.get_code(_ANY_NAME))


def _dumped(code: Callable[[], CodeType | None]) -> bytes:
    try:
        return marshal.dumps(code(), PLAIN_FORM)
    except (SyntaxError, ImportError, EOFError, ValueError, TypeError):
        return _NO_CODE
