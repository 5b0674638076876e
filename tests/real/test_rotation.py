"""A table's key is changed while controller and broker run: no restart, no lost answer, and the old key is worthless in
the end."""

from __future__ import annotations

import contextlib
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.config.link_folder import OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.letters.from_table import Ping
from felt.wire import bulletin
from felt.wire.jackpot import encode
from tests.real.linked import JackpotController, felt, until
from tests.real.mosquitto import Mosquitto


class TableEnd:
    """The post of a table with the current keys."""

    def __init__(self, folder: Path, port: int, client: str) -> None:
        link = LinkFolder(folder, {})
        names, keys = LinkNames("main", "T1"), LinkKeys(link.keyring(OWN_KEYS), link.keyring(SIGN_KEYS))
        will = LastWill(bulletin.here_topic("main", "T1"), last_will(names, keys))
        self.post = MqttPost(MqttBroker(BrokerAddress("127.0.0.1", port), client, will), names, keys)
        self.answers: list[bytes] = []
        self.post.start(self.answers.append)

    def is_answered(self) -> bool:
        before = len(self.answers)
        self.post.send(encode(Ping("T1", "n", 0)))
        with contextlib.suppress(AssertionError):
            until(lambda: len(self.answers) > before, "an answer", within_s=0.5)
        return len(self.answers) > before


@pytest.fixture
def ends() -> Iterator[tuple[JackpotController, contextlib.ExitStack, int]]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="felt-rotation-")))
        broker = stack.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = stack.enter_context(contextlib.closing(JackpotController(folder, broker.port, ("T1",))))
        controller.start()
        yield controller, stack, broker.port


def provision(controller: JackpotController, more: str) -> None:
    target = controller.folder / "link-T1"
    done = felt("jackpot", "provision", "T1", "--config", controller.file, "--to", target, more)
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(120)
def test_a_key_is_changed_under_a_running_controller(
    ends: tuple[JackpotController, contextlib.ExitStack, int],
) -> None:
    controller, stack, port = ends
    folder = controller.folder / "link-T1"
    old = TableEnd(folder, port, "old")
    stack.callback(old.post.close)
    until(old.is_answered, "the first key is good")

    provision(controller, "--rotate")
    asked = felt("jackpot", "keys", "--config", controller.file)
    assert asked.stdout.strip() == "the keys were read again: table T1: k1, k2"
    until(old.is_answered, "the old key is good during the rotation")
    new = TableEnd(folder, port, "new")
    stack.callback(new.post.close)
    until(new.is_answered, "the new key is good too")

    provision(controller, "--finish")
    controller.process.send_signal(signal.SIGHUP)
    until(lambda: "The keys were read again and are in use." in controller.said(), "the signal is heard")
    until(new.is_answered, "the new key is good")
    assert not old.is_answered()
    assert controller.status()["counts"]["T1"]["unknown_key"] >= 1


@pytest.mark.timeout(60)
def test_keys_that_cannot_be_read_leave_the_former_ones_in_use(
    ends: tuple[JackpotController, contextlib.ExitStack, int],
) -> None:
    controller, stack, port = ends
    table = TableEnd(controller.folder / "link-T1", port, "table")
    stack.callback(table.post.close)
    (controller.folder / "link" / "table-T1.keys").write_text("nothing")
    refused = felt("jackpot", "keys", "--config", controller.file)
    assert refused.returncode == 1
    assert "the former keys stay in use" in refused.stderr
    until(table.is_answered, "the former key is good")
