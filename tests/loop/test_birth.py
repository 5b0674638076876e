"""The very first start of a table, cut short."""

from __future__ import annotations

import json

import pytest

from felt.journal.opening import open_journal
from felt.journal.reading import read_records
from felt.journal.segment import segment_name
from felt.letters.from_table import Ping, Posted
from felt.loop.boot import BootRefused
from felt.stories.evening import Evening
from felt.virtual.disk import ForgetfulDisk
from felt.wire import jackpot


def test_a_table_that_died_when_its_journal_was_born_begins_it_again_under_the_same_name() -> None:
    """The journal's header was durable, and nothing after it."""
    header = Evening().disk.read(segment_name(1)).partition(b"\n")[0] + b"\n"
    disk = ForgetfulDisk()
    disk.replace(segment_name(1), header)
    evening = Evening(disk=disk)
    evening.advance(2_000)
    first = json.loads(next(iter(read_records(evening.disk))).payload)
    assert first["is"] == "EraOpened"
    assert evening.table.nonce == first["nonce"] != ""
    assert first["nonce"] in header.decode()
    assert evening.order("TableOpened", person="supervisor") == ""
    assert evening.letters
    said = [jackpot.decode(letter) for letter in evening.letters]
    assert {message.nonce for message in said if isinstance(message, Ping | Posted)} == {first["nonce"]}
    evening.power_cut()
    evening.boot()
    assert evening.table.nonce == first["nonce"]


@pytest.mark.parametrize("header", ["[]", "{}", "no JSON", '{"felt":"journal","table":7}'])
def test_a_journal_of_something_else_is_refused_in_a_sentence(header: str) -> None:
    disk = ForgetfulDisk()
    open_journal(disk, header)
    with pytest.raises(BootRefused, match="F-401: the journal's header is not that of a table"):
        Evening(disk=disk)
