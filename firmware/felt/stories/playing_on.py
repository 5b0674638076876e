"""Plain play as one sentence: what people do while nothing goes wrong."""

from __future__ import annotations

from re import Match

from felt.stories.errors import StoryError
from felt.stories.people import give_order, press_key
from felt.stories.script import says
from felt.stories.stage import StoryStage
from felt.table import settle
from felt.table.discards import is_due
from felt.table.state import Phase

_FIRST_CARDS = 3
_ENOUGH = 40


@says("play on to PHASE", rf"play on to ({'|'.join(Phase)})")
def play_on(stage: StoryStage, found: Match[str]) -> None:
    for _ in range(_ENOUGH):
        if _is_there(stage, found[1]):
            return
        _next(stage, found[1])
    raise StoryError(f"plain play does not lead to {found[1]}: the table is {stage.table.phase}")


def _is_there(stage: StoryStage, target: str) -> bool:
    playing, phase = stage.table.round, stage.table.phase
    if target == Phase.DEALING:
        return playing is not None and phase == target and len(playing.dealt) >= _FIRST_CARDS
    return phase == target


def _next(stage: StoryStage, target: str) -> None:
    match stage.table.phase:
        case Phase.IDLE | Phase.BETTING if stage.table.shuffler.doubt:
            give_order(stage, "DeckChanged", person="supervisor", role="supervisor")
        case Phase.IDLE:
            press_key(stage, "open")
        case Phase.BETTING:
            press_key(stage, "no more bets")
        case Phase.DEALING:
            _deal(stage, _FIRST_CARDS if target == Phase.DEALING else len(stage.missing_targets()))
        case Phase.DECIDING | Phase.REVEALING if is_due(stage.table):
            press_key(stage, "seat 3")
        case Phase.DECIDING if settle.undecided_seats(stage.table):
            press_key(stage, "play")
            for seat in settle.undecided_seats(stage.table):
                press_key(stage, f"seat {seat}")
        case Phase.DECIDING:
            press_key(stage, "reveal")
        case Phase.REVEALING if not settle.round_of(stage.table).revealed:
            press_key(stage, "reveal")
        case Phase.REVEALING | Phase.PAYING | Phase.VOIDING:
            press_key(stage, "settle")
        case Phase.LOCKING | Phase.SETTLING:
            stage.advance(100)
        case phase:
            raise StoryError(f"plain play does not lead on from {phase}")


def _deal(stage: StoryStage, number: int) -> None:
    cards = [*stage.deck, *stage.rest_of_deck(set(stage.deck))][:number]
    stage.deck = stage.deck[number:]
    stage.deal_on(tuple(cards))
