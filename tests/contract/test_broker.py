"""What every broker must do, virtual or real: carry messages by topic, keep what is retained, and publish a last
will."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.drivers.mqtt import LastWill
from felt.ports import Broker
from tests.contract.linked_post import Middle, MosquittoMiddle, VirtualMiddle
from tests.contract.listening import until

RECONNECTED_WITHIN_S = 10
OWN_ECHO = "echo"


class End:
    """A client, and what it heard."""

    def __init__(self, broker: Broker, *topics: str) -> None:
        self.broker = broker
        self.heard: list[tuple[str, bytes]] = []
        self.states: list[bool] = []
        self.connected = threading.Event()
        self._listens = threading.Event()
        broker.start((*topics, OWN_ECHO), self._hears, self._stands)
        assert self.connected.wait(RECONNECTED_WITHIN_S)
        broker.publish(OWN_ECHO, b"")  # behind the subscriptions: once its echo is back, they stand
        assert self._listens.wait(RECONNECTED_WITHIN_S)

    def _hears(self, topic: str, content: bytes) -> None:
        if topic == OWN_ECHO:
            self._listens.set()
        else:
            self.heard.append((topic, content))

    def _stands(self, connected: bool) -> None:
        self.states.append(connected)
        if connected:
            self.connected.set()
        else:
            self.connected.clear()

    def close(self) -> None:
        self.broker.close()


@pytest.fixture(params=[VirtualMiddle, MosquittoMiddle])
def middle(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Middle]:
    with contextlib.closing(request.param(tmp_path)) as made:
        yield made


def end(middle: Middle, name: str, *topics: str) -> contextlib.closing[End]:
    return contextlib.closing(End(middle.client(name, LastWill(f"gone/{name}", name.encode())), *topics))


def test_a_message_reaches_every_subscriber_of_its_topic_and_nobody_else(middle: Middle) -> None:
    with end(middle, "a", "x/+") as all_of_x, end(middle, "b", "x/1") as first, end(middle, "c", "y/1") as other:
        other.broker.publish("x/1", b"first")
        other.broker.publish("x/2", b"second")
        until(lambda: len(all_of_x.heard) == 2 and len(first.heard) == 1)
        assert all_of_x.heard == [("x/1", b"first"), ("x/2", b"second")]
        assert first.heard == [("x/1", b"first")]
        assert other.heard == []


def test_a_retained_message_reaches_later_subscribers_and_others_do_not(middle: Middle) -> None:
    with end(middle, "a", "x/2") as early:
        early.broker.publish("x/1", b"kept", retain=True)
        early.broker.publish("x/1", b"newer", retain=True)
        early.broker.publish("x/2", b"passing")
        until(lambda: ("x/2", b"passing") in early.heard)
        with end(middle, "b", "x/+") as witness:
            until(lambda: ("x/1", b"newer") in witness.heard)
            early.broker.publish("x/3", b"last")
            until(lambda: ("x/3", b"last") in witness.heard)
            assert witness.heard == [("x/1", b"newer"), ("x/3", b"last")]
        with end(middle, "c", "x/+") as late:
            until(lambda: bool(late.heard))
            assert late.heard == [("x/1", b"newer")]


def test_a_client_that_leaves_publishes_its_last_will(middle: Middle) -> None:
    with end(middle, "a", "gone/+") as left_behind:
        with end(middle, "b"):
            pass
        until(lambda: left_behind.heard == [("gone/b", b"b")])


def test_a_broker_that_dies_is_found_again_and_messages_from_in_between_are_lost(middle: Middle) -> None:
    with end(middle, "a", "x/1") as end_of_x:
        middle.stop()
        until(lambda: end_of_x.states == [True, False])
        assert end_of_x.broker.alive(), "it goes on trying"
        end_of_x.broker.publish("x/1", b"lost")
        middle.restart()
        assert end_of_x.connected.wait(RECONNECTED_WITHIN_S)
        end_of_x.broker.publish("x/1", b"heard")
        until(lambda: bool(end_of_x.heard))
        assert end_of_x.heard == [("x/1", b"heard")]


def test_a_closed_client_is_not_alive_and_says_nothing(middle: Middle) -> None:
    with end(middle, "a", "x/1") as witness:
        with end(middle, "b") as closed:
            assert closed.broker.alive()
        assert not closed.broker.alive()
        closed.broker.close()
        closed.broker.publish("x/1", b"from beyond")
        witness.broker.publish("x/1", b"living")
        until(lambda: bool(witness.heard))
        assert witness.heard == [("x/1", b"living")]
