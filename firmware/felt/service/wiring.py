"""The one composition root: a configuration becomes a table controller with its ports filled, by the Pi's drivers
or by the virtual ones. Drivers are imported only when they are chosen."""

from __future__ import annotations

import hashlib
import json
import random
import secrets
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from felt import __version__
from felt.config import BoardProfile, Config
from felt.config.against_rules import antes_of
from felt.config.boards import HEADER_CHIPS, Pull
from felt.config.settings import BoardKind, DealOrderedBy, LinkKind
from felt.config.shufflers import place_of
from felt.config.terms import terms_of
from felt.drivers.clock import SystemClock
from felt.drivers.disk import FolderDisk
from felt.drivers.watchdog import SystemdWatchdog
from felt.evidence.digests import software_identity
from felt.jackpot.embedded import EmbeddedPost
from felt.jackpot.ledger import LedgerError
from felt.jackpot.office import Office
from felt.jackpot.opening import open_ledger
from felt.jackpot.terms import (
    FractionalCent,
    IncrementTiming,
    MeterTerms,
    OnHit,
    PartialWin,
    Procedure,
    SameLevelHits,
)
from felt.nouns.ids import Spot, spot_of
from felt.nouns.values import Value, replace, to_bytes
from felt.ports import Board, BoardUnavailable, Clock, Disk, Line, Link, LinkUnavailable, Post, Watchdog
from felt.rules import shelf
from felt.service.audit import nobody_audits
from felt.service.boot import Birth, BootRefused, start_table
from felt.service.care_wiring import last_audit_of, witness_of
from felt.service.guarded_adapter import GuardedAdapter
from felt.service.integrity import changed_software
from felt.service.loop import Shuffler, TableService, World
from felt.service.notary import notary_of, signing_key
from felt.table.settings import Sensor, Settings, code_digest
from felt.table.views import BUZZER, KEYS, SWITCHES

if TYPE_CHECKING:
    from socket import socket

    # Named again, for those who hold what is made here and may not know where it comes from.
    from felt.drivers.board import GpioBoard as GpioBoard
    from felt.drivers.line_socket import LineClient as LineClient
    from felt.drivers.line_socket import LineSocket as LineSocket
    from felt.virtual.bench import Bench as Bench
    from felt.virtual.bench import Serve
    from felt.virtual.board import VirtualBoard as VirtualBoard
    from felt.virtual.passing import CuttablePost as CuttablePost
    from felt.virtual.passing import SlowDisk as SlowDisk
    from felt.virtual.shuffler import PtyShuffler as PtyShuffler
    from felt.virtual.shuffler.deck import Misbehaviour as Misbehaviour

CONNECT_S = 2.0
LOCK_KEY = "key.no_more_bets"
_PULLS: dict[Pull, Literal["up", "down", "floating"]] = {Pull.UP: "up", Pull.DOWN: "down", Pull.NONE: "floating"}


class Table(Value):
    """A running table and the parts of it that a demo, a test or a bench takes hold of."""

    service: TableService
    board: Board
    own_office: Office | None  # None: the meters are a jackpot controller's
    reports: tuple[str, ...]
    disk: Disk

    @property
    def office(self) -> Office:
        assert self.own_office is not None, "a linked table keeps no meters"
        return self.own_office

    def close(self) -> None:
        self.service.close()
        self.disk.close()


# --- what the configuration means to the core ---------------------------------------------------------


def settings_of(config: Config, lines: tuple[Line, ...]) -> Settings:
    late_ms = {line.name: line.late_ms_max for line in lines}
    sensors = tuple(
        Sensor(Spot(line.name), line.late_ms_max, line.settle_ms) for line in lines if not line.name.startswith("key.")
    )
    return Settings(
        table_id=config.table.id,
        game=config.game.id,
        seats=config.table.seats,
        sensors=sensors,
        lock_key_late_ms_max=late_ms.get(LOCK_KEY, 0),
        drain_ms=config.lock.drain_ms,
        dealing=config.game.dealing,
        terms=terms_of(config),
        unseen_rounds=config.diagnosis.unseen_rounds,
        dealers=tuple(sorted((name, code_digest(config.table.id, code)) for name, code in config.dealers.items())),
        stub_check_rounds=config.diagnosis.stub_check_rounds,
        language=config.table.language,
        antes=antes_of(config),
    )


def meter_terms_of(config: Config) -> tuple[MeterTerms, ...]:
    readings = config.game.readings
    return tuple(
        MeterTerms(
            name, meter.reset_minor, meter.rate_bp, meter.reserve_bp, meter.limit_minor,
            PartialWin(readings.get("partial_win_meter", PartialWin.DEDUCT)),
            OnHit(readings.get("reserve_on_hit", OnHit.KEPT_APART)),
            base_minor=meter.base_minor,
            threshold_minor=meter.threshold_minor,
            fractional_cent=FractionalCent(readings.get("fractional_cent", FractionalCent.DOWN)),
            same_level_hits=SameLevelHits(readings.get("same_level_hits", SameLevelHits.IN_DEAL_ORDER)),
            increment_timing=IncrementTiming(readings.get("increment_timing", IncrementTiming.BEFORE_SETTLEMENT)),
            odds_to_one=meter.odds_to_one,
            secondary_award=meter.secondary_award,
        )
        for name, meter in config.progressive.meters.items()
    )


