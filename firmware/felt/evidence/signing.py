"""The table's own key: Ed25519 (RFC 8032) by the same arithmetic with which a laboratory checks it, so that nothing but
Python is needed at either end. Slow beside a library in C and fast enough for one signature between two rounds. It
knows nothing of what is signed."""

from __future__ import annotations

import os
import re
import secrets
from functools import cache
from pathlib import Path

from felt.evidence.felt_check import (
    BASE,
    NEUTRAL,
    ORDER,
    SIGNED_MANIFEST,
    Point,
    add,
    packed,
    scalar_of,
)
from felt.nouns.named import NamedTuple

SEED_BYTES = 32
KEY_FILE_BYTES_MAX = 1024
_KEY_FILE = re.compile(r"felt-key-1 ed25519 ([0-9a-f]{64})\n")


class KeyUnusable(ValueError):
    """A file that is no key, in one sentence that repeats none of it."""


def _doublings(point: Point) -> tuple[Point, ...]:
    found = []
    for _ in range(256):
        found.append(point)
        point = add(point, point)
    return tuple(found)


@cache
def _bases() -> tuple[Point, ...]:
    """Worked out for the first signature: a table without a key makes none."""
    return _doublings(BASE)


def _base_times(scalar: int) -> Point:
    total = NEUTRAL
    for place, point in enumerate(_bases()):
        if scalar >> place & 1:
            total = add(total, point)
    return total


class SigningKey(NamedTuple):
    scalar: int
    prefix: bytes
    public: bytes

    def sign(self, message: bytes) -> bytes:
        nonce = scalar_of(self.prefix, message) % ORDER
        first = packed(_base_times(nonce))
        challenge = scalar_of(first, self.public, message) % ORDER
        return first + ((nonce + challenge * self.scalar) % ORDER).to_bytes(32, "little")

    def seal_of_manifest(self, manifest: bytes) -> bytes:
        """The content of the file that stands beside a manifest."""
        return f"felt-signature-1 {self.public.hex()} {self.sign(SIGNED_MANIFEST + manifest).hex()}\n".encode()

    def __repr__(self) -> str:
        return f"SigningKey({self.public.hex()})"


def key_of_seed(seed: bytes) -> SigningKey:
    whole = scalar_of(seed).to_bytes(64, "little")
    scalar = int.from_bytes(whole[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return SigningKey(scalar, whole[32:], packed(_base_times(scalar)))


def read_key(content: bytes) -> SigningKey:
    match = _KEY_FILE.fullmatch(content.decode("ascii", "replace"))
    if match is None:
        raise KeyUnusable("this is not a key as felt verify --new-key writes it")
    return key_of_seed(bytes.fromhex(match[1]))


def write_new_key(file: Path) -> SigningKey:
    """A key that nobody has seen, in a file that only its owner reads. A file that is there is left alone."""
    seed = secrets.token_bytes(SEED_BYTES)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="ascii") as opened:
        opened.write(f"felt-key-1 ed25519 {seed.hex()}\n")
        opened.flush()
        os.fsync(opened.fileno())
    return key_of_seed(seed)
