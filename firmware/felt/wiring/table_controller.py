"""`felt run` as a whole: chooses the configured ports, runs the loop and shuts down in good order."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from felt.config import Config
from felt.config.settings import BoardKind
from felt.desk.desk import Desk
from felt.loop.boot import BootRefused
from felt.loop.inbox import Order
from felt.nouns.values import to_plain
from felt.ports import Board, Disk, Link, Post
from felt.table.redacted import PublicTable
from felt.wiring import devices, table_builder
from felt.wiring.desk import accepted_config_of, desk_memory, open_desk

if TYPE_CHECKING:
    from felt.drivers.line_socket import LineSocket
    from felt.virtual.bench import Bench
    from felt.virtual.board import VirtualBoard
    from felt.virtual.passing import CuttablePost, SlowDisk
    from felt.virtual.shuffler import PtyShuffler

BENCH_WORDS = ("drive", "order", "deal", "peek", "lamp", "plugged", "misdeed", "linked", "disk_ms", "power")
Tell = Callable[[dict[str, Any]], None]


class TableController:
    def __init__(self, config: Config) -> None:
        self._config = config
        self._stopping = False
        self._bench: Bench | None = None
        self._shuffler: PtyShuffler | None = None
        self._desk: Desk | None = None
        self._door: LineSocket | None = None
        self._post: Post | None = None
        self._cut: CuttablePost | None = None
        self._slow: SlowDisk | None = None
        self._told: dict[str, Any] = {}
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as opening:
            virtual = devices.virtual_board(config, on_lamp=self._tell_lamp) if _is_virtual(config) else None
            if virtual is not None and config.bench.levels:
                devices.wake_board(virtual, config.path(config.bench.levels))
            board = virtual or self._pins(opening)
            memory = desk_memory(config, opening)
            self._accepted = accepted_config_of(config, memory)
            link = self._link(opening)
            running = table_builder.build(config, board, link, overhear=self._overhear, slow=self._slowed)
            opening.callback(running.disk.close)
            self.loop = running.loop
            self.reports = (*running.reports, *self._accepted.reports)
            for order in self._accepted.orders(self.loop.shown()):
                self.loop.inbox.put(order)
            if virtual is not None and config.bench.socket:
                self._open_bench(virtual, opening)
            if config.desk.socket:
                self._desk, self._door = open_desk(config, self.loop, opening, memory, self._post)
            self.loop.on_turn = self._after_turn
            self._closing = opening.pop_all()

    def run(self) -> None:
        with self._closing:
            self.loop.start()
            if self._bench is not None:
                self._bench.start()
            self._after_turn()
            if self._door is not None:
                self._door.start()
            while not self._stopping:
                self.loop.tick(self.loop.wait_s())
            self.loop.stop()

    def stop(self) -> None:
        """Called from a signal handler; the loop ends after the current turn."""
        self._stopping = True
        self.loop.inbox.wake()

    # --- ports ---------------------------------------------------------------------------------------

    def _pins(self, opening: contextlib.ExitStack) -> Board:
        assert self._config.profile is not None
        board = devices.gpio_board(self._config.board.kind, self._config.profile)
        opening.callback(board.close)
        return board

    def _link(self, opening: contextlib.ExitStack) -> Link:
        shuffler = self._config.shuffler
        if shuffler.url:
            return devices.serial_link(shuffler.url, shuffler.baud)
        self._shuffler = devices.emulated_shuffler(self._config, opening)
        return devices.serial_link(self._shuffler.path, shuffler.baud)

    # --- the bench of a virtual table ----------------------------------------------------------------

    def _open_bench(self, board: VirtualBoard, opening: contextlib.ExitStack) -> None:
        def serve(request: dict[str, Any], tell: Tell) -> None:
            self._serve(board, request, tell)

        def greet() -> list[dict[str, Any]]:
            shown = [{"lamp": lamp, "shows": shows} for lamp, shows in board.lamps.items()]
            return [self._where(self.loop.shown()), *shown]

        path = self._config.path(self._config.bench.socket)
        try:
            self._bench = devices.open_bench(path, serve, greet, opening)
        except OSError as error:
            problem = f"bench.socket {path} cannot be opened ({error.strerror or error})"
            raise BootRefused("F-501", f"{problem}: name a file in a folder that exists") from None

    def _serve(self, board: VirtualBoard, request: dict[str, Any], tell: Tell) -> None:
        match request:
            case {"drive": str(line), "level": bool(level)}:
                if line not in board.levels():
                    raise ValueError(f"{line!r} is not a line of this table")
                board.drive(line, level)
            case {"order": str(kind), "fields": dict(fields), "id": id_}:
                self.loop.inbox.put(Order(kind, fields, lambda refusal: tell({"reply": id_, "refused": refusal})))
            case {"deal": int(sets)} if self._shuffler is not None and 1 <= sets <= 17:
                self._shuffler.dispense(sets, 3)
                _done(request, tell)
            case {"peek": int(box), "id": id_}:
                tell({"reply": id_, **self._peek(box)})
            case {"power": "cut"}:
                self._cut_power(board)
            case _:
                self._make_trouble(board, request)
                _done(request, tell)

    def _peek(self, box: int) -> dict[str, Any]:
        cards = list(self.loop.own_hand(box))
        return {"cards": cards} if cards else {"refused": f"Box {box} has no cards."}

    def _make_trouble(self, board: VirtualBoard, request: dict[str, Any]) -> None:
        match request:
            case {"lamp": str(lamp), "broken": True}:
                board.break_lamp(lamp, "open")
            case {"lamp": str(lamp), "broken": False}:
                board.repair_lamp(lamp)
            case {"plugged": bool(plugged)} if self._shuffler is not None:
                if plugged != self._shuffler.plugged:
                    (self._shuffler.plug if plugged else self._shuffler.unplug)()
            case {"misdeed": str(misdeed)} if self._shuffler is not None:
                self._shuffler.misbehave(devices.misbehaviour(misdeed))
            case {"linked": bool(linked)} if self._cut is not None:
                self._cut.is_cut = not linked
            case {"disk_ms": int(ms)} if self._slow is not None and 0 <= ms <= 5000:
                self._slow.pause_s = ms / 1000
            case _:
                raise ValueError(f"a bench knows {', '.join(BENCH_WORDS)}, each with what it needs")

    def _slowed(self, disk: Disk) -> Disk:
        if not self._config.bench.socket:
            return disk
        self._slow = devices.slow_disk(disk)
        return self._slow

    def _cut_power(self, board: VirtualBoard) -> None:
        """Cuts the power at once, in the middle of everything; the chips stay where they are."""
        if self._config.bench.levels:
            lying = {line: True for line, level in board.levels().items() if level and not line.startswith("key.")}
            self._config.path(self._config.bench.levels).write_text(json.dumps(lying), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)

    def _overhear(self, post: Post) -> Post:
        self._post = post
        if not self._config.bench.socket:
            return post
        self._cut = devices.cuttable(post)
        return devices.overheard(self._cut, lambda letter: self._tell({"letter": letter.decode()}))

    def _tell_lamp(self, lamp: str, shows: str) -> None:
        self._tell({"lamp": lamp, "shows": shows})

    def _after_turn(self) -> None:
        self._accepted.look(self.loop.shown())
        if self._desk is not None:
            self._desk.show(self.loop.picture())
        if self._bench is not None:
            self._tell_turn(self.loop.shown())

    def _tell_turn(self, table: PublicTable) -> None:
        where = self._where(table)
        if where != self._told:
            self._told = where
            self._tell(where)

    def _where(self, table: PublicTable) -> dict[str, Any]:
        playing = table.round
        return {
            "phase": table.phase,
            "service": table.service.state,
            "link": table.link,
            "round": playing.number if playing else table.tally.rounds,
            "sets": len(playing.plan) // 3 if playing else 0,
            "dealt": len(playing.dealt) if playing else 0,
            "seen": bool(playing and playing.seen),
            "collected": bool(playing and playing.collected),
            "mode": table.panel.mode,
            "decisions": {str(decided.seat): decided.choice for decided in playing.decisions} if playing else {},
            "revealed": bool(playing and playing.revealed),
            "claims": [to_plain(claim) for claim in playing.claims] if playing else [],
            "questions": [to_plain(question) for question in table.irregularity.questions],
            "unanswered": len(table.post.unanswered),
            "tally": to_plain(table.tally),
        }

    def _tell(self, message: dict[str, Any]) -> None:
        if self._bench is not None:
            self._bench.say(message)


def _done(request: dict[str, Any], tell: Tell) -> None:
    """A client that numbered its request hears that it was done."""
    if "id" in request:
        tell({"reply": request["id"], "refused": ""})


def _is_virtual(config: Config) -> bool:
    return config.board.kind is BoardKind.VIRTUAL
