"""`felt pins`: a technician's tests of the table's own lines, while no controller uses them."""

from __future__ import annotations

import argparse

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import Config, load
from felt.config.settings import BoardKind
from felt.host import pin_tests
from felt.ports import Board
from felt.wiring import devices, table_settings

EPILOG = """examples:
  felt pins walk --config table.toml         light every lamp alone, a second each
  felt pins watch --config table.toml        report every key and sensor as it moves
  felt pins calibrate --config table.toml    cover and uncover each coin spot when asked"""
WATCH_S = 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("test", choices=("walk", "watch", "calibrate"), metavar="TEST", help="walk, watch or calibrate")
    add_source_arguments(parser)
    parser.add_argument(
        "--seconds", type=_seconds, metavar="S", help="how long to wait (default: watch 3600, calibrate 20)"
    )


def _seconds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:6]) <= WATCH_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds between 1 and {WATCH_S}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt pins"):
        config = load(arguments.config, arguments.overrides)
        board = devices.any_board(config)
        if config.board.kind is BoardKind.VIRTUAL:
            _say('The board is virtual (board.kind = "virtual"): no pin of this host is read or driven.')
        try:
            return _TESTS[arguments.test](config, board, arguments.seconds)
        finally:
            board.close()
    return 1


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _walk(config: Config, board: Board, _: int | None) -> int:
    return 1 if pin_tests.walk(board, table_settings.board_lamps(config), _say) else 0


def _watch(config: Config, board: Board, seconds: int | None) -> int:
    return 0 if pin_tests.watch(board, _say, seconds or WATCH_S) else 1


def _calibrate(config: Config, board: Board, seconds: int | None) -> int:
    spots = [line for line in board.lines() if not line.name.startswith("key.")]
    found = pin_tests.calibrate(board, spots, _say, seconds or pin_tests.PATIENCE_S)
    for spot in found:
        _say(spot.say())
    return 0 if all(spot.follows for spot in found) else 1


_TESTS = {"walk": _walk, "watch": _watch, "calibrate": _calibrate}
