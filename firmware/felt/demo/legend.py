"""The letter for each key, the line of keys that matter now, and the page with all keys."""

from __future__ import annotations

from felt.table.keys import KEYS, VOID_KEY
from felt.table.misdeals import MISDEAL_MODE
from felt.table.state import Phase, Table
from felt.table.views import keys_lit

# VOID's letter is the supervisor's order, not the panel's key, which needs the key switch.
PRESSED = {key.letter: key.name for key in KEYS if key is not VOID_KEY}
VOID = VOID_KEY.letter
_LETTERS = {key.name: key.letter for key in KEYS}

HELP = (
    "o    open the table, then a round       l    no more bets",
    "1-9  chip on or off its spot, or a box  k    next kind of chip",
    "b    a bet's amount in cents: b, then 3 ante 2500 and Enter (3 an 2500 will do)",
    "d    the shuffler's own key: deal       c    collect the progressive bets",
    "s    cards seen                         p f  play, fold: then the boxes",
    "r    reveal                             e    settle, and then end the round",
    "m    misdeal: again for the next kind,  t    other: again for the next",
    "     then its box, or e                 #    the count of coins does not match",
    "v    the supervisor voids the round     w    verdicts in full, page by page",
    "y n  a jackpot: confirm or deny; a question: accept the proposal or overrule",
    "     if players choose: the box, then y plays on or n takes its bets back",
    "?    this page                          q    quit",
)

# The possible actions, each with the panel key that must be lit for it, if any.
_NOW: dict[Phase, tuple[tuple[str, str], ...]] = {
    Phase.CLOSED: (("o opens the table", ""),),
    Phase.IDLE: (("o opens a round", "open"),),
    Phase.BETTING: (("{boxes} chip: {kind} | k next | b amount", ""), ("l lock", "no_more_bets")),
    Phase.DEALING: (("d deal | {boxes} lift chip: {kind} | k next", ""),),
    Phase.DECIDING: (("s seen", "cards_seen"), ("p or f, then {boxes}", "play"), ("r reveal", "reveal")),
    Phase.REVEALING: (("r reveal", "reveal"), ("e settle", "settle")),
    Phase.VERIFYING: (("y confirm | n deny", ""),),
    Phase.PAYING: (("e ends the round", "settle"),),
    Phase.VOIDING: (("e ends the round", "settle"),),
}


def say_key(name: str) -> str:
    return name.upper().replace("_", " ")


def with_letter(key: str) -> str:
    """`f FOLD`: the panel's name of the key with its letter."""
    letter = _LETTERS.get(key)
    return f"{letter} {say_key(key)}" if letter else say_key(key)


def keys_now(table: Table, kind: str) -> str:
    seats = table.settings.seats if table.settings else 0
    asked = table.irregularity.questions
    lit = ("", *keys_lit(table))
    possible = " | ".join(text for text, key in _NOW.get(table.phase, ()) if key in lit)
    now = possible.format(boxes=f"1-{seats}", kind=kind or "none")
    if asked and asked[0].players:
        now = "box, then y or n"
    elif table.panel.mode == MISDEAL_MODE:
        now = f"m next kind | 1-{seats} its box | e dealer or table"
    elif table.panel.mode and table.phase is not Phase.DECIDING:
        now = f"t next | 1-{seats} box"
    ended = table.round or table.previous
    full = "w verdicts in full" if ended is not None and ended.lines else ""
    return " | ".join(part for part in (now, full, "? all keys", "q quit") if part)
