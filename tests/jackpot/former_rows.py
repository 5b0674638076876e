"""Rows of a standing as former versions of a ledger wrote them."""

from __future__ import annotations

import json


def as_of_version(version: int, key: str, text: str) -> str:
    """Version 3 did not know which meters count a round's bets for the next cycle; neither it nor version 4 knew the
    place of a round's journal, whether a hit was a part, what meters had shown, and awards that persons accept."""
    kind, row = key.partition("/")[0], json.loads(text)
    if kind == "round":
        row = [*row[:-2], *([[]] if version == 4 else [])]
    elif kind in ("hit", "claim", "journal"):
        row = row[:-1]
    return json.dumps(row, separators=(",", ":"))
