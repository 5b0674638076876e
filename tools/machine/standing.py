"""The one machine that keeps running between calls of tools/vm: its disk, its QEMU, its broker and its controller."""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tools.machine import house, image, qemu
from tools.machine.image import MachineError, cache
from tools.machine.people import Dealer, Pins, UsbShuffler
from tools.machine.qemu import Machine

ROOT = Path(__file__).resolve().parents[2]


def _say(sentence: str) -> None:
    print(f"tools/vm: {sentence}", flush=True)


def _folder() -> Path:
    return cache() / "standing"


def _stands() -> Machine:
    state = _state()
    machine = Machine(_folder() / "run", state["qemu"]) if state else None
    if machine is None or not machine.runs():
        raise MachineError("no machine is up: tools/vm up")
    return machine


def _state() -> dict[str, Any]:
    file = _folder() / "state.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def _build(_: argparse.Namespace) -> int:
    _say(f"the image is {image.build(_say)}")
    return 0


def _up(_: argparse.Namespace) -> int:
    made = image.build(_say)
    state = _state()
    if state and Path(f"/proc/{state['qemu']}").exists():
        raise MachineError("a machine is up already: tools/vm down ends it")
    shutil.rmtree(_folder(), ignore_errors=True)
    _folder().mkdir(parents=True)
    _say("the package of this clone")
    deb = house.package()
    around = house.House(_folder())
    disk = qemu.copy_disk(made / "disk.img", _folder() / "disk.img")
    drives = [qemu.drive(disk), qemu.drive(house.parcel(deb), read_only=True)]
    machine = qemu.start(made, _folder() / "run", broker_port=around.broker.port, drives=drives)
    state = {"qemu": machine.pid, "image": str(made), "broker_port": around.broker.port,
             "beside": [around.broker.pid, around.controller.process.pid]}  # fmt: skip
    (_folder() / "state.json").write_text(json.dumps(state))
    _say(f"booted in {machine.until_up():.0f} s; installing {deb.name}")
    house.install(machine, deb.name)
    house.furnish(machine, around)
    house.start(machine)
    house.until_ready(machine, Pins(machine, house.PROFILE))
    _say("the table is ready: tools/vm play, tools/vm down")
    return 0


def _down(_: argparse.Namespace) -> int:
    machine = _stands()
    machine.power_off()
    for pid in _state()["beside"]:
        qemu.end(pid)
    (_folder() / "state.json").unlink()
    _say("the machine is off")
    return 0


def _play(arguments: argparse.Namespace) -> int:
    machine = _stands()
    chance = random.Random()
    shuffler = UsbShuffler(chance)
    shuffler.plug(machine)
    try:
        dealer = Dealer(machine, Pins(machine, house.PROFILE), shuffler, chance, "ante")
        told = ""

        def tell(status: Mapping[str, Any]) -> None:
            nonlocal told
            line = f"round {status['round'] or '-'}: {status['phase']}, {status['prompt']}"
            if line != told:
                told = line
                _say(line)

        dealer.on_status = tell
        dealer.play_rounds(arguments.rounds)
    finally:
        shuffler.unplug()
    return 0


def _run_inside(arguments: argparse.Namespace) -> int:
    status, said = _stands().try_run(arguments.command, 600)
    print(said, end="")
    return status


def _test(arguments: argparse.Namespace) -> int:
    words = [str(ROOT / "tools/test"), "--machine", *arguments.words]
    return subprocess.run(words, cwd=ROOT, check=False).returncode


ACTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "build": _build, "up": _up, "down": _down, "play": _play, "run": _run_inside, "test": _test,
}  # fmt: skip
