"""3 Card with Player Bonus, 6 Card Bounty and the four Stax progressives. Side wagers stand without an Ante and
survive a fold. A level's name is a suit, but not the suit that wins it."""

from __future__ import annotations

from collections.abc import Mapping

from felt.nouns.cards import DECK, INDEX_OF, SUITS, Card
from felt.nouns.values import Value, replace
from felt.rules.hands import (
    FIVE_CARD_CATEGORY,
    LOWEST_QUEEN_HIGH,
    THREE_CARD_CATEGORY,
    best_five_of_six,
    cards_of_best_five,
    three_card_rank,
)
from felt.rules.rulebook import (
    FOLD,
    WALK_AWAY,
    Box,
    Cards,
    Deal,
    Line,
    Odds,
    OddsKind,
    Reason,
    Rulebook,
    Terms,
    Wager,
    readings_in_force,
    to,
)
from felt.rules.stax_three_card_tables import (
    ANTE_AND_PLAY,
    ANTE_BONUS,
    EVEN_MONEY,
    PLAYER_BONUS,
    PRINTED_METERS,
    READINGS,
    SIX_CARD_BOUNTY,
    STAX,
)
from felt.rules.verdicts import (
    Placed,
    all_handed_back,
    award,
    bonus,
    handed_back,
    letter_of,
    lost,
    maxima,
    pushed,
    within,
    won,
)

_ANTE_BONUS_PAYS = {**dict(ANTE_BONUS.rows), "mini_royal": to(5)}
_BY_LETTER: dict[tuple[str, str], dict[str, Odds]] = {
    (table.bet, table.letter): dict(table.rows) for table in (*PLAYER_BONUS, *SIX_CARD_BOUNTY)
}
_STAX_PAYS = dict(STAX.rows)

_VOID = Reason("house procedure", "The round is void.")
_INVALIDATED = Reason("house procedure", "The hand is invalidated.")
_PLAY_WITHOUT_ANTE = Reason("Rules of play ¶3", "A Play wager needs an Ante.")
_FOLDED = Reason("Rules of play ¶3", "The player folded.")
_LEFT = Reason("Rules of play ¶3", "The player left with a decision to make, which the house counts as a fold.")
_UNQUALIFIED_ANTE = Reason("Rules of play ¶5", "The dealer does not qualify: the Ante wins even money.")
_UNQUALIFIED_PLAY = Reason("Rules of play ¶5", "The dealer does not qualify: the Play wager pushes.")
_HIGHER = Reason("Rules of play ¶6", "The player's hand beats the dealer's.")
_LOWER = Reason("Rules of play ¶6", "The dealer's hand beats the player's.")
_EQUAL = Reason("Rules of play ¶6", "The hands tie.")
_CLAUSE_A = Reason("Winning (a)", "The Ante is paid only when the dealer has less than queen high.")
_CLAUSE_B = Reason("Winning (b)", "The Play wager is paid whenever the player's hand is better.")
_BONUS = Reason("Rules of play ¶7", "A straight or better earns the Ante Bonus whatever the dealer holds.")
_PLAYER_BONUS_WINS = Reason("Table 2", "The hand is a pair or better.")
_PLAYER_BONUS_LOSES = Reason("Table 2", "The hand is below a pair.")
_BOUNTY_WINS = Reason("Table 3", "The best of the six cards are three of a kind or better.")
_BOUNTY_LOSES = Reason("Table 3", "The six cards hold nothing from three of a kind up.")
_STAX_WINS = Reason("Table 4", "The hand is on the Stax pay table.")
_STAX_LOSES = Reason("Table 4", "The hand is not on the Stax pay table.")

_DIAMONDS = SUITS.index("d")
_SIX_TO_THE_ACE = [7, 8, 9, 10, 11, 12]


class _Round(Value):
    dealer: tuple[int, int, int]
    dealer_rank: int
    terms: Terms
    tops: Mapping[str, int | None]
    readings: Mapping[str, str]
    prescribed: int | None


