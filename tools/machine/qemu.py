"""One virtual machine: starts QEMU by software emulation, speaks to the agent inside, pulls its plug."""

from __future__ import annotations

import base64
import itertools
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.machine.image import MachineError

KERNEL_WORDS = (
    "console=ttyS0 quiet mitigations=off nokaslr apparmor=0 audit=0 8250.nr_uarts=4 net.ifnames=0 "
    "systemd.unit=multi-user.target"
)
MEMORY = "512M"
BROKER_INSIDE, BROKER_PORT = "10.0.2.100", 8883  # where the machine reaches the broker of the host
SHUFFLER_SERIAL = "A50285BI"  # of hw/udev/99-felt.rules
CONNECT_S, BOOT_S, ANSWER_S, POWER_OFF_S = 20.0, 300.0, 120.0, 120.0


class Lamp:
    """A lamp's change, as the host heard of it."""

    def __init__(self, name: str, lit: bool | None, ns: int, heard_s: float) -> None:
        self.name, self.lit, self.ns, self.heard_s = name, lit, ns, heard_s


def start(
    image: Path, folder: Path, *, broker_port: int = 0, drives: Sequence[str] = (), words: Sequence[str] = ()
) -> Machine:
    """A machine that begins to boot, from the first of its drives. `broker_port` is the broker's on this host, and
    `words` are further options. Pull its plug or power it off, or its QEMU stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("agent", "qmp", "ttyS0", "ttyS1", "usb"):
        (folder / name).unlink(missing_ok=True)
    command = _command(image, folder, broker_port, drives, words)
    with (folder / "qemu.log").open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    return Machine(folder, process.pid, process)


class Machine:
    """A QEMU that runs, with its sockets in `folder`."""

    def __init__(self, folder: Path, pid: int, process: subprocess.Popen[bytes] | None = None) -> None:
        """Without `process`, an earlier call of a tool started it."""
        self.folder, self.pid = folder, pid
        self._process = process
        self.lamps: dict[str, bool | None] = {}
        self.changes: list[Lamp] = []
        self._numbers = itertools.count(1)
        self._asked: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._guard = threading.Lock()
        self._hello = threading.Event()
        try:
            self._agent = connect(folder / "agent")
        except OSError:
            self.pull_the_plug()
            last = (folder / "qemu.log").read_text(errors="replace").strip().splitlines()[-1:]
            raise MachineError(f"QEMU does not start: {last[0] if last else 'it says nothing'}") from None
        threading.Thread(target=self._listen, daemon=True).start()

    def runs(self) -> bool:
        if self._process is not None:
            return self._process.poll() is None
        command = Path(f"/proc/{self.pid}/cmdline")
        return command.exists() and str(self.folder).encode() in command.read_bytes()

    def forget_boot(self) -> None:
        """Before the machine boots by itself: `until_up` then waits for that boot."""
        self._hello.clear()

    def until_up(self) -> float:
        """Waits for the agent inside, and returns the seconds that the boot took."""
        began = time.monotonic()
        while not self._hello.wait(0.2):
            if not self.runs():
                raise MachineError(f"QEMU ended while the machine booted: see {self.folder}/qemu.log")
            if time.monotonic() - began > BOOT_S:
                raise MachineError(f"the machine did not boot in {BOOT_S:.0f} s: see {self.folder}/console.log")
        return time.monotonic() - began

    def run(self, command: str, timeout_s: float = ANSWER_S) -> str:
        """What a command said that ended well. Raises MachineError with what it said otherwise."""
        status, said = self.try_run(command, timeout_s)
        if status:
            raise MachineError(f"in the machine, {command!r} ended with {status}: {said.strip()[-2000:]}")
        return said

    def try_run(self, command: str, timeout_s: float = ANSWER_S) -> tuple[int, str]:
        answer = self.ask("run", timeout_s + 20, command=command, timeout_s=timeout_s)
        return int(answer["status"]), str(answer["said"])

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        data = content.encode() if isinstance(content, str) else content
        self.ask("write", path=path, content=base64.b64encode(data).decode(), mode=mode)

    def ask(self, what: str, answer_s: float = ANSWER_S, **words: Any) -> dict[str, Any]:
        number, answers = next(self._numbers), queue.SimpleQueue[dict[str, Any]]()
        self._asked[number] = answers
        with self._guard:
            self._agent.sendall(json.dumps({"do": what, "number": number, **words}).encode() + b"\n")
        try:
            answer = answers.get(timeout=answer_s)
        except queue.Empty:
            raise MachineError(f"the machine does not answer: {what} {list(words.values())[:1]}") from None
        if "error" in answer:
            raise MachineError(f"in the machine, {what}: {answer['error']}")
        return answer

    def qmp(self, command: str, **arguments: Any) -> Any:
        """Asks QEMU itself."""
        with connect(self.folder / "qmp") as line, line.makefile("rw") as file:
            file.readline()  # its greeting
            for words in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                file.write(json.dumps(words) + "\n")
                file.flush()
                answer = json.loads(file.readline())
                while "event" in answer:
                    answer = json.loads(file.readline())
        if "error" in answer:
            raise MachineError(f"QEMU refuses {command}: {answer['error']['desc']}")
        return answer["return"]

    def pull_the_plug(self) -> None:
        """A power cut: what the machine has not synced is lost with QEMU's memory."""
        if self.runs():
            os.kill(self.pid, signal.SIGKILL)
        self._until_gone(POWER_OFF_S)

    def send(self, command: str) -> None:
        """A command of which no answer is awaited."""
        with self._guard:
            words = {"do": "run", "number": 0, "command": command, "timeout_s": 60}
            self._agent.sendall(json.dumps(words).encode() + b"\n")

    def power_off(self) -> None:
        """In good order; the plug is pulled where that takes too long."""
        if self.runs():
            self.send("systemctl poweroff")
            if not self._until_gone(POWER_OFF_S):
                self.pull_the_plug()
        self._agent.close()

    def _until_gone(self, patience_s: float) -> bool:
        deadline = time.monotonic() + patience_s
        while self.runs():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def _listen(self) -> None:
        waiting = b""
        while True:
            try:
                read = self._agent.recv(65536)
            except OSError:
                return
            if not read:
                return
            *lines, waiting = (waiting + read).split(b"\n")
            for line in lines:
                self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            heard: Mapping[str, Any] = json.loads(line)
        except ValueError:
            return  # half a line, from before a boot
        if "lamp" in heard:
            self.lamps[heard["lamp"]] = heard["lit"]
            self.changes.append(Lamp(heard["lamp"], heard["lit"], heard["ns"], time.monotonic()))
        elif "hello" in heard:
            self._hello.set()
        elif (answers := self._asked.pop(heard.get("number", 0), None)) is not None:
            answers.put(dict(heard))


