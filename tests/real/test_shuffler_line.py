"""The shuffler over a real pseudo-terminal with pyserial, real threads and a real disk: noise all evening, and cables
pulled in the middle of a packet."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from felt.config import Config, load
from felt.demo.people import People
from felt.demo.stage import DemoStage
from felt.journal.reading import read_records
from felt.loop.inbox import Order
from felt.nouns.cards import DECK, Card
from felt.rules.mishaps import Mishap
from felt.table import facts
from felt.table.state import Phase
from felt.virtual.shuffler import Misbehaviour, PtyShuffler, ShoeDevice, ShufflerDevice, SimulatedDevice
from felt.wiring import devices, table_builder

PATIENCE_S = 20.0


class Remembering(ShufflerDevice):
    """Knows every card that ever left it, in order."""

    def __init__(
        self, seed: int, damaged_in_1000: int = 0, packets: bool = True, decks: Sequence[Sequence[Card]] = ()
    ) -> None:
        super().__init__(random.Random(seed), decks, packets, damaged_in_1000=damaged_in_1000)
        self.dealt: list[Card] = []

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        dealt = super().dispense(sets, cards_each, goes_on=goes_on)
        self.dealt += [card for cards in dealt for card in cards]
        return dealt


def cards_journaled(running: table_builder.BuiltTable) -> list[Card]:
    written = (facts.decode(record.payload) for record in read_records(running.disk))
    return [fact.card for fact in written if isinstance(fact, facts.CardDealt)]


# --- an evening --------------------------------------------------------------------------------------------


@pytest.mark.timeout(1_800)
def test_an_evening_on_a_noisy_line_ends_with_every_card_right(
    full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """200 rounds with one frame in a hundred damaged, in either direction; a shorter run has one in ten."""
    rounds, damaged = (200, 10) if full else (3, 100)
    device = Remembering(5, damaged, packets=False)

    def noisy_shuffler(config: Config, opening: contextlib.ExitStack, seed: int | None = None) -> PtyShuffler:
        shuffler = PtyShuffler(device, tmp_path / "shuffler")
        opening.callback(shuffler.close)
        shuffler.plug()
        return shuffler

    monkeypatch.setattr(devices, "emulated_shuffler", noisy_shuffler)
    table_file = tmp_path / "table.toml"
    table_file.write_text("")
    stage = DemoStage(load(table_file), 11, tmp_path / "chips")
    people = People(stage, 0, 0)
    with contextlib.closing(stage):
        stage.loop.start()
        last, moved = 0, time.monotonic()
        while stage.table.tally.settled < rounds:
            people.play()
            stage.tick(0.05)
            if stage.table.tally.settled > last:
                last, moved = stage.table.tally.settled, time.monotonic()
            assert time.monotonic() - moved < PATIENCE_S, f"no round ends any more: {stage.table.phase}"
        while not stage.shuffler.quiet():
            stage.tick(0.05)
        assert device.damages > 0
        assert cards_journaled(stage.running) == device.dealt
        assert stage.table.tally.voided == 0
        assert {fault.code for fault in stage.table.service.faults} <= {"F-202"}
    told = capfd.readouterr()
    assert not [card for card in DECK if f"{card} " in told.out + told.err], "a card was printed"


# --- cables ------------------------------------------------------------------------------------------------


class RealTable:
    """A table that the test's own thread plays, and whose power can be cut."""

    def __init__(self, folder: Path, device: SimulatedDevice, model: str = "felt-1") -> None:
        self.shuffler = PtyShuffler(device, folder / "shuffler")
        self.shuffler.plug()
        file = folder / "table.toml"
        file.write_text(f'[shuffler]\nurl = "{self.shuffler.path}"\nmodel = "{model}"\n')
        self._config = load(file)
        self._levels: dict[str, bool] = {}
        self.boot()

    def boot(self) -> None:
        self.board = devices.virtual_board(self._config)
        for line, level in self._levels.items():
            self.board.drive_unnoticed(line, level)
        link = devices.serial_link(self._config.shuffler.url, self._config.shuffler.baud)
        self.running = table_builder.build(self._config, self.board, link)
        self.running.loop.start()

    def lose_power(self) -> None:
        """Nothing is closed or told: the loop just stops."""
        self._levels = dict(self.board.levels())
        self.running.close()

    @property
    def table(self) -> Any:
        return self.running.loop.table

    def until(self, truth: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen; the table is {self.table.phase}"
            self.running.loop.tick(0.01)

    def press(self, key: str, truth: Callable[[], bool]) -> None:
        self.board.drive(f"key.{key}", True)
        self.until(truth)
        self.board.drive(f"key.{key}", False)

    def order(self, kind: str, **fields: Any) -> str:
        answers: list[str] = []
        self.running.loop.inbox.put(Order(kind, fields, answers.append))
        self.until(lambda: bool(answers))
        return answers[0]

    def begin_deal(self) -> None:
        self.until(lambda: self.table.shuffler.connected)
        assert self.order("TableOpened", person="supervisor") == ""
        self.press("open", lambda: self.table.phase is Phase.BETTING)
        for seat in (1, 2):
            self.board.drive(f"{seat}.ante", True)
        self.until(lambda: sum(spot.present for spot in self.table.spots) == 2)
        self.press("no_more_bets", lambda: self.table.phase is Phase.DEALING)

    def cards(self) -> list[Card]:
        assert self.table.round is not None
        return [dealt.card for dealt in self.table.round.dealt]

    def close(self) -> None:
        self.running.close()
        self.shuffler.close()


PARTS = (DECK, DECK[3:], DECK[9:])  # each deal goes on where the one before it ended


@pytest.fixture
def device() -> Remembering:
    return Remembering(3, decks=PARTS)


@pytest.fixture
def table(tmp_path: Path, device: Remembering) -> Iterator[RealTable]:
    with contextlib.closing(RealTable(tmp_path, device)) as made:
        made.begin_deal()
        yield made


def test_a_round_is_dealt_from_a_simple_shoe_that_was_switched_on_long_ago(tmp_path: Path) -> None:
    """What the shoe said before anybody listened is lost, so the table asks."""
    shoe = ShoeDevice(random.Random(1), [DECK])
    with contextlib.closing(RealTable(tmp_path, shoe, "simple-shoe")) as table:
        table.until(lambda: table.table.shuffler.deck is not None)
        table.begin_deal()
        table.shuffler.dispense(3, 3)
        table.until(lambda: table.table.phase is Phase.DECIDING)
        assert table.cards() == list(DECK[:9])


def break_in_the_second_packet(table: RealTable, device: Remembering) -> None:
    """The first packet is acknowledged, the second breaks off, and the cable is out."""
    table.shuffler.dispense(1, 3)
    table.until(lambda: len(table.cards()) == 3 and table.shuffler.quiet())
    table.shuffler.misbehave(Misbehaviour.TRUNCATE)
    table.shuffler.dispense(2, 3, goes_on=True)
    table.until(lambda: Misbehaviour.TRUNCATE not in device._dealer.misdeeds)
    table.shuffler.unplug()


def test_a_packet_cut_in_the_middle_comes_whole_when_the_cable_is_back(table: RealTable, device: Remembering) -> None:
    break_in_the_second_packet(table, device)
    table.until(lambda: not table.table.shuffler.connected)
    assert len(table.cards()) % 3 == 0
    table.shuffler.plug()
    table.until(lambda: table.table.phase is Phase.DECIDING)
    assert table.cards() == device.dealt
    assert table.table.shuffler.connected


def test_a_packet_cut_in_the_middle_comes_whole_after_a_power_cut_too(table: RealTable, device: Remembering) -> None:
    break_in_the_second_packet(table, device)
    table.lose_power()
    table.shuffler.plug()
    table.boot()
    table.until(lambda: len(table.cards()) == 9)
    assert table.cards() == device.dealt
    (question,) = table.table.irregularity.questions
    assert question.holds
    assert cards_journaled(table.running) == device.dealt


def test_a_cable_that_is_out_when_the_table_starts_is_noticed(table: RealTable) -> None:
    """The journal remembers a connected shuffler; nobody has to wait for a card to find out."""
    table.lose_power()
    table.shuffler.unplug()
    table.boot()
    assert table.table.shuffler.connected
    table.until(lambda: not table.table.shuffler.connected)
    table.shuffler.plug()
    table.until(lambda: table.table.shuffler.connected)


def test_a_device_that_forgot_its_cards_meanwhile_raises_a_question(table: RealTable, device: Remembering) -> None:
    """It restarted with a new session: what was not acknowledged is lost, and the table asks."""
    break_in_the_second_packet(table, device)
    table.shuffler.ask(lambda asked: asked.restart())
    table.shuffler.plug()
    table.until(lambda: "F-204" in [fault.code for fault in table.table.service.faults])
    known = table.cards()
    assert known == device.dealt[: len(known)]
    assert len(known) < 9
    (question,) = table.table.irregularity.questions
    assert question.kind == "interruption"
    table.shuffler.dispense(1, 1, goes_on=True)  # one card too many, and it says that all before it have left
    table.until(lambda: len(table.cards()) == 9)
    assert table.cards() == [*known, *[""] * (9 - len(known))]
    asked = {question.mishap for question in table.table.irregularity.questions}
    assert {Mishap.MISSING_CARD, Mishap.EXCESS_CARD} <= asked


def test_a_silent_device_is_noticed_on_a_real_line_and_found_again(table: RealTable) -> None:
    table.shuffler.misbehave(Misbehaviour.SILENCE)
    table.until(lambda: not table.table.shuffler.connected)
    table.shuffler.ask(lambda device: device.mend())
    table.until(lambda: table.table.shuffler.connected)
