"""The power fails inside every disk call of a whole life, and again during the recovery."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from felt.journal import JournalBroken, JournalError, OpenedJournal, open_journal, read_records, snapshot
from felt.virtual.disk import ForgetfulDisk, PowerCut
from tests.journal.evening import HEADER, Turn, turn, turns_in


@pytest.fixture(autouse=True)
def few_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short life removes some."""
    monkeypatch.setattr(snapshot, "KEPT_SNAPSHOTS", 1)


class Diary:
    """What the outside world was told: the turns that were acknowledged, and the one that may or may not have been."""

    def __init__(self) -> None:
        self.acknowledged: list[Turn] = []
        self.in_flight: Turn | None = None

    def boot(self, disk: ForgetfulDisk) -> OpenedJournal:
        opened = open_journal(disk, HEADER)
        recovered = turns_in(list(read_records(disk)))
        beside = [] if self.in_flight is None else [self.in_flight]
        assert recovered in (self.acknowledged, self.acknowledged + beside)
        skipped = int(opened.snapshot.text) if opened.snapshot else 0
        assert turns_in(opened.records) == recovered[skipped:]
        self.acknowledged, self.in_flight = recovered, None
        return opened

    def play(self, opened: OpenedJournal, turns: int) -> None:
        for _ in range(turns):
            self.in_flight = turn(len(self.acknowledged))
            opened.store.append_turn(*self.in_flight)
            self.acknowledged.append(self.in_flight)
            self.in_flight = None

    def take_snapshot(self, opened: OpenedJournal) -> None:
        opened.store.save_snapshot(str(len(self.acknowledged)))


def evening(disk: ForgetfulDisk, diary: Diary) -> None:
    opened = diary.boot(disk)
    diary.play(opened, 3)
    opened.store.rotate(HEADER)
    diary.play(opened, 2)
    diary.take_snapshot(opened)
    diary.play(opened, 1)
    opened = diary.boot(disk)
    diary.play(opened, 2)
    opened.store.rotate(HEADER)
    diary.take_snapshot(opened)
    diary.play(opened, 1)
    diary.take_snapshot(opened)
    opened = diary.boot(disk)
    diary.play(opened, 2)


def calls_of(life: Callable[[ForgetfulDisk], None]) -> int:
    disk = ForgetfulDisk()
    life(disk)
    return disk.calls


def cut_evening(seed: int, call: int, call_of_recovery: int, *, lie_about_sync: bool = False) -> None:
    disk = ForgetfulDisk(random.Random(seed).randrange, lie_about_sync=lie_about_sync)
    diary = Diary()
    disk.cut_at(call)
    with pytest.raises(PowerCut):
        evening(disk, diary)
    disk.power_on()
    disk.cut_at(call_of_recovery)
    try:
        opened = diary.boot(disk)
        diary.play(opened, 2)
        disk.power_cut()
    except PowerCut:
        pass
    disk.power_on()
    opened = diary.boot(disk)
    diary.play(opened, 1)
    disk.power_cut()
    disk.power_on()
    diary.boot(disk)


def sweep(seeds: int, *, lie_about_sync: bool = False) -> None:
    calls = calls_of(lambda disk: evening(disk, Diary()))
    assert calls > 30
    for seed in range(seeds):
        for call in range(1, calls + 1):
            for call_of_recovery in range(1, 6):
                cut_evening(seed, call, call_of_recovery, lie_about_sync=lie_about_sync)


def test_no_power_cut_loses_an_acknowledged_turn(full: bool) -> None:
    sweep(200 if full else 10)


def test_a_disk_that_lies_about_sync_is_caught() -> None:
    """The control: with syncing taken away, the sweep above must fail."""
    with pytest.raises((AssertionError, JournalError)):
        sweep(1, lie_about_sync=True)


def test_every_point_of_the_life_was_really_cut() -> None:
    """The life makes every kind of call, so that the sweep proves something."""
    kinds: list[str] = []

    class Noting(ForgetfulDisk):
        def append(self, name: str, data: bytes) -> None:
            kinds.append("append")
            super().append(name, data)

        def replace(self, name: str, data: bytes) -> None:
            kinds.append(f"replace {name.partition('-')[0]}")
            super().replace(name, data)

        def remove(self, name: str) -> None:
            kinds.append("remove")
            super().remove(name)

    evening(Noting(), Diary())
    assert set(kinds) == {"append", "replace journal", "replace snapshot", "remove"}


@pytest.mark.parametrize("refused", ["sync", "append"])
def test_after_the_disk_refuses_a_write_nothing_more_is_written(refused: str) -> None:
    disk, diary = ForgetfulDisk(), Diary()
    opened = diary.boot(disk)
    diary.play(opened, 2)
    if refused == "sync":
        disk.fail_syncs()
    else:
        disk.capacity_bytes = sum(len(disk.read(name)) for name in disk.names()) + 10
    with pytest.raises(JournalBroken, match="the disk"):
        diary.play(opened, 1)
    disk.capacity_bytes = None
    calls = disk.calls
    for attempt in (
        lambda: opened.store.append_turn(*turn(9)),
        lambda: opened.store.rotate(HEADER),
        lambda: opened.store.save_snapshot("x"),
    ):
        with pytest.raises(JournalBroken, match="restart"):
            attempt()
    assert disk.calls == calls


def test_bytes_that_a_failed_sync_left_only_in_memory_are_not_built_upon() -> None:
    """After a failed sync the operating system shows the bytes and calls them clean, though they are not on the disk. A
    restart must not append behind them."""
    disk, diary = ForgetfulDisk(), Diary()
    opened = diary.boot(disk)
    diary.play(opened, 2)
    disk.fail_syncs()
    with pytest.raises(JournalBroken):
        diary.play(opened, 1)
    opened = diary.boot(disk)
    assert len(diary.acknowledged) == 3
    diary.play(opened, 2)
    disk.power_cut()
    disk.power_on()
    diary.boot(disk)
    assert len(diary.acknowledged) == 5


def test_an_interrupted_store_writes_no_more() -> None:
    disk, diary = ForgetfulDisk(), Diary()
    opened = diary.boot(disk)
    disk.cut_at(1)
    with pytest.raises(PowerCut):
        diary.play(opened, 1)
    disk.power_on()
    with pytest.raises(JournalBroken, match="interrupted"):
        opened.store.append_turn(*turn(0))


def test_a_disk_that_is_full_at_the_first_start_is_a_sentence_and_the_next_start_succeeds() -> None:
    disk = ForgetfulDisk(capacity_bytes=40)
    with pytest.raises(OSError, match="the disk is full"):
        open_journal(disk, HEADER)
    disk.capacity_bytes = None
    opened = open_journal(disk, HEADER)
    assert opened.born
    assert opened.torn is not None
    Diary().play(opened, 2)
