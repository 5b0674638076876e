"""The control socket's other side: who may open it may ask how the controller is and act on the meters. It hands on to
the one thread that thinks and gives back what comes; it decides nothing, and knows no socket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from felt.jackpot.controller.daemon import Request

SILENCE_S = 30.0  # a client that says nothing for so long is let go
REPLY_S = 30.0


class Visit:
    """One client at the control socket."""

    def __init__(self, put: Callable[[Request], bool]) -> None:
        self._put = put

    def answer(self, words: dict[str, Any]) -> dict[str, Any]:
        replied = threading.Event()
        answers: list[dict[str, Any]] = []

        def reply(answer: dict[str, Any]) -> None:
            answers.append(answer)
            replied.set()

        if not self._put(Request(words, reply)):
            return {"refused": "The controller has more to do than it can hold: try again later."}
        if not replied.wait(REPLY_S):
            return {"refused": "The controller did not answer; it is not known whether anything was done."}
        return answers[0]

    def leave(self) -> None:
        """Nobody was signed in."""
