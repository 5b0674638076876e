"""The table's end of a link: only what the controller said to this table, lately, is handed on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from felt.drivers.mqtt_post import STALE_AFTER_S, LinkNames, MqttPost
from felt.letters.from_controller import Acked, Pong
from felt.letters.from_table import Ping
from felt.nouns.keyring import LinkKey
from felt.virtual.broker import VirtualBroker
from felt.wire import bulletin
from felt.wire.jackpot import encode
from felt.wire.sealed import Purpose, open_sealed, seal
from tests.contract.linked_post import KEYS, NAMES

ANSWER = encode(Acked("T1", "n1", 1, 1))


class Ends:
    def __init__(self) -> None:
        self.broker = VirtualBroker()
        self.reports: list[str] = []
        self.post = MqttPost(self.broker.client(), NAMES, KEYS, self.reports.append)
        self.heard: list[bytes] = []
        self.post.start(self.heard.append)
        self.post.send(encode(Ping("T1", "n1", 0)))
        self.number = open_sealed(self.broker.carried[-1][1], Purpose.UP, "T1", KEYS.own).number

    def answer(self, content: bytes = ANSWER, **changed: object) -> bytes:
        said = {"way": Purpose.DOWN, "name": "T1", "key": KEYS.own.current, "session": self.post.session,
                "number": self.number, "content": content} | changed  # fmt: skip
        return seal(**said)  # type: ignore[arg-type]

    def bring(self, sealed: bytes) -> None:
        self.broker.carry("felt/main/down/T1", sealed)

    def show(self, number: int, meters: dict[str, int], key: LinkKey = KEYS.sign.current) -> None:
        sealed = seal(Purpose.SIGN, "main", key, "0" * 16, number, bulletin.write_sign(meters))
        self.broker.carry("felt/main/sign", sealed)


@pytest.fixture
def ends() -> Iterator[Ends]:
    made = Ends()
    with closing(made.post):
        yield made


def test_an_answer_is_handed_on_as_it_was_said(ends: Ends) -> None:
    ends.bring(ends.answer())
    assert ends.heard == [ANSWER]
    assert not ends.post.breaches


@pytest.mark.parametrize(
    ("changed", "breach"),
    [
        ({"key": LinkKey("k1", b"\x00" * 32)}, "forged"),
        ({"key": LinkKey("k9", b"\x00" * 32)}, "unknown_key"),
        ({"way": Purpose.UP}, "misdirected"),
        ({"name": "T2"}, "misdirected"),
        ({"session": "f" * 16}, "stale"),
        ({"number": 10**9}, "stale"),
        ({"number": 0}, "stale"),
        ({"content": b"nothing"}, "unreadable"),
    ],
)
def test_what_the_controller_did_not_say_to_this_table_now_is_counted_and_not_heard(
    ends: Ends, changed: dict[str, object], breach: str
) -> None:
    for _ in range(3):
        ends.bring(ends.answer(**changed))  # type: ignore[arg-type]
    assert ends.heard == []
    assert ends.post.breaches == {breach: 3}
    assert len(ends.reports) == (0 if breach == "stale" else 1), "told once"
    assert ends.post.intruder() == ("" if breach == "stale" else f"3 {breach}")


def test_the_tables_own_letters_brought_back_to_it_are_not_answers(ends: Ends) -> None:
    ends.bring(ends.broker.carried[-1][1])
    assert ends.heard == []


def test_an_old_answer_changes_nothing(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that plays back yesterday's answers does not keep a dead controller alive."""
    answer = ends.answer()
    ends.bring(answer)
    later = time.monotonic() + STALE_AFTER_S + 1
    monkeypatch.setattr("felt.drivers.mqtt_post.time.monotonic", lambda: later)
    ends.bring(answer)
    assert ends.heard == [ANSWER]
    assert ends.post.breaches == {"stale": 1}


def test_the_sign_shows_the_meters_and_an_older_or_forged_one_does_not(ends: Ends) -> None:
    ends.show(10, {"major": 5})
    ends.show(9, {"major": 4})
    ends.show(11, {"major": 6}, LinkKey("s1", b"\x00" * 32))
    ends.broker.carry("felt/main/sign", b"junk")
    assert ends.post.meters() == {"major": 5}
    assert ends.post.breaches == {"stale": 1, "forged": 1, "malformed": 1}


def test_an_answer_to_a_ping_shows_the_meters_too(ends: Ends) -> None:
    ends.bring(ends.answer(encode(Pong("T1", "n1", 0, {"major": 7}))))
    assert ends.post.meters() == {"major": 7}


def test_a_sign_with_none_of_the_tables_meters_takes_none_away(ends: Ends) -> None:
    """As where the table's file names another link than the controller's."""
    ends.bring(ends.answer(encode(Pong("T1", "n1", 0, {"major": 7}))))
    ends.show(10, {"west/major": 5})
    assert ends.post.meters() == {"major": 7}


def test_of_several_links_on_the_sign_a_table_sees_its_own() -> None:
    sign = {"a/major": 1, "b/major": 2, "b/minor": 3, "alone": 4}
    assert LinkNames("main", "T1", "b").own(sign) == {"major": 2, "minor": 3}
    assert LinkNames("main", "T1").own(sign) == {"alone": 4}


def test_a_table_says_that_it_is_there_each_time_it_is_connected(ends: Ends) -> None:
    def presences() -> list[bytes]:
        return [content for topic, content in ends.broker.carried if topic == "felt/main/here/T1"]

    assert len(presences()) == 1
    ends.broker.stop()
    ends.post.send(ANSWER)
    ends.broker.restart()
    assert len(presences()) == 2
    assert bulletin.read_presence(open_sealed(presences()[-1], Purpose.HERE, "T1", KEYS.own).content)


def test_a_table_that_nobody_answers_begins_a_new_session(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old session that somebody recorded and plays to the controller silences a table no longer than that."""
    former = ends.post.session
    ends.bring(ends.answer())
    ends.post.send(encode(Ping("T1", "n1", 0)))
    assert ends.post.session == former
    later = time.monotonic() + STALE_AFTER_S + 1
    monkeypatch.setattr("felt.drivers.mqtt_post.time.monotonic", lambda: later)
    ends.post.send(encode(Ping("T1", "n1", 0)))
    opened = open_sealed(ends.broker.carried[-1][1], Purpose.UP, "T1", KEYS.own)
    assert (opened.session, opened.number) == (ends.post.session, 1)
    assert ends.post.session != former
    ends.bring(ends.answer(number=1))
    assert ends.heard == [ANSWER, ANSWER]


def test_a_sign_that_the_answers_contradict_for_ten_seconds_is_a_problem_and_the_answers_stay(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    began_s = time.monotonic()
    for second in range(12):
        monkeypatch.setattr("felt.drivers.mqtt_post.time.monotonic", lambda at=began_s + second: at)
        ends.show(10 + second, {"major": 9_000})
        ends.post.send(encode(Ping("T1", "n1", 0)))
        number = open_sealed(ends.broker.carried[-1][1], Purpose.UP, "T1", KEYS.own).number
        assert ends.post.sign_problem() == ""
        ends.bring(ends.answer(encode(Pong("T1", "n1", 0, {"major": 7})), number=number))
    assert ends.post.sign_problem() == "major: 9000 on the sign, 7 told by the controller"
    assert ends.post.meters() == {"major": 7}
