"""A past round for a signed-in person, reconstructed by a process of its own, because a journal is long and must not
slow the thinking thread. Only one round is reconstructed at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from felt.desk.answers import Answer
from felt.nouns.lines import ANSWER_BYTES_MAX
from felt.nouns.texts import capitalized
from felt.table import redacted

PATIENCE_S = 12.0  # less than the patience of a page
WAIT_S = 2.0
NICE = 10
_ROOM = 64 * 1024  # for what an answer says besides the round


class NoReplay(Exception):
    """One sentence."""


class RoundReplays:
    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._at_work = threading.Lock()

    def replay(self, number: int, role: str) -> Answer:
        if not self._at_work.acquire(timeout=WAIT_S):
            raise NoReplay("Another round is being worked out: ask again in a moment.")
        try:
            return self._work_out(number, role if role in redacted.MAY_SEE_CARDS else "")
        finally:
            self._at_work.release()

    def _work_out(self, number: int, role: str) -> Answer:
        words = ["nice", "-n", str(NICE), sys.executable, "-m", "felt.cli", "replay", str(self._journal), str(number)]
        try:
            done = subprocess.run(
                [*words, "--steps", *(("--role", role) if role else ())],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            raise NoReplay("This round takes too long to be worked out here: use felt replay at the box.") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("felt replay: ")
            raise NoReplay(f"{capitalized(said[:300])}.".replace("..", "."))
        if len(done.stdout) > ANSWER_BYTES_MAX - _ROOM:
            raise NoReplay("This round is too long for a page: felt replay shows it at the box.")
        found: Answer = json.loads(done.stdout)
        return found
