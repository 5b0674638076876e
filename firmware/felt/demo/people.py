"""Automatic players: players who bet and decide, a dealer who presses lit keys, a supervisor who accepts proposals.
Each action waits for what the table shows, never for a fixed time."""

from __future__ import annotations

from felt.demo.stage import DemoStage
from felt.nouns.cards import INDEX_OF, Card, parse_cards
from felt.rules import hands, shelf
from felt.table import discards, settle
from felt.table.state import Phase, Question

SUPERVISOR = "demo supervisor"
BETTING_MS = 60
BORDERLINE = parse_cards("Qs 6h 4d")
THIRD_BET_CHANCE = 3  # one box in three stays empty


class People:
    def __init__(self, stage: DemoStage, pause_ms: int, result_ms: int) -> None:
        self._stage = stage
        self._pause_ms = pause_ms  # between one act and the next, for people who watch
        self._result_ms = result_ms  # before a result is taken away
        self._dealt_round = 0
        self._bet_round = 0

    def play(self) -> None:
        """Looks at the table once and acts."""
        stage = self._stage
        if stage.busy():
            return
        if stage.table.irregularity.questions:
            self._answer(stage, stage.table.irregularity.questions[0])
            return
        act = _ACTS.get(stage.table.phase)
        if act is not None:
            act(self, stage)

    def _answer(self, stage: DemoStage, asked: Question) -> None:
        if asked.players:
            stage.order(
                "PlayerChose", question=asked.id, seat=asked.players[0], choice=asked.proposal, person=SUPERVISOR
            )
            return
        choice = asked.proposal or asked.options[0]
        stage.order("RulingMade", question=asked.id, choice=choice, person=SUPERVISOR, reason="as proposed")

    # --- one action for each phase ---------------------------------------------------------------------

    def _open_table(self, stage: DemoStage) -> None:
        stage.order("TableOpened", person=SUPERVISOR)

    def _open_round(self, stage: DemoStage) -> None:
        stage.clear_chips()
        stage.press("open", self._pause_ms)

    def _bet(self, stage: DemoStage) -> None:
        playing = stage.table.round
        if playing is None:
            return
        if self._bet_round == playing.number:
            stage.press("no_more_bets", self._pause_ms)  # the first press was not recognised
            return
        self._bet_round = playing.number
        for spot in self._wanted_spots(stage):
            self._place(stage, spot, stage.chance.randrange(BETTING_MS))
        # Chips must settle before anybody looks at them.
        looked_ms = BETTING_MS + 2 * stage.config.board.settle_ms + 20
        stage.after(looked_ms, lambda: self._say_amounts(stage))
        stage.press("no_more_bets", looked_ms + 20 + self._pause_ms)

    def _place(self, stage: DemoStage, spot: str, delay_ms: int) -> None:
        """Places a chip on a sensed spot; on other spots somebody keys the bet."""
        if spot.partition(".")[2] in stage.config.board.sensed:
            stage.chip(spot, True, delay_ms)
        else:
            keyed = {"spot": spot, "amount_minor": None, "person": SUPERVISOR}
            stage.after(delay_ms, lambda: stage.order("BetKeyed", **keyed))

    def _wanted_spots(self, stage: DemoStage) -> list[str]:
        book = shelf.rulebook(stage.config.game.id)
        sensed = stage.config.board.sensed
        base = next(wager.name for wager in book.wagers if not wager.needs and not wager.after_cards)
        others = [wager.name for wager in book.wagers if wager.name != base and wager.name in sensed]
        seats = range(1, stage.config.table.seats + 1)
        boxes = [seat for seat in seats if stage.chance.randrange(THIRD_BET_CHANCE)] or [1]
        spots = [f"{seat}.{base}" for seat in boxes]
        return spots + [f"{seat}.{kind}" for seat in boxes for kind in others if stage.chance.randrange(3)]

    def _say_amounts(self, stage: DemoStage) -> None:
        """Tells the chips' worth, as another device would read it: any step between the table's limits."""
        limits = stage.config.game.limits
        for spot in stage.table.spots:
            kind = spot.spot.partition(".")[2]
            if spot.present and kind in limits:
                step = limits[kind].min
                amount = step * stage.chance.randint(1, max(1, min(8, limits[kind].max // step)))
                stage.order("BetKeyed", spot=spot.spot, amount_minor=amount, person=SUPERVISOR)

    def _deal(self, stage: DemoStage) -> None:
        playing = stage.table.round
        if playing is not None and self._dealt_round != playing.number and stage.shuffler.quiet():
            self._dealt_round = playing.number
            stage.press("collect")
            stage.after(self._pause_ms, lambda: _press_shuffler(stage))
            coin = settle.coin_wager(stage.table.settings) if stage.table.settings else None
            if coin is not None:
                stage.after(3 * stage.config.board.settle_ms + 40, lambda: stage.clear_chips((coin.name,)))

    def _discard(self, stage: DemoStage) -> None:
        """Discards one of three community cards; a table with few boxes has no key for each of them."""
        place = stage.chance.randint(1, len(discards.PLACES))
        if place <= stage.config.table.seats:
            stage.press(f"seat_{place}", self._pause_ms)
        else:
            stage.order("DiscardSaid", place=place, person=SUPERVISOR)

    def _decide(self, stage: DemoStage) -> None:
        playing = stage.table.round
        assert playing is not None
        if discards.is_due(stage.table):
            self._discard(stage)
            return
        if not playing.seen:
            stage.press("cards_seen", self._pause_ms)
            return
        undecided = settle.undecided_seats(stage.table)
        if not undecided:
            stage.press("reveal", self._pause_ms)
            return
        wanted = "play" if _would_play(stage.loop.own_hand(undecided[0])) else "fold"
        if stage.table.panel.mode != wanted:
            stage.press(wanted)
        else:
            stage.press(f"seat_{undecided[0]}", self._pause_ms)

    def _reveal(self, stage: DemoStage) -> None:
        if discards.is_due(stage.table):
            self._discard(stage)
            return
        revealed = stage.table.round is not None and stage.table.round.revealed
        stage.press("settle" if revealed else "reveal", self._pause_ms)

    def _verify(self, stage: DemoStage) -> None:
        claim = settle.claim_in_hand(stage.table)
        if claim is not None:
            stage.order("ClaimConfirmed", claim=claim.claim, person=SUPERVISOR)

    def _end(self, stage: DemoStage) -> None:
        stage.after(self._result_ms, stage.clear_chips)
        stage.press("settle", self._result_ms)


def _press_shuffler(stage: DemoStage) -> None:
    stage.deal()  # its message is for a person at the keyboard


def _would_play(cards: tuple[Card, ...]) -> bool:
    """Queen, six, four or better: the known best strategy for this kind of game."""
    return _rank(cards) >= _rank(BORDERLINE)


def _rank(cards: tuple[Card, ...]) -> int:
    return hands.three_card_rank(*(INDEX_OF[card] for card in cards))


_ACTS = {
    Phase.CLOSED: People._open_table,
    Phase.IDLE: People._open_round,
    Phase.BETTING: People._bet,
    Phase.DEALING: People._deal,
    Phase.DECIDING: People._decide,
    Phase.REVEALING: People._reveal,
    Phase.VERIFYING: People._verify,
    Phase.PAYING: People._end,
    Phase.VOIDING: People._end,
}