def procedure_of(config: Config) -> Procedure:
    """Of a controller that serves this table alone."""
    return Procedure(bets_max=config.table.seats)


def own_office(config: Config) -> Office:
    ledger = open_ledger(config.jackpot.ledger, config.path)
    try:
        return Office(ledger, meter_terms_of(config), procedure_of(config))
    except LedgerError:
        ledger.close()
        raise


# --- ports ---------------------------------------------------------------------------------------------


def line_names(config: Config) -> tuple[str, ...]:
    """Every input of a table that senses what this one senses, and has a whole panel."""
    seats = range(1, config.table.seats + 1)
    spots = tuple(spot_of(seat, kind) for seat in seats for kind in config.board.sensed)
    return (*spots, *(f"key.{key}" for key in (*KEYS, *SWITCHES)), *(f"key.seat_{seat}" for seat in seats))


def lamp_names(config: Config) -> tuple[str, ...]:
    seats = range(1, config.table.seats + 1)
    coin = next((wager.name for wager in shelf.rulebook(config.game.id).wagers if wager.coin_spot), None)
    spots = tuple(spot_of(seat, coin) for seat in seats) if coin else ()
    return (*spots, *(f"key.{key}" for key in KEYS), *(f"key.seat_{seat}" for seat in seats), BUZZER)


def virtual_board(
    config: Config, clock: Clock | None = None, on_lamp: Callable[[str, str], None] | None = None
) -> VirtualBoard:
    from felt.virtual.board import VirtualBoard

    stamp = (clock or SystemClock()).stamp
    lines = tuple(Line(name, config.board.settle_ms, True, 0) for name in line_names(config))
    return VirtualBoard(lines, lamp_names(config), on_lamp, lambda: stamp().mono_ns)


def gpio_board(kind: BoardKind, profile: BoardProfile) -> GpioBoard:
    from felt.drivers.board import FeedbackUse, GpioBoard, OutputUse, PinProfile, PinUse

    inputs = tuple(
        PinUse(
            name=line.name,
            line=line.line,
            pull=_PULLS[line.pull],
            active_low=line.active.value == "low",
            settle_ms=line.settle_ms,
            late_ms_max=line.late_ms_max,
            chip=line.chip,
            on_header=line.chip in HEADER_CHIPS,
            sampled_dark=line.sampled_dark,
        )
        for line in profile.input
    )
    outputs = tuple(
        OutputUse(line.name, line.line, line.active.value == "low", line.chip, line.chip in HEADER_CHIPS)
        for line in profile.output
    )
    feedbacks = tuple(
        FeedbackUse(
            name, line.line, _PULLS[line.pull], line.active.value == "low", line.chip, line.chip in HEADER_CHIPS
        )
        for name, line in profile.feedbacks().items()
    )
    return GpioBoard(PinProfile(inputs, outputs, feedbacks), kind.value)


def make_safe(kind: BoardKind, profile: BoardProfile) -> list[str]:
    """Each output by itself, so that a chip that is gone does not keep the others lit. What could not be done."""
    problems = []
    for line in profile.output:
        alone = replace(profile, input=(), output=(replace(line, feedback=None),))
        try:
            gpio_board(kind, alone).close()  # an output is taken at its safe level, and left there
        except BoardUnavailable as error:
            problems.append(str(error))
    return list(dict.fromkeys(problems))


def any_board(config: Config) -> Board:
    """The board that the configuration names, with nothing connected to it."""
    if config.board.kind is BoardKind.VIRTUAL:
        return virtual_board(config)
    assert config.profile is not None
    return gpio_board(config.board.kind, config.profile)


def board_lamps(config: Config) -> tuple[str, ...]:
    """The lamps that the board really has."""
    return lamp_names(config) if config.profile is None else tuple(line.name for line in config.profile.output)


def serial_link(url: str, baud: int) -> Link:
    from felt.drivers.serial_link import SerialLink

    return SerialLink(url, baud)


def emulated_shuffler(config: Config, opening: ExitStack, seed: int | None = None) -> PtyShuffler:
    """The built-in emulator on a pseudo-terminal with a name of its own, unplugged when the stack unwinds."""
    from felt.virtual.shuffler import PtyShuffler, ShoeDevice, ShufflerDevice

    chance = random.SystemRandom() if seed is None else random.Random(seed)
    folder = opening.enter_context(tempfile.TemporaryDirectory(prefix="felt-"))
    is_shoe = config.shuffler.model == "simple-shoe"
    device = ShoeDevice(chance) if is_shoe else ShufflerDevice(chance, packets=True)
    shuffler = PtyShuffler(device, Path(folder) / "shuffler")
    opening.callback(shuffler.close)
    shuffler.plug()
    return shuffler


