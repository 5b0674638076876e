"""The table's own Ed25519 key (RFC 8032), by the `cryptography` package, which computes in constant time. The
laboratory's checker has its own arithmetic. This module does not know what it signs."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from felt.evidence.felt_check import SIGNED_MANIFEST

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEED_BYTES = 32
_KEY_FILE = re.compile(r"felt-key-1 ed25519 ([0-9a-f]{64})\n")


class KeyUnusable(ValueError):
    """The file holds no valid key. The message is one sentence and repeats none of it."""


class SigningKey:
    def __init__(self, private: Ed25519PrivateKey, public: bytes) -> None:
        self._private = private
        self.public = public

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)

    def seal_of_manifest(self, manifest: bytes) -> bytes:
        """The content of the signature file beside a manifest."""
        return f"felt-signature-1 {self.public.hex()} {self.sign(SIGNED_MANIFEST + manifest).hex()}\n".encode()

    def __repr__(self) -> str:
        return f"SigningKey({self.public.hex()})"


def key_of_seed(seed: bytes) -> SigningKey:
    # Imported here: a table without a key saves the package's 9 MiB and 10 ms.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = Ed25519PrivateKey.from_private_bytes(seed)
    return SigningKey(private, private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))


def read_key(content: bytes) -> SigningKey:
    match = _KEY_FILE.fullmatch(content.decode("ascii", "replace"))
    if match is None:
        raise KeyUnusable("this is not a key that felt verify --new-key wrote")
    return key_of_seed(bytes.fromhex(match[1]))


def write_new_key(file: Path) -> SigningKey:
    """Creates a new secret key in a file that only its owner can read. An existing file is left alone."""
    text = new_key_text()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="ascii") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    return read_key(text.encode())


def new_key_text() -> str:
    """A new secret key as its file holds it. The caller writes it to a file that only its owner can read."""
    return f"felt-key-1 ed25519 {secrets.token_bytes(SEED_BYTES).hex()}\n"
