"""All pages of the site, by their names below its folder. They are made from the catalogue, from the documents that
other tools draw, from the stories and from the sources. This module decides only what links to what."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from felt.rules import shelf
from felt.trace.catalogue import Book, CatalogueEntry, load_books
from felt.trace.places import SourceLine, place_of, source_of_test
from tools.siting.markup import Fence, Heading, Items, Paragraph, Table, blocks, inline

OWN = Path(__file__).parent
PAGES = {
    "index.html": "Search",
    "paragraphs.html": "Paragraphs",
    "verdicts.html": "Verdicts on interruptions",
    "remedies.html": "Remedies",
    "charts.html": "Charts",
    "stories.html": "Stories",
}
DRAWN = {"verdicts.html": "VERDICTS.md", "remedies.html": "REMEDIES.md", "charts.html": "CHARTS.md"}
STORIES = "rounds"  # below tests
_NUMBER = re.compile(r"(?<![\w.$])\d+\.\d+(?:\.\d+)?(?: [a-c]\b)?(?![\w%])(?!\.\d)")
_ARROW = re.compile(r"  (\S+) --> (\S+)(?:: (.*))?")
_HOUSE = "000"  # the book whose procedure applies where a book prints none


class Found(NamedTuple):
    """One entry that the first page's search can find."""

    kind: str
    name: str
    address: str
    text: str


class Shown(NamedTuple):
    """A line of a source or a story that the catalogue names for an entry."""

    line: int
    book: Book
    entry: CatalogueEntry


def site(root: Path) -> dict[str, str]:
    return _Site(root).pages()


def row_id(book: Book, entry_id: str) -> str:
    return f"{book.key}-" + "-".join(re.findall(r"[\w.]+", entry_id))


