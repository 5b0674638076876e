"""What the house has set for this table, as the core knows it. The settings enter as the `Configured` fact."""

from __future__ import annotations

import hashlib

from felt.nouns.ids import Spot, kind_of, spot_of
from felt.nouns.values import Value
from felt.rules.rulebook import Terms

# Everything has a limit, named in one place.
MAIL_MAX = 256  # unanswered letters; above it no bets open
NOTICES_MAX = 48  # more than one act can cause: a remark on each bet of a full table
PASSED_MAX = 16  # unacknowledged alerts that passed; older ones are in the journal
LAMPS_MAX = 64  # tried at once: more than any table has
HISTORY_MAX = 8  # bursts remembered for each spot: enough for any hand that dithers around the lock


class Sensor(Value):
    spot: Spot
    late_ms_max: int  # how late its stamps can be
    settle_ms: int  # edges closer together than this are one burst of the contact


class Settings(Value):
    table_id: str
    game: str
    seats: int
    sensors: tuple[Sensor, ...]
    lock_key_late_ms_max: int
    drain_ms: int
    dealing: str  # the dealing method in force, a name in `table.deal`
    terms: Terms
    unseen_rounds: int  # after so many rounds without a chip while others had theirs, a coin spot is doubted; 0: never
    dealers: tuple[tuple[str, str], ...]  # name, digest of the code
    stub_check_rounds: int = 0  # after so many rounds the remaining cards must be counted; 0: never
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


def code_digest(table_id: str, code: str) -> str:
    """The only stored form of a dealer's code. It includes the table's id, so two tables store different digests."""
    return hashlib.sha256(f"{table_id}:{code}".encode()).hexdigest()
