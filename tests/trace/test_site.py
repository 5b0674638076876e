"""The static site of the long tables: every link leads somewhere, nothing comes from outside, and what is searched is
found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urldefrag, urlsplit

import pytest
from playwright.sync_api import Browser

from felt.trace.catalogue import Book, CatalogueEntry, load_books
from felt.trace.places import place_of
from felt.trace.record import PACKAGE
from tests.screens.browsers import Looked
from tools.siting.markup import Fence, Heading, Items, Paragraph, Table, blocks, inline
from tools.siting.site import row_id, site

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("paragraphs.html", "verdicts.html", "remedies.html", "charts.html", "stories.html")


class Read(HTMLParser):
    """What a page links to, loads and can be linked at, and the links of each row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.of_rows: dict[str, list[str]] = {}
        self._row = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if "id" in said:
            self.ids.append(said["id"])
        if tag == "tr":
            self._row = said.get("id", "")
        if tag == "a":
            self.links.append(said["href"])
            self.of_rows.setdefault(self._row, []).append(said["href"])
        elif "src" in said or "href" in said:
            self.loaded.append(said.get("src") or said["href"])


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return site(ROOT)


@pytest.fixture(scope="module")
def pages(made: dict[str, str]) -> dict[str, Read]:
    return {name: Read(text) for name, text in made.items() if name.endswith(".html")}


def entries() -> Iterator[tuple[Book, CatalogueEntry]]:
    return ((book, entry) for book in load_books() for entry in book.entry)


def _lead(page: str, link: str) -> tuple[str, str]:
    """The page and the anchor that a link leads to."""
    bare, anchor = urldefrag(link)
    path = urlsplit(bare).path
    return normpath(join(dirname(page), path)) if path else page, anchor


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[str, Read]) -> None:
    dead = []
    for name, page in pages.items():
        for link in set(page.links):
            other, anchor = _lead(name, link)
            if other not in pages or (anchor and anchor not in pages[other].ids):
                dead.append(f"{name}: {link}")
    assert not dead, "\n".join(sorted(dead)[:20])


def test_nothing_comes_from_outside(made: dict[str, str], pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        assert all(normpath(join(dirname(name), loaded)) in made for loaded in page.loaded), name
        assert not any("//" in link for link in (*page.links, *page.loaded)), name
    assert not any(word in made["site.js"] + made["site.css"] for word in ("http", "//cdn", "import(", "fetch("))


def test_no_two_places_of_a_page_have_one_name(pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name


def test_every_entry_has_a_row_that_leads_to_its_code_and_its_tests(pages: dict[str, Read]) -> None:
    for book, entry in entries():
        row = pages["paragraphs.html"].of_rows.get(row_id(book, entry.id), [])
        leads = [_lead("paragraphs.html", link) for link in row]
        for place in entry.where:
            found = place_of(PACKAGE, place)
            assert found is not None
            assert (f"code/{found.path}.html", f"L{found.line}") in leads, (entry.id, place)
        for pattern in entry.tests:
            if pattern.endswith(".round"):
                story = pattern.removeprefix("tests/rounds/").replace(".round", ".html")
                assert (f"stories/{story}", "") in leads, (entry.id, pattern)


def test_code_and_stories_lead_back_to_every_entry_that_names_them(pages: dict[str, Read]) -> None:
    for book, entry in entries():
        own = ("paragraphs.html", row_id(book, entry.id))
        for link in pages["paragraphs.html"].of_rows.get(own[1], []):
            page, _ = _lead("paragraphs.html", link)
            if page.startswith(("code/", "stories/", "tests/")):
                assert own in {_lead(page, back) for back in pages[page].links}, (entry.id, page)


@pytest.mark.parametrize(
    ("page", "entry"),
    [("verdicts.html", "000-5.17.1"), ("verdicts.html", "001-5.4.2"), ("remedies.html", "002-5.10.3")],
)
def test_verdicts_and_remedies_lead_to_their_paragraphs_and_back(
    pages: dict[str, Read], page: str, entry: str
) -> None:
    naming = [link for links in pages[page].of_rows.values() for link in links]
    assert ("paragraphs.html", entry) in {_lead(page, link) for link in naming}
    back = pages["paragraphs.html"].of_rows[entry]
    assert any(link.startswith(f"{page}?about={entry}") for link in back), back


def test_markdown_is_read_as_it_is_written() -> None:
    lines = ("# Head", "", "two", "lines", "", "- one - dash", "  goes on", "- two", "", "| a | b |", "|---|---|")
    more = ("| 1 \\| 2 | |", "", "```x", "- raw", "```")
    assert list(blocks("\n".join((*lines, *more)))) == [
        Heading(1, "Head"), Paragraph("two lines"), Items(["one - dash goes on", "two"]),
        Table(["a", "b"], [["1 | 2", ""]]), Fence(["- raw"]),
    ]  # fmt: skip
    assert inline("**void** 5.1, `a < *b*` and *so* <on>") == (
        "<b>void</b> 5.1, <code>a &lt; *b*</code> and <i>so</i> &lt;on&gt;"
    )


# --- in a browser ----------------------------------------------------------------------------------------


@pytest.fixture
def browser(browser_when_asked: Callable[[], Browser]) -> Browser:
    return browser_when_asked()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, ROOT / "tools" / "site", place], capture_output=True, text=True, check=True)
    assert done.stdout.endswith(f"open {place / 'index.html'} in a browser\n")
    return place


def test_the_first_page_finds_a_paragraph_and_leads_to_it(browser: Browser, folder: Path) -> None:
    looked = Looked(browser, (folder / "index.html").as_uri())
    looked.page.fill("#search", "closing call 5.11")
    looked.page.click("#hits a >> text=000 5.11")
    assert looked.page.url.endswith("paragraphs.html#000-5.11")
    assert looked.page.locator("[id='000-5.11']").is_visible()
    assert looked.complaints == []
    looked.close()


@pytest.mark.parametrize("table", TABLES)
def test_a_table_shows_the_rows_that_hold_every_word(browser: Browser, folder: Path, table: str) -> None:
    looked = Looked(browser, (folder / table).as_uri())
    rows = looked.page.locator("[data-row]:visible")
    whole = rows.count()
    word = "betting" if table == "charts.html" else "void" if table != "stories.html" else "royal"
    looked.page.fill("#search", word)
    narrowed = rows.count()
    assert 0 < narrowed < whole
    assert looked.page.locator("#found").inner_text() == f"{narrowed} of {whole} rows"
    assert all(word in text.lower() for text in rows.all_text_contents())
    looked.page.fill("#search", "")
    assert rows.count() == whole
    assert looked.complaints == []
    looked.close()


def test_a_paragraph_leads_to_the_verdicts_that_name_it_and_to_no_others(browser: Browser, folder: Path) -> None:
    looked = Looked(browser, (folder / "paragraphs.html").as_uri())
    looked.page.click("[id='000-5.17.1'] >> text=verdicts")
    rows = looked.page.locator("[data-row]:visible").all_text_contents()
    assert rows
    assert all("5.17.1" in row for row in rows)
    looked.close()
