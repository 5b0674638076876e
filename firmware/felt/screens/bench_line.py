"""The hands at a virtual table: a conversation with its workbench, which exists only if the board has no pins. Chips
have values here, as on a real layout. The table only senses that a chip is there."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from felt.screens.desk_line import Connect
from felt.screens.feed import Feed

HOLD_S = 0.09  # how long a key is held and then rests: longer than any line's settle time
ANSWER_S = 5.0
AGAIN_S = 0.5
LINE_BYTES_MAX = 256 * 1024
CHIPS_MAX = 24  # in one stack
CHATTER_TURNS, CHATTER_S = 60, 0.004
NOT_THERE = "The table is not running: nothing was done."


class BenchError(Exception):
    """Why a hand could not do it, in one sentence."""


@dataclass
class Hands:
    """What lies on the layout: the chips of each spot, lowest first, in minor units. None: an unknown value."""

    chips: dict[str, list[int | None]] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)  # the round in which a stack's lowest chip was placed
    stuck: set[str] = field(default_factory=set)  # contacts that no longer follow a chip
    dark: set[str] = field(default_factory=set)  # lamps that are broken
    down: set[str] = field(default_factory=set)  # switches that stay on
    troubles: set[str] = field(default_factory=set)  # that last until a person ends them

    def plain(self) -> dict[str, Any]:
        return {
            "chips": self.chips, "since": self.since, "stuck": sorted(self.stuck), "dark": sorted(self.dark),
            "down": sorted(self.down), "troubles": sorted(self.troubles),
        }  # fmt: skip


class BenchLine:
    def __init__(self, connect: Connect, changed: Callable[[], None]) -> None:
        """Calls `changed` whenever the layout changes."""
        self._connect = connect
        self._changed = changed
        self.hands = Hands()
        self._writer: asyncio.StreamWriter | None = None
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._keys: dict[str, asyncio.Lock] = {}
        self._has_looked = False  # what lay there before this process started

    async def run(self) -> None:
        """Reconnects after each restart of the table; chips stay where they were."""
        while True:
            with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                reader, self._writer = await asyncio.open_unix_connection(sock=self._connect(), limit=LINE_BYTES_MAX)
                self._lay_again()
                while True:
                    self._hear(json.loads(await reader.readuntil(b"\n")))
            if self._writer is not None:
                self._writer.close()
            self._writer = None
            await asyncio.sleep(AGAIN_S)

    def _lay_again(self) -> None:
        """Restores what a restart of the table did not."""
        self.hands.troubles -= {"unplugged", "link_lost", "slow_disk"}
        self.hands.down.clear()
        self.hands.dark.clear()
        for spot, stack in self.hands.chips.items():
            if stack and spot not in self.hands.stuck:
                self.say(drive=spot, level=True)
        self._changed()

    def _hear(self, said: dict[str, Any]) -> None:
        answered = self._waiting.pop(said["reply"], None) if "reply" in said else None
        if answered is not None and not answered.done():
            answered.set_result(said)

    def say(self, **words: Any) -> None:
        if self._writer is None:
            raise BenchError(NOT_THERE)
        self._writer.write(json.dumps(words).encode() + b"\n")

    async def ask(self, **words: Any) -> dict[str, Any]:
        self._asked += 1
        answer = self._waiting[self._asked] = asyncio.get_running_loop().create_future()
        self.say(**words, id=self._asked)
        try:
            async with asyncio.timeout(ANSWER_S):
                said: dict[str, Any] = await answer
        except TimeoutError:
            raise BenchError(NOT_THERE) from None
        finally:
            self._waiting.pop(self._asked, None)
        if said.get("refused"):
            raise BenchError(str(said["refused"]))
        return said

    # --- hands -------------------------------------------------------------------------------------------

    async def press(self, key: str) -> None:
        """Down, held, up. Presses of one key follow each other, as with one finger."""
        async with self._keys.setdefault(key, asyncio.Lock()):
            self.say(drive=f"key.{key}", level=True)
            await asyncio.sleep(HOLD_S)
            self.say(drive=f"key.{key}", level=False)
            await asyncio.sleep(HOLD_S)

    def turn_switch(self, key: str, on: bool) -> None:
        self.say(drive=f"key.{key}", level=on)
        (self.hands.down.add if on else self.hands.down.discard)(key)
        self._changed()

    def place(self, spot: str, worth: int, round_: int, *, sensed: bool) -> None:
        stack = self.hands.chips.setdefault(spot, [])
        if len(stack) >= CHIPS_MAX:
            raise BenchError(f"A stack has at most {CHIPS_MAX} chips: change some for larger ones.")
        self.hands.since.setdefault(spot, round_)
        stack.append(worth)
        self.cover(spot, True, sensed=sensed)

    def lift(self, spot: str, *, sensed: bool, all_of_it: bool = False) -> None:
        stack = self.hands.chips.get(spot, [])
        if not stack:
            raise BenchError("No chip lies there.")
        del stack[0 if all_of_it else -1 :]
        if not stack:
            del self.hands.chips[spot]
            self.hands.since.pop(spot, None)
            self.cover(spot, False, sensed=sensed)
        self._changed()

    def cover(self, spot: str, covered: bool, *, sensed: bool) -> None:
        if sensed and spot not in self.hands.stuck:
            self.say(drive=spot, level=covered)
        self._changed()

    def hands_with(self, feed: Feed) -> Callable[[], dict[str, Any]]:
        """What lies on the layout, including chips that the table senses and nobody placed here: their value is
        unknown."""

        def told() -> dict[str, Any]:
            if self._writer is not None and not self._has_looked:
                self._has_looked = True
                for spot, (present, _, _) in feed.picture.get("spots", {}).items():
                    if present and spot not in self.hands.chips:
                        self.hands.chips[spot] = [None]
                        self.hands.since[spot] = 0
            return self.hands.plain()

        return told

    async def chatter(self, spot: str) -> None:
        level = spot in self.hands.chips
        for turn in range(CHATTER_TURNS):
            self.say(drive=spot, level=level == bool(turn % 2))
            await asyncio.sleep(CHATTER_S)
        self.say(drive=spot, level=level)
