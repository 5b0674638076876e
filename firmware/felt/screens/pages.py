"""The files of the pages, read once. Nothing else on the disk can be requested."""

from __future__ import annotations

import hashlib
from pathlib import Path

from felt.nouns.values import Value

FOLDER = Path(__file__).with_name("pages")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


class PageFile(Value):
    content: bytes
    kind: str
    tag: str


def read_pages(folder: Path = FOLDER) -> dict[str, PageFile]:
    """Every file by its path within the folder, as in words/en.json."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in TYPES)
    return {path.relative_to(folder).as_posix(): _read(path) for path in files}


def _read(path: Path) -> PageFile:
    content = path.read_bytes()
    return PageFile(content, TYPES[path.suffix], f'"{hashlib.sha256(content).hexdigest()[:24]}"')


def edition_of(files: dict[str, PageFile]) -> str:
    """Changes when any file does, so that a page of an older edition reloads itself."""
    return hashlib.sha256("".join(name + file.tag for name, file in files.items()).encode()).hexdigest()[:16]
