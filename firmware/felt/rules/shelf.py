"""The shelf of rulebooks: an id and a moment give the version in force. A shipped version is never edited; a new
version is added beside it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

from felt.rules.california_three_card_poker import CaliforniaThreeCardPoker
from felt.rules.lucky_three_pictures import LuckyThreePictures
from felt.rules.multi_link_3_card_poker import MultiLink3CardPoker
from felt.rules.progressive_3_card_poker import Progressive3CardPoker
from felt.rules.rulebook import Rulebook, RulesError
from felt.rules.stax_three_card import StaxThreeCard

_SHELF: tuple[Rulebook, ...] = (
    Progressive3CardPoker(),
    LuckyThreePictures(),
    MultiLink3CardPoker(),
    CaliforniaThreeCardPoker(),
    StaxThreeCard(),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GAMES: tuple[str, ...] = tuple(dict.fromkeys(book.id for book in _SHELF))


@cache
def versions(game: str) -> tuple[Rulebook, ...]:
    """Every version of a game, the newest first."""
    books = [book for book in _SHELF if book.id == game]
    if not books:
        raise RulesError(f"{game!r} is not a game on the shelf: use one of {', '.join(GAMES)}")
    return tuple(sorted(books, key=_effective, reverse=True))


def rulebook(game: str, at: str | None = None) -> Rulebook:
    """The version in force at a moment (ISO 8601 with a time zone), or the newest."""
    books = versions(game)
    if at is None:
        return books[0]
    moment = _moment(at)
    for book in books:
        if _effective(book) <= moment:
            return book
    raise RulesError(f"no version of {game} was in force at {at}: the first takes effect at {books[-1].effective}")


def rulebook_at(game: str, wall_ns: int) -> Rulebook | None:
    """The version in force at a moment of the wall clock; None before the first."""
    moment = _EPOCH + timedelta(microseconds=wall_ns // 1000)
    return next((book for book in versions(game) if _effective(book) <= moment), None)


@cache
def edition(game: str, version: str) -> Rulebook:
    """Exactly this version, even if newer ones exist."""
    for book in versions(game):
        if book.version == version:
            return book
    raise RulesError(f"{game} has no version {version!r} on the shelf")


@cache
def _effective(book: Rulebook) -> datetime:
    return datetime.fromisoformat(book.effective)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RulesError(f"{text!r} is not a time: write it as 2024-01-04T08:00:00+08:00") from None
    if moment.tzinfo is None:
        raise RulesError(f"{text!r} has no time zone: write it as 2024-01-04T08:00:00+08:00")
    return moment
