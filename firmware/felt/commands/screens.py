"""`felt screens`: serves pages in a browser, beside a running table."""

from __future__ import annotations

import argparse
import asyncio
import sys
from functools import partial
from pathlib import Path

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import Config, load
from felt.wiring import sockets

EPILOG = """examples:
  felt screens --config table.toml            beside felt run with the same table file
  felt screens --config table.toml --check    can the pages be served?"""
NOT_INSTALLED = "the pages need aiohttp, which is not installed: pip install 'felt[screens]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    person = "for a demo: offer this person's name and PIN at the virtual table; repeat it for more"
    parser.add_argument("--demo-person", action="append", default=[], metavar="NAME:PIN", help=person)
    stories = "for a demo: the socket of the stories"
    parser.add_argument("--stories", type=Path, metavar="SOCKET", help=stories)
    beside = "the desk of another table whose jackpots the sign shows too; repeat it for more"
    parser.add_argument("--beside", type=Path, action="append", default=[], metavar="SOCKET", help=beside)
    parser.add_argument("--check", action="store_true", help="only say whether the pages can be served")


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        print("felt screens: no table file: name the one of felt run with --config FILE", file=sys.stderr)
        return 2
    with one_sentence("felt screens"):
        config = load(arguments.config, arguments.overrides)
        return _serve(config, arguments)
    return 1


def _serve(config: Config, arguments: argparse.Namespace) -> int:
    try:
        from felt.screens.listening import CannotServe
        from felt.screens.serving import Wishes, check, serve
    except ModuleNotFoundError as error:
        if error.name != "aiohttp":
            raise
        print(f"felt screens: {NOT_INSTALLED}", file=sys.stderr)
        return 1
    screens = config.screens
    wishes = Wishes(
        address=screens.address,
        port=screens.port,
        sign_address=screens.sign_address,
        sign_port=screens.sign_port,
        certificate=config.path(screens.certificate) if screens.certificate else None,
        key=config.path(screens.key) if screens.key else None,
        names=screens.names,
        secondary=tuple(meter.secondary_award for meter in config.progressive.meters.values() if meter.secondary_award),
        languages=tuple(language.value for language in screens.languages),
        desk=lambda: sockets.line_socket(config.path(config.desk.socket)),
        bench=(lambda: sockets.line_socket(config.path(config.bench.socket))) if config.bench.socket else None,
        beside=tuple(partial(sockets.line_socket, socket) for socket in arguments.beside),
        stories=(lambda: sockets.line_socket(arguments.stories)) if arguments.stories else None,
        people=tuple((name, pin) for name, _, pin in (person.partition(":") for person in arguments.demo_person)),
    )
    try:
        check(wishes)
        if not arguments.check:
            asyncio.run(serve(wishes, _tell))
    except CannotServe as error:
        print(f"felt screens: {error}", file=sys.stderr)
        return 1
    return 0


def _tell(sentence: str) -> None:
    print(f"felt screens: {sentence}", flush=True)
