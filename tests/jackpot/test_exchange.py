"""What comes from a broker is judged before the office hears of it: only what a table said, once and lately, counts."""

from __future__ import annotations

import random

import pytest

from felt.jackpot.controller.exchange import Count, Exchange, Heard, Outgoing
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked
from felt.letters.from_table import Ping, Posted
from felt.nouns.keyring import Keyring, LinkKey
from felt.wire import bulletin
from felt.wire.jackpot import Message, decode, encode
from felt.wire.sealed import SEALED_BYTES_MAX, Purpose, open_sealed, seal
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, stamp

T1, T2 = Keyring(LinkKey("k1", b"\x01" * 32)), Keyring(LinkKey("k1", b"\x02" * 32))
SIGN = Keyring(LinkKey("s1", b"\x03" * 32))
SESSION, LATER = "1" * 16, "2" * 16
LOCKED_BODY = '{"is":"RoundLocked","round":1,"locked_at":["b",1,2],"contributions":[[1,500]],"edition":0}'
LOCKED = encode(Posted("T1", "n1", 1, "RoundLocked", LOCKED_BODY, 1, "ab"))
RESULT_BODY = '{"is":"RoundResult","round":1,"decided_at":["b",1,2],"claims":[],"returned":[]}'
RESULT = encode(Posted("T1", "n1", 2, "RoundResult", RESULT_BODY, 1, "ab"))


class Bench:
    def __init__(self) -> None:
        self.office = Office(MemoryLedger(), [MAJOR])
        self.reports: list[str] = []
        self.exchange = Exchange(self.office, "main", {"T1": T1, "T2": T2}, SIGN, self.reports.append)

    def take(self, *sealed: bytes, table: str = "T1") -> list[Outgoing]:
        return self.exchange.take([Heard(bulletin.up_topic("main", table), one) for one in sealed], stamp(1))

    def heard(self, *sealed: bytes) -> list[Message]:
        """The answers as the table opens them."""
        return [decode(open_sealed(one.content, Purpose.DOWN, "T1", T1).content) for one in self.take(*sealed)]

    def count(self, name: str, table: str = "T1") -> int:
        return self.exchange.counts[Count(name, table)]

    def untouched(self) -> bool:
        return self.office.meters() == {"major": RESET_MINOR * MICRO} and not self.office.standing.rounds


@pytest.fixture
def bench() -> Bench:
    return Bench()


def up(content: bytes, number: int, session: str = SESSION) -> bytes:
    return seal(Purpose.UP, "T1", T1.current, session, number, content)


def test_a_letter_in_its_envelope_is_answered_in_one(bench: Bench) -> None:
    answered = bench.take(up(LOCKED, 5))
    assert [one.topic for one in answered] == ["felt/main/down/T1"]
    opened = open_sealed(answered[0].content, Purpose.DOWN, "T1", T1)
    assert (opened.session, opened.number) == (SESSION, 5)
    assert decode(opened.content) == Acked("T1", "n1", 1, 1)


def test_an_identical_resend_is_answered_again_and_counted(bench: Bench) -> None:
    bench.take(up(LOCKED, 1))
    assert bench.heard(up(LOCKED, 2)) == [Acked("T1", "n1", 1, 1)]
    assert (bench.count("acked"), bench.count("answered_again")) == (1, 1)


def test_an_envelope_that_comes_again_is_counted_and_not_answered(bench: Bench) -> None:
    bench.take(up(LOCKED, 1), up(RESULT, 2))
    before = bench.office.meters()
    assert bench.take(up(LOCKED, 1), up(RESULT, 2)) == []
    assert bench.count("replayed") == 2
    assert bench.office.meters() == before


def test_a_session_that_is_over_says_nothing_new(bench: Bench) -> None:
    bench.take(up(LOCKED, 7))
    bench.take(up(encode(Ping("T1", "n1", 1)), 1, LATER))
    assert bench.take(up(RESULT, 8)) == []
    assert bench.count("replayed") == 1
    assert bench.heard(up(RESULT, 2, LATER)) == [Acked("T1", "n1", 2, 2)]


@pytest.mark.parametrize("seed", range(3))
def test_forged_altered_oversized_or_malformed_messages_change_nothing_and_are_reported(
    bench: Bench, seed: int
) -> None:
    chance = random.Random(seed)
    good = up(LOCKED, 1)
    for _ in range(300):
        altered = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            altered[chance.randrange(len(altered))] = chance.randrange(256)
        if bytes(altered) != good:
            assert bench.take(bytes(altered)) == []
    forged = seal(Purpose.UP, "T1", LinkKey("k1", b"\x09" * 32), SESSION, 1, LOCKED)
    for junk in (forged, b"", b"\x00", b"{}", b"x" * (SEALED_BYTES_MAX + 1), good[:-1], good + b"x", LOCKED):
        assert bench.take(junk) == []
    assert bench.untouched()
    assert min(bench.count("forged"), bench.count("oversized"), bench.count("malformed")) >= 1
    assert any(report.startswith("ALARM") and "T1" in report for report in bench.reports)
    assert bench.office.alarms == len(bench.reports)
    assert len(bench.reports) < 10, "a flood is counted, not told"


