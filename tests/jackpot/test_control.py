"""The control socket: bounded, guarded by its file's rights, and answered by the one thread that thinks."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from felt.drivers.clock import SystemClock
from felt.drivers.line_socket import CLIENTS_MAX
from felt.jackpot.books.accounts import Entry
from felt.jackpot.controller.daemon import Daemon, Picture, Request, status_of
from felt.jackpot.controller.exchange import Count, Exchange
from felt.jackpot.controller.metrics import MetricsPage, page_of
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.port import LedgerBusyError, LedgerError, StoredLetter
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.nouns.lines import LINE_BYTES_MAX
from felt.nouns.values import replace, to_plain
from felt.ports import LinkUnavailable
from felt.virtual.broker import VirtualBroker
from felt.wiring.jackpot_controller import control_socket
from felt.wiring.sockets import ask_controller as ask
from tests.contract.linked_post import KEYS, NoWatchdog
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR

TWO = [["Ann", "supervisor"], ["Bob", "shift_manager"]]
ADJUST = {"meter": "major", "purse": "display", "amount_micro": 5 * MICRO, "type": "adjusted"}


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    office = Office(MemoryLedger(), [MAJOR])
    exchange = Exchange(office, "main", {"T1": KEYS.own}, KEYS.sign)
    daemon = Daemon(office, exchange, VirtualBroker().client(), "main", SystemClock(), NoWatchdog(), serve)
    socket_path = tmp_path / "control"
    with contextlib.closing(control_socket(socket_path, daemon.tray.put)) as opened:
        opened.start()
        thread = threading.Thread(target=daemon.run)
        thread.start()
        yield socket_path
        daemon.stop()
        thread.join(10)
    assert not socket_path.exists()


def act(path: Path, name: str = "AdjustMeter", **changed: Any) -> dict[str, Any]:
    return ask(path, {"act": name, "fields": ADJUST, "persons": TWO, "reason": "a count by hand"} | changed)


def test_only_the_services_own_user_and_group_may_open_it(path: Path) -> None:
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660


def test_status_and_report_are_answered(path: Path) -> None:
    assert ask(path, {"ask": "status"})["meters"] == {"major": RESET_MINOR * MICRO}
    assert ask(path, {"ask": "report"})["conserved"]


def test_an_act_of_two_persons_is_done_and_written_down(path: Path) -> None:
    assert act(path) == {"done": "AdjustMeter"}
    assert ask(path, {"ask": "status"})["meters"] == {"major": (RESET_MINOR + 5) * MICRO}


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"persons": TWO[:1]}, "two different persons"),
        ({"persons": [TWO[0], TWO[0]]}, "two different persons"),
        ({"persons": [["Ann"]]}, "persons cannot be read"),
        ({"reason": " "}, "needs a reason"),
        ({"name": "GiveMoney"}, "is no act"),
        ({"fields": {"meter": "major"}}, "cannot be read"),
        ({"fields": ADJUST | {"meter": "other"}}, "other"),
    ],
)
def test_an_act_that_is_not_in_order_is_refused(path: Path, changed: dict[str, Any], refusal: str) -> None:
    assert refusal in act(path, **changed)["refused"]
    assert ask(path, {"ask": "status"})["meters"] == {"major": RESET_MINOR * MICRO}


HALVES = ["a\ud800b", "bad \udcff bytes"]
SPOILT = ["a\0b", "\x1b[31mred", "two\nlines", "\x7f", "\u202eright to left"]


@pytest.mark.parametrize("text", SPOILT)
def test_a_text_that_no_ledger_can_keep_is_refused_before_anything_is_done(path: Path, text: str) -> None:
    for where, changed in (
        ("reason", {"reason": text}),
        ("name or role", {"persons": [[text, "supervisor"], TWO[1]]}),
        ("name or role", {"persons": [TWO[0], ["Bob", text]]}),
        ("field meter", {"fields": ADJUST | {"meter": text}}),
        ("name of a field", {"fields": ADJUST | {text: 1}}),
        ("field secondary_award", {"name": "ChangeTerms", "fields": {"meter": "major", "secondary_award": text}}),
    ):
        refusal = act(path, **changed)["refused"]
        assert refusal.startswith(f"The {where}"), refusal
        assert "a character that cannot be kept" in refusal
        assert refusal.isprintable()
    assert act(path) == {"done": "AdjustMeter"}, "the controller goes on"


@pytest.mark.parametrize("text", HALVES)
def test_half_of_a_character_is_refused_before_the_request_is_read(path: Path, text: str) -> None:
    for changed in ({"reason": text}, {"persons": [[text, "supervisor"], TWO[1]]}, {"fields": ADJUST | {text: 1}}):
        refusal = act(path, **changed)["refused"]
        assert refusal.startswith("A request is one JSON object on one line (a text holds half of a character")
    assert act(path) == {"done": "AdjustMeter"}, "the controller goes on"


@pytest.mark.parametrize("reason", ["Zoë\u00a0Łuk", "全角\u3000空白", "नि\u200dयम"])
def test_names_and_reasons_of_any_script_are_kept(path: Path, reason: str) -> None:
    assert act(path, reason=reason) == {"done": "AdjustMeter"}


@pytest.mark.parametrize("depth", [10, 300, 900, 5000])
def test_fields_of_any_depth_are_refused(path: Path, depth: int) -> None:
    line = json.dumps({"act": "ClearMeter", "fields": {"meter": "deep"}, "persons": TWO, "reason": "why"})
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(line.replace('"deep"', "[" * depth + "]" * depth).encode() + b"\n")
        with client.makefile("rb") as answers:
            assert "refused" in json.loads(answers.readline())
    assert act(path) == {"done": "AdjustMeter"}, "the controller goes on"


@pytest.mark.parametrize("line", [b"", b"[]", b"nothing", b"[" * 5000, b'{"ask":"what"}', b"\xff\xfe", b'{"act":1}'])
def test_what_is_no_request_is_refused_and_the_next_one_is_served(path: Path, line: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(line + b"\n" + b'{"ask":"status"}\n')
        with client.makefile("rb") as answers:
            assert "refused" in json.loads(answers.readline())
            assert "meters" in json.loads(answers.readline())


def test_a_line_without_an_end_is_cut_off(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"x" * (LINE_BYTES_MAX + 1))
        with client.makefile("rb") as answers:
            assert "too long" in json.loads(answers.readline())["refused"]
            assert answers.readline() == b""


def test_more_clients_than_places_are_sent_away_and_the_others_are_served(path: Path) -> None:
    with contextlib.ExitStack() as clients:
        seated = [clients.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(CLIENTS_MAX)]
        for client in seated:
            client.connect(str(path))
            client.sendall(b'{"ask":"status"}\n')
            assert client.recv(65536)
        assert "other clients are connected" in ask(path, {"ask": "status"})["refused"]


def test_a_second_controller_does_not_take_the_socket_of_a_living_one(path: Path) -> None:
    with pytest.raises(LinkUnavailable, match="another controller"):
        control_socket(path, lambda _: True)
    assert ask(path, {"ask": "status"})


def test_a_socket_left_by_a_dead_controller_is_taken(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "control"))
    left.close()
    control_socket(tmp_path / "control", lambda _: True).close()


class Failing(MemoryLedger):
    trouble: LedgerError | None = None

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        if self.trouble is not None:
            raise self.trouble
        super().commit(entries, rows, letters)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (
            LedgerError("The disk is full: see to it."),
            "The ledger failed. The disk is full: see to it. "
            "Before you repeat an act, see in felt jackpot report whether it was done.",
        ),
        (
            LedgerBusyError("A reader holds it."),
            "The ledger is held by another: nothing was done; try again. A reader holds it.",
        ),
    ],
)
def test_who_acts_on_a_ledger_that_fails_hears_why_and_what_to_do(problem: LedgerError, said: str) -> None:
    ledger = Failing()
    office = Office(ledger, [MAJOR])
    exchange = Exchange(office, "main", {"T1": KEYS.own}, KEYS.sign)
    daemon = Daemon(office, exchange, VirtualBroker().client(), "main", SystemClock(), NoWatchdog(), serve)
    daemon.begin()
    ledger.trouble = problem
    heard: list[dict[str, Any]] = []
    daemon.tray.put(Request({"act": "AdjustMeter", "fields": ADJUST, "persons": TWO, "reason": "why"}, heard.append))
    with contextlib.suppress(LedgerError):
        daemon.turn(0)
    assert heard == [{"refused": said}]


PICTURE = Picture(
    5_000_000_000, True, {"major": 7}, {"T1": True}, {Count("forged", "T1"): 3}, 2, 1, ("A claim waits.",), 4, 0
)


def test_metrics_are_prometheus_text_and_health_follows_the_broker() -> None:
    page = MetricsPage(0)
    assert page.answer("/health")[0] == 503
    page.show(PICTURE)
    assert page.answer("/metrics") == (200, page_of(PICTURE))
    assert page.answer("/health") == (200, "well\n")
    page.show(replace(PICTURE, connected=False))
    assert page.answer("/health") == (503, "no broker\n")
    assert page.answer("/else")[0] == 404
    page.close()
    lines = page_of(PICTURE).splitlines()
    assert 'felt_jackpot_messages_total{event="forged",table="T1"} 3' in lines
    assert 'felt_jackpot_meter_micro{meter="major"} 7' in lines
    assert all(line.startswith("#") or len(line.split(" ")) == 2 for line in lines)


def test_the_status_tells_what_waits_for_a_person() -> None:
    assert status_of(PICTURE)["alerts"] == ["A claim waits."]
    assert status_of(PICTURE)["counts"] == {"T1": {"forged": 3}}


# --- named fields, and what would change -----------------------------------------------------------


def test_terms_are_changed_by_the_names_of_what_becomes_otherwise_and_nothing_else_is(path: Path) -> None:
    done = act(path, name="ChangeTerms", fields={"meter": "major", "rate_bp": 200, "partial_win_meter": "reset"})
    assert done == {"done": "ChangeTerms"}
    asked = {"preview": "ChangeTerms", "fields": {"meter": "major", "reset_minor": 7}, "persons": TWO, "reason": "why"}
    assert ask(path, asked)["preview"]["meters"]["major"] == {
        "rate_bp": [MAJOR.rate_bp, 200],
        "reset_minor": [MAJOR.reset_minor, 7],
        "partial_win_meter": ["deduct", "reset"],
    }, "the second change comes on top of the first"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"meter": "minor", "rate_bp": 1}, "names no meter of this controller"),
        ({"terms": to_plain(MAJOR)}, "names no meter of this controller"),
        ({"meter": "major", "rate": 1}, "have no field 'rate'"),
        ({"meter": "major"}, "changes nothing"),
        ({"meter": "major", "rate_bp": "fast"}, "cannot be read"),
        ({"meter": "major", "rate_bp": 20_000}, "cannot have these terms"),
    ],
)
def test_terms_that_are_not_named_rightly_are_refused(path: Path, fields: dict[str, Any], said: str) -> None:
    assert said in act(path, name="ChangeTerms", fields=fields)["refused"]


def test_a_preview_says_before_and_after_and_changes_nothing(path: Path) -> None:
    fields = {"meter": "major", "purse": "display", "amount_micro": 5 * MICRO, "type": "adjusted"}
    asked = {"preview": "AdjustMeter", "fields": fields, "persons": TWO, "reason": "a count by hand"}
    shown = ask(path, asked)["preview"]
    assert shown["meters"] == {"major": {"display_micro": [RESET_MINOR * MICRO, (RESET_MINOR + 5) * MICRO]}}
    assert ask(path, {"ask": "status"})["meters"] == {"major": RESET_MINOR * MICRO}
    assert "two different persons" in ask(path, asked | {"persons": TWO[:1]})["refused"]
