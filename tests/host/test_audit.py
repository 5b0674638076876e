"""The nightly audit on journals of the production store: whole, damaged, written by another version, and in use."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from pathlib import Path

import pytest

from felt import __version__
from felt.config import load
from felt.evidence.audit_result import RESULT, Audit, Verdict, leave_result, read_result
from felt.host.audit import audit_journal
from felt.journal.record import GENESIS_CHAIN, read_alone, write_line
from felt.journal.segment import segment_name
from felt.loop.inbox import Order
from felt.stories.evening import Evening
from felt.virtual.disk import ForgetfulDisk
from felt.virtual.link import VirtualLink
from felt.virtual.shuffler import ShufflerDevice
from felt.wiring import devices, table_builder
from felt.wiring.devices import read_only_disk

NOW_NS = 1_750_000_000_000_000_000


def evening_with_rounds(rounds: int = 2, overrides: tuple[str, ...] = ()) -> Evening:
    evening = Evening(overrides=overrides)
    evening.order("TableOpened", person="Ann")
    for _ in range(rounds):
        evening.press("open")
        evening.chip("3.ante")
        evening.advance(100)
        evening.order("VoidOrdered", person="Ann", reason="a test")
        evening.chip("3.ante", False)
        evening.advance(100)
        evening.press("settle")
    return evening


def stop(evening: Evening) -> None:
    assert evening.running is not None
    evening.order("TableClosed", person="Ann")
    evening.running.loop.stop()
    evening.power_cut()


def test_a_whole_journal_is_followed_and_its_present_era_replayed() -> None:
    evening = evening_with_rounds()
    audit = audit_journal(evening.disk, __version__, NOW_NS)
    assert audit.verdict is Verdict.GOOD
    assert audit.records == audit.replayed > 10
    assert evening.running is not None
    head = evening.running.loop.picture().head
    assert (audit.head, audit.chain) == (head.seq, head.chain)


def test_every_era_is_followed_and_only_the_present_one_replayed() -> None:
    evening = evening_with_rounds()
    stop(evening)
    evening.boot()
    audit = audit_journal(evening.disk, __version__, NOW_NS)
    assert audit.verdict is Verdict.GOOD
    assert 0 < audit.replayed < audit.records


def test_the_era_of_another_version_is_followed_and_not_replayed() -> None:
    audit = audit_journal(evening_with_rounds().disk, "0.0.1-other", NOW_NS)
    assert (audit.verdict, audit.replayed) == (Verdict.GOOD, 0)
    assert f"{__version__}'s" in audit.sentence


def test_one_changed_byte_in_an_era_long_closed_is_found() -> None:
    evening = evening_with_rounds()
    stop(evening)
    evening.boot()
    name = segment_name(1)
    content = bytearray(evening.disk.read(name))
    place = content.index(b"ChipSeen")
    content[place] ^= 1
    evening.disk.replace(name, bytes(content))
    audit = audit_journal(evening.disk, __version__, NOW_NS)
    assert audit.verdict is Verdict.BAD
    assert name in audit.sentence


def test_a_journal_that_leads_to_another_table_is_found() -> None:
    """A journal whose chain an expert rewrote: the digests show it."""
    evening = evening_with_rounds()
    name = segment_name(1)
    lines, chain = [], GENESIS_CHAIN
    for line in evening.disk.read(name).splitlines():
        record = read_alone(line)
        assert record is not None
        payload = re.sub(r'"3\.ante"', '"4.ante"', record.payload) if '"ChipSeen"' in record.payload else record.payload
        new, chain = write_line(record.seq, payload, record.digest, chain)
        lines.append(new)
    evening.disk.replace(name, b"".join(lines))
    audit = audit_journal(evening.disk, __version__, NOW_NS)
    assert audit.verdict is Verdict.BAD
    assert "replay diverged" in audit.sentence


def test_a_turn_that_is_just_being_written_is_not_damage() -> None:
    evening = evening_with_rounds()
    before = audit_journal(evening.disk, __version__, NOW_NS)
    evening.disk.append(segment_name(1), b"00000099 12345678 {half a rec")
    assert audit_journal(evening.disk, __version__, NOW_NS) == before


def test_a_folder_without_a_journal_is_a_problem() -> None:
    audit = audit_journal(ForgetfulDisk(), __version__, NOW_NS)
    assert audit.verdict is Verdict.UNDONE


def test_a_table_that_goes_on_writing_is_audited_again_and_again(tmp_path: Path) -> None:
    """On a real disk, with a segment every few turns and the table in a thread of its own."""
    (tmp_path / "table.toml").touch()
    config = load(tmp_path / "table.toml", ["journal.segment_bytes=4096"])
    board, link = devices.virtual_board(config), VirtualLink(ShufflerDevice(random.Random(1)))
    running = table_builder.build(config, board, link)
    stopping = threading.Event()

    def order(kind: str, **fields: str) -> None:
        running.loop.inbox.put(Order(kind, {"person": "Ann", **fields}, lambda _: None))
        running.loop.tick()

    def press(key: str) -> None:
        for level in (True, False):
            board.drive(f"key.{key}", level)
            held_until = time.monotonic() + 0.03
            while time.monotonic() < held_until:
                running.loop.tick(0.005)

    def play() -> None:
        running.loop.start()
        order("TableOpened")
        while not stopping.is_set():
            press("open")
            order("VoidOrdered", reason="a test")
            press("settle")

    table = threading.Thread(target=play)
    table.start()
    disk = read_only_disk(tmp_path / "journal")
    heads: list[int] = []
    try:
        deadline = time.monotonic() + 60
        while len(set(heads)) < 12 or len(list((tmp_path / "journal").glob("journal-*.felt"))) < 3:
            audit = audit_journal(disk, __version__, NOW_NS)
            assert audit.verdict is Verdict.GOOD or not audit.head, audit.sentence
            heads.append(audit.head)
            assert time.monotonic() < deadline, "the table does not go on"
    finally:
        stopping.set()
        table.join(30)
        running.close()
        disk.close()
    assert heads == sorted(heads)


# --- the result --------------------------------------------------------------------------------------------


def test_a_result_is_read_back_as_it_was_written() -> None:
    folder = ForgetfulDisk()
    audit = Audit(NOW_NS, Verdict.BAD, "the journal is damaged", 7, "ab", 7, 0)
    leave_result(folder, audit)
    assert read_result(folder, 1) == audit


def test_before_the_first_audit_there_is_none_since_results_are_waited_for() -> None:
    found = read_result(ForgetfulDisk(), 17)
    assert (found.verdict, found.at_ns) == (Verdict.NONE, 17)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", json.dumps({"at_ns": "yesterday"}).encode()])
def test_a_malformed_result_counts_as_none_and_says_so(content: bytes) -> None:
    folder = ForgetfulDisk()
    folder.replace(RESULT, content)
    found = read_result(folder, 17)
    assert found.verdict is Verdict.UNDONE
    assert "cannot be read" in found.sentence
