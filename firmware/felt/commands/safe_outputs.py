"""`felt safe-outputs`: switches every lamp off and every output to its safe level, whatever a dead controller left
behind. systemd runs it whenever the controller has ended."""

from __future__ import annotations

import argparse
import sys

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import load
from felt.wiring.devices import make_safe

EPILOG = """example:
  felt safe-outputs --config /etc/felt/table.toml

Beside a running table it does nothing: the outputs are in use, and it says so."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt safe-outputs"):
        config = load(arguments.config, arguments.overrides)
        if config.profile is None:
            print("felt safe-outputs: the virtual board has no outputs: nothing to do", file=sys.stderr)
            return 0
        problems = make_safe(config.board.kind, config.profile)
        for problem in problems:
            print(f"felt safe-outputs: {problem}", file=sys.stderr)
        if not problems:
            print(f"felt safe-outputs: {len(config.profile.output)} outputs are safe", file=sys.stderr)
        return 1 if problems else 0
    return 1
