"""JSON lines, one ASCII object a line: the protocol of the local sockets, and its limits. This module knows neither
the sockets nor the meaning of a request."""

from __future__ import annotations

import json
from typing import Any

from felt.nouns.values import ShapeError, read_json, to_plain

DESK_VERSION = 1  # version of the desk's protocol
LINE_BYTES_MAX = 16 * 1024  # of a request
ANSWER_BYTES_MAX = 1024 * 1024


class LineError(ValueError):
    """The line is not a request. The message is one sentence."""


def write_line(words: dict[str, Any]) -> bytes:
    return json.dumps(words, separators=(",", ":"), default=to_plain).encode("ascii") + b"\n"


def read_request(line: bytes, bytes_max: int = LINE_BYTES_MAX) -> dict[str, Any]:
    """Reads what somebody else asks. Duplicate keys, fractions and numbers beyond 64 bits are refused, so that no two
    readers understand a request differently."""
    _refuse_long(line, bytes_max)
    try:
        words = read_json(line)
    except ShapeError as error:
        raise LineError(f"A request is one JSON object on one line ({error}).") from None
    if not isinstance(words, dict):
        raise LineError("A request is one JSON object on one line (it is not an object).")
    return words


def read_answer(line: bytes) -> dict[str, Any]:
    """Reads what our own process answers. Odds in it are fractions."""
    _refuse_long(line, ANSWER_BYTES_MAX)
    try:
        words = json.loads(line)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, dict):
        raise LineError("The answer is not a JSON object.")
    return words


def _refuse_long(line: bytes, bytes_max: int) -> None:
    if len(line) > bytes_max:
        raise LineError(f"A line may have at most {bytes_max} bytes.")
