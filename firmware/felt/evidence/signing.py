"""The table's own key: Ed25519 (RFC 8032) by the `cryptography` package, whose arithmetic takes the same time whatever
the secret is. The laboratory's checker verifies with arithmetic of its own. This module knows nothing of what is
signed."""

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
    """A file that is no key, in one sentence that repeats none of it."""


class SigningKey:
    def __init__(self, private: Ed25519PrivateKey, public: bytes) -> None:
        self._private = private
        self.public = public

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)

    def seal_of_manifest(self, manifest: bytes) -> bytes:
        """The content of the file that stands beside a manifest."""
        return f"felt-signature-1 {self.public.hex()} {self.sign(SIGNED_MANIFEST + manifest).hex()}\n".encode()

    def __repr__(self) -> str:
        return f"SigningKey({self.public.hex()})"


def key_of_seed(seed: bytes) -> SigningKey:
    # Imported here: a table without a key does without the 9 MiB and the 10 ms that the package costs.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = Ed25519PrivateKey.from_private_bytes(seed)
    return SigningKey(private, private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))


def read_key(content: bytes) -> SigningKey:
    match = _KEY_FILE.fullmatch(content.decode("ascii", "replace"))
    if match is None:
        raise KeyUnusable("this is not a key as felt verify --new-key writes it")
    return key_of_seed(bytes.fromhex(match[1]))


def write_new_key(file: Path) -> SigningKey:
    """Make a key that nobody has seen, in a file that only its owner reads. A file that is there is left alone."""
    text = new_key_text()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="ascii") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    return read_key(text.encode())


def new_key_text() -> str:
    """A key that nobody has seen, for whoever writes it to a file that only its owner reads."""
    return f"felt-key-1 ed25519 {secrets.token_bytes(SEED_BYTES).hex()}\n"
