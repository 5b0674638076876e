"""The rows that map a mishap and its circumstances to the lawful options. The first row that fits applies; a
rulebook's own rows come before shared ones. `felt.rules.remedies` defines their vocabulary."""

from __future__ import annotations

from felt.nouns.values import fields_of, replace
from felt.rules.authority import Authority
from felt.rules.mishaps import Mishap
from felt.rules.procedure import HOUSE_ALONE
from felt.rules.remedies import (
    CONTINUE,
    HOUSE,
    INVALIDATE,
    KEEP_ORDER,
    PICTURES,
    PLAYERS_CHOOSE,
    PROGRESSIVE,
    RECONSTRUCT,
    RECORD_CORRECTION,
    RWS,
    STAND,
    SWAP_ORDER,
    VOID,
    Case,
    Citations,
    Option,
    Place,
    Players,
    Readings,
    Remedy,
    RemedyRow,
    Stage,
    Way,
    in_force,
)

_ALL = tuple(Mishap)
_NOBODY, _AFFECTED, _OTHERS, _EVERYBODY = Players
_PLAY = (Stage.IN_PLAY,)
_CURRENT = (Stage.BEFORE_LOCK, Stage.IN_PLAY, Stage.SETTLED)
_LOCKED = (Stage.IN_PLAY, Stage.SETTLED)
_EXPOSED = (Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS)
_MISPLACED = (Mishap.WRONG_BOX, Mishap.DEALING_ERROR)
_BOX = (Place.BOX,)


def _if_possible(way: Way) -> Way:
    return replace(way, if_reconstructable=True)


def _if_impossible(way: Way) -> Way:
    return replace(way, if_reconstructable=False)


def _rebuilt(cite: str, players: Players) -> Way:
    return Way(RECONSTRUCT, cite, players, if_reconstructable=True, goes_on_by="go_on_reconstructed")


def _ordered(order: str) -> Way:
    return Way(order, "simultaneous", _EVERYBODY, choose_by="simultaneous_options")


_INVALID_HAND = _if_impossible(Way(INVALIDATE, "player_count", _OTHERS, choose_by="others_after_count"))


def _void_by(cite: str, *mishaps: Mishap) -> RemedyRow:
    return RemedyRow(mishaps, _CURRENT, (Way(VOID, cite),))


def _missing_in_a_box(players: Players) -> tuple[RemedyRow, ...]:
    """If the card is there and only its message was lost, its ordinal is right: a supervisor keys it and play goes
    on. If it is not there, the hand has a wrong number of cards or the deal was incorrect."""
    ways = (Way(CONTINUE, "player_count"), _INVALID_HAND, _rebuilt("options", players))
    unseen = (*ways, _if_impossible(Way(VOID, "incorrectly")))
    return (
        RemedyRow((Mishap.MISSING_CARD,), _PLAY, unseen, seen=False, places=_BOX),
        RemedyRow((Mishap.MISSING_CARD,), _PLAY, ways, seen=True, places=_BOX),
    )


# The shift manager decides what no paragraph covers. A hand can leave the round only if the mishap names one.
_MANAGER = (
    Way(CONTINUE, "uncovered", who=Authority.SHIFT_MANAGER),
    Way(VOID, "uncovered", who=Authority.SHIFT_MANAGER),
)
_MANAGER_OF_A_BOX = (*_MANAGER, Way(INVALIDATE, "uncovered", who=Authority.SHIFT_MANAGER))
_MANAGER_ROWS = (
    RemedyRow(_ALL, _LOCKED, _MANAGER_OF_A_BOX, places=_BOX),
    RemedyRow(_ALL, _CURRENT, _MANAGER),
)

_LATER_ROWS = (
    RemedyRow(_ALL, (Stage.LATER,), (Way(STAND, "later"),), asks=False),
    RemedyRow(
        (Mishap.DEALER_COUNT, Mishap.WRONG_COUNT, Mishap.EXCESS_CARD), (Stage.ENDED,), (Way(STAND, "later"),),
        reading=("void_window", "until_end_round"), asks=False,
    ),
    RemedyRow(
        (Mishap.DEALER_COUNT, Mishap.EXCESS_CARD), (Stage.ENDED,),
        (_if_impossible(Way(VOID, "dealer_count")), _if_possible(Way(STAND, "dealer_count"))),
    ),
    RemedyRow(
        (Mishap.WRONG_COUNT,), (Stage.ENDED,),
        (_if_impossible(Way(INVALIDATE, "player_count")), _if_possible(Way(STAND, "player_count"))),
        places=_BOX,
    ),
    RemedyRow(_ALL, (Stage.ENDED,), (Way(STAND, "stands"),), asks=False),
)  # fmt: skip

