"""Settles a round a second time from the cards and keys in their order of arrival. It shares only the rulebook's
verdict with the table. It skips rounds in which a person had to say which card lies where."""

from __future__ import annotations

from collections import Counter

from felt.nouns.cards import Card
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES, Community, Dealing
from felt.rules.rulebook import FOLD, PLAY, Bettor, Box, Deal, Line, Rulebook
from felt.table.state import Round, Table
from tests.storm.course import Course
from tests.storm.purse import Violation


def check_settlement(table: Table, settled: Round, course: Course) -> None:
    by_reading = 3 if "community_discard=last" in settled.readings.split() else 0
    plan = _plan_of(settled, by_reading or course.discard)
    if not _is_plain(settled, course) or len(plan) != len(course.cards):
        return
    own = _settled_again(table, settled, course, plan)
    handed_back = [(bet.seat, bet.wager) for bet in settled.bets if not bet.accepted]
    told = Counter(line for line in settled.lines if (line.seat, line.bet) not in handed_back)
    if told != own:
        wrong, right = list((told - own).elements())[:2], list((own - told).elements())[:2]
        raise Violation(f"round {settled.number}: its cards and keys do not say {wrong}, but {right}")


def _is_plain(settled: Round, course: Course) -> bool:
    if settled.findings or settled.strays or settled.moved or settled.remedied or settled.returned or settled.found:
        return False
    if settled.unshown:
        return False
    if any(one.left or one.choice not in (FOLD, PLAY) for one in settled.decisions):
        return False
    return course.is_plain and not any(bet.stakes for bet in settled.bets)


def _plan_of(settled: Round, discard: int) -> list[str]:
    """Boxes are dealt to clockwise, the dealer comes last."""
    method = PROCEDURES[settled.rulebook].method(settled.dealing)
    seats = sorted({int(target) for target in settled.plan if target.isdigit()})
    return [*_before_hands(method), *_hands(method, [*map(str, seats), "dealer"]), *_after_hands(method, discard)]


def _before_hands(method: Dealing) -> list[str]:
    return ["burn"] * method.burns + ["community"] * (2 if method.community is Community.FIRST else 0)


def _hands(method: Dealing, targets: list[str]) -> list[str]:
    return targets * 3 if method.one_by_one else [target for target in targets for _ in range(3)]


def _after_hands(method: Dealing, discard: int) -> list[str]:
    if method.community is Community.LAST:
        return ["community"] * 2
    if method.community is not Community.LAST_OF_THREE:
        return []
    if discard not in (1, 2, 3):
        raise Violation("a round is settled, and nobody has said which community card is discarded")
    return ["discard" if place == discard else "community" for place in (1, 2, 3)]


def _settled_again(table: Table, settled: Round, course: Course, plan: list[str]) -> Counter[Line]:
    assert table.settings is not None
    book = shelf.edition(settled.rulebook, settled.version)
    hands: dict[str, tuple[Card, ...]] = {}
    for target, card in zip(plan, course.cards, strict=True):
        hands[target] = (*hands.get(target, ()), Card(card))
    seats = sorted({bet.seat for bet in settled.bets if bet.accepted})
    boxes = tuple(_box(settled, book, seat, course.choices.get(seat, ""), hands.get(str(seat), ())) for seat in seats)
    return Counter(book.settle(Deal(hands["dealer"], hands.get("community", ()), boxes), table.settings.terms))


def _box(settled: Round, book: Rulebook, seat: int, choice: str, hand: tuple[Card, ...]) -> Box:
    bets = {bet.wager: bet.amount_minor for bet in settled.bets if bet.accepted and bet.seat == seat}
    second = {wager.name: bets.get(wager.needs) for wager in book.wagers if wager.after_cards and choice == PLAY}
    player = str(min(next((boxes for boxes in settled.linked if seat in boxes), (seat,))))
    bettors = (Bettor(player, tuple(bets.items())),) if book.has_bettors else ()
    return Box(seat, player, hand, choice, tuple({**bets, **second}.items()), invalidated=False, bettors=bettors)
