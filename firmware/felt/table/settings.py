"""What the house has set for this table, as the core knows it. It enters as the `Configured` fact."""

from __future__ import annotations

import hashlib
from typing import Any

from felt.nouns.ids import Spot, kind_of, spot_of
from felt.nouns.named import NamedTuple
from felt.nouns.shapes import from_plain
from felt.rules.rulebook import Terms

# Everything has a limit, named in one place.
MAIL_MAX = 256  # letters without an answer; betting does not open beyond it
NOTICES_MAX = 8
PASSED_MAX = 16  # alerts that passed and that nobody has acknowledged; the oldest are in the journal
LAMPS_MAX = 64  # that are tried at once: more than any table has
HISTORY_MAX = 8  # changes remembered per spot: enough for any hand that dithers around the lock


class Sensor(NamedTuple):
    spot: Spot
    late_ms_max: int  # how late its stamps can be
    settle_ms: int  # changes nearer to one another than this are one movement of the contact


class Settings(NamedTuple):
    table_id: str
    game: str
    seats: int
    sensors: tuple[Sensor, ...]
    lock_key_late_ms_max: int
    drain_ms: int
    dealing: str  # the dealing method in force, a name known to `table.deal`
    terms: Terms
    unseen_rounds: int  # after as many without a chip, while others had theirs, a coin spot is doubted; 0: never
    dealers: tuple[tuple[str, str], ...]  # name, digest of the code
    stub_check_rounds: int = 0  # after as many rounds the cards left are to be counted; 0: never
    language: str = "en"  # of the sentences that people read

    def spots(self, kinds: tuple[str, ...]) -> tuple[Spot, ...]:
        return tuple(spot_of(seat, kind) for seat in range(1, self.seats + 1) for kind in kinds)

    def sensor(self, spot: Spot) -> Sensor | None:
        known = _asked_last.known
        if known.sensors is not self.sensors:
            known = _asked_last.known = _known(self.sensors)
        return known.by_spot.get(spot)

    def senses(self, kind: str) -> bool:
        known = _asked_last.known
        if known.sensors is not self.sensors:
            known = _asked_last.known = _known(self.sensors)
        return kind in known.kinds

    def reading(self, name: str, default: str) -> str:
        return next((value for key, value in self.terms.readings if key == name), default)


class _Known(NamedTuple):
    sensors: tuple[Sensor, ...]
    by_spot: dict[Spot, Sensor]
    kinds: tuple[str, ...]


def _known(sensors: tuple[Sensor, ...]) -> _Known:
    kinds = dict.fromkeys(kind_of(one.spot) for one in sensors)
    return _Known(sensors, {one.spot: one for one in sensors}, tuple(kinds))


class _AskedLast:
    """What is known of the sensors that were asked for last: every fact of a round asks for the same ones."""

    known = _known(())


_asked_last = _AskedLast()


def read_settings(plain: dict[str, Any]) -> Settings:
    """Settings from the content of a `Configured` fact; a `ShapeError` tells what does not fit."""
    return from_plain(Settings, [plain.get(name) for name in Settings._fields])


CODE_DIGITS = (4, 6)


def code_digest(table_id: str, code: str) -> str:
    """All that is kept of a dealer's code. The table's id is in it, so that two tables keep two digests."""
    return hashlib.sha256(f"{table_id}:{code}".encode()).hexdigest()
