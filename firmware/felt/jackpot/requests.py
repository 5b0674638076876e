"""What people ask of the controller over its control socket, as words into calls. The office decides."""

from __future__ import annotations

from typing import Any

from felt.jackpot.office import Office


def serve(office: Office, words: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request; a refusal is an answer too."""
    match words:
        case {"ask": "report"}:
            report = office.report()
            return {"conserved": report.conserved, "problem": report.problem, "alarms": report.alarms}
        case _:
            return {"refused": "Say ask with status or report, or act with what the act needs."}
