"""The soak's ledger, read as of one instant beside the controller that writes it. It is held to the laws of storm and
model: every letter is counted once and as it was said (the witness), every amount agrees with a second tally (purse and
tally), meters fall only when they pay (the office's checks), and the model's laws of a purse and its letters hold."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from felt.config.jackpot_file import JackpotConfig
from felt.jackpot.books.accounts import Code, Entry
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import Ledger, LedgerError, StoredLetter
from felt.jackpot.ledger.reading import open_for_reading
from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from tests.model import laws, words
from tests.model.replaying import purse_of
from tests.real.soak_table import SoakTable
from tests.storm.office_checks import OfficeChecks
from tests.storm.plan import purses_of
from tests.storm.purse import Violation
from tests.storm.tally import Link, Tally

_KINDS = {"RoundLocked": "locked", "RoundResult": "result", "RoundVoided": "voided", "ClaimConfirmed": "confirmed"}


class AsOfNow:
    """What the office's checks ask of a ledger."""

    def __init__(self) -> None:
        self.memory = self
        self.alarms: list[Entry] = []

    def entries(self, kind: Code | None = None) -> Iterator[Entry]:
        return iter([entry for entry in self.alarms if kind in (None, entry.code)])


class SoakBooks:
    """Implements `Watched`. All tables of the soak have one game and feed the same meters."""

    controller = None  # its clock is the host's, and nobody asks for the true time of a claim

    def __init__(self, config: JackpotConfig, tables: Mapping[str, SoakTable]) -> None:
        self._config, self._tables = config, dict(tables)
        self._names = sorted(tables)
        any_table = next(iter(tables.values()))
        self.link = Link(purses_of(any_table.config, ""))
        self.links = {"": self.link}
        self.books = AsOfNow()
        self._tally = Tally(lambda _: self.link)
        self._checks = OfficeChecks(self)
        self._entries = 0
        self.letters: list[StoredLetter] = []
        self.readings = 0

    def table_named(self, name: str) -> SoakTable:
        return self._tables[name]

    def checkers_of(self, place: Any) -> SoakTable:
        assert isinstance(place, SoakTable)
        return place

    # --- reading -------------------------------------------------------------------------------------

    def look_if_possible(self) -> None:
        """Not while the database is away, nor before a ledger exists. Nobody dies while it is read."""
        try:
            ledger = self._open()
        except LedgerError:
            return
        self._look_at(ledger)

    def look(self) -> None:
        self._look_at(self._open())

    def at_rest(self) -> None:
        """Everybody is idle, everything is answered, nobody writes any more."""
        self.look()
        with contextlib.closing(self._open()) as ledger:
            self.books.alarms = list(ledger.entries(Code.ALARM))
            self._checks.at_rest(self._office(ledger))
        self.link.all_is_settled()
        for name, table in self._tables.items():
            table.witness.all_is_said()
            told = table.tally.where["tally"]
            own = (self.link.stakes_of.get(name, 0), self.link.wins_of.get(name, 0))
            if own != (told["contributions_minor"], told["awards_minor"]):
                raise Violation(f"table {name} counts {told}, its letters make {own}")

    def _open(self) -> Ledger:
        return open_for_reading(self._config.ledger_place())

    def _office(self, ledger: Ledger) -> Office:
        return Office(ledger, self._config.meter_terms(), self._config.procedure_terms())

    def _look_at(self, opened: Ledger) -> None:
        with contextlib.closing(opened) as ledger:
            if not ledger.rows():
                return  # just created: the controller has not yet put in the first seeds
            entries = list(islice(ledger.entries(), self._entries, None))
            letters = list(islice(ledger.letters(), len(self.letters), None))
            office, sums = self._office(ledger), ledger.sums()
        self.readings += 1
        self._entries += len(entries)
        self.letters += letters
        for letter in letters:
            self._tables[letter.table].witness.is_counted(letter)
        self._tally.commit(entries, letters)
        self._checks.compare(office)
        for table in self._tables.values():
            if table.answered() > table.witness.counted:
                raise Violation(f"table {table.name} was told of {table.answered()}, counted {table.witness.counted}")
        for meter in office.standing.meters:
            staked = {key: growth_micro(stake, meter.terms.rate_bp) for key, stake in self._stakes().items()}
            purse = purse_of(meter, sums)
            broken = laws.of_purse(purse) or laws.of_letters(purse, self._taken(), (), staked.__getitem__)
            if broken:
                raise Violation(f"{meter.name}: {broken}: {purse}")

    # --- letters in the words of the model -----------------------------------------------------------

    def _taken(self) -> list[list[words.Letter]]:
        taken: list[list[words.Letter]] = [[] for _ in self._names]
        for letter in self.letters:
            body, kind = json.loads(letter.body), _KINDS.get(letter.kind, "")
            amount = body["award_minor"] * MICRO_PER_MINOR if kind == "confirmed" else 0
            taken[self._names.index(letter.table)].append(words.Letter(kind, body["round"], amount=amount))
        return taken

    def _stakes(self) -> dict[laws.Key, int]:
        """By round, in minor units: the locked stakes without those that the result returned."""
        stakes: dict[laws.Key, dict[int, int]] = {}
        for letter in self.letters:
            body = json.loads(letter.body)
            key = (self._names.index(letter.table), body["round"])
            if letter.kind == "RoundLocked":
                stakes[key] = dict(body["contributions"])
            elif letter.kind == "RoundResult":
                for seat in body["returned"]:
                    del stakes[key][seat]
        return {key: sum(bets.values()) for key, bets in stakes.items()}
