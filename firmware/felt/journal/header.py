"""The header of a segment: whose journal this is, and which software wrote it under which settings. Every version of
the firmware reads it."""

from __future__ import annotations

from felt.nouns.values import Value, read_part


class Header(Value, forbid_unknown_fields=False):
    """A later version may write more fields."""

    felt: str  # always "journal"
    table: str
    nonce: str  # drawn once, when the journal was created
    firmware: str
    software: str  # the digest of everything installed
    schema: int  # of the facts
    configuration: str  # the digest of the settings
    board: str
    rulebook: str
    readings: dict[str, str]


def read_header_text(text: str) -> Header:
    """Raises `ShapeError`."""
    return read_part(Header, text)
