"""Who may order what at the desk, what needs two persons, and what must be said with it. Every order is recorded
with a person, so only facts that name one are listed here."""

from __future__ import annotations

from collections.abc import Mapping

from felt.config.people import Role
from felt.host.accepted_config import NOT_ACCEPTED
from felt.host.people_watch import PEOPLE_CHANGED
from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.texts import says_something

_EVERYBODY_WITH_A_DUTY = (Role.TECHNICIAN, Role.SUPERVISOR, Role.SHIFT_MANAGER)
_SERVICE = (Role.TECHNICIAN, Role.SHIFT_MANAGER)
_PLAY = (Role.SUPERVISOR, Role.SHIFT_MANAGER)

POWERS: dict[str, tuple[Role, ...]] = {
    "OutOfServiceOrdered": _EVERYBODY_WITH_A_DUTY,
    "BackInServiceOrdered": _EVERYBODY_WITH_A_DUTY,
    "EntryLogged": _EVERYBODY_WITH_A_DUTY,
    "AlertAcknowledged": _EVERYBODY_WITH_A_DUTY,
    "FaultCleared": _EVERYBODY_WITH_A_DUTY,
    "TestModeEntered": _SERVICE,
    "TestModeLeft": _EVERYBODY_WITH_A_DUTY,
    "LampsTried": _SERVICE,
    "TableOpened": _PLAY,
    "TableClosed": _PLAY,
    "VoidOrdered": _PLAY,
    "RulingMade": _PLAY,
    "PlayerChose": _PLAY,
    "IrregularityDeclared": _PLAY,
    "CorrectionRecorded": _PLAY,
    "HitReported": _PLAY,
    "ClaimConfirmed": _PLAY,
    "ClaimDenied": _PLAY,
    "MeterAdjusted": _PLAY,
    "BetKeyed": _PLAY,
    "BetUnkeyed": _PLAY,
    "AmountFound": _PLAY,
    "BetsReturned": _PLAY,
    "SeatBarred": _PLAY,
    "ProgressiveSwitched": _PLAY,
    "RevealRefused": _PLAY,
    "HandEstablished": _PLAY,
    "DiscardSaid": _PLAY,
    "DealerSignedIn": _PLAY,
    "CardKeyed": _PLAY,
    "CardStruck": _PLAY,
    "DeckChanged": _PLAY,
    "DeckVerified": _PLAY,
    "StubChecked": _PLAY,
}

# Two persons pay or deny a jackpot, adjust a meter, and clear a fault that keeps evidence.
_BY_TWO = ("ClaimConfirmed", "ClaimDenied", "MeterAdjusted")
_EVIDENCE = tuple(code for code, fault in CATALOGUE.items() if fault.weight is Weight.STOP and code[2] in "347")

# Faults about the ledger, the link's messages, the sign, the journal and its audit stop nothing but are evidence too.
# Clearing F-503 accepts a configuration, and clearing F-504 a person; the person who changed the file may not clear it.
_SUPERVISED = ("F-305", "F-307", "F-309", "F-402", "F-409", NOT_ACCEPTED, PEOPLE_CHANGED)

# What a person must say with an order, and the sentence if it is missing.
_WORDS = {
    "reason": "This needs a reason: say why.",
    "what": "This needs what was done: say what.",
    "part": "This needs the part that was opened or touched: say which.",
    "evidence": "This needs its evidence: say how it is known.",
}


def powers_of(kind: str, code: object) -> tuple[Role, ...]:
    """Empty: nobody may order it here."""
    if kind == "FaultCleared" and code in _SUPERVISED:
        return _PLAY
    return POWERS.get(kind, ())


def needs_two(kind: str, code: object) -> bool:
    return kind in _BY_TWO or (kind == "FaultCleared" and code in _EVIDENCE)


def lacks_supervisor(roles: list[Role]) -> bool:
    """One of two persons must answer for the play: two technicians alone cannot clear evidence."""
    return not any(role in _PLAY for role in roles)


def unsaid(fields: Mapping[str, object]) -> str:
    """A sentence about the first required text that is blank. A missing text, or one of the wrong type, is refused
    with the order's shape."""
    for name, sentence in _WORDS.items():
        said = fields.get(name)
        if isinstance(said, str) and not says_something(said):
            return sentence
    return ""


def say_roles(powers: tuple[Role, ...]) -> str:
    return " or ".join(role.value.replace("_", " ") for role in powers)
