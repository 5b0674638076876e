"""What the desk leaves in the journal: every order with its person, every sign-in and every failed one, and no PIN."""

from __future__ import annotations

from typing import Any, get_type_hints

import msgspec
import pytest

from felt.desk.permissions import POWERS, needs_two
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import fields_of
from felt.table import facts
from felt.table.state import Phase
from tests.console.desk_evening import PIN, DeskEvening

WHO = {"person": "Max", "role": "shift_manager", "licence": "L-1"}
# A field that the client must say, whatever it leads to.
FIELDS: dict[str, dict[str, Any]] = {
    "OutOfServiceOrdered": {"reason": "smoke"},
    "EntryLogged": {"part": "cabinet", "reason": "a sensor"},
    "AlertAcknowledged": {"code": "F-107", "where": "door"},
    "FaultCleared": {"code": "F-107", "where": "door"},
    "LampsTried": {"lamps": []},
    "VoidOrdered": {"reason": "a quarrel"},
    "RulingMade": {"question": "q1", "choice": "void", "reason": "seen"},
    "PlayerChose": {"question": "q1", "seat": 1, "choice": "return"},
    "IrregularityDeclared": {"mishap": "exposed_card", "where": "1", "evidence": "seen"},
    "CorrectionRecorded": {"round": 1, "what": "paid", "reason": "seen"},
    "ClaimConfirmed": {"claim": "1.1"},
    "ClaimDenied": {"claim": "1.1", "reason": "no"},
    "MeterAdjusted": {
        "meter": "major", "purse": "display", "amount_minor": -100, "type": "malfunction_corrected", "reason": "twice",
    },
    "BetKeyed": {"spot": "1.ante", "amount_minor": 2500},
    "BetUnkeyed": {"spot": "1.ante"},
    "AmountFound": {"spot": "1.ante", "amount_minor": 2500},
    "BetsReturned": {"seat": 1},
    "SeatBarred": {"seat": 1, "out": True},
    "ProgressiveSwitched": {"off": True, "reason": "dark"},
    "RevealRefused": {"seat": 1},
    "DealerSignedIn": {"name": "Kim"},
    "CardKeyed": {"card": "As"},
    "CardStruck": {"card": "As", "reason": "bent"},
    "StubChecked": {"cards": 40},
}  # fmt: skip


def claimed_fields(kind: str) -> dict[str, Any]:
    """What one kind needs besides the person: found by its fields, so that a new order is tried without being
    listed."""
    known = {field.name: field for field in msgspec.structs.fields(facts.FACTS[kind])}
    hints = {name: getattr(hint, "__name__", "") for name, hint in get_type_hints(facts.FACTS[kind]).items()}
    samples: dict[str, Any] = {"str": "something", "int": 1, "bool": True, "Spot": "1.ante", "Card": "As"}
    needed = [
        field for name, field in known.items() if name not in ("at", *WHO) and name not in FIELDS.get(kind, {})
        and field.required
    ]  # fmt: skip
    return {**{field.name: samples[hints[field.name]] for field in needed}, **FIELDS.get(kind, {})}


@pytest.mark.parametrize("kind", sorted(kind for kind in POWERS if kind in facts.FACTS))
def test_every_order_is_journaled_with_the_person_who_gave_it(kind: str) -> None:
    table = DeskEvening()
    client = table.signed_in("Max")
    fields = {**claimed_fields(kind), "person": "the king"}
    second = {"second": {"login": "Sam", "pin": PIN["Sam"]}} if needs_two(kind, fields.get("code")) else {}
    table.say(client, order=kind, fields=fields, **second)
    found = table.journaled(facts.FACTS[kind])
    assert [fact.person for fact in found] == ["Max and Sam" if second else "Max"]
    assert all(fact.at.wall_ns > 0 for fact in found)
    for name in set(WHO) & set(fields_of(facts.FACTS[kind])) - {"person"}:
        assert getattr(found[0], name) == WHO[name]


SHU = {"login": "Shu", "pin": PIN["Shu"]}
SAID = ("reason", "what", "part", "evidence")


