"""How a setting's limits are written beside its type, and how a contradiction between settings is reported."""

from __future__ import annotations

from msgspec import Meta

from felt.nouns.values import Value


def worded(pattern: str, shape: str) -> Meta:
    """The limit of a text that must match the whole pattern; `shape` describes it for people."""
    return Meta(pattern=rf"\A(?:{pattern})\Z", description=shape)


class Violation(Value):
    path: tuple[str, ...]
    problem: str
    remedy: str