def connect(path: Path, patience_s: float = CONNECT_S) -> socket.socket:
    """A Unix socket that may not be there yet. Raises OSError."""
    deadline = time.monotonic() + patience_s
    while True:
        line = socket.socket(socket.AF_UNIX)
        try:
            line.connect(str(path))
            return line
        except OSError:
            line.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def copy_disk(source: Path, to: Path) -> Path:
    """A disk's copy, with its holes."""
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", str(source), str(to)], check=True)
    return to


def end(pid: int) -> None:
    """Ends a process that an earlier call of this tool started."""
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return


def drive(file: Path, *, read_only: bool = False) -> str:
    return f"file={file},format=raw,if=virtio{',readonly=on' if read_only else ',cache=writeback'}"


def _command(
    image: Path, folder: Path, broker_port: int, drives: Sequence[str], words: Sequence[str]
) -> list[str]:
    def served(name: str, number: str, log: str = "") -> list[str]:
        kept = f",logfile={folder}/{log},logappend=on" if log else ""
        return ["-chardev", f"socket,id={number},path={folder}/{name},server=on,wait=off{kept}"]

    disks = [word for one in drives for word in ("-drive", one)]
    network = "user,id=net,restrict=on"
    if broker_port:
        nc = f"{shutil.which('busybox')} nc 127.0.0.1 {broker_port}"
        network += f",guestfwd=tcp:{BROKER_INSIDE}:{BROKER_PORT}-cmd:{nc}"
    return [
        "qemu-system-x86_64", "-M", "q35", "-cpu", "max", "-smp", "2", "-m", MEMORY, "-accel", "tcg,thread=multi",
        "-nodefaults", "-nographic", "-kernel", f"{image}/vmlinuz", "-initrd", f"{image}/initrd.gz",
        "-append", KERNEL_WORDS, *disks,
        *served("ttyS0", "boot", "console.log"), "-serial", "chardev:boot",
        *served("ttyS1", "console"), "-serial", "chardev:console",
        "-device", "virtio-serial-pci", *served("agent", "agent"),
        "-device", "virtserialport,chardev=agent,name=machine",
        "-device", "ich9-usb-uhci1,id=usb", *served("usb", "shuffler"),
        "-device", f"usb-serial,chardev=shuffler,bus=usb.0,serial={SHUFFLER_SERIAL}",
        "-netdev", network, "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci",
        "-device", "i6300esb", "-qmp", f"unix:{folder}/qmp,server=on,wait=off", *words,
    ]  # fmt: skip