@pytest.mark.parametrize("kind", [kind for kind in sorted(POWERS) if set(SAID) & set(claimed_fields(kind))])
def test_no_order_is_taken_without_what_has_to_be_said_with_it(kind: str) -> None:
    table = DeskEvening()
    client = table.signed_in("Max")
    whole = claimed_fields(kind)
    for word in set(SAID) & set(whole):
        for blank in ("", "  ", ".", "\u2800"):
            said = table.say(client, order=kind, fields={**whole, word: blank}, second=SHU)["refused"]
            assert said.startswith("This needs ")
    assert table.journaled(facts.FACTS[kind]) == []


def test_who_came_and_who_failed_to_is_journaled_without_what_was_typed() -> None:
    table = DeskEvening()
    table.signed_in("Sam")
    for _ in range(4):
        table.say(table.desk.welcome(), login="Tess", pin="987654")
    table.say(table.desk.welcome(), login="13572468", pin="987654")
    table.tick()
    noted = table.journaled(facts.SignInNoted)
    assert [(sign_in.person, sign_in.role, sign_in.outcome, sign_in.wait_s) for sign_in in noted] == [
        ("Sam", "supervisor", "in", 0),
        ("Tess", "", "wrong", 0),
        ("Tess", "", "wrong", 0),
        ("Tess", "", "locked", 30),  # the fourth try was refused and is not counted
        ("", "", "wrong", 0),
    ]
    assert table.running is not None
    journal = b"".join(table.running.disk.read(name) for name in table.running.disk.names())
    assert b"SignInNoted" in journal
    assert b"987654" not in journal
    assert b"13572468" not in journal


def test_the_second_of_two_persons_is_noted_as_one_who_came() -> None:
    table = DeskEvening()
    client = table.signed_in("Sam")
    second = {"login": "Shu", "pin": PIN["Shu"]}
    table.say(client, order="ClaimConfirmed", fields={"claim": "1.1"}, second=second)
    assert [sign_in.person for sign_in in table.journaled(facts.SignInNoted)] == ["Sam", "Shu"]


# --- lock-out across a restart -----------------------------------------------------------------------------


def locked_out(table: DeskEvening) -> str:
    return str(table.say(table.desk.welcome(), login="Sam", pin=PIN["Sam"]).get("refused", ""))


def test_a_restart_is_no_way_around_a_lock_out() -> None:
    table = DeskEvening()
    for _ in range(4):
        table.say(table.desk.welcome(), login="Sam", pin="0000")
        table.now_ns += 31 * NS_PER_S
    table.memory.power_cut()
    table.memory.power_on()
    table.now_ns = 0  # monotonic time restarts
    table.desk = table.new_desk()
    table.desk.show(table.loop.picture())
    assert locked_out(table) == "Too many wrong PINs: wait 60 seconds."
    table.now_ns += 60 * NS_PER_S
    assert not locked_out(table)
    table.desk = table.new_desk()
    table.desk.show(table.loop.picture())
    assert not locked_out(table), "the right PIN ended it, for good"


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b'{"Sam": "many"}', b"\xff"])
def test_unreadable_counts_restart_and_are_reported(content: bytes) -> None:
    table = DeskEvening()
    table.memory.replace("lockout", content)
    table.desk = table.new_desk()
    table.desk.show(table.loop.picture())
    assert not locked_out(table)
    assert "cannot be read and begin anew" in table.told[0]


def test_a_disk_that_keeps_no_count_is_reported_and_the_desk_goes_on_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    from felt.ports import DiskError

    table = DeskEvening()

    def refuse(_name: str, _data: bytes) -> None:
        raise DiskError("full")

    monkeypatch.setattr(table.memory, "replace", refuse)
    for _ in range(3):
        table.say(table.desk.welcome(), login="Sam", pin="0000")
    assert "cannot be kept (full)" in " ".join(table.told)
    assert "wait 30 seconds" in locked_out(table)


# --- adjustments -------------------------------------------------------------------------------------------

ADJUSTMENT = FIELDS["MeterAdjusted"]