_SHARED_ROWS = (
    _void_by("foreign", Mishap.FOREIGN_CARD, Mishap.DUPLICATE_CARD),
    _void_by("deck_count", Mishap.WRONG_DECK_COUNT),
    _void_by("insufficient", Mishap.SHORT_DEAL),
    _void_by("not_shuffled", Mishap.NOT_SHUFFLED),
    RemedyRow((Mishap.FACE_UP_CARD,), _CURRENT, (Way(CONTINUE, "face_up"),), asks=False),
    RemedyRow((Mishap.CHIP_IN_ERROR,), _CURRENT, (Way(CONTINUE, "chips"),), asks=False),
    # A card that left the shuffler before bets closed, whatever else is wrong with it.
    RemedyRow(
        tuple(mishap for mishap in _ALL if mishap is not Mishap.OTHER), (Stage.BEFORE_LOCK,),
        (Way(CONTINUE, "incorrectly"),),
        reading=("card_before_lock", "card_removed"),
    ),
    RemedyRow(
        tuple(mishap for mishap in _ALL if mishap is not Mishap.OTHER), (Stage.BEFORE_LOCK,),
        (Way(VOID, "incorrectly"), Way(CONTINUE, "incorrectly")),
    ),
    # An excess card belongs to the dealer if his hand was dealt last, otherwise to nobody; then it is a dealing error.
    RemedyRow(
        (Mishap.EXCESS_CARD,), _LOCKED,
        (_if_impossible(Way(VOID, "dealer_count")), _if_possible(Way(CONTINUE, "dealer_count"))),
        places=(Place.DEALER,),
    ),
    RemedyRow(
        (Mishap.EXCESS_CARD,), _PLAY,
        (_if_impossible(Way(VOID, "incorrectly")), _if_possible(Way(CONTINUE, "incorrectly"))), seen=False,
    ),
    RemedyRow((Mishap.EXCESS_CARD,), _PLAY, (Way(PLAYERS_CHOOSE, "options", _EVERYBODY),), seen=True),
    RemedyRow(
        (Mishap.DEALER_COUNT,), _PLAY,
        (_if_impossible(Way(VOID, "dealer_count")), _rebuilt("dealer_count", _EVERYBODY)),
    ),
    RemedyRow(
        (Mishap.DEALER_COUNT,), (Stage.SETTLED,),
        (_if_impossible(Way(VOID, "dealer_count")), _if_possible(Way(CONTINUE, "dealer_count"))),
    ),
    RemedyRow(
        (Mishap.SIMULTANEOUS_CARDS,), _PLAY,
        tuple(replace(_ordered(order), goes_on_by="go_on_reconstructed") for order in (KEEP_ORDER, SWAP_ORDER)),
        reading=("options_after_simultaneous", "reconstructed_or_return"),
    ),
    RemedyRow(
        (Mishap.SIMULTANEOUS_CARDS,), _PLAY,
        (_ordered(KEEP_ORDER), _ordered(SWAP_ORDER)),
    ),
    RemedyRow(
        (Mishap.STRAY_CARD,), _LOCKED,
        (_if_impossible(Way(VOID, "incorrectly")), _if_possible(Way(CONTINUE, "incorrectly"))),
    ),
    RemedyRow(
        (Mishap.MISSING_CARD,), _PLAY, (Way(CONTINUE, "incorrectly"), _if_impossible(Way(VOID, "incorrectly"))),
        seen=False,
    ),
    RemedyRow(
        (Mishap.MISSING_CARD,), _PLAY, (Way(CONTINUE, "dealer_count"), _if_impossible(Way(VOID, "dealer_count"))),
        seen=True,
    ),
    # The rulebooks do not cover a card that the device could not read: a supervisor keys it and play goes on.
    RemedyRow((Mishap.UNREAD_CARD,), _LOCKED, (Way(CONTINUE, "uncovered"),), asks=False),
    RemedyRow(
        (Mishap.WRONG_COUNT,), (Stage.SETTLED,),
        (_if_impossible(Way(INVALIDATE, "player_count")), _if_possible(Way(CONTINUE, "player_count"))),
        places=_BOX,
    ),
)  # fmt: skip

