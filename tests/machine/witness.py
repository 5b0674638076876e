"""What left the machine, noted on the host, and whether a journal still agrees with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from felt.evidence.audit_result import Verdict
from tests.machine.site import Site
from tools.machine.crash import Found

Letter = tuple[int, str, str]  # sequence, kind, body


class Answer(NamedTuple):
    position: int  # how much the log of writes held when it had arrived
    status: dict[str, Any]
    letters: int  # how many letters the controller had by then


class Witness:
    """Notes every answer of the desk, and how many letters the controller had durably taken by then."""

    def __init__(self, site: Site, log: Path | None = None) -> None:
        self._site, self._log = site, log
        self.answers: list[Answer] = []
        self.letters: list[Letter] = []

    def note(self, status: dict[str, Any]) -> None:
        position = self._log.stat().st_size if self._log else 0
        self.letters = self._site.house.controller.letters()
        self.answers.append(Answer(position, status, len(self.letters)))

    @property
    def last(self) -> dict[str, Any]:
        return self.answers[-1].status


def disagreements(found: Found, answers: list[Answer], letters: list[Letter]) -> list[str]:
    """Where the journal contradicts what had left the machine: an answer that names a record it does not have, or says
    otherwise what the table was after that record; a letter that it never wrote, or wrote otherwise."""
    problems = [found.audit.sentence] if found.audit.verdict is Verdict.BAD else []
    tables = {step.seq: step.after for step in found.steps}
    for answer in answers:
        status = answer.status
        if status["journal"] > found.last:
            problems.append(f"record {status['journal']} was told, and the journal ends at {found.last}")
        elif (table := tables.get(status["journal"])) is not None:
            now = (table.phase.value, table.tally.rounds, table.round.number if table.round else 0)
            told = (status["phase"], status["rounds"], status["round"])
            if now != told:
                problems.append(f"after record {status['journal']} {told} was told, and the journal says {now}")
    for sequence, kind, body in letters[: max((answer.letters for answer in answers), default=0)]:
        if found.letters.get(sequence) != (kind, body):
            problems.append(f"the controller has letter {sequence} ({kind}), and the journal does not, or another")
    return problems
