"""In whatever order letters, answers, restarts and reboots come, the money is what the dealers did."""

from __future__ import annotations

import pytest

from felt.jackpot.books.standing import Standing
from tests.real.fleet_awards import check_awards
from tests.real.fleet_plan import Expected
from tests.real.fleet_shuffle import ShuffledEvening

EVENINGS, EVENINGS_FULL = 12, 300
TABLES, ROUNDS = 6, 15


def standing_as_expected(standing: Standing) -> dict[str, Expected]:
    return {
        meter.terms.name: Expected(meter.display, meter.reserve, meter.wagers, meter.stakes, meter.hits, meter.wins)
        for meter in standing.meters
    }


@pytest.mark.timeout(1200)
def test_any_order_of_letters_restarts_and_reboots_comes_to_the_same_money(full: bool) -> None:
    for seed in range(EVENINGS_FULL if full else EVENINGS):
        evening = ShuffledEvening(seed, TABLES, ROUNDS)
        evening.play()
        standing, report = evening.office.standing, evening.office.report()
        assert not evening.troubles(), f"seed {seed}"
        assert report.conserved, f"seed {seed}: {report.problem}"
        assert standing_as_expected(standing) == evening.expected(), f"seed {seed}"
        assert check_awards(evening.ledger.entries(), seed, ROUNDS, evening.books) == sum(
            meter.wins for meter in standing.meters
        )
        assert standing.claims == ()
        assert all((meter.waiting, meter.pending) == (0, 0) for meter in standing.meters), f"seed {seed}"
