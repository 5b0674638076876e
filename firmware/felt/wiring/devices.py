"""The devices of a table, from the Pi's drivers or virtual: boards, the shuffler's line, the emulated shuffler, and
the faults that a bench injects. A driver is imported only when it is chosen."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from felt.config import BoardProfile, Config
from felt.config.boards import HEADER_CHIPS, Pull
from felt.config.settings import BoardKind, DealOrderedBy
from felt.config.shufflers import place_of
from felt.drivers.clock import SystemClock
from felt.drivers.disk import FolderDisk
from felt.loop.boot import BootRefused
from felt.loop.guarded_adapter import GuardedAdapter
from felt.loop.table_loop import ConfiguredShuffler
from felt.nouns.values import read_message, replace
from felt.ports import Board, BoardLine, BoardUnavailable, Clock, Disk, Link, Post
from felt.wiring.table_settings import lamp_names, line_names

if TYPE_CHECKING:
    from felt.drivers.board import GpioBoard
    from felt.virtual.bench import Bench, Serve
    from felt.virtual.board import VirtualBoard
    from felt.virtual.passing import CuttablePost, SlowDisk
    from felt.virtual.shuffler import PtyShuffler
    from felt.virtual.shuffler.deck import Misbehaviour

_PULLS: dict[Pull, Literal["up", "down", "floating"]] = {Pull.UP: "up", Pull.DOWN: "down", Pull.NONE: "floating"}


def virtual_board(
    config: Config, clock: Clock | None = None, on_lamp: Callable[[str, str], None] | None = None
) -> VirtualBoard:
    from felt.virtual.board import VirtualBoard

    stamp = (clock or SystemClock()).stamp
    lines = tuple(BoardLine(name, config.board.settle_ms, True, 0) for name in line_names(config))
    return VirtualBoard(lines, lamp_names(config), on_lamp, lambda: stamp().mono_ns)


def wake_board(board: VirtualBoard, file: Path) -> None:
    """Puts chips back after a power cut. On a real board they simply stay; a virtual board must be told."""
    known = board.levels()
    try:
        for line, level in read_message(dict[str, bool], file.read_bytes()).items():
            if line in known:
                board.drive_unnoticed(line, level)
    except (OSError, ValueError) as error:
        raise BootRefused("F-501", f"{file} is not a JSON object of lines and levels ({error}); correct it") from error


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
    """Makes each output safe separately, so one missing chip does not keep the others lit. Returns what failed."""
    problems = []
    for line in profile.output:
        alone = replace(profile, input=(), output=(replace(line, feedback=None),))
        try:
            gpio_board(kind, alone).close()  # an output starts at its safe level and stays there
        except BoardUnavailable as error:
            problems.append(str(error))
    return list(dict.fromkeys(problems))


def any_board(config: Config) -> Board:
    """The configured board, with nothing connected to it."""
    if config.board.kind is BoardKind.VIRTUAL:
        return virtual_board(config)
    assert config.profile is not None
    return gpio_board(config.board.kind, config.profile)


def serial_link(url: str, baud: int) -> Link:
    from felt.drivers.serial_link import SerialLink

    return SerialLink(url, baud)


def emulated_shuffler(config: Config, opening: ExitStack, seed: int | None = None) -> PtyShuffler:
    """The built-in emulator on a pseudo-terminal with its own name. It is unplugged when the stack unwinds."""
    from felt.virtual.shuffler import PtyShuffler, ShoeDevice, ShufflerDevice

    chance = random.SystemRandom() if seed is None else random.Random(seed)
    folder = opening.enter_context(tempfile.TemporaryDirectory(prefix="felt-"))
    is_shoe = config.shuffler.model == "simple-shoe"
    device = ShoeDevice(chance) if is_shoe else ShufflerDevice(chance, packets=True)
    shuffler = PtyShuffler(device, Path(folder) / "shuffler")
    opening.callback(shuffler.close)
    shuffler.plug()
    return shuffler


def misbehaviour(name: str) -> Misbehaviour:
    """A misbehaviour by name. Raises ValueError if the emulated shuffler does not have it."""
    from felt.virtual.shuffler.deck import Misbehaviour

    return Misbehaviour(name)


def shuffler_of(config: Config) -> ConfiguredShuffler:
    chosen = config.shuffler
    try:
        module, _, name = place_of(chosen.model).partition(":")
        adapter = GuardedAdapter(getattr(import_module(module), name))
    except Exception as error:  # a maker's package may fail in any way; the message names the package
        problem = f"shuffler.model = {chosen.model!r} cannot be loaded ({type(error).__name__}: {error})"
        raise BootRefused("F-501", f"{problem}; install its package again") from error
    return ConfiguredShuffler(adapter, chosen.deal_ordered_by is DealOrderedBy.TABLE)


def open_bench(path: Path, serve: Serve, greet: Callable[[], list[dict[str, Any]]], opening: ExitStack) -> Bench:
    from felt.virtual.bench import Bench

    bench = Bench(path, serve, greet)
    opening.callback(bench.close)
    return bench


def cuttable(post: Post) -> CuttablePost:
    from felt.virtual.passing import CuttablePost

    return CuttablePost(post)


def overheard(post: Post, tell: Callable[[bytes], None]) -> Post:
    from felt.virtual.bench import OverheardPost

    return OverheardPost(post, tell)


def slow_disk(disk: Disk) -> SlowDisk:
    from felt.virtual.passing import SlowDisk

    return SlowDisk(disk)


def read_only_disk(folder: Path) -> Disk:
    """For reading a journal that may be in use; it cannot be written through this disk."""
    return FolderDisk(folder, read_only=True)
