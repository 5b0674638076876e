"""Switches, stuck keys and codes on their way through the intake: levels that outlive a boot, and a code that nobody
can read afterwards."""

from __future__ import annotations

from felt.journal import read_records
from felt.stories.evening import Evening
from felt.table import facts
from felt.table.facts import Fact

CODE = "7172"
DEALER = f'dealers.Kim="{CODE}"'


def _journaled(evening: Evening) -> list[Fact]:
    return [facts.decode(record.payload) for record in read_records(evening.disk)]


def _faults(evening: Evening) -> list[tuple[str, str]]:
    return [(fault.code, fault.where) for fault in evening.table.service.faults]


def _sign_in(evening: Evening, code: str) -> None:
    while evening.table.panel.mode != "sign_in":
        evening.press("other")
    for digit in code:
        evening.press(f"seat_{digit}")


def test_no_digit_of_a_code_reaches_the_journal_or_the_table() -> None:
    evening = Evening(overrides=(DEALER,))
    _sign_in(evening, "717111")
    _sign_in(evening, CODE)
    assert evening.table.panel.dealer == "Kim"
    assert not any(isinstance(fact, facts.SeatPressed) for fact in _journaled(evening))
    assert all(CODE not in record.payload for record in read_records(evening.disk))


def test_two_tables_keep_two_digests_of_one_code() -> None:
    ours, theirs = (Evening(overrides=(DEALER, f"table.id={name}")).table.settings for name in ("T1", "T2"))
    assert ours is not None
    assert theirs is not None
    assert ours.dealers != theirs.dealers


def test_switches_are_read_at_boot() -> None:
    evening = Evening()
    evening.board.drive_unnoticed("key.supervisor", True)
    evening.board.drive_unnoticed("key.door", True)
    evening.power_cut()
    evening.boot()
    evening.advance(50)
    assert (evening.table.panel.supervisor, evening.table.panel.door_open) == (True, True)


def test_a_switch_whose_edge_was_lost_is_found_by_its_level() -> None:
    evening = Evening()
    evening.advance(50)
    evening.board.drive_unnoticed("key.supervisor", True)
    evening.advance(1_500)
    assert evening.table.panel.supervisor
    assert sum(isinstance(fact, facts.SupervisorTurned) for fact in _journaled(evening)) == 1


def test_a_key_that_is_down_at_boot_is_no_press_and_is_named_when_it_stays_down() -> None:
    evening = Evening()
    evening.order("TableOpened", person="supervisor")
    evening.board.drive_unnoticed("key.open", True)
    evening.power_cut()
    evening.boot()
    evening.advance(9_000)
    assert _faults(evening) == []
    evening.advance(3_000)
    assert _faults(evening) == [("F-106", "key.open")]
    assert evening.table.round is None
    evening.board.drive("key.open", False)
    evening.advance(100)
    assert _faults(evening) == []


def test_a_fault_of_a_key_that_came_up_in_the_dark_clears_by_itself() -> None:
    evening = Evening()
    evening.board.drive("key.void", True)
    evening.advance(12_000)
    assert _faults(evening) == [("F-106", "key.void")]
    evening.board.drive_unnoticed("key.void", False)
    evening.power_cut()
    evening.boot()
    evening.advance(100)
    assert _faults(evening) == []


def test_a_small_panel_is_played_with_the_keys_it_has() -> None:
    """Lines that a profile lacks are never asked for."""
    from felt.virtual.board import VirtualBoard
    from felt.wiring import table_settings

    class Small(Evening):
        def new_board(self) -> VirtualBoard:
            whole = super().new_board().lines()
            missing = ("key.misdeal", "key.other", "key.count_mismatch", "key.supervisor", "key.door", "key.collect")
            lines = [line for line in whole if line.name not in missing]
            return VirtualBoard(lines, table_settings.lamp_names(self.config), self._lamp, self.clock.now_ns)

    evening = Small()
    evening.order("TableOpened", person="supervisor")
    evening.press("open")
    evening.chip("1.ante")
    evening.advance(60)
    evening.press("no_more_bets")
    evening.advance(200)
    assert evening.order("CollectPressed") == ""
    assert evening.order("BetsReturned", seat=1, person="Max", role="shift_manager") == ""
    assert evening.table.round is not None
    assert (evening.table.round.collected, evening.table.round.returned) == (True, (1,))
