"""What a seed decides before the evening begins: tables, games, houses, and how much of which weather. A plan can be
reduced, which shortens the story of a failure."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from typing import NamedTuple

from felt.config import Config, ConfigError, demo_table, load
from felt.jackpot.books.terms import MeterTerms
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES
from felt.wiring import table_settings
from tests.storm.purse import Papers, Purse

TABLES = (1, 1, 2, 3, 4, 5, 6, 8)
RATES = (0.02, 0.06, 0.15)
# How meters treat money: every combination is about equally frequent.
_OF_METERS = ("partial_win_meter", "reserve_on_hit", "same_level_hits", "increment_timing", "fractional_cent")
_EVERY_GUST = 1 << 60


class Plan(NamedTuple):
    seed: int
    rounds: int  # at each table
    games: tuple[str, ...]
    tables: tuple[int, ...]  # the games, one for each open table
    embedded: bool  # one table that keeps its own meters
    weather: tuple[str, ...]
    rate: float
    mistakes: bool
    gusts_max: int = _EVERY_GUST
    dropped: frozenset[int] = frozenset()  # gusts that are left out
    lies: bool = False  # about syncing
    outside: bool = False  # the disk is not read by the checkers


def plan_of(seed: int, rounds: int, kinds: tuple[str, ...], *, calm: bool = False, wild: bool = False) -> Plan:
    chance = random.Random(seed * 7 + 5)
    tables = chance.choice(TABLES)
    games = tuple(chance.choice(shelf.GAMES) for _ in range(tables))
    embedded = tables == 1 and chance.random() < 0.6
    if not embedded and chance.random() < 0.35:  # one game and one link, so that claims meet on one meter
        games = (chance.choice(shelf.GAMES),) * tables
    if embedded:
        games = (chance.choice((shelf.GAMES[0], *shelf.GAMES)),)
    some = tuple(kind for kind in kinds if wild or chance.random() < 0.5)
    rate = RATES[-1] if wild else chance.choice(RATES)
    weather = () if calm else some
    return Plan(seed, rounds, games, tuple(range(tables)), embedded, weather, rate, mistakes=not calm)


def group_of(game: str) -> str:
    return game.partition("-")[0]


def config_of(plan: Plan, index: int) -> Config:
    """Houses differ in boxes, dealing methods, segment sizes and readings of what the rulebook leaves open."""
    game = plan.games[index]
    own = random.Random(plan.seed * 131 + index)
    shared = random.Random(f"{plan.seed} {game}")
    link = [] if plan.embedded else ["link.kind=mqtt", f"link.group={group_of(game)}"]
    overrides = [
        f"table.id=T{index + 1}", f"table.seats={own.choice((6, 7, 7, 7))}", "link.lost_s=3", *link,
        f"journal.segment_bytes={own.choice((4_096, 20_000, 60_000))}",
        f"game.dealing={own.choice(PROCEDURES[game].methods).name}", 'dealers.Kim="1231"',
    ]  # fmt: skip
    overrides += _meters_of(game, shared)
    for reading in shelf.rulebook(game).readings:
        if reading.name not in _OF_METERS and shared.random() < 0.15:
            wanted = [*overrides, f"game.readings.{reading.name}={shared.choice(reading.alternatives)}"]
            if _is_possible(game, tuple(wanted)):
                overrides = wanted
    return _loaded(game, tuple(overrides))


def _meters_of(game: str, chance: random.Random) -> list[str]:
    """The same for all tables of a link: readings and, sometimes, rates that give shares of fractional cents."""
    chosen = [
        f"game.readings.{reading.name}={chance.choice((reading.default, *reading.alternatives))}"
        for reading in shelf.rulebook(game).readings
        if reading.name in _OF_METERS
    ]
    for level, meter in _demo(game).progressive.meters.items():
        rate_bp, reserve_bp = chance.choice((0, 0, 17, 133)), chance.choice((0, 0, 0, 77))
        odd = [f"progressive.meters.{level}.rate_bp={meter.rate_bp - rate_bp}"]
        odd += [f"progressive.meters.{level}.reserve_bp={meter.reserve_bp + reserve_bp}"]
        if _is_possible(game, (*chosen, *odd)):
            chosen += odd
    return chosen


def _demo(game: str) -> Config:
    return _loaded(game, ())


@lru_cache(maxsize=256)
def _loaded(game: str, overrides: tuple[str, ...]) -> Config:
    return load(_file_of(game), overrides)


_file_of = cache(demo_table)


def _is_possible(game: str, overrides: tuple[str, ...]) -> bool:
    try:
        _loaded(game, overrides)
    except ConfigError:
        return False
    return True


def terms_of(config: Config, prefix: str) -> tuple[MeterTerms, ...]:
    return tuple(replace(terms, name=prefix + terms.name) for terms in table_settings.meter_terms_of(config))


def purses_of(config: Config, prefix: str) -> dict[str, Purse]:
    return {
        level: Purse(
            prefix + level,
            Papers(meter.reset_minor, meter.rate_bp, meter.reserve_bp, meter.base_minor),
            config.game.readings,
        )
        for level, meter in config.progressive.meters.items()
    }