def wake_board(board: VirtualBoard, file: Path) -> None:
    """A real board's chips lie where they lay when the power comes back; a virtual one is told."""
    known = board.levels()
    try:
        levels = json.loads(file.read_text(encoding="utf-8"))
        for line, level in levels.items():
            if line in known:
                board.drive_unnoticed(line, bool(level))
    except (OSError, ValueError, AttributeError) as error:
        raise BootRefused("F-501", f"{file} is no JSON object of lines and levels ({error}); correct it") from error


def open_bench(path: Path, serve: Serve, greet: Callable[[], list[dict[str, Any]]], opening: ExitStack) -> Bench:
    from felt.virtual.bench import Bench

    bench = Bench(path, serve, greet)
    opening.callback(bench.close)
    return bench


def ask_controller(path: Path, words: dict[str, Any]) -> dict[str, Any]:
    """One question to a running jackpot controller, and its answer."""
    from felt.drivers.line_socket import LineClient
    from felt.jackpot.control import REPLY_S

    try:
        with closing(LineClient(path, REPLY_S + 1)) as line:
            return line.ask(words)
    except LinkUnavailable as error:
        raise LinkUnavailable(
            f"{error} Is the jackpot controller running, and may you open its socket?"
        ) from None


def controller_answers(path: Path) -> bool:
    """Whether somebody listens there."""
    from felt.drivers.line_socket import LineClient

    try:
        LineClient(path, 1).close()
    except LinkUnavailable:
        return False
    return True


def desk_line(config: Config, patience_s: float) -> LineClient:
    """A client's line to the desk of a running table; a `LinkUnavailable` when nobody answers."""
    from felt.drivers.line_socket import LineClient

    return LineClient(config.path(config.desk.socket), patience_s)


def line_socket(path: Path) -> socket:
    """A connection to a socket of a running table, for a process that waits for its answers in its own way."""
    from felt.drivers.line_socket import connected

    connection = connected(path, CONNECT_S)
    connection.setblocking(False)
    return connection


def cuttable(post: Post) -> CuttablePost:
    from felt.virtual.passing import CuttablePost

    return CuttablePost(post)


def slow_disk(disk: Disk) -> SlowDisk:
    from felt.virtual.passing import SlowDisk

    return SlowDisk(disk)


def misbehaviour(name: str) -> Misbehaviour:
    """By its name; a ValueError where an emulated shuffler knows none of it."""
    from felt.virtual.shuffler.deck import Misbehaviour

    return Misbehaviour(name)


def overheard(post: Post, tell: Callable[[bytes], None]) -> Post:
    from felt.virtual.bench import OverheardPost

    return OverheardPost(post, tell)


def _linked_post(config: Config) -> Post:
    from felt.service.link_wiring import table_post

    return table_post(config)


def read_only_disk(folder: Path) -> Disk:
    """To look at a journal that may be in use; nothing can be written through it."""
    return FolderDisk(folder, read_only=True)


# --- the whole -----------------------------------------------------------------------------------------


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
) -> Table:
    """Opens the journal, recovers the table, and stops short of saying anything: `service.start()` does that. Without
    an office or a post the table has what its configuration names."""
    clock = clock or SystemClock()
    last_audit, changed = (nobody_audits, "") if disk else (last_audit_of(config), changed_software())
    disk = disk or FolderDisk(config.path(config.journal.folder))
    disk = slow(disk) if slow else disk
    settings = settings_of(config, board.lines())
    levels = dict(board.levels())
    birth = Birth(
        firmware=firmware or __version__,  # asked now: a story installs another one
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
    reopen: Callable[[], Office] | None = None  # whoever brings an office of his own sees to it himself
    if office is None and post is None and config.link.kind is LinkKind.EMBEDDED:
        office, reopen = own_office(config), lambda: own_office(config)
    embedded = None if office is None else EmbeddedPost(office, clock.stamp, reopen)
    post = post or embedded or _linked_post(config)
    post = overhear(post) if overhear else post
    world = World(clock, board, link, post, watchdog or SystemdWatchdog(), disk, last_audit, changed)
    notary = notary_of(config, disk, start.turn.store.journal, birth.software, key, witness)
    service = TableService(world, start.turn, config.link.lost_s, levels, _shuffler_of(config), notary)
    return Table(service, board, office, (*start.reports, *notary.reports), disk)


def _shuffler_of(config: Config) -> Shuffler:
    chosen = config.shuffler
    try:
        module, _, name = place_of(chosen.model).partition(":")
        adapter = GuardedAdapter(getattr(import_module(module), name))
    except Exception as error:  # a maker's package may fail in any way; the table says whose it is
        problem = f"shuffler.model = {chosen.model!r} cannot be loaded ({type(error).__name__}: {error})"
        raise BootRefused("F-501", f"{problem}; install its package again") from error
    return Shuffler(adapter, chosen.deal_ordered_by is DealOrderedBy.TABLE)


def _digest(settings: Settings) -> str:
    return hashlib.sha256(to_bytes(settings)).hexdigest()


def _say_rulebook(game: str) -> str:
    book = shelf.rulebook(game)
    return f"{book.id} {book.version}"
