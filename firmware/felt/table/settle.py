"""The table's input to a settlement: its snapshot, hands and decisions, in the form that the rulebook in force wants.
The rulebook alone says what the cards are worth."""

from __future__ import annotations

from functools import cache
from itertools import product

from felt.letters import from_table as letters
from felt.nouns.cards import Card
from felt.nouns.ids import Spot, claim_id, spot_of
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES, DealingProcedure, Paragraphs
from felt.rules.rulebook import (
    LOSE,
    PLAY,
    REFUSE_REVEAL,
    RETURNED,
    Bettor,
    Box,
    Deal,
    Line,
    Rulebook,
    Wager,
    readings_in_force,
)
from felt.table import deal, facts, lock
from felt.table.remembered import once_a_pair, once_a_table
from felt.table.settings import Settings
from felt.table.state import Bet, ClaimState, LinkState, Phase, Round, SpotState, Table

ENVY = "envy"
MISREAD, STANDS = "misread", "stands"  # what a denial says about the hand


def book_of(table: Table) -> Rulebook:
    """The version under which the round in play was opened."""
    playing = round_of(table)
    return shelf.edition(playing.rulebook, playing.version)


def procedure_of(table: Table) -> DealingProcedure:
    assert table.settings is not None
    return PROCEDURES[table.settings.game]


def paragraphs_of(table: Table) -> Paragraphs:
    procedure = procedure_of(table)
    if procedure.alone is None or not supervisor_decides_alone(table):
        return procedure.paragraphs
    return procedure.alone


def supervisor_decides_alone(table: Table) -> bool:
    """The rulebook has no irregularities and the house adopted none: nothing is quoted and nothing is proposed."""
    assert table.settings is not None
    return table.settings.reading("house_irregularities", "as_000") == "supervisor_only"


def round_of(table: Table) -> Round:
    assert table.round is not None
    return table.round


def reading_of(table: Table, name: str) -> str:
    """The value in force of a reading; empty if this game has no such reading."""
    assert table.settings is not None
    return readings_in_force(book_of(table), table.settings.terms).get(name, "")


@cache
def _placed(game: str) -> tuple[Wager, ...]:
    return tuple(wager for wager in shelf.rulebook(game).wagers if not wager.after_cards)


def placed_wagers(settings: Settings) -> tuple[Wager, ...]:
    return _placed(settings.game)


def kinds_of(settings: Settings) -> tuple[str, ...]:
    """The wagers of a spot before the cards come."""
    return tuple(wager.name for wager in _placed(settings.game))


@cache
def _places(game: str, seats: int) -> dict[Spot, int]:
    kinds = [wager.name for wager in _placed(game)]
    return {spot_of(seat, kind): place for place, (seat, kind) in enumerate(product(range(1, seats + 1), kinds))}


def place_of(table: Table, spot: Spot) -> int | None:
    """The index of a spot in the table: seat by seat, in the order of the wagers."""
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
    """The progressive wager and its spots. Spots are ordered by seat, then by wager."""
    assert table.settings is not None
    wagers, place = _placed(table.settings.game), _place_of_coin(table.settings.game)
    return (None, ()) if place is None else (wagers[place], table.spots[place :: len(wagers)])


def chips_on_coins(table: Table) -> tuple[Spot, ...]:
    _, spots = coin_spots(table)
    return tuple(spot.spot for spot in spots if spot.present or spot.keyed)


def progressive_may_open(table: Table) -> bool:
    assert table.settings is not None
    return table.link is LinkState.UP and not table.progressive_off and coin_wager(table.settings) is not None


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
    """The boxes that get cards, clockwise from the dealer's left."""
    boxes = {seat: tuple((bet.wager, bet.amount_minor) for bet in some) for seat, some in bets_by_seat(bets).items()}
    return tuple(seat for seat in sorted(boxes) if book.in_play(_bare_box(seat, boxes[seat])))


def _bare_box(seat: int, bets: tuple[tuple[str, int | None], ...]) -> Box:
    return Box(seat, str(seat), (), "", bets)


def contributions(playing: Round) -> tuple[letters.Contribution, ...]:
    """Contributions of the boxes whose bets stand. A bet that went back after the snapshot contributes nothing."""
    gone = contributions_returned(playing)
    recorded = _recorded(playing)
    return tuple(contribution for contribution in recorded if contribution.seat not in gone) if gone else recorded


def contributions_returned(playing: Round) -> tuple[int, ...]:
    if not playing.returned and not playing.found:
        return ()
    return tuple(
        contribution.seat
        for contribution in _recorded(playing)
        if contribution.seat in playing.returned or _is_too_much(playing, contribution)
    )


