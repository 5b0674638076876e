"""The table's own view of a settlement: its snapshot, its hands and its decisions, as the rulebook in force
wants them. What the cards are worth is the rulebook's business."""

from __future__ import annotations

from functools import cache
from itertools import product

from felt.nouns.cards import Card
from felt.nouns.ids import Spot, claim_id, spot_of
from felt.nouns.stamps import Stamp
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES, Paragraphs, Procedure
from felt.rules.rulebook import LOSE, PLAY, REFUSE_REVEAL, RETURNED, Bettor, Box, Deal, Line, Rulebook, Wager
from felt.table import deal, facts, letters, lock
from felt.table.asked import once_a_pair, once_a_table
from felt.table.settings import Settings
from felt.table.state import Bet, ClaimState, LinkState, Phase, Round, SpotState, Table


def book_of(table: Table) -> Rulebook:
    """The version that the round in play was opened under."""
    playing = round_of(table)
    return shelf.edition(playing.rulebook, playing.version)


def procedure_of(table: Table) -> Procedure:
    assert table.settings is not None
    return PROCEDURES[table.settings.game]


def paragraphs_of(table: Table) -> Paragraphs:
    return procedure_of(table).paragraphs


def round_of(table: Table) -> Round:
    assert table.round is not None
    return table.round


# --- wagers ------------------------------------------------------------------------------------------


@cache
def _placed(game: str) -> tuple[Wager, ...]:
    return tuple(wager for wager in shelf.rulebook(game).wagers if not wager.after_cards)


def placed_wagers(settings: Settings) -> tuple[Wager, ...]:
    return _placed(settings.game)


def kinds_of(settings: Settings) -> tuple[str, ...]:
    """The wagers that lie on a spot before the cards come."""
    return tuple(wager.name for wager in _placed(settings.game))


@cache
def _places(game: str, seats: int) -> dict[Spot, int]:
    kinds = [wager.name for wager in _placed(game)]
    return {spot_of(seat, kind): place for place, (seat, kind) in enumerate(product(range(1, seats + 1), kinds))}


def place_of(table: Table, spot: Spot) -> int | None:
    """Where a spot stands among the table's: seat by seat, in the order of the wagers."""
    if table.settings is None:
        return None
    place = _places(table.settings.game, table.settings.seats).get(spot)
    # A new era has its settings before it has its spots.
    return place if place is not None and place < len(table.spots) else None


@cache
def _place_of_coin(game: str) -> int | None:
    return next((place for place, wager in enumerate(_placed(game)) if wager.coin_spot), None)


def coin_wager(settings: Settings) -> Wager | None:
    place = _place_of_coin(settings.game)
    return None if place is None else _placed(settings.game)[place]


def coin_spots(table: Table) -> tuple[Wager | None, tuple[SpotState, ...]]:
    """The progressive wager and its spots. Spots stand seat by seat in the order of the wagers."""
    assert table.settings is not None
    wagers, place = _placed(table.settings.game), _place_of_coin(table.settings.game)
    return (None, ()) if place is None else (wagers[place], table.spots[place :: len(wagers)])


def progressive_may_open(table: Table) -> bool:
    assert table.settings is not None
    return table.link is LinkState.UP and not table.progressive_off and coin_wager(table.settings) is not None


# --- the snapshot ------------------------------------------------------------------------------------


@once_a_table
def snapshot_of(table: Table) -> tuple[Bet, ...]:
    assert table.settings is not None
    return lock.snapshot(table, _placed(table.settings.game), paragraphs_of(table))


def bets_by_seat(bets: tuple[Bet, ...]) -> dict[int, list[Bet]]:
    seats: dict[int, list[Bet]] = {}
    for bet in bets:
        if bet.accepted:
            seats.setdefault(bet.seat, []).append(bet)
    return seats


