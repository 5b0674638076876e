"""The table of all console commands, and their help."""

from __future__ import annotations

from felt.console.fault_commands import FAULT_COMMANDS
from felt.console.grammar import whole_word
from felt.console.history_commands import HISTORY
from felt.console.maintenance_commands import TESTING
from felt.console.order_commands import ORDER_COMMANDS
from felt.console.session import Command, ConsoleSession, Left, SignedOut
from felt.console.status_commands import STATUS_COMMANDS, wrapped


def help_about(session: ConsoleSession, arguments: list[str]) -> None:
    if arguments:
        name = whole_word(arguments[0].lower(), tuple(session.commands), "command")
        command = session.commands[name]
        session.say(command.usage)
        session.say(wrapped(command.about, 2))
        session.say(f"example:\n  {command.example}")
        return
    for title, names in (
        ("Look", (*STATUS_COMMANDS, "faults")),
        ("Mend", ("faults", "clear", "acknowledge", *TESTING, "entry", "out-of-service", "back-in-service")),
        ("Play", tuple(name for name in ORDER_COMMANDS if name not in ("entry", "out-of-service", "back-in-service"))),
        ("Read", tuple(HISTORY)),
        ("Else", ("help", "exit", "quit")),
    ):
        session.say(wrapped(f"{title}: {', '.join(dict.fromkeys(names))}", 0))
    session.say("More about a command: help spots. Any unique prefix will do: st for status.")


def leave(_session: ConsoleSession, _: list[str]) -> None:
    raise SignedOut


def quit_console(_session: ConsoleSession, _: list[str]) -> None:
    raise Left


COMMANDS: dict[str, Command] = {
    **STATUS_COMMANDS,
    **FAULT_COMMANDS,
    **TESTING,
    **ORDER_COMMANDS,
    **HISTORY,
    "help": Command("help [COMMAND]", "All commands, or more about one.", "help spots", help_about, needs_table=False),
    "exit": Command("exit", "Sign out; the next person signs in.", "exit", leave, needs_table=False),
    "quit": Command(
        "quit",
        "Sign out and leave the console; on a serial line it begins anew with its banner.",
        "quit",
        quit_console,
        needs_table=False,
    ),
}
