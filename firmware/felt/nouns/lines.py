"""One JSON object a line, in ASCII: how people's doors into a controller speak, and the limits they keep. Knows neither
sockets nor what the words mean."""

from __future__ import annotations

import json
from typing import Any

from felt.nouns.values import to_plain

DESK_VERSION = 1  # of the words that are exchanged with a table's desk
LINE_BYTES_MAX = 16 * 1024  # of a request
ANSWER_BYTES_MAX = 1024 * 1024


class LineError(ValueError):
    """A line that is no request. One sentence."""


def write_line(words: dict[str, Any]) -> bytes:
    return json.dumps(words, separators=(",", ":"), default=to_plain).encode("ascii") + b"\n"


def read_line(line: bytes, bytes_max: int = LINE_BYTES_MAX) -> dict[str, Any]:
    if len(line) > bytes_max:
        raise LineError(f"A line has at most {bytes_max} bytes.")
    try:
        words = json.loads(line)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, dict):
        raise LineError("A request is one JSON object a line.")
    return words