@once_a_pair
def seats_in_play(book: Rulebook, bets: tuple[Bet, ...]) -> tuple[int, ...]:
    """The boxes that are dealt to, clockwise from the dealer's left."""
    boxes = {seat: tuple((bet.wager, bet.amount_minor) for bet in some) for seat, some in bets_by_seat(bets).items()}
    return tuple(seat for seat in sorted(boxes) if book.in_play(_bare_box(seat, boxes[seat])))


def _bare_box(seat: int, bets: tuple[tuple[str, int | None], ...]) -> Box:
    return Box(seat, str(seat), (), "", bets)


def contributions(playing: Round) -> tuple[letters.Contribution, ...]:
    """Of the boxes whose bets stand; a bet that went back after the snapshot contributes nothing."""
    gone = contributions_returned(playing)
    recorded = _recorded(playing)
    return tuple(one for one in recorded if one.seat not in gone) if gone else recorded


def contributions_returned(playing: Round) -> tuple[int, ...]:
    if not playing.returned and not playing.found:
        return ()
    return tuple(one.seat for one in _recorded(playing) if one.seat in playing.returned or _is_too_much(playing, one))


def _is_too_much(playing: Round, one: letters.Contribution) -> bool:
    """More was found on the coin spot than is prescribed, and the reading in force hands the whole bet back."""
    if not playing.found or "pj_wrong_amount=whole_bet_returned" not in playing.readings.split():
        return False
    coin = next(bet.wager for bet in playing.bets if bet.coin)
    return dict(playing.found).get(spot_of(one.seat, coin), 0) > one.stake_minor


def spots_with_bets(playing: Round) -> tuple[Spot, ...]:
    """Of the snapshot, and where a second bet lies since the decision."""
    every = [bet for bet in (*playing.bets, *_placed_since(playing)) if bet.accepted]
    return tuple(spot_of(bet.seat, bet.wager) for bet in every if bet.seat not in playing.returned)


def amount_of(playing: Round, bet: Bet) -> int | None:
    """As recorded with the lock, unless a person found another amount there."""
    if not playing.found:
        return bet.amount_minor
    return dict(playing.found).get(spot_of(bet.seat, bet.wager), bet.amount_minor)


def _recorded(playing: Round) -> tuple[letters.Contribution, ...]:
    return tuple(
        letters.Contribution(bet.seat, bet.amount_minor)
        for bet in playing.bets
        if bet.coin and bet.accepted and bet.amount_minor is not None
    )


def standing_seats(playing: Round) -> tuple[int, ...]:
    """Boxes with a bet that was accepted and has not gone back."""
    return tuple(seat for seat in sorted(bets_by_seat(playing.bets)) if seat not in playing.returned)


def staked_minor(playing: Round) -> int:
    return sum(one.stake_minor for one in contributions(playing))


# --- decisions ---------------------------------------------------------------------------------------


def deciding_seats(table: Table) -> tuple[int, ...]:
    """Boxes whose player must fold or play: those with the wager that the decision's own wager needs."""
    playing = round_of(table)
    asked = _seats_asked(book_of(table), playing.bets)
    return tuple(seat for seat in asked if seat not in playing.returned) if playing.returned else asked


@once_a_pair
def _seats_asked(book: Rulebook, bets: tuple[Bet, ...]) -> tuple[int, ...]:
    needed = [wager.needs for wager in book.wagers if wager.after_cards]
    return tuple(sorted(dict.fromkeys(bet.seat for bet in bets if bet.accepted and bet.wager in needed)))


def undecided_seats(table: Table) -> tuple[int, ...]:
    decided = [decision.seat for decision in round_of(table).decisions]
    return tuple([seat for seat in deciding_seats(table) if seat not in decided])


def hands_are_examined(table: Table) -> bool:
    """In a game without decisions the players look at their cards between the last card and the reveal."""
    return table.phase is Phase.REVEALING and not round_of(table).revealed and not book_of(table).has_fold


# --- the verdict -------------------------------------------------------------------------------------