_POKER_ROWS = (
    RemedyRow(_EXPOSED, _LOCKED, (Way(CONTINUE, "exposed"),), seen=True, asks=False),
    RemedyRow((Mishap.EXPOSED_CARDS,), _LOCKED, (Way(VOID, "exposed_many"),), seen=False),
    RemedyRow(
        (Mishap.EXPOSED_CARD,), _PLAY, (Way(VOID, "incorrectly"),), seen=False,
        reading=("dealt_incorrectly", "void_5_8_6"),
    ),
    RemedyRow((Mishap.MISSED_BURN,), _LOCKED, (Way(VOID, "burn"),), seen=True),
    RemedyRow(
        (Mishap.MISSED_BURN,), _PLAY, (_rebuilt("burn", _EVERYBODY), _if_impossible(Way(VOID, "burn"))), seen=False,
    ),
    RemedyRow(
        _MISPLACED, _PLAY,
        (_rebuilt("incorrectly", _AFFECTED), _if_impossible(Way(VOID, "incorrectly"))), seen=False,
    ),
    RemedyRow(
        _MISPLACED, _PLAY,
        (_rebuilt("options", _AFFECTED), _if_impossible(Way(CONTINUE, "options", _AFFECTED))), seen=True,
    ),
    RemedyRow(
        (Mishap.WRONG_COUNT,), _PLAY,
        (_rebuilt("incorrectly", _AFFECTED), _if_impossible(Way(VOID, "incorrectly"))), seen=False, places=_BOX,
        reading=("dealt_incorrectly", "void_5_8_6"),
    ),
    RemedyRow(
        (Mishap.SECOND_HAND_EXAMINED,), _LOCKED,
        (Way(INVALIDATE, "second_hand"), Way(CONTINUE, "second_hand")), places=_BOX,
    ),
)  # fmt: skip
_PROGRESSIVE_ROWS = (
    *_POKER_ROWS,
    *_missing_in_a_box(_AFFECTED),
    RemedyRow((Mishap.EXPOSED_CARD,), _PLAY, (Way(PLAYERS_CHOOSE, "options", _AFFECTED),), seen=False),
    RemedyRow(
        (Mishap.WRONG_COUNT,), _PLAY,
        (_if_impossible(Way(INVALIDATE, "player_count")), _rebuilt("options", _AFFECTED)), places=_BOX,
        reading=("others_after_wrong_count", "none"),
    ),
    RemedyRow((Mishap.WRONG_COUNT,), _PLAY, (_INVALID_HAND, _rebuilt("options", _AFFECTED)), places=_BOX),
)  # fmt: skip
_MULTI_LINK_ROWS = (
    *_POKER_ROWS,
    *_missing_in_a_box(_AFFECTED),
    RemedyRow((Mishap.EXPOSED_CARD,), _PLAY, (Way(PLAYERS_CHOOSE, "exposed", _AFFECTED),), seen=False),
    RemedyRow((Mishap.WRONG_COUNT,), _PLAY, (_INVALID_HAND, _rebuilt("options", _AFFECTED)), places=_BOX),
)
_PICTURES_ROWS = (
    *_missing_in_a_box(_EVERYBODY),
    RemedyRow(
        _EXPOSED, _PLAY, (Way(VOID, "incorrectly"),), seen=False,
        reading=("exposed_card_unhandled", "void_5_5_4"),
    ),
    RemedyRow(_EXPOSED, _PLAY, (Way(PLAYERS_CHOOSE, "options", _EVERYBODY),)),
    RemedyRow(
        _MISPLACED, _PLAY,
        (_rebuilt("incorrectly", _EVERYBODY), _if_impossible(Way(VOID, "incorrectly"))), seen=False,
    ),
    RemedyRow(
        _MISPLACED, _PLAY,
        (_rebuilt("options", _EVERYBODY), _if_impossible(Way(CONTINUE, "options", _EVERYBODY))), seen=True,
    ),
    RemedyRow(
        (Mishap.WRONG_COUNT,), _PLAY, (_INVALID_HAND, _rebuilt("options", _EVERYBODY)), places=_BOX,
    ),
)  # fmt: skip