def test_a_sealed_message_that_is_no_message_changes_nothing(bench: Bench) -> None:
    assert bench.take(up(b"{}", 1), up(b"\xff", 2), up(encode(Acked("T1", "n1", 1, 1)), 3)) == []
    assert bench.untouched()
    assert bench.count("unreadable") == 2


def test_a_table_cannot_speak_for_another_on_its_topic_or_in_its_words(bench: Bench) -> None:
    assert bench.take(up(LOCKED, 1), table="T2") == []
    as_t2 = seal(Purpose.UP, "T2", T2.current, SESSION, 1, LOCKED)
    assert bench.take(as_t2, table="T2") == []
    assert bench.untouched()
    assert bench.count("misdirected", "T2") == 2


def test_a_stranger_is_counted_without_his_name(bench: Bench) -> None:
    for number in range(100):
        bench.take(up(LOCKED, 1), table=f"X{number}")
    assert bench.count("stranger", "unknown") == 100
    assert len(bench.exchange.counts) == 1


def test_both_keys_of_a_rotation_are_heard_and_the_first_answers(bench: Bench) -> None:
    fresh = LinkKey("k2", b"\x07" * 32)
    exchange = Exchange(bench.office, "main", {"T1": Keyring(T1.current, fresh)}, SIGN)
    topic = bulletin.up_topic("main", "T1")
    for number, key in enumerate((T1.current, fresh), 1):
        letter = seal(Purpose.UP, "T1", key, SESSION, number, encode(Ping("T1", "n1", 0)))
        (answer,) = exchange.take([Heard(topic, letter)], stamp(number))
        assert open_sealed(answer.content, Purpose.DOWN, "T1", T1).key_id == "k1"


def test_the_sign_is_written_when_the_meters_change_and_its_numbers_rise(bench: Bench) -> None:
    (first,) = bench.exchange.sign(1_000)
    assert first.retain
    assert bench.exchange.sign(1_001) == []
    bench.take(up(LOCKED, 1), up(RESULT, 2))
    (second,) = bench.exchange.sign(500)  # the clock on the wall was set back
    opened = [open_sealed(one.content, Purpose.SIGN, "main", SIGN) for one in (first, second)]
    assert [one.number for one in opened] == [1_000, 1_001]
    assert bulletin.read_sign(opened[1].content) == bench.office.meters()


def test_presence_is_what_a_table_or_its_last_will_said(bench: Bench) -> None:
    topic = bulletin.here_topic("main", "T1")
    for here in (True, False):
        sealed = seal(Purpose.HERE, "T1", T1.current, SESSION, 1, bulletin.write_presence(here))
        bench.exchange.take([Heard(topic, sealed)], stamp(1))
        assert bench.exchange.present == {"T1": here, "T2": False}
    forged = seal(Purpose.HERE, "T1", T2.current, SESSION, 1, bulletin.write_presence(True))
    bench.exchange.take([Heard(topic, forged)], stamp(1))
    assert not bench.exchange.present["T1"]


def test_recorded_sessions_played_in_a_circle_are_remembered_and_are_an_alarm(bench: Bench) -> None:
    """However many there are: each was begun when the one before it ended."""
    sessions = [f"{number:016x}" for number in range(40)]

    def play(session: str, second: int) -> list[Outgoing]:
        ping = up(encode(Ping("T1", "n1", 0)), 1, session)
        return bench.exchange.take([Heard(bulletin.up_topic("main", "T1"), ping)], stamp(second))

    for second, session in enumerate(sessions):
        assert play(session, second), "the table speaks, and somebody listens"
    assert bench.office.alarms == 0
    for second, session in enumerate(sessions[:-1], 200):
        assert play(session, second) == []
    assert bench.count("recorded") == len(sessions) - 1
    assert bench.reports == ["ALARM: Somebody plays recorded messages of table T1 to the controller."]
    assert bench.office.alarms == 1
    assert bench.exchange.take(
        [Heard(bulletin.up_topic("main", "T1"), up(encode(Ping("T1", "n1", 0)), 2, sessions[-1]))], stamp(300)
    ), "the table itself is still heard"


def test_a_message_that_the_broker_brings_late_is_no_alarm(bench: Bench) -> None:
    bench.take(up(encode(Ping("T1", "n1", 0)), 1))
    bench.take(up(encode(Ping("T1", "n1", 0)), 1, LATER))
    assert bench.take(up(encode(Ping("T1", "n1", 0)), 2)) == []
    assert (bench.count("replayed"), bench.count("recorded"), bench.office.alarms) == (1, 0, 0)
