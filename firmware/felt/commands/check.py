"""`felt check`: checks a configuration. The exit status gives the result."""

from __future__ import annotations

import argparse
import json
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from felt.commands.failing import status_of
from felt.config import Config, ConfigError, load
from felt.config.against_rules import antes_of, needed_bets
from felt.config.link_folder import LinkFolder, problems_of_a_table
from felt.config.people import read_people
from felt.config.settings import Antes, BoardKind, LinkKind
from felt.config.terms import terms_of
from felt.host.checkpoint_key import signing_key
from felt.odds.exact import percent_cut
from felt.odds.standing import above_even
from felt.rules import shelf
from felt.wiring.audit_folders import witness_folder

EPILOG = """examples:
  felt check --config /etc/felt/table.toml
  felt check --config table.toml --set lock.drain_ms=200

The exit status is 0 for a good file and 1 otherwise. A problem is one
sentence: file, setting, remedy."""


SERIAL_SCHEMES = ("socket", "rfc2217", "hwgrep", "loop", "spy", "alt", "cp2110")  # the schemes that pyserial has


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of every command that reads a configuration."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="the table file (default: the built-in demo table)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="overrides",
        help="set one value in place of the file's, such as table.seats=5; repeat it for more",
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        config = load(arguments.config, arguments.overrides)
        _refuse_unknown_scheme(config)
        signing_key(config)  # a table does not start without the key that its file names
        witness_folder(config)
    except ConfigError as error:
        return _refused([error], as_json=arguments.json)
    problems = _link_problems(config)
    if problems:
        return _refused(problems, as_json=arguments.json)
    warnings = _warnings(config)
    print(json.dumps({**_summary(config), "warnings": warnings}) if arguments.json else _sentence(config))
    for warning in warnings:
        print(f"felt check: {warning}", file=sys.stderr)
    return 0


def _refused(problems: list[ConfigError], *, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"good": False, **_parts_of(problems[0])}))
    for problem in problems:
        print(f"felt check: {problem}", file=sys.stderr)
    return status_of(problems[0])


def _link_problems(config: Config) -> list[ConfigError]:
    """A linked table does not start without its keys."""
    if config.link.kind is not LinkKind.MQTT:
        return []
    return problems_of_a_table(LinkFolder(config.path(config.link.folder)), tls=config.link.tls)


def _warnings(config: Config) -> list[str]:
    """What may be right tomorrow or on another host: an unplugged device, a missing package."""
    url = config.shuffler.url
    known = (
        (
            url and "://" not in url and not Path(url).exists(),
            f"warning: shuffler.url: {url} is not there at the moment; plug the shuffler in or correct the name",
        ),
        (
            antes_of(config) == Antes.PRESUMED,
            f"warning: table.antes: {' and '.join(needed_bets(shelf.rulebook(config.game.id)))} bets are presumed "
            "behind the chips that need them; add their sensors to board.sensed, or key them and set table.antes to "
            "keyed",
        ),
        (
            config.link.kind is LinkKind.MQTT and find_spec("paho") is None,
            "warning: link.kind: a link over MQTT needs the package paho-mqtt, which is not installed here; "
            "pip install 'paho-mqtt>=2.1,<3'",
        ),
        (
            config.link.kind is LinkKind.MQTT and not _has_a_network(),
            "warning: link.kind: this service may open no network; copy /usr/share/felt/drop-ins/linked.conf to "
            "/etc/systemd/system/felt.service.d, then systemctl daemon-reload and restart it",
        ),
        (
            config.board.kind is BoardKind.RPIGPIO and find_spec("RPi") is None,
            "warning: board.kind: rpigpio needs the system's package python3-rpi.gpio, which is not installed here; "
            "apt install python3-rpi.gpio, or choose gpiochip, which needs no package",
        ),
    )
    return [*(sentence for is_so, sentence in known if is_so), *_about_people(config), *_about_meters(config)]


def _about_meters(config: Config) -> list[str]:
    """What a new meter begins at may be above break-even: that is told, and refused to nobody."""
    begins = {name: meter.base_minor or meter.reset_minor for name, meter in config.progressive.meters.items()}
    return [f"warning: {sentence}" for sentence in above_even(shelf.rulebook(config.game.id), terms_of(config), begins)]


def _about_people(config: Config) -> list[str]:
    """The table can play without people, but nobody can sign in."""
    try:
        read_people(config.path(config.desk.people))
    except ConfigError as error:
        return [f"warning: desk.people: {error}"]
    return []


def _has_a_network() -> bool:
    """The unit of a table without a link forbids even the attempt."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True


def _refuse_unknown_scheme(config: Config) -> None:
    scheme, found, _ = config.shuffler.url.partition("://")
    if found and scheme not in SERIAL_SCHEMES:
        problem = f"{scheme} is not a kind of serial line"
        remedy = f"write a device, as in /dev/felt-shuffler, or one of {', '.join(SERIAL_SCHEMES)}"
        raise ConfigError(str(config.source or "the settings"), "shuffler.url", problem, remedy)


def _parts_of(error: ConfigError) -> dict[str, str]:
    return {"file": error.file, "key": error.key, "problem": error.problem, "remedy": error.remedy}


def _summary(config: Config) -> dict[str, object]:
    return {
        "good": True,
        "digest": config.digest,
        "table": config.table.id,
        "game": config.game.id,
        "seats": config.table.seats,
        "board": config.board.kind.value,
        "profile": config.profile.name if config.profile else None,
        "returns": {wager.bet: str(wager.whole) for wager in config.returns},
        "strategy_changes": {
            wager.bet: [str(piece.from_minor) for piece in wager.pieces[1:]] for wager in config.returns if wager.pieces
        },
    }


def _sentence(config: Config) -> str:
    board = f"{config.board.kind} board" + (f" {config.profile.name}" if config.profile else "")
    name = config.source or "the built-in demo table"
    returns = "".join(f"; {wager.bet} returns {percent_cut(wager.whole)}" for wager in config.returns)
    return (
        f"{name} is good: table {config.table.id}, {config.game.id}, {config.table.seats} seats, {board}{returns}; "
        f"digest {config.digest}"
    )
