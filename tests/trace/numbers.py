"""The expected numbers of each book, written out from their ranges."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_RANGE = re.compile(r"(?P<stem>(?:\d+\.)+|[A-Z])(?P<first>\d+)-(?P=stem)(?P<last>\d+)")
_LETTERED = re.compile(r"(?P<number>[\d.]+) (?P<letters>[a-z]+)")


def expected_numbers() -> dict[str, list[str]]:
    written = tomllib.loads((Path(__file__).parent / "numbers.toml").read_text(encoding="utf-8"))
    return {book: numbers_in(text) for book, text in written.items()}


def numbers_in(text: str) -> list[str]:
    parts = [part.strip() for line in text.splitlines() for part in line.split(";")]
    return [number for part in parts if part for number in _written_out(part)]


def _written_out(part: str) -> list[str]:
    if found := _RANGE.fullmatch(part):
        return [f"{found['stem']}{number}" for number in range(int(found["first"]), int(found["last"]) + 1)]
    if found := _LETTERED.fullmatch(part):
        return [found["number"], *(f"{found['number']} {letter}" for letter in found["letters"])]
    return [part]
