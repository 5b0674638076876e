"""The files of a demo's own link: a broker, a jackpot controller and several tables on this host, with keys made for
this demo alone. Nothing of it knows of any other controller."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

from felt.commands.provisioning import provision
from felt.config import Config, ConfigError
from felt.config.jackpot_file import load_jackpot
from felt.config.link_folder import OWN_KEYS
from felt.config.settings import BenchSettings, LinkKind, LinkSettings
from felt.config.writing import to_toml
from felt.demo.linked import DemoTable, Linked
from felt.nouns.values import parts_of, replace
from felt.wiring.table_settings import meter_terms_of

TABLES_MAX = 6
LOST_S = 8
_BROKER = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_inflight_messages 0
persistence false
log_type error
"""


def write_link(config: Config, folder: Path, count: int, panel_digest: str) -> Linked:
    """Raises a `ConfigError` where there is no broker, or nothing to share."""
    if not config.progressive.meters:
        raise ConfigError("", "--tables", f"{config.game.id} has no jackpot to share", "choose another --game")
    mosquitto = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if mosquitto is None:
        remedy = "install it, as in apt install mosquitto"
        raise ConfigError("", "--tables", "linked tables meet at a broker, and mosquitto is not installed", remedy)
    names = [f"T{number}" for number in range(1, count + 1)]
    port = _port_in(folder / "broker.port")
    broker = folder / "mosquitto.conf"
    broker.write_text(_BROKER.format(port=port), encoding="ascii")
    controller = folder / "jackpot.toml"
    controller.write_text(to_toml(_controller(config, names, port)), encoding="utf-8")
    told = load_jackpot(controller)
    tables = []
    for name in names:
        home = folder / name
        home.mkdir(exist_ok=True)
        if not (home / "link" / OWN_KEYS).exists():
            provision(told, name, home / "link", rotate=False, finish=False)
        tables.append(_table(config, home, name, port, panel_digest))
    return Linked((mosquitto, "-c", str(broker)), controller, tuple(tables))


def _controller(config: Config, names: list[str], port: int) -> dict[str, object]:
    meters = {}
    for terms in meter_terms_of(config):
        plain = parts_of(terms)
        meters[plain.pop("name")] = plain
    return {
        "controller": {"metrics_port": 0},
        "broker": {"port": port, "folder": "link"},
        "meters": meters,
        "tables": {name: {} for name in names},
    }


def _table(config: Config, home: Path, name: str, port: int, panel_digest: str) -> DemoTable:
    levels = home / "levels.json"
    if not levels.exists():
        levels.write_text("{}", encoding="utf-8")
    file = home / "demo.toml"
    own = replace(
        config,
        table=replace(config.table, id=name),
        link=LinkSettings(kind=LinkKind.MQTT, port=port, folder=str(home / "link"), lost_s=LOST_S),
        bench=BenchSettings(socket=str(home / "bench"), levels=str(levels)),
        journal=replace(config.journal, folder=str(home / "journal")),
        desk=replace(config.desk, socket=str(home / "desk"), panel=panel_digest),
    )
    file.write_text(to_toml(own.sections()), encoding="utf-8")
    return DemoTable(name, file, home / "desk")


def _port_in(kept: Path) -> int:
    """The port of last time where it is free: the files of the tables name it, and a table asks when its file has
    changed."""
    last = kept.read_text(encoding="ascii") if kept.exists() else "0"
    for wanted in (int(last) if last.isdecimal() else 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", wanted))
            except OSError:
                continue
            port = int(probe.getsockname()[1])
            kept.write_text(str(port), encoding="ascii")
            return port
    raise ConfigError("", "--tables", "this host has no free port for a broker", "end another program")
