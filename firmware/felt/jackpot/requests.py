"""What people ask of the controller over its control socket, as words into calls. The office decides."""

from __future__ import annotations

from typing import Any

from felt.jackpot.acts import Person, read_act
from felt.jackpot.daemon import Served
from felt.jackpot.draft import RefusedError
from felt.jackpot.office import SENTENCE_CHARACTERS_MAX, Office
from felt.nouns.shapes import ShapeError, from_plain
from felt.nouns.stamps import Stamp

UNKNOWN = "Say ask with status, keys or report, or act with its name, fields, persons and reason."


def serve(office: Office, words: dict[str, Any], now: Stamp) -> Served:
    """The answer to one request; a refusal is an answer too."""
    match words:
        case {"ask": "report"}:
            return Served(_report(office))
        case {"act": str(name), "fields": dict(fields), "persons": list(persons), "reason": str(reason)}:
            return _act(office, now, name, fields, persons, reason)
        case _:
            return Served({"refused": UNKNOWN})


def _report(office: Office) -> dict[str, Any]:
    report = office.report()
    meters = {meter.name: meter._replace(last_hits=())._asdict() for meter in report.meters}
    return {"conserved": report.conserved, "problem": report.problem, "alarms": report.alarms, "meters": meters}


def _act(
    office: Office, now: Stamp, name: str, fields: dict[str, Any], persons: list[Any], reason: str
) -> Served:
    try:
        signers = from_plain(tuple[Person, ...], persons)
        answers = office.act(read_act(name, fields), signers, reason, now)
    except ShapeError as error:
        return Served({"refused": f"The persons cannot be read: {_brief(error)}: each is a name and a role."})
    except RefusedError as refusal:
        return Served({"refused": _brief(refusal)})
    return Served({"done": name}, tuple(answers))


def _brief(problem: Exception) -> str:
    """A sentence is read by somebody: what was sent comes back in it only so far."""
    return str(problem)[:SENTENCE_CHARACTERS_MAX]
