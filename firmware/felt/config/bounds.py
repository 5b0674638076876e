"""How the limits of a setting are written beside its type, and what is told of a setting that contradicts another."""

from __future__ import annotations

from msgspec import Meta

from felt.nouns.values import Value


def worded(pattern: str, shape: str) -> Meta:
    """A text that is whole as the pattern says; `shape` says the same for people."""
    return Meta(pattern=rf"\A(?:{pattern})\Z", description=shape)


class Violation(Value):
    path: tuple[str, ...]
    problem: str
    remedy: str
