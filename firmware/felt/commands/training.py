"""`felt training`: lessons for dealers in a browser. The same firmware on virtual ports, with a ledger of its own in
memory: no live meter moves, and no controller is spoken to."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path

from felt.commands.failing import one_sentence
from felt.stories.bookcase import LESSONS, Bookcase
from felt.stories.door import open_door
from felt.stories.telling import Telling
from felt.wiring.sockets import line_socket

PORT = 8100
EPILOG = """examples:
  felt training                          lessons for dealers; the address is printed
  felt training --scores /srv/training   keep the results for the pit"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    port = f"the port of the page (default: {PORT}, or the next free one)"
    parser.add_argument("--port", type=_port, default=PORT, metavar="N", help=port)
    parser.add_argument(
        "--scores", type=_folder, metavar="FOLDER", help="keep each result here, as a line of training.jsonl"
    )
    parser.add_argument(
        "--lessons",
        type=_folder,
        action="append",
        default=[],
        metavar="FOLDER",
        help="offer the lessons of this folder too; repeat it for more",
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:6]) <= 65535:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a port from 1 to 65535")
    return int(text)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no folder: name one that is there")
    return path


def run(arguments: argparse.Namespace) -> int:
    try:
        from felt.screens.lessons import serve_lessons
        from felt.screens.listening import CannotServe
    except ModuleNotFoundError as error:
        if error.name != "aiohttp":
            raise
        print("felt training: the page needs aiohttp: pip install 'felt[screens]'", file=sys.stderr)
        return 1
    with (
        one_sentence("felt training"),
        tempfile.TemporaryDirectory(prefix="felt-training-") as folder,
        contextlib.ExitStack() as opening,
    ):
        telling = Telling(Bookcase(arguments.lessons, LESSONS), trains=True, scores=arguments.scores)
        socket = Path(folder) / "lessons"
        open_door(socket, telling, opening)
        opening.callback(telling.close)
        telling.start()
        try:
            asyncio.run(serve_lessons(arguments.port, lambda: line_socket(socket), _tell))
        except CannotServe as error:
            print(f"felt training: {error}", file=sys.stderr)
            return 1
        return 0
    return 1


def _tell(sentence: str) -> None:
    print(f"felt training: {sentence}", flush=True)
