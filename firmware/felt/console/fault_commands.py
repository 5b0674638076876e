"""Faults: what is open, what to do about it step by step, and how to clear it."""

from __future__ import annotations

from felt.console.grammar import Misspelt, rest_of, whole_word
from felt.console.session import Command, ConsoleSession
from felt.console.status_commands import say_alerts, wrapped
from felt.nouns.faults import CATALOGUE, Clears


def faults(session: ConsoleSession, arguments: list[str]) -> None:
    if not arguments:
        told = session.ask("faults")
        say_alerts(session, told["alerts"], told["waiting"])
    elif arguments[0] == "all":
        for fault in CATALOGUE.values():
            session.say(wrapped(f"{fault.code} ({fault.weight}): {fault.sentence}", 0))
    elif "clear".startswith(arguments[0].lower()):
        clear(session, arguments[1:])
    else:
        _explain(session, _code(arguments[0]))


def _explain(session: ConsoleSession, code: str) -> None:
    fault = CATALOGUE[code]
    session.say(wrapped(f"{code}: {fault.sentence}", 0))
    for number, step in enumerate(fault.steps, 1):
        session.say(wrapped(f"{number}. {step}", 2))
    if fault.note:
        session.say(wrapped(fault.note, 2))
    places = _places(session, code) if session.is_connected else []
    if places:
        session.say(f"It stands at: {', '.join(places)}")
        if fault.clears is Clears.ITSELF:
            session.say("It clears by itself when its cause is gone.")
        else:
            session.say(f"When you have done this: faults clear {code} {places[0]}")
    else:
        session.say("It does not stand now.")


def clear(session: ConsoleSession, arguments: list[str]) -> None:
    """Shows the remedy step by step, then clears the fault. The table refuses until its own test has passed."""
    code = _code(rest_of(arguments[:1], 0, "which fault, as in faults clear F-101"))
    places = _places(session, code)
    if not places:
        raise Misspelt(f"{code} does not stand: nothing to clear.")
    if len(arguments) > 1:
        where = " ".join(arguments[1:])
        if where not in places:
            raise Misspelt(f"{code} stands at {', '.join(places)}, not at {where}.")
    elif len(places) > 1:
        raise Misspelt(f"{code} stands at {', '.join(places)}: say which one.")
    else:
        where = places[0]
    for number, step in enumerate(CATALOGUE[code].steps, 1):
        session.say(wrapped(f"{number}. {step}", 0))
        answer = session.terminal.read_line("   done? (Enter, or n to stop) ")
        if answer.strip().lower() not in ("", "y", "yes", "done"):  # also a command that somebody typed too early
            session.say("Nothing was cleared.")
            return
    if CATALOGUE[code].clears is Clears.ITSELF:
        session.say("It clears by itself when its cause is gone: look again with faults.")
        return
    session.order("FaultCleared", f"{code} {where} is cleared.", code=code, where=where)


def acknowledge(session: ConsoleSession, arguments: list[str]) -> None:
    code = _code(rest_of(arguments[:1], 0, "which alert, as in acknowledge F-107"))
    places = _places(session, code, passed=True)
    if not places:
        raise Misspelt(f"{code} does not stand.")
    where = " ".join(arguments[1:]) or places[0]
    session.order("AlertAcknowledged", f"{code} {where} is acknowledged by {session.person}.", code=code, where=where)


def _code(text: str) -> str:
    code = text.upper() if text.upper().startswith("F-") else f"F-{text.upper()}"
    return whole_word(code, tuple(CATALOGUE), "fault")


def _places(session: ConsoleSession, code: str, *, passed: bool = False) -> list[str]:
    """Where it stands; and where it has passed and is still shown, if that is wanted."""
    alerts = [alert for alert in session.ask("faults")["alerts"] if alert["code"] == code]
    return [alert["where"] for alert in alerts if passed or not alert["passed"]]


FAULT_COMMANDS: dict[str, Command] = {
    "faults": Command(
        "faults [CODE | all | clear CODE [WHERE]]",
        "What is wrong; what to do about one fault, step by step; clear it when it is done.",
        "faults F-101\n  faults clear F-101 3.progressive",
        faults,
        ("all", "clear", *CATALOGUE),
        needs_table=False,
    ),
    "clear": Command(
        "clear CODE [WHERE]", "The same as faults clear: step by step, then cleared.", "clear F-107", clear
    ),
    "acknowledge": Command(
        "acknowledge CODE [WHERE]",
        "Record that you have seen an alert and take care of it; it stays until it is cleared. One that has passed by "
        "itself is shown until it is acknowledged.",
        "acknowledge F-107",
        acknowledge,
    ),
}
