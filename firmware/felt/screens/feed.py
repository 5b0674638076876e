"""What every page is told, asked for once and told to all: one conversation with the desk, however many browsers look.
A page that reads slowly misses pictures in between and never holds up another."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from felt.screens.desk_line import Connect, DeskGone, DeskLine, DeskRefused

AGAIN_S = 0.5  # between two tries to reach a desk that is not there
# Of the table's picture, what the players' sign may have.
SIGN_PARTS = ("number", "table", "state", "round", "meters", "notices", "won")

Message = dict[str, Any]


class Channel:
    """The newest message of a kind, as text that is written once for all readers."""

    def __init__(self) -> None:
        self.text = ""
        self.version = 0
        self._readers: set[asyncio.Event] = set()

    def say(self, message: Message) -> None:
        text = json.dumps(message, separators=(",", ":"))
        if text == self.text:
            return
        self.text, self.version = text, self.version + 1
        for reader in self._readers:
            reader.set()

    @contextlib.contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """An event that is set whenever there is something newer to be read."""
        reader = asyncio.Event()
        reader.set()
        self._readers.add(reader)
        try:
            yield reader
        finally:
            self._readers.discard(reader)


class Feed:
    """Keeps the channels of table and sign at what the desk tells, and says when nobody answers there."""

    def __init__(self, connect: Connect, on_news: Callable[[], None] | None = None) -> None:
        """`on_news` is called after each picture: a table beside this one, whose jackpots the sign shows too."""
        self._connect = connect
        self.table, self.sign = Channel(), Channel()
        self.hands: Callable[[], Message] = dict  # what lies on a virtual table's layout, where there is one
        self.neighbours: list[Feed] = []
        self._on_news = on_news
        self.layout: Message = {}
        self.picture: Message = {}
        self._tell_gone()

    async def run(self) -> None:
        while True:
            try:
                line = await DeskLine.open(self._connect)
                try:
                    await self._follow(line)
                finally:
                    line.close()
            except (DeskGone, DeskRefused):
                self._tell_gone()
            await asyncio.sleep(AGAIN_S)

    async def _follow(self, line: DeskLine) -> None:
        self.layout = await line.ask({"ask": "layout"})
        number = 0
        while True:
            self.picture = await line.ask({"ask": "table", "after": number})
            number = int(self.picture["number"])
            self.retell()
            self.retell_sign()
            if self._on_news is not None:
                self._on_news()

    def retell_sign(self) -> None:
        if not self.picture:
            return
        shown = {part: self.picture[part] for part in SIGN_PARTS}
        shown["won"] = [
            {**won, "table": feed.picture["table"]}
            for feed in (self, *self.neighbours)
            for won in feed.picture.get("won", ())
        ]
        self.sign.say({"layout": self.layout, "picture": shown})

    def retell(self) -> None:
        """Something else lies on the layout, or the table has a new picture."""
        if self.picture:
            self.table.say({"layout": self.layout, "picture": self.picture, "hands": self.hands()})

    def _tell_gone(self) -> None:
        self.picture = {}
        for channel in (self.table, self.sign):
            channel.say({"gone": True})
