"""Types every example of the help at a table where it makes sense, and it does what its help says. Where an example
names a round or a claim, this table's own takes its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from felt.console.all_commands import COMMANDS
from felt.console.order_commands import ORDER_COMMANDS
from felt.loop.inbox import Order
from felt.nouns.cards import DECK, Card, parse_cards
from felt.table.state import Phase, Round, Table
from tests.console.desk_evening import PIN, DeskEvening, visited

ROYAL = parse_cards("As Ks Qs Js Ts 2d")
NOTHING = parse_cards("2c 7d 9h Qd Jc 4s")
SHU = ("Shu", PIN["Shu"])


def _deck(first: tuple[Card, ...]) -> tuple[Card, ...]:
    return (*first, *(card for card in DECK if card not in first))


def closed(_: DeskEvening) -> None:
    """Closed is how a table starts."""


def idle(table: DeskEvening) -> None:
    visited(table, "Sam", "open")
    table.advance(1500)


def betting(table: DeskEvening) -> None:
    idle(table)
    table.press("open")


def keyed(table: DeskEvening) -> None:
    betting(table)
    visited(table, "Sam", "bet 3 ante 5000")


def deciding(table: DeskEvening) -> None:
    keyed(table)
    table.chip("3.ante")
    table.chip("3.progressive")
    table.advance(200)
    table.press("no_more_bets")
    table.until(lambda: table.phase is Phase.DEALING)
    table.deal()
    table.until(lambda: table.phase is Phase.DECIDING)


def paying(table: DeskEvening) -> None:
    deciding(table)
    table.press("play")
    table.press("seat_3")
    table.press("reveal")
    table.press("settle")
    table.until(lambda: table.phase in (Phase.PAYING, Phase.VERIFYING))


def revealed(table: DeskEvening) -> None:
    deciding(table)
    for key in ("play", "seat_3", "reveal"):
        table.press(key)


def ended(table: DeskEvening) -> None:
    paying(table)
    table.press("settle")
    table.chip("3.ante", False)
    table.chip("3.progressive", False)
    table.advance(300)


def doubted(table: DeskEvening) -> None:
    ended(table)
    assert table.order("StubChecked", cards=1, person="supervisor") == ""
    assert table.table.shuffler.doubt


def choosing(table: DeskEvening) -> None:
    deciding(table)
    visited(table, "Sam", "declare exposed_card 3 seen by the dealer")


def held(table: DeskEvening) -> None:
    deciding(table)
    visited(table, "Tess", "out-of-service smoke", "back-in-service")


def out(table: DeskEvening) -> None:
    visited(table, "Tess", "out-of-service smoke")


def faulty(table: DeskEvening) -> None:
    for code, where in (("F-107", "door"), ("F-101", "3.progressive")):
        table.loop.inbox.put(Order("FaultRaised", {"code": code, "where": where}, lambda _: None))
    table.advance(50)


class Typed(NamedTuple):
    prepare: Callable[[DeskEvening], None]
    answers: tuple[str, ...]
    shown: str
    done: Callable[[Table], bool] = lambda _: True


EXAMPLES = {
    "open": Typed(closed, (), "The table is open.", lambda table: table.phase is Phase.IDLE),
    "close": Typed(idle, (), "The table is closed.", lambda table: table.phase is Phase.CLOSED),
    "void": Typed(deciding, ("yes",), "Void round 1", lambda table: table.phase is Phase.VOIDING),
    "confirm": Typed(paying, ("yes", "yes", "yes", *SHU), "Claim 1.3 is confirmed."),
    "deny": Typed(paying, SHU, "Claim 1.3 is denied."),
    "hit": Typed(paying, (), "Box 3: royal_flush is reported"),
    "rule": Typed(held, (), "q1: void.", lambda table: table.phase is Phase.VOIDING),
    "choose": Typed(choosing, (), "Box 3 chose return."),
    "correct": Typed(ended, (), "A correction of round 1 is recorded."),
    "declare": Typed(deciding, (), "Declared: exposed_card.", lambda table: bool(table.irregularity.questions)),
    "adjust": Typed(closed, ("yes", *SHU), "Take $50.00 out of the display of major (malfunction)."),
    "out-of-service": Typed(closed, (), "out of service", lambda table: "wet layout" in table.service.ordered_out),
    "back-in-service": Typed(out, (), "The table is in service.", lambda table: not table.service.ordered_out),
    "bet": Typed(betting, (), "3.ante is keyed.", lambda table: _of(table, "3.ante") == 5000),
    "unbet": Typed(keyed, (), "not keyed any more", lambda table: _of(table, "3.ante") is None),
    "amount": Typed(deciding, (), "3.ante amounts to $75.00."),
    "return": Typed(deciding, (), "The bets of box 3 go back."),
    "discard": Typed(deciding, (), "No community card is discarded in this round."),
    "unshown": Typed(revealed, (), "Box 3 does not show its cards.", lambda table: _playing(table).unshown == (3,)),
    "established": Typed(
        deciding, ("yes",), "The hand of box 3 is established.", lambda table: 3 in dict(_playing(table).open_hands)
    ),
    "seat": Typed(closed, (), "Box 3 is out of play.", lambda table: table.barred == (3,)),
    "progressive": Typed(closed, (), "Progressive bets are off", lambda table: "sign is dark" in table.progressive_off),
    "dealer": Typed(closed, (), "Dealer: Kim.", lambda table: table.panel.dealer == "Kim"),
    "deck": Typed(doubted, ("yes",), "The deck is verified.", lambda table: not table.shuffler.doubt),
    "entry": Typed(closed, (), "Entered in the log: cabinet, Max."),
}


def _playing(table: Table) -> Round:
    assert table.round is not None
    return table.round


def _of(table: Table, spot: str) -> int | None:
    return next(placed.amount_minor for placed in table.spots if placed.spot == spot)


@pytest.mark.parametrize("name", ORDER_COMMANDS)
def test_every_example_of_an_act_does_what_it_says(name: str) -> None:
    typed = EXAMPLES[name]
    table = DeskEvening(decks=(_deck(ROYAL if name in ("confirm", "deny") else NOTHING),) * 3)
    typed.prepare(table)
    line = COMMANDS[name].example.replace("17.3", "1.3").replace("correct 12", "correct 1")
    shown = visited(table, "Max", line, *typed.answers)
    assert typed.shown in shown
    table.advance(50)
    assert typed.done(table.table)


def test_void_voids_the_last_round_too_as_its_help_says() -> None:
    table = DeskEvening(decks=(_deck(NOTHING),) * 3)
    ended(table)
    visited(table, "Sam", "close")
    assert "or the last one until the next opens" in visited(table, "Sam", "help void")
    assert "Void the last round" in visited(table, "Max", COMMANDS["void"].example, "yes")
    assert table.table.previous is not None
    assert table.table.previous.void_rule


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ORDER_COMMANDS])
def test_every_other_example_is_understood_word_for_word(name: str) -> None:
    table = DeskEvening()
    faulty(table)
    if name in ("lamps", "keys", "calibrate"):
        visited(table, "Max", "test-mode on")
    for line in COMMANDS[name].example.splitlines():
        shown = visited(table, "Max", line.strip(), "")
        assert "There is no" not in shown
        assert "type help" not in shown
        assert " Say " not in shown
        assert "does not stand" not in shown
