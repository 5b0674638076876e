"""A batch is judged while the one before it is being synced. Nobody hears of either before its own is durable, and one
that cannot be made durable takes with it what was decided after it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from felt.jackpot.daemon import TURN_MAX, BrokerState, Daemon, KeysChanged, Request
from felt.jackpot.exchange import Exchange, Heard
from felt.jackpot.ledger import LedgerBusyError, LedgerError
from felt.jackpot.office import Office
from felt.jackpot.requests import serve
from felt.jackpot.rows import rows_of
from felt.jackpot.sqlite import SqliteLedger
from felt.letters.from_controller import Acked
from felt.letters.from_table import NAME_OF, Contribution, Letter, Posted, RoundLockedLetter, RoundResultLetter, write
from felt.nouns.stamps import Stamp
from felt.stories.evening import NoWatchdog
from felt.virtual.broker import VirtualBroker
from felt.wire import bulletin
from felt.wire.jackpot import Message, decode, encode
from felt.wire.sealed import Purpose, open_sealed, seal
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, stamp
from tests.jackpot.test_exchange import SIGN, T1

OPENED = {"major": RESET_MINOR * MICRO}
GROWTH = STAKE * MAJOR.rate_bp * 100


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger")
    yield opened
    opened.close()


@pytest.fixture
def office(ledger: SqliteLedger) -> Office:
    return Office(ledger, [MAJOR])


def posted(letters: list[Letter]) -> list[Message]:
    return [
        Posted("T1", "n1", number, NAME_OF[type(letter)], write(letter), 1, "ab")
        for number, letter in enumerate(letters, 1)
    ]


def rounds(letters: int) -> list[Letter]:
    """The lock of a round, its result, the lock of the next one."""
    bets = (Contribution(1, STAKE),)
    made: list[Letter] = []
    for number in range(1, letters // 2 + 2):
        made += [RoundLockedLetter(number, stamp(number), bets), RoundResultLetter(number, stamp(number), ())]
    return made[:letters]


@pytest.fixture
def evening() -> list[Message]:
    return posted(rounds(3))


def refuse_commits(ledger: SqliteLedger) -> None:
    """As a disk does that fails in its sync: the rows are written, and the commit is not."""

    def judge(act: int, word: str | None, *_: object) -> int:
        return sqlite3.SQLITE_DENY if (act, word) == (sqlite3.SQLITE_TRANSACTION, "COMMIT") else sqlite3.SQLITE_OK

    ledger._connection.set_authorizer(judge)


def test_each_batch_stands_on_the_one_before_it_and_is_answered_in_its_turn(
    office: Office, evening: list[Message]
) -> None:
    first, second, third = [office.begin_batch([message]) for message in evening]
    assert [one.answers() for one in (first, second, third)] == [
        [Acked("T1", "n1", number, number)] for number in (1, 2, 3)
    ]
    assert office.standing.meters[0].pending == GROWTH
    assert office.report().conserved


def test_nobody_is_shown_what_is_not_durable(office: Office, evening: list[Message]) -> None:
    begun = office.begin_batch(evening[:2])
    assert office.meters() == OPENED
    begun.answers()
    assert office.meters() == {"major": RESET_MINOR * MICRO + GROWTH}


def test_a_resend_of_what_is_under_way_waits_for_it_and_is_answered(office: Office, evening: list[Message]) -> None:
    first = office.begin_batch(evening[:1])
    assert office.begin_batch(evening[:1]).answers() == first.answers() == [Acked("T1", "n1", 1, 1)]


def test_a_sync_that_fails_takes_the_next_batch_with_it(
    ledger: SqliteLedger, office: Office, evening: list[Message]
) -> None:
    office.take_batch(evening[:1])
    before = rows_of(office.standing)
    refuse_commits(ledger)
    gap = Posted("T1", "n1", 9, "RoundEnded", "", 1, "ab")
    first = office.begin_batch([evening[1], gap])
    assert office.alarms == 1
    for _ in range(2):  # and nothing more is taken
        with pytest.raises(LedgerError, match="cannot be written"):
            office.begin_batch(evening[2:])
        assert rows_of(office.standing) == before == ledger.rows()
    with pytest.raises(LedgerError, match="cannot be written"):
        first.answers()
    assert (office.alarms, office.meters()) == (0, OPENED)
    assert [letter.sequence for letter in ledger.letters()] == [1]


def test_a_batch_that_finds_the_file_held_leaves_the_one_before_it_as_it_is(
    ledger: SqliteLedger, office: Office, evening: list[Message], tmp_path: Path
) -> None:
    first = office.begin_batch(evening[:1])
    assert first.answers()
    ledger._execute("PRAGMA busy_timeout = 1")
    with sqlite3.connect(tmp_path / "ledger") as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerBusyError):
            office.begin_batch(evening[1:2])
    assert rows_of(office.standing) == ledger.rows()
    assert office.begin_batch(evening[1:2]).answers() == [Acked("T1", "n1", 2, 2)]


def test_a_ledger_that_is_closed_has_what_was_begun(office: Office, evening: list[Message], tmp_path: Path) -> None:
    office.begin_batch(evening[:2])
    office.close()
    again = Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])
    assert again.meters() == {"major": RESET_MINOR * MICRO + GROWTH}
    again.close()


# --- the controller ----------------------------------------------------------------------------------


class StillClock:
    def stamp(self) -> Stamp:
        return stamp(1, "controller")


class House:
    """A controller whose tray holds the letters of several turns."""

    def __init__(self, office: Office, letters: int) -> None:
        self.heard: list[tuple[str, bytes]] = []
        broker = VirtualBroker()
        listener = broker.client()
        listener.start(("felt/main/down/+", "felt/main/sign"), lambda *one: self.heard.append(one), lambda _: None)
        exchange = Exchange(office, "main", {"T1": T1}, SIGN)
        self.daemon = Daemon(office, exchange, broker.client(), "main", StillClock(), NoWatchdog(), serve)
        self.daemon.begin()
        self.daemon.turn(0)
        self.heard.clear()
        for number, message in enumerate(posted(rounds(letters)), 1):
            sealed = seal(Purpose.UP, "T1", T1.current, "1" * 16, number, encode(message))
            self.daemon.tray.put(Heard(bulletin.up_topic("main", "T1"), sealed))

    def answered(self) -> list[int]:
        """The letters whose answers came since this was asked last."""
        heard, self.heard = self.heard, []
        opened = [open_sealed(content, Purpose.DOWN, "T1", T1) for topic, content in heard if topic.endswith("T1")]
        answers = [decode(one.content) for one in opened]
        return [answer.sequence for answer in answers if isinstance(answer, Acked)]


def test_the_controller_answers_a_turn_when_it_is_durable_and_has_thought_on_meanwhile(office: Office) -> None:
    house = House(office, 2 * TURN_MAX + 1)
    house.daemon.turn(0)
    assert house.answered() == []  # there is more to judge while the disk is busy
    house.daemon.turn(0)
    assert house.answered() == list(range(1, TURN_MAX + 1))
    house.daemon.turn(0)
    assert house.answered() == list(range(TURN_MAX + 1, 2 * TURN_MAX + 2))  # and no more: both are answered


def test_a_turn_that_leaves_nothing_waiting_is_answered_at_once(office: Office) -> None:
    house = House(office, TURN_MAX)
    house.daemon.turn(0)
    assert len(house.answered()) == TURN_MAX


def test_a_person_is_served_after_all_that_came_before(office: Office) -> None:
    house = House(office, 3 * TURN_MAX)
    replies: list[object] = []
    house.daemon.turn(0)
    house.daemon.tray.put(Request({"ask": "report"}, replies.append))
    house.daemon.turn(0)
    assert len(house.answered()) == 2 * TURN_MAX
    assert len(replies) == 1


def test_a_turn_that_finds_the_ledger_held_forgets_neither_persons_nor_the_broker(
    ledger: SqliteLedger, office: Office, tmp_path: Path
) -> None:
    house = House(office, 2)
    replies: list[dict[str, Any]] = []
    for item in (BrokerState(False), Request({"ask": "status"}, replies.append), KeysChanged(replies.append)):
        house.daemon.tray.put(item)
    ledger._execute("PRAGMA busy_timeout = 1")
    with sqlite3.connect(tmp_path / "ledger") as other:
        other.execute("BEGIN IMMEDIATE")
        house.daemon.turn(0)
    assert (house.answered(), replies, house.daemon.picture().connected) == ([], [], True)
    house.daemon.turn(0)
    asked, keys = replies
    assert (asked["connected"], asked["busy"]) == (False, 1)
    assert "cannot read them again" in keys["refused"]
    house.daemon.turn(0)
    assert len(replies) == 2


def test_a_controller_that_is_stopped_answers_what_it_has_begun(office: Office) -> None:
    house = House(office, 2 * TURN_MAX)
    house.daemon.turn(0)
    house.daemon.stop()
    house.daemon.run()
    assert len(house.answered()) == TURN_MAX


def test_a_controller_whose_sync_fails_ends_and_has_answered_nothing(ledger: SqliteLedger, office: Office) -> None:
    house = House(office, 2 * TURN_MAX)
    refuse_commits(ledger)
    house.daemon.turn(0)
    with pytest.raises(LedgerError, match="cannot be written"):
        house.daemon.turn(0)
    assert house.answered() == []
