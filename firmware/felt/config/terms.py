"""Converts a table file's settings into the rules' terms of the house."""

from __future__ import annotations

from felt.config.settings import TableFile
from felt.nouns.money import Currency
from felt.rules.rulebook import Limit, PostedOdds, Terms


def terms_of(settings: TableFile) -> Terms:
    game, progressive, currency = settings.game, settings.progressive, settings.table.currency
    posted = {bet: table for bet, table in game.pay_tables.items() if isinstance(table, dict)}
    return Terms(
        limits=tuple(Limit(bet, limit.min, limit.max) for bet, limit in game.limits.items()),
        progressive_stake=progressive.stake_minor,
        resets=tuple((name, meter.reset_minor) for name, meter in progressive.meters.items()),
        rates_bp=tuple((name, meter.rate_bp) for name, meter in progressive.meters.items()),
        reserves_bp=tuple((name, meter.reserve_bp) for name, meter in progressive.meters.items()),
        envy=next(iter(progressive.envy.values()), None),
        pay_letters=tuple((bet, table) for bet, table in game.pay_tables.items() if isinstance(table, str)),
        posted=tuple(PostedOdds(bet, tuple(table.items())) for bet, table in posted.items()),
        readings=tuple(game.readings.items()),
        currency=Currency(currency.code, currency.sign, currency.minor_digits),
    )