def _is_too_much(playing: Round, contribution: letters.Contribution) -> bool:
    """More than prescribed was found on the coin spot, and the reading in force returns the whole bet."""
    if not playing.found or "pj_wrong_amount=whole_bet_returned" not in playing.readings.split():
        return False
    coin = next(bet.wager for bet in playing.bets if bet.coin)
    return dict(playing.found).get(spot_of(contribution.seat, coin), 0) > contribution.stake_minor


def spots_with_bets(playing: Round) -> tuple[Spot, ...]:
    """Spots with a bet of the snapshot or with a second bet since the decision."""
    every = [bet for bet in (*playing.bets, *placed_since(playing)) if bet.accepted]
    return tuple(spot_of(bet.seat, bet.wager) for bet in every if bet.seat not in playing.returned)


def amount_of(playing: Round, bet: Bet) -> int | None:
    """The amount recorded with the lock, unless a person found another amount there."""
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
    """Boxes with an accepted bet that has not gone back."""
    return tuple(seat for seat in sorted(bets_by_seat(playing.bets)) if seat not in playing.returned)


def staked_minor(playing: Round) -> int:
    return sum(contribution.stake_minor for contribution in contributions(playing))


def deciding_seats(table: Table) -> tuple[int, ...]:
    """Boxes whose player must fold or play: those with the wager that the decision's wager needs."""
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
    """If nobody has a decision to make, players may look at their cards between the last card and the reveal."""
    return table.phase is Phase.REVEALING and not round_of(table).revealed and book_of(table).side_bettors_look


@once_a_table
def lines_of(table: Table) -> tuple[Line, ...]:
    """Every verdict line of the round. A major award is a share until the controller values it."""
    assert table.settings is not None
    playing, book = round_of(table), book_of(table)
    # Boxes that take no part are included: the rulebook says what becomes of a bet that does not stand.
    boxes = tuple(box_of(table, book, seat) for seat in sorted(bets_by_seat(playing.bets)))
    verdict = book.settle(
        Deal(deal.hand_of(playing, deal.DEALER), deal.hand_of(playing, deal.COMMUNITY), boxes),
        table.settings.terms,
    )
    handed_back = [
        line for bet in playing.bets if not bet.accepted for line in _lines_of_return(playing, bet, bet.rule)
    ]
    return (*_by_their_paragraphs(playing, verdict), *handed_back)


