"""The secret keys that one table shares with the jackpot controller: one key, or two during a rotation. This module
parses and writes them; it never compares them. A key's repr shows its name only."""

from __future__ import annotations

import re

from felt.nouns.values import Value

SECRET_BYTES = 32
KEYS_MAX = 2  # the key in use and, during a rotation, a second one

_LINE = re.compile(r"([a-z0-9][a-z0-9-]{0,15}) ([0-9a-f]{64})")


class KeyringError(ValueError):
    """The text holds no valid keys. The message is one sentence and repeats none of the text."""


class LinkKey(Value):
    id: str
    secret: bytes

    def __repr__(self) -> str:
        return f"LinkKey({self.id})"


class Keyring(Value):
    """Messages are sealed with the current key; a received message may be sealed with either key."""

    current: LinkKey
    other: LinkKey | None = None

    def all(self) -> tuple[LinkKey, ...]:
        return (self.current,) if self.other is None else (self.current, self.other)

    def named(self, key_id: str) -> LinkKey | None:
        return next((key for key in self.all() if key.id == key_id), None)

    def ids(self) -> tuple[str, ...]:
        return tuple(key.id for key in self.all())


def read_keyring(text: str) -> Keyring:
    """One key a line: its name, a space, 64 hexadecimal digits. Lines that begin with # are comments."""
    lines = [line.strip() for line in text.splitlines()]
    keys = [_read_key(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not 1 <= len(keys) <= KEYS_MAX:
        raise KeyringError(f"it holds {len(keys)} keys; write one or two")
    if len({key.id for key in keys}) != len(keys):
        raise KeyringError(f"both keys are named {keys[0].id}")
    return Keyring(*keys)


def write_keyring(keyring: Keyring) -> str:
    return "".join(f"{key.id} {key.secret.hex()}\n" for key in keyring.all())


def _read_key(number: int, line: str) -> LinkKey:
    found = _LINE.fullmatch(line)
    if found is None:
        raise KeyringError(f"line {number} must be a key's name, a space and {2 * SECRET_BYTES} hexadecimal digits")
    return LinkKey(found[1], bytes.fromhex(found[2]))
