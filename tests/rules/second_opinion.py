"""A second settlement of every game, written independently, plainly and slowly from the books and the readings. It
ranks hands by trying all fives and counts money bet by bet. Where the two disagree one is wrong."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

Money = tuple[int, int, int]  # returned, lost, paid
Plain = dict[str, Any]
VALUE = {rank: place for place, rank in enumerate("23456789TJQKA", start=2)}
STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, HIGH = 6, 5, 4, 3, 2, 1


def values(cards: list[str]) -> list[int]:
    return sorted((VALUE[card[0]] for card in cards), reverse=True)


def suited(cards: list[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def run_of(cards: list[str], ace_low: bool = True) -> int:
    """The top of a straight, or 0."""
    high_first = values(cards)
    if high_first == list(range(high_first[0], high_first[0] - len(cards), -1)):
        return high_first[0]
    wheel = [14, *range(len(cards), 1, -1)]
    return len(cards) if ace_low and high_first == wheel else 0


def by_count(cards: list[str]) -> list[int]:
    counts = Counter(values(cards))
    return sorted(counts, key=lambda value: (-counts[value], -value))


def three(cards: list[str], ace_low: bool = True) -> tuple[Any, ...]:
    top = run_of(cards, ace_low)
    kinds = sorted(Counter(values(cards)).values(), reverse=True)
    if top:
        return (STRAIGHT_FLUSH if suited(cards) else STRAIGHT, top)
    if kinds == [3]:
        return (TRIPS, *by_count(cards))
    if suited(cards):
        return (FLUSH, *values(cards))
    return (PAIR if kinds == [2, 1] else HIGH, *by_count(cards))


def qualifies(dealer: list[str]) -> bool:
    return three(dealer)[0] > HIGH or values(dealer)[0] >= 12


def five(cards: list[str]) -> tuple[int, str]:
    """Strength and name of exactly five cards."""
    kinds = sorted(Counter(values(cards)).values(), reverse=True)
    top = run_of(cards)
    if top and suited(cards):
        return (9, "royal_flush") if top == 14 else (8, "straight_flush")
    if kinds == [4, 1]:
        return 7, "four_of_a_kind"
    if kinds == [3, 2]:
        return 6, "full_house"
    if suited(cards):
        return 5, "flush"
    if top:
        return 4, "straight"
    return (3, "three_of_a_kind") if kinds[0] == 3 else (0, "nothing")


def best(six: list[str]) -> tuple[str, list[str]]:
    hand = max(combinations(six, 5), key=lambda some: five(list(some))[0])
    return five(list(hand))[1], list(hand)


def won(stake: int, action: int, odds: int) -> Money:
    return stake, 0, action * odds


def lost(stake: int, action: int) -> Money:
    return stake - action, action, 0


def back(stake: int) -> Money:
    return stake, 0, 0


def cut(stake: int, top: int | None) -> int:
    return stake if top is None else min(stake, top)


def share(meter: Fraction, part: Fraction, reading: str) -> int:
    exact = meter * part
    return int(exact + Fraction(1, 2)) if reading == "nearest" else int(exact)


class Opinion:
    """One round: `money` by (seat, player, bet), and the meters after it."""

    def __init__(self, game: str, request: Plain, defaults: dict[str, str]) -> None:
        self.request = request
        self.read = {**defaults, **request.get("readings", {})}
        self.table = request.get("table", {})
        self.progressive = self.table.get("progressive", {})
        self.meters = {name: Fraction(value) for name, value in request.get("meters", {}).items()}
        self.money: dict[tuple[int, str, str], Money] = {}
        self.majors: list[tuple[tuple[int, str, str], str, Fraction]] = []
        self.accepted = 0
        self.royals: list[tuple[int, str, int]] = []
        self.receivers: list[tuple[int, str]] = []
        for box in request["boxes"]:
            self.box = box
            if request.get("void") or box.get("invalidated"):
                self.all_back()
            else:
                getattr(self, "box_of_" + game.replace("-", "_"))(box)
        self.give_envy()
        self.turn_meters()

    # -- small words ------------------------------------------------------------------------------

    def put(self, bet: str, money: Money) -> None:
        self.money[self.box["box"], self.box["player"], bet] = money

    def all_back(self) -> None:
        bettors = self.box.get("bettors") or [self.box]
        for bettor in bettors:
            for bet, stake in bettor["bets"].items():
                if stake:
                    self.money[self.box["box"], bettor["player"], bet] = back(stake)

    def top(self, bet: str) -> int | None:
        maximum: int | None = self.table.get("limits", {}).get(bet, {}).get("max")
        return maximum

    def folds(self, refusal: bool = False) -> bool:
        decision = self.box.get("decision")
        return (
            decision == "fold"
            or (decision == "walk_away" and not self.box["bets"].get("play"))
            or (refusal and decision == "refuse_reveal")
        )

    def unseen(self) -> bool:
        return not self.box.get("established", True) and self.read["unshown_hand"] == "loses_side_bets"

    def accept(self, stake: int) -> int:
        action = cut(stake, self.progressive.get("stake"))
        self.accepted += action
        return action

    def major(self, level: str, part: Fraction, stake: int, action: int, returned: bool) -> None:
        self.put("progressive", (stake, 0, 0) if returned else lost(stake, action))
        self.majors.append(((self.box["box"], self.box["player"], "progressive"), level, part))

    # -- the two RWS poker games ------------------------------------------------------------------

    def rws_base(self, box: Plain, folded: bool, pair_plus_dies: bool, play_dies: bool) -> None:
        bets, dealer = box["bets"], self.request["dealer"]
        ante, play, pair_plus = bets.get("ante", 0), bets.get("play", 0), bets.get("pair_plus", 0)
        mine = three(box["cards"]) if ante or pair_plus else (0,)
        in_ante = cut(ante, self.top("ante"))
        in_play = cut(play, self.top("ante"))
        if self.read["play_excess"] == "over_ante":
            in_play = min(in_play, in_ante)
        if ante and folded:
            self.put("ante", lost(ante, in_ante))
            if play:
                self.put("play", lost(play, in_play) if play_dies else back(play))
        elif ante:
            theirs = three(dealer)
            if not qualifies(dealer):
                self.put("ante", won(ante, in_ante, 1))
                self.put("play", back(play))
            elif mine > theirs:
                self.put("ante", won(ante, in_ante, 1))
                self.put("play", won(play, in_play, 1))
            elif mine < theirs:
                self.put("ante", lost(ante, in_ante))
                self.put("play", lost(play, in_play))
            else:
                self.put("ante", back(ante))
                self.put("play", back(play))
        elif play:
            self.put("play", back(play))
        bonus = {STRAIGHT_FLUSH: 5, TRIPS: 4, STRAIGHT: 1}.get(mine[0], 0)
        if ante and bonus and (not folded or self.read["ante_bonus_on_fold"] == "paid"):
            self.put("ante_bonus", (0, 0, in_ante * bonus))
        if pair_plus:
            odds = {STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 5, FLUSH: 4, PAIR: 1}.get(mine[0], 0)
            action = cut(pair_plus, self.top("pair_plus"))
            dead = not odds or (ante and folded and pair_plus_dies) or self.unseen()
            self.put("pair_plus", lost(pair_plus, action) if dead else won(pair_plus, action, odds))

    def jackpot_stands(self, ante: int, stake: int) -> bool:
        over = "stake" in self.progressive and stake > self.progressive["stake"]
        if ante and not (over and self.read["pj_wrong_amount"] == "whole_bet_returned"):
            return True
        self.put("progressive", back(stake))
        return False

    def box_of_progressive_3_card_poker(self, box: Plain) -> None:
        bets = box["bets"]
        ante, stake = bets.get("ante", 0), bets.get("progressive", 0)
        folded = self.folds()
        shy = box.get("decision") == "refuse_reveal" and self.read["unshown_ante_and_play"] == "folded"
        self.rws_base(box, folded or shy, pair_plus_dies=not shy, play_dies=False)
        hand, cards = best(box["cards"] + self.request["dealer"]) if ante else ("nothing", [])
        spades = bool(cards) and cards[0][1] == "s"
        if self.unseen():
            hand = "nothing"
        if ante and hand == "royal_flush" and (not folded or self.read["envy_from_folded_royal"] == "yes"):
            self.royals.append((box["box"], box["player"], 50_000 if spades else 25_000))
        if not stake or not self.jackpot_stands(ante, stake):
            return
        action = self.accept(stake)
        if not folded or self.read["envy_to_folded_box"] == "yes":
            self.receivers.append((box["box"], box["player"]))
        returned = self.read["pj_stake_on_win"] == "returned"
        award = {"straight_flush": 125_000, "four_of_a_kind": 25_000, "full_house": 5_000, "flush": 2_500}.get(hand)
        if folded:
            self.put("progressive", lost(stake, action))
        elif hand == "royal_flush":
            self.major("major", Fraction(1) if spades else Fraction(1, 4), stake, action, returned)
        elif award:
            self.put("progressive", (stake, 0, award) if returned else (stake - action, action, award))
        else:
            self.put("progressive", lost(stake, action))

    def box_of_multi_link_3_card_poker(self, box: Plain) -> None:
        bets = box["bets"]
        ante, stake = bets.get("ante", 0), bets.get("progressive", 0)
        refused = box.get("decision") == "refuse_reveal"
        play_dies = refused and self.read["refusal_play_bet"] == "lost"
        self.rws_base(box, self.folds(refusal=True), self.read["pair_plus_on_fold"] == "lost", play_dies)
        if not stake or not self.jackpot_stands(ante, stake):
            return
        action = self.accept(stake)
        hand = "nothing" if self.unseen() else five(box["cards"] + self.request["community"])[1]
        times = {"four_of_a_kind": 400, "full_house": 80, "flush": 40, "straight": 20}.get(hand)
        returned = self.read["pj_stake_on_win"] == "returned"
        if hand == "royal_flush":
            self.major("major", Fraction(1), stake, action, returned)
        elif hand == "straight_flush":
            self.major("major", Fraction(1, 10), stake, action, returned)
        elif times:
            self.put("progressive", (stake - action, action, action * times))
        else:
            self.put("progressive", lost(stake, action))

    # -- California -------------------------------------------------------------------------------

    def california_order(self, cards: list[str]) -> tuple[Any, ...]:
        order = three(cards, self.read["ace_low_straight"] == "yes")
        return order if self.read["tie_break"] == "poker" else (order[0], *values(cards))

    def box_of_california_three_card_poker(self, box: Plain) -> None:
        bets, dealer, cards = box["bets"], self.request["dealer"], box["cards"]
        ante = bets.get("ante", 0)
        if not ante:
            self.all_back()
            return
        folded = self.folds()
        in_ante = cut(ante, self.top("ante"))
        self.california_base(box, folded, in_ante)
        mini = suited(cards) and values(cards) == [14, 13, 12]
        hand, _ = best(cards + dealer)
        if bets.get("six_card_bonus"):
            stake = bets["six_card_bonus"]
            odds = self.table["pay_tables"]["six_card_bonus"].get(hand)
            action = cut(cut(stake, self.top("six_card_bonus")), 10_000)
            self.put("six_card_bonus", won(stake, action, odds) if odds else lost(stake, action))
        stake = bets.get("progressive", 0)
        counts = not folded or self.read["envy_folded_boxes"] == "count"
        if mini and counts and (stake or self.read["envy_achiever_needs_bet"] == "no"):
            self.royals.append((box["box"], box["player"], self.progressive.get("envy", 0)))
        if not stake:
            return
        action = cut(stake, self.progressive.get("stake", 100))
        self.accepted += action
        if folded and self.read["progressive_on_fold"] == "forfeit":
            self.put("progressive", lost(stake, action))
            return
        if counts:
            self.receivers.append((box["box"], box["player"]))
        returned = self.read["progressive_stake_on_win"] == "returned"
        if hand == "royal_flush":
            self.major("major", Fraction(1), stake, action, returned)
            if mini and self.read["both_royals"] == "both":
                key = (box["box"], box["player"], "progressive")
                self.money[key] = (*self.money[key][:2], 250_000)
        elif mini:
            self.put("progressive", (stake, 0, 250_000) if returned else (stake - action, action, 250_000))
        else:
            self.put("progressive", lost(stake, action))

    def california_base(self, box: Plain, folded: bool, in_ante: int) -> None:
        bets, dealer, cards = box["bets"], self.request["dealer"], box["cards"]
        ante, play, pair_plus = bets["ante"], bets.get("play", 0), bets.get("pair_plus", 0)
        in_play = cut(play, self.top("play"))
        if self.read["play_mismatch"] == "lesser":
            in_play = min(in_play, in_ante)
        in_pair = cut(pair_plus, self.top("pair_plus"))
        if self.read["pair_plus_over_ante"] == "excess_returned":
            in_pair = min(in_pair, in_ante)
        if folded:
            self.put("ante", lost(ante, in_ante))
            self.put("play", back(play))
            self.put("pair_plus", lost(pair_plus, in_pair))
            return
        mine, theirs, good = self.california_order(cards), self.california_order(dealer), qualifies(dealer)
        if mine > theirs:
            self.put("ante", won(ante, in_ante, 1))
            self.put("play", won(play, in_play, 1) if good else back(play))
        elif mine == theirs:
            self.put("ante", back(ante))
            self.put("play", back(play))
        else:
            spared = not good and self.read["nonqualify_lower_hand"] == "ante_returned"
            self.put("ante", back(ante) if spared else lost(ante, in_ante))
            self.put("play", lost(play, in_play) if good else back(play))
        name = {STRAIGHT_FLUSH: "straight_flush", TRIPS: "three_of_a_kind", STRAIGHT: "straight", FLUSH: "flush"}
        kind = three(cards, self.read["ace_low_straight"] == "yes")[0]
        row = "pair" if kind == PAIR else name.get(kind, "")
        if suited(cards) and values(cards) == [14, 13, 12]:
            row = "mini_royal"
        if pair_plus:
            odds = self.table["pay_tables"]["pair_plus"].get(row)
            self.put("pair_plus", won(pair_plus, in_pair, odds) if odds else lost(pair_plus, in_pair))

    # -- Stax -------------------------------------------------------------------------------------

    def box_of_stax_three_card(self, box: Plain) -> None:
        bets, dealer, cards = box["bets"], self.request["dealer"], box["cards"]
        ante, folded = bets.get("ante", 0), bool(bets.get("ante")) and self.folds()
        order = three(cards)
        self.stax_base(box, folded, order)
        column = {"A": 0, "B": 1, "C": 2}
        mini = suited(cards) and values(cards) == [14, 13, 12]
        if bets.get("player_bonus"):
            rows = {
                STRAIGHT_FLUSH: (40, 40, 40), TRIPS: (30, 30, 30), STRAIGHT: (6, 5, 6), FLUSH: (3, 4, 3),
                PAIR: (1, 1, 1),
            }  # fmt: skip
            row = (50, 50, 40) if mini else rows.get(order[0])
            stake, letter = bets["player_bonus"], self.table["pay_tables"]["player_bonus"]
            action = cut(stake, self.top("player_bonus"))
            self.put("player_bonus", won(stake, action, row[column[letter]]) if row else lost(stake, action))
        hand, used = best(cards + dealer)
        if bets.get("six_card_bounty"):
            bounty = {
                "royal_flush": (1000, 1000, 1000), "straight_flush": (200, 200, 200), "four_of_a_kind": (50, 100, 100),
                "full_house": (20, 20, 20), "flush": (15, 15, 15), "straight": (10, 9, 10),
                "three_of_a_kind": (5, 8, 7),
            }  # fmt: skip
            stake, letter = bets["six_card_bounty"], self.table["pay_tables"]["six_card_bounty"]
            action = cut(stake, self.top("six_card_bounty"))
            odds = bounty[hand][column[letter]] if hand in bounty else 0
            if letter == "A" and suited(cards + dealer) and values(cards + dealer) == [14, 13, 12, 11, 10, 9]:
                odds = 20_000
            self.put("six_card_bounty", won(stake, action, odds) if odds else lost(stake, action))
        if bets.get("progressive"):
            self.stax_progressive(bets["progressive"], folded and bool(ante), mini, order, (hand, used))

    def stax_progressive(
        self, stake: int, folded: bool, mini: bool, order: tuple[Any, ...], six: tuple[str, list[str]]
    ) -> None:
        action = self.accept(stake)
        cards = self.box["cards"]
        names = {STRAIGHT_FLUSH: "straight_flush", TRIPS: "three_of_a_kind", STRAIGHT: "straight", FLUSH: "flush"}
        hand = "royal_flush" if mini else names.get(order[0], "")
        if self.read["stax_hand"] == "best_five_of_six":
            hand, cards = six
        returned = self.read["stax_stake_on_meter_win"] == "returned"
        odds = {"three_of_a_kind": 20, "straight": 6, "flush": 3}.get(hand)
        diamonds = cards[0][1] == "d"
        if folded and self.read["stax_on_fold"] == "forfeit":
            self.put("progressive", lost(stake, action))
        elif hand == "royal_flush":
            self.major("star" if diamonds else "spade", Fraction(1), stake, action, returned)
        elif hand == "straight_flush":
            self.major("heart" if diamonds else "diamond", Fraction(1), stake, action, returned)
        else:
            self.put("progressive", won(stake, action, odds) if odds else lost(stake, action))

    def stax_base(self, box: Plain, folded: bool, mine: tuple[Any, ...]) -> None:
        ante, play = box["bets"].get("ante", 0), box["bets"].get("play", 0)
        dealer = self.request["dealer"]
        in_ante, in_play = cut(ante, self.top("ante")), cut(play, self.top("play"))
        if self.read["play_mismatch"] == "lesser":
            in_play = min(in_play, in_ante)
        if not ante:
            self.put("play", back(play))
            return
        theirs, good = three(dealer), qualifies(dealer)
        clauses = self.read["winning_clauses"] == "clauses_a_b"
        if folded:
            self.put("ante", lost(ante, in_ante))
            self.put("play", back(play))
        else:
            beaten = good and mine < theirs
            ante_wins = not good or (mine > theirs and not clauses)
            play_wins = mine > theirs and (good or clauses)
            self.put("ante", won(ante, in_ante, 1) if ante_wins else lost(ante, in_ante) if beaten else back(ante))
            self.put("play", won(play, in_play, 1) if play_wins else lost(play, in_play) if beaten else back(play))
        bonus = {STRAIGHT_FLUSH: 5, TRIPS: 4, STRAIGHT: 1}.get(mine[0], 0)
        if bonus and (not folded or self.read["ante_bonus_on_fold"] == "paid"):
            self.put("ante_bonus", (0, 0, in_ante * bonus))

    # -- Pictures ---------------------------------------------------------------------------------

    def box_of_lucky_three_pictures(self, box: Plain) -> None:
        bettors = box["bettors"]
        if not any(bettor["bets"].get("initial") for bettor in bettors):
            self.all_back()
            return

        def told(cards: list[str]) -> tuple[int, int]:
            total = sum(1 if card[0] == "A" else int(card[0]) if card[0].isdigit() else 0 for card in cards)
            return total % 10, sum(card[0] in "JQK" for card in cards)

        def rank(hand: tuple[int, int]) -> tuple[int, int]:
            return (10, 3) if hand[1] == 3 else hand

        mine, theirs = told(box["cards"]), told(self.request["dealer"])
        winner = (rank(mine) > rank(theirs)) - (rank(mine) < rank(theirs))
        tie = mine[0] == theirs[0]
        if self.read["three_pictures_points"] == "none" and (mine[1] == 3) != (theirs[1] == 3):
            tie = False
        tie_odds = 600 if mine[1] == theirs[1] == 3 else 10 if mine[0] >= 8 else 8
        lucky = {2: 25, 1: 15, 0: 10}
        odds = {
            "lucky_tie": tie_odds if tie else 0,
            "lucky_pictures": {6: 1000, 5: 100, 4: 10, 3: 4}.get(mine[1] + theirs[1], 0),
            "player_lucky_6": lucky[mine[1]] if winner > 0 and mine[0] == 6 else 0,
            "dealer_lucky_6": lucky[theirs[1]] if winner < 0 and theirs[0] == 6 else 0,
        }
        for bettor in bettors:
            for bet, stake in bettor["bets"].items():
                if not stake:
                    continue
                action = self.pro_rata(bet, stake, [bettor["bets"].get(bet, 0) for bettor in bettors])
                if bet != "initial":
                    money = won(stake, action, odds[bet]) if odds[bet] else lost(stake, action)
                elif winner > 0 and mine[0] == 6:
                    money = (stake, 0, share(Fraction(action), Fraction(1, 2), self.read["fractional_cent"]))
                else:
                    money = won(stake, action, 1) if winner > 0 else lost(stake, action) if winner < 0 else back(stake)
                self.money[box["box"], bettor["player"], bet] = money

    def pro_rata(self, bet: str, stake: int, stakes: list[int]) -> int:
        limit = self.table.get("limits", {}).get(bet, {})
        top: int | None = limit.get("max")
        least, total = int(limit.get("min", 0)), sum(stakes)
        if top is None or total <= top or stake < least:
            return stake
        if self.read["prorata_under_minimum_bet"] == "whole_box" and any(0 < stake < least for stake in stakes):
            return stake
        # Only the simple apportioning is written a second time.
        return min(stake, max(least, share(Fraction(stake), Fraction(top, total), self.read["fractional_cent"])))

    # -- afterwards -------------------------------------------------------------------------------

    def give_envy(self) -> None:
        own_too = self.read.get("envy_to_own_other_box") == "yes"
        for seat, player in self.receivers:
            amount = sum(gift for other, owner, gift in self.royals if other != seat and (own_too or owner != player))
            if amount:
                self.money[seat, player, "envy"] = (0, 0, amount)

    def turn_meters(self) -> None:
        timing = self.read.get("increment_timing", "before_settlement")
        if timing == "before_settlement" or (timing == "only_if_not_won" and not self.majors):
            self.grow()
        reset, rounding = self.progressive.get("reset", {}), self.read.get("fractional_cent", "down")
        split = self.read.get("same_level_hits") == "split_equally"
        hits = Counter(level for _, level, _ in self.majors)
        at_first = dict(self.meters)
        for key, level, part in self.majors:
            if split:
                paid = share(at_first[level], Fraction(1, hits[level]), rounding)
            else:
                paid = share(self.meters[level], part, rounding)
            self.money[key] = (*self.money[key][:2], self.money[key][2] + paid)
            partial = self.read.get("partial_win_meter", "deduct")
            if part == 1 or partial == "reset":
                self.meters[level] = Fraction(reset[level])
            else:
                self.meters[level] -= paid
                if partial == "deduct_not_below_reset":
                    self.meters[level] = max(self.meters[level], Fraction(reset[level]))
        if timing == "after_settlement":
            self.grow()

    def grow(self) -> None:
        for level, rate in self.progressive.get("rate_bp", {}).items():
            self.meters[level] += Fraction(self.accepted * rate, 10_000)
