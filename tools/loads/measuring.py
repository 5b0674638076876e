"""One run with a broker, a controller and a swarm of tables: what was answered, how soon, and who was busy."""

from __future__ import annotations

import contextlib
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from felt.commands.provisioning import write_secret
from felt.config.jackpot_file import load_jackpot
from felt.config.link_folder import LEDGER_KEY, SIGN_KEYS, TABLE_KEYS
from felt.evidence.signing import write_new_key
from felt.jackpot.books.standing import journals_in
from felt.nouns.keyring import SECRET_BYTES, Keyring, LinkKey, write_keyring
from felt.wiring.jackpot_controller import open_office
from tests.real import postgres
from tests.real.linked import environment, until
from tests.real.mosquitto import Mosquitto
from tools.loads.swarm import LETTERS_A_ROUND, STAKE, Swarm

BUSY = 0.6  # of the time: the part that is this busy is what all the others wait for
HEADING = (
    f"{'tables':>7} {'letters/s':>10} {'rounds/s':>9} {'median':>9} {'99 %':>9} {'pings/s':>9} {'MiB':>6}  bottleneck"
)


class Shares(NamedTuple):
    """How much of its time each one's busiest thread ran or waited for a core, and not for anything else."""

    controller: float
    broker: float
    tables: float


def measure(tables: int, seconds: float, database: str, folder: Path) -> str:
    """One line of the table under `HEADING`."""
    with contextlib.ExitStack() as ends:
        place = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="load-", dir=folder)))
        ledger = "jackpot.ledger"
        if database == "postgresql":
            if not postgres.is_installed():
                sys.exit("tools/load: PostgreSQL is not installed: run 'sudo apt install postgresql'")
            ledger = ends.enter_context(postgres.running(durable=True)).new_database()
        broker = ends.enter_context(contextlib.closing(Mosquitto(place)))
        keys = _provision(place, broker.port, tables, ledger)
        controller = ends.enter_context(_controller(place))
        swarm = ends.enter_context(contextlib.closing(Swarm(broker.port, keys)))
        processes = (controller.pid, broker.pid, os.getpid())
        swarm.pings(1.0)  # everybody has been heard once
        swarm.resent = 0  # what the controller missed before it listened does not count
        took, shares = _watched(processes, lambda: swarm.letters(seconds))
        pings, _ = _watched(processes, lambda: swarm.pings(seconds / 2))
        memory = _memory_mib(controller.pid)
        controller.terminate()
        assert controller.wait(60) == 0
        _check(place, len(took.answers))
    rate = len(took.answers) / took.seconds
    median, worst = (_milliseconds(took.answers, part) for part in (0.5, 0.99))
    return (
        f"{tables:>7} {rate:>10.0f} {rate / LETTERS_A_ROUND:>9.1f} {median:>9} {worst:>9} "
        f"{len(pings.answers) / pings.seconds:>9.0f} {memory:>6.0f}  {_bottleneck(shares)}"
        + (f"; {swarm.resent} sent again" if swarm.resent else "")
    )


class Took(NamedTuple):
    answers: list[float]
    seconds: float


def _watched(processes: tuple[int, ...], act: Callable[[], list[float]]) -> tuple[Took, Shares]:
    before, begun = [_wanted_ns(process) for process in processes], time.monotonic()
    answers = act()
    seconds = time.monotonic() - begun
    after = [_wanted_ns(process) for process in processes]
    shares = [_busiest(former, latter) / seconds for former, latter in zip(before, after, strict=True)]
    return Took(answers, seconds), Shares(*shares)


def _wanted_ns(process: int) -> dict[str, int]:
    """Of each thread: what it ran, and what it waited to run, so that a machine that is shared deceives nobody."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return {task.name: sum(map(int, (task / "schedstat").read_text().split()[:2])) for task in tasks}


def _busiest(before: dict[str, int], after: dict[str, int]) -> float:
    return max(wanted - before.get(thread, 0) for thread, wanted in after.items()) / 1e9


def _bottleneck(shares: Shares) -> str:
    names = {"controller": "the controller's thread", "broker": "the broker", "tables": "the simulated tables"}
    busiest = max(Shares._fields, key=lambda name: float(getattr(shares, name)))
    who = names[busiest] if getattr(shares, busiest) >= BUSY else "the ledger's disk"
    return f"{who} ({', '.join(f'{name} {share:.0%}' for name, share in shares._asdict().items())})"


def _milliseconds(seconds: list[float], part: float) -> str:
    ranked = sorted(seconds) or [0.0]
    found = statistics.median(ranked) if part == 0.5 else ranked[int(part * (len(ranked) - 1))]
    return f"{found * 1000:.0f} ms"


def _provision(folder: Path, port: int, tables: int, ledger: str) -> dict[str, LinkKey]:
    """As `felt jackpot provision` does, without a sync for each of thousands of files that are thrown away."""
    names = [f"T{number}" for number in range(1, tables + 1)]
    lines = ["[controller]", "metrics_port = 0", f'ledger = "{ledger}"', "[broker]", f"port = {port}"]
    lines += ["[meters.major]", "reset_minor = 5000000", "rate_bp = 1500", "reserve_bp = 300"]
    lines += ["[meters.minor]", "reset_minor = 100000", "rate_bp = 500"]
    (folder / "jackpot.toml").write_text("\n".join([*lines, *(f"[tables.{name}]" for name in names)]) + "\n")
    (folder / "link").mkdir(mode=0o700)
    write_new_key(folder / "link" / LEDGER_KEY)
    write_secret(folder / "link" / SIGN_KEYS, write_keyring(Keyring(_new_key("s1"))))
    keys = {name: _new_key("k1") for name in names}
    for name, key in keys.items():
        path = folder / "link" / TABLE_KEYS.format(name)
        path.touch(mode=0o600)
        path.write_text(write_keyring(Keyring(key)))
    return keys


def _new_key(name: str) -> LinkKey:
    return LinkKey(name, secrets.token_bytes(SECRET_BYTES))


@contextlib.contextmanager
def _controller(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    said = folder / "stderr"
    with said.open("wb") as stderr:
        started = subprocess.Popen(
            [sys.executable, "-m", "felt.cli", "jackpot", "--config", "jackpot.toml"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=environment(), cwd=folder,
        )  # fmt: skip
    try:
        until(lambda: (folder / "control").is_socket() or started.poll() is not None, "the controller answers", 120)
        assert started.poll() is None, said.read_text()
        yield started
    finally:
        if started.poll() is None:
            started.kill()
            started.wait(60)


def _check(folder: Path, letters: int) -> None:
    """Every answered letter is in the ledger, and the money is what the bets make of it."""
    with contextlib.closing(open_office(load_jackpot(folder / "jackpot.toml"))) as office:
        report = office.report()
        assert report.conserved, report.problem
        assert sum(journal.highest for journal in journals_in(office.standing)) == letters
        assert all(meter.stakes % STAKE == 0 for meter in office.standing.meters)


def _memory_mib(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024
