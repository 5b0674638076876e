"""The stories that a person can choose: those of the product, and those in the named folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from felt.nouns.texts import capitalized
from felt.nouns.values import Value
from felt.stories.errors import StoryError
from felt.stories.head import HeadError, game_named
from felt.stories.script import Story, read_story

COME_WITH_US = Path(__file__).with_name("told")
LESSONS = Path(__file__).with_name("lessons")
SUFFIX = ".round"
_TITLE = re.compile(r"^(?:story|title): *(.+?)\s*$", re.MULTILINE)
_GAME = re.compile(r"^game: *(.+?)\s*$", re.MULTILINE)
BUILT_IN_GAME = "progressive-3-card-poker"


class Bound(Value):
    """A story on its shelf, not yet opened."""

    name: str  # under which it is requested
    title: str
    game: str


class NoSuchStory(Exception):
    """One sentence."""


class Bookcase:
    def __init__(self, folders: Sequence[Path] = (), own: Path = COME_WITH_US) -> None:
        self._files: dict[str, Path] = {}
        for folder in (own, *folders):
            for path in sorted(folder.rglob(f"*{SUFFIX}")):
                short, long = path.stem, path.relative_to(folder).with_suffix("").as_posix()
                self._files.setdefault(long if short in self._files else short, path)

    def add(self, path: Path) -> str:
        """Adds a single file; returns its name here."""
        self._files[path.stem] = path
        return path.stem

    def list(self) -> tuple[Bound, ...]:
        return tuple(_bound(name, path) for name, path in self._files.items())

    def open(self, name: str) -> Story:
        path = self._files.get(name)
        if path is None:
            raise NoSuchStory(f"There is no story {name[:60]!r}: choose one of the list.")
        try:
            return read_story(path)
        except (OSError, UnicodeDecodeError):
            raise NoSuchStory(f"The story {name[:60]!r} cannot be read: see that {path} is a text.") from None
        except StoryError as error:
            raise NoSuchStory(f"The story {name[:60]!r} is not understood: {error}.") from None

    def title(self, name: str) -> str:
        path = self._files.get(name)
        return _bound(name, path).title if path is not None else name


def _bound(name: str, path: Path) -> Bound:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    title, game = _TITLE.search(text), _GAME.search(text)
    try:
        id_ = game_named(game[1].partition("#")[0].strip()) if game else BUILT_IN_GAME
    except HeadError:
        id_ = ""
    spoken = name.rpartition("/")[2].replace("_", " ")
    return Bound(name, title[1] if title else capitalized(spoken), id_)
