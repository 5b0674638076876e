"""Both sides' totals of a round: where they differ, the answer to the very letter that told them says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import ClaimName, Person, SettleAbandonedClaim
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked
from felt.letters.from_table import (
    NAME_OF,
    Contribution,
    Posted,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    write,
)
from felt.nouns.stamps import Stamp
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import MAJOR, STAKE, Sender, claim, stamp


def posted(number: int, stakes: int, bets: int) -> bytes:
    letter = (
        RoundLockedLetter(1, Stamp("b", 1, 2), (Contribution(1, 500), Contribution(2, 500))),
        RoundResultLetter(1, Stamp("b", 2, 3), ()),
        RoundEndedLetter(1, Stamp("b", 3, 4), stakes, 0, bets),
    )[number - 1]
    return encode(Posted("T1", "n1", number, NAME_OF[type(letter)], write(letter), 1, "ab"))


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


# --- a hit that one side alone has found ---


class Side:
    """A table at an office in memory, and what it is told with the answer to its totals."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.office = Office(self.ledger, [MAJOR])
        self.table = Sender(self.office)

    def told_at_the_end(self, number: int, awards: int) -> str:
        ended = RoundEndedLetter(number, self.table.now(), STAKE, awards, 1)
        data = self.table.envelope(ended)
        (acked,) = [answer for answer in self.table.deliver(data) if isinstance(answer, Acked)]
        self.table.posted.append(data)
        return acked.differs

    def alarms(self) -> list[str]:
        return [entry.detail for entry in self.ledger.entries(Code.ALARM)]


def test_an_award_that_the_controller_does_not_know_is_told_to_the_table_with_its_totals() -> None:
    side = Side()
    side.table.play(1, 1)
    told = side.told_at_the_end(1, awards=7)
    assert f"the table says ({STAKE}, 7, 1), the ledger ({STAKE}, 0, 1)" in told
    assert side.alarms() == [told]


def test_a_claim_that_the_table_never_names_again_is_told_to_it_with_its_totals() -> None:
    side = Side()
    (valued,) = side.table.play(1, 1, claims=(claim(1, 1),))
    told = side.told_at_the_end(1, awards=0)
    assert told.startswith("The table ended the round while its claims 1.1 are open: keep the layout as it is.")
    assert side.alarms() == [told]
    again = Office(side.ledger, [MAJOR])
    resent = [decode(answer) for answer in again.receive(side.table.posted[-1])]
    assert resent[0] == Acked("T1", "n1", 4, 4, told)
    assert resent[1] == valued


def test_both_breaks_of_one_round_are_told_together() -> None:
    side = Side()
    side.table.play(1, 1, claims=(claim(1, 1),))
    told = side.told_at_the_end(1, awards=7)
    assert "Totals of the round differ" in told
    assert "its claims 1.1 are open" in told
    assert len(side.alarms()) == 2


def test_a_claim_that_its_table_has_gone_on_without_is_decided_at_the_controller() -> None:
    side = Side()
    (valued,) = side.table.play(1, 1, claims=(claim(1, 1),))
    side.told_at_the_end(1, awards=0)
    act = SettleAbandonedClaim(ClaimName("T1", "1.1"), pay=True)
    persons = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
    with pytest.raises(RefusedError, match="still has that round"):
        side.office.act(act, persons, "the cards were kept", stamp(60))
    side.table.lock(2, 1)
    side.office.act(act, persons, "the cards were kept", stamp(60))
    assert (side.office.standing.claims, side.office.standing.meters[0].wins) == ((), valued.award_minor)
    report = side.office.report()
    assert report.conserved, report.problem


def test_a_round_that_both_sides_tell_alike_is_answered_without_a_word_with_a_hit_too() -> None:
    side = Side()
    (valued,) = side.table.play(1, 1, claims=(claim(1, 1),))
    side.table.confirm(1, "1.1", valued.award_minor)
    assert side.told_at_the_end(1, awards=valued.award_minor) == ""
    assert side.alarms() == []