class _Site:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._books = load_books()
        self._stories = sorted((root / "tests" / STORIES).rglob("*.round"))
        self._by_game = {book.game: book for book in self._books if book.game}
        self._house = next(book for book in self._books if book.key == _HOUSE)
        self._naming: dict[str, dict[str, list[str]]] = {name: {} for name in DRAWN}  # rows by the entry they name
        self._found: list[Found] = []
        self._shown: dict[str, list[Shown]] = {}  # by page
        for book in self._books:
            for entry in book.entry:
                for page, line in self._named_by(entry):
                    self._shown.setdefault(page, []).append(Shown(line, book, entry))

    def pages(self) -> dict[str, str]:
        made = {name: self._drawn(name) for name in DRAWN}
        made["paragraphs.html"] = self._paragraphs()
        made |= {self._story_page(path): self._story(path) for path in self._stories}
        made["stories.html"] = self._list_of_stories()
        made |= {page: self._source(page) for page in self._shown if page.startswith(("code/", "tests/"))}
        made["index.html"] = self._index()
        found = json.dumps([_searched(entry) for entry in self._found], ensure_ascii=False, indent=0)
        made["everything.js"] = f"const EVERYTHING = {found};\n"
        return made | {name: (OWN / name).read_text(encoding="utf-8") for name in ("site.js", "site.css")}

    # --- what leads where ------------------------------------------------------------------------------------

    def _named_by(self, entry: CatalogueEntry) -> Iterator[tuple[str, int]]:
        for place in entry.where:
            yield self._code(place)
        for pattern in entry.tests:
            yield self._test(pattern)

    def _code(self, place: str) -> tuple[str, int]:
        found = place_of(self._root / "firmware" / "felt", place)
        assert found is not None, f"the catalogue names {place}, which is nowhere"
        return f"code/{found.path}.html", found.line

    def _test(self, pattern: str) -> tuple[str, int]:
        below = pattern.removeprefix("tests/")
        if below.endswith(".round"):
            return self._story_page(self._root / "tests" / below), 1
        found = source_of_test(self._root / "tests", below) or SourceLine(below, 1)
        return f"tests/{found.path}.html", found.line

    def _story_page(self, path: Path) -> str:
        below = path.relative_to(self._root / "tests" / STORIES)
        return f"stories/{below.with_suffix('.html').as_posix()}"

    def _book_of(self, story: Path) -> Book:
        return self._by_game[story.parent.name.replace("_", "-")]

    def _owner(self, book: Book, number: str) -> Book | None:
        """The book that a number in this book's text belongs to."""
        return next((owner for owner in (book, self._house) if number in owner.entries), None)

    def _linked(self, book: Book, page: str, text: str) -> str:
        """Turns numbers of paragraphs into links to their rows."""

        def link(number: re.Match[str]) -> str:
            said = number[0] if self._owner(book, number[0]) else number[0].partition(" ")[0]
            owner = self._owner(book, said)
            if owner is None:
                return number[0]
            return _a(page, "paragraphs.html", said, row_id(owner, said)) + number[0].removeprefix(said)

        return _NUMBER.sub(link, text)

    def _about(self, book: Book, text: str) -> list[str]:
        owners = ((self._owner(book, number), number) for number in _NUMBER.findall(text))
        return sorted({row_id(owner, number) for owner, number in owners if owner is not None})

    # --- the paragraphs ----------------------------------------------------------------------------------------

    def _paragraphs(self) -> str:
        told = ["<h1>Paragraphs and requirements</h1>"]
        told.append("<p>Every paragraph of the five rulebooks and every requirement, in our own words: where it lives,")
        told.append("which tests show it, whose duty it is, and where verdicts and remedies name it.</p>")
        told.append(_SEARCH)
        for book in self._books:
            told.append(f'<section><h2 id="{book.key}">{escape(f"{book.key}: {book.title}")}</h2>')
            told.append('<div class="wide"><table class="numbers"><thead><tr><th>number<th>in our words<th>where')
            told.append("<th>shown by<th>named in</tr></thead><tbody>")
            told += [self._row(book, entry) for entry in book.entry]
            told.append("</tbody></table></div></section>")
        return self._page("paragraphs.html", told)

    def _row(self, book: Book, entry: CatalogueEntry) -> str:
        own = row_id(book, entry.id)
        where = [self._line_link(f"felt.{place}", self._code(place)) for place in entry.where]
        shown = [self._line_link(pattern.removeprefix("tests/"), self._test(pattern)) for pattern in entry.tests]
        said = [f"duty: {entry.duty}"] if entry.duty else []
        said += [f"planned: {entry.planned}" + (f"; {entry.left}" if entry.left else "")] if entry.planned else []
        words = "".join(f'<p class="said">{self._linked(book, "paragraphs.html", escape(each))}</p>' for each in said)
        named = [self._rows_link(page, own, rows[own]) for page, rows in self._naming.items() if own in rows]
        name = f"{book.key} {entry.id}: {entry.says}"
        self._found.append(Found("paragraph", name, f"paragraphs.html#{own}", " ".join(said)))
        cells = (escape(entry.id), escape(entry.says) + words, _list(where), _list(shown), _list(named))
        return f'<tr id="{own}" data-row>' + "".join(f"<td>{cell}" for cell in cells) + "</tr>"

    def _rows_link(self, page: str, entry: str, rows: list[str]) -> str:
        """A link to the rows of a page that name an entry; the page's script hides the others."""
        name = PAGES[page].partition(" ")[0].lower()
        return f'<a href="{page}?about={entry}#{rows[0]}">{name} ({len(rows)})</a>'

    def _line_link(self, text: str, place: tuple[str, int]) -> str:
        page, line = place
        return _a("paragraphs.html", page, _name_in_code(text), f"L{line}" if line > 1 else "")

    # --- documents that other tools draw -----------------------------------------------------------------------

    def _drawn(self, page: str) -> str:
        text = (self._root / "firmware" / DRAWN[page]).read_text(encoding="utf-8")
        told, book, name, is_open = list[str](), self._house, "", False
        for block in blocks(text):
            if isinstance(block, Heading):
                if block.level == 2:
                    told += ["</section>"] if is_open else []
                    book, name, is_open = self._book_titled(block.text), block.text, True
                    told.append(f'<section><h2 id="{_anchor(name)}">{escape(name)}</h2>')
                else:
                    told.append(f"<h{block.level}>{escape(block.text)}</h{block.level}>")
            elif isinstance(block, Paragraph):
                told.append(f"<p>{inline(block.text)}</p>")
            elif isinstance(block, Items):
                told += ["<ul>", *(f"<li>{inline(text)}</li>" for text in block.texts), "</ul>"]
            elif isinstance(block, Fence):
                told += self._diagram(page, name, block)
            else:
                told += self._table(page, name, book, block)
        told += ["</section>"] if is_open else []
        first = next(place for place, line in enumerate(told) if line.startswith("<section>"))
        return self._page(page, [*told[:first], _SEARCH, *told[first:]])

    def _book_titled(self, title: str) -> Book:
        """A chapter's heading is a game's title, or has a book's number before it."""
        named = [game for game in shelf.GAMES if shelf.rulebook(game).title in title]
        longest = max(named, key=lambda game: len(shelf.rulebook(game).title), default=self._house.game)
        return self._by_game[longest]

    def _table(self, page: str, name: str, book: Book, table: Table) -> Iterator[str]:
        yield '<div class="wide"><table><thead><tr>' + "".join(f"<th>{escape(cell)}" for cell in table.head)
        yield "</tr></thead><tbody>"
        first = ""
        for place, cells in enumerate(table.rows):
            is_same, first = not cells[0], cells[0] or first
            about = self._about(book, " ".join(cells))
            row = f"{_anchor(name)}-{place}"
            for each in about:
                self._naming[page].setdefault(each, []).append(row)
            told = [f'<span class="same">{escape(first)}</span>' if is_same else inline(first)]
            told += [inline(cell, lambda text: self._linked(book, page, text)) for cell in cells[1:]]
            yield f'<tr id="{row}" data-row data-about="{" ".join(about)}">' + "".join(f"<td>{cell}" for cell in told)
            yield "</tr>"
            kind = PAGES[page].partition(" ")[0].lower().removesuffix("s")
            said = re.sub(r"[*`]", "", ", ".join(cells[1:]))
            self._found.append(Found(kind, f"{name}: {first}", f"{page}#{row}", said))
        yield "</tbody></table></div>"

    def _diagram(self, page: str, name: str, fence: Fence) -> Iterator[str]:
        """The arrows of a state diagram as rows: from which state, to which, and by which facts."""
        yield '<div class="wide"><table><thead><tr><th>from<th>to<th>by</tr></thead><tbody>'
        arrows = [found for line in fence.lines if (found := _ARROW.fullmatch(line)) and found[1] != "[*]"]
        for place, (start, end, facts) in enumerate(found.groups() for found in arrows):
            row = f"{_anchor(name)}-move-{place}"
            by = " · ".join(escape(fact.strip()) for fact in (facts or "").split(" | "))
            yield f'<tr id="{row}" data-row><td>{escape(start)}<td>{escape(end)}<td>{by}</tr>'
            self._found.append(Found("chart", f"{name}: {start} to {end}", f"{page}#{row}", facts or ""))
        yield "</tbody></table></div>"

    # --- stories and sources -----------------------------------------------------------------------------------

    def _list_of_stories(self) -> str:
        told = ["<h1>Stories</h1>", "<p>Whole rounds as text. Each is played by the tests on the product itself.</p>"]
        told.append(_SEARCH)
        for folder in sorted({path.parent for path in self._stories}):
            book = self._book_of(folder / "any")
            told.append(f"<section><h2>{escape(f'{book.key}: {book.title}')}</h2>")
            told.append('<div class="wide"><table><thead><tr><th>story<th>what it tells<th>shows</tr></thead><tbody>')
            for path in self._stories:
                if path.parent == folder:
                    page = self._story_page(path)
                    title = _title(path)
                    shows = ", ".join(self._entry_links("stories.html", page))
                    told.append(f"<tr data-row><td>{_a('stories.html', page, path.stem.replace('_', ' '))}")
                    told.append(f"<td>{escape(title)}<td>{shows}</tr>")
                    self._found.append(Found("story", title, page, path.stem.replace("_", " ")))
            told.append("</tbody></table></div></section>")
        return self._page("stories.html", told)

    def _story(self, path: Path) -> str:
        page, book = self._story_page(path), self._book_of(path)
        lines = path.read_text(encoding="utf-8").splitlines()
        told = [f"<h1>{escape(_title(path))}</h1>", *self._shows(page, "This story shows")]
        told.append("<pre>" + "".join(
            _line(number, self._linked(book, page, escape(line, quote=False))) for number, line in enumerate(lines, 1)
        ) + "</pre>")  # fmt: skip
        return self._page(page, told)

    def _source(self, page: str) -> str:
        folder, _, below = page.removesuffix(".html").partition("/")
        file = self._root / ("firmware/felt" if folder == "code" else "tests") / below
        name = f"felt/{below}" if folder == "code" else f"tests/{below}"
        told = [f"<h1><code>{escape(name)}</code></h1>"]
        if file.is_file():
            told += self._shows(page, "Here lives" if folder == "code" else "Here is shown")
            lines = file.read_text(encoding="utf-8").splitlines()
            told.append("<pre>" + "".join(_line(*each) for each in enumerate(map(_bare, lines), 1)) + "</pre>")
        else:
            told += self._shows(page, "The tests of this folder show")
        return self._page(page, told)

    def _shows(self, page: str, heading: str) -> Iterator[str]:
        shown = self._shown.get(page, [])
        if not shown:
            yield '<p class="said">No paragraph names it.</p>'
            return
        yield f"<h2>{heading}</h2><ul>"
        for line, book, entry in sorted(shown, key=lambda row: (row.line, row.book.key)):
            link = _a(page, "paragraphs.html", escape(f"{book.key} {entry.id}"), row_id(book, entry.id))
            at = f'<a href="#L{line}">line {line}</a>, ' if line > 1 else ""
            yield f"<li>{at}{link}: {escape(entry.says)}</li>"
        yield "</ul>"

    def _entry_links(self, page: str, of: str) -> Iterator[str]:
        for _, book, entry in self._shown.get(of, []):
            yield _a(page, "paragraphs.html", escape(f"{book.key} {entry.id}"), row_id(book, entry.id))

    # --- the frame ---------------------------------------------------------------------------------------------

    def _index(self) -> str:
        told = ["<h1>Paragraphs, verdicts, stories, code</h1>"]
        told.append("<p>What the rulebooks and requirements ask, what the table does about it, the story that shows")
        told.append("it and the code that does it, each linked to the others.</p>")
        told.append(_SEARCH + '<ul id="hits"></ul>')
        told.append('<table class="narrow"><thead><tr><th>book<th>entries<th>shown by tests<th>a person\'s duty')
        told.append("<th>planned</tr></thead><tbody>")
        for book in self._books:
            planned = sum(bool(entry.planned) for entry in book.entry)
            duty = sum(bool(entry.duty) and not entry.planned for entry in book.entry)
            counts = (len(book.entry), len(book.entry) - planned - duty, duty, planned)
            name = _a("index.html", "paragraphs.html", escape(f"{book.key}: {book.title}"), book.key)
            told.append(f"<tr><td>{name}" + "".join(f'<td class="n">{count}' for count in counts) + "</tr>")
        told.append("</tbody></table>")
        return self._page("index.html", told, ("everything.js",))

    def _page(self, page: str, body: Iterable[str], scripts: tuple[str, ...] = ()) -> str:
        links = "".join(
            f'<a href="{_to(page, name)}"{" aria-current=page" if name == page else ""}>{title}</a>'
            for name, title in PAGES.items()
        )
        told = "\n".join(body)
        found = re.search(r"<h1>(.*?)</h1>", told)
        title = re.sub("<[^>]+>", "", found[1]) if found else page
        loaded = "".join(f'<script src="{_to(page, name)}"></script>\n' for name in (*scripts, "site.js"))
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
            f'<link rel="stylesheet" href="{_to(page, "site.css")}">\n</head>\n<body>\n<nav>{links}</nav>\n'
            f"{told}\n{loaded}</body>\n</html>\n"
        )


