"""An odds sheet for a program. Counts and edges are exact: whole numbers, and fractions as texts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from felt.odds.exact import Outcome, Wager, decimal
from felt.odds.forfeit import Turn
from felt.odds.sheet import Forfeiture, Sheet
from felt.rules.rulebook import readings_in_force

Plain = dict[str, Any]
PERCENT_DIGITS = 4


def plain(sheet: Sheet, digest: str = "", refused: Sequence[str] = ()) -> Plain:
    forfeiture = sheet.forfeiture
    return {
        "game": sheet.book.id,
        "version": sheet.book.version,
        "configuration": digest,
        "readings": dict(readings_in_force(sheet.book, sheet.terms)),
        "meters": sheet.meters,
        "refused": list(refused),
        "wagers": [_wager(sheet, wager) for wager in sheet.wagers],
        "strategy_changes": [] if forfeiture is None else [_turn(turn) for turn in forfeiture.turns],
        "fold_forfeit": None if forfeiture is None else _forfeiture(forfeiture),
    }


def _wager(sheet: Sheet, wager: Wager) -> Plain:
    figures = sheet.figures(wager)
    told: Plain = {
        "wager": wager.name,
        "pay_table": sheet.pay_table(wager),
        "paragraph": wager.paragraph,
        "deals": wager.deals,
        "outcomes": [_outcome(outcome) for outcome in wager.outcomes],
        "house_edge": str(figures.edge),
        "house_edge_percent": number(figures.edge * 100),
        "element_of_risk": str(figures.of_all_risked),
        "element_of_risk_percent": number(figures.of_all_risked * 100),
        "hit_rate": str(figures.hits),
        "hit_rate_percent": number(figures.hits * 100),
        "standard_deviation": number(figures.deviation),
        "strategy": wager.strategy or None,
    }
    if wager.advice:
        told["advice"] = [{"against": seen, "do": what} for seen, what in wager.advice]
    if wager.exceptions:
        told["exceptions"] = list(wager.exceptions)
    return told | _meters(sheet, wager) if wager.stake_minor else told


def _outcome(outcome: Outcome) -> Plain:
    told: Plain = {"outcome": outcome.name, "count": outcome.count, "pays": outcome.pays, "net": str(outcome.net)}
    return told | {"meter": outcome.meter, "share": str(outcome.share)} if outcome.meter else told


def _meters(sheet: Sheet, wager: Wager) -> Plain:
    run = sheet.long_run(wager)
    return {
        "stake_minor": wager.stake_minor,
        "levels": [
            {
                "meter": level.meter,
                "minor": level.minor,
                "hits": level.hits,
                "bets_a_hit": number(level.bets_a_hit),
                "adds_to_the_return": str(level.adds),
                "adds_to_the_return_percent": number(level.adds * 100),
                "return_each_minor_unit": str(level.each_minor_adds),
                "break_even_minor": str(level.even_minor),
                "stands_above_break_even": level.is_above_even,
            }
            for level in sheet.meter_figures(wager)
        ],
        "envy_each_further_box": str(wager.envy),
        "long_run_return": str(run.whole),
        "long_run_return_percent": number(run.whole * 100),
        "long_run_is_a_bound": run.at_most,
    }


def _turn(turn: Turn) -> Plain:
    return {
        "meter": turn.meter,
        "meter_minor": str(turn.meter_minor),
        "play": " ".join(turn.cards),
        "against": turn.open_card or None,
        "deals": turn.deals,
    }


def _forfeiture(forfeiture: Forfeiture) -> Plain:
    return {
        "ante_minor": forfeiture.ante_minor,
        "cost_in_stakes": {
            "best_for_the_ante": str(forfeiture.cost_beside_the_ante),
            "best_for_both_bets": str(forfeiture.cost_at_best),
        },
        "pieces": [
            {
                "meter": piece.meter,
                "from_minor": str(piece.from_minor),
                "folded": piece.folded,
                "ante_house_edge": str(piece.ante_edge),
                "progressive_return_beside_the_meter": str(piece.fixed),
                "share_of_the_meter": str(piece.share),
            }
            for piece in forfeiture.pieces
        ],
    }


def number(value: Fraction) -> float:
    """A figure for people, with the digits that they compare."""
    return float(decimal(value, PERCENT_DIGITS))
