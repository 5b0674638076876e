"""What those who care for a table do: test mode, lamps tried, entries into the log, alerts acknowledged. Test mode is a
state of the service and of nothing else: whatever the table was before, it is again when the mode is left."""

from __future__ import annotations

from felt.table import facts, redacted
from felt.table.settings import LAMPS_MAX
from felt.table.state import Phase, Standing, Table
from felt.table.upkeep import notice


def table_is_closed(table: Table, _: facts.Fact) -> bool:
    return table.phase is Phase.CLOSED and table.round is None


def too_many_lamps(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.LampsTried)
    return len(fact.lamps) > LAMPS_MAX


def enter_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeEntered)
    table = table._replace(service=table.service._replace(tested_by=fact.person, trying=()))
    return notice(table, "noted", f"TEST MODE ({fact.person}): nothing counts until it is left.")


def leave_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeLeft)
    table = table._replace(service=table.service._replace(tested_by="", trying=()))
    return notice(table, "noted", f"Test mode is left ({fact.person}).")


def try_lamps(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LampsTried)
    return table._replace(service=table.service._replace(trying=fact.lamps))


def note_entry(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.EntryLogged)
    licence = f", licence {fact.licence}" if fact.licence else ""
    return notice(table, "noted", f"Entry: {fact.part} ({fact.person}{licence}: {redacted.scrubbed(fact.reason)}).")


def acknowledge(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.AlertAcknowledged)
    fault = Standing(fact.code, fact.where)
    if fault not in table.service.faults:
        return notice(table, "refused", f"{fact.code} {fact.where} is not standing: nothing to acknowledge.")
    others = tuple(one for one in table.service.acknowledged if one[0] != fault)
    table = table._replace(service=table.service._replace(acknowledged=(*others, (fault, fact.person))))
    return notice(table, "noted", f"{fact.code} {fact.where}: {fact.person} takes care of it.")
