"""The part of Markdown in which the generated tables are written, as HTML: headings, paragraphs, lists, tables and
fenced blocks. The caller decides how a table's row and a text are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import NamedTuple

Inline = Callable[[str], str]  # plain text, escaped already

_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_SLANTED = re.compile(r"\*([^*]+)\*")
_CELL = re.compile(r"(?<!\\)\|")


class Heading(NamedTuple):
    level: int
    text: str


class Paragraph(NamedTuple):
    text: str


class Items(NamedTuple):
    texts: list[str]


class Fence(NamedTuple):
    lines: list[str]


class Table(NamedTuple):
    head: list[str]
    rows: list[list[str]]


Block = Heading | Paragraph | Items | Fence | Table


def blocks(text: str) -> Iterator[Block]:
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("#"):
            marks, _, said = line.partition(" ")
            yield Heading(len(marks), said)
        elif line.startswith("```"):
            while not lines[end].startswith("```"):
                end += 1
            yield Fence(lines[at + 1 : end])
            end += 1
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            head, _, *rows = (_cells(row) for row in lines[at:end])
            yield Table(head, rows)
        elif line.startswith("- "):
            while end < len(lines) and lines[end].startswith(("- ", "  ")):
                end += 1
            yield Items(list(_items(lines[at:end])))
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(("#", "|", "- ", "```")):
                end += 1
            yield Paragraph(" ".join(lines[at:end]))
        at = end


def _items(lines: list[str]) -> Iterator[str]:
    begun = [place for place, line in enumerate(lines) if line.startswith("- ")]
    for first, after in zip(begun, [*begun[1:], len(lines)], strict=True):
        yield " ".join(line[2:].strip() for line in lines[first:after])


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(row.strip())[1:-1]]


def inline(text: str, plain: Inline = lambda escaped: escaped) -> str:
    """Code as code, emphasis as emphasis; everything else goes through `plain`."""
    parts = _CODE.split(text)
    told = []
    for place, part in enumerate(parts):
        if place % 2:
            told.append(f"<code>{escape(part)}</code>")
        else:
            marked = _STRONG.sub(r"<b>\1</b>", plain(escape(part, quote=False)))
            told.append(_SLANTED.sub(r"<i>\1</i>", marked))
    return "".join(told)
