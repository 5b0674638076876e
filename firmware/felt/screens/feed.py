"""What every page shows. It is asked for once, by one conversation with the desk, and sent to all browsers. A page that
reads slowly misses pictures and never delays another page."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from felt.screens.desk_line import Connect, DeskGone, DeskLine, DeskRefused

AGAIN_S = 0.5  # between two attempts to reach the desk
# The part of the table's picture that the players' sign may have.
SIGN_PARTS = ("number", "table", "state", "round", "meters", "notices", "won")

Message = dict[str, Any]


class Channel:
    """The newest message of a kind, as text that is encoded once for all readers."""

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
        """An event that is set when there is something newer to read."""
        reader = asyncio.Event()
        reader.set()
        self._readers.add(reader)
        try:
            yield reader
        finally:
            self._readers.discard(reader)


class Feed:
    """Keeps the channels of table and sign up to date from the desk, and reports when nobody answers there."""

    def __init__(self, connect: Connect, on_news: Callable[[], None] | None = None) -> None:
        """`on_news` is called after each picture, for a sign that also shows this table's jackpots."""
        self._connect = connect
        self.table, self.sign = Channel(), Channel()
        self.hands: Callable[[], Message] = dict  # what lies on a virtual table's layout, if there is one
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
        """Sends again: the layout changed, or the table has a new picture."""
        if self.picture:
            self.table.say({"layout": self.layout, "picture": self.picture, "hands": self.hands()})

    def _tell_gone(self) -> None:
        self.picture = {}
        for channel in (self.table, self.sign):
            channel.say({"gone": True})
