"""Somebody who has the sign's key shows false meters on a real broker, and the link is cut during the deal. The table
then pays a share of what the controller told it, by its registered value."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from pathlib import Path

import pytest

from felt.config.link_folder import SIGN_KEYS, LinkFolder
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.wire import bulletin
from felt.wire.sealed import Purpose, seal
from tests.real.linked import JackpotController, LinkedDriver
from tests.real.mosquitto import Mosquitto

SEED = 7
LOST_S = 2
RESET_MINOR = 5_000_000
FALSE_MICRO = 9_900_800 * 1_000_000
ROUNDS_MAX = 20


class FalseSigns:
    """Signs numbered far ahead of the controller's, whose own signs then look old."""

    def __init__(self, port: int, keys: Path) -> None:
        self._key = LinkFolder(keys).keyring(SIGN_KEYS).current
        self._number = time.time_ns() // 10**6 + 10**9
        self._connected = threading.Event()
        self._client = MqttBroker(BrokerAddress("127.0.0.1", port), "false-signs", LastWill("false-signs", b""))
        self._client.start((), lambda _topic, _content: None, self._stands)
        self.close = self._client.close

    def _stands(self, connected: bool) -> None:
        if connected:
            self._connected.set()

    def show(self) -> None:
        assert self._connected.wait(10)
        self._number += 1
        sign = bulletin.write_sign({"major": FALSE_MICRO})
        sealed = seal(Purpose.SIGN, "main", self._key, "0" * 16, self._number, sign)
        self._client.publish(bulletin.sign_topic("main"), sealed, retain=True)


@pytest.mark.timeout(600)
def test_false_signs_and_a_cut_link_do_not_change_what_a_jackpot_pays() -> None:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-false-")))
        (folder / "house").mkdir()
        (folder / "table").mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        keys = folder / "house" / "link-T1"
        driver = ends.enter_context(
            contextlib.closing(LinkedDriver(folder / "table", SEED, broker.port, keys, LOST_S))
        )
        signs = ends.enter_context(contextlib.closing(FalseSigns(broker.port, keys)))
        controller.start()
        driver.sit_down()
        tally = driver.tally

        def reaches(phase: str) -> bool:
            signs.show()
            return tally.where.get("phase") == phase

        def registered() -> list[int]:
            confirmed = [letter.parts for letter in tally.letters.values() if letter.kind == "ClaimConfirmed"]
            return [parts["award_minor"] for parts in confirmed if parts["by_registered_value"]]

        for _ in range(ROUNDS_MAX):
            driver.play_until(lambda: reaches("DEALING"), "a round is locked")
            broker.kill()
            driver.play_until(lambda: tally.where["phase"] == "IDLE", "the round ends without a link")
            if registered():
                break
            broker.start()
            driver.play_until(
                lambda: tally.where["link"] == "UP" and not tally.where["unanswered"], "the answers come again"
            )
        assert registered(), "no jackpot was hit while the link was cut"
        claims = [claim for parts in tally.of_kind("RoundResult").values() for claim in parts["claims"]]
        assert all(claim["registered_micro"] < (RESET_MINOR + 100_000) * 1_000_000 for claim in claims), claims
        assert max(registered()) < RESET_MINOR + 100_000, "paid by the sign"
        broker.start()
        driver.play_until(
            lambda: tally.where["phase"] == "IDLE" and not tally.where["unanswered"], "every letter is answered"
        )
        driver.get_up()
        assert controller.stop() == 0
        conserved, _, wins_minor = controller.books()
        assert conserved
        assert wins_minor == tally.awards_minor()
