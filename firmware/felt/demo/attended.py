"""Runs a `felt` command, or after -- another program, for as long as the process that started it lives. Standard input
is a pipe whose other end that process holds: its end is the end of both, also when it was killed and could say
nothing."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import threading


def _end_with_the_starter() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_starter, name="felt-attended", daemon=True).start()
    if sys.argv[1] == "--":
        with subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL) as program:
            signal.signal(signal.SIGTERM, lambda _signal, _frame: program.terminate())
            sys.exit(program.wait())
    runpy.run_module("felt.cli", run_name="__main__", alter_sys=True)
