"""After an upgrade a table posts what its former version wrote and nobody answered."""

from __future__ import annotations

from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked, Valued
from felt.letters.from_table import Posted
from felt.nouns.values import replace
from felt.table import facts, views
from felt.table.handover import hand_over, taken_over
from felt.table.state import Table
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import MAJOR, MICRO
from tests.table.bench import Bench

TERMS = replace(MAJOR, rate_bp=2_000)  # those of the bench


def _upgraded() -> Table:
    """A jackpot was won and paid while nobody answered; then the table stopped and got new firmware."""
    old = Bench().paying_a_jackpot().do(facts.SettlePressed).table
    assert old.post.unanswered
    return taken_over(hand_over(old), old.settings)


def test_letters_of_the_former_version_are_accepted_and_their_resends_are_known() -> None:
    table, office = _upgraded(), Office(MemoryLedger(), [TERMS])
    for first in (True, False):  # then every answer was lost
        for mail in views.mail(table):
            posted = encode(Posted("T1", "n1", mail.sequence, mail.kind, mail.body, 1, "ab"))
            answers = [decode(one) for one in office.receive(posted)]
            assert isinstance(answers[0], Acked), answers
            assert answers[0].sequence == mail.sequence
            valued = [one for one in answers if isinstance(one, Valued)]
            assert bool(valued) is (first and mail.kind == "RoundResult"), mail.kind
    assert office.alarms == 0
    assert office.meters()["major"] == TERMS.reset_minor * MICRO
