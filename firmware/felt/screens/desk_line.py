"""One conversation with a table's desk, for a process that must not wait: the asynchronous client of the protocol that
the console also uses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from felt.nouns.lines import ANSWER_BYTES_MAX, DESK_VERSION, LineError, read_answer, write_line

Connect = Callable[[], socket.socket]  # returns a connected socket, or raises OSError if nobody answers
PATIENCE_S = 15.0
GONE = "The table controller does not answer."


class DeskGone(Exception):
    """Nobody answers at the desk. One sentence."""


class DeskRefused(Exception):
    """The desk's own sentence; `needs` names what would help."""

    def __init__(self, sentence: str, needs: str = "") -> None:
        super().__init__(sentence)
        self.needs = needs


class DeskLine:
    """Questions are answered one after another. A person who signs in here stays signed in until it is closed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()
        self._asked = 0

    @classmethod
    async def open(cls, connect: Connect) -> DeskLine:
        try:
            reader, writer = await asyncio.open_unix_connection(sock=connect(), limit=ANSWER_BYTES_MAX)
        except OSError:
            raise DeskGone(GONE) from None
        return cls(reader, writer)

    async def ask(self, words: dict[str, Any]) -> dict[str, Any]:
        async with self._turn:
            self._asked += 1
            try:
                self._writer.write(write_line({"felt": DESK_VERSION, "id": self._asked, **words}))
                async with asyncio.timeout(PATIENCE_S):
                    await self._writer.drain()
                    line = await self._reader.readuntil(b"\n")
                answer = read_answer(line)
            except (OSError, LineError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                self.close()
                raise DeskGone(GONE) from None
        if "refused" in answer:
            raise DeskRefused(str(answer["refused"]), str(answer.get("needs", "")))
        found = answer.get("answer")
        return found if isinstance(found, dict) else {}

    def close(self) -> None:
        self._writer.close()