# Without a printed rule or an adopted procedure, a supervisor decides every case.
_ALONE_ROWS = (
    RemedyRow(_ALL, (Stage.LATER, Stage.ENDED), (Way(STAND, "later"),), asks=False),
    RemedyRow(
        (Mishap.FACE_UP_CARD, Mishap.CHIP_IN_ERROR, Mishap.UNREAD_CARD), _CURRENT, (Way(CONTINUE, "uncovered"),),
        asks=False,
    ),
    RemedyRow(
        (Mishap.SIMULTANEOUS_CARDS,), _PLAY,
        (Way(KEEP_ORDER, "uncovered"), Way(SWAP_ORDER, "uncovered"), Way(VOID, "uncovered")),
    ),
    RemedyRow(
        _ALL, _LOCKED,
        (Way(CONTINUE, "uncovered"), Way(VOID, "uncovered"), Way(INVALIDATE, "uncovered")), places=_BOX,
    ),
    RemedyRow(_ALL, _CURRENT, (Way(CONTINUE, "uncovered"), Way(VOID, "uncovered"))),
)  # fmt: skip
_ALONE = Citations(**dict.fromkeys(fields_of(Citations), HOUSE_ALONE))


def _chapter(citations: Citations, rows: tuple[RemedyRow, ...]) -> tuple[Citations, tuple[RemedyRow, ...]]:
    return citations, (*_LATER_ROWS, *rows, *_SHARED_ROWS, *_MANAGER_ROWS)


_PROGRESSIVE = _chapter(PROGRESSIVE, _PROGRESSIVE_ROWS)
_HOUSE = _chapter(HOUSE, _PROGRESSIVE_ROWS)
_BOOKS = {
    "progressive-3-card-poker": _PROGRESSIVE,
    "multi-link-3-card-poker": _chapter(RWS, _MULTI_LINK_ROWS),
    "lucky-three-pictures": _chapter(PICTURES, _PICTURES_ROWS),
    "california-three-card-poker": _HOUSE,
    "stax-three-card": _HOUSE,
}
GAMES = tuple(_BOOKS)


def rows_of(game: str, readings: Readings) -> tuple[Citations, tuple[RemedyRow, ...]]:
    citations, rows = _BOOKS[game]
    alone = citations is HOUSE and in_force(readings, "house_irregularities") == "supervisor_only"
    return (_ALONE, _ALONE_ROWS) if alone else (citations, rows)


def remedy_of(game: str, mishap: Mishap, case: Case, readings: Readings) -> Remedy:
    citations, rows = rows_of(game, readings)
    row = next(row for row in rows if row.fits(mishap, case, readings))
    lawful = tuple(_option(way, citations, readings) for way in row.ways if _can_be(way, case))
    printed = len(lawful)
    if case.jackpot_paid:
        lawful = tuple(option for option in lawful if option.choice != VOID)
    if case.claims and any(option.choice == INVALIDATE for option in lawful):
        lawful = _of_a_claim(lawful)
    forbidden = len(lawful) < printed
    lawful = lawful or (_stands_paid(citations),)
    if case.correctable and forbidden:
        who = Authority(in_force(readings, "uncovered_correction"))
        lawful = (*lawful, Option(RECORD_CORRECTION, citations.uncovered, who))
    return Remedy(lawful[0].paragraph, lawful, row.asks)


def _can_be(way: Way, case: Case) -> bool:
    judged = case.reconstructable is not None and way.if_reconstructable is not None
    return not judged or case.reconstructable == way.if_reconstructable


def _stands_paid(citations: Citations) -> Option:
    """A paid jackpot cannot be reversed at the table; a higher office decides the rest."""
    return Option(CONTINUE, citations.uncovered, Authority.SHIFT_MANAGER)


def _of_a_claim(lawful: tuple[Option, ...]) -> tuple[Option, ...]:
    """The controller pays a claimed jackpot, so the table cannot take that hand out of the round. The claim must be
    denied first; a higher office decides the rest."""
    return tuple(replace(option, who=Authority.SHIFT_MANAGER) for option in lawful if option.choice != INVALIDATE)


def _option(way: Way, citations: Citations, readings: Readings) -> Option:
    players = way.players
    if players is _AFFECTED and in_force(readings, "affected_by_a_card") == "everybody":
        players = _EVERYBODY
    asked = players is not _NOBODY
    return Option(
        way.choice,
        getattr(citations, way.cite),
        way.who,
        players,
        getattr(citations, way.goes_on_by) if asked else "",
        citations.bets_back if asked else "",
        getattr(citations, way.choose_by) if asked and way.choose_by else "",
    )
