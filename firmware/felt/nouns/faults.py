"""Every fault that the product can report: a code that never changes its meaning, a sentence, and a remedy. The texts
are in the catalogue of `felt.wording`; here is what programs decide by."""

from __future__ import annotations

from enum import StrEnum
from itertools import count, takewhile

from felt.nouns.values import Value
from felt.wording.messages import ENGLISH, messages, say


class Weight(StrEnum):
    STOP = "stop"  # the table is out of service until it tests good
    SEAT = "seat"  # the seat is out of progressive play
    NOTE = "note"  # shown and recorded; play goes on
    INPUT = "input"  # about something given to a command; no table is affected


class Clears(StrEnum):
    """How a fault ends, as its remedy tells it."""

    PERSON = "person"  # a person clears it as the last step
    ITSELF = "itself"  # it clears when its cause is gone
    SILENT = "silent"  # a person may clear it; the remedy does not mention it


class Fault(Value):
    code: str
    weight: Weight
    clears: Clears
    sentence: str
    steps: tuple[str, ...]  # what a person does, in order
    note: str  # what else to know

    @property
    def remedy(self) -> str:
        """Everything that a person should know and do, as one text."""
        closing = ("Then clear the fault.",) if self.clears is Clears.PERSON else ()
        return " ".join(filter(None, (*self.steps, *closing, self.note)))

    def told(self, language: str) -> str:
        """The sentence in the language of a table; English if it has no translation."""
        return say(language if f"fault.{self.code}" in messages(language) else ENGLISH, f"fault.{self.code}")


_DECIDED_BY = {
    "F-101": (Weight.SEAT, Clears.PERSON),
    "F-102": (Weight.NOTE, Clears.SILENT),
    "F-103": (Weight.STOP, Clears.SILENT),
    "F-104": (Weight.SEAT, Clears.PERSON),
    "F-105": (Weight.NOTE, Clears.PERSON),
    "F-106": (Weight.NOTE, Clears.ITSELF),
    "F-107": (Weight.NOTE, Clears.PERSON),
    "F-108": (Weight.SEAT, Clears.ITSELF),
    "F-109": (Weight.SEAT, Clears.ITSELF),
    "F-110": (Weight.SEAT, Clears.PERSON),
    "F-111": (Weight.STOP, Clears.PERSON),
    "F-112": (Weight.NOTE, Clears.PERSON),
    "F-201": (Weight.NOTE, Clears.ITSELF),
    "F-202": (Weight.NOTE, Clears.SILENT),
    "F-203": (Weight.NOTE, Clears.SILENT),
    "F-204": (Weight.NOTE, Clears.SILENT),
    "F-205": (Weight.NOTE, Clears.SILENT),
    "F-206": (Weight.NOTE, Clears.PERSON),
    "F-207": (Weight.NOTE, Clears.ITSELF),
    "F-208": (Weight.NOTE, Clears.PERSON),
    "F-209": (Weight.NOTE, Clears.ITSELF),
    "F-301": (Weight.NOTE, Clears.ITSELF),
    "F-302": (Weight.STOP, Clears.SILENT),
    "F-303": (Weight.STOP, Clears.SILENT),
    "F-304": (Weight.STOP, Clears.PERSON),
    "F-305": (Weight.NOTE, Clears.PERSON),
    "F-306": (Weight.STOP, Clears.PERSON),
    "F-307": (Weight.NOTE, Clears.PERSON),
    "F-308": (Weight.NOTE, Clears.PERSON),
    "F-309": (Weight.NOTE, Clears.PERSON),
    "F-401": (Weight.STOP, Clears.SILENT),
    "F-402": (Weight.NOTE, Clears.SILENT),
    "F-403": (Weight.STOP, Clears.SILENT),
    "F-404": (Weight.STOP, Clears.SILENT),
    "F-405": (Weight.STOP, Clears.SILENT),
    "F-406": (Weight.NOTE, Clears.ITSELF),
    "F-407": (Weight.STOP, Clears.ITSELF),
    "F-408": (Weight.STOP, Clears.PERSON),
    "F-409": (Weight.NOTE, Clears.PERSON),
    "F-410": (Weight.STOP, Clears.PERSON),
    "F-411": (Weight.NOTE, Clears.PERSON),
    "F-412": (Weight.STOP, Clears.SILENT),
    "F-413": (Weight.NOTE, Clears.PERSON),
    "F-501": (Weight.STOP, Clears.SILENT),
    "F-502": (Weight.STOP, Clears.SILENT),
    "F-503": (Weight.STOP, Clears.SILENT),
    "F-504": (Weight.NOTE, Clears.SILENT),
    "F-601": (Weight.INPUT, Clears.SILENT),
    "F-602": (Weight.INPUT, Clears.SILENT),
    "F-603": (Weight.INPUT, Clears.SILENT),
    "F-604": (Weight.INPUT, Clears.SILENT),
    "F-605": (Weight.INPUT, Clears.SILENT),
    "F-606": (Weight.INPUT, Clears.SILENT),
    "F-607": (Weight.INPUT, Clears.SILENT),
    "F-608": (Weight.INPUT, Clears.SILENT),
    "F-699": (Weight.INPUT, Clears.SILENT),
    "F-701": (Weight.STOP, Clears.SILENT),
    "F-702": (Weight.STOP, Clears.SILENT),
    "F-703": (Weight.NOTE, Clears.PERSON),
}


def _fault(code: str, weight: Weight, clears: Clears) -> Fault:
    texts = messages(ENGLISH)
    places = takewhile(lambda place: f"remedy.{code}.{place}" in texts, count(1))
    steps = tuple(texts[f"remedy.{code}.{place}"] for place in places)
    return Fault(code, weight, clears, texts[f"fault.{code}"], steps, texts.get(f"remedy.{code}.note", ""))


CATALOGUE: dict[str, Fault] = {code: _fault(code, *decided) for code, decided in _DECIDED_BY.items()}
