"""Whatever messages a shuffler loses, and whoever restarts in the middle of a deal: no round is settled with other
cards than those that were dealt."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from felt.config import demo_table
from felt.nouns.cards import DECK
from felt.rules.mishaps import Mishap
from felt.rules.procedure import PROCEDURES
from felt.stories.evening import Evening
from felt.table import inventory
from felt.table.deal import BURN, DISCARD
from felt.table.state import UNREAD, Phase, Question, Round
from tests.loop.losing_devices import LosingDevice, LosingShoe, LosingShuffler

DEALS, FULL_DEALS = 20, 280  # deals of each table: at full size more than 5,000 in all
DEVICES: dict[str, type[LosingShuffler | LosingShoe]] = {"felt-1": LosingShuffler, "simple-shoe": LosingShoe}
TABLES = [
    (model, game, method.name) for model in DEVICES for game, book in PROCEDURES.items() for method in book.methods
]
FIRST_WAGER = {"lucky-three-pictures": "initial"}
OUT_OF_THE_DEAL = (Phase.DECIDING, Phase.REVEALING)
BAD = (Mishap.STRAY_CARD, Mishap.EXCESS_CARD, Mishap.DUPLICATE_CARD, Mishap.FOREIGN_CARD, Mishap.WRONG_DECK_COUNT)
SUPERVISOR = {"person": "Sam", "role": "shift_manager"}


class Night:
    """A table, its device, and people who look at the layout before they say anything."""

    def __init__(self, model: str, game: str, method: str, seed: int) -> None:
        self.chance = random.Random(f"{model} {game} {method} {seed}")
        self.device: LosingDevice = DEVICES[model](self.chance)
        self.one_by_one = PROCEDURES[game].method(method).one_by_one
        overrides = [f"game.dealing={method}", f"shuffler.model={model}"]
        device: Any = self.device  # an evening takes any object that has bytes for it
        self.evening = Evening(seed, overrides, device=device, table_file=demo_table(game))
        self.wager = FIRST_WAGER.get(game, "ante")
        self.layout: list[str] = []  # the cards that have left, in their order
        self.plan: tuple[str, ...] = ()
        self.came: Counter[str] = Counter()
        self.evening.advance(200)
        assert self.order("TableOpened", person="Sam") == ""
        for seat in (1, 2, 3):
            self.evening.chip(f"{seat}.{self.wager}")
        self.evening.advance(200)

    def order(self, kind: str, **fields: Any) -> str:
        return self.evening.order(kind, **fields)

    @property
    def playing(self) -> Round:
        playing = self.evening.table.round
        assert playing is not None
        return playing

    def phase(self) -> Phase:
        return self.evening.table.phase

    # --- a round -------------------------------------------------------------------------------------

    def play(self) -> None:
        if not self.lock():
            return
        self.deal()
        if self.chance.random() < 0.1:
            self.void()  # whatever the device still has to say, it says in a later round
            return
        self.evening.link.plug()
        trusts_the_table = self.chance.random() < 0.5
        for _ in range(12):
            self.evening.advance(6_000)
            if trusts_the_table:
                self.draw_what_is_waited_for()
            self.look()
            if self.phase() in (*OUT_OF_THE_DEAL, Phase.VOIDING):
                break
        self.end()

    def lock(self) -> bool:
        self.evening.press("open")
        if self.phase() is Phase.IDLE:  # the line is down, or the deck is in doubt
            self.evening.link.plug()
            self.evening.advance(3_000)
            self.order("DeckVerified", **SUPERVISOR)
            self.evening.press("open")
        self.evening.press("no_more_bets")
        self.evening.advance(400)
        assert self.phase() is not Phase.IDLE, self.evening.table.panel.notices[-1]
        if self.phase() is not Phase.DEALING:  # cards of the previous deal came while bets were open
            self.void()
            return False
        self.plan = self.playing.plan
        self.layout = []
        return True

    def deal(self) -> None:
        """The cards leave, and anything can happen in between."""
        chance = self.chance
        self.device.begin_deal()
        rough, lossy = chance.choice((0.0, 0.1, 0.4)), chance.choice((0.0, 0.15, 0.5))
        waiting = chance.sample(DECK, len(self.plan))
        while waiting and self.phase() is not Phase.VOIDING:
            if chance.random() < rough:
                self.happen()
            size = 1 if self.one_by_one or chance.random() < 0.3 else 3
            cards, waiting = waiting[:size], waiting[size:]
            self.layout += cards
            self.device.cards_leave(cards, lost=chance.random() < lossy)
            self.evening.advance(chance.choice((0, 1, 30, 400)))
            if chance.random() < 0.1:
                self.look()

    def draw_what_is_waited_for(self) -> None:
        """A dealer believes that the table has heard of every card and that the deal is not complete, and draws on."""
        while self.phase() is Phase.DEALING and len(self.layout) < len(self.plan) + 9:
            more = self.chance.choice([card for card in DECK if card not in self.layout])
            self.layout.append(more)
            self.device.cards_leave([more], lost=False)
            self.evening.advance(400)

    def happen(self) -> None:
        match self.chance.choice(("device", "forgetful device", "table", "both", "unplug", "plug", "again", "quiet")):
            case "device":
                self.device.restart(forgets=False)
            case "forgetful device":
                self.device.restart(forgets=True)
            case "table":
                self.restart_table()
            case "both":
                self.device.restart(forgets=self.chance.random() < 0.3)
                self.restart_table()
            case "unplug":
                self.evening.link.unplug()
            case "plug":
                self.evening.link.plug()
            case "again":
                self.device.tell_again()
            case "quiet":
                self.evening.advance(7_000)

    def restart_table(self) -> None:
        self.evening.power_cut(self.chance.choice((100, 5_000)))
        self.evening.boot()
        self.evening.advance(self.chance.choice((0, 300)))

    # --- people --------------------------------------------------------------------------------------

    def look(self) -> None:
        """A supervisor answers what is asked once the device has said all that it will say."""
        for _ in range(20):
            questions = self.evening.table.irregularity.questions
            if self.phase() is Phase.VOIDING or not questions or not self.device.has_told_all():
                break
            self.answer(self.chance.choice(questions))
        if self.phase() is Phase.DEALING and self.device.has_told_all():
            self.key_the_next()

    def answer(self, asked: Question) -> None:
        if asked.players:
            choice = self.chance.choice(asked.options)
            self.order("PlayerChose", question=asked.id, seat=asked.players[0], choice=choice, person="Sam")
            return
        choice = self.chance.choice(asked.options)
        if asked.kind == "interruption":
            choice = "void" if self.chance.random() < 0.2 or not self.tell_what_left() else "continue"
        elif asked.mishap in BAD:
            choice = "void" if "void" in asked.options else asked.proposal
        self.came[f"{asked.mishap or asked.kind}: {choice}"] += 1
        self.order("RulingMade", question=asked.id, choice=choice, reason="the layout was counted", **SUPERVISOR)

    def tell_what_left(self) -> bool:
        """Count the layout and key the cards that the table did not hear of. False if that is too much."""
        for _ in range(len(self.plan)):
            playing = self.playing
            at = playing.broken_at
            if at is None or playing.held_from is not Phase.DEALING:
                return True
            missing = len(self.layout) - len(playing.dealt)
            if missing < 0 or len(self.layout) > len(self.plan):
                return False
            unread = self.first_unread()
            place = at if unread is None else unread
            if not missing and unread is None:
                return True
            shifted = unread is not None and place >= at and not playing.dealt[place].ordinal
            true_place = place + missing if shifted else place
            if self.order("CardKeyed", card=self.layout[true_place], **SUPERVISOR):
                return bool(at < len(playing.dealt) and playing.dealt[at].ordinal)
        return True

    def first_unread(self) -> int | None:
        """The place that the table gives the next face to."""
        dealt, awaited = self.playing.dealt, inventory.unread_targets(self.playing)
        unread = [place for place, card in enumerate(dealt) if card.card == UNREAD]
        return next((place for place in unread if dealt[place].target in awaited), unread[0] if unread else None)

    def key_the_next(self) -> None:
        """Cards lie there that the device will never report."""
        while self.phase() is Phase.DEALING and len(self.playing.dealt) < len(self.layout) <= len(self.plan):
            unread = self.first_unread()
            place = len(self.playing.dealt) if unread is None else unread
            if self.order("CardKeyed", card=self.layout[place], **SUPERVISOR):
                return

    def void(self) -> None:
        for _ in range(10):
            if self.phase() is Phase.VOIDING:
                break
            if self.order("VoidOrdered", reason="the deal is not clear", **SUPERVISOR):
                self.answer(self.evening.table.irregularity.questions[0])
        self.evening.press("settle")
        assert self.phase() is Phase.IDLE
        self.came["void"] += 1

    def end(self) -> None:
        if self.phase() not in OUT_OF_THE_DEAL or self.evening.table.irregularity.questions:
            self.void()
            return
        while self.playing.dealt and inventory.unread_targets(self.playing):
            place = self.first_unread()
            assert place is not None
            if self.order("CardKeyed", card=self.layout[place], **SUPERVISOR):
                break
        self.settle()

    def settle(self) -> None:
        if self.phase() is Phase.DECIDING:
            self.evening.press("play")
            for seat in (1, 2, 3):
                self.evening.press(f"seat_{seat}")
        self.evening.press("reveal")
        self.evening.press("settle")
        settled = self.playing
        if settled.settled_at is None:
            self.void()
            return
        self.check(settled)
        self.evening.advance(1_000)
        for claim in settled.claims:
            self.order("ClaimDenied", claim=claim.claim, person="Sam", reason="it is late")
        self.evening.press("settle")
        if self.phase() is not Phase.IDLE:
            self.void()
        self.came["settled"] += 1
        self.came["settled after all went well"] += not settled.findings and not settled.remedied

    def check(self, settled: Round) -> None:
        for place, card in enumerate(settled.dealt):
            needless = card.target in (BURN, DISCARD) or card.target in map(str, settled.returned)
            if not (needless and card.card == UNREAD):
                assert (card.card, card.target) == (self.layout[place], self.plan[place]), place


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("model", "game", "method"), TABLES)
def test_no_round_is_settled_with_other_cards_than_were_dealt(model: str, game: str, method: str, full: bool) -> None:
    night = Night(model, game, method, seed=0)
    for number in range(FULL_DEALS if full else DEALS):
        if number % 40 == 39:
            night = Night(model, game, method, number)
        night.play()


def test_a_shoe_that_knows_its_count_again_in_the_deal_is_asked_about() -> None:
    """The first state reported no count, so cards may have been drawn before the second that nobody heard of."""
    night = Night("simple-shoe", "california-three-card-poker", "card_room", seed=0)
    night.device.restart(forgets=True)
    night.evening.advance(3_000)
    assert night.lock()
    night.device.begin_deal()
    night.device.cards_leave(["2c", "3c", "4c"], lost=True)
    night.evening.advance(2_500)
    night.device.cards_leave(["5c"], lost=False)
    night.evening.advance(100)
    assert [question.kind for question in night.evening.table.irregularity.questions] == ["interruption"]


def test_a_card_that_was_keyed_is_not_missing_when_a_shoe_counts_it() -> None:
    """Counted as missing, it would lie there twice and send every card after it to the wrong hand."""
    night = Night("simple-shoe", "california-three-card-poker", "card_room", seed=0)
    assert night.lock()
    night.device.begin_deal()
    night.evening.advance(5_900)
    night.device.cards_leave(["2c", "3c"], lost=True)
    assert night.order("CardKeyed", card="2c", **SUPERVISOR) == ""
    night.device.cards_leave(["4c", "5c"], lost=False)
    night.evening.advance(3_000)
    assert [card.card for card in night.playing.dealt] == ["2c", UNREAD, "4c", "5c"]
