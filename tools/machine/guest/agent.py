"""The host's hands in the test machine: JSON lines over a virtio serial port. It runs commands, writes files, moves the
contacts of simulated chips, and reports every change of a lamp with the kernel's monotonic time."""

import base64
import glob
import json
import os
import socket
import subprocess
import threading
import time

PORT = "/dev/virtio-ports/machine"
DESK = "/run/felt/desk"
CONFIGURED = "/sys/kernel/config/gpio-sim"


def content_of(path):
    with open(path) as file:
        return file.read().strip()


class Agent:
    def __init__(self, port):
        self._port = port
        self._guard = threading.Lock()
        self._folders = {}
        self._watching = threading.Event()
        self._desk = None
        self._desk_guard = threading.Lock()

    def say(self, **words):
        data = (json.dumps(words) + "\n").encode()
        with self._guard:
            while data:
                data = data[os.write(self._port, data) :]

    def serve(self):
        self.say(hello=content_of("/proc/sys/kernel/random/boot_id"))
        waiting = b""
        while True:
            read = os.read(self._port, 65536)
            if not read:
                time.sleep(0.2)  # the host is not there
                continue
            *lines, waiting = (waiting + read).split(b"\n")
            for line in filter(None, lines):
                asked = json.loads(line)
                if asked["do"] == "move":  # contacts move in the order in which the host moves them
                    self._answer(asked)
                else:
                    threading.Thread(target=self._answer, args=(asked,), daemon=True).start()

    def _answer(self, asked):
        number = asked.pop("number")
        try:
            self.say(number=number, **getattr(self, "do_" + asked.pop("do"))(**asked))
        except Exception as error:  # noqa: BLE001 # whatever went wrong, the host is told
            self.say(number=number, error=f"{type(error).__name__}: {error}")

    def do_run(self, command, timeout_s):
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(words, capture_output=True, timeout=timeout_s, check=False)
        return {"status": done.returncode, "said": (done.stdout + done.stderr).decode(errors="replace")}

    def do_write(self, path, content, mode):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(content))
        os.chmod(path, mode)
        return {}

    def do_desk(self, words):
        """Sends a line to the table's desk, always on the same connection: a sign-in lasts as long as the
        connection."""
        with self._desk_guard:
            if self._desk is None:
                line = socket.socket(socket.AF_UNIX)
                line.settimeout(30)
                line.connect(DESK)
                self._desk = line.makefile("rwb")
            try:
                self._desk.write(json.dumps({"felt": 1, **words}).encode() + b"\n")
                self._desk.flush()
                answer = json.loads(self._desk.readline())
            except (OSError, ValueError):
                self._desk = None  # the table ended: the next line goes to the next table
                raise
        return {"heard": answer}

    def do_move(self, lines):
        for chip, line, high in lines:
            with open(self._file(chip, line, "pull"), "w") as file:
                file.write("pull-up" if high else "pull-down")
        return {"ns": time.monotonic_ns()}

    def do_levels(self, lines):
        return {"levels": [content_of(self._file(chip, line, "value")) == "1" for chip, line in lines]}

    def do_watch(self, lines):
        self._watching.set()
        self._watching = threading.Event()
        threading.Thread(target=self._watch, args=(lines, self._watching), daemon=True).start()
        return {}

    def _watch(self, lines, stop):
        last = {}
        while not stop.wait(0.01):
            for name, (chip, line) in lines.items():
                try:
                    lit = content_of(self._file(chip, line, "value")) == "1"
                except OSError:
                    lit = None  # the chip is gone
                    self._folders.clear()
                if last.get(name, ...) != lit:
                    last[name] = lit
                    self.say(lamp=name, lit=lit, ns=time.monotonic_ns())

    def _file(self, chip, line, name):
        if chip not in self._folders:
            for bank in glob.glob(f"{CONFIGURED}/*/bank*"):
                label, number = (content_of(f"{bank}/{word}") for word in ("label", "chip_name"))
                device = content_of(f"{os.path.dirname(bank)}/dev_name")
                self._folders[label] = f"/sys/devices/platform/{device}/{number}"
        if chip not in self._folders:
            raise OSError(f"there is no chip {chip}")
        return f"{self._folders[chip]}/sim_gpio{line}/{name}"


Agent(os.open(PORT, os.O_RDWR)).serve()
