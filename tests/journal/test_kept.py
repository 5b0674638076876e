"""Evidence is kept: every record can be read for as long as the disk holds, whatever number of rounds, snapshots and
segments came after it. The journal does not know how old a record is, so it removes none."""

from __future__ import annotations

from felt.journal.reading import audit, read_records
from felt.stories.evening import Evening
from felt.table.state import Phase

RESTARTS, ROUNDS = 3, 4


def play_and_void(evening: Evening) -> None:
    evening.press("open")
    evening.chip("1.ante")
    evening.advance(200)
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    assert not evening.order("VoidOrdered", person="Sam", reason="the next one, please")
    evening.chip("1.ante", False)
    evening.advance(200)
    evening.press("settle")
    evening.until(lambda: evening.phase is Phase.IDLE)


def test_no_record_goes_however_many_segments_snapshots_and_restarts_came_after_it() -> None:
    evening = Evening(overrides=("journal.segment_bytes=4096",))
    for _ in range(RESTARTS):
        evening.advance(2000)
        evening.order("TableOpened", person="Sam")
        evening.order("EntryLogged", part="cabinet", reason="looked at", person="Tess", licence="")
        for _ in range(ROUNDS):
            play_and_void(evening)
        evening.power_cut()
        evening.boot()
    assert evening.running is not None
    disk = evening.running.disk
    assert len([name for name in disk.names() if "snapshot" not in name]) > RESTARTS * ROUNDS // 2
    records = list(read_records(disk))
    assert "EraOpened" in records[0].payload, "the first of all is still there"
    assert audit(disk).records == len(records), "and the chain holds from it to the last"
    assert len([record for record in records if "EntryLogged" in record.payload]) == RESTARTS
    assert len([record for record in records if "VoidOrdered" in record.payload]) == RESTARTS * ROUNDS
