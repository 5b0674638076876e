"""What people ask of the controller over its control socket, as words into calls. The office decides."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import chain
from typing import Any

from felt.jackpot.books.acts import Person, read_act
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.controller.daemon import Served
from felt.jackpot.controller.naming import named_terms, shown
from felt.jackpot.controller.office import SENTENCE_CHARACTERS_MAX, Office
from felt.nouns.stamps import Stamp
from felt.nouns.values import ShapeError, from_plain, parts_of, replace

NESTED_MAX = 8  # no act has lists within lists within more of them
UNKNOWN = "Say ask with status, keys or report, or act or preview with its name, fields, persons and reason."


def serve(office: Office, words: dict[str, Any], now: Stamp) -> Served:
    """The answer to one request; a refusal is an answer too."""
    match words:
        case {"ask": "report"}:
            return Served(_report(office))
        case {"act": str(name), "fields": dict(fields), "persons": list(persons), "reason": str(reason)}:
            return _act(office, now, name, fields, persons, reason)
        case {"preview": str(name), "fields": dict(fields), "persons": list(persons), "reason": str(reason)}:
            return _act(office, now, name, fields, persons, reason, only_shown=True)
        case _:
            return Served({"refused": UNKNOWN})


def _report(office: Office) -> dict[str, Any]:
    report = office.report()
    meters = {meter.name: parts_of(replace(meter, last_hits=())) for meter in report.meters}
    return {"conserved": report.conserved, "problem": report.problem, "alarms": report.alarms, "meters": meters}


def _act(
    office: Office,
    now: Stamp,
    name: str,
    fields: dict[str, Any],
    persons: list[Any],
    reason: str,
    *,
    only_shown: bool = False,
) -> Served:
    try:
        _refuse_what_cannot_be_kept(fields, persons, reason)
        signers = from_plain(tuple[Person, ...], persons)
        act = read_act(name, named_terms(office.standing, fields) if name == "ChangeTerms" else fields)
        if only_shown:
            return Served({"preview": shown(office.standing, office.preview(act, signers, reason, now))})
        answers = office.act(act, signers, reason, now)
    except ShapeError as error:
        return Served({"refused": f"The persons cannot be read: {_brief(error)}: each is a name and a role."})
    except RefusedError as refusal:
        return Served({"refused": _brief(refusal)})
    return Served({"done": name}, tuple(answers))


def _refuse_what_cannot_be_kept(fields: dict[str, Any], persons: list[Any], reason: str) -> None:
    """Before anything is done: a ledger that is given a text it cannot write counts as failed, and every report has to
    show what an act said."""
    for where, value in (("reason", reason), ("name or role of a person", persons), *_fields_said(fields)):
        for text in _texts_in(value, where):
            wrong = next((letter for letter in text if not _can_be_shown(letter)), None)
            if wrong is not None:
                raise RefusedError(
                    f"The {where} holds a character that cannot be kept or shown ({wrong!a}): write it with letters, "
                    "signs and spaces."
                )


def _can_be_shown(letter: str) -> bool:
    """Spaces of any width too, and what joins letters in some scripts."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs" or letter in "\u200c\u200d"


def _fields_said(fields: dict[str, Any]) -> list[tuple[str, object]]:
    return [("name of a field", list(fields)), *((f"field {name}", value) for name, value in fields.items())]


def _texts_in(value: object, where: str) -> list[str]:
    """Level by level, so that nothing that was sent is too deep to be looked at."""
    texts: list[str] = []
    level = [value]
    for _ in range(NESTED_MAX):
        texts += [item for item in level if isinstance(item, str)]
        lists = [item for item in level if isinstance(item, list)]
        tables = [chain(item, item.values()) for item in level if isinstance(item, Mapping)]
        level = [*chain.from_iterable(lists), *chain.from_iterable(tables)]
        if not level:
            return texts
    raise RefusedError(f"The {where} has lists within lists: write it as the act needs it.")


def _brief(problem: Exception) -> str:
    """A sentence is read by somebody: what was sent comes back in it only so far."""
    return str(problem)[:SENTENCE_CHARACTERS_MAX]
