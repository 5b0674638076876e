"""A whole table in one process, on the virtual ports and a simulated clock: the production loop, journal store and
jackpot office, without threads or sleeping. Tests, stories and the simulator play their evenings on it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from felt.config import Config, load
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.loop.inbox import Order
from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_MS
from felt.ports import Post
from felt.table.state import Phase, Table
from felt.virtual.board import VirtualBoard
from felt.virtual.clock import VirtualClock
from felt.virtual.disk import ForgetfulDisk, PowerCut
from felt.virtual.link import VirtualLink
from felt.virtual.passing import PassingPost
from felt.virtual.shuffler import ShufflerDevice
from felt.wiring import devices, table_builder, table_settings


class NoWatchdog:
    def ready(self) -> None: ...

    def pat(self) -> None: ...

    def stopping(self) -> None: ...


class Overheard(PassingPost):
    """A post that records what leaves the table, and that can be cut off."""

    def __init__(self, post: Post, hear: Callable[[bytes], None]) -> None:
        super().__init__(post)
        self._hear = hear
        self.cut = False

    def send(self, letter: bytes) -> None:
        if not self.cut:
            self._hear(letter)
            self._post.send(letter)


class LinkOfOneBoot(VirtualLink):
    """The shuffler has its own clock, which does not restart with the table."""

    def __init__(self, device: ShufflerDevice, booted_ns: int, *, plugged: bool = True) -> None:
        super().__init__(device, plugged=plugged)
        self._booted_ns = booted_ns  # the table's boot on the shuffler's clock

    def deliver(self, now_ns: int) -> None:
        data = self.device.tick(self._booted_ns + now_ns)
        if data and self._connected and self._on_bytes is not None:
            self._on_bytes(data, now_ns)

    def next_due_ns(self) -> int:
        return super().next_due_ns() - self._booted_ns


class Evening:
    def __init__(
        self,
        seed: int = 0,
        overrides: Sequence[str] = (),
        decks: Sequence[Sequence[Card]] = (),
        *,
        disk: ForgetfulDisk | None = None,
        device: ShufflerDevice | None = None,
        table_file: Path | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.config: Config = load(table_file, overrides)
        self.clock = VirtualClock(mono_ns=1_000 * NS_PER_MS)
        self.disk = disk or ForgetfulDisk(random.Random(seed + 1).randrange)
        self.device = device or ShufflerDevice(random.Random(seed + 2), decks)
        self.ledger = MemoryLedger()
        self.office = self.new_office()
        self.lamps: dict[str, str] = {}
        self.letters: list[bytes] = []
        self.boots = 1
        self.booted_ns = 0  # when this boot began, counted from the first one
        self.board: VirtualBoard = self.new_board()
        self.link: VirtualLink = LinkOfOneBoot(self.device, self.booted_ns)
        self.post: Overheard
        self.running: table_builder.BuiltTable | None = None
        self.boot()

    def _lamp(self, lamp: str, pattern: str) -> None:
        self.lamps[lamp] = pattern

    def new_board(self) -> VirtualBoard:
        """Subclasses override it to delay lines or to watch lamps."""
        return devices.virtual_board(self.config, self.clock, self._lamp)

    def new_office(self) -> Office:
        return Office(self.ledger, table_settings.meter_terms_of(self.config))

    def new_post(self) -> Post | None:
        """Subclasses override it to keep meters elsewhere. None: the office is in the table's own process."""
        return None

    def way_to_the_office(self, post: Post) -> Post:
        """Subclasses override it to lose letters and answers on their way."""
        return post

    def world_ns(self) -> int:
        """Time for the people at the table: it continues across power cuts."""
        return self.booted_ns + self.clock.now_ns()

    @property
    def table(self) -> Table:
        assert self.running is not None, "the power is off"
        return self.running.loop.table

    @property
    def phase(self) -> Phase:
        return self.table.phase

    # --- power ---------------------------------------------------------------------------------------

    def boot(self, version: str | None = None) -> None:
        """Starts the firmware on the disk's present content, as the installed version or as `version`."""
        self.disk.power_on()
        levels = self.board.levels()
        self.lamps.clear()
        self.board = self.new_board()
        for line, level in levels.items():
            self.board.drive_unnoticed(line, level)
        self.link = LinkOfOneBoot(self.device, self.booted_ns, plugged=self.link.plugged)

        def overhear(post: Post) -> Post:
            self.post = Overheard(self.way_to_the_office(post), self.letters.append)
            return self.post

        post = self.new_post()
        self.running = table_builder.build(
            self.config,
            self.board,
            self.link,
            clock=self.clock,
            disk=self.disk,
            office=self.office if post is None else None,
            post=post,
            watchdog=NoWatchdog(),
            overhear=overhear,
            nonce=lambda: "00c0ffee",
            firmware=version,
        )
        self.running.loop.start()

    def power_cut(self, off_ms: int = 5_000) -> None:
        """Loses everything that was not synced and all volatile state. The wall clock continues."""
        self.running = None
        self.link.close()
        self.disk.power_cut()
        self.boots += 1
        self.booted_ns += self.clock.now_ns() + off_ms * NS_PER_MS
        self.clock.reboot(f"{self.boots:08x}", off_ms * NS_PER_MS)

    # --- time ----------------------------------------------------------------------------------------

    def advance(self, ms: int) -> None:
        """Lets time pass and runs the loop whenever something is due. A `PowerCut` of the disk escapes."""
        until_ns = self.clock.now_ns() + ms * NS_PER_MS
        while True:
            self.tick()
            assert self.running is not None
            due_ns = min(self.running.loop.next_due_ns(), self.link.next_due_ns())
            if due_ns > until_ns:
                break
            self.clock.advance_to(max(due_ns, self.clock.now_ns() + NS_PER_MS // 10))
        self.clock.advance_to(until_ns)
        self.tick()

    def tick(self) -> None:
        assert self.running is not None
        loop = self.running.loop
        self.link.deliver(self.clock.now_ns())
        loop.tick()
        while not loop.inbox.empty():
            loop.tick()

    def until(self, truth: Callable[[], bool], within_ms: int = 10_000) -> None:
        for _ in range(within_ms // 10):
            if truth():
                return
            self.advance(10)
        raise AssertionError(f"did not happen within {within_ms} ms; the table is {self.table}")

    # --- people --------------------------------------------------------------------------------------

    def press(self, key: str, hold_ms: int = 60) -> None:
        """`press("open")`, `press("seat_3")`: down, held, up, and a pause that is long enough for the table to
        recognise it."""
        self.board.drive(f"key.{key}", True)
        self.advance(hold_ms)
        self.board.drive(f"key.{key}", False)
        self.advance(hold_ms)

    def chip(self, spot: str, present: bool = True) -> None:
        self.board.drive(spot, present)

    def place_antes(self, *seats: int) -> None:
        """Opens a closed table and a round, and places an Ante on these boxes."""
        assert self.order("TableOpened", person="supervisor") == ""
        self.press("open")
        for seat in seats:
            self.chip(f"{seat}.ante")
        self.advance(300)

    def order(self, kind: str, **fields: Any) -> str:
        """Gives a person's order. Returns the reason of a refusal, or an empty text."""
        assert self.running is not None
        answers: list[str] = []
        self.running.loop.inbox.put(Order(kind, fields, answers.append))
        self.tick()
        return answers[0]

    def deal(self, sets: int | None = None) -> None:
        """Presses the shuffler's own key: one hand of three for each box in play, and the dealer's."""
        playing = self.table.round
        assert playing is not None
        self.device.dispense(sets or len(playing.plan) // 3, 3)


__all__ = ["Evening", "NoWatchdog", "Overheard", "PowerCut"]
