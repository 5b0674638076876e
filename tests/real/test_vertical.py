"""One whole round through the real drivers: gpiozero's mock pins moved with bounce by a hand in another thread; cards
over a pseudo-terminal with pyserial; the disk's own folder and the jackpot's own SQLite file; and the loop in its own
thread. Only the silicon and the people are missing."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from felt.config import Config, load
from felt.drivers.board import GpioBoard
from felt.drivers.disk import FolderDisk
from felt.journal.reading import read_records
from felt.loop.inbox import Order
from felt.nouns.cards import DECK, parse_cards
from felt.nouns.values import to_plain
from felt.ports import Disk
from felt.table.state import Phase, Table
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from felt.wiring import devices, table_builder

PROFILE = Path(__file__).resolve().parents[2] / "hw" / "boards" / "three-seat-header.toml"
PATIENCE_S = 20.0
BOUNCES = 3
# Longer than the 20 ms in which a line of this board settles: the edges' own stamps are then far enough apart.
HOLD_S = 0.05
STEADY_S = 1.1  # longer than the longest time that a blinking pattern stays lit

ROYAL = parse_cards("As Ks Qs 2c 7d 9h Js Ts 2d")  # box 1, box 2, the dealer
AWARD_MINOR = 5_000_000 + 2 * 500 * 2000 // 10_000


def until(truth: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not truth():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


class Hand:
    """Moves pins from its own thread, and every contact bounces."""

    def __init__(self, board: GpioBoard, config: Config) -> None:
        assert config.profile is not None
        self._pins = {line.name: board.factory.pin(line.line) for line in config.profile.input}
        self._wanted: SimpleQueue[tuple[str, bool] | None] = SimpleQueue()
        self._done = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name="hand")
        self._thread.start()

    def press(self, key: str) -> None:
        self.move(f"key.{key}", True)
        self.move(f"key.{key}", False)

    def move(self, line: str, active: bool) -> None:
        """Returns when the contact has been at rest for longer than it needs to settle."""
        self._wanted.put((line, active))
        assert self._done.acquire(timeout=PATIENCE_S)

    def close(self) -> None:
        self._wanted.put(None)
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        while (wanted := self._wanted.get()) is not None:
            line, active = wanted
            pin = self._pins[line]
            close, open_ = pin.drive_low, pin.drive_high  # every contact of this board closes to ground
            for _ in range(BOUNCES):
                (close if active else open_)()
                (open_ if active else close)()
            (close if active else open_)()
            time.sleep(HOLD_S)
            self._done.release()


class Vertical:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        deck = (*ROYAL, *(card for card in DECK if card not in ROYAL))
        device = ShufflerDevice(random.Random(1), [deck], packets=True)
        self.shuffler = PtyShuffler(device, folder / "shuffler")
        self.shuffler.plug()
        self.config = load(_table_file(folder, self.shuffler.path))
        assert self.config.profile is not None
        self.board = devices.gpio_board(self.config.board.kind, self.config.profile)
        link = devices.serial_link(self.config.shuffler.url, self.config.shuffler.baud)
        self.running = table_builder.build(self.config, self.board, link)
        self.hand = Hand(self.board, self.config)
        self._lamps = {line.name: self.board.factory.pin(line.line) for line in self.config.profile.output}
        self._stopping = False
        self._loop = threading.Thread(target=self._run, name="table")
        self._loop.start()

    @property
    def table(self) -> Table:
        return self.running.loop.table

    def _run(self) -> None:
        loop = self.running.loop
        loop.start()
        while not self._stopping:
            loop.tick(loop.wait_s())
        loop.stop()

    def phase_comes(self, phase: Phase) -> None:
        until(lambda: self.table.phase is phase)

    def order(self, kind: str, **fields: Any) -> str:
        answers: SimpleQueue[str] = SimpleQueue()
        self.running.loop.inbox.put(Order(kind, fields, answers.put))
        return answers.get(timeout=PATIENCE_S)

    def is_lit(self, lamp: str) -> bool:
        return bool(self._lamps[lamp].state)

    def written(self, lamp: str) -> list[bool]:
        """Every level that the output was ever set to: mock pins remember."""
        return [bool(state) for _, state in self._lamps[lamp].states]

    def stop(self) -> None:
        self._stopping = True
        self.running.loop.inbox.wake()
        self._loop.join(PATIENCE_S)
        assert not self._loop.is_alive()

    def close(self) -> None:
        self.hand.close()
        self.stop()
        self.running.disk.close()
        self.shuffler.close()


def _table_file(folder: Path, url: str) -> Path:
    file = folder / "table.toml"
    file.write_text(
        f"""
        [table]
        seats = 3
        [board]
        kind = "mock"
        profile = "{PROFILE}"
        sensed = ["ante", "progressive"]
        [shuffler]
        url = "{url}"
        """
    )
    return file


@pytest.fixture
def vertical(tmp_path: Path) -> Iterator[Vertical]:
    with contextlib.closing(Vertical(tmp_path)) as table:
        yield table


def test_one_round_with_a_jackpot_goes_through_pins_serial_line_disk_and_ledger(vertical: Vertical) -> None:
    _bets_are_placed_and_locked(vertical)
    _lamps_tell_accepted_from_late(vertical)
    _cards_are_dealt_and_decided(vertical)
    _the_jackpot_is_confirmed_and_paid(vertical)
    ended = vertical.table
    vertical.stop()
    _every_output_is_safe(vertical)
    _the_ledger_holds_the_round(vertical.folder)
    _the_journal_holds_the_round(vertical.running.disk, ended)


def _bets_are_placed_and_locked(vertical: Vertical) -> None:
    until(lambda: vertical.table.link == "UP" and vertical.table.shuffler.connected)
    assert vertical.order("TableOpened", person="supervisor") == ""
    until(lambda: vertical.is_lit("key.open"))
    vertical.hand.press("open")
    vertical.phase_comes(Phase.BETTING)
    for spot in ("1.ante", "1.progressive", "2.ante", "2.progressive"):
        vertical.hand.move(spot, True)
    until(lambda: not vertical.is_lit("key.open") and vertical.is_lit("key.no_more_bets"))
    vertical.hand.press("no_more_bets")
    vertical.phase_comes(Phase.DEALING)
    assert vertical.table.round is not None
    accepted = [(bet.seat, bet.wager) for bet in vertical.table.round.bets if bet.accepted]
    assert accepted == [(1, "ante"), (1, "progressive"), (2, "ante"), (2, "progressive")]


def _lamps_tell_accepted_from_late(vertical: Vertical) -> None:
    until(lambda: vertical.is_lit("1.progressive") and vertical.is_lit("2.progressive"))
    until(lambda: not vertical.is_lit("3.progressive"))
    before = {lamp: vertical.written(lamp) for lamp in ("1.progressive", "2.progressive", "3.progressive")}
    time.sleep(STEADY_S)  # the check is that nothing changes
    assert {lamp: vertical.written(lamp) for lamp in before} == before
    vertical.hand.move("3.progressive", True)
    until(lambda: vertical.is_lit("3.progressive"))
    until(lambda: not vertical.is_lit("3.progressive"))  # late: it flashes
    vertical.hand.move("3.progressive", False)


def _cards_are_dealt_and_decided(vertical: Vertical) -> None:
    vertical.hand.press("collect")
    until(lambda: vertical.table.round is not None and vertical.table.round.collected)
    assert vertical.table.round is not None
    vertical.shuffler.dispense(3, 3)
    vertical.phase_comes(Phase.DECIDING)
    vertical.hand.press("cards_seen")
    vertical.hand.press("play")
    vertical.hand.press("seat_1")
    vertical.hand.press("fold")
    vertical.hand.press("seat_2")
    vertical.hand.press("reveal")
    vertical.phase_comes(Phase.REVEALING)
    assert tuple(dealt.card for dealt in vertical.table.round.dealt) == ROYAL


def _the_jackpot_is_confirmed_and_paid(vertical: Vertical) -> None:
    vertical.hand.press("settle")
    vertical.phase_comes(Phase.VERIFYING)
    assert vertical.table.round is not None
    assert [(claim.claim, claim.award_minor) for claim in vertical.table.round.claims] == [("1.1", AWARD_MINOR)]
    assert vertical.order("ClaimConfirmed", claim="1.2", person="supervisor") != ""
    assert vertical.order("ClaimConfirmed", claim="1.1", person="supervisor") == ""
    vertical.phase_comes(Phase.PAYING)
    for spot in ("1.ante", "1.progressive", "2.ante", "2.progressive"):
        vertical.hand.move(spot, False)
    vertical.hand.press("settle")
    vertical.phase_comes(Phase.IDLE)
    until(lambda: not vertical.table.post.unanswered)
    assert to_plain(vertical.table.tally) == {
        "rounds": 1, "settled": 1, "voided": 0, "contributions_minor": 1000, "awards_minor": AWARD_MINOR,
    }  # fmt: skip
    assert vertical.table.service.faults == ()
    report = vertical.running.office.report()
    assert (report.conserved, report.problem, report.alarms) == (True, "", 0)
    assert (report.contributions_minor, report.awards_minor) == (1000, AWARD_MINOR)


def _every_output_is_safe(vertical: Vertical) -> None:
    profile = vertical.config.profile
    assert profile is not None
    for output in profile.output:
        assert output.active == "high"
        assert vertical.written(output.name)[-1] is False, f"{output.name} is left lit"


def _the_ledger_holds_the_round(folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(f"file:{folder}/jackpot.ledger?mode=ro", uri=True)) as ledger:
        letters = ledger.execute("SELECT kind, body FROM letters ORDER BY sequence").fetchall()
    kinds = [kind for kind, _ in letters]
    assert kinds == ["RoundLocked", "RoundDealt", "RoundResult", "ClaimConfirmed", "RoundEnded"]
    locked = json.loads(letters[0][1])
    assert locked["contributions"] == [[1, 500], [2, 500]]


def _the_journal_holds_the_round(disk: Disk, ended: Table) -> None:
    assert isinstance(disk, FolderDisk)
    written = [json.loads(record.payload) for record in read_records(disk)]
    assert tuple(fact["card"] for fact in written if fact["is"] == "CardDealt") == ROYAL
    assert written[-1]["is"] == "EraClosed"
    assert not [fact for fact in written if fact["is"] in ("StepFailed", "FaultRaised")]
    assert ended.previous is not None
    assert ended.previous.ended
