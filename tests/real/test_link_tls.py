"""The broker's settings as they are shipped, on a real Mosquitto with real certificates: each table speaks only for
itself, whatever it holds."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from felt.config.link_folder import OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker, TlsFiles
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.letters.from_controller import Acked, Pong
from felt.letters.from_table import Ping, Posted
from felt.ports import LinkUnavailable
from felt.wire import bulletin
from felt.wire.jackpot import encode
from felt.wire.sealed import Purpose, seal
from tests.contract.listening import Listener
from tests.real.linked import JackpotController, felt, until
from tests.real.mosquitto import Mosquitto

SHIPPED = Path(__file__).resolve().parents[2] / "systemd" / "mosquitto"
TABLES = ("T1", "T2")
BODY = '{"is":"RoundLocked","round":1,"locked_at":["b",1,2],"contributions":[[1,500]],"edition":0}'


class House(NamedTuple):
    controller: JackpotController
    port: int

    def certificate(self, holder: str) -> TlsFiles:
        folder = self.controller.folder / holder
        return TlsFiles(*(str(folder / name) for name in ("authority.crt", "own.crt", "own.key")))

    def keys(self, table: str) -> LinkKeys:
        folder = LinkFolder(self.controller.folder / f"link-{table}", {})
        return LinkKeys(folder.keyring(OWN_KEYS), folder.keyring(SIGN_KEYS))

    def post(self, table: str, certificate_of: str) -> MqttPost:
        names, keys = LinkNames("main", table), self.keys(table)
        will = LastWill(bulletin.here_topic("main", table), last_will(names, keys))
        address = BrokerAddress("127.0.0.1", self.port, self.certificate(f"link-{certificate_of}"))
        return MqttPost(MqttBroker(address, f"{certificate_of} as {table}", will), names, keys)

    def counted(self, table: str) -> dict[str, int]:
        return dict(self.controller.status()["counts"].get(table, {}))


def shipped_settings(folder: Path) -> str:
    """The shipped settings with the test's own paths, readable by the broker when the test runs as root."""
    acl = folder / "felt.acl"
    acl.write_text((SHIPPED / "felt.acl").read_text())
    acl.chmod(0o600)
    text = (SHIPPED / "felt.conf").read_text()
    for shipped, here in (
        ("listener 8883", "listener {port} 127.0.0.1"),
        ("/etc/mosquitto/certs/", f"{folder}/link/"),
        ("/etc/mosquitto/felt.acl", str(acl)),
    ):
        assert shipped in text
        text = text.replace(shipped, here)
    return text + ("user root\n" if os.geteuid() == 0 else "")


@pytest.fixture
def house() -> Iterator[House]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-tls-")))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder, 1, TABLES, tls=True)))
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder, shipped_settings(folder))))
        controller.file.write_text(controller.file.read_text().replace("port = 1\n", f"port = {broker.port}\n"))
        controller.start()
        yield House(controller, broker.port)


@pytest.mark.timeout(120)
def test_a_table_speaks_for_itself_with_its_own_certificate_and_for_nobody_else_with_it(house: House) -> None:
    honest, thief = Listener(), Listener()
    with contextlib.closing(house.post("T2", "T2")) as own, contextlib.closing(house.post("T1", "T2")) as stolen:
        own.start(honest)
        # The thief even holds the other table's keys: the broker does not carry his message.
        stolen.start(thief)
        until(lambda: bool(own.meters()) and bool(stolen.meters()), "both hear the sign")
        stolen.send(encode(Posted("T1", "n1", 1, "RoundLocked", BODY, 1, "ab")))
        own.send(encode(Posted("T2", "n2", 1, "RoundLocked", BODY, 1, "ab")))
        assert honest.wait_for(1) == [Acked("T2", "n2", 1, 1)]
        own.send(encode(Ping("T2", "n2", 1)))
        assert isinstance(honest.wait_for(2)[1], Pong)
        assert house.counted("T1") == {}
        assert house.controller.status()["present"] == {"T1": False, "T2": True}
        assert thief.heard == []
    assert [letter[1] for letter in house.controller.letters()] == ["RoundLocked"]


@pytest.mark.timeout(120)
def test_a_table_can_neither_answer_nor_write_the_sign(house: House) -> None:
    keys = house.keys("T2")
    own_listener, listener = Listener(), Listener()
    with contextlib.closing(house.post("T2", "T2")) as own, contextlib.closing(house.post("T1", "T1")) as victim:
        own.start(own_listener)
        victim.start(listener)
        until(lambda: bool(own.meters()) and bool(victim.meters()), "both hear the sign")
        before = victim.meters()
        # Everybody has the sign's key; only the broker's list keeps a table from using it.
        sign = seal(Purpose.SIGN, "main", keys.sign.current, "0" * 16, 10**14, bulletin.write_sign({"major": 1}))
        own._broker.publish(bulletin.sign_topic("main"), sign, retain=True)
        own._broker.publish(bulletin.down_topic("main", "T1"), b"junk")
        own.send(encode(Ping("T2", "n2", 0)))
        own_listener.wait_for(1)  # what was published before it has reached the broker
        # Not a ping, whose answer would correct the meters.
        victim.send(encode(Posted("T1", "n1", 1, "RoundLocked", BODY, 1, "ab")))
        assert listener.wait_for(1) == [Acked("T1", "n1", 1, 1)]
        assert victim.meters() == before
        assert not victim.breaches


@pytest.mark.timeout(120)
def test_without_a_certificate_of_the_house_nobody_is_let_in(house: House) -> None:
    elsewhere = house.controller.folder / "elsewhere"
    elsewhere.mkdir()
    stranger = JackpotController(elsewhere, house.port, ("T1",), tls=True)
    own_files = (str(elsewhere / "link-T1" / name) for name in ("own.crt", "own.key"))
    files = TlsFiles(house.certificate("link-T1").authority, *own_files)
    states: list[bool] = []
    broker = MqttBroker(BrokerAddress("127.0.0.1", house.port, files), "stranger", LastWill("felt/main/here/T1", b""))
    broker.start(("felt/main/sign",), lambda _topic, _content: states.append(True), states.append)
    with contextlib.closing(broker), contextlib.closing(stranger), contextlib.closing(house.post("T1", "T1")) as own:
        own.start(Listener())
        until(lambda: bool(own.meters()), "a table of the house hears the sign")
        assert states == []


def test_certificates_that_cannot_be_used_are_one_sentence(tmp_path: Path) -> None:
    for name in ("authority.crt", "own.crt", "own.key"):
        (tmp_path / name).write_text("nothing\n")
    files = TlsFiles(*(str(tmp_path / name) for name in ("authority.crt", "own.crt", "own.key")))
    with pytest.raises(LinkUnavailable, match="certificates of the link cannot be used"):
        MqttBroker(BrokerAddress("127.0.0.1", 1, files), "T1", LastWill("x", b""))


def test_a_broker_elsewhere_without_tls_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[link]\nkind = "mqtt"\nhost = "broker.house"\n')
    refused = felt("check", "--config", file)
    assert refused.returncode == 1
    assert "link.tls" in refused.stderr
    assert "without encryption" in refused.stderr
