"""Sentences about chips and their contacts, exact to the nanosecond where it matters."""

from __future__ import annotations

import re
from decimal import Decimal
from re import Match

from felt.rules import shelf
from felt.stories.amounts import MONEY, MS, SPOT, minor
from felt.stories.errors import StoryError
from felt.stories.script import says
from felt.stories.stage import SETTLED_MS, Planned, StoryStage, in_ns

# --- chips -------------------------------------------------------------------------------------------


@says("chip SPOT[, SPOT]", rf"chips? {SPOT}((?:, ?[1-9]\.[a-z_0-9]+)*)")
def chip(stage: StoryStage, found: Match[str]) -> None:
    _drive_all(stage, found, True)


@says("lift SPOT[, SPOT]", rf"lift {SPOT}((?:, ?[1-9]\.[a-z_0-9]+)*)")
def lift(stage: StoryStage, found: Match[str]) -> None:
    _drive_all(stage, found, False)


def _drive_all(stage: StoryStage, found: Match[str], level: bool) -> None:
    for spot in (found[1] + found[2]).split(","):
        stage.drive(spot.strip(), level)
    stage.settle_edges()


@says("chip SPOT bounces N times in N ms", rf"(chip|lift) {SPOT} bounces (\d+) times in {MS}")
def chip_bounces(stage: StoryStage, found: Match[str]) -> None:
    bounce(stage, found[2], found[1] == "chip", int(found[3]), Decimal(found[4]))
    stage.settle_edges()


def bounce(stage: StoryStage, line: str, level: bool, times: int, ms: Decimal) -> None:
    """The contact closes, opens and closes again, and comes to rest on the level."""
    stage.require_power()
    stage.drive(line, level)
    for _ in range(times):
        for side in (not level, level):
            stage.advance(ms / (2 * times))
            stage.drive(line, side)


@says("chip SPOT flickers for N ms", rf"chip {SPOT} flickers for {MS}")
def chip_flickers(stage: StoryStage, found: Match[str]) -> None:
    before = stage.evening.board.levels()[found[1]]
    stage.drive(found[1], not before)
    stage.advance(Decimal(found[2]))
    stage.drive(found[1], before)
    stage.settle_edges()


@says("chip SPOT chatters for N ms[, rests present | rests absent]",
      rf"chip {SPOT} chatters for (\d+) ms(?:, rests (present|absent))?")
