"""What people do wrong: they press keys out of turn, reach onto the felt, give orders at the wrong time, declare
mishaps, pull plugs and start tests during play."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from felt.nouns.ids import CODE_DIGITS
from felt.rules.mishaps import Mishap
from felt.table.keys import KEYS
from felt.table.panel import SIGN_IN
from felt.table.state import Table
from tests.storm.errands import Scene, any_errand

if TYPE_CHECKING:
    from tests.storm.place import Place

Waits = Generator[float, None, None]


class Blunders(ABC):
    _place: Place
    _chance: random.Random
    _hands: tuple[str, ...]

    @abstractmethod
    def _order(self, kind: str, **fields: Any) -> Generator[float, None, str]: ...

    @abstractmethod
    def _press(self, key: str) -> Waits: ...

    @abstractmethod
    def _void(self, reason: str) -> Waits: ...

    @abstractmethod
    def _any_spot(self) -> str: ...

    @abstractmethod
    def _table(self) -> Table: ...

    def _any_seat(self) -> int:
        return self._chance.randrange(1, self._place.seats + 1)

    def _blunder(self) -> Waits:
        place, chance = self._place, self._chance
        match chance.randrange(24):
            case 0 | 1 | 9 | 10:
                place.press_key(chance.choice(KEYS).name, chance.uniform(0, 50), chance.uniform(3, 90))
            case 2:
                for key in chance.sample(KEYS, 3):
                    place.press_key(key.name, chance.uniform(0, 100), chance.uniform(20, 60))
            case 3:
                place.press_key(f"seat_{self._any_seat()}", 0, 60)
            case 4 | 5 | 11 | 12 | 13:
                self._reach_in()
            case 6:
                sets = chance.randrange(1, 4)
                place.tell(f"deals {sets} hands out of turn")
                place.device.dispense(sets, chance.choice((1, 3)))
                place.hurry()
            case 17:
                place.turn_switch(chance.choice(("supervisor", "door")))
            case lot:
                yield from self._misjudge(lot)
        yield chance.uniform(5, 200)

    def _misjudge(self, lot: int) -> Waits:
        match lot:
            case 8:
                yield from self._void("by mistake")
            case 16:
                yield from self._play_with_modes()
            case 18 | 19:
                yield from self._declare()
            case 20:
                yield from self._misdeal_key()
            case 21:
                yield from self._service_work()
            case 22 if self._chance.random() < 0.4:
                yield from self._enter_a_code()
            case _:
                yield from self._overreach()

    def _play_with_modes(self) -> Waits:
        """OTHER a few times, then boxes."""
        for _ in range(self._chance.randrange(1, 6)):
            yield from self._press("other")
        for _ in range(self._chance.randrange(4)):
            yield from self._press(f"seat_{self._any_seat()}")

    def _misdeal_key(self) -> Waits:
        """MISDEAL until it names something, then a box, or SETTLE for the dealer's cards."""
        for _ in range(self._chance.randrange(1, 8)):
            yield from self._press("misdeal")
        yield from self._press(self._chance.choice((f"seat_{self._any_seat()}", "settle", f"seat_{self._any_seat()}")))

    def _declare(self) -> Waits:
        mishap = self._chance.choice(tuple(Mishap))
        where = self._chance.choice((str(self._any_seat()), "dealer", ""))
        other = self._chance.choice(("", str(self._any_seat())))
        yield from self._order(
            "IrregularityDeclared", mishap=str(mishap), where=where, evidence="as the dealer says",
            person="supervisor", role="supervisor", other=other, count=self._chance.choice((0, 2, 4)),
        )  # fmt: skip

    def _reach_in(self) -> None:
        spot = self._any_spot()
        present = not self._place.intended(spot)
        self._place.move_chip(spot, present, 0, self._chance.choice((0, 2)))
        if self._chance.random() < 0.5:
            self._place.move_chip(spot, not present, self._chance.uniform(5, 200))

    def _overreach(self, *, modest: bool = False) -> Waits:
        """Gives orders that make no sense now."""
        scene = Scene(self._place, self._table(), self._chance, self._any_spot(), self._hands)
        kind, words = any_errand(scene, modest=modest)
        yield from self._order(kind, **words)

    def _service_work(self) -> Waits:
        """A technician at work, sometimes at the wrong time."""
        yield from self._order("TestModeEntered", person="technician")
        yield self._chance.uniform(100, 500)
        yield from self._order("LampsTried", lamps=["buzzer"], person="technician")

    def _enter_a_code(self) -> Waits:
        """Types a dealer's code on the seat keys; usually a code that no dealer has."""
        while self._table().panel.mode != SIGN_IN:
            yield from self._press("other")
            if self._chance.random() < 0.1:
                return
        for _ in range(CODE_DIGITS[1]):
            yield from self._press(f"seat_{self._any_seat()}")
