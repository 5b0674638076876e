"""The keys of the dealer's panel in one table: line, fact, letter and sentence. Intake, lamps, screens, the demo's
legend and the journal's events read it."""

from __future__ import annotations

from felt.nouns.values import Value
from felt.table import facts


class Key(Value):
    name: str
    pressed: type[facts.Fact]
    letter: str  # on the demo's keyboard
    sentence: str  # of the event

    @property
    def line(self) -> str:
        """The line of its contact and of its lamp."""
        return f"key.{self.name}"


LOCK_KEY = Key("no_more_bets", facts.NoMoreBetsPressed, "l", "No more bets.")
VOID_KEY = Key("void", facts.VoidPressed, "v", "Key VOID.")
KEYS = (
    Key("open", facts.OpenPressed, "o", "Bets are open."),
    LOCK_KEY,
    Key("collect", facts.CollectPressed, "c", "The progressive chips were collected."),
    Key("cards_seen", facts.CardsSeenPressed, "s", "The players' cards were seen."),
    Key("fold", facts.FoldModePressed, "f", "Key FOLD."),
    Key("play", facts.PlayModePressed, "p", "Key PLAY."),
    Key("reveal", facts.RevealPressed, "r", "The cards were revealed."),
    Key("settle", facts.SettlePressed, "e", "Key SETTLE."),
    VOID_KEY,
    Key("misdeal", facts.MisdealPressed, "m", "Key MISDEAL."),
    Key("other", facts.OtherModePressed, "t", "Key OTHER."),
    Key(
        "count_mismatch", facts.CountMismatchPressed, "#",
        "The number of collected chips differs from the number of accepted bets.",
    ),
)  # fmt: skip
SEAT_KEYS = "key.seat_"  # followed by the number of the box


def seat_keys(seats: int) -> tuple[str, ...]:
    return tuple(f"{SEAT_KEYS}{seat}" for seat in range(1, seats + 1))


# Inputs of the panel and the cabinet that are not keys and have no lamps.
SUPERVISOR_SWITCH, DOOR_SWITCH = "key.supervisor", "key.door"