def chip_chatters(stage: StoryStage, found: Match[str]) -> None:
    present = found[3] == "present"
    for place in range(int(found[2]) // 3):
        stage.drive(found[1], place % 2 == 0)
        stage.advance(3)
    stage.drive(found[1], present)
    stage.settle_edges()


@says("the edge of SPOT is lost: present | absent", rf"the edge of {SPOT} is lost: (present|absent)")
def edge_is_lost(stage: StoryStage, found: Match[str]) -> None:
    """The level changes without an edge; it is found when every level is read again."""
    if found[1] not in stage.evening.board.levels():
        raise StoryError(f"{found[1]} is no line of this table's board")
    stage.evening.board.drive_unnoticed(found[1], found[2] == "present")


_AROUND = rf"(chip|lift) {SPOT} (?:(?P<ms>[\d.]+) ms (?P<side>before|after)|at) the lock"


@says("chip SPOT N ms before | after the lock / at the lock [, delivered N ms after the lock]",
      _AROUND + r"(?:, delivered (?P<late>[\d.]+) ms after the lock)?")
def chip_around_lock(stage: StoryStage, found: Match[str]) -> None:
    """Plans it: it happens at the next press of NO MORE BETS."""
    stage.require_power()
    if found[2] not in stage.evening.board.levels():
        raise StoryError(f"{found[2]} is no line of this table's board")
    stamped_ns = in_ns(Decimal(found["ms"] or "0")) * (-1 if found["side"] == "before" else 1)
    delivered_ns = in_ns(Decimal(found["late"])) if found["late"] else stamped_ns
    if delivered_ns < stamped_ns:
        raise StoryError("an edge cannot be delivered before it happens")
    stage.planned.append(Planned(found[2], found[1] == "chip", stamped_ns, delivered_ns))


_PLACE = r"(?:across|from (?P<ms>[\d.]+) ms (?P<side>before|after)) the lock"


@says("chip SPOT bounces N times in N ms across the lock / from N ms before | after the lock",
      rf"(chip|lift) {SPOT} bounces (\d+) times in {MS} {_PLACE}")
def bounces_around_lock(stage: StoryStage, found: Match[str]) -> None:
    length_ns, times = in_ns(Decimal(found[4])), int(found[3])
    _plan_burst(stage, found, found[2], length_ns, 2 * times, found[1] == "chip")


@says("chip SPOT flickers for N ms across the lock / from N ms before | after the lock",
      rf"chip {SPOT} flickers for {MS} {_PLACE}")
def flickers_around_lock(stage: StoryStage, found: Match[str]) -> None:
    """A single pulse; it must be shorter than the settle time to be one burst."""
    _plan_burst(stage, found, found[1], in_ns(Decimal(found[2])), 1, _level_to_come(stage, found[1]))


@says("chip SPOT chatters for N ms across the lock / from N ms before | after the lock[, rests present | rests absent]",
      rf"chip {SPOT} chatters for {MS} {_PLACE}(?:, rests (present|absent))?")
def chatters_around_lock(stage: StoryStage, found: Match[str]) -> None:
    """Without `rests` it ends where it began."""
    length_ns, before = in_ns(Decimal(found[2])), _level_to_come(stage, found[1])
    rests = before if found[5] is None else found[5] == "present"
    gaps = max(2, length_ns // in_ns(3))
    _plan_burst(stage, found, found[1], length_ns, gaps + (gaps % 2 == (rests == before)), rests)


def _level_to_come(stage: StoryStage, line: str) -> bool:
    """The level before the next planned edge."""
    levels = stage.evening.board.levels()
    if line not in levels:
        raise StoryError(f"{line} is no line of this table's board")
    planned = [edge.level for edge in stage.planned if edge.line == line]
    return planned[-1] if planned else levels[line]


def _plan_burst(stage: StoryStage, found: Match[str], line: str, length_ns: int, gaps: int, rests: bool) -> None:
    """Edges at equal distances, the last one on the level where it rests. `across`: as long before the lock as after
    it."""
    stage.require_power()
    _level_to_come(stage, line)
    begins_ns = -length_ns // 2
    if found["ms"]:
        begins_ns = in_ns(Decimal(found["ms"])) * (-1 if found["side"] == "before" else 1)
    for place in range(gaps + 1):
        at_ns = begins_ns + length_ns * place // gaps
        stage.planned.append(Planned(line, rests == ((gaps - place) % 2 == 0), at_ns, at_ns))


@says("press KEY N ms before | after the lock", r"press ([a-z_ ]+?) ([\d.]+) ms (before|after) the lock")
def press_around_lock(stage: StoryStage, found: Match[str]) -> None:
    """Plans it like a chip: down at its time, up again when an ordinary press ends."""
    line = "key." + found[1].replace("box ", "seat ").replace(" ", "_")
    if line not in stage.evening.board.levels():
        raise StoryError(f"{found[1]} is no key of this table")
    down_ns = in_ns(Decimal(found[2])) * (-1 if found[3] == "before" else 1)
    up_ns = down_ns + in_ns(SETTLED_MS)
    stage.planned += [Planned(line, True, down_ns, down_ns), Planned(line, False, up_ns, up_ns)]


@says("chip SPOT, stamped N ms before | after the lock, arrives now",
      rf"(chip|lift) {SPOT}, stamped (?P<ms>[\d.]+) ms (?P<side>before|after) the lock, arrives now")
def late_evidence(stage: StoryStage, found: Match[str]) -> None:
    playing = stage.table.round
    if playing is None or playing.lock_ns is None:
        raise StoryError("there is no lock to be stamped by")
    offset_ns = in_ns(Decimal(found["ms"])) * (-1 if found["side"] == "before" else 1)
    stage.drive(found[2], found[1] == "chip", playing.lock_ns + offset_ns)
    stage.settle_edges()


_BET = rf"[a-z_0-9]+(?: {MONEY})?"


@says("bets box N: WAGER [$AMOUNT][, …][; box N: …]",
      rf"bets (box [1-9]: {_BET}(?:, {_BET})*(?:; box [1-9]: {_BET}(?:, {_BET})*)*)")
def bets(stage: StoryStage, found: Match[str]) -> None:
    """Places a chip if the spot is sensed; keys the bet if it is not, or if an amount is given."""
    told = []
    for box in found[1].split("; "):
        seat = box[4]
        for bet in box[7:].split(", "):
            wager, _, amount = bet.partition(" ")
            told.append((f"{seat}.{wager}", amount))
    _bet(stage, told)


def _bet(stage: StoryStage, bets: list[tuple[str, str]], player: str = "") -> None:
    """The chips first: a dealer keys what lies there."""
    sensed = stage.evening.board.levels()
    for spot, _ in bets:
        if spot in sensed:
            stage.drive(spot, True)
    stage.settle_edges()
    for spot, amount in bets:
        if amount or spot not in sensed:
            stated = minor(stage, amount) if amount else None
            said = stage.evening.order("BetKeyed", spot=spot, amount_minor=stated, person="dealer", player=player)
            stage.reply = stage.reply or said


@says("PLAYER sits | stands at box N and bets WAGER [$AMOUNT][, …]",
      rf"(?P<player>[A-Z]\w*) (?P<how>sits|stands) at (?:box|seat) (?P<seat>[1-9]) and bets "
      rf"(?P<bets>{_BET}(?:(?:, | and ){_BET})*)")
def bet_as_player(stage: StoryStage, found: Match[str]) -> None:
    """A seated player's bets are the box's own. A standing player's bets carry his name, and so do a seated player's
    where the game lets others bet on his box."""
    assert stage.table.settings is not None
    named = found["how"] == "stands" or shelf.rulebook(stage.table.settings.game).has_bettors
    told = []
    for bet in re.split(", | and ", found["bets"]):
        wager, _, amount = bet.partition(" ")
        told.append((f"{found['seat']}.{wager}", amount))
    _bet(stage, told, found["player"] if named else "")
