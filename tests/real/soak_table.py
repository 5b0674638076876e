"""One table of the soak: a real `felt run` with its pseudo-terminal, its link and the people around it (the driver of
`test_kill`, linked as in `test_linked`), killed at random moments. Whenever it is dead, the storm's copyist and witness
check what it left on its disk and what it was heard to say."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from typing import Any

from felt.config import load
from felt.journal.opening import open_journal
from felt.journal.replay import replay
from felt.journal.segment import segment_numbers
from felt.letters.from_table import Posted
from felt.loop.boot import _starting_point
from felt.nouns.ids import Spot, kind_of, seat_of
from felt.table import facts
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of
from felt.virtual.disk import ForgetfulDisk
from felt.wire import jackpot
from tests.real.driver import LOOK_S, some_kill
from tests.real.killable import Said
from tests.real.linked import LinkedDriver
from tests.storm.checkers import SPOKEN_FOR
from tests.storm.copyist import Copyist
from tests.storm.witness import Witness

LOST_S = 3
MARKED = 0.5  # how many lives end at a moment of the table's own: with a key, a word, an order, a deal
LONG_S = 20.0  # no life is longer
AWAY_S = 0.5


class LeftBehind:
    """The folder of a journal as a dead table left it. Implements `KeptDisk`: a start would set aside the torn tail of
    a turn that nobody heard of, so that tail does not count as kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._copy = ForgetfulDisk()
        self.table = Table()  # as a start restores it, from the newest snapshot

    def look(self) -> bool:
        """Whether a journal exists yet."""
        copy = ForgetfulDisk()
        files = [path for path in self.folder.glob("[!.]*") if path.is_file()]
        for path in files:
            copy.replace(path.name, path.read_bytes())
        if not segment_numbers([path.name for path in files]):
            return False
        opened = open_journal(copy, "")
        if opened.born:
            return False
        self._copy = copy
        table, records = _starting_point(opened)
        self.table = replay(records, table, Stepper().after, digest_of, facts.decode)
        return True

    def durable(self, name: str) -> bytes:
        return self._copy.read(name) if name in self._copy.names() else b""


class Nobody:
    """Takes what a storm would record, and drops it."""

    story: list[str] | None = None

    def note(self, text: str) -> None:
        pass

    def remark(self, text: str, place: Any = None) -> None:
        pass


class SoakTable(LinkedDriver):
    """Implements `Copied` for the checkers, and `Mortal`."""

    def __init__(self, folder: Path, seed: int, name: str, broker_port: int, keys: Path) -> None:
        super().__init__(folder, seed, broker_port, keys, LOST_S, name)
        self.name = name
        self.config = load(folder / "table.toml")
        self.house = Nobody()
        self.disk = LeftBehind(folder / "journal")
        self.copyist, self.witness = Copyist(reads_the_disk=True), Witness()
        self.replied: dict[str, int] = {}
        self.truths: dict[str, int] = {}
        self.deaths = 0
        self._spared = False  # it does not die any more
        self._closing = False  # no round is opened any more
        self._marks = random.Random(seed + 1)
        self._start_at = 0.0

    # --- lives ---------------------------------------------------------------------------------------

    def start(self) -> None:
        if self._process is None:
            self._start(some_kill(self._marks) if self._marks.random() < MARKED else None)
            self._kill_at = min(self._kill_at, time.monotonic() + self._marks.uniform(0, LONG_S))
            if self._spared:
                self._kill_at = math.inf

    def kill(self) -> None:
        if self._process is not None:
            self._hear(self._process.kill())
            self._forget_the_life()
            self.deaths += 1
            self.look()
            self._start_at = time.monotonic() + self._marks.random() * AWAY_S

    def turn(self) -> None:
        if self._process is None:
            if time.monotonic() >= self._start_at:
                self.start()
        elif time.monotonic() < self._kill_at:
            self._play_on()
        else:
            self.kill()

    def spare(self) -> None:
        self._spared, self._kill_at = True, math.inf

    def close_down(self) -> None:
        self._closing = True

    def at_rest(self) -> bool:
        where = self.tally.where
        rests = self._process is not None and self._process.connected and self._held is None
        return rests and where["phase"] == "IDLE" and where["link"] == "UP" and not where["unanswered"]

    def look(self) -> None:
        """Check what is on the disk of a table that does not run."""
        if self.disk.look():
            self.copyist.compare(self, anew=True)

    def live_digest(self) -> str:
        return digest_of(self.disk.table)

    def answered(self) -> int:
        """The highest letter that the table knows an answer to, by its disk."""
        post = self.disk.table.post
        return post.unanswered[0].sequence - 1 if post.unanswered else post.written

    # --- people --------------------------------------------------------------------------------------

    def _wait_s(self) -> float:
        return min(super()._wait_s(), LOOK_S / 2)  # others want their turn

    def _act(self) -> None:
        where = self.tally.where
        if self._held is None and where:
            if self._closing and where["phase"] == "IDLE":
                return
            if where["phase"] == "VERIFYING" and not any(_may_be_decided(claim) for claim in where["claims"]):
                return
        super()._act()

    def _void_by_whim(self, where: Said) -> bool:
        """Not where the order could cross the end of its round: that would be a correction, which the tally does not
        know."""
        return where["phase"] != "PAYING" and super()._void_by_whim(where)

    def _hear(self, said: list[Said]) -> None:
        for word in said:
            self._witness(word)
            super()._hear([word])

    def _witness(self, said: Said) -> None:
        match said:
            case {"letter": str(text)}:
                message = jackpot.decode(text.encode())
                if isinstance(message, Posted):
                    self.witness.hears(message)
            case {"lamp": str(lamp), "shows": str(shows)} if shows in SPOKEN_FOR:
                if kind_of(Spot(lamp)) == "progressive":
                    self.witness.sees(int(self.tally.where["round"]), {seat_of(Spot(lamp))})
            case {"reply": int(number), "refused": ""}:
                kind = self.tally.pending[number].kind
                self.replied[kind] = self.replied.get(kind, 0) + 1


def _may_be_decided(claim: Said) -> bool:
    return not claim["verdict"] and claim["value_micro"] is not None
