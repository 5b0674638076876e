"""The socket at which pages show and choose a story."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from felt.drivers.line_socket import LineSocket
from felt.stories.bookcase import NoSuchStory
from felt.stories.telling import Telling
from felt.stories.training import ANSWERS


def open_door(path: Path, telling: Telling, opening: ExitStack) -> None:
    door = LineSocket(path, lambda: StoryConversation(telling))
    opening.callback(door.close)
    door.start()


class StoryConversation:
    """One client."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    def answer(self, words: dict[str, Any]) -> dict[str, Any]:
        asked = {"felt": words.pop("felt", 0), "id": words.pop("id", 0)}
        try:
            return {**asked, "answer": self._answer(words)}
        except NoSuchStory as problem:
            return {**asked, "refused": str(problem)}

    def leave(self) -> None: ...

    def _answer(self, words: dict[str, Any]) -> dict[str, Any]:
        telling = self._telling
        match words:
            case {"ask": "story", "after": int(number)}:
                return telling.told(number)
            case {"ask": "stories"}:
                return {"stories": [[story.name, story.title, story.game] for story in telling.bookcase.list()]}
            case {"story": "choose", "name": str(name)}:
                telling.choose(name)
            case {"story": "pause", "paused": bool(paused)}:
                telling.pause(paused)
            case {"story": "answer", "key": str(key)} if key in ANSWERS:
                telling.answer(key)
            case {"story": "trainee", "name": str(name)}:
                telling.name_trainee(name)
            case {"story": "step"}:
                telling.step()
            case {"story": "pace", "speed": int() | float() as speed} if 0 < speed < 100:
                telling.pace(speed)
            case _:
                raise NoSuchStory("A story is asked for, chosen, paused, stepped or paced.")
        return {}
