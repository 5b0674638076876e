"""Looks up messages by id and language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "zh", "ms")
ENGLISH_ONLY = ("remedy.",)  # prefixes of ids that only technicians read


@cache
def messages(language: str) -> Mapping[str, str]:
    """Every message of one language by id."""
    found: dict[str, str] = json.loads(Path(__file__).with_name(f"{language}.json").read_bytes())
    return found


def say(language: str, message: str, **fields: object) -> str:
    """The text of a message with its fields filled in."""
    return messages(language)[message].format(**fields)
