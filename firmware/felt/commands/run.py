"""`felt run`: runs the table controller until it is told to stop."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import Config, load
from felt.wiring.table_controller import TableController

EPILOG = """example:
  felt run --config /etc/felt/table.toml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        problem = "no table file: name it with --config FILE; to try the table out there is felt demo"
        print(f"felt run: {problem}", file=sys.stderr)
        return 2
    with one_sentence("felt run"):
        return _until_stopped(load(arguments.config, arguments.overrides))
    return 1


def _until_stopped(config: Config) -> int:
    controller = TableController(config)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        controller.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    said = f"{config.source}, table {config.table.id}, journal in {config.path(config.journal.folder)}"
    print(f"felt run: {said}", file=sys.stderr, flush=True)
    for report in controller.reports:
        print(f"felt run: {report}", file=sys.stderr, flush=True)
    controller.run()
    return 0
