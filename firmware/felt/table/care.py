"""What those who care for a table do: test mode, lamps tried, entries into the log, alerts acknowledged, who came to
the desk, meters adjusted. Test mode is a state of the service and of nothing else: whatever the table was before, it is
again when the mode is left."""

from __future__ import annotations

from felt.nouns.money import Currency, say
from felt.nouns.values import replace
from felt.table import facts, redacted
from felt.table.settings import LAMPS_MAX
from felt.table.state import Phase, ServiceState, Standing, Table
from felt.table.upkeep import notice


def table_is_closed(table: Table, _: facts.Fact) -> bool:
    return table.phase is Phase.CLOSED and table.round is None


def table_is_tested(table: Table, _: facts.Fact) -> bool:
    return table.service.state is ServiceState.TEST


def too_many_lamps(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.LampsTried)
    return len(fact.lamps) > LAMPS_MAX


def enter_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeEntered)
    table = replace(table, service=replace(table.service, tested_by=fact.person, trying=()))
    return notice(table, "noted", f"TEST MODE ({fact.person}): nothing counts until it is left.")


def leave_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeLeft)
    table = replace(table, service=replace(table.service, tested_by="", trying=()))
    return notice(table, "noted", f"Test mode is left ({fact.person}).")


def try_lamps(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LampsTried)
    return replace(table, service=replace(table.service, trying=fact.lamps))


def note_entry(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.EntryLogged)
    licence = f", licence {fact.licence}" if fact.licence else ""
    part, reason = redacted.scrubbed(fact.part), redacted.scrubbed(fact.reason)
    return notice(table, "noted", f"Entry: {part} ({fact.person}{licence}: {reason}).")


def alert_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.AlertAcknowledged)
    return Standing(fact.code, fact.where) not in (*table.service.faults, *table.service.passed)


def nothing_to_acknowledge(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AlertAcknowledged)
    return f"{fact.code} {fact.where} is not standing: nothing to acknowledge."


def acknowledge(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.AlertAcknowledged)
    fault = Standing(fact.code, fact.where)
    passed = tuple(one for one in table.service.passed if one != fault)
    if fault not in table.service.faults:
        table = replace(table, service=replace(table.service, passed=passed))
        return notice(table, "noted", f"{fact.code} {fact.where}: {fact.person} has seen it.")
    others = tuple(one for one in table.service.acknowledged if one[0] != fault)
    table = replace(table, service=replace(table.service, acknowledged=(*others, (fault, fact.person)), passed=passed))
    return notice(table, "noted", f"{fact.code} {fact.where}: {fact.person} takes care of it.")


def note_sign_in(table: Table, fact: facts.Fact) -> Table:
    """Who comes is recorded; only a lock-out is told at the table, where somebody may see who stands there."""
    assert isinstance(fact, facts.SignInNoted)
    if fact.outcome != "locked":
        return table
    who = fact.person or "somebody unknown"
    return notice(table, "noted", f"Wrong PINs for {who}: the desk waits {fact.wait_s} seconds.")


def note_adjustment(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.MeterAdjusted)
    currency = table.settings.terms.currency if table.settings else Currency()
    amount, way = say(abs(fact.amount_minor), currency), "taken out of" if fact.amount_minor < 0 else "put into"
    why = f"{fact.type.replace('_', ' ')}, {fact.person}: {redacted.scrubbed(fact.reason)}"
    return notice(table, "noted", f"{amount} {way} the {fact.purse} of {fact.meter} ({why}).")
