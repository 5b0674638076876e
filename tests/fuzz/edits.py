"""Damages bytes: cuts pieces out, puts pieces in, repeats and joins them. Properties and hunts share it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

CONTENT_BYTES_MAX = 20_000
EVERYWHERE = (
    b"", b"\x00", b"\xff", b"\n", b"\r\n", b" ", b"\"", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"-1", b"-0", b"0",
    b"1e999", b"1.5", b"NaN", b"true", b"null", b"9" * 30, b"\xc3\xa9", b"\xed\xa0\x80",
    b"\\ud800", b"\\u0000", b"'", b"=", b"#", b"\x7f", b"\x1b[2J", b"\xe2\x80\xae", b"a" * 300,
)  # fmt: skip
LARGE = (b"9" * 5000, b"[" * 3000, b'{"a":' * 1500, b"a" * 20_000)


class Edit(NamedTuple):
    place: int  # counted past the content's end
    cut: int
    put: bytes


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    for place, cut, put in edits:
        at = place % (len(content) + 1)
        content = content[:at] + put + content[at + cut :]
    return content[:CONTENT_BYTES_MAX]


def mutated(contents: Sequence[bytes], words: Sequence[bytes], rng: random.Random) -> bytes:
    """A new content, made of one or two known ones."""
    content = rng.choice(contents)
    if rng.random() < 0.2:
        other = rng.choice(contents)
        content = content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]
    edits = [_edit(content, contents, words, rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 6)))]
    return edited(content, edits)


def _edit(content: bytes, contents: Sequence[bytes], words: Sequence[bytes], rng: random.Random) -> Edit:
    place, cut = rng.randrange(len(content) + 1), rng.choice((0, 0, 1, 1, 2, 4, 16, 64))
    kind = rng.randrange(5)
    if kind == 0:
        return Edit(place, 1, bytes([content[place] ^ 1 << rng.randrange(8)]) if place < len(content) else b"\x80")
    if kind == 1:
        return Edit(place, cut, rng.randbytes(rng.choice((0, 1, 1, 2, 8))))
    if kind == 2:
        other = rng.choice(contents)
        start = rng.randrange(len(other) + 1)
        return Edit(place, cut, other[start : start + rng.choice((1, 4, 16, 64))])
    if rng.random() < 0.01:
        return Edit(place, cut, rng.choice(LARGE))
    return Edit(place, cut, rng.choice(words if words and rng.random() < 0.6 else EVERYWHERE))
