"""Builds a table from a configuration: opens the journal, recovers the table and connects each port."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from felt import __version__
from felt.config import Config
from felt.config.settings import LinkKind
from felt.drivers.clock import SystemClock
from felt.drivers.disk import FolderDisk
from felt.drivers.watchdog import SystemdWatchdog
from felt.evidence.audit_result import nobody_audits
from felt.evidence.digests import software_identity
from felt.host.checkpoint_key import checkpoint_writer_of, signing_key
from felt.host.integrity import changed_software
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import LedgerError
from felt.loop.boot import Birth, start_table
from felt.loop.table_loop import TableLoop, World
from felt.nouns.values import Value, to_bytes
from felt.ports import Board, Clock, Disk, Link, Post, Watchdog
from felt.rules import shelf
from felt.table.settings import Settings
from felt.wiring.audit_folders import last_audit_of, witness_of
from felt.wiring.devices import shuffler_of
from felt.wiring.table_settings import meter_terms_of, procedure_of, settings_of


class BuiltTable(Value):
    """A running table and those of its parts that a demo, a test or a bench uses."""

    loop: TableLoop
    board: Board
    own_office: Office | None  # None: a jackpot controller keeps the meters
    reports: tuple[str, ...]
    disk: Disk

    @property
    def office(self) -> Office:
        assert self.own_office is not None, "a linked table keeps no meters"
        return self.own_office

    def close(self) -> None:
        self.loop.close()
        self.disk.close()


def build(
    config: Config,
    board: Board,
    link: Link,
    *,
    clock: Clock | None = None,
    disk: Disk | None = None,
    office: Office | None = None,
    post: Post | None = None,
    watchdog: Watchdog | None = None,
    overhear: Callable[[Post], Post] | None = None,
    slow: Callable[[Disk], Disk] | None = None,
    nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    firmware: str | None = None,
) -> BuiltTable:
    """Opens the journal and recovers the table, but says nothing yet: `loop.start()` does that. Without a given
    office or post the table uses the configured ones."""
    clock = clock or SystemClock()
    last_audit, changed = (nobody_audits, "") if disk else (last_audit_of(config), changed_software())
    disk = disk or FolderDisk(config.path(config.journal.folder))
    disk = slow(disk) if slow else disk
    settings = settings_of(config, board.lines())
    levels = dict(board.levels())
    birth = Birth(
        firmware=firmware or __version__,  # read at call time, because a test may install another version
        software=software_identity(),
        settings=settings,
        settings_digest=_digest(settings),
        board=config.profile.name if config.profile else config.board.kind.value,
        rulebook=_say_rulebook(settings.game),
        nonce=nonce,
        levels=levels,
        now=clock.stamp(),
        segment_bytes=config.journal.segment_bytes,
    )
    key = signing_key(config)
    witness = witness_of(config)
    start = start_table(disk, birth, witness)
    reopen: Callable[[], Office] | None = None  # a caller with its own office reopens it itself
    if office is None and post is None and config.link.kind is LinkKind.EMBEDDED:
        office, reopen = own_office(config), lambda: own_office(config)
    embedded = None if office is None else EmbeddedPost(office, clock.stamp, reopen)
    post = post or embedded or _linked_post(config)
    post = overhear(post) if overhear else post
    world = World(clock, board, link, post, watchdog or SystemdWatchdog(), disk, last_audit, changed)
    checkpoints = checkpoint_writer_of(config, disk, start.turn.store.journal, birth.software, key, witness)
    loop = TableLoop(world, start.turn, config.link.lost_s, levels, shuffler_of(config), checkpoints)
    return BuiltTable(loop, board, office, (*start.reports, *checkpoints.reports), disk)


def own_office(config: Config) -> Office:
    ledger = open_ledger(config.jackpot.ledger, config.path)
    try:
        office = Office(ledger, meter_terms_of(config), procedure_of(config))
        for sentence in office.differing_terms:  # the table itself goes by its file: both must say the same
            raise LedgerError(sentence)
    except LedgerError:
        ledger.close()
        raise
    return office


def _linked_post(config: Config) -> Post:
    from felt.wiring.link import table_post

    return table_post(config)


def _digest(settings: Settings) -> str:
    return hashlib.sha256(to_bytes(settings)).hexdigest()


def _say_rulebook(game: str) -> str:
    book = shelf.rulebook(game)
    return f"{book.id} {book.version}"