def adjusted(table: DeskEvening, **fields: Any) -> dict[str, Any]:
    client = table.signed_in("Sam")
    return table.say(client, order="MeterAdjusted", fields={**ADJUSTMENT, **fields}, second=SHU)


def displayed(table: DeskEvening) -> int:
    return next(iter(table.office.meters().values()))


def test_a_meter_is_adjusted_by_two_persons_in_the_ledger_and_in_the_journal() -> None:
    table = DeskEvening()
    before = displayed(table)
    assert "answer" in adjusted(table)
    assert displayed(table) == before - 100 * 10**6
    (entry,) = [entry for entry in table.ledger.entries() if entry.code == "malfunction_corrected"]
    assert "Sam (supervisor)" in entry.persons
    assert "Shu (supervisor)" in entry.persons
    assert table.office.report().conserved
    (fact,) = table.journaled(facts.MeterAdjusted)
    assert (fact.person, fact.amount_minor, fact.reason) == ("Sam and Shu", -100, "twice")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"meter": "minor"}, "There is no meter 'minor'"),
        ({"purse": "pocket"}, "pocket"),
        ({"type": "because"}, "because"),
        ({"amount_minor": 0}, "An adjustment of nothing"),
        ({"amount_minor": -(10**11)}, "less than that"),
        ({"amount_minor": 10**13}, "a number is at most"),
        ({"amount_minor": "5"}, "not a whole number"),
        ({"reason": " "}, "needs a reason"),
        ({"reason": "x" * 201}, "at most 200"),
        ({"type": "over_limit_corrected", "amount_minor": 5}, "takes out and never puts in"),
    ],
)
def test_an_adjustment_that_makes_no_sense_is_refused_and_moves_nothing(fields: dict[str, Any], sentence: str) -> None:
    table = DeskEvening()
    before = displayed(table)
    assert sentence in adjusted(table, **fields)["refused"]
    assert displayed(table) == before
    assert table.journaled(facts.MeterAdjusted) == []


def test_one_person_adjusts_nothing_and_neither_does_a_technician() -> None:
    table = DeskEvening()
    assert table.say(table.signed_in("Sam"), order="MeterAdjusted", fields=ADJUSTMENT)["needs"] == "second"
    tess = table.say(table.signed_in("Tess"), order="MeterAdjusted", fields=ADJUSTMENT, second=SHU)
    assert "for a supervisor" in tess["refused"]


def test_no_meter_moves_in_test_mode_or_while_a_round_is_in_play() -> None:
    table = DeskEvening()
    table.say(table.signed_in("Max"), order="TestModeEntered", fields={})
    assert "In test mode no meter moves" in adjusted(table)["refused"]
    table.say(table.signed_in("Max"), order="TestModeLeft", fields={})
    table.say(table.signed_in("Sam"), order="TableOpened", fields={})
    table.advance(1500)
    table.press("open")
    assert "Round 1 is in play" in adjusted(table)["refused"]


def test_a_linked_table_says_where_its_meters_are_adjusted() -> None:
    table = DeskEvening(linked=True)
    said = adjusted(table)["refused"]
    assert "a jackpot controller's" in said
    assert "felt jackpot act AdjustMeter" in said
    assert table.journaled(facts.MeterAdjusted) == []


def test_at_the_desk_the_office_is_the_signed_in_persons_whatever_the_client_says() -> None:
    """Bets without a declared error go back on the shift manager's order (5.23), and nobody becomes one by saying
    so."""
    table = DeskEvening()
    table.order("TableOpened", person="Sam")
    table.press("open")
    for spot in ("1.ante", "2.ante"):
        table.chip(spot)
    table.advance(100)
    table.press("no_more_bets")
    table.until(lambda: table.phase is Phase.DEALING)
    claimed = {"seat": 1, "role": "shift_manager"}
    refused = table.say(table.signed_in("Sam"), order="BetsReturned", fields=claimed)["refused"]
    assert "the shift manager returns bets then (5.23), not a supervisor" in refused
    assert "refused" not in table.say(table.signed_in("Max"), order="BetsReturned", fields=claimed)
    assert [fact.role for fact in table.journaled(facts.BetsReturned)] == ["supervisor", "shift_manager"]
