"""The jackpot controller's file: broker, tables, meters, times and people. As strict as a table file; every error is
one sentence with file, key and remedy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from felt.config.bounds import Violation, worded
from felt.config.errors import ConfigError, key_of
from felt.config.reading import decoded, read_toml
from felt.config.settings import BrokerSettings, ReportSettings, broker_contradictions, unordered_shifts
from felt.jackpot.books.terms import (
    AMOUNT_MINOR_MAX,
    ODDS_TO_ONE_MAX,
    FractionalCent,
    HouseOrder,
    IncrementTiming,
    MajorsAcrossTables,
    MeterTerms,
    OnHit,
    PartialWin,
    Procedure,
    SameLevelHits,
    TermsError,
    TermsTakeEffect,
    VoidAfterAward,
    check_terms,
)
from felt.nouns.money import BASIS_POINTS, METERS_MAX
from felt.nouns.values import Value, parts_of

TABLES_MAX = 5000
_METER = worded(r"[a-z][a-z0-9_]{0,39}(?:/[a-z][a-z0-9_]{0,39})?", "a meter's name, as in major, or link/major")
_TABLE = worded(r"[A-Za-z0-9][A-Za-z0-9_-]{0,15}", "a table id of up to 16 letters, digits, - and _")
_BROKER_NAME = worded(r"[A-Za-z0-9.:_-]{1,253}", "a name or address of the broker")
_LINK = worded(r"(?:[a-z][a-z0-9_]{0,39})?", "the name of one of several links, or nothing")


class ControllerSettings(Value):
    ledger: Annotated[str, worded(r"[^\x00]+", "a file, or postgresql://…")] = "jackpot.ledger"
    control: Annotated[str, worded(r"[^\x00]{1,100}", "a socket path of at most 100 characters")] = "control"
    metrics_port: Annotated[int, Meta(ge=0, le=65535)] = 9464  # 0: any that is free
    # A standby on the same PostgreSQL database takes over after the leader was silent this long.
    takeover_s: Annotated[int, Meta(ge=2, le=300)] = 5
    # Digits of the tables' currency in reports: 2 for a dollar, 0 for a yen.
    minor_digits: Annotated[int, Meta(ge=0, le=4)] = 2


class HouseBroker(BrokerSettings):
    """The broker as the controller reaches it, and its names for the tables: all of them go into its certificate."""

    names: Annotated[tuple[Annotated[str, _BROKER_NAME], ...], Meta(max_length=20)] = ()


class LinkedTable(Value):
    link: Annotated[str, _LINK] = ""  # of several; empty: the only one


class MeterFile(Value):
    reset_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)]
    rate_bp: Annotated[int, Meta(ge=0, le=BASIS_POINTS)]
    reserve_bp: Annotated[int, Meta(ge=0, le=BASIS_POINTS)] = 0
    limit_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)] = 0
    base_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)] = 0
    threshold_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)] = 0
    odds_to_one: Annotated[int, Meta(ge=0, le=ODDS_TO_ONE_MAX)] = 0
    secondary_award: Annotated[str, worded(r"[^\x00-\x1f\x7f]{0,120}", "one line of text")] = ""
    partial_win_meter: PartialWin = PartialWin.DEDUCT
    reserve_on_hit: OnHit = OnHit.KEPT_APART
    overflow_on_hit: OnHit = OnHit.ADDED
    fractional_cent: FractionalCent = FractionalCent.DOWN
    same_level_hits: SameLevelHits = SameLevelHits.IN_DEAL_ORDER
    increment_timing: IncrementTiming = IncrementTiming.BEFORE_SETTLEMENT
    void_after_award: VoidAfterAward = VoidAfterAward.HOUSE_MAKES_GOOD


class ProcedureSettings(Value):
    claim_wait_s: Annotated[int, Meta(ge=1, le=86_400)] = 600
    pending_alert_s: Annotated[int, Meta(ge=1, le=86_400)] = 1800
    bets_max: Annotated[int, Meta(ge=1, le=99)] = 9
    drift_ppm: Annotated[int, Meta(ge=0, le=10_000)] = 200
    card_late_ms: Annotated[int, Meta(ge=0, le=10_000)] = 20
    majors_across_tables: MajorsAcrossTables = MajorsAcrossTables.BY_TIME_OF_EACH_HAND
    house_order_against_evidence: HouseOrder = HouseOrder.ACCEPTED_AND_FLAGGED
    terms_take_effect: TermsTakeEffect = TermsTakeEffect.NEXT_CYCLE


class JackpotFile(Value):
    meters: dict[Annotated[str, _METER], MeterFile]
    tables: dict[Annotated[str, _TABLE], LinkedTable]
    controller: ControllerSettings = ControllerSettings()
    broker: HouseBroker = HouseBroker()
    procedure: ProcedureSettings = ProcedureSettings()
    reports: ReportSettings = ReportSettings()


class JackpotConfig(JackpotFile):
    source: Path = Path()

    def path(self, text: str) -> Path:
        return self.source.parent / text

    def ledger_place(self) -> str:
        """An address of a database, or a file beside this one."""
        where = self.controller.ledger
        return where if "://" in where else str(self.path(where))

    def meter_terms(self) -> tuple[MeterTerms, ...]:
        return tuple(MeterTerms(name=name, **parts_of(meter)) for name, meter in self.meters.items())

    def procedure_terms(self) -> Procedure:
        links = tuple((name, table.link) for name, table in sorted(self.tables.items()) if table.link)
        return Procedure(**parts_of(self.procedure), links=links)


def load_jackpot(path: Path) -> JackpotConfig:
    """Raises ConfigError, and nothing else, for every error in the file."""

    def origin_of(_: tuple[str, ...]) -> str:
        return str(path)

    settings = decoded(JackpotFile, read_toml(path), origin_of)
    for found in _contradictions(settings):
        raise ConfigError(str(path), key_of(found.path), found.problem, found.remedy)
    config = JackpotConfig(**parts_of(settings), source=path)
    try:
        check_terms(config.meter_terms())
    except TermsError as error:
        raise ConfigError(str(path), "meters", str(error).rstrip("."), "correct the meter") from None
    return config


def _contradictions(settings: JackpotFile) -> Iterator[Violation]:
    yield from broker_contradictions(settings.broker, ("broker",))
    scheme, is_address, _ = settings.controller.ledger.partition("://")
    if is_address and scheme not in ("postgresql", "postgres"):  # the rest may hold a password and is not repeated
        problem = f"{scheme}:// is not the address of a PostgreSQL database"
        yield Violation(("controller", "ledger"), problem, "name a file, or postgresql://…")
    if not settings.meters:
        yield Violation(("meters",), "no meter is set", "add [meters.major] with reset_minor and rate_bp")
    if len(settings.meters) > METERS_MAX:
        problem = f"{len(settings.meters)} meters are set where a sign can show {METERS_MAX}"
        yield Violation(("meters",), problem, "give some of the links a controller of their own")
    if not 1 <= len(settings.tables) <= TABLES_MAX:
        remedy = "add [tables.T1] for each table, with nothing in it or its link"
        yield Violation(("tables",), f"{len(settings.tables)} tables are named; name 1 to {TABLES_MAX}", remedy)
    yield from unordered_shifts(settings.reports)
    yield from _unlinked(settings, {name.rpartition("/")[0] for name in settings.meters})


def _unlinked(settings: JackpotFile, links: set[str]) -> Iterator[Violation]:
    several = any(table.link for table in settings.tables.values())
    for name, table in settings.tables.items():
        if several and not table.link:
            remedy = (
                "name its link here, and the link's meters as in link/major; where a ledger runs without links "
                "already, the other link gets a controller and a ledger of its own"
            )
            yield Violation(("tables", name, "link"), "it has no link where other tables have one", remedy)
        elif table.link not in links:
            problem = f"no meter belongs to the link {table.link!r}"
            yield Violation(("tables", name, "link"), problem, "name a link that a meter names before its slash")
