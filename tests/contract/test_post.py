"""What every Post must do. Further links join the list of makers and must pass unchanged."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felt.jackpot.books.acts import Adjustment, AdjustMeter, Person, Purse
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.sqlite import MemoryLedger, SqliteLedger
from felt.letters.from_controller import Acked, Pong
from felt.letters.from_table import Ping, Posted
from felt.nouns.stamps import Stamp
from felt.ports import Post
from felt.wire.jackpot import encode
from tests.contract.linked_post import KEYS, Controller, Middle, MosquittoMiddle, VirtualMiddle, table_end
from tests.contract.listening import ANSWER_WITHIN_S, Listener, until
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR

BODY = '{"is":"RoundLocked","round":1,"locked_at":["b",1,2],"contributions":[[1,500]],"edition":0}'
LETTER = encode(Posted("T1", "n1", 1, "RoundLocked", BODY, 1, "ab"))
RESULT_BODY = '{"is":"RoundResult","round":1,"decided_at":["b",1,2],"claims":[],"returned":[]}'
RESULT = encode(Posted("T1", "n1", 2, "RoundResult", RESULT_BODY, 1, "ab"))


@contextlib.contextmanager
def embedded_in_memory(_: Path) -> Iterator[Post]:
    with contextlib.closing(EmbeddedPost(Office(MemoryLedger(), [MAJOR]))) as post:
        yield post


@contextlib.contextmanager
def embedded_on_a_file(folder: Path) -> Iterator[Post]:
    with contextlib.closing(EmbeddedPost(Office(SqliteLedger(folder / "ledger"), [MAJOR]))) as post:
        yield post


def over_a_virtual_broker(folder: Path) -> contextlib.AbstractContextManager[Post]:
    return _linked(VirtualMiddle(folder))


def over_mosquitto(folder: Path) -> contextlib.AbstractContextManager[Post]:
    return _linked(MosquittoMiddle(folder))


@contextlib.contextmanager
def _linked(middle: Middle) -> Iterator[Post]:
    with contextlib.closing(middle), contextlib.ExitStack() as ends:
        office = Office(MemoryLedger(), [MAJOR])
        ends.enter_context(contextlib.closing(Controller(middle, office, {"T1": KEYS.own})))
        yield ends.enter_context(contextlib.closing(table_end(middle)))


def begin(post: Post, on_answer: Callable[[bytes], None]) -> None:
    """A linked post drops what it is given before the controller is there, and the table posts it again."""
    post.start(on_answer)
    until(lambda: bool(post.meters()))


@pytest.fixture(params=[embedded_in_memory, embedded_on_a_file, over_a_virtual_broker, over_mosquitto])
def post(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Post]:
    make: Callable[[Path], contextlib.AbstractContextManager[Post]] = request.param
    with make(tmp_path) as made:
        yield made


@pytest.fixture
def listener(post: Post) -> Listener:
    started = Listener()
    begin(post, started)
    return started


def test_a_letter_is_answered(post: Post, listener: Listener) -> None:
    post.send(LETTER)
    assert listener.wait_for(1) == [Acked("T1", "n1", 1, 1)]


def test_a_letter_sent_again_is_answered_again_and_counted_once(post: Post, listener: Listener) -> None:
    for _ in range(3):
        post.send(LETTER)
    for _ in range(3):
        post.send(RESULT)
    answers = listener.wait_for(6)
    assert answers[-1] == Acked("T1", "n1", 2, 2)
    until(lambda: post.meters() == {"major": RESET_MINOR * MICRO + 500 * 30_000})


def test_a_ping_is_answered_with_the_meters_and_the_highest_letter(post: Post, listener: Listener) -> None:
    post.send(LETTER)
    post.send(encode(Ping("T1", "n1", 1)))
    pong = listener.wait_for(2)[1]
    assert isinstance(pong, Pong)
    assert (pong.highest_seen, pong.meters) == (1, {"major": RESET_MINOR * MICRO})


def test_garbage_is_not_answered_and_breaks_nothing(post: Post, listener: Listener) -> None:
    post.send(b"")
    post.send(b"\xff" * 100_000)
    post.send(LETTER)
    assert listener.wait_for(1) == [Acked("T1", "n1", 1, 1)]
    assert post.alive()


def test_meters_can_be_read_before_anything_was_sent(post: Post, listener: Listener) -> None:
    assert listener.heard == []
    assert post.meters() == {"major": RESET_MINOR * MICRO}


def test_letters_may_be_sent_from_another_thread(post: Post, listener: Listener) -> None:
    sender = threading.Thread(target=post.send, args=(LETTER,))
    sender.start()
    sender.join(ANSWER_WITHIN_S)
    assert listener.wait_for(1) == [Acked("T1", "n1", 1, 1)]


def test_a_listener_may_send_as_soon_as_it_hears_an_answer(post: Post) -> None:
    heard = Listener()

    def answer_with_the_next(answer: bytes) -> None:
        heard(answer)
        if len(heard.heard) == 1:
            post.send(RESULT)

    begin(post, answer_with_the_next)
    post.send(LETTER)
    assert heard.wait_for(2) == [Acked("T1", "n1", 1, 1), Acked("T1", "n1", 2, 2)]


def test_a_closed_post_is_not_alive_and_takes_nothing(post: Post, listener: Listener) -> None:
    assert post.alive()
    post.close()
    post.close()
    assert not post.alive()
    post.send(LETTER)
    assert listener.heard == []


def test_an_embedded_post_whose_ledger_fails_says_why_and_stops_answering(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    post = EmbeddedPost(Office(ledger, [MAJOR]))
    listener = Listener()
    post.start(listener)
    ledger.close()
    post.send(LETTER)
    assert not post.alive()
    assert "cannot be" in post.problem()
    assert listener.heard == []


def test_an_embedded_post_waits_for_a_ledger_that_somebody_holds_and_then_answers(tmp_path: Path) -> None:
    post = EmbeddedPost(Office(SqliteLedger(tmp_path / "ledger", busy_ms=1), [MAJOR]))
    listener = Listener()
    post.start(listener)
    with closing(sqlite3.connect(tmp_path / "ledger", isolation_level=None)) as backup:
        backup.execute("BEGIN IMMEDIATE")
        post.send(LETTER)
        assert "another process holds it" in post.problem()
        assert listener.heard == []
        backup.execute("ROLLBACK")
    post.send(LETTER)  # as the table does until it is answered
    assert listener.wait_for(1) == [Acked("T1", "n1", 1, 1)]
    assert (post.problem(), post.alive()) == ("", True)
    post.close()


def test_an_embedded_post_opens_a_ledger_again_that_failed(tmp_path: Path) -> None:
    def opened() -> Office:
        return Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])

    ledger = SqliteLedger(tmp_path / "ledger")
    post = EmbeddedPost(Office(ledger, [MAJOR]), reopen=opened)
    listener = Listener()
    post.start(listener)
    post.send(LETTER)
    ledger.close()
    post.send(RESULT)
    assert "cannot be" in post.problem()
    post.send(RESULT)
    assert listener.wait_for(2) == [Acked("T1", "n1", 1, 1), Acked("T1", "n1", 2, 2)]
    assert post.alive()
    post.close()


def test_an_embedded_post_opens_a_ledger_again_that_failed_in_an_act(tmp_path: Path) -> None:
    def opened() -> Office:
        return Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])

    ledger = SqliteLedger(tmp_path / "ledger")
    post = EmbeddedPost(Office(ledger, [MAJOR]), stamp=lambda: Stamp("b1", 1, 1), reopen=opened)
    act = AdjustMeter("major", Purse.DISPLAY, 500 * MICRO, Adjustment.MALFUNCTION)
    persons = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
    ledger.close()
    with pytest.raises(LedgerError):
        post.act(act, persons, "a power cut")
    assert "cannot be" in post.problem()
    post.act(act, persons, "a power cut")
    assert post.meters() == {"major": (RESET_MINOR + 500) * MICRO}
    assert (post.problem(), post.alive()) == ("", True)
    post.close()


def test_nothing_is_counted_twice_over_a_virtual_broker_that_repeats_loses_and_delays(tmp_path: Path) -> None:
    middle = VirtualMiddle(tmp_path)
    office = Office(MemoryLedger(), [MAJOR])
    listener = Listener()
    controller = Controller(middle, office, {"T1": KEYS.own})
    with contextlib.closing(controller), contextlib.closing(table_end(middle)) as post:
        begin(post, listener)
        middle.broker.loses = 1
        post.send(LETTER)
        assert listener.heard == []
        middle.broker.repeats = True
        post.send(LETTER)
        listener.wait_for(2)
        middle.broker.holds, middle.broker.repeats = True, False
        post.send(RESULT)
        post.send(RESULT)
        middle.broker.release()
        listener.wait_for(4)
        until(lambda: post.meters() == {"major": RESET_MINOR * MICRO + 500 * 30_000})
    assert set(map(type, listener.heard)) == {Acked}
    assert [(meter.terms.name, meter.wagers) for meter in office.standing.meters] == [("major", 1)]
