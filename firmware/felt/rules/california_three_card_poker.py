"""Three Card Poker with a 6-card bonus and a one-dollar progressive, as a Californian card room plays it. The Ante
always has action, even if the dealer does not qualify. The rulebook prints no odds for Pair Plus and the 6-card
bonus, and no envy amount; the house posts them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.values import Value, replace
from felt.rules.california_three_card_tables import (
    ANTE_AND_PLAY,
    EVEN_MONEY,
    MINI_ROYAL,
    PROGRESSIVE,
    PROGRESSIVE_STAKE_UNITS,
    READINGS,
    ROYAL,
    SIX_CARD_BONUS_TOP_UNITS,
)
from felt.rules.hands import (
    FIVE_CARD_CATEGORY,
    LOWEST_QUEEN_HIGH,
    THREE_CARD_CATEGORY,
    THREE_CARD_CLASSES,
    best_five_of_six,
    cards_of_best_five,
    three_card_rank,
)
from felt.rules.rulebook import (
    FOLD,
    WALK_AWAY,
    Box,
    Cards,
    Ceiling,
    Deal,
    Line,
    MissingTermsError,
    Reason,
    Rulebook,
    Terms,
    Wager,
    readings_in_force,
    to,
)
from felt.rules.verdicts import (
    Placed,
    all_handed_back,
    award,
    envy,
    handed_back,
    lost,
    maxima,
    minor_per_unit,
    posted_odds,
    pushed,
    within,
    won,
)

_VOID = Reason("house procedure", "The round is void.")
_INVALIDATED = Reason("house procedure", "The hand is invalidated.")
_NO_ANTE = Reason("Playing ¶1", "Every other bet needs an Ante.")
_FOLDED = Reason("Playing ¶2", "The player folded.")
_LEFT = Reason("Playing ¶2", "The player left with a decision to make, which the house counts as a fold.")
_ANTE_HIGHER = Reason("Playing ¶3", "The player's hand beats the dealer's.")
_ANTE_LOWER = Reason("Playing ¶3", "The dealer's hand beats the player's.")
_UNQUALIFIED_HIGHER = Reason("Playing ¶5.1", "The player's hand beats a dealer who does not qualify.")
_UNQUALIFIED_LOWER = Reason("Playing ¶5.2", "The dealer does not qualify but has the better hand.")
_PLAY_HIGHER = Reason("Playing ¶4", "The dealer qualifies and the player's hand is better.")
_PLAY_LOWER = Reason("Playing ¶4", "The dealer qualifies and has the better hand.")
_UNQUALIFIED_PLAY = Reason("Playing ¶4", "The dealer does not qualify: the Play bet has no action and goes back.")
_EQUAL = Reason("Rank of hands, last ¶", "The hands are identical.")
_PAIR_PLUS_WINS = Reason("Playing ¶6", "The hand is on the posted pay table.")
_PAIR_PLUS_LOSES = Reason("Playing ¶6", "The hand is not on the posted pay table.")
_SIX_CARD_WINS = Reason("Playing ¶2", "The best five of the six cards are on the posted pay table.")
_SIX_CARD_LOSES = Reason("Playing ¶2", "The best five of the six cards are not on the posted pay table.")
_ROYAL_WINS = Reason("Progressive ¶1", "The player's and the dealer's cards hold a five-card royal flush.")
_MINI_ROYAL_WINS = Reason("Progressive ¶1", "The player holds a mini-royal.")
_NO_ROYAL = Reason("Progressive ¶1", "There is no royal.")
_OTHERS_MINI_ROYAL = Reason("Progressive ¶1", "Another player has a mini-royal.")

_CATEGORY_ORDER = {name: place for place, (name, _) in enumerate(THREE_CARD_CLASSES)}


class _Round(Value):
    dealer: tuple[int, int, int]
    dealer_order: tuple[int, ...]
    qualified: bool
    terms: Terms
    tops: Mapping[str, int | None]
    readings: Mapping[str, str]
    prescribed: int | None


class _Seen(Value):
    box: Box
    gives: bool
    receives: bool


class CaliforniaThreeCardPoker(Rulebook):
    id = "california-three-card-poker"
    version = "1"
    title = "Three Card Poker with 6-Card Bonus and Progressive"
    effective = "1970-01-01T00:00:00+00:00"  # the rulebook prints no date, so it is in force from the beginning
    wagers = (
        Wager("ante", "Ante", "Playing ¶1"),
        Wager("play", "Play", "Playing ¶2", needs="ante", after_cards=True),
        Wager("pair_plus", "Pair Plus", "Playing ¶1", needs="ante", decided_by=Cards.OWN),
        Wager("six_card_bonus", "6-Card Bonus", "Playing ¶1", needs="ante"),
        Wager("progressive", "Progressive", "Progressive ¶1", needs="ante", coin_spot=True),
    )
    pay_tables = (ANTE_AND_PLAY, PROGRESSIVE)
    posted_rows = (
        ("pair_plus", ("mini_royal", "straight_flush", "three_of_a_kind", "straight", "flush", "pair")),
        (
            "six_card_bonus",
            (
                "royal_flush",
                "straight_flush",
                "four_of_a_kind",
                "full_house",
                "flush",
                "straight",
                "three_of_a_kind",
                "two_pair",
                "pair",
            ),
        ),
    )
    readings = READINGS
    needs = (
        "pay_table.pair_plus", "pay_table.six_card_bonus", "envy", "reset.major", "rate.major", "limits.ante",
    )  # fmt: skip
    meters = ("major",)
    stake_on_share_won = "progressive_stake_on_win"
    forfeit_on_fold = "progressive_on_fold"
    has_envy = True

    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        return three_card_rank(*_indices(dealer)) >= LOWEST_QUEEN_HIGH

    def in_play(self, box: Box) -> bool:
        return not box.invalidated and _has_ante(box)

    def folded(self, box: Box) -> bool:
        if not _has_ante(box):
            return False
        has_play = any(bet == "play" and stake != 0 for bet, stake in box.bets)
        return box.decision == FOLD or (box.decision == WALK_AWAY and not has_play)

    def ceilings(self, staked: Mapping[str, int | None], terms: Terms) -> tuple[Ceiling, ...]:
        """Pair Plus may not exceed the Ante; the rulebook prints the maximum of the 6-card bonus."""
        top = SIX_CARD_BONUS_TOP_UNITS * minor_per_unit(terms.currency)
        six_card = Ceiling("six_card_bonus", top, "maximum", "Playing ¶1")
        ante = staked.get("ante")
        if ante is None:
            return (six_card,)
        is_cut = readings_in_force(self, terms)["pair_plus_over_ante"] == "excess_returned"
        return (six_card, Ceiling("pair_plus", ante, "Ante", "Playing ¶1", is_settled=is_cut))

    def prescribed_stake(self, terms: Terms) -> int | None:
        """The rulebook prints a one-dollar bet; a house may set another amount."""
        prescribed = super().prescribed_stake(terms)
        return PROGRESSIVE_STAKE_UNITS * minor_per_unit(terms.currency) if prescribed is None else prescribed

    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        readings = readings_in_force(self, terms)
        if deal.void:
            return tuple(line for box in deal.boxes for line in all_handed_back(box, _VOID))
        dealer = _indices(deal.dealer)
        around = _Round(
            dealer,
            hand_order(dealer, readings),
            three_card_rank(*dealer) >= LOWEST_QUEEN_HIGH,
            terms,
            maxima(terms),
            readings,
            self.prescribed_stake(terms),
        )
        settled: list[list[Line]] = []
        seen: list[_Seen] = []
        for box in deal.boxes:
            lines: list[Line] = []
            seen.append(self._settle_box(box, around, lines))
            settled.append(lines)
        if any(box.gives for box in seen):
            for giver, lines in zip(seen, settled, strict=True):
                _give_envy(giver, seen, terms, lines)
        return tuple(chain.from_iterable(settled))

    def _settle_box(self, box: Box, around: _Round, lines: list[Line]) -> _Seen:
        if box.invalidated:
            lines += all_handed_back(box, _INVALIDATED)
            return _Seen(box, gives=False, receives=False)
        if not _has_ante(box):
            lines += all_handed_back(box, _NO_ANTE)
            return _Seen(box, gives=False, receives=False)
        bets = dict(box.bets)
        three = _indices(box.cards)
        folded = self.folded(box)
        ante, play, pair_plus = _stakes(bets, around)
        if folded:
            _settle_fold(box, ante, play, pair_plus, lines)
        else:
            _showdown(box, ante, play, hand_order(three, around.readings), around, lines=lines)
            if pair_plus.stake != 0:
                _settle_pair_plus(box, pair_plus, three, around, lines)
        if bets.get("six_card_bonus", 0) != 0:
            _settle_six_card_bonus(box, bets["six_card_bonus"], (*three, *around.dealer), around, lines)
        has_progressive = bets.get("progressive", 0) != 0
        stood = has_progressive and not (folded and around.readings["progressive_on_fold"] == "forfeit")
        if has_progressive:
            _settle_progressive(box, bets["progressive"], three, stood, around, lines=lines)
        counts = not folded or around.readings["envy_folded_boxes"] == "count"
        has_bet = has_progressive or around.readings["envy_achiever_needs_bet"] == "no"
        is_mini_royal = THREE_CARD_CATEGORY[three_card_rank(*three)] == "mini_royal"
        gives = is_mini_royal and counts and has_bet and box.gives_envy
        return _Seen(box, gives, receives=stood and counts)


def _indices(cards: tuple[Card, ...]) -> tuple[int, int, int]:
    return INDEX_OF[cards[0]], INDEX_OF[cards[1]], INDEX_OF[cards[2]]


def _has_ante(box: Box) -> bool:
    return any(bet == "ante" and stake != 0 for bet, stake in box.bets)


def _category(three: tuple[int, int, int], ace_low_straight: str) -> str:
    category = THREE_CARD_CATEGORY[three_card_rank(*three)]
    if ace_low_straight == "no" and sorted(card >> 2 for card in three) == [0, 1, 12]:
        return {"straight": "high_card", "straight_flush": "flush"}.get(category, category)
    return category


def hand_order(three: tuple[int, int, int], readings: Mapping[str, str]) -> tuple[int, ...]:
    """The key that compares hands: the three-card order, as modified by the readings."""
    if readings["tie_break"] == "poker" and readings["ace_low_straight"] == "yes":
        return (three_card_rank(*three),)
    category = _category(three, readings["ace_low_straight"])
    ranks = sorted([card >> 2 for card in three], reverse=True)
    if readings["tie_break"] == "poker":
        if category == "pair":
            ranks = sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))
        elif category in ("straight", "straight_flush") and ranks == [12, 1, 0]:
            ranks = [1, 0, -1]
    return (_CATEGORY_ORDER[category], *ranks)


def _stakes(bets: Mapping[str, int | None], around: _Round) -> tuple[Placed, Placed, Placed]:
    tops, readings = around.tops, around.readings
    ante = bets.get("ante", 0)
    ante_action = within(ante, tops.get("ante"))
    play = bets.get("play", 0)
    play_action = within(play, tops.get("play"))
    if readings["play_mismatch"] == "lesser":
        play_action = within(play_action, ante_action)
    pair_plus = bets.get("pair_plus", 0)
    pair_action = within(pair_plus, tops.get("pair_plus"))
    if readings["pair_plus_over_ante"] == "excess_returned":
        pair_action = within(pair_action, ante_action)
    return (
        Placed("ante", ante, ante_action),
        Placed("play", play, play_action),
        Placed("pair_plus", pair_plus, pair_action),
    )


def _fold_reason(box: Box) -> Reason:
    return _LEFT if box.decision == WALK_AWAY else _FOLDED


def _settle_fold(box: Box, ante: Placed, play: Placed, pair_plus: Placed, lines: list[Line]) -> None:
    reason = _fold_reason(box)
    lines.append(lost(box, ante, reason))
    if play.stake != 0:
        lines.append(handed_back(box, "play", play.stake, reason))
    if pair_plus.stake != 0:
        lines.append(lost(box, pair_plus, reason))


def _showdown(
    box: Box, ante: Placed, play: Placed, order: tuple[int, ...], around: _Round, *, lines: list[Line]
) -> None:
    has_play = play.stake != 0
    qualified = around.qualified
    if order > around.dealer_order:
        lines.append(won(box, ante, EVEN_MONEY, _ANTE_HIGHER if qualified else _UNQUALIFIED_HIGHER))
        if has_play and qualified:
            lines.append(won(box, play, EVEN_MONEY, _PLAY_HIGHER))
    elif order == around.dealer_order:
        lines.append(pushed(box, ante, _EQUAL))
        if has_play and qualified:
            lines.append(pushed(box, play, _EQUAL))
    elif qualified:
        lines.append(lost(box, ante, _ANTE_LOWER))
        if has_play:
            lines.append(lost(box, play, _PLAY_LOWER))
    elif around.readings["nonqualify_lower_hand"] == "ante_loses":
        lines.append(lost(box, ante, _UNQUALIFIED_LOWER))
    else:
        lines.append(pushed(box, ante, _UNQUALIFIED_LOWER))
    if has_play and not qualified:
        lines.append(pushed(box, play, _UNQUALIFIED_PLAY))


def _settle_pair_plus(
    box: Box, bet: Placed, three: tuple[int, int, int], around: _Round, lines: list[Line]
) -> None:
    posted = posted_odds(around.terms, "pair_plus", CaliforniaThreeCardPoker.id)
    category = _category(three, around.readings["ace_low_straight"])
    odds = posted.get(category)
    if odds is None and category == "mini_royal":
        odds = posted.get("straight_flush")
    if odds is None:
        lines.append(lost(box, bet, _PAIR_PLUS_LOSES))
    else:
        lines.append(won(box, bet, to(odds), _PAIR_PLUS_WINS))


def _settle_six_card_bonus(
    box: Box, stake: int | None, six: tuple[int, ...], around: _Round, lines: list[Line]
) -> None:
    top = SIX_CARD_BONUS_TOP_UNITS * minor_per_unit(around.terms.currency)
    action = within(within(stake, around.tops.get("six_card_bonus")), top)
    bet = Placed("six_card_bonus", stake, action)
    posted = posted_odds(around.terms, "six_card_bonus", CaliforniaThreeCardPoker.id)
    category = FIVE_CARD_CATEGORY[best_five_of_six(*six)]
    odds = posted.get(category)
    if odds is None and category == "royal_flush":
        odds = posted.get("straight_flush")
    if odds is None:
        lines.append(lost(box, bet, _SIX_CARD_LOSES))
    else:
        five = tuple(DECK[card] for card in cards_of_best_five(six))
        lines.append(replace(won(box, bet, to(odds), _SIX_CARD_WINS), cards=five))


def _settle_progressive(
    box: Box, present: int | None, three: tuple[int, int, int], stood: bool, around: _Round, *, lines: list[Line]
) -> None:
    """A coin spot senses presence only, so its stake is the prescribed amount."""
    stake = around.prescribed if present is None else present
    bet = Placed("progressive", stake, within(stake, around.prescribed))
    if not stood:
        lines.append(lost(box, bet, _fold_reason(box)))
        return
    six = (*three, *around.dealer)
    is_royal = FIVE_CARD_CATEGORY[best_five_of_six(*six)] == "royal_flush"
    is_mini_royal = THREE_CARD_CATEGORY[three_card_rank(*three)] == "mini_royal"
    if not is_royal and not is_mini_royal:
        lines.append(lost(box, bet, _NO_ROYAL))
        return
    returned = around.readings["progressive_stake_on_win"] == "returned"
    currency = around.terms.currency
    if is_royal:
        five = tuple(DECK[card] for card in cards_of_best_five(six))
        lines.append(award(box, bet, ROYAL, _ROYAL_WINS, stake_returned=returned, cards=five, currency=currency))
        if not is_mini_royal or around.readings["both_royals"] != "both":
            return
        bet = Placed("progressive", 0, 0)  # the bet's second award has no stake of its own
    lines.append(
        award(
            box, bet, MINI_ROYAL, _MINI_ROYAL_WINS, stake_returned=returned, cards=box.cards, currency=currency
        )
    )


def _give_envy(giver: _Seen, seen: list[_Seen], terms: Terms, lines: list[Line]) -> None:
    if not giver.receives:
        return
    givers = sum(1 for other in seen if other.gives and other.box.player != giver.box.player)
    if not givers:
        return
    if terms.envy is None:
        raise MissingTermsError(f"{CaliforniaThreeCardPoker.id} prints no envy amount: set progressive.envy")
    lines.append(envy(giver.box, givers * terms.envy, "posted", _OTHERS_MINI_ROYAL))
