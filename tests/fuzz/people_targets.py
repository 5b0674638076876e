"""What people and their programs type: the lines of the desk, of the console, of the jackpot controller's control
socket and of `felt settle`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from felt.config.people import ListedPerson
from felt.console.all_commands import COMMANDS
from felt.console.session import ConsoleSession
from felt.desk.desk import Desk, RequestRefused
from felt.desk.permissions import POWERS
from felt.desk.pin_lockout import Lockout
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.nouns.faults import CATALOGUE
from felt.nouns.lines import LineError, read_answer, read_request, write_line
from felt.settling.stream import settle_batch
from tests.console.desk_evening import PIN, DeskEvening, EmptyArchive, Line, Script, people
from tests.fuzz.target import Target, is_one_sentence
from tests.jackpot.evening import MAJOR, Sender, claim, stamp

EXAMPLES = Path(__file__).resolve().parents[1] / "rules" / "settle_examples.jsonl"
LINES_MAX = 12  # of one conversation


class QuickDesk(Desk):
    """Digests of PINs are deliberately slow, which is too slow here."""

    def person(self, name: str, pin: str) -> ListedPerson:
        if PIN.get(name) != pin:
            raise RequestRefused("This name and this PIN do not belong together.")
        return people()[name]


class QuickEvening(DeskEvening):
    def new_desk(self) -> Desk:
        lockout = Lockout(lambda: self.now_ns, self.memory, self.told.append)
        return QuickDesk(self.loop.inbox.put, lambda: self.known, lockout)


def check_desk(content: bytes) -> None:
    """One request a line. A refusal is a sentence, a stranger changes nothing, and the table is in order afterwards."""
    table = QuickEvening()
    signed_in, stranger = table.signed_in("Max"), table.desk.welcome()
    for line in content.split(b"\n")[:LINES_MAX]:
        try:
            words = read_request(line)
        except LineError as error:
            assert is_one_sentence(error)
            continue
        assert read_answer(write_line(words)) == words
        before = table.table
        if "login" not in words:
            _is_answer(stranger.answer(dict(words)))
            assert table.table is before
        _is_answer(table.answered(signed_in, dict(words)))
    table.advance(100)
    assert table.running is not None
    assert "answer" in table.say(table.desk.welcome(), ask="status")


def _is_answer(answer: dict[str, object]) -> None:
    assert ("answer" in answer) != ("refused" in answer)
    assert "refused" not in answer or is_one_sentence(answer["refused"]), answer
    assert json.loads(write_line(answer))


def check_console(content: bytes) -> None:
    """Lines that a signed-in person types. The console shows nothing that a terminal would obey, and the visit ends."""
    typed = content.decode("utf-8", "replace").splitlines()[:LINES_MAX]
    table = QuickEvening()
    script = Script("Max", PIN["Max"], *(line for line in typed if not line.startswith("!")))
    ConsoleSession(script, lambda: Line(table), EmptyArchive(), COMMANDS, "T1").run()
    shown = "\n".join(script.shown)
    assert "Traceback" not in shown
    assert all(character == "\n" or character.isprintable() for character in shown), ascii(shown)


CLAIM = {"table": "T1", "claim": "1.1"}


def check_control(content: bytes) -> None:
    """Requests at the jackpot controller's socket, a line each, while a claim is open and a round pends."""
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    first, two = Sender(office), Sender(office, "T2", boot="other")
    first.play(1, 1, claims=(claim(1, 1),))
    two.lock(1, 1)
    for number, line in enumerate(content.split(b"\n")[:LINES_MAX]):
        try:
            words = read_request(line)
        except LineError as error:
            assert is_one_sentence(error)
            continue
        before = rows_of(office.standing)
        served = serve(office, words, stamp(10_000 + number))
        assert json.loads(write_line(served.reply))
        if "refused" in served.reply:
            assert is_one_sentence(served.reply["refused"]), served.reply
            assert rows_of(office.standing) == before
    report = office.report()
    assert report.conserved, report.problem
    assert rows_of(Office(ledger, [MAJOR]).standing)["meter/major"] == rows_of(office.standing)["meter/major"]


