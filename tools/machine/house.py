"""What is around the machine, on the host: a broker with the shipped settings, over TLS, and the jackpot controller of
one linked table. And how a bare machine becomes a table, as SERVICE.md says."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.linked import JackpotController
from tests.real.mosquitto import Mosquitto
from tools.machine.image import MachineError, cache
from tools.machine.people import PEOPLE, Desk, Pins
from tools.machine.qemu import BROKER_INSIDE, Machine

ROOT = Path(__file__).resolve().parents[2]
TABLE_ID, PROFILE = "T3", "three-seat-header"
TABLE = f"""[table]
id = "{TABLE_ID}"
seats = 3
[game.limits]
ante = {{ min = 2500, max = 100000 }}
pair_plus = {{ min = 500, max = 25000 }}
[board]
kind = "gpiochip"
profile = "{PROFILE}"
sensed = ["ante", "progressive"]
[shuffler]
url = "/dev/felt-shuffler"
[journal]
folder = "/var/lib/felt/journal"
[jackpot]
ledger = "/var/lib/felt/jackpot.ledger"
[desk]
socket = "/run/felt/desk"
people = "/var/lib/felt/people.toml"
"""
LINK = f"""[link]
kind = "mqtt"
host = "{BROKER_INSIDE}"
port = 8883
tls = true
folder = "/etc/felt/link"
"""


class House:
    """Broker and controller. Close it."""

    def __init__(self, folder: Path) -> None:
        self.controller = JackpotController(folder, 1, (TABLE_ID,), tls=True, broker_names=(BROKER_INSIDE,))
        self.broker = Mosquitto(folder, broker_settings(folder))
        file = self.controller.file
        file.write_text(file.read_text().replace("port = 1\n", f"port = {self.broker.port}\n"))
        self.controller.start()
        self.link = folder / f"link-{TABLE_ID}"

    def close(self) -> None:
        self.controller.close()
        self.broker.close()


def broker_settings(folder: Path) -> str:
    """The shipped ones, with this house's paths."""
    shipped = ROOT / "systemd" / "mosquitto"
    acl = folder / "felt.acl"
    acl.write_text((shipped / "felt.acl").read_text())
    acl.chmod(0o600)
    text = (shipped / "felt.conf").read_text()
    places = {"listener 8883": "listener {port} 127.0.0.1", "/etc/mosquitto/certs/": f"{folder}/link/",
              "/etc/mosquitto/felt.acl": str(acl)}  # fmt: skip
    for there, here in places.items():
        text = text.replace(there, here)
    return text + ("user root\n" if os.geteuid() == 0 else "")


def package(root: Path = ROOT) -> Path:
    """The Debian package of a tree for the machine, signed by a key of the cache, with manufacturer.pem beside it."""
    folder = cache() / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    key, public = folder / "KEY.pem", folder / "manufacturer.pem"
    if not public.exists():
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    with tempfile.TemporaryDirectory(dir=folder) as making:
        words = ["--arch", "amd64", "--compression", "gzip", "--sign", str(key), "--to", making]
        done = subprocess.run(
            [sys.executable, str(root / "tools/package"), *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise MachineError(f"tools/package failed: {done.stderr.strip()[-500:]}")
        (made,) = Path(making).glob("*.deb")
        for file in Path(making).iterdir():
            file.replace(folder / file.name)
    return folder / made.name


def parcel(deb: Path) -> Path:
    """The package with its signature and statement, and the manufacturer's key, as one archive for a drive."""
    archive = deb.with_suffix(".tar")
    names = [file.name for file in deb.parent.glob(f"{deb.stem}.*") if file.suffix != ".tar"]
    subprocess.run(["tar", "cf", str(archive), "-C", str(deb.parent), *names, "manufacturer.pem"], check=True)
    return archive


def install(machine: Machine, deb: str) -> None:
    """As SERVICE.md describes the first installation. The parcel is the machine's second drive."""
    machine.run("mkdir -p /var/tmp/parcel && tar xf /dev/vdb -C /var/tmp/parcel")
    machine.run("mkdir -p /etc/felt/trust && cp /var/tmp/parcel/manufacturer.pem /etc/felt/trust/")
    verify = "openssl pkeyutl -verify -pubin -inkey manufacturer.pem -rawin"
    machine.run(f"cd /var/tmp/parcel && {verify} -in {deb} -sigfile {deb}.sig")
    machine.run(f"cd /var/tmp/parcel && DEBIAN_FRONTEND=noninteractive apt-get install -y ./{deb}", 600)
    machine.run(f"cd /var/tmp/parcel && felt-package keep {deb}")


def furnish(machine: Machine, house: House | None, table: str = TABLE) -> None:
    """Settings, the table's half of the link, and people."""
    machine.write("/etc/felt/table.toml", table + (LINK if house else ""))
    if house:
        for file in house.link.iterdir():
            machine.write(f"/etc/felt/link/{file.name}", file.read_bytes(), 0o600)
        allowed = f"echo IPAddressAllow={BROKER_INSIDE} >>/etc/systemd/system/felt.service.d/linked.conf"
        machine.run(
            "mkdir -p /etc/systemd/system/felt.service.d && "
            f"cp /usr/share/felt/drop-ins/linked.conf /etc/systemd/system/felt.service.d/ && {allowed} && "
            "systemctl daemon-reload"
        )
    for name, (pin, role) in PEOPLE.items():
        words = f"felt console add-person {name} {role} --config /etc/felt/table.toml --licence L-{pin}"
        machine.run(f"echo {pin} | runuser -u felt -- {words}")


def start(machine: Machine) -> None:
    machine.run("felt check --config /etc/felt/table.toml")
    machine.run("systemctl enable --now felt felt-console@ttyS1", 300)


def until_ready(machine: Machine, pins: Pins) -> None:
    """Waits until the table's desk answers."""
    Desk(machine).until("status", lambda status: bool(status["firmware"]), 240)
    pins.watch_lamps()
