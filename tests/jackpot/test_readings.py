"""Live awards by every reading of the meters, against the settlement on paper, which shares no code with the office."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from felt.config import demo_table, load
from felt.config.terms import terms_of
from felt.jackpot.books.accounts import Code
from felt.jackpot.books.terms import FractionalCent, IncrementTiming, MeterTerms, SameLevelHits
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Valued
from felt.letters.from_table import Claim
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.meters import value_rounds
from felt.rules.rulebook import LOSE, WIN, Line
from felt.wiring.table_settings import meter_terms_of, procedure_of
from tests.jackpot.evening import MICRO, ROYAL, Sender

STAX, PROGRESSIVE, MULTI_LINK = "stax-three-card", "progressive-3-card-poker", "multi-link-3-card-poker"
READINGS = [
    (STAX, {}),
    (STAX, {"increment_timing": "after_settlement"}),
    (STAX, {"same_level_hits": "split_equally"}),
    (STAX, {"same_level_hits": "split_equally", "increment_timing": "after_settlement", "fractional_cent": "nearest"}),
    (STAX, {"reserve_on_hit": "added_to_reset"}),
    (PROGRESSIVE, {}),
    (PROGRESSIVE, {"increment_timing": "only_if_not_won"}),
    (PROGRESSIVE, {"fractional_cent": "nearest", "partial_win_meter": "deduct_not_below_reset"}),
    (PROGRESSIVE, {"partial_win_meter": "reset", "increment_timing": "only_if_not_won"}),
    (MULTI_LINK, {}),
    (MULTI_LINK, {"fractional_cent": "nearest", "increment_timing": "only_if_not_won"}),
]


def line_of(seat: int, stake: int, hit: tuple[str, int, int] | None) -> Line:
    level, num, den = hit or ("", 0, 1)
    outcome = WIN if hit else LOSE
    return Line(seat, str(seat), "progressive", stake, outcome, 0, 0, 0, "", level, num, den, "", "", ())


@pytest.mark.parametrize(("game", "readings"), READINGS)
def test_a_live_round_pays_what_the_paper_says(game: str, readings: dict[str, str], full: bool) -> None:
    overrides = [f"game.readings.{name}={value}" for name, value in readings.items()]
    config = load(None if game == PROGRESSIVE else demo_table(game), overrides)
    book, paper_terms = shelf.rulebook(game), terms_of(config)
    stake = book.prescribed_stake(paper_terms) or 500
    shares = [(1, 1)] if game == STAX else [(1, 1), (1, 4), (1, 10)]
    for seed in range(40 if full else 6):
        rng = random.Random(seed)
        office = Office(MemoryLedger(), meter_terms_of(config), procedure_of(config))
        table = Sender(office)
        for number in range(1, 12):
            seats = sorted(rng.sample(range(1, 6), rng.randrange(1, 5)))
            hits = {seat: (rng.choice(book.meters), *rng.choice(shares)) for seat in seats if rng.random() < 0.4}
            before = {meter.terms.name: Fraction(meter.display, MICRO) for meter in office.standing.meters}
            before |= {f"{one.terms.name}.reserve": Fraction(one.reserve, MICRO) for one in office.standing.meters}
            lines = [line_of(seat, stake, hits.get(seat)) for seat in seats]
            (valued,), after = value_rounds(book, ((lines, paper_terms),), before, paper_terms)
            awards = {f"{number}.{line.seat}": line.paid for line in valued if line.level}
            assert play(table, number, seats, stake, hits) == awards
            for meter in office.standing.meters:
                # Where the paper forgets the fraction of a cent that an award leaves, the office carries it.
                here, there = Fraction(meter.display, MICRO), Fraction(after[meter.terms.name])
                if meter.terms.partial_win_meter != "reset":
                    assert abs(here - there) < max(1, len(awards))
        report = office.report()
        assert report.conserved, report.problem


def play(
    table: Sender, number: int, seats: list[int], stake: int, hits: dict[int, tuple[str, int, int]]
) -> dict[str, int]:
    """One live round, every claim confirmed as it is valued; the awards by claim."""
    claims = tuple(
        Claim(f"{number}.{seat}", seat, level, num, den, "major", ROYAL, 0) for seat, (level, num, den) in hits.items()
    )
    waiting = table.play(number, *seats, claims=claims, stake=stake)
    awards: dict[str, int] = {}
    while waiting:
        valued: Valued = waiting.pop(0)
        awards[valued.claim] = valued.award_minor
        waiting += table.confirm(number, valued.claim, valued.award_minor)
    return awards


def test_stax_has_four_levels_and_each_is_won_apart() -> None:
    config = load(demo_table(STAX), ())
    office = Office(MemoryLedger(), meter_terms_of(config))
    assert len(office.meters()) == 4
    before = office.meters()
    table = Sender(office)
    first, *others = sorted(before)
    awards = play(table, 1, [1, 2], 500, {1: (first, 1, 1)})
    assert awards["1.1"] * MICRO <= before[first] + 1_000 * MICRO
    assert all(office.meters()[name] > before[name] for name in others)


SPLIT = MeterTerms("star", 1_000, 1_000, same_level_hits=SameLevelHits.SPLIT_EQUALLY)


def claims(number: int, *seats: int) -> tuple[Claim, ...]:
    return tuple(Claim(f"{number}.{seat}", seat, "star", 1, 1, "straight_flush", ROYAL, 0) for seat in seats)


def test_a_denied_part_of_a_split_stays_on_the_meter() -> None:
    office = Office(MemoryLedger(), [SPLIT])
    table = Sender(office)
    one, two = table.play(1, 1, 2, claims=claims(1, 1, 2), stake=1_000)
    assert (one.award_minor, two.award_minor) == (600, 600)
    table.confirm(1, "1.1", 600)
    assert office.meters() == {"star": 1_200 * MICRO}  # frozen until both are resolved
    table.deny(1, "1.2")
    assert office.meters() == {"star": 1_000 * MICRO}  # the 600 that nobody was paid, and the house's 400
    assert office.report().conserved


def test_when_all_parts_are_denied_nothing_happened() -> None:
    office = Office(MemoryLedger(), [SPLIT])
    table = Sender(office)
    table.play(1, 1, 2, claims=claims(1, 1, 2), stake=1_000)
    table.deny(1, "1.2")
    table.deny(1, "1.1")
    assert office.meters() == {"star": 1_200 * MICRO}
    assert office.report().conserved


@pytest.mark.parametrize("timing", IncrementTiming)
def test_the_bets_of_a_round_whose_claims_are_denied_count_by_every_reading(timing: IncrementTiming) -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MeterTerms("star", 1_000, 1_000, increment_timing=timing)])
    table = Sender(office)
    (valued,) = table.play(1, 1, 2, claims=claims(1, 1), stake=1_000)
    own = timing is IncrementTiming.BEFORE_SETTLEMENT
    assert valued.award_minor == (1_200 if own else 1_000)
    assert office.report().conserved  # also while they are held
    table.deny(1, "1.1")
    assert office.meters() == {"star": 1_200 * MICRO}
    table.void(1, after_result=True)
    assert office.meters() == {"star": 1_000 * MICRO}
    assert office.report().conserved


def test_a_void_takes_held_bets_back() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MeterTerms("star", 1_000, 1_000, increment_timing=IncrementTiming.AFTER_SETTLEMENT)])
    table = Sender(office)
    table.play(1, 1, claims=claims(1, 1), stake=1_000)
    table.void(1, after_result=True)
    assert office.meters() == {"star": 1_000 * MICRO}
    assert (office.standing.meters[0].pending, office.report().conserved) == (0, True)
    assert Code.WITHDRAWN in [entry.code for entry in ledger.entries()]


def test_half_a_cent_goes_up_by_reading_and_the_house_adds_it() -> None:
    office = Office(MemoryLedger(), [MeterTerms("star", 1_001, 0, fractional_cent=FractionalCent.NEAREST)])
    half = (replace(claims(1, 1)[0], share_den=2),)
    (valued,) = Sender(office).play(1, 1, claims=half)
    assert valued.award_minor == 501
