"""Translates a table's configuration for the core, for the table's own meters and for its board: settings, terms,
and names of inputs and lamps."""

from __future__ import annotations

from felt.config import Config
from felt.config.against_rules import antes_of
from felt.config.terms import terms_of
from felt.jackpot.books.terms import (
    FractionalCent,
    IncrementTiming,
    MeterTerms,
    OnHit,
    PartialWin,
    Procedure,
    SameLevelHits,
    TermsTakeEffect,
    VoidAfterAward,
)
from felt.nouns.ids import Spot, spot_of
from felt.ports import BoardLine
from felt.rules import shelf
from felt.table.keys import DOOR_SWITCH, KEYS, LOCK_KEY, SUPERVISOR_SWITCH, seat_keys
from felt.table.settings import Sensor, Settings, code_digest
from felt.table.views import BUZZER


def settings_of(config: Config, lines: tuple[BoardLine, ...]) -> Settings:
    late_ms = {line.name: line.late_ms_max for line in lines}
    sensors = tuple(
        Sensor(Spot(line.name), line.late_ms_max, line.settle_ms) for line in lines if not line.name.startswith("key.")
    )
    return Settings(
        table_id=config.table.id,
        game=config.game.id,
        seats=config.table.seats,
        sensors=sensors,
        lock_key_late_ms_max=late_ms.get(LOCK_KEY.line, 0),
        drain_ms=config.lock.drain_ms,
        dealing=config.game.dealing,
        terms=terms_of(config),
        unseen_rounds=config.diagnosis.unseen_rounds,
        dealers=tuple(sorted((name, code_digest(config.table.id, code)) for name, code in config.dealers.items())),
        stub_check_rounds=config.diagnosis.stub_check_rounds,
        language=config.table.language,
        antes=antes_of(config),
    )


def meter_terms_of(config: Config) -> tuple[MeterTerms, ...]:
    readings = config.game.readings
    return tuple(
        MeterTerms(
            name, meter.reset_minor, meter.rate_bp, meter.reserve_bp, meter.limit_minor,
            PartialWin(readings.get("partial_win_meter", PartialWin.DEDUCT)),
            OnHit(readings.get("reserve_on_hit", OnHit.KEPT_APART)),
            base_minor=meter.base_minor,
            threshold_minor=meter.threshold_minor,
            fractional_cent=FractionalCent(readings.get("fractional_cent", FractionalCent.DOWN)),
            same_level_hits=SameLevelHits(readings.get("same_level_hits", SameLevelHits.IN_DEAL_ORDER)),
            increment_timing=IncrementTiming(readings.get("increment_timing", IncrementTiming.BEFORE_SETTLEMENT)),
            void_after_award=VoidAfterAward(readings.get("void_after_award", VoidAfterAward.HOUSE_MAKES_GOOD)),
            odds_to_one=meter.odds_to_one,
            secondary_award=meter.secondary_award,
        )
        for name, meter in config.progressive.meters.items()
    )


def procedure_of(config: Config) -> Procedure:
    """For a controller that serves only this table."""
    return Procedure(
        bets_max=config.table.seats,
        terms_take_effect=TermsTakeEffect(config.game.readings.get("terms_take_effect", TermsTakeEffect.NEXT_CYCLE)),
    )


def line_names(config: Config) -> tuple[str, ...]:
    """Every input of a table with these sensors and a full panel."""
    seats = range(1, config.table.seats + 1)
    spots = tuple(spot_of(seat, kind) for seat in seats for kind in config.board.sensed)
    keys = (key.line for key in KEYS)
    return (*spots, *keys, SUPERVISOR_SWITCH, DOOR_SWITCH, *seat_keys(config.table.seats))


def lamp_names(config: Config) -> tuple[str, ...]:
    seats = range(1, config.table.seats + 1)
    coin = next((wager.name for wager in shelf.rulebook(config.game.id).wagers if wager.coin_spot), None)
    spots = tuple(spot_of(seat, coin) for seat in seats) if coin else ()
    return (*spots, *(key.line for key in KEYS), *seat_keys(config.table.seats), BUZZER)


def board_lamps(config: Config) -> tuple[str, ...]:
    """The lamps that the board has."""
    return lamp_names(config) if config.profile is None else tuple(line.name for line in config.profile.output)
