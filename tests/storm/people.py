"""Dealers, players, supervisors and technicians of one table on a stormy evening. They mostly do the right thing next.
Sometimes they press twice, in the wrong order or too early, or they reach in late. Each act yields how many
milliseconds it takes."""

from __future__ import annotations

import random
from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from felt.nouns.cards import DECK, Card
from felt.nouns.ids import spot_of
from felt.rules import shelf
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CONTINUE, RETURN
from felt.rules.reported import rows_with_a_share
from felt.table import inventory, maintenance, settle
from felt.table.deck import FLOODS
from felt.table.misdeals import MISDEAL_MODE
from felt.table.questions import SEAT
from felt.table.state import Phase, Question, Round, ServiceState, Table
from tests.storm.blunders import Blunders

if TYPE_CHECKING:
    from tests.storm.place import Place

AROUND_THE_LOCK_MS = (-70, -25, -12, -6, -3, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 25, 70, 140, 300)
ROYAL = ("A", "K", "Q", "J", "T")
TWO_STRAIGHTS = ("7", "6", "5", "9", "8", "Q", "J", "T")  # a hand, the shared cards, another hand
SECOND_THOUGHTS = 0.06
LOOKS_AT_THE_FILM = 0.1  # a supervisor, before he confirms a jackpot: long enough to lose the link
PATIENCE = 6  # after so many acts without effect a dealer tries another way
Waits = Generator[float, None, None]


class Dark(Exception):
    """The table is off, so there is nothing to see."""


