"""The project's own files, as a clone holds them, without what tools and runs leave behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware" / "felt"
LEFT_BEHIND = frozenset(
    ".git .venv __pycache__ build dist state .hypothesis .mypy_cache .pytest_cache .ruff_cache".split()
)


def files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in LEFT_BEHIND and not name.endswith(".egg-info"))
        for name in sorted(name for name in names if name not in LEFT_BEHIND):
            yield Path(folder) / name


def text_of(path: Path) -> str | None:
    """A file's text, or None for a file that is not text."""
    content = path.read_bytes()
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def python_files(*folders: str) -> list[Path]:
    """Python by its suffix, or by its first line as the tools are."""
    inside = [path for path in files() if path.relative_to(ROOT).parts[0] in folders]
    return [path for path in inside if path.suffix == ".py" or _says_python(path)]


def _says_python(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.readline(80)
    return first.startswith(b"#!") and b"python" in first


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def module_of(path: Path) -> str:
    parts = list(path.relative_to(FIRMWARE.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
