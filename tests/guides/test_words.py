"""The guides are short, speak plainly, spell right, link to places that exist and explain every word of the glossary at
its first use."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from felt.cli import COMMANDS
from tests.guides.pages import (
    DOCUMENTS,
    FIRMWARE,
    FOLDER,
    GLOSSARY,
    GUIDES,
    PAGES,
    README,
    anchors,
    links,
    prose,
    sentences,
)
from tests.guides.plain_english import hard_sentences, mean_words
from tests.house.tree import ROOT, files

MEAN_WORDS_MAX = 20
PAGE_LINES, PAGES_MAX = 56, 3  # of a printed page
README_WORDS_MAX = 500  # with its picture one page
# References: their readers know the matter.
REFERENCES = ("ARCHITECTURE.md", "JACKPOT.md")
PLAIN = [page for page in DOCUMENTS if page.name not in REFERENCES]
READERS = ("dealer", "engineer", "laboratory", "operator", "pit", "technician")

EVERY_PAGE = sorted(path for path in files() if path.suffix == ".md")
_TERM = re.compile(r'^- <a id="([^"]+)"></a>\*\*([^*]+)\*\*: (.+)$', re.MULTILINE)
# Two lists: words of all readers, which every page links, and words of those who read the sources.
OF_ALL, OF_ENGINEERS = GLOSSARY.read_text(encoding="utf-8").split("## Words of the sources")
TERMS = {name: anchor for anchor, name, _ in _TERM.findall(OF_ALL)}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


# --- shape -------------------------------------------------------------------------------------------


def test_every_reader_has_a_guide() -> None:
    assert tuple(page.stem for page in GUIDES) == READERS
    targets = {link.target for link in links(README)}
    assert {f"firmware/guides/{reader}.md" for reader in READERS} <= targets


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_guide_has_at_most_three_printed_pages(page: Path) -> None:
    printed = sum(max(1, -(-len(line) // 130)) for line in page.read_text(encoding="utf-8").splitlines())
    assert printed <= PAGE_LINES * PAGES_MAX, f"{printed} printed lines"


def test_the_readme_is_one_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.split()) <= README_WORDS_MAX
    assert len([line for line in text.splitlines() if line.strip()]) <= PAGE_LINES


def test_every_command_and_every_tool_is_listed() -> None:
    commands = (FIRMWARE / "COMMANDS.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `felt ([a-z-]+)`", commands, re.MULTILINE) == list(COMMANDS)
    tools = {path.name for path in (ROOT / "tools").iterdir() if path.is_file() and os.access(path, os.X_OK)}
    listed = set(re.findall(r"`tools/([a-z_]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    assert tools == listed


# --- language ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PLAIN, ids=named)
def test_the_sentences_of_a_page_are_short(page: Path) -> None:
    assert mean_words(sentences(page)) <= MEAN_WORDS_MAX


@pytest.mark.parametrize("page", PLAIN, ids=named)
def test_a_page_is_written_in_plain_english(page: Path) -> None:
    assert hard_sentences(sentences(page)) == []


def test_every_document_spells_right() -> None:
    words = [sys.executable, "-m", "codespell_lib", *map(str, DOCUMENTS)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_wrong_spelling_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("The recieved card.\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "codespell_lib", str(page)], capture_output=True, check=False)
    assert done.returncode != 0


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("word " * 36, "36 words"),
        ("It is to be noted that the lamp is dark.", "is to be"),
        ("Whoever opens the table signs.", "Whoever"),
        ("The bet is utilised by the table.", "utilised"),
    ],
)
def test_a_hard_sentence_is_found(sentence: str, problem: str) -> None:
    (found,) = hard_sentences([sentence])
    assert problem in found


# --- links and the glossary --------------------------------------------------------------------------


@pytest.mark.parametrize("page", EVERY_PAGE, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in links(page):
        if re.match(r"https?://", link.target):
            continue
        place, _, anchor = link.target.partition("#")
        there = (page.parent / place).resolve() if place else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            broken.append(link.target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_word_of_the_glossary_is_linked_at_its_first_use(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", prose(page))
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    # Whatever is linked to the glossary becomes a mark, and other links are read as their words.
    marked = re.sub(r"\[([^\]]*)\]\([^)]*glossary\.md#([\w-]+)\)", r"⟦\2⟧", text)
    marked = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", marked)
    unlinked = []
    for term, anchor in TERMS.items():
        used = re.search(rf"⟦{anchor}⟧|\b{_forms(term)}\b", marked, re.IGNORECASE)
        if used and not used[0].startswith("⟦") and not used[0].isupper():  # a key or a file
            unlinked.append(f"{term}: …{marked[max(0, used.start() - 30) : used.end() + 20]}…")
    assert not unlinked


def _forms(term: str) -> str:
    """The word, and more than one of it."""
    word = re.escape(term)
    return f"(?:{word[:-1]}ies|{word}s?)" if term.endswith("y") else f"{word}(?:e?s)?"


def test_the_glossary_has_each_word_once_in_one_sentence_and_in_order() -> None:
    lists = [_TERM.findall(OF_ALL), _TERM.findall(OF_ENGINEERS)]
    assert all(names == sorted(names) for names in ([name for _, name, _ in terms] for terms in lists))
    found = [term for terms in lists for term in terms]
    assert len({name for _, name, _ in found}) == len(found) > 50
    assert [anchor for anchor, name, _ in found if anchor != name.replace(" ", "-")] == []
    assert [name for _, name, meaning in found if len(re.findall(r"[.!?](?:\s|$)", meaning)) != 1] == []


def test_every_guide_uses_the_glossary_and_every_word_is_used() -> None:
    assert all(any("glossary.md" in link.target for link in links(page)) for page in PAGES)
    used = {link.target.partition("#")[2] for page in PAGES for link in links(page) if "glossary.md#" in link.target}
    assert not [name for name, anchor in TERMS.items() if anchor not in used]
    everything = "\n".join(prose(page) for page in DOCUMENTS if page != GLOSSARY)
    names = [name for _, name, _ in _TERM.findall(OF_ENGINEERS)]
    assert not [name for name in names if not re.search(rf"\b{_forms(name)}\b", everything, re.IGNORECASE)]


# --- pictures ----------------------------------------------------------------------------------------


def test_the_drawn_lamps_are_those_of_the_driver() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "draw_lamps"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_drawn_lamp_is_on_the_dealers_page() -> None:
    shown = {link.target for link in links(FOLDER / "dealer.md") if link.target.startswith("lamps/")}
    assert shown == {f"lamps/{path.name}" for path in (FOLDER / "lamps").glob("*.svg")}