class People(Blunders):
    def __init__(self, place: Place, chance: random.Random, *, mistakes: bool) -> None:
        self._place = place
        self._chance = chance
        self._mistakes = chance.choice((0.02, 0.08, 0.2)) if mistakes else 0.0
        self._royals = chance.choice((0.3, 0.6, 0.9))
        self._slow = chance.choice((0.5, 1.0, 1.0, 2.0))  # supervisors
        wagers = [wager for wager in shelf.rulebook(place.config.game.id).wagers if not wager.after_cards]
        self._sensed = [wager.name for wager in wagers if wager.name in place.config.board.sensed]
        self._main = self._sensed[0]
        self._coin = next((wager.name for wager in wagers if wager.coin_spot), "")
        self._hands = tuple(rows_with_a_share(shelf.rulebook(place.config.game.id)))
        self._dealt_round = self._placed_round = 0
        self._waited = 0
        self._royal_seat = 0
        self.calm = False  # the storm is over: everybody does what the table asks, and no new round begins
        self.encore = 0  # rounds left to play

    def evening(self) -> Waits:
        while True:
            try:
                yield from self._act()
                yield self._chance.uniform(5, 60)
            except Dark:
                yield 150

    def _act(self) -> Waits:
        if self.calm and self._has_played() and not self._table().irregularity.questions:
            yield 200
        elif self._mistakes and not self.calm and self._chance.random() < self._mistakes:
            yield from self._blunder()
        else:
            yield from self._next_right_thing()

    def _has_played(self) -> bool:
        return self._table().phase is Phase.IDLE and self._table().tally.rounds >= self.encore

    def _table(self) -> Table:
        if self._place.running is None:
            raise Dark
        return self._place.running.loop.table

    def _order(self, kind: str, **fields: Any) -> Generator[float, None, str]:
        """The reply, or `lost` if the power failed before it came."""
        replies: list[str] = []
        self._place.order(kind, fields, replies.append)
        for _ in range(3):
            yield 20
            if replies:
                return replies[0]
        return "lost"

    def _next_right_thing(self) -> Waits:
        table, service = self._table(), self._table().service
        if service.state is ServiceState.TEST:
            if self._wanders(0.7):
                yield from self._blunder()
            else:
                yield from self._order("TestModeLeft", person="technician")
        elif service.state is ServiceState.OUT_OF_SERVICE and self._may(0.4):
            yield from self._clear_faults()
            yield from self._order("BackInServiceOrdered", person="supervisor")
        elif table.irregularity.questions and self._may(0.5 / self._slow):
            yield from self._rule(self._chance.choice(table.irregularity.questions))
        elif service.faults and self._chance.random() < 0.2:
            yield from self._clear_faults()
        elif table.barred and table.phase is Phase.IDLE and self._may(0.2):
            yield from self._order("SeatBarred", seat=table.barred[0], out=False, person="supervisor")
        elif table.progressive_off and table.phase is Phase.IDLE and self._may(0.2):
            yield from self._order("ProgressiveSwitched", off=False, person="supervisor", reason="mended")
        elif table.panel.mode == MISDEAL_MODE and self._may(0.5):
            yield from self._press("other")  # withdrawn: nothing is declared
        elif self._deck_is_unfit(table) and self._may(0.3):
            self._place.device.load(self._chance.sample(DECK, len(DECK)))
            self._place.hurry()
            yield 300
            yield from self._order("DeckChanged", person="supervisor", role="supervisor")
        else:
            yield from self._next_key(table)

    def _deck_is_unfit(self, table: Table) -> bool:
        if table.phase is Phase.BETTING:
            return bool(table.shuffler.doubt or inventory.too_few_cards(table))
        return table.phase is Phase.IDLE and bool(inventory.unfit_deck(table))

    def _may(self, chance: float) -> bool:
        return self.calm or self._chance.random() < chance

    def _wanders(self, chance: float) -> bool:
        """Whether the person does something other than the next right thing."""
        return bool(self._mistakes) and not self.calm and self._chance.random() < chance

    # --- supervisors and technicians -----------------------------------------------------------------

    def _clear_faults(self) -> Waits:
        for fault in self._table().service.faults:
            if fault.code in maintenance.LAMP_FAULTS.values():
                continue  # it clears without a person
            yield from self._mend(fault.code, fault.where)
            yield from self._order("FaultCleared", code=fault.code, where=fault.where, person="technician")

    def _mend(self, code: str, where: str) -> Waits:
        """Some faults may be cleared only after a successful test."""
        place = self._place
        if code == maintenance.DOOR_OPEN and place.board.level_of("key.door"):
            place.turn_switch("door")
            yield 100
        if code in maintenance.TESTED:
            place.unstick(where)
            for after_ms in (0, 200):
                place.hours.after(after_ms, partial(self._turn_over, where))
            yield 400

    def _rule(self, question: Question) -> Waits:
        lot = 1.0 if self.calm else self._chance.random()
        choice = question.proposal
        if question.players:
            yield from self._let_choose(question)
            return
        if lot < 0.5 and CONTINUE in question.options:
            choice = CONTINUE
        elif lot < 0.7 or choice not in question.options:
            choice = self._chance.choice(question.options)
        playing = self._table().round
        if playing is not None and choice in (SEAT, RETURN):
            ruled = self._place.seated if choice == SEAT else self._place.handed_back
            ruled.add((playing.number, question.where))
        role = "supervisor" if not self.calm and self._chance.random() < 0.5 else "shift_manager"
        said = {"person": role, "reason": "seen on camera", "role": role}
        yield from self._order("RulingMade", question=question.id, choice=choice, **said)

    def _let_choose(self, question: Question) -> Waits:
        choice = self._chance.choice(question.options)
        yield from self._order(
            "PlayerChose", question=question.id, seat=question.players[0], choice=choice, person="supervisor"
        )

    def _judge_claim(self) -> Waits:
        claim = settle.claim_in_hand(self._table())
        if claim is None:
            yield 20
        elif not self.calm and self._chance.random() < 0.25:
            said = {"person": "supervisor", "reason": "cards were touched"}
            hand = self._chance.choice(("misread", "stands"))
            yield from self._order("ClaimDenied", claim=claim.claim, hand=hand, **said)
        else:
            yield from self._order("ClaimConfirmed", claim=claim.claim, person="supervisor")

    def _second_thoughts(self, playing: Round) -> Waits:
        """After the result, a person reports a jackpot hand that the table did not find, or an invalid hand."""
        boxes = [one.seat for one in settle.contributions(playing)] or [1]
        seat = self._chance.choice(boxes)
        said = {"evidence": "it lies there", "person": "Kim", "role": "dealer"}
        if self._hands and self._chance.random() < 0.6:
            hand = self._chance.choice(self._hands)
            yield from self._order("HitReported", seat=seat, hand=hand, **said)
        else:
            yield from self._order("IrregularityDeclared", mishap=Mishap.WRONG_COUNT.value, where=str(seat), **said)

    def _void(self, reason: str) -> Waits:
        yield from self._order("VoidOrdered", person="supervisor", reason=reason)

    # --- the dealer ----------------------------------------------------------------------------------

    def _next_key(self, table: Table) -> Waits:
        match table.phase:
            case Phase.CLOSED:
                yield from self._while_closed()
            case Phase.IDLE:
                yield from self._between_rounds()
            case Phase.BETTING:
                yield from self._take_bets(table)
            case Phase.DEALING:
                yield from self._deal(table)
            case Phase.DECIDING:
                yield from self._decide(table)
            case Phase.REVEALING:
                yield from self._reveal(table)
            case Phase.SETTLING | Phase.VERIFYING | Phase.PAYING if self._wanders(SECOND_THOUGHTS):
                yield from self._second_thoughts(settle.round_of(table))
            case Phase.SETTLING | Phase.VERIFYING:
                yield from self._verify(table)
            case Phase.PAYING | Phase.VOIDING:
                yield from self._press("settle")
            case _:
                yield from self._dither()

    def _while_closed(self) -> Waits:
        if self._wanders(0.1):
            yield from self._service_work()
        elif self._wanders(0.6):
            yield from self._blunder()
        else:
            yield from self._order("TableOpened", person="supervisor")

    def _verify(self, table: Table) -> Waits:
        if self._wanders(0.08):
            yield from self._overreach(modest=True)
        elif not self.calm and self._chance.random() < LOOKS_AT_THE_FILM:
            yield self._chance.uniform(4_000, 9_000)
        elif self._may(0.6 / self._slow):
            yield from self._judge_claim()
        yield 60

    def _press(self, key: str) -> Waits:
        self._place.press_key(key, self._chance.uniform(0, 30), self._chance.uniform(32, 90))
        if self._chance.random() < 0.05:
            self._place.press_key(key, self._chance.uniform(100, 250), self._chance.uniform(5, 60))
        yield 130

    def _between_rounds(self) -> Waits:
        if self._wanders(0.02):
            yield from self._order("TableClosed", person="supervisor")
            return
        if self.calm or self._chance.random() < 0.6:
            for spot in list(self._place.acts):
                self._place.move_chip(spot, False, self._chance.uniform(0, 60))
        if self.calm:
            yield 2_000
            if any(fault.code == FLOODS for fault in self._table().service.faults):
                return  # the table still ignores the shuffler: cards dealt now arrive late and void the round
        yield self._chance.uniform(60, 200)
        yield from self._press("open")

    def _take_bets(self, table: Table) -> Waits:
        number = settle.round_of(table).number
        invited, self._placed_round = self._placed_round == number, number
        if (invited and self._may(0.4)) or (self.calm and number != self.encore):
            yield from self._call_no_more_bets()
            return
        if self.calm:
            for spot in (spot_of(1, self._main), *((spot_of(1, self._coin),) if self._coin else ())):
                self._place.move_chip(spot, True)
            yield 200
            return
        for seat in range(1, self._place.seats + 1):
            if self._chance.random() < (0.3 if invited else 0.95):
                self._bet(seat)
        yield self._chance.uniform(40, 120)
        if self._chance.random() < 0.1:
            amount = self._chance.choice((None, 500, 2500))
            spot = spot_of(self._chance.randrange(1, self._place.seats + 1), self._main)
            yield from self._order("BetKeyed", spot=spot, amount_minor=amount, person="dealer")

    def _bet(self, seat: int) -> None:
        for kind in self._sensed:
            often = 0.9 if kind == self._main else 0.85 if kind == self._coin else 0.25
            if self._chance.random() < often:
                after_ms = self._chance.uniform(0, 80)
                present = self._chance.random() < 0.93
                self._place.move_chip(spot_of(seat, kind), present, after_ms, self._chance.choice((0, 0, 0, 1, 3)))

    def _any_spot(self) -> str:
        kind = self._chance.choice((self._coin or self._main, self._coin or self._main, self._main, self._sensed[-1]))
        return spot_of(self._chance.randrange(1, self._place.seats + 1), kind)

    def _call_no_more_bets(self) -> Waits:
        press_ms = 160.0
        if not self.calm and self._mistakes:
            for _ in range(self._chance.choice((0, 2, 4, 6))):
                after_ms = press_ms + self._chance.choice(AROUND_THE_LOCK_MS)
                on = self._chance.random() < 0.7
                self._place.move_chip(self._any_spot(), on, after_ms, self._chance.choice((0, 0, 2)))
        self._place.press_key("no_more_bets", press_ms, self._chance.uniform(32, 90))
        if self._wanders(0.05):
            yield press_ms + self._chance.uniform(20, 70)  # while the lock drains
            yield from self._overreach(modest=True)
            press_ms = 0.0
        yield press_ms + self._chance.uniform(160, 300)

    def _deal(self, table: Table) -> Waits:
        playing = settle.round_of(table)
        if self._dealt_round != playing.number:
            self._dealt_round, self._waited = playing.number, 0
            self._rig(playing.plan)
            self._place.tell(f"deals for {sorted(set(playing.plan))}")
            self._dispense(playing.plan)
        elif not playing.seen and self._chance.random() < 0.3:
            yield from self._press("cards_seen")
        elif self._coin and not playing.collected and self._chance.random() < 0.3:
            yield from self._press("collect")
        else:
            self._waited += 1
            told = not self._place.device.unheard()
            if told and not self.calm and self._waited > PATIENCE // 2 and self._chance.random() < 0.3:
                self._draw_the_rest(playing)
            elif self._waited > PATIENCE and self._may(0.2):
                yield from self._void("the deal did not complete")
        yield self._chance.uniform(5, 120)

    def _draw_the_rest(self, playing: Round) -> None:
        """A dealer who believes that the table knows every card and that the deal is incomplete."""
        waited_for = len(playing.plan) - len(playing.dealt)
        self._place.tell(f"draws {waited_for} more cards")
        self._place.device.dispense(1, waited_for, goes_on=True)
        self._place.hurry()

    def _dispense(self, plan: tuple[str, ...]) -> None:
        in_sets = len(plan) % 3 == 0 and all(len(set(plan[at : at + 3])) <= 2 for at in range(0, len(plan), 3))
        if in_sets:
            self._place.device.dispense(len(plan) // 3, 3)
        else:
            self._place.device.dispense(len(plan), 1)
        self._place.hurry()

    def _rig(self, plan: tuple[str, ...]) -> None:
        """Rigs the deck with a royal flush: three cards for a box, two for the community or the dealer. Or with two
        straight flushes that share those two."""
        self._royal_seat = 0
        boxes = sorted({target for target in plan if target.isdigit()})
        if not boxes or self._chance.random() >= self._royals:
            return
        suit = self._chance.choice("sshdc")
        royal = [Card(rank + suit) for rank in ROYAL]
        lucky = self._chance.choice(boxes)
        places = [place for place, target in enumerate(plan) if target == lucky]
        shared = "community" if "community" in plan else "dealer"
        places += [place for place, target in enumerate(plan) if target == shared][:2]
        if len(boxes) > 1 and self._chance.random() < 0.2:
            royal = [Card(rank + suit) for rank in TWO_STRAIGHTS]
            twin = self._chance.choice([box for box in boxes if box != lucky])
            places += [place for place, target in enumerate(plan) if target == twin]
        elif self._chance.random() < 0.6:  # ace, king and queen in one hand are an award in every game
            self._chance.shuffle(royal)
        if len(places) != len(royal):
            return  # a hand was set aside meanwhile, so a box does not have three cards
        deck = self._chance.sample([card for card in DECK if card not in royal], len(DECK) - len(royal))
        for place, card in sorted(zip(places, royal, strict=True)):
            deck.insert(place, card)
        self._royal_seat = int(lucky)
        self._place.device.rig(deck)

    def _discard(self, table: Table) -> Waits:
        """Declares by box keys while no mode is lit. A rigged royal needs the first two boxes."""
        assert table.settings is not None
        place = 3 if self._royal_seat else self._chance.randint(1, 3)
        if self._chance.random() < 0.2 or place > table.settings.seats:
            yield from self._order("DiscardSaid", place=place, person="dealer")
        else:
            yield from self._press("other" if table.panel.mode else f"seat_{place}")

    def _decide(self, table: Table) -> Waits:
        if _lacks_discard(table):
            yield from self._discard(table)
            return
        undecided = settle.undecided_seats(table)
        if not settle.round_of(table).seen and self._chance.random() < 0.5:
            yield from self._press("cards_seen")
        elif not undecided:
            yield from self._press("reveal")
        else:
            seat = undecided[0]
            folds = seat != self._royal_seat and self._chance.random() < 0.3
            mode = "fold" if folds else "play"
            if table.panel.mode != mode:
                yield from self._press(mode)
            yield from self._press(f"seat_{seat}")

    def _reveal(self, table: Table) -> Waits:
        playing = settle.round_of(table)
        if _lacks_discard(table):
            yield from self._discard(table)
        elif playing.revealed and any(not one.card for one in playing.dealt):
            left = [card for card in DECK if all(card != one.card for one in playing.dealt)]
            who = {"person": "supervisor", "role": "supervisor"}
            yield from self._order("CardKeyed", card=self._chance.choice(left), **who)
        elif not playing.seen and settle.hands_are_examined(table) and self._chance.random() < 0.5:
            yield from self._press("cards_seen")
        else:
            yield from self._press("settle" if playing.revealed else "reveal")

    def _dither(self) -> Waits:
        """Waits. Idle hands play with chips."""
        if not self.calm and self._mistakes and self._chance.random() < 0.3:
            spot, after_ms = self._any_spot(), 0.0
            for _ in range(self._chance.randrange(2, 14)):
                after_ms += self._chance.uniform(45, 70)
                self._place.hours.after(after_ms, partial(self._turn_over, spot))
            yield after_ms
        yield self._chance.uniform(20, 300)

    def _turn_over(self, spot: str) -> None:
        self._place.move_chip(spot, not self._place.intended(spot))


def _lacks_discard(table: Table) -> bool:
    """Three community cards are on the felt; one must be discarded."""
    playing = settle.round_of(table)
    return "discard" in playing.plan and not playing.discarded and not playing.revealed
