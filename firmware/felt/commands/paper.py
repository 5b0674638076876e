"""Prints a report: tables under headings, as text, spreadsheet rows or a printable page. It knows no report; it
makes every text from people harmless in each format."""

from __future__ import annotations

import csv
import html
import io
import re
import textwrap
from datetime import datetime

from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
WIDTH = 80
_STYLE = """body{font:14px sans-serif;margin:1.5em}h1{font-size:1.4em}h2{font-size:1.1em;break-after:avoid}
table{border-collapse:collapse;margin-bottom:1em}td,th{border:1px solid #999;padding:2px 6px;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}th{background:#eee}tr{break-inside:avoid}
@media print{body{margin:0;font-size:11px}@page{margin:1.5cm}}"""

Section = tuple[str, list[str], list[list[str]]]  # heading, columns, rows


class Paper(Value):
    heading: str
    verdict: str  # what the person who signs it must read first
    sections: list[Section]


def money(micro: int, minor_digits: int) -> str:
    """Exact and without a currency sign, so that spreadsheets can read it: whole units, minor units, and anything
    beyond."""
    whole, part = divmod(abs(micro), MICRO_PER_MINOR * 10**minor_digits)
    digits = f"{part:0{minor_digits + 6}d}"
    behind = digits[:minor_digits] + digits[minor_digits:].rstrip("0")
    return f"{'-' if micro < 0 else ''}{whole}" + (f".{behind}" if behind else "")


def when(ns: int) -> str:
    return datetime.fromtimestamp(ns // NS_PER_S).astimezone().isoformat(sep=" ")


def as_text(sheet: Paper) -> str:
    lines = [*_wrapped(sheet.heading), *_wrapped(sheet.verdict)]
    for heading, columns, rows in sheet.sections:
        lines += ["", heading, *(_as_lines(columns, rows) if rows else ["  none"])]
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_long_words=False)


def _as_lines(columns: list[str], rows: list[list[str]]) -> list[str]:
    """A table if it fits the page, otherwise row by row."""
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    if sum(widths) + 2 * len(widths) > WIDTH:
        return [line for row in rows for line in _told_row(columns, row)]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (columns, *rows)]  # fmt: skip


def _told_row(columns: list[str], row: list[str]) -> list[str]:
    told = [(column, cell) for column, cell in zip(columns, row, strict=True) if cell]
    widest = max(len(column) for column in columns)
    rest = [f"      {column:<{widest}}  {cell}" for column, cell in told[1:]]
    return [f"  {told[0][0]} {told[0][1]}", *(line for long in rest for line in textwrap.wrap(
        long, WIDTH, subsequent_indent=" " * (widest + 8), break_long_words=False))]  # fmt: skip


def as_rows(sheet: Paper) -> str:
    """Each row begins with its section, so that a spreadsheet can filter by section."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([sheet.heading, sheet.verdict])
    for heading, columns, rows in sheet.sections:
        writer.writerow([heading, *columns])
        writer.writerows([[heading, *map(_harmless, row)] for row in rows])
    return written.getvalue()


def _harmless(cell: str) -> str:
    """Prevents a spreadsheet from reading the text of a table or person as a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "@", "\t") or (cell[:1] == "-" and not cell[1:2].isdecimal()) else cell


def as_page(sheet: Paper) -> str:
    """One file that needs no other file and loads nothing."""
    told = html.escape(sheet.heading)
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{told}</title><style>{_STYLE}</style>"
        f"<h1>{told}</h1><p>{html.escape(sheet.verdict)}</p>"
    ]
    for heading, columns, rows in sheet.sections:
        body = "".join(_html_row("td", row) for row in rows) or f"<tr><td colspan={len(columns)}>none</td></tr>"
        parts.append(f"<h2>{html.escape(heading)}</h2><table>{_html_row('th', columns)}{body}</table>")
    return "\n".join(parts) + "\n"


def _html_row(cell: str, row: list[str]) -> str:
    return "<tr>" + "".join(f"<{cell}{_aligned(cell, text)}>{html.escape(text)}</{cell}>" for text in row) + "</tr>"


def _aligned(cell: str, text: str) -> str:
    return " class=n" if cell == "td" and _NUMBER.fullmatch(text) else ""
