"""Decides what dies, when it dies and when it comes back: tables, controller, broker and database. Each kind dies as
often as the others, and sometimes two die at about the same time. The fleet and the soak share it."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from tests.real.fleet_database import MortalPostgres
from tests.real.fleet_house import MortalController
from tests.real.mosquitto import Mosquitto

BACK_S = 1.0  # the longest time that a broker, a database or some tables stay away
TWICE = 0.3  # the chance that something else dies at about the same time


class Mortal(Protocol):
    """Something that can be started and killed in any state."""

    def start(self) -> None: ...

    def kill(self) -> None: ...


class Deaths:
    def __init__(
        self,
        chance: random.Random,
        tables: Sequence[Mortal],
        controller: MortalController,
        broker: Mosquitto,
        database: MortalPostgres | None,
    ) -> None:
        self._chance = chance
        self._tables, self._controller, self._broker, self._database = tables, controller, broker, database
        self._kinds = ["tables", "controller", "broker"] + (["database"] if database else [])
        self._bag: list[str] = []
        self._back: list[tuple[float, str, int]] = []  # when, kind, index
        self._away: set[tuple[str, int]] = set()
        self.counted: Counter[str] = Counter()

    @property
    def all_are_back(self) -> bool:
        return not self._back

    def moments(self, kills: int, total: float) -> list[float]:
        """`kills` moments spread over the total, never at even distances."""
        return sorted((place + self._chance.random()) * total / kills for place in range(kills))

    def strike(self, now: float) -> None:
        self._kill(self._next_kind(), now)
        if self._chance.random() < TWICE:
            time.sleep(self._chance.random() * 0.2)
            self._kill(self._chance.choice(self._kinds), now)

    def bring_back(self, now: float) -> None:
        for due in [entry for entry in self._back if entry[0] <= now]:
            self._back.remove(due)
            _, kind, place = due
            self._away.discard((kind, place))
            if kind == "tables":
                self._tables[place].start()
            elif kind == "broker":
                self._broker.start()
            elif self._database is not None:
                self._database.start()

    def said(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in sorted(self.counted.items())) or "nothing"

    def _next_kind(self) -> str:
        if not self._bag:
            self._bag = self._chance.sample(self._kinds, len(self._kinds))
        return self._bag.pop()

    def _kill(self, kind: str, now: float) -> None:
        place = self._chance.randrange(len(self._tables)) if kind == "tables" else 0
        if kind == "controller":
            self._controller.kill()
            self.counted[kind] += 1
            return
        if (kind, place) in self._away:
            return
        if kind == "tables":
            self._tables[place].kill()
        elif kind == "broker":
            self._broker.kill()
        else:
            assert self._database is not None
            by_force = self._chance.random() < 0.5
            self._database.kill() if by_force else self._database.shut_down_immediately()
            self.counted["database, SIGKILL" if by_force else "database, immediate"] += 1
        if kind != "database":
            self.counted[kind] += 1
        self._away.add((kind, place))
        self._back.append((now + self._chance.random() * BACK_S, kind, place))
