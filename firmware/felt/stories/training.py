"""A lesson: a story that stops before each act of the dealer and asks for it. The answer is shown only after the dealer
has given his. After a wrong answer the table's own sentence explains it, with its paragraph. The score is for the
pit."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from felt.nouns.values import Value
from felt.stories.stage import StoryStage
from felt.table import redacted, views
from felt.table.keys import KEYS

HAND_BACK, CALL = "hand_back", "call_the_supervisor"
_NAMES = tuple(key.name for key in KEYS)
ANSWERS = (*_NAMES, "box", HAND_BACK, CALL)
NAME_MAX = 40
_PRESS = re.compile(r"press (?P<key>[a-z ]+?)(?: \d+)?")
_FORMS = (
    (re.compile(r"light misdeal .+"), "misdeal"),
    (re.compile(r"(?:play) box .+"), "play"),
    (re.compile(r"(?:fold) box .+"), "fold"),
    (re.compile(r"(?:supervisor|shift manager) .+"), CALL),
    (re.compile(r"box \d+ chooses .+"), CALL),
)


class Score(Value):
    """The score of one dealer in one lesson."""

    asked: int = 0
    right: int = 0  # at the first attempt


def answer_to(text: str, lamps: Mapping[str, str]) -> str:
    """What the dealer does to bring about the next line; empty: other people act in it."""
    found = _PRESS.fullmatch(text)
    if found is not None:
        key = found["key"].replace(" ", "_")
        return key if key in _NAMES else "box" if key == "box" else ""
    if text.startswith("lift "):
        spots = re.findall(r"\d+\.[a-z_]+", text)
        return HAND_BACK if any(lamps.get(spot) == views.LATE for spot in spots) else ""
    return next((answer for form, answer in _FORMS if form.fullmatch(text)), "")


def reason_for(stage: StoryStage, answer: str) -> str:
    """What the table itself says at this moment, with its paragraph."""
    table = stage.table
    noted = [notice.sentence for notice in table.panel.notices[-1:] if answer in (HAND_BACK, CALL, "box")]
    return redacted.scrubbed(" ".join([*noted, views.prompt(table)]))


def keep(folder: Path | None, trainee: str, lesson: str, score: Score) -> None:
    """Writes a line for the pit. A lesson continues even if the line cannot be written."""
    if folder is None or not score.asked:
        return
    line: dict[str, Any] = {"at_s": int(time.time()), "dealer": trainee[:NAME_MAX], "lesson": lesson}
    try:
        with (folder / "training.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "asked": score.asked, "right": score.right}) + "\n")
    except OSError:
        return