class StaxThreeCard(Rulebook):
    id = "stax-three-card"
    version = "1"
    title = "3 Card with Player Bonus, 6 Card Bounty and Stax Progressives"
    effective = "1970-01-01T00:00:00+00:00"  # the rulebook prints no date, so it is in force from the beginning
    wagers = (
        Wager("ante", "Ante", "Rules of play ¶1"),
        Wager("play", "Play", "Rules of play ¶3", needs="ante", after_cards=True),
        Wager("player_bonus", "Player Bonus", "Rules of play ¶1", decided_by=Cards.OWN),
        Wager("six_card_bounty", "6 Card Bounty", "Rules of play ¶1"),
        Wager("progressive", "Stax Progressive", "Table 4", coin_spot=True, decided_by=Cards.OWN),
    )
    pay_tables = (ANTE_AND_PLAY, ANTE_BONUS, *PLAYER_BONUS, *SIX_CARD_BOUNTY, STAX)
    letters = ("player_bonus", "six_card_bounty")
    readings = READINGS
    needs = ("progressive_stake", "pay_table.player_bonus", "pay_table.six_card_bounty", "limits.ante")
    meters = ("star", "spade", "heart", "diamond")
    side_bettors_look = True
    stake_on_share_won = "stax_stake_on_meter_win"
    forfeit_on_fold = "stax_on_fold"
    printed_meters = PRINTED_METERS
    printed_meters_at = "Table 5"

    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        return three_card_rank(*_indices(dealer)) >= LOWEST_QUEEN_HIGH

    def in_play(self, box: Box) -> bool:
        return not box.invalidated and any(bet != "play" and stake != 0 for bet, stake in box.bets)

    def folded(self, box: Box) -> bool:
        bets = dict(box.bets)
        if bets.get("ante", 0) == 0:
            return False
        return box.decision == FOLD or (box.decision == WALK_AWAY and bets.get("play", 0) == 0)

    def cards_that_decide(self, wager: Wager, terms: Terms) -> Cards:
        if wager.coin_spot and readings_in_force(self, terms)["stax_hand"] == "best_five_of_six":
            return Cards.DEALER
        return wager.decided_by

    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        readings = readings_in_force(self, terms)
        if deal.void:
            return tuple(line for box in deal.boxes for line in all_handed_back(box, _VOID))
        dealer = _indices(deal.dealer)
        around = _Round(
            dealer, three_card_rank(*dealer), terms, maxima(terms), readings, self.prescribed_stake(terms)
        )
        lines: list[Line] = []
        for box in deal.boxes:
            if box.invalidated:
                lines += all_handed_back(box, _INVALIDATED)
            elif self.in_play(box):
                self._settle_box(box, around, lines)
            else:
                lines += all_handed_back(box, _PLAY_WITHOUT_ANTE)
        return tuple(lines)

    def _settle_box(self, box: Box, around: _Round, lines: list[Line]) -> None:
        bets = dict(box.bets)
        three = _indices(box.cards)
        rank = three_card_rank(*three)
        folded = self.folded(box)
        ante, play = _stakes(bets, around)
        if ante.stake == 0:
            if play.stake != 0:
                lines.append(handed_back(box, "play", play.stake, _PLAY_WITHOUT_ANTE))
        else:
            if folded:
                _settle_fold(box, ante, play, lines)
            elif around.readings["winning_clauses"] == "rules_of_play":
                _showdown(box, ante, play, rank, around, lines=lines)
            else:
                _showdown_by_clauses(box, ante, play, rank, around, lines=lines)
            _settle_ante_bonus(box, ante, rank, folded, around, lines=lines)
        if bets.get("player_bonus", 0) != 0:
            _settle_player_bonus(box, _placed("player_bonus", bets, around), rank, around, lines)
        if bets.get("six_card_bounty", 0) != 0:
            six = (*three, *around.dealer)
            _settle_bounty(box, _placed("six_card_bounty", bets, around), six, around, lines)
        if bets.get("progressive", 0) != 0:
            _settle_stax(box, bets["progressive"], three, folded, around, lines=lines)


def _indices(cards: tuple[Card, ...]) -> tuple[int, int, int]:
    return INDEX_OF[cards[0]], INDEX_OF[cards[1]], INDEX_OF[cards[2]]


def _placed(name: str, bets: Mapping[str, int | None], around: _Round) -> Placed:
    stake = bets.get(name, 0)
    return Placed(name, stake, within(stake, around.tops.get(name)))


def _stakes(bets: Mapping[str, int | None], around: _Round) -> tuple[Placed, Placed]:
    ante = _placed("ante", bets, around)
    play = _placed("play", bets, around)
    if around.readings["play_mismatch"] == "lesser":
        play = replace(play, action=within(play.action, ante.action))
    return ante, play


def _settle_fold(box: Box, ante: Placed, play: Placed, lines: list[Line]) -> None:
    reason = _LEFT if box.decision == WALK_AWAY else _FOLDED
    lines.append(lost(box, ante, reason))
    if play.stake != 0:
        lines.append(handed_back(box, "play", play.stake, reason))


def _showdown(box: Box, ante: Placed, play: Placed, rank: int, around: _Round, *, lines: list[Line]) -> None:
    has_play = play.stake != 0
    if around.dealer_rank < LOWEST_QUEEN_HIGH:
        lines.append(won(box, ante, EVEN_MONEY, _UNQUALIFIED_ANTE))
        if has_play:
            lines.append(pushed(box, play, _UNQUALIFIED_PLAY))
    elif rank > around.dealer_rank:
        lines.append(won(box, ante, EVEN_MONEY, _HIGHER))
        if has_play:
            lines.append(won(box, play, EVEN_MONEY, _HIGHER))
    elif rank < around.dealer_rank:
        lines.append(lost(box, ante, _LOWER))
        if has_play:
            lines.append(lost(box, play, _LOWER))
    else:
        lines.append(pushed(box, ante, _EQUAL))
        if has_play:
            lines.append(pushed(box, play, _EQUAL))


