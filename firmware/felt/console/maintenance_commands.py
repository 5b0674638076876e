"""A technician's tests through the desk while the controller runs: contacts and keys as they move, lamps one after
another, coin spots covered and uncovered. Lamps move in test mode only, and only a closed table can enter test mode."""

from __future__ import annotations

import time
from collections.abc import Iterator

from felt.console.grammar import Misspelt, number_in, one_of
from felt.console.session import Command, ConsoleSession

LOOK_S = 0.15
WATCH_S = 600
HAND_S = 20  # how long to wait for a person
LAMP_S = 1.0
TIMES = 2  # how often each coin spot is covered and uncovered


class _Watching:
    """Reports changes from now on, as the desk tells them."""

    def __init__(self, session: ConsoleSession) -> None:
        self._session = session
        self._number = int(session.ask("changes", since=0)["number"])

    def news(self, kinds: tuple[str, ...]) -> list[str]:
        told = self._session.ask("changes", since=self._number)
        self._number = int(told["number"])
        if told.get("missed"):
            self._session.say("(some changes came too fast to be shown)")
        return [change["said"] for change in told["changes"] if change["kind"] in kinds]

    def until(self, kinds: tuple[str, ...], seconds: float) -> Iterator[str]:
        """Yields each change as it comes. Ends when the time is over or Enter was pressed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield from self.news(kinds)
            if self._session.terminal.pressed_within(LOOK_S):
                return


def sensors(session: ConsoleSession, arguments: list[str]) -> None:
    if arguments and arguments[0] != "watch":
        raise Misspelt("Say sensors watch, and for how many seconds.")
    covered = [spot["spot"] for spot in session.ask("spots")["spots"] if spot["present"]]
    session.say(f"Covered now: {', '.join(covered) or 'nothing'}. Move chips; Enter ends.")
    for said in _Watching(session).until(("sensor", "noted"), number_in(arguments, 1, WATCH_S, WATCH_S)):
        session.say(said)


def keys(session: ConsoleSession, arguments: list[str]) -> None:
    if arguments and arguments[0] != "test":
        raise Misspelt("Say keys test.")
    _need_test_mode(session)
    lamps = session.ask("lamps")["lamps"]
    missing = [name for name in lamps if name.startswith("key.")]
    session.say(f"Press each of the {len(missing)} keys once, in any order; Enter ends.")
    for said in _Watching(session).until(("key",), WATCH_S):
        session.say(said)
        key, _, way = said.partition(": ")
        if way == "up" and key in missing:
            missing.remove(key)
            if not missing:
                break
    session.say(
        f"Not pressed, or not detected: {', '.join(missing)}" if missing else "Every key went down and came up."
    )


def lamps(session: ConsoleSession, arguments: list[str]) -> None:
    way = arguments[0] if arguments else "walk"
    known = session.ask("lamps")["lamps"]
    if way == "walk":
        _need_test_mode(session)
        session.say(f"{len(known)} lamps, one second each; Enter ends.")
        for lamp in known:
            _light(session, lamp)
            session.say(lamp)
            if session.terminal.pressed_within(LAMP_S):
                break
        _light(session)
    elif way == "test":
        _need_test_mode(session)
        lamp = one_of(arguments, 1, "which lamp, or all, as in lamps test 3.progressive")
        if lamp != "all" and lamp not in known:
            raise Misspelt(f"There is no lamp {lamp[:40]!r}: spots and panel name them.")
        _light(session, *(known if lamp == "all" else (lamp,)))
        session.terminal.read_line(f"{lamp} is lit; Enter darkens it. ")
        _light(session)
    else:
        raise Misspelt("Say lamps walk, or lamps test and which lamp.")


def _light(session: ConsoleSession, *lamps_lit: str) -> None:
    session.order("LampsTried", "", lamps=list(lamps_lit))


def calibrate(session: ConsoleSession, arguments: list[str]) -> None:
    """Each coin spot must follow a chip down and up, twice."""
    _need_test_mode(session)
    spots = [spot["spot"] for spot in session.ask("spots")["spots"] if spot["sensed"] and spot["lamp"]]
    if arguments:
        spots = [spot for spot in spots if spot in arguments or spot.partition(".")[0] in arguments]
    if not spots:
        raise Misspelt("No such coin spot: spots lists them.")
    deaf = [spot for spot in spots if not _follows(session, spot)]
    session.say(f"Does not follow: {', '.join(deaf)}" if deaf else "Every spot follows.")
    session.say("For bounce times: stop the controller and use felt pins calibrate.")


def _follows(session: ConsoleSession, spot: str) -> bool:
    watching = _Watching(session)
    for time_ in range(1, TIMES + 1):
        for way in ("covered", "uncovered"):
            session.say(f"{spot} ({time_} of {TIMES}): {'cover it' if way == 'covered' else 'uncover it'}")
            if not any(said.startswith(f"{spot}: {way}") for said in _first(watching, spot)):
                session.say(f"{spot}: does not follow; check its sensor, cable and connector")
                return False
    session.say(f"{spot}: follows")
    return True


def _first(watching: _Watching, spot: str) -> list[str]:
    for said in watching.until(("sensor",), HAND_S):
        if said.startswith(f"{spot}: "):
            return [said]
    return []


def cards(session: ConsoleSession, arguments: list[str]) -> None:
    if arguments and arguments[0] != "tail":
        raise Misspelt("Say cards tail.")
    session.say("Cards as they come, without their faces; Enter ends.")
    for said in _Watching(session).until(("card", "link", "phase"), number_in(arguments, 1, WATCH_S, WATCH_S)):
        session.say(said)


def mode(session: ConsoleSession, arguments: list[str]) -> None:
    way = arguments[0] if arguments else ""
    if way == "on":
        session.order("TestModeEntered", "*** TEST MODE *** Nothing counts now. To leave: test-mode off")
    elif way == "off":
        session.order("TestModeLeft", "Test mode is off; the table is as it was before.")
    else:
        raise Misspelt("Say test-mode on, or test-mode off.")


def _need_test_mode(session: ConsoleSession) -> None:
    if session.ask("status")["service"] != "TEST":
        raise Misspelt("This needs test mode: close the table, then test-mode on.")


TESTING: dict[str, Command] = {
    "sensors": Command("sensors watch [SECONDS]", "Chip contacts as they move.", "sensors watch", sensors, ("watch",)),
    "lamps": Command(
        "lamps walk | lamps test LAMP|all",
        "In test mode: every lamp alone for a second, or one until Enter.",
        "lamps test 3.progressive",
        lamps,
        ("walk", "test"),
    ),
    "keys": Command("keys test", "In test mode: every key, pressed once.", "keys test", keys, ("test",)),
    "calibrate": Command(
        "calibrate [SPOT ...]", "In test mode: coin spots covered and uncovered twice.", "calibrate 3", calibrate
    ),
    "cards": Command("cards tail", "Cards as they come, without their faces.", "cards tail", cards, ("tail",)),
    "test-mode": Command(
        "test-mode on|off",
        "A closed table for tests: nothing counts, no meter moves, and leaving restores what was.",
        "test-mode on",
        mode,
        ("on", "off"),
    ),
}
