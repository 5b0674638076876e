"""Dealers, players and supervisors of a stormy evening. They look at the table as people do, mostly do the right
thing next, and now and then press twice, in the wrong order, too early, or reach in late."""

from __future__ import annotations

import random
from functools import partial

from felt.nouns.cards import DECK, Card
from felt.nouns.ids import spot_of
from felt.table import diagnosis, settle
from felt.table.irregular.parts import CONTINUE, SEAT
from felt.table.state import Phase, Question, ServiceState, Table
from felt.table.views import KEYS, SWITCHES
from tests.storm.world import World

AROUND_THE_LOCK_MS = (-70, -25, -12, -6, -3, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 25, 70, 140, 300)
ROYAL = ("A", "K", "Q", "J", "T")
PATIENCE = 6  # acts without an effect before a dealer tries another way


class People:
    def __init__(self, world: World, chance: random.Random) -> None:
        self._world = world
        self._chance = chance
        self._mistakes = chance.choice((0.02, 0.08, 0.2))
        self._royals = chance.choice((0.3, 0.6, 0.9))
        self._dealt_round = self._placed_round = 0
        self._waited = 0
        self._royal_seat = 0

    def act(self) -> None:
        """One thing that somebody does."""
        if self._chance.random() < self._mistakes:
            self._blunder()
        else:
            self.next_right_thing()

    def next_right_thing(self, calm: bool = False) -> None:
        table = self._world.table
        if table.service.state is ServiceState.OUT_OF_SERVICE and self._may(calm, 0.4):
            self._bring_back(table)
        elif table.irregularity.questions and self._may(calm, 0.5):
            self._rule(table, calm)
        elif table.service.faults and self._may(calm, 0.2):
            self._clear_faults(table)
        elif table.barred and table.phase is Phase.IDLE and self._may(calm, 0.2):
            self._world.order("SeatBarred", seat=table.barred[0], out=False, person="supervisor")
        else:
            self._next_key(table, calm)

    def _may(self, calm: bool, chance: float) -> bool:
        return calm or self._chance.random() < chance

    # --- the supervisor ------------------------------------------------------------------------------

    def _bring_back(self, table: Table) -> None:
        self._clear_faults(table)
        self._world.order("BackInServiceOrdered", person="supervisor")

    def _clear_faults(self, table: Table) -> None:
        for fault in table.service.faults:
            self._mend(fault.code, fault.where)
            self._world.order("FaultCleared", code=fault.code, where=fault.where, person="technician")

    def _mend(self, code: str, where: str) -> None:
        """Some faults are cleared only when what they are about tests good."""
        if code == diagnosis.DOOR_OPEN and self._world.board.levels()["key.door"]:
            self._world.turn_switch("door")
            self._world.advance(100)
        if code in diagnosis.TESTED:
            for after_ms in (0, 200):
                self._world.at(after_ms, partial(self._turn_over, where))
            self._world.advance(400)

    def _rule(self, table: Table, calm: bool) -> None:
        question: Question = self._chance.choice(table.irregularity.questions)
        lot = 1.0 if calm else self._chance.random()
        choice = question.proposal
        if lot < 0.5 and CONTINUE in question.options:
            choice = CONTINUE
        elif lot < 0.7:
            choice = self._chance.choice(question.options)
        if choice == SEAT and table.round is not None:
            self._world.seated.add((table.round.number, question.where))
        fields = {"question": question.id, "choice": choice, "person": "supervisor", "reason": "seen on camera"}
        self._world.order("RulingMade", **fields)

    def _judge_claim(self, table: Table, calm: bool) -> None:
        claim = settle.claim_in_hand(table)
        if claim is None:
            return
        if not calm and self._chance.random() < 0.25:
            self._world.order("ClaimDenied", claim=claim.claim, person="supervisor", reason="cards were touched")
        else:
            self._world.order("ClaimConfirmed", claim=claim.claim, person="supervisor")

    def _void(self, reason: str) -> None:
        self._world.order("VoidOrdered", person="supervisor", reason=reason)

    # --- the dealer ----------------------------------------------------------------------------------

    def _next_key(self, table: Table, calm: bool) -> None:
        match table.phase:
            case Phase.CLOSED:
                self._world.order("TableOpened", person="supervisor")
            case Phase.IDLE:
                self._between_rounds()
            case Phase.BETTING:
                self._take_bets(table, calm)
            case Phase.DEALING:
                self._deal(table, calm)
            case Phase.DECIDING:
                self._decide(table)
            case Phase.REVEALING:
                self._press("settle" if settle.round_of(table).revealed else "reveal")
            case Phase.SETTLING | Phase.VERIFYING:
                if self._may(calm, 0.6):
                    self._judge_claim(table, calm)
            case Phase.PAYING | Phase.VOIDING:
                self._press("settle")
            case _:
                self._dither(calm)

    def _press(self, key: str) -> None:
        self._world.press_key(key, self._chance.uniform(0, 30), self._chance.uniform(32, 90))
        if self._chance.random() < 0.05:
            self._world.press_key(key, self._chance.uniform(100, 250), self._chance.uniform(5, 60))
        self._world.advance(130)

    def _between_rounds(self) -> None:
        if self._chance.random() < 0.6:
            for spot in list(self._world.acts):
                self._world.move_chip(spot, False, self._chance.uniform(0, 60))
        self._world.advance(self._chance.uniform(60, 200))
        self._press("open")

    def _take_bets(self, table: Table, calm: bool) -> None:
        number = settle.round_of(table).number
        invited, self._placed_round = self._placed_round == number, number
        if calm or (invited and self._chance.random() < 0.4):
            self._call_no_more_bets(calm)
            return
        for seat in range(1, self._world.seats + 1):
            if self._chance.random() < (0.3 if invited else 0.85):
                self._place(seat)
        if self._chance.random() < 0.1:
            amount = self._chance.choice((None, 500, 2500))
            spot = spot_of(self._chance.randrange(1, self._world.seats + 1), "ante")
            self._world.order("BetKeyed", spot=spot, amount_minor=amount, person="dealer")

    def _place(self, seat: int) -> None:
        for kind, chance in (("ante", 0.9), ("progressive", 0.85), ("pair_plus", 0.3)):
            if self._chance.random() < chance:
                after_ms = self._chance.uniform(0, 80)
                present = self._chance.random() < 0.93
                self._world.move_chip(spot_of(seat, kind), present, after_ms, self._chance.choice((0, 0, 1, 3)))

    def _call_no_more_bets(self, calm: bool) -> None:
        press_ms = 160.0
        if not calm:
            for _ in range(self._chance.choice((0, 2, 4, 6))):
                kind = self._chance.choice(("progressive", "progressive", "ante"))
                spot = spot_of(self._chance.randrange(1, self._world.seats + 1), kind)
                after_ms = press_ms + self._chance.choice(AROUND_THE_LOCK_MS)
                self._world.move_chip(spot, self._chance.random() < 0.7, after_ms, self._chance.choice((0, 0, 2)))
        self._world.press_key("no_more_bets", press_ms, self._chance.uniform(32, 90))
        self._world.advance(press_ms + self._chance.uniform(60, 400))

    def _deal(self, table: Table, calm: bool) -> None:
        playing = settle.round_of(table)
        if self._dealt_round != playing.number:
            self._dealt_round, self._waited = playing.number, 0
            self._rig(playing.plan)
            self._world.tell(f"deals for {sorted(set(playing.plan))}")
            if "burn" in playing.plan:
                self._world.device.dispense(len(playing.plan), 1)
            else:
                self._world.device.dispense(len(playing.plan) // 3, 3)
        elif not playing.seen and self._chance.random() < 0.3:
            self._press("cards_seen")
        elif not playing.collected and self._chance.random() < 0.3:
            self._press("collect")
        else:
            self._waited += 1
            if self._waited > PATIENCE and (calm or self._chance.random() < 0.2):
                self._void("the deal did not complete")
        self._world.advance(self._chance.uniform(5, 120))

    def _rig(self, plan: tuple[str, ...]) -> None:
        """Put a royal flush into the deck: three cards for a box, two for the dealer."""
        self._royal_seat = 0
        boxes = sorted({target for target in plan if target.isdigit()})
        if not boxes or self._chance.random() >= self._royals:
            return
        suit, lucky = self._chance.choice("sshdc"), self._chance.choice(boxes)
        royal = [Card(rank + suit) for rank in ROYAL]
        self._chance.shuffle(royal)
        deck = self._chance.sample([card for card in DECK if card not in royal], len(DECK) - len(royal))
        places = [place for place, target in enumerate(plan) if target == lucky]
        places += [place for place, target in enumerate(plan) if target == "dealer"][:2]
        for place, card in sorted(zip(places, royal, strict=True)):
            deck.insert(place, card)
        self._royal_seat = int(lucky)
        self._world.device.rig(deck)

    def _decide(self, table: Table) -> None:
        undecided = settle.undecided_seats(table)
        if not settle.round_of(table).seen and self._chance.random() < 0.5:
            self._press("cards_seen")
        elif not undecided:
            self._press("reveal")
        else:
            seat = undecided[0]
            folds = seat != self._royal_seat and self._chance.random() < 0.3
            mode = "fold" if folds else "play"
            if table.panel.mode != mode:
                self._press(mode)
            self._press(f"seat_{seat}")

    def _dither(self, calm: bool) -> None:
        """Nothing to do but wait; hands that wait play with chips."""
        if not calm and self._chance.random() < 0.3:
            kind = self._chance.choice(("progressive", "ante"))
            spot = spot_of(self._chance.randrange(1, self._world.seats + 1), kind)
            after_ms = 0.0
            for _ in range(self._chance.randrange(2, 14)):
                after_ms += self._chance.uniform(45, 70)
                self._world.at(after_ms, partial(self._turn_over, spot))
            self._world.advance(after_ms)
        self._world.advance(self._chance.uniform(20, 300))

    def _turn_over(self, spot: str) -> None:
        self._world.move_chip(spot, not self._world.intended(spot))

    # --- blunders ------------------------------------------------------------------------------------

    def _blunder(self) -> None:
        world, chance = self._world, self._chance
        match chance.randrange(18):
            case 0 | 1 | 9 | 10:
                world.press_key(chance.choice(KEYS), chance.uniform(0, 50), chance.uniform(3, 90))
            case 2:
                for key in chance.sample(KEYS, 3):
                    world.press_key(key, chance.uniform(0, 100), chance.uniform(20, 60))
            case 3:
                world.press_key(f"seat_{chance.randrange(1, world.seats + 1)}", 0, 60)
            case 4 | 5 | 11 | 12 | 13:
                self._reach_in()
            case 6:
                sets = chance.randrange(1, 4)
                world.tell(f"deals {sets} hands out of turn")
                world.device.dispense(sets, chance.choice((1, 3)))
            case 7 | 14 | 15:
                self._overreach()
            case 8:
                self._void("by mistake")
            case 16:
                self._play_with_modes()
            case 17:
                world.turn_switch(chance.choice(SWITCHES))
        world.advance(chance.uniform(5, 200))

    def _play_with_modes(self) -> None:
        """OTHER a few times, then boxes."""
        for _ in range(self._chance.randrange(1, 6)):
            self._press("other")
        for _ in range(self._chance.randrange(4)):
            self._press(f"seat_{self._chance.randrange(1, self._world.seats + 1)}")

    def _reach_in(self) -> None:
        kind = self._chance.choice(("progressive", "progressive", "ante", "pair_plus"))
        spot = spot_of(self._chance.randrange(1, self._world.seats + 1), kind)
        present = not self._world.intended(spot)
        self._world.move_chip(spot, present, 0, self._chance.choice((0, 2)))
        if self._chance.random() < 0.5:
            self._world.move_chip(spot, not present, self._chance.uniform(5, 200))

    def _overreach(self) -> None:
        """Orders that nobody should give now."""
        order, seat = self._world.order, self._chance.randrange(1, self._world.seats + 1)
        match self._chance.randrange(14):
            case 0 | 1:
                order("TableClosed", person="supervisor")
            case 2:
                order("TableOpened", person="supervisor")
            case 3:
                order("OutOfServiceOrdered", person="technician", reason="sounds odd")
            case 4:
                order("ClaimConfirmed", claim=f"1.{seat}", person="supervisor")
            case 5:
                order("ClaimDenied", claim=f"1.{seat}", person="supervisor", reason="")
            case 6:
                order("RulingMade", question="q1", choice="void", person="supervisor", reason="")
            case 7:
                order("FaultCleared", code="F-101", where=f"{seat}.ante", person="technician")
            case 8:
                order("BackInServiceOrdered", person="supervisor")
            case 9:
                amount = self._chance.choice((-1, 2500))
                order("BetKeyed", spot=spot_of(seat, "ante"), amount_minor=amount, person="dealer")
            case 10:
                order("BetUnkeyed", spot=spot_of(seat, "pair_plus"), person="dealer")
            case _:
                self._change_the_house(seat)

    def _change_the_house(self, seat: int) -> None:
        match self._chance.randrange(3):
            case 0:
                self._world.order("BetsReturned", seat=seat, person="supervisor")
            case 1:
                out = self._chance.random() < 0.4
                self._world.order("SeatBarred", seat=seat, out=out, person="supervisor")
            case 2:
                self._world.order("DealerSignedIn", name=self._chance.choice(("", "Kim")), person="Kim")
