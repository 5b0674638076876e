"""Nobody at the desk gets a digest over closed cards: trying all 52 would reveal the card."""

from __future__ import annotations

import json

from felt.desk.answers import QUESTIONS
from felt.journal.reading import read_records
from tests.console.desk_evening import DeskEvening


def test_no_answer_gives_a_viewer_a_chain_or_a_tables_digest() -> None:
    table = DeskEvening()
    sam, vic = table.signed_in("Sam"), table.signed_in("Vic")
    table.say(sam, order="TableOpened", fields={})
    table.press("open")
    table.chip("3.ante")
    table.advance(200)
    answers = {question: json.dumps(table.say(vic, ask=question)) for question in QUESTIONS}
    assert '"seq"' in answers["versions"]
    assert table.running is not None
    records = list(read_records(table.running.disk))
    digests = {record.chain for record in records} | {record.digest for record in records if record.digest}
    assert len(digests) > 10
    assert not [question for question, told in answers.items() if any(digest[:16] in told for digest in digests)]
