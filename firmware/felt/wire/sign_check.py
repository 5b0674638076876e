"""Whether the sign shows what the controller tells a table. The sign is sealed with a key that every table has, so any
of them could write one; an answer is sealed for one table alone. The caller tells the time."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

DIFFERS_MS = 10_000  # a sign may be late, or show what came between two answers, but not for so long
ANSWERS_COMPARED = 3


class SignCheck:
    """Compares the sign that stood when an answer came with that answer, the one before it and the one after it.
    It must lie between them: meters change between two answers, and sign and answer travel apart."""

    def __init__(self) -> None:
        self.problem = ""  # one sentence; empty while they agree, or have differed for a moment only
        self._shown: Mapping[str, int] = {}
        self._shown_at_last_answer: Mapping[str, int] = {}
        self._answers: deque[Mapping[str, int]] = deque(maxlen=ANSWERS_COMPARED)
        self._differs_since_ms: int | None = None

    def shown(self, meters: Mapping[str, int]) -> None:
        self._shown = meters

    def answered(self, meters: Mapping[str, int], now_ms: int) -> None:
        self._answers.append(meters)
        differing = [name for name in self._shown_at_last_answer if self._differs(name)]
        if not differing:
            self._differs_since_ms, self.problem = None, ""
        elif self._differs_since_ms is None:
            self._differs_since_ms = now_ms
        elif now_ms - self._differs_since_ms >= DIFFERS_MS:
            self.problem = ", ".join(
                f"{name}: {self._shown_at_last_answer[name]} on the sign, {meters[name]} told by the controller"
                for name in sorted(differing)
            )
        self._shown_at_last_answer = self._shown

    def _differs(self, name: str) -> bool:
        told = [answer[name] for answer in self._answers if name in answer]
        return name in self._answers[-1] and not min(told) <= self._shown_at_last_answer[name] <= max(told)
