"""The great kill: many tables play through a real broker against `felt jackpot` on a real database, and anything may
die at any moment. Afterwards the ledger is compared with what the dealers did, to the micro-unit.

    PYTHONPATH=firmware python -m tests.real.fleet --tables 50 --rounds 200 --kills 100 --database postgresql
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.real.deaths import Deaths
from tests.real.fleet_audit import Found, audit, signs_agree
from tests.real.fleet_database import MortalPostgres, mortal_postgres
from tests.real.fleet_house import MortalController, MortalGroup, PitBoss, Say, write_controller_file
from tests.real.fleet_table import Group
from tests.real.mosquitto import Mosquitto

STEP_S = 0.02
TELL_S = 5.0
QUIET_S = 3.0  # a sign that lags is corrected by the next answers, one a second


class Size(NamedTuple):
    tables: int
    groups: int
    rounds: int
    kills: int
    within_s: float


class Outcome(NamedTuple):
    kills: dict[str, int]
    restarts: int  # restarts of a controller whose ledger failed
    orders: int  # orders for claims that no clock could tell apart
    seconds: float
    found: Found


class Fleet:
    def __init__(
        self, ends: contextlib.ExitStack, folder: Path, seed: int, size: Size, database: MortalPostgres | None, say: Say
    ) -> None:
        self._seed, self._size, self._say = seed, size, say
        self._chance = random.Random(seed)
        self._names = [f"T{number:02d}" for number in range(1, size.tables + 1)]
        self._broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        ledger = "jackpot.ledger" if database is None else database.address
        self.config = write_controller_file(folder, self._broker.port, self._names, ledger)
        self._controller = ends.enter_context(contextlib.closing(MortalController(self.config)))
        self._groups = [
            ends.enter_context(contextlib.closing(self._group(folder, place))) for place in range(size.groups)
        ]
        self._boss = ends.enter_context(contextlib.closing(PitBoss(self._controller)))
        self._deaths = Deaths(self._chance, self._groups, self._controller, self._broker, database)
        self._agreed: tuple[float, dict[str, dict[str, int]]] | None = None  # since when, and on which signs

    def _group(self, folder: Path, place: int) -> MortalGroup:
        tables = self._names[place :: self._size.groups]
        told, outbox = folder / f"group-{place}.told", folder / f"group-{place}.outbox"
        group = Group(self._seed, self._size.rounds, tables, self._broker.port, str(folder), str(outbox), str(told))
        return MortalGroup(folder, f"group-{place}", group)

    def play(self) -> Outcome:
        """Play until every table has played its rounds and every sign shows the same."""
        begun = time.monotonic()
        told_at = begun
        for group in self._groups:
            group.start()
        # Kills are spread over the rounds played. The last rounds are undisturbed.
        thresholds = self._deaths.moments(self._size.kills, self._size.tables * self._size.rounds * 0.97)
        while not (self._is_over(told := self._told()) and not thresholds):
            now = time.monotonic()
            self._controller.keep()
            self._deaths.bring_back(now)
            rounds = sum(group["rounds"] for group in told)
            if thresholds and rounds >= thresholds[0]:
                thresholds.pop(0)
                self._deaths.strike(now)
            if now - told_at >= TELL_S:
                told_at = now
                self._say(self._progress(told, now - begun))
            troubles = [trouble for group in told for trouble in group["troubles"]]
            assert not troubles, troubles[:5]
            assert now - begun < self._size.within_s, self._stuck(told)
            time.sleep(STEP_S)
        return self._close_up(time.monotonic() - begun)

    # --- watching --------------------------------------------------------------------------------------

    def _told(self) -> list[dict[str, Any]]:
        return [group.told() for group in self._groups]

    def _is_over(self, told: list[dict[str, Any]]) -> bool:
        """All rounds are played, and the signs have agreed for long enough that every table had an answer since."""
        signs = _signs(told)
        if not self._deaths.all_are_back or not all(group["done"] for group in told) or not signs_agree(signs):
            self._agreed = None
        elif self._agreed is None or self._agreed[1] != signs:
            self._agreed = (time.monotonic(), signs)
        return self._agreed is not None and time.monotonic() - self._agreed[0] >= QUIET_S

    def _progress(self, told: list[dict[str, Any]], seconds: float) -> str:
        rounds, letters = (sum(group[what] for group in told) for what in ("rounds", "letters"))
        total = self._size.tables * self._size.rounds
        killed = self._deaths.said()
        return f"{seconds:5.0f} s: {rounds} of {total} rounds, {letters} letters answered; killed: {killed}"

    def _stuck(self, told: list[dict[str, Any]]) -> str:
        status = self._controller.ask({"ask": "status"})
        said = self._controller.said()[-2000:]
        return f"the fleet is stuck: {told} {status} {self._boss.refusals[-3:]} {said}"

    def _close_up(self, seconds: float) -> Outcome:
        told = self._told()
        for group in self._groups:
            assert group.stop() == 0
        self._boss.close()
        assert self._controller.stop() == 0, self._controller.said()[-2000:]
        outboxes = {group.group.outbox: group.group.tables for group in self._groups}
        found = audit(self.config, self._seed, self._size.rounds, outboxes, _signs(told))
        kills = dict(sorted(self._deaths.counted.items()))
        return Outcome(kills, self._controller.ended_by_itself, self._boss.orders, seconds, found)


def _signs(told: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    return {table: sign for group in told for table, sign in group["signs"].items()}


@contextlib.contextmanager
def fleet(seed: int, size: Size, on_postgresql: bool, say: Say) -> Iterator[Fleet]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-fleet-")))
        database = ends.enter_context(mortal_postgres()) if on_postgresql else None
        yield Fleet(ends, folder, seed, size, database, say)


def _say(sentence: str) -> None:
    print(f"fleet: {sentence}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="The great kill, outside of the test suite.")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--groups", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=float, default=1800.0, help="seconds")
    parser.add_argument("--database", choices=("postgresql", "sqlite"), default="postgresql")
    given = parser.parse_args()
    size = Size(given.tables, given.groups, given.rounds, given.kills, given.within)
    with fleet(given.seed, size, given.database == "postgresql", _say) as made:
        print(made.play())
    return 0


if __name__ == "__main__":
    sys.exit(main())
