"""What the house has set for this table, as the core knows it. It enters as the `Configured` fact."""

from __future__ import annotations

import hashlib

from felt.nouns.ids import Spot, kind_of, spot_of
from felt.nouns.values import Value
from felt.rules.rulebook import Terms

# Everything has a limit, named in one place.
MAIL_MAX = 256  # letters without an answer; betting does not open beyond it
NOTICES_MAX = 48  # more than one act can bring: a remark on each bet of a full table
PASSED_MAX = 16  # alerts that passed and that nobody has acknowledged; the oldest are in the journal
LAMPS_MAX = 64  # that are tried at once: more than any table has
HISTORY_MAX = 8  # bursts remembered per spot: enough for any hand that dithers around the lock


class Sensor(Value):
    spot: Spot
    late_ms_max: int  # how late its stamps can be
    settle_ms: int  # edges nearer to one another than this are one burst of the contact


class Settings(Value):
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
    antes: str = ""  # how the bet that others need is known: sensed, keyed or presumed; empty: no bet needs another

    def spots(self, kinds: tuple[str, ...]) -> tuple[Spot, ...]:
        return tuple(spot_of(seat, kind) for seat in range(1, self.seats + 1) for kind in kinds)

    def sensor(self, spot: Spot) -> Sensor | None:
        return next((sensor for sensor in self.sensors if sensor.spot == spot), None)

    def senses(self, kind: str) -> bool:
        return any(kind_of(sensor.spot) == kind for sensor in self.sensors)

    def reading(self, name: str, default: str) -> str:
        return next((value for key, value in self.terms.readings if key == name), default)


CODE_DIGITS = (4, 6)


def code_digest(table_id: str, code: str) -> str:
    """All that is kept of a dealer's code. The table's id is in it, so that two tables keep two digests."""
    return hashlib.sha256(f"{table_id}:{code}".encode()).hexdigest()
