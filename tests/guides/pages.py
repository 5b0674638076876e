"""The guides as their readers see them: fenced blocks, links, sentences and pictures of each page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.house.tree import ROOT

FOLDER = ROOT / "firmware" / "guides"
GLOSSARY = FOLDER / "glossary.md"
GUIDES = tuple(sorted(path for path in FOLDER.glob("*.md") if path != GLOSSARY))
README = ROOT / "README.md"
PAGES = (README, *GUIDES)
FIRMWARE = ROOT / "firmware"
FOLLOWED = (*PAGES, FIRMWARE / "DEMO.md", FIRMWARE / "COMMANDS.md")  # whatever these say is done
# Every page that a person reads; the long tables are made by tools.
GENERATED = ("TRACE.md", "VERDICTS.md", "REMEDIES.md", "CHARTS.md")
DOCUMENTS = (
    README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md",
    *sorted(path for path in FIRMWARE.glob("*.md") if path.name not in GENERATED),
    *sorted(FOLDER.glob("*.md")), *sorted((ROOT / "hw").rglob("*.md")), FIRMWARE / "felt" / "stories" / "README.md",
)  # fmt: skip

_FENCE = re.compile(r"^```(.*)$")
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$")
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LIST = re.compile(r"^\s*(?:[-*]|\d+\.) +")


class Block(NamedTuple):
    """A fenced block: what its first line calls it, and its lines."""

    line: int
    language: str
    mark: str  # what else the first line says: stays, full, hardware, itself
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


class Link(NamedTuple):
    text: str
    target: str


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    begun: tuple[int, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line.strip())
        if fence and begun is None:
            begun, lines = (number, fence[1]), []
        elif fence and begun is not None:
            language, _, mark = begun[1].partition(" ")
            found.append(Block(begun[0], language, mark.strip(), tuple(lines)))
            begun = None
        elif begun is not None:
            lines.append(line)
    assert begun is None, f"{page.name}: the block of line {begun} has no end"
    return found


def prose(page: Path) -> str:
    """The page without fenced blocks and comments."""
    kept: list[str] = []
    inside = False
    for line in _COMMENT.sub("", page.read_text(encoding="utf-8")).splitlines():
        if _FENCE.match(line.strip()):
            inside = not inside
            kept.append("")
        elif not inside and not line.startswith("    "):
            kept.append(line)
    return "\n".join(kept)


def links(page: Path) -> list[Link]:
    return [Link(*found) for found in _LINK.findall(prose(page))]


def anchors(page: Path) -> set[str]:
    """Where a link into this page may lead, named as GitHub names headings."""
    text = prose(page)
    headings = [heading[1] for line in text.splitlines() if (heading := _HEADING.match(line))]
    return {_anchor(_plain(heading)) for heading in headings} | set(_ANCHOR.findall(text))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """As it is read: links by their words, code as a word, no marks."""
    text = _LINK.sub(lambda link: "" if link[0].startswith("!") else link[1], text)
    return re.sub(r"[*`]|<[^>]+>", "", text)


def sentences(page: Path) -> list[str]:
    """Every sentence of the running text: paragraphs, items of lists, cells of tables. Headings are no sentences."""
    found: list[str] = []
    for paragraph in _paragraphs(prose(page)):
        found += [words for words in re.split(r"(?<=[.!?:;])\s+", _plain(paragraph)) if len(words.split()) > 1]
    return found


def _paragraphs(text: str) -> list[str]:
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip() or _HEADING.match(line):
            found.append([])
        elif line.lstrip().startswith("|"):
            if not set(line) <= set("|-: "):
                found += [[cell.strip()] for cell in line.strip().strip("|").split("|")]
            found.append([])
        elif _LIST.match(line):
            found.append([_LIST.sub("", line)])
        else:
            found[-1].append(line.strip())
    return [" ".join(lines) for lines in found if lines]


class Clicks(NamedTuple):
    """What a numbered list tells to click, in bold and in its order. A comment before the list marks it."""

    line: int
    steps: tuple[str, ...]


CLICKED = "<!-- clicked by the tests -->"


def clicks(page: Path) -> list[Clicks]:
    found: list[Clicks] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.strip() == CLICKED:
            steps: list[str] = []
            for item in lines[number + 1 :]:
                if steps and not item.strip():
                    break
                steps += re.findall(r"\*\*(.+?)\*\*", item)
            found.append(Clicks(number + 1, tuple(steps)))
    return found
