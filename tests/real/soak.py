"""The soak: a storm of real parts. A few `felt run` processes with shufflers on pseudo-terminals and virtual pins are
linked through a real Mosquitto to a real `felt jackpot` on PostgreSQL or a file. SIGKILL hits all of them at random
moments. The checkers of the storm judge what was really written.

    PYTHONPATH=firmware python -m tests.real.soak --tables 2 --minutes 5 --seed 1 --database postgresql

Shared with the storm: the copyist (replay with the digest at each record, faults that never come, lines that add up,
acts that did nothing and have their reason), the witness (letters and promises), purse and tally (the second count),
the checks of the office, the shuffler that remembers. With the model: the laws of a purse and of its letters. With the
fleet: who dies and when, the mortal controller, broker and database, and the pit boss. With the kill test: the people
around a table and what they were told."""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from felt.commands.provisioning import provision
from felt.config.jackpot_file import JackpotConfig, load_jackpot
from tests.real.deaths import Deaths
from tests.real.fleet_database import MortalPostgres, mortal_postgres
from tests.real.fleet_house import MortalController, PitBoss, Say
from tests.real.linked import controller_file
from tests.real.mosquitto import Mosquitto
from tests.real.soak_books import SoakBooks
from tests.real.soak_table import SoakTable

TELL_S = 10.0
READ_S = 2.0  # how often the ledger is read while everything runs
TAKEOVER_S = 2  # after a controller of the same database, as soon as possible
REST_S = 90.0  # the time that everybody has to play a round, or to be idle and answered, once nothing dies any more


class Size(NamedTuple):
    tables: int
    seconds: float
    kills: int  # by the clock; tables also die at moments of their own


class Outcome(NamedTuple):
    seconds: float
    to_rest_s: float  # after the last death, with another round at every table
    kills: dict[str, int]
    lives: int  # of tables that ended by SIGKILL
    rounds: int
    facts: int
    letters: int
    awards: int
    voided: int
    orders: int  # of claims that no clock could tell apart
    readings: int  # of the ledger while everything ran


class Soak:
    def __init__(
        self, ends: contextlib.ExitStack, folder: Path, seed: int, size: Size, database: MortalPostgres | None, say: Say
    ) -> None:
        self._size, self._say = size, say
        names = [f"T{number}" for number in range(1, size.tables + 1)]
        self._broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        settings = "" if database is None else f'ledger = "{database.address}"\ntakeover_s = {TAKEOVER_S}'
        config = _provisioned(folder, controller_file(self._broker.port, names, settings=settings), names)
        self._controller = ends.enter_context(contextlib.closing(MortalController(config)))
        self.tables: list[SoakTable] = []
        for place, name in enumerate(names):
            own = folder / name
            own.mkdir()
            table = SoakTable(own, seed * 100 + place, name, self._broker.port, folder / f"link-{name}")
            self.tables.append(ends.enter_context(contextlib.closing(table)))
        self._boss = ends.enter_context(contextlib.closing(PitBoss(self._controller)))
        self._deaths = Deaths(random.Random(seed), self.tables, self._controller, self._broker, database)
        self.books = SoakBooks(config, {table.name: table for table in self.tables})
        self._begun = time.monotonic()
        self._read_at = self._tell_at = 0.0

    def play(self) -> Outcome:
        """First everything dies. Then nothing does, every table plays another round, and all come to rest."""
        moments = self._deaths.moments(self._size.kills, self._size.seconds)
        while (passed := self._passed()) < self._size.seconds or moments:
            if moments and passed >= moments[0]:
                moments.pop(0)
                self._deaths.strike(time.monotonic())
            self._turn()
        calm_at = self._passed()
        played = {table.name: table.tally.count("RoundEnded") for table in self.tables}
        for table in self.tables:
            table.spare()
        self._turn_until(lambda: all(table.tally.count("RoundEnded") > played[table.name] for table in self.tables))
        for table in self.tables:
            table.close_down()
        self._turn_until(lambda: self._deaths.all_are_back and all(table.at_rest() for table in self.tables))
        to_rest_s = self._passed() - calm_at
        self._close_up()
        return self._outcome(to_rest_s)

    def _turn_until(self, truth: Callable[[], bool]) -> None:
        deadline = time.monotonic() + REST_S
        while not truth():
            assert time.monotonic() < deadline, self._stuck()
            self._turn()

    def _passed(self) -> float:
        return time.monotonic() - self._begun

    def _turn(self) -> None:
        passed = self._passed()
        self._controller.keep()
        self._deaths.bring_back(time.monotonic())
        for table in self.tables:
            table.turn()
        if passed >= self._read_at:
            self._read_at = passed + READ_S
            self.books.look_if_possible()
        if passed >= self._tell_at:
            self._tell_at = passed + TELL_S
            self._say(self._progress(passed))

    def _close_up(self) -> None:
        """Stop everything in good order and judge once more what was written."""
        for table in self.tables:
            table.get_up()
            table.look()
            table.tally.check(link_was_lost=True)
        self._boss.close()
        assert self._controller.stop() == 0, self._controller.said()[-2000:]
        self.books.at_rest()

    def _progress(self, passed: float) -> str:
        rounds = sum(table.tally.count("RoundEnded") for table in self.tables)
        facts = sum(table.copyist.facts for table in self.tables)
        lives = sum(table.deaths for table in self.tables)
        return (
            f"{passed:5.0f} s: {rounds} rounds, {facts} facts copied, {len(self.books.letters)} letters counted; "
            f"killed: {self._deaths.said()}; {lives} lives of tables"
        )

    def _stuck(self) -> str:
        told = [(table.name, table.tally.where, table.tally.refusals[-3:]) for table in self.tables]
        status = self._controller.ask({"ask": "status"})
        return f"not everybody came to rest: {told} {status} {self._boss.refusals[-3:]}"

    def _outcome(self, to_rest_s: float) -> Outcome:
        tallies = [table.tally for table in self.tables]
        return Outcome(
            round(self._passed(), 1), round(to_rest_s, 1), dict(sorted(self._deaths.counted.items())),
            sum(table.deaths for table in self.tables),
            sum(tally.count("RoundEnded") for tally in tallies),
            sum(table.copyist.facts for table in self.tables),
            len(self.books.letters),
            sum(tally.count("ClaimConfirmed") for tally in tallies),
            sum(tally.count("RoundVoided") for tally in tallies),
            self._boss.orders, self.books.readings,
        )  # fmt: skip


def _provisioned(folder: Path, text: str, names: list[str]) -> JackpotConfig:
    file = folder / "jackpot.toml"
    file.write_text(text)
    config = load_jackpot(file)
    for name in names:
        provision(config, name, folder / f"link-{name}", rotate=False, finish=False)
    return config


@contextlib.contextmanager
def soak(seed: int, size: Size, on_postgresql: bool, say: Say) -> Iterator[Soak]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-soak-")))
        database = ends.enter_context(mortal_postgres()) if on_postgresql else None
        yield Soak(ends, folder, seed, size, database, say)


def _say(sentence: str) -> None:
    print(f"soak: {sentence}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="A storm of real parts, outside of the test suite.")
    parser.add_argument("--tables", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--kills", type=int, default=0, help="by the clock (one in five seconds)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("postgresql", "sqlite"), default="postgresql")
    given = parser.parse_args()
    seconds = given.minutes * 60
    size = Size(given.tables, seconds, given.kills or max(1, int(seconds / 5)))
    with soak(given.seed, size, given.database == "postgresql", _say) as made:
        print(made.play())
    return 0


if __name__ == "__main__":
    sys.exit(main())