def _by_their_paragraphs(playing: Round, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The rulebook returns an invalid hand's bets by its general paragraph; a ruling may have used another one."""
    rules = dict(playing.returned_by)
    return tuple(
        replace(line, rule=rules[line.seat]) if rules.get(line.seat) and line.outcome == RETURNED else line
        for line in lines
    )


def box_of(table: Table, book: Rulebook, seat: int) -> Box:
    playing = round_of(table)
    decision = next((decision.choice for decision in playing.decisions if decision.seat == seat), "")
    bets = [(bet.wager, amount_of(playing, bet)) for bet in playing.bets if bet.seat == seat and bet.accepted]
    if decision in (PLAY, REFUSE_REVEAL):
        staked, found = dict(bets), dict(playing.found)
        # The second bet equals the first, unless the dealer found another amount.
        bets += [
            (wager.name, found.get(spot_of(seat, wager.name), staked.get(wager.needs)))
            for wager in book.wagers
            if wager.after_cards
        ]
    player = player_of(playing, seat)
    bettors = _bettors(playing, seat) if book.has_bettors else ()
    cards = deal.hand_of(playing, str(seat))
    established = seat not in playing.unshown or seat in dict(playing.open_hands)
    return Box(
        seat, player, cards, decision, tuple(bets), seat in playing.returned, bettors, established,
        gives_envy=all(_denied_hand_counts(table, claim) for claim in playing.claims if claim.seat == seat),
    )


def _denied_hand_counts(table: Table, claim: ClaimState) -> bool:
    """True if a royal gives envy awards although its claim was denied. An undenied royal does."""
    if claim.verdict != "denied":
        return True
    reading = reading_of(table, "envy_after_denial")
    return reading == "always" or (reading == "only_if_the_hand_stands" and claim.hand == STANDS)


def _bettors(playing: Round, seat: int) -> tuple[Bettor, ...]:
    """Every player with a bet on the box."""
    bets: dict[str, list[tuple[str, int | None]]] = {}
    for bet in playing.bets:
        if bet.seat == seat and bet.accepted:
            for name, amount in _stakes_of(playing, bet):
                bets.setdefault(name, []).append((bet.wager, amount))
    return tuple(Bettor(name, tuple(some)) for name, some in bets.items())


def player_of(playing: Round, seat: int) -> str:
    """One player for each box. If the dealer linked boxes, the lowest box names their player."""
    return str(next((min(boxes) for boxes in playing.linked if seat in boxes), seat))


def returned_lines(playing: Round, rule: str) -> tuple[Line, ...]:
    """Every recorded bet, and each bet placed with a decision, once. A bet that went back earlier keeps its
    paragraph."""
    gone = dict(playing.returned_by)
    return tuple(
        line
        for bet in (*playing.bets, *placed_since(playing))
        for line in _lines_of_return(playing, bet, gone.get(bet.seat, rule) if bet.accepted else bet.rule)
    )


def with_what_lies_there(table: Table) -> Round:
    """The round with its bets. Before they are recorded, with what lies on the layout: nothing was handed back yet."""
    assert table.settings is not None
    playing = round_of(table)
    if playing.bets:
        return playing
    lying = lock.lying_bets(table, _placed(table.settings.game), paragraphs_of(table))
    return replace(playing, bets=tuple(replace(bet, accepted=True, rule="") for bet in lying))


def placed_since(playing: Round) -> list[Bet]:
    """The second bets, each as large as the first unless another amount was found."""
    after = [wager for wager in shelf.edition(playing.rulebook, playing.version).wagers if wager.after_cards]
    played = [decision.seat for decision in playing.decisions if decision.choice in (PLAY, REFUSE_REVEAL)]
    return [
        Bet(bet.seat, wager.name, amount_of(playing, bet), keyed=False, coin=False, accepted=True, rule="")
        for bet in playing.bets
        for wager in after
        if bet.wager == wager.needs and bet.accepted and bet.seat in played
    ]


def _lines_of_return(playing: Round, bet: Bet, rule: str) -> list[Line]:
    because = "the bet goes back to the player"
    return [
        Line(
            bet.seat, player, bet.wager, amount, RETURNED, amount, None if amount is None else 0, 0,
            "", "", 0, 1, rule, because, (),
        )
        for player, amount in _stakes_of(playing, bet)
    ]  # fmt: skip


def _stakes_of(playing: Round, bet: Bet) -> tuple[tuple[str, int | None], ...]:
    """Stakes by player. A stake without a name, or of another amount than recorded, is the box's own player's."""
    found = spot_of(bet.seat, bet.wager) in dict(playing.found)
    named = () if found else bet.stakes
    return named or ((player_of(playing, bet.seat), amount_of(playing, bet)),)


def with_envy_again(table: Table, playing: Round) -> Round:
    """A settled round with the envy awards that are due now: a royal that was misread or is invalid gives none."""
    if not any(line.bet == ENVY for line in playing.lines):
        return playing
    due = {line.seat: line for line in lines_of(replace(table, round=playing)) if line.bet == ENVY}
    others = (line if line.bet != ENVY else due.get(line.seat) for line in playing.lines)
    return replace(playing, lines=tuple(line for line in others if line is not None))


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
    """True if a person keyed any card that the award depends on."""
    return any(dealt.keyed and dealt.card in line.cards for dealt in playing.dealt)


def claim_in_hand(table: Table) -> ClaimState | None:
    """Claims are settled one after another: the one that the controller has valued, otherwise the next in deal
    order."""
    if table.round is None:
        return None
    waiting = [claim for claim in table.round.claims if not claim.verdict]
    valued = [claim for claim in waiting if claim.value_micro is not None]
    return next(iter(valued or waiting), None)


def unvalued_claims(table: Table) -> tuple[str, ...]:
    """The claims that may be valued next. Only the controller decides the order: two tables with claims on two meters
    that each insisted on their own order could wait for each other for ever."""
    claims = table.round.claims if table.round else ()
    return tuple(claim.claim for claim in claims if not claim.verdict and claim.value_micro is None)


def is_valued_otherwise(table: Table, told: facts.ClaimValued) -> bool:
    """An open claim got another value or share than it has: persons corrected it at the controller."""
    claims = table.round.claims if table.round else ()
    claim = next((claim for claim in claims if claim.claim == told.claim and not claim.verdict), None)
    if claim is None or claim.value_micro is None:
        return False
    return (claim.value_micro, claim.award_minor) != (told.value_micro, told.award_minor) or is_corrected(table, told)


def is_corrected(table: Table, told: facts.ClaimValued) -> bool:
    """True if the controller valued another level or share than the table claimed. An older controller tells
    neither."""
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
        replace(line, level=level, share_num=num, share_den=den) if is_of(line, claim) else line for line in lines
    )


def with_award(lines: tuple[Line, ...], claim: ClaimState) -> tuple[Line, ...]:
    return tuple(replace(line, paid=claim.award_minor) if is_of(line, claim) else line for line in lines)


def without_award(lines: tuple[Line, ...], claim: ClaimState, reason: str) -> tuple[Line, ...]:
    because = f"the claim was denied: {reason}"
    return tuple(
        replace(
            line,
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
