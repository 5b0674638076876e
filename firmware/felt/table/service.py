"""The service around the rounds: settings, eras and starts, and whether the table is in service."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.stamps import NS_PER_S
from felt.nouns.texts import capitalized
from felt.nouns.values import replace
from felt.table import facts, notices, redacted, settle
from felt.table.chart import move, refuse, stay
from felt.table.handover import taken_over
from felt.table.lock import with_burst
from felt.table.prompts import tell
from felt.table.questions import reading
from felt.table.settings import NOTICES_MAX
from felt.table.state import Burst, Phase, ServiceState, SpotState, Table, phase_of_play

CONFIGURED_IN_ROUND = "refused.configured_in_round"
IN_SERVICE_ALREADY = "refused.in_service_already"
BOOTING = "refused.booting"
NO_TEST = "refused.no_test"
CLOCK_TOO_EARLY = "refused.clock_too_early"
BEFORE_THE_BOOT_NS = 7 * 24 * 3600 * NS_PER_S  # the longest time before a boot at which its last card may have left


# --- truths ------------------------------------------------------------------------------------------


def table_is_in_service(table: Table, _: facts.Fact) -> bool:
    return table.service.state is ServiceState.IN_SERVICE


def round_is_open(table: Table, _: facts.Fact) -> bool:
    return table.round is not None


def table_may_serve(table: Table, _: facts.Fact) -> bool:
    return not table.service.ordered_out and not stop_faults(table)


def no_fault_stops(table: Table, _: facts.Fact) -> bool:
    return not stop_faults(table)


def stop_faults(table: Table) -> tuple[str, ...]:
    return tuple(fault.code for fault in table.service.faults if CATALOGUE[fault.code].weight is Weight.STOP)


# --- reasons -----------------------------------------------------------------------------------------


def not_in_service(table: Table, _: facts.Fact) -> str:
    return out_of_service(table)


def out_of_service(table: Table) -> str:
    """Why the table is out of service, and what brings it back. It names only faults that stand."""
    if table.service.tested_by:
        return say_test(table)
    if stop_faults(table):
        return say_faults(table)
    if table.service.ordered_out:
        return tell(table, "refused.ordered_out", why=table.service.ordered_out)
    if table.service.state is ServiceState.BOOTING:
        return tell(table, BOOTING)
    return tell(table, "refused.may_come_back")


def faults_stand(table: Table, _: facts.Fact) -> str:
    return say_faults(table)


def say_faults(table: Table) -> str:
    """The faults that stop the table, each with its remedy."""
    codes = dict.fromkeys(stop_faults(table))
    remedies = " ".join(f"{code}: {CATALOGUE[code].remedy}" for code in codes)
    return tell(table, "refused.faults_stand", remedies=remedies)


def in_test(table: Table, _: facts.Fact) -> str:
    return say_test(table)


def say_test(table: Table) -> str:
    return tell(table, "refused.in_test", person=table.service.tested_by)


def why_not_continued(table: Table) -> str:
    """Play continues only at a table in service."""
    if stop_faults(table):
        return tell(table, "refused.continue_after_fault")
    because = f" ({table.service.ordered_out})" if table.service.ordered_out else ""
    return tell(table, "refused.continue_in_service", because=because)


# --- moves -------------------------------------------------------------------------------------------


def open_era(table: Table, fact: facts.Fact) -> Table:
    """A new era knows about the old one only what was handed over."""
    assert isinstance(fact, facts.EraOpened)
    return replace(taken_over(fact.handover, table.settings), nonce=fact.nonce, firmware=fact.firmware)


def configure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.Configured)
    settings = fact.settings
    known = {spot.spot: spot for spot in table.spots}
    kinds = settle.kinds_of(settings)
    spots = tuple(known.get(spot, SpotState(spot)) for spot in settings.spots(kinds))
    return replace(table, settings=settings, configuration=fact.digest, spots=spots)


def begin_boot(table: Table, fact: facts.Fact) -> Table:
    """The clock of a new boot cannot be compared with the last one's: deadlines expire, and the levels that were read
    replace every remembered change. Between the lock key and the snapshot the changes before the cut still show what
    lay there at the lock: they stay, and the readings count as later."""
    assert isinstance(fact, facts.Booted)
    levels = dict(fact.levels)
    as_found = _as_found_later if phase_of_play(table) is Phase.LOCKING else _as_found
    spots = tuple(as_found(spot, levels.get(spot.spot)) for spot in table.spots)
    # The key switch is read again: no authority outlives a boot.
    panel = replace(table.panel, supervisor=False)
    # A test does not outlive it either.
    service = replace(table.service, tested_by="", trying=())
    before = table
    table = replace(
        table,
        boot=fact.at.boot, deadlines=(), spots=spots, firmware=fact.firmware, panel=panel, service=service
    )
    if phase_of_play(table) is Phase.BETTING:
        return _tell_power_cut(table, before)
    # A complete deal was reported with its own boot, and its hands keep their times in it.
    if table.round is None or table.round.dealt_at is not None:
        return table
    # Cards of the previous boot came before anything of this one: they keep their order. How long before is unknown.
    dealt = tuple(
        replace(card, arrived_ns=place, uncertain_ns=BEFORE_THE_BOOT_NS) for place, card in enumerate(table.round.dealt)
    )
    return replace(table, round=replace(table.round, dealt=dealt))


def _tell_power_cut(table: Table, before: Table) -> Table:
    """Bets were open, so the levels win, and notices say which chips moved during the power cut. A keyed amount goes
    with its chip."""
    pairs = list(zip(before.spots, table.spots, strict=True))
    moved = [now.spot for was, now in pairs if was.present != now.present]
    spots = tuple(_unkeyed(now) if was.present and not now.present else now for was, now in pairs)
    chosen = reading(table, "power_cut_in_betting", "resume")
    course = "bets stay open and the chips count as they lie" if chosen == "resume" else "a supervisor decides"
    said = f"power was cut while bets were open: {course} (power_cut_in_betting={chosen})."
    if moved:
        said += f" Changed meanwhile: {', '.join(moved)}."
    playing = settle.round_of(table)
    table = replace(
        table,
        spots=spots, round=replace(playing, interruptions=(*playing.interruptions, said)[-NOTICES_MAX:])
    )
    return notices.notice(table, "noted", capitalized(said))


def _unkeyed(spot: SpotState) -> SpotState:
    return replace(spot, keyed=False, amount_minor=None, stakes=())


def _as_found(spot: SpotState, level: bool | None) -> SpotState:
    present = spot.keyed if level is None else level
    return replace(spot, present=present, before=present, bursts=())


def _as_found_later(spot: SpotState, level: bool | None) -> SpotState:
    if level is None or level == spot.present:
        return spot
    return with_burst(spot, Burst(0, 0, level, found=True, later=True), 0, 0)


def order_out(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.OutOfServiceOrdered)
    said = f"{fact.person}: {redacted.scrubbed(fact.reason)}"
    return replace(table, service=replace(table.service, ordered_out=said))


def order_back(table: Table, _: facts.Fact) -> Table:
    return replace(table, service=replace(table.service, ordered_out=""))


# --- rows --------------------------------------------------------------------------------------------

_BOOTING, _IN, _OUT, _TEST = ServiceState
SERVICE_ROWS = (
    *move(facts.EraOpened, ServiceState, _BOOTING, do=open_era),
    *refuse(facts.Configured, ServiceState, CONFIGURED_IN_ROUND, when=round_is_open),
    *stay(facts.Configured, ServiceState, do=configure),
    *move(facts.Booted, ServiceState, _IN, when=table_may_serve, do=begin_boot),
    *move(facts.Booted, ServiceState, _OUT, do=begin_boot),
    *move(facts.OutOfServiceOrdered, (_IN, _OUT), _OUT, do=order_out),
    *stay(facts.OutOfServiceOrdered, (_BOOTING, _TEST), do=order_out),
    *move(facts.BackInServiceOrdered, _OUT, _IN, when=no_fault_stops, do=order_back),
    *refuse(facts.BackInServiceOrdered, _OUT, faults_stand),
    *refuse(facts.BackInServiceOrdered, _IN, IN_SERVICE_ALREADY),
    *refuse(facts.BackInServiceOrdered, _BOOTING, BOOTING),
    *refuse(facts.BackInServiceOrdered, _TEST, in_test),
    *stay(facts.SnapshotTaken, ServiceState),
    *stay(facts.EraClosed, ServiceState),
)
