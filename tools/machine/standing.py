"""The one machine that stands between two calls of tools/vm: its disk, its QEMU, its broker and its controller."""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import shutil
import subprocess
import sys
import termios
import tty
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tools.machine import house, image, qemu
from tools.machine.image import MachineError, cache
from tools.machine.people import Dealer, Desk, Pins, UsbShuffler
from tools.machine.qemu import Machine

ROOT = Path(__file__).resolve().parents[2]
LEAVE = b"\x1d"  # Ctrl-]


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
    _say("the table is ready: tools/vm play, tools/vm console (Sue, 4711), tools/vm down")
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


def _cut(_: argparse.Namespace) -> int:
    machine, state = _stands(), _state()
    before = Desk(machine).ask("status")
    machine.pull_the_plug()
    _say(f"the plug is pulled in {before['phase']}, after record {before['journal']}")
    made = Path(state["image"])
    drives = [qemu.drive(_folder() / "disk.img")]
    again = qemu.start(made, _folder() / "run", broker_port=state["broker_port"], drives=drives)
    (_folder() / "state.json").write_text(json.dumps({**state, "qemu": again.pid}))
    again.until_up()
    house.until_ready(again, Pins(again, house.PROFILE))
    after = Desk(again).ask("status")
    _say(f"up again in {after['phase']}, after record {after['journal']}: {after['prompt']}")
    return 0 if after["journal"] >= before["journal"] else 1


def _run_inside(arguments: argparse.Namespace) -> int:
    status, said = _stands().try_run(arguments.command, 600)
    print(said, end="")
    return status


def _console(_: argparse.Namespace) -> int:
    """The terminal of whoever calls, on the machine's serial port."""
    if not sys.stdin.isatty():
        raise MachineError("a console needs a terminal: call it from one")
    line = qemu.connect(_stands().folder / "ttyS1")
    _say("Ctrl-] ends it")
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        line.sendall(b"\r")
        while True:
            ready = select.select([line, sys.stdin], [], [])[0]
            if sys.stdin in ready:
                typed = os.read(sys.stdin.fileno(), 1024)
                if LEAVE in typed or not typed:
                    return 0
                line.sendall(typed)
            if line in ready:
                heard = line.recv(4096)
                if not heard:
                    return 0
                os.write(sys.stdout.fileno(), heard)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        line.close()


def _test(arguments: argparse.Namespace) -> int:
    words = [str(ROOT / "tools/test"), "--machine", *arguments.words]
    return subprocess.run(words, cwd=ROOT, check=False).returncode


ACTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "build": _build, "up": _up, "down": _down, "play": _play, "cut": _cut, "run": _run_inside, "console": _console,
    "test": _test,
}  # fmt: skip
