"""What a step leaves for others: notices for the people at the table, letters for the jackpot controller."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.values import replace
from felt.table import facts
from felt.table.settings import NOTICES_MAX
from felt.table.state import Mail, Notice, Outbox, Table


def notice(table: Table, kind: str, sentence: str) -> Table:
    """A refusal that repeats is kept once, with its latest number."""
    number, told = table.panel.noticed + 1, table.panel.notices
    if kind == "refused":
        told = tuple([earlier for earlier in told if earlier.kind != kind or earlier.sentence != sentence])
    notices = (*told, Notice(number, kind, sentence))[-NOTICES_MAX:]
    return replace(table, panel=replace(table.panel, noticed=number, notices=notices))


def post(table: Table, letter: letters.Letter) -> Table:
    sequence = table.post.written + 1
    mail = Mail(sequence, letters.NAME_OF[type(letter)], letters.write(letter))
    return replace(table, post=Outbox(sequence, (*table.post.unanswered, mail)))


def file_answer(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LetterAcked)
    left = tuple([mail for mail in table.post.unanswered if mail.sequence != fact.sequence])
    return replace(table, post=Outbox(table.post.written, left))
