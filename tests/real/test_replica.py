"""The database server is lost for good, and its replica is promoted. With synchronous replication the replica has
everything that a table was answered, and the controller goes on with the address that names both."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from tests.real import postgres
from tests.real.fleet_database import MortalPostgres, mortal_postgres
from tests.real.linked import JackpotController, until
from tests.real.mosquitto import Mosquitto
from tests.real.test_standby import LOST_S, SEED, Pair, SteadyDriver, on_database


class TwoServers(NamedTuple):
    first: MortalPostgres
    replica: MortalPostgres

    def ask(self, folder: Path, question: str) -> object:
        address = postgres.Server(folder).address("postgres")
        with psycopg.connect(address, autocommit=True) as connection:
            found = connection.execute(question.encode()).fetchone()
        return None if found is None else found[0]

    def order(self, sentence: str) -> None:
        with psycopg.connect(postgres.Server(self.first.folder).address("postgres"), autocommit=True) as connection:
            connection.execute(sentence.encode())

    def follow_synchronously(self) -> None:
        """From here on nothing counts as committed before the replica has it on its disk."""
        self.order("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.order("SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        until(lambda: self.ask(self.first.folder, state) == "sync", "the replica is a synchronous one")

    def both(self) -> str:
        """One address for both servers: whichever accepts writes."""
        database = self.first.address.partition("@/")[2].partition("?")[0]
        hosts = f"{self.first.folder},{self.replica.folder}"
        return f"postgresql://{postgres.USER}@/{database}?host={hosts}&target_session_attrs=read-write"


@pytest.fixture
def servers() -> Iterator[TwoServers]:
    if not postgres.is_installed():
        pytest.fail("PostgreSQL is not installed: apt install postgresql", pytrace=False)
    with mortal_postgres() as first, mortal_postgres(replica_of=first.folder) as replica:
        made = TwoServers(first, replica)
        made.follow_synchronously()
        yield made


@pytest.mark.timeout(180)
def test_a_promoted_replica_has_everything_that_was_answered(servers: TwoServers) -> None:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-replica-")))
        (folder / "jackpot").mkdir()
        (folder / "table").mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        made = JackpotController(folder / "jackpot", broker.port, ("T1",))
        controller = ends.enter_context(contextlib.closing(made))
        on_database(controller, servers.both())
        driver = SteadyDriver(folder / "table", SEED, broker.port, folder / "jackpot" / "link-T1", LOST_S)
        pair = Pair(controller, controller, ends.enter_context(contextlib.closing(driver)), servers.both(), folder)
        controller.start()
        driver.sit_down()
        pair.play_a_round()

        # In the middle of a round, with answers on their way.
        driver.play_until(lambda: driver.tally.where.get("phase") == "DEALING", "a round is locked")
        servers.first.kill()
        until(lambda: controller.process.poll() is not None, "the controller ends without its database")
        assert controller.process.returncode == 1
        assert "Traceback" not in controller.said()
        controller.forget()
        assert servers.ask(servers.replica.folder, "SELECT pg_promote()") is True
        controller.start()
        pair.play_a_round()
        pair.play_a_round()
        assert driver.tally.where["service"] == "IN_SERVICE", "no F-304: nothing that was answered is missing"
        driver.get_up()
        assert controller.stop() == 0
        pair.check_the_books()
        driver.tally.check(link_was_lost=False)