@once_a_table
def lines_of(table: Table) -> tuple[Line, ...]:
    """Every verdict line of the round; a major award is a share until the controller values it."""
    assert table.settings is not None
    playing, book = round_of(table), book_of(table)
    # Boxes that take no part come too: the book says what becomes of a bet that does not stand.
    boxes = tuple(box_of(table, book, seat) for seat in sorted(bets_by_seat(playing.bets)))
    verdict = book.settle(
        Deal(deal.hand_of(playing, deal.DEALER), deal.hand_of(playing, deal.COMMUNITY), boxes),
        table.settings.terms,
    )
    handed_back = tuple(_returned_line(playing, bet, bet.rule) for bet in playing.bets if not bet.accepted)
    return (*_by_their_paragraphs(playing, verdict), *handed_back)


def _by_their_paragraphs(playing: Round, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """A book returns an invalid hand's bets by its general paragraph; a ruling may have had another."""
    rules = dict(playing.returned_by)
    return tuple(
        line._replace(rule=rules[line.seat]) if rules.get(line.seat) and line.outcome == RETURNED else line
        for line in lines
    )


def box_of(table: Table, book: Rulebook, seat: int) -> Box:
    playing = round_of(table)
    decision = next((one.choice for one in playing.decisions if one.seat == seat), "")
    bets = [(bet.wager, amount_of(playing, bet)) for bet in playing.bets if bet.seat == seat and bet.accepted]
    if decision in (PLAY, REFUSE_REVEAL):
        staked, found = dict(bets), dict(playing.found)
        # The second bet equals the first, unless the dealer found it otherwise.
        bets += [
            (wager.name, found.get(spot_of(seat, wager.name), staked.get(wager.needs)))
            for wager in book.wagers
            if wager.after_cards
        ]
    player = player_of(playing, seat)
    bettors = _bettors(playing, seat, player) if book.has_bettors else ()
    cards = deal.hand_of(playing, str(seat))
    return Box(seat, player, cards, decision, tuple(bets), seat in playing.returned, bettors)


def _bettors(playing: Round, seat: int, player: str) -> tuple[Bettor, ...]:
    """Whoever has bet on the box. What names nobody, or was found otherwise, is the box's own player's."""
    bets: dict[str, list[tuple[str, int | None]]] = {}
    for bet in playing.bets:
        if bet.seat == seat and bet.accepted:
            found = spot_of(seat, bet.wager) in dict(playing.found)
            named = () if found else bet.stakes
            for name, amount in named or ((player, amount_of(playing, bet)),):
                bets.setdefault(name, []).append((bet.wager, amount))
    return tuple(Bettor(name, tuple(some)) for name, some in bets.items())


def player_of(playing: Round, seat: int) -> str:
    """One player for each box, unless the dealer linked them: then the lowest of the boxes names him."""
    return str(next((min(boxes) for boxes in playing.linked if seat in boxes), seat))


def returned_lines(playing: Round, rule: str) -> tuple[Line, ...]:
    """A void returns every bet that was recorded, and what was placed with a decision since."""
    recorded = tuple(_returned_line(playing, bet, rule if bet.accepted else bet.rule) for bet in playing.bets)
    return (*recorded, *(_returned_line(playing, bet, rule) for bet in _placed_since(playing)))


def _placed_since(playing: Round) -> list[Bet]:
    """The second bets: each as large as the first, unless it was found otherwise."""
    after = [wager for wager in shelf.edition(playing.rulebook, playing.version).wagers if wager.after_cards]
    played = [one.seat for one in playing.decisions if one.choice in (PLAY, REFUSE_REVEAL)]
    return [
        Bet(bet.seat, wager.name, amount_of(playing, bet), keyed=False, coin=False, accepted=True, rule="")
        for bet in playing.bets
        for wager in after
        if bet.wager == wager.needs and bet.accepted and bet.seat in played and bet.seat not in playing.returned
    ]


def _returned_line(playing: Round, bet: Bet, rule: str) -> Line:
    amount = amount_of(playing, bet)
    lost = None if amount is None else 0
    return Line(
        bet.seat, player_of(playing, bet.seat), bet.wager, amount, RETURNED, amount, lost, 0,
        "", "", 0, 1, rule, "the bet goes back to the player", (),
    )


# --- claims ------------------------------------------------------------------------------------------


def claims_of(table: Table, lines: tuple[Line, ...]) -> tuple[letters.Claim, ...]:
    playing = round_of(table)
    return tuple(
        letters.Claim(
            claim_id(playing.number, line.seat), line.seat, line.level, line.share_num, line.share_den,
            line.because, tuple(Card(card) for card in line.cards),
            dealt_ns, dict(playing.registered).get(line.level, 0), uncertain_ns, _has_keyed_card(playing, line),
            playing.dealer, deal.shoe_of(table),
        )
        for line in lines
        if line.level
        for dealt_ns, uncertain_ns in (deal.time_of_hand(playing, str(line.seat)),)
    )


def _has_keyed_card(playing: Round, line: Line) -> bool:
    """Whether any card that the award rests on was keyed by a person."""
    return any(dealt.keyed and dealt.card in line.cards for dealt in playing.dealt)


def claim_in_hand(table: Table) -> ClaimState | None:
    """Claims are settled one after another: the one that the controller has valued, else the next in deal order."""
    if table.round is None:
        return None
    waiting = [claim for claim in table.round.claims if not claim.verdict]
    valued = [claim for claim in waiting if claim.value_micro is not None]
    return next(iter(valued or waiting), None)


def unvalued_claims(table: Table) -> tuple[str, ...]:
    """The claims of which any may be valued next. The order is the controller's alone: two tables that insisted on
    their own, each with claims on two meters, could wait for each other for ever."""
    claims = table.round.claims if table.round else ()
    return tuple(claim.claim for claim in claims if not claim.verdict and claim.value_micro is None)


def is_valued_otherwise(table: Table, told: facts.ClaimValued) -> bool:
    """The claim in hand, of another value or share than it has: persons have corrected it at the controller."""
    claim = claim_in_hand(table)
    if claim is None or claim.claim != told.claim or claim.value_micro is None:
        return False
    return (claim.value_micro, claim.award_minor) != (told.value_micro, told.award_minor) or is_corrected(table, told)


def is_corrected(table: Table, told: facts.ClaimValued) -> bool:
    """Whether the controller has valued another level or share than the table claimed. An older one says neither."""
    playing, claim = round_of(table), claim_named(table, told.claim)
    if told.level not in dict(playing.registered) or not 1 <= told.share_num <= told.share_den:
        return False
    share = (told.level, told.share_num, told.share_den)
    return any(share != (line.level, line.share_num, line.share_den) for line in playing.lines if is_of(line, claim))


def claim_named(table: Table, name: str) -> ClaimState:
    return next(claim for claim in round_of(table).claims if claim.claim == name)


def with_share(lines: tuple[Line, ...], claim: ClaimState, level: str, share: tuple[int, int]) -> tuple[Line, ...]:
    num, den = share
    return tuple(
        line._replace(level=level, share_num=num, share_den=den) if is_of(line, claim) else line for line in lines
    )


def with_award(lines: tuple[Line, ...], claim: ClaimState) -> tuple[Line, ...]:
    return tuple(line._replace(paid=claim.award_minor) if is_of(line, claim) else line for line in lines)


def without_award(lines: tuple[Line, ...], claim: ClaimState, reason: str) -> tuple[Line, ...]:
    because = f"the claim was denied: {reason}"
    return tuple(
        line._replace(
            outcome=LOSE, paid=0, returned=None if line.stake is None else 0, lost=line.stake, because=because
        )
        if is_of(line, claim)
        else line
        for line in lines
    )


def is_of(line: Line, claim: ClaimState) -> bool:
    return line.seat == claim.seat and line.level == claim.level


def ended_letter(ended: Round, at: Stamp) -> letters.RoundEndedLetter:
    paid = sum(claim.award_minor or 0 for claim in ended.claims if claim.verdict == "confirmed")
    return letters.RoundEndedLetter(ended.number, at, staked_minor(ended), paid, len(contributions(ended)))
