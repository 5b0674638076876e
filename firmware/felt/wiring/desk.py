"""Builds the desk: its socket, its people, and what it stores beside the journal. A table does not start without a
desk, because persons confirm jackpots, clear faults and answer questions there. Without it play would stop at the
first of them, with bets on the felt."""

from __future__ import annotations

import sys
from contextlib import ExitStack, suppress
from pathlib import Path

from felt.config import Config, ConfigError
from felt.config.people import read_people
from felt.desk.desk import Desk
from felt.desk.meter_adjustment import adjuster
from felt.desk.pin_lockout import Lockout
from felt.desk.round_replays import RoundReplays
from felt.desk.screen_panel import ScreenPanel
from felt.drivers.clock import SystemClock
from felt.drivers.disk import FolderDisk
from felt.drivers.line_socket import LineSocket
from felt.host.accepted_config import AcceptedConfig
from felt.host.people_watch import PeopleWatch, accept_first
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.loop.boot import BootRefused
from felt.loop.table_loop import TableLoop
from felt.ports import Disk, LinkUnavailable, Post
from felt.wiring.table_settings import line_names

MEMORY = "desk.state"


def memory_folder(config: Config) -> Path:
    """Beside the journal, not in it."""
    return config.path(config.journal.folder).parent / MEMORY


def desk_memory(config: Config, opening: ExitStack) -> Disk:
    disk = FolderDisk(memory_folder(config))
    opening.callback(disk.close)
    return disk


def accepted_config_of(config: Config, memory: Disk) -> AcceptedConfig:
    """A new table has no journal yet. The acceptance is written before the journal is created: after a power cut
    between the two, the table is simply new again. The other order would ask a person to accept something that
    nobody changed."""
    journal = config.path(config.journal.folder)
    born = not (journal.is_dir() and any(journal.iterdir()))
    accepted = AcceptedConfig(memory, config.digest, tell_log, born=born)
    if born:
        with suppress(ConfigError):  # nobody can sign in before the file is corrected, and then everybody is new
            accepted.reports.append(accept_first(memory, read_people(config.path(config.desk.people))))
    return accepted


def open_desk(
    config: Config, loop: TableLoop, opening: ExitStack, memory: Disk | None = None, post: Post | None = None
) -> tuple[Desk, LineSocket]:
    """`post` receives letters. Only a controller in the table's own process accepts acts here."""
    people, clock = config.path(config.desk.people), SystemClock()
    lockout = Lockout(lambda: clock.stamp().mono_ns, memory, tell_log)
    own = post if isinstance(post, EmbeddedPost) else None
    watch = watch_people(people, loop, memory) if memory is not None else None
    replays = RoundReplays(config.path(config.journal.folder))
    panel = ScreenPanel(config.desk.panel, _settle_ms(config), loop.inbox.put, lockout)
    desk = Desk(loop.inbox.put, lambda: read_people(people), lockout, tell_log, adjuster(own), watch, panel, replays)
    try:
        door = LineSocket(config.path(config.desk.socket), desk.welcome)
    except LinkUnavailable as error:
        raise BootRefused("F-501", f"desk.socket: {error}") from None
    opening.callback(door.close)
    return desk, door


def _settle_ms(config: Config) -> dict[str, int]:
    """The inputs of the board, and how long each takes to settle."""
    if config.profile is None:
        return dict.fromkeys(line_names(config), config.board.settle_ms)
    return {line.name: line.settle_ms for line in config.profile.input}


def watch_people(people: Path, loop: TableLoop, memory: Disk) -> PeopleWatch:
    watch = PeopleWatch(memory, loop.inbox.put, tell_log, loop.shown())
    try:
        watch.see(read_people(people))
    except ConfigError as error:
        tell_log(str(error))  # nobody can sign in before the file is corrected, and then it is read again
    return watch


def tell_log(sentence: str) -> None:
    print(f"felt run: desk: {sentence}", file=sys.stderr, flush=True)
