"""Everything needed to play: the running table, its board's lines, the shuffler's key, and a supervisor."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from felt.config import Config
from felt.loop.inbox import Order
from felt.nouns.stamps import KEY_MARGIN_MS, NS_PER_MS
from felt.ports import Post
from felt.table.redacted import PublicTable
from felt.wiring import devices, table_builder
from felt.wiring.desk import open_desk

CARDS_EACH = 3


class DemoStage:
    """The table and everything around it. Actions can be delayed: a key goes down now and comes up later."""

    def __init__(self, config: Config, seed: int | None, chips: Path) -> None:
        """`chips` stores the position of the chips, since on a real table they stay when the power fails."""
        self.config = config
        self.chance = random.Random(seed)
        self._closing = ExitStack()
        # The deck has its own random generator, so a player's delay does not change the cards.
        lots = None if seed is None else seed + 1
        self.shuffler = devices.emulated_shuffler(config, self._closing, lots)
        self.board = devices.virtual_board(config)
        self._chips = chips
        if chips.exists():
            devices.wake_board(self.board, chips)
        self._lying = self._chips_lying()
        link = devices.serial_link(self.shuffler.path, config.shuffler.baud)
        self._post: Post | None = None
        self.running = table_builder.build(config, self.board, link, overhear=self._remember)
        self.loop = self.running.loop
        self._later: list[tuple[int, Callable[[], None]]] = []
        self._rested_ns: dict[str, int] = {}
        self.refusals: list[str] = []

    @property
    def table(self) -> PublicTable:
        return self.loop.shown()

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def after(self, ms: int, act: Callable[[], None]) -> None:
        self._later.append((self.now_ns() + ms * NS_PER_MS, act))
        self._later.sort(key=lambda entry: entry[0])

    def busy(self) -> bool:
        return bool(self._later)

    def tick(self, wait_s: float) -> None:
        now_ns = self.now_ns()
        while self._later and self._later[0][0] <= now_ns:
            self._later.pop(0)[1]()
        if self._later:
            wait_s = min(wait_s, max(0, self._later[0][0] - now_ns) / (1000 * NS_PER_MS))
        self._keep_chips()
        self.loop.tick(min(wait_s, self.loop.wait_s()))

    def _chips_lying(self) -> dict[str, bool]:
        return {line: True for line, level in self.board.levels().items() if level and not line.startswith("key.")}

    def _keep_chips(self) -> None:
        lying = self._chips_lying()
        if lying != self._lying:
            self._lying = lying
            written = self._chips.with_suffix(".new")
            written.write_text(json.dumps(lying), encoding="utf-8")
            written.replace(self._chips)

    # --- acts ----------------------------------------------------------------------------------------

    def press(self, key: str, delay_ms: int = 0) -> None:
        """Presses and releases a key, timed by the real moments. Neither a fast press nor a slow machine merges two
        presses or loses one."""
        line, hold_ms = f"key.{key}", self.config.board.settle_ms + KEY_MARGIN_MS

        def go_down() -> None:
            if self.board.levels()[line] or self.now_ns() < self._rested_ns.get(key, 0):
                self.after(hold_ms, go_down)
                return
            self.board.drive(line, True)
            self.after(hold_ms, come_up)

        def come_up() -> None:
            self.board.drive(line, False)
            self._rested_ns[key] = self.now_ns() + hold_ms * NS_PER_MS
            self.after(hold_ms, lambda: None)

        self.after(delay_ms, go_down)

    def chip(self, spot: str, present: bool = True, delay_ms: int = 0) -> None:
        self.after(delay_ms, lambda: self.board.drive(spot, present))

    def order(self, kind: str, **fields: Any) -> None:
        self.loop.inbox.put(Order(kind, fields, self._reply))

    def _reply(self, refusal: str) -> None:
        if refusal:
            self.refusals.append(refusal)

    def deal(self) -> str:
        """Presses the shuffler's own key: a set of three for each hand of the plan. Returns why nothing is dealt."""
        playing = self.table.round
        if playing is None or not playing.plan:
            return "there is nothing to deal before bets are locked"
        if playing.dealt or not self.shuffler.quiet():
            return "the shuffler has already dealt this round"
        sets = -(-len(playing.plan) // CARDS_EACH)
        self.shuffler.dispense(sets, CARDS_EACH)
        return ""

    def _remember(self, post: Post) -> Post:
        self._post = post
        return post

    def open_desk(self) -> None:
        """Opens a desk for a console on the same host. Sign-ins are not printed, because the screen belongs to the
        table."""
        desk, door = open_desk(self.config, self.loop, self._closing, post=self._post)
        desk.tell = lambda _: None

        def show() -> None:
            desk.show(self.loop.picture())

        self.loop.on_turn = show
        show()
        door.start()

    def clear_chips(self, kinds: tuple[str, ...] = ()) -> None:
        for line, level in self.board.levels().items():
            if level and not line.startswith("key.") and (not kinds or line.partition(".")[2] in kinds):
                self.board.drive(line, False)

    def close(self) -> None:
        self._keep_chips()
        self.loop.stop()
        self.running.disk.close()
        self._closing.close()