def _showdown_by_clauses(
    box: Box, ante: Placed, play: Placed, rank: int, around: _Round, *, lines: list[Line]
) -> None:
    """The clauses say when a wager is paid. Whether an unpaid wager loses follows from the rules of play."""
    qualified = around.dealer_rank >= LOWEST_QUEEN_HIGH
    if not qualified:
        lines.append(won(box, ante, EVEN_MONEY, _CLAUSE_A))
    elif rank < around.dealer_rank:
        lines.append(lost(box, ante, _LOWER))
    else:
        lines.append(pushed(box, ante, _CLAUSE_A))
    if play.stake == 0:
        return
    if rank > around.dealer_rank:
        lines.append(won(box, play, EVEN_MONEY, _CLAUSE_B))
    elif qualified and rank < around.dealer_rank:
        lines.append(lost(box, play, _LOWER))
    else:
        lines.append(pushed(box, play, _EQUAL if rank == around.dealer_rank else _UNQUALIFIED_PLAY))


def _settle_ante_bonus(
    box: Box, ante: Placed, rank: int, folded: bool, around: _Round, *, lines: list[Line]
) -> None:
    if folded and around.readings["ante_bonus_on_fold"] == "none":
        return
    odds = _ANTE_BONUS_PAYS.get(THREE_CARD_CATEGORY[rank])
    if odds is not None:
        lines.append(bonus(box, "ante_bonus", ante.action, odds, _BONUS))


def _settle_player_bonus(box: Box, bet: Placed, rank: int, around: _Round, lines: list[Line]) -> None:
    letter = letter_of(around.terms, "player_bonus", StaxThreeCard.id)
    odds = _BY_LETTER["player_bonus", letter].get(THREE_CARD_CATEGORY[rank])
    if odds is None:
        lines.append(lost(box, bet, _PLAYER_BONUS_LOSES))
    else:
        lines.append(won(box, bet, odds, _PLAYER_BONUS_WINS))


def _settle_bounty(box: Box, bet: Placed, six: tuple[int, ...], around: _Round, lines: list[Line]) -> None:
    pays = _BY_LETTER["six_card_bounty", letter_of(around.terms, "six_card_bounty", StaxThreeCard.id)]
    category = FIVE_CARD_CATEGORY[best_five_of_six(*six)]
    odds = pays.get(category)
    cards = six
    if category == "royal_flush" and _is_six_card_royal(six):
        # If the column has no such row, the six cards still hold a royal flush.
        odds = pays.get("six_card_royal", odds)
    elif odds is not None:
        cards = cards_of_best_five(six)
    if odds is None:
        lines.append(lost(box, bet, _BOUNTY_LOSES))
    else:
        lines.append(replace(won(box, bet, odds, _BOUNTY_WINS), cards=tuple(DECK[card] for card in cards)))


def _is_six_card_royal(six: tuple[int, ...]) -> bool:
    return sorted(card >> 2 for card in six) == _SIX_TO_THE_ACE and all((card ^ six[0]) & 3 == 0 for card in six)


def _settle_stax(
    box: Box, present: int | None, three: tuple[int, int, int], folded: bool, around: _Round, *, lines: list[Line]
) -> None:
    """A coin spot senses presence only, so its stake is the prescribed amount."""
    stake = around.prescribed if present is None else present
    bet = Placed("progressive", stake, within(stake, around.prescribed))
    if folded and around.readings["stax_on_fold"] == "forfeit":
        lines.append(lost(box, bet, _FOLDED))
        return
    hand, cards = _stax_hand(three, around)
    odds = _STAX_PAYS.get(hand)
    if odds is None:
        lines.append(lost(box, bet, _STAX_LOSES))
    elif odds.kind is OddsKind.TO:
        lines.append(won(box, bet, odds, _STAX_WINS))
    else:
        returned = around.readings["stax_stake_on_meter_win"] == "returned"
        used = tuple(DECK[card] for card in cards)
        currency = around.terms.currency
        lines.append(award(box, bet, odds, _STAX_WINS, stake_returned=returned, cards=used, currency=currency))


def _stax_hand(three: tuple[int, int, int], around: _Round) -> tuple[str, tuple[int, ...]]:
    """The row of the Stax table; it names the suit of a straight flush if the suit matters."""
    cards: tuple[int, ...] = three
    if around.readings["stax_hand"] == "player_three":
        category = THREE_CARD_CATEGORY[three_card_rank(*three)].replace("mini_royal", "royal_flush")
    else:
        six = (*three, *around.dealer)
        category = FIVE_CARD_CATEGORY[best_five_of_six(*six)]
        cards = cards_of_best_five(six)
    if category in ("royal_flush", "straight_flush") and cards[0] & 3 == _DIAMONDS:
        category += "_diamonds"
    return category, cards
