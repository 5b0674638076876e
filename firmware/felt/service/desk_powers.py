"""Who may order what at the desk, and what needs two persons. Whatever is ordered is recorded with a person, so only
facts that name one are here."""

from __future__ import annotations

from felt.config.people import Role
from felt.nouns.faults import CATALOGUE, Weight
from felt.service.pinning import NOT_ACCEPTED

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
    "DealerSignedIn": _PLAY,
    "CardKeyed": _PLAY,
    "CardStruck": _PLAY,
    "DeckChanged": _PLAY,
    "StubChecked": _PLAY,
}

# A jackpot is paid or denied, a meter adjusted, and a fault that keeps evidence cleared, by two persons.
_BY_TWO = ("ClaimConfirmed", "ClaimDenied", "MeterAdjusted")
_EVIDENCE = tuple(code for code, fault in CATALOGUE.items() if fault.weight is Weight.STOP and code[2] in "347")


# Whoever clears this one accepts a configuration; who changed the file may not.
_SUPERVISED = (NOT_ACCEPTED,)


def powers_of(kind: str, code: object) -> tuple[Role, ...]:
    """Empty: nobody may order it here."""
    if kind == "FaultCleared" and code in _SUPERVISED:
        return _PLAY
    return POWERS.get(kind, ())


def needs_two(kind: str, code: object) -> bool:
    return kind in _BY_TWO or (kind == "FaultCleared" and code in _EVIDENCE)


def say_roles(powers: tuple[Role, ...]) -> str:
    return " or ".join(role.value.replace("_", " ") for role in powers)
