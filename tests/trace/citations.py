"""The paragraphs that the rules themselves cite, in verdicts, pay tables, wagers, readings and procedures."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from felt.nouns.values import parts_of
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import Rulebook
from felt.trace.record import PACKAGE

# The two books of one house share a module, whose paragraphs stand in both.
MODULES = {
    "progressive-3-card-poker": ("progressive_3_card_poker", "rws_three_card"),
    "lucky-three-pictures": ("lucky_three_pictures",),
    "multi-link-3-card-poker": ("multi_link_3_card_poker", "rws_three_card"),
    "california-three-card-poker": ("california_three_card_poker",),
    "stax-three-card": ("stax_three_card",),
}
NO_PARAGRAPH = re.compile(r"|not printed|house procedure.*")
_SEVERAL = re.compile(r"(?P<heading>.*?) ?(?P<first>[¶(]\S+), (?P<second>[¶(]\S+)")


def cited_by(book: Rulebook) -> set[str]:
    texts = [
        *(wager.paragraph for wager in book.wagers),
        *(table.paragraph for table in book.pay_tables),
        *(reading.paragraph for reading in book.readings),
        *(method.paragraph for method in PROCEDURES[book.id].methods),
        *parts_of(PROCEDURES[book.id].paragraphs).values(),
        *(text for module in MODULES[book.id] for text in _reasons_in(module)),
    ]
    return {paragraph for text in texts if not NO_PARAGRAPH.fullmatch(text) for paragraph in each_of(text)}


def each_of(text: str) -> list[str]:
    """`Playing ¶3, ¶4` are two paragraphs under one heading."""
    found = _SEVERAL.fullmatch(text)
    return [f"{found['heading']} {found[part]}" for part in ("first", "second")] if found else [text]


def _reasons_in(module: str) -> Iterator[str]:
    source = (PACKAGE / "rules" / f"{module}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
            paragraph = node.args[0]
            assert isinstance(paragraph, ast.Constant)
            yield str(paragraph.value)
