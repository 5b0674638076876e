"""`felt config`: prints the configuration in force, as a table file or as JSON."""

from __future__ import annotations

import argparse
import json
import sys

from felt.commands.check import add_source_arguments
from felt.commands.failing import status_of
from felt.config import Config, ConfigError, load
from felt.config.writing import to_toml

EPILOG = """example:
  felt config --config /etc/felt/table.toml --changed
  felt config > table.toml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--changed", action="store_true", help="print only what differs from the defaults")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, with the digest and the board profile"
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        config = load(arguments.config, arguments.overrides)
    except ConfigError as error:
        print(f"felt config: {error}", file=sys.stderr)
        return status_of(error)
    print(_as_json(config, arguments.changed) if arguments.json else _as_toml(config, arguments.changed))
    return 0


def _as_json(config: Config, changed: bool) -> str:
    shown = config.changed() if changed else config.plain()
    returns = {wager.bet: str(wager.whole) for wager in config.returns}
    return json.dumps({"digest": config.digest, "config": shown, "returns": returns}, ensure_ascii=False)


def _as_toml(config: Config, changed: bool) -> str:
    shown = config.changed() if changed else config.sections()
    if not shown:
        return "# nothing differs from the defaults"
    return to_toml(shown).rstrip("\n")
