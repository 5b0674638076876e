"""The parser of a command. It wraps its help to the terminal, and it remembers its arguments: shell completion and
manual pages are made from them."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import Any

_EXAMPLE = re.compile(r"(  \S.*?) {2,}(\S.*)")  # a command and what it does


class Parser(argparse.ArgumentParser):
    def __init__(self, *words: Any, **settings: Any) -> None:
        self.arguments: list[argparse.Action] = []  # in the order in which they were added
        super().__init__(*words, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        self.arguments.append(super().add_argument(*names, **settings))
        return self.arguments[-1]

    def add_argument_group(self, *words: Any, **settings: Any) -> Any:
        return self._remembered(super().add_argument_group(*words, **settings))

    def add_mutually_exclusive_group(self, **settings: Any) -> Any:
        return self._remembered(super().add_mutually_exclusive_group(**settings))

    def format_help(self) -> str:
        self.formatter_class = _FoldedHelp
        return super().format_help()

    def _remembered(self, group: Any) -> Any:
        """A group adds arguments by itself, so each is noted here too."""
        add = group.add_argument

        def add_argument(*names: Any, **settings: Any) -> argparse.Action:
            action: argparse.Action = add(*names, **settings)
            self.arguments.append(action)
            return action

        group.add_argument = add_argument
        return group


class _FoldedHelp(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples and wraps everything else to the terminal; a long example's explanation moves to
    the next line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{part}" for line in text.splitlines() for part in folded(line, width - len(indent)))


def folded(line: str, width: int) -> list[str]:
    """A line of help as lines of at most this width; an example that can be copied stays one line."""
    example = _EXAMPLE.fullmatch(line)
    if len(line) <= width or (line.startswith(" ") and example is None):
        return [line]  # a command must stay on one line so that it can be copied
    if example is None:
        return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    command, meaning = example.groups()
    return [command, *textwrap.wrap(meaning, width, initial_indent=" " * 6, subsequent_indent=" " * 6)]
