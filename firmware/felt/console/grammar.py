"""The console's language: a command is one or two words, then what it is about. Any unique beginning of a word will
do. Every command has a sentence of help and an example."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from felt.nouns.named import NamedTuple

if TYPE_CHECKING:
    from felt.console.session import Session

Act = Callable[["Session", list[str]], None]


class Misspelt(Exception):
    """What was typed is no command, or lacks something. One sentence."""


class Command(NamedTuple):
    usage: str
    about: str
    example: str
    act: Act
    second_words: tuple[str, ...] = ()  # for completion
    needs_table: bool = True  # False: answered from the disk as well


class Understood(NamedTuple):
    name: str
    command: Command
    arguments: list[str]


def understand(line: str, commands: Mapping[str, Command]) -> Understood | None:
    words = line.split()
    if not words:
        return None
    name = whole_word(words[0].lower(), tuple(commands), "command")
    return Understood(name, commands[name], words[1:])


def whole_word(begun: str, known: tuple[str, ...], noun: str) -> str:
    """The word that was meant by its beginning."""
    if begun in known:
        return begun
    fitting = [word for word in known if word.startswith(begun)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Misspelt(f"{begun!r} may be {' or '.join(fitting)}: type more of it.")
    near = difflib.get_close_matches(begun, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "type help."
    raise Misspelt(f"There is no {noun} {begun[:40]!r}: {hint}")


def completions(before: str, begun: str, commands: Mapping[str, Command]) -> list[str]:
    words = before.split()
    if not words:
        return [f"{name} " for name in commands if name.startswith(begun)]
    command = commands.get(words[0])
    if len(words) == 1 and command is not None:
        return [word for word in command.second_words if word.startswith(begun)]
    return []


def number_in(arguments: list[str], place: int, default: int, most: int) -> int:
    if len(arguments) <= place:
        return default
    text = arguments[place]
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:12]) <= most:
        raise Misspelt(f"{text[:40]!r} is not a number from 1 to {most}.")
    return int(text)


def rest_of(arguments: list[str], place: int, what: str) -> str:
    rest = " ".join(arguments[place:])
    if not rest:
        raise Misspelt(f"Say {what}.")
    return rest


def one_of(arguments: list[str], place: int, what: str) -> str:
    if len(arguments) <= place:
        raise Misspelt(f"Say {what}.")
    return arguments[place]