_SEARCH = (
    '<div class="find"><input id="search" type="search" placeholder="words, a number, a name" '
    'aria-label="search" autocomplete="off"><output id="found" for="search"></output></div>'
)


def _searched(found: Found) -> tuple[str, str, str, str]:
    """As the page's script wants it: the search reads the last field."""
    return found.kind, found.name, found.address, f"{found.kind} {found.name} {found.text}".lower()


def _to(page: str, other: str) -> str:
    return posixpath.relpath(other, posixpath.dirname(page) or ".")


def _a(page: str, other: str, text: str, anchor: str = "") -> str:
    return f'<a href="{_to(page, other)}{f"#{anchor}" if anchor else ""}">{text}</a>'


def _anchor(heading: str) -> str:
    return "-".join(re.findall(r"\w+", heading.lower()))


def _list(items: list[str]) -> str:
    return '<ul class="plain">' + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else ""


def _line(number: int, text: str) -> str:
    return f'<span id="L{number}" data-n="{number}">{text}</span>'


def _name_in_code(name: str) -> str:
    """It may be broken where its words end."""
    broken = re.sub(r"(?=[/_.:])(?<!:)", "<wbr>", escape(name))
    return f"<code>{broken}</code>"


def _bare(line: str) -> str:
    return escape(line, quote=False)


def _title(story: Path) -> str:
    with story.open(encoding="utf-8") as lines:
        first = next(lines, "").strip()
    return first.removeprefix("story:").strip() or story.stem
