"""Both sides' totals of a round: where they differ, the answer to the very letter that told them says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.jackpot.ledger import open_ledger
from felt.jackpot.office import Office
from felt.wire.jackpot import Acked, Posted, decode, encode
from tests.jackpot.evening import MAJOR

LETTERS = (
    ("RoundLocked", '[1,["b",1,2],[[1,500],[2,500]]]'),
    ("RoundResult", '[1,["b",2,3],[],[]]'),
    ("RoundEnded", '[1,["b",3,4],{stakes},0,{bets}]'),
)


def posted(number: int, stakes: int, bets: int) -> bytes:
    kind, body = LETTERS[number - 1]
    return encode(Posted("T1", "n1", number, kind, body.format(stakes=stakes, bets=bets), 1, "ab"))


def answers(office: Office, stakes: int, bets: int) -> list[Acked]:
    heard = [decode(office.receive(posted(number, stakes, bets))[0]) for number in (1, 2, 3)]
    return [answer for answer in heard if isinstance(answer, Acked)]


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    return str(tmp_path / "jackpot.ledger")


def test_totals_that_agree_are_answered_without_a_word(ledger: str) -> None:
    office = Office(open_ledger(ledger), [MAJOR])
    assert [answer.differs for answer in answers(office, 1000, 2)] == ["", "", ""]
    office.close()


def test_totals_that_differ_are_told_with_the_answer_and_again_with_every_resend(ledger: str) -> None:
    office = Office(open_ledger(ledger), [MAJOR])
    first = answers(office, 500, 1)
    assert [bool(answer.differs) for answer in first] == [False, False, True]
    assert "the table says (500, 0, 1), the ledger (1000, 0, 2)" in first[-1].differs
    assert answers(office, 500, 1)[-1].differs == first[-1].differs
    office.close()
    reopened = Office(open_ledger(ledger), [MAJOR])
    assert answers(reopened, 500, 1)[-1].differs == first[-1].differs
    reopened.close()
