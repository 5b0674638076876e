"""What people do wrong: keys out of turn, hands where they should not be, orders that nobody should give now, things
declared with the cards, plugs pulled and tests begun at the wrong time."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from felt.nouns.ids import spot_of
from felt.rules.mishaps import Mishap
from felt.table.views import KEYS, SWITCHES

if TYPE_CHECKING:
    from tests.storm.place import Place

Waits = Generator[float, None, None]


class Blunders(ABC):
    _place: Place
    _chance: random.Random
    _main: str

    @abstractmethod
    def _order(self, kind: str, **fields: Any) -> Generator[float, None, str]: ...

    @abstractmethod
    def _press(self, key: str) -> Waits: ...

    @abstractmethod
    def _void(self, reason: str) -> Waits: ...

    @abstractmethod
    def _any_spot(self) -> str: ...

    def _any_seat(self) -> int:
        return self._chance.randrange(1, self._place.seats + 1)

    def _blunder(self) -> Waits:
        place, chance = self._place, self._chance
        match chance.randrange(22):
            case 0 | 1 | 9 | 10:
                place.press_key(chance.choice(KEYS), chance.uniform(0, 50), chance.uniform(3, 90))
            case 2:
                for key in chance.sample(KEYS, 3):
                    place.press_key(key, chance.uniform(0, 100), chance.uniform(20, 60))
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
                place.turn_switch(chance.choice(SWITCHES))
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

    def _overreach(self) -> Waits:
        """Orders that nobody should give now."""
        order, seat = self._order, self._any_seat()
        match self._chance.randrange(14):
            case 0 | 1:
                yield from order("TableClosed", person="supervisor")
            case 2:
                yield from order("TableOpened", person="supervisor")
            case 3:
                yield from order("OutOfServiceOrdered", person="technician", reason="sounds odd")
            case 4:
                yield from order("ClaimConfirmed", claim=f"1.{seat}", person="supervisor")
            case 5:
                yield from order("ClaimDenied", claim=f"1.{seat}", person="supervisor", reason="")
            case 6:
                yield from order("RulingMade", question="q1", choice="void", person="supervisor", reason="")
            case 7:
                yield from order("FaultCleared", code="F-101", where=spot_of(seat, self._main), person="technician")
            case 8:
                yield from order("BackInServiceOrdered", person="supervisor")
            case 9:
                amount = self._chance.choice((-1, 2500))
                yield from order("BetKeyed", spot=spot_of(seat, self._main), amount_minor=amount, person="dealer")
            case 10:
                yield from order("BetUnkeyed", spot=self._any_spot(), person="dealer")
            case _:
                yield from self._change_the_house(seat)

    def _change_the_house(self, seat: int) -> Waits:
        match self._chance.randrange(6):
            case 0:
                yield from self._order("BetsReturned", seat=seat, person="supervisor")
            case 1:
                out = self._chance.random() < 0.4
                yield from self._order("SeatBarred", seat=seat, out=out, person="supervisor")
            case 2:
                yield from self._order("DealerSignedIn", name=self._chance.choice(("", "Kim")), person="Kim")
            case 3:
                off = self._chance.random() < 0.5
                yield from self._order("ProgressiveSwitched", off=off, person="supervisor", reason="the sign is dark")
            case 4:
                amount = self._chance.choice((500, 2500, 99_000_000))
                yield from self._order("AmountFound", spot=self._any_spot(), amount_minor=amount, person="dealer")
            case 5:
                yield from self._order("RevealRefused", seat=seat, person="dealer")

    def _service_work(self) -> Waits:
        """A technician who does his work at the wrong time."""
        match self._chance.randrange(4):
            case 0:
                yield from self._order("TestModeEntered", person="technician")
                yield self._chance.uniform(100, 2_000)
                yield from self._order("LampsTried", lamps=["buzzer"], person="technician")
            case 1:
                yield from self._order("EntryLogged", part="drop box", reason="emptied", person="Lee", licence="17")
            case 2:
                yield from self._order("DeckChanged", person="supervisor", role="supervisor")
            case 3:
                yield from self._order("StubChecked", cards=self._chance.choice((0, 31)), person="dealer")