def check_settle(content: bytes) -> None:
    """Each line has one answer of one line, and a refusal has a code of the catalogue other than that of our own
    mistakes."""
    lines = content.split(b"\n")[:LINES_MAX]
    answers, refused = settle_batch(lines)
    told = [json.loads(answer) for answer in answers.splitlines()]
    assert len(told) == len(lines)
    errors = [answer["error"] for answer in told if "error" in answer]
    assert refused == bool(errors)
    for error in errors:
        assert error["code"] in CATALOGUE
        assert error["code"] != "F-699", error
        assert error["message"]
        assert "\n" not in error["message"]


# --- good ones ---------------------------------------------------------------------------------------


def _lines(*words: dict[str, Any]) -> bytes:
    return b"".join(write_line(word) for word in words)


def desk_lines() -> list[bytes]:
    asks = [{"felt": 1, "id": 1, "ask": question} for question in ("status", "round", "faults", "screen", "meters")]
    orders = [
        {"felt": 1, "id": 2, "order": kind, "fields": {"reason": "smoke", "code": "F-101", "seat": 1, "text": "x"}}
        for kind in POWERS
    ]
    sam = {"login": "Sam", "pin": PIN["Sam"]}
    second = {"felt": 1, "order": "ClaimConfirmed", "fields": {"claim": "1.1"}, "second": sam}
    opened = {"felt": 1, "order": "TableOpened", "fields": {}}
    return [_lines(*asks), *(_lines(opened, order) for order in orders), _lines(second)]


def console_lines() -> list[bytes]:
    examples = [command.example.encode() for command in COMMANDS.values()]
    return [*examples, b"\n".join(examples[:8]), b"help\nstatus\nquit"]


def control_lines() -> list[bytes]:
    persons = [["Ada", "supervisor"], ["Bob", "supervisor"]]
    acts: dict[str, dict[str, object]] = {
        "AdjustMeter": {"meter": "major", "purse": "reserve", "amount_micro": 5, "type": "adjusted"},
        "DropPending": {"table": "T2", "nonce": "n1", "round": 1},
        "OrderClaims": {
            "meter": "major",
            "claims": [{"table": table, "claim": "1.1", "nonce": "n1"} for table in ("T1", "T2")],
        },
        "ReleaseClaim": {"claim": CLAIM},
        "ClearMeter": {"meter": "major"},
        "CorrectClaim": {"claim": CLAIM, "level": "major", "share_num": 1, "share_den": 2},
        "SettleAbandonedClaim": {"claim": CLAIM, "pay": True},
        "ChangeTerms": {"meter": "major", "rate_bp": 200},
        "ReinstateJournal": {"table": "T1", "nonce": "n1"},
    }
    asked = [_lines({"ask": "report"})]
    return asked + [
        _lines({"act": name, "fields": fields, "persons": persons, "reason": "because"})
        for name, fields in acts.items()
    ]


def settle_lines() -> Sequence[bytes]:
    examples = [json.loads(line)["request"] for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    return [json.dumps(example, separators=(",", ":")).encode() for example in examples]


PEOPLE: dict[str, Target] = {
    "desk": Target(check_desk, desk_lines, (b'"order":', b'"fields":{', b'"seat":7', b'"person":"x"', b'"ask":'), 10),
    "console": Target(check_console, console_lines, tuple(name.encode() for name in COMMANDS), 10),
    "control": Target(
        check_control, control_lines, (b'"act":', b'"persons":', b"T2", b'{"table":"T1","claim":"1.1"}'), 20
    ),
    "settle": Target(check_settle, settle_lines, (b'"bets":{', b'"cards":["As"]', b'"decision":"fold"', b"5e3"), 40),
}
