"""Commands that read the disk, whether the table runs or not."""

from __future__ import annotations

from collections.abc import Iterable

from felt.console.grammar import Misspelt, number_in
from felt.console.session import WIDTH, Command, ConsoleSession
from felt.nouns.texts import fitted

ROUNDS = 10
FACTS = 20
FACTS_MAX = 10_000


def rounds(session: ConsoleSession, arguments: list[str]) -> None:
    if arguments and arguments[0] == "last":
        _say_all(session, session.archive.rounds(number_in(arguments, 1, ROUNDS, 1000), session.role))
    elif arguments:
        _say_all(session, session.archive.round(number_in(arguments, 0, 0, 10**9), session.role))
    else:
        _say_all(session, session.archive.rounds(ROUNDS, session.role))


def hits(session: ConsoleSession, arguments: list[str]) -> None:
    _say_all(session, session.archive.hits(number_in(arguments, 0, 25, 1000)))


def journal(session: ConsoleSession, arguments: list[str]) -> None:
    way = arguments[0] if arguments else "tail"
    if way not in ("tail", "export"):
        raise Misspelt("Say journal tail or journal export, and how many records.")
    many = number_in(arguments, 1, FACTS, FACTS_MAX)
    if way == "tail":
        _say_all(session, session.archive.tail(many, session.role))
    else:
        _say_as_they_are(session, session.archive.export(many, session.role))


def configuration(session: ConsoleSession, _: list[str]) -> None:
    _say_as_they_are(session, session.archive.configuration())


def _say_all(session: ConsoleSession, lines: Iterable[str]) -> None:
    for line in lines:
        session.say(fitted(line, WIDTH))


def _say_as_they_are(session: ConsoleSession, lines: Iterable[str]) -> None:
    """Without wrapping, for programs."""
    for line in lines:
        session.say(line)


HISTORY: dict[str, Command] = {
    "rounds": Command(
        "rounds [NUMBER | last N]",
        "The last ten rounds in full, one by its number, or the last N.",
        "rounds 17",
        rounds,
        ("last",),
        needs_table=False,
    ),
    "hits": Command("hits [N]", "The last jackpots: claims, values, who confirmed.", "hits", hits, needs_table=False),
    "journal": Command(
        "journal tail|export [N]",
        "The last records, as text or as JSON lines. Cards that you may not see are left out.",
        "journal tail 50",
        journal,
        ("tail", "export"),
        needs_table=False,
    ),
    "config": Command(
        "config", "The configuration in force, without codes.", "config", configuration, needs_table=False
    ),
}
