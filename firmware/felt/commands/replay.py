"""`felt replay`: what a journal says happened: rounds, lamps, letters and money, questions, rulings, refusals and power
cuts, worked out again from its facts. It tells the cards that the rules have turned over; the others need a role that
may see them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from felt.commands.failing import one_sentence
from felt.demo.settlement import say_line
from felt.journal import ReplayDiverged
from felt.journal.reading import read_records
from felt.journal.record import Record
from felt.nouns.money import Currency, say
from felt.nouns.stamps import NS_PER_S
from felt.ports import Disk
from felt.service.wiring import read_only_disk
from felt.table import deal, facts, redacted, views
from felt.table.machine import Stepper
from felt.table.state import Digester, Round, Table

EPILOG = """examples:
  felt replay /var/lib/felt/journal            every round, a line each
  felt replay /var/lib/felt/journal 17         round 17 in full
  felt replay /var/lib/felt/journal --json     one JSON object a round
  felt replay /var/lib/felt/journal 17 --role supervisor
                                               the same with every card, also of folded hands"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("journal", type=Path, help="the journal's folder; it may be in use")
    parser.add_argument("round", type=int, nargs="?", help="only this round, with its lamps and letters")
    parser.add_argument("--json", action="store_true", help="one JSON object a round")
    parser.add_argument("--role", choices=redacted.MAY_SEE_CARDS, default="", help="a role that may see every card")


class Told(NamedTuple):
    """One round as the journal tells it."""

    record: dict[str, Any]
    letters: tuple[tuple[str, str], ...]
    lamps: tuple[str, ...]
    events: tuple[str, ...]  # what people were told, what they ruled, and when the power came back
    currency: Currency


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt replay"):
        disk = read_only_disk(arguments.journal)
        found = False
        for told in rounds_of(read_records(disk), arguments.role):
            if arguments.round in (None, told.record["round"]):
                found = True
                _print(told, as_json=arguments.json, whole=arguments.round is not None)
        if arguments.round is None and not found:
            print(f"felt replay: {_without_rounds(disk, arguments.journal)}", file=sys.stderr)
            return 1
        if arguments.round is not None and not found:
            print(f"felt replay: no round {arguments.round} has ended in this journal", file=sys.stderr)
            return 1
        return 0
    return 1


def _without_rounds(disk: Disk, folder: Path) -> str:
    records = sum(1 for _ in read_records(disk))
    if not records:
        return f"no journal in {folder}: name a journal's folder"
    return f"{folder} is a journal of {records} records in which no round has ended yet: play one first"


def rounds_of(records: Iterator[Record], role: str = "") -> Iterator[Told]:
    """Each finished round, in order."""
    return Retelling(role).take(records)


class Retelling:
    """The rounds of a journal worked out again, as far as it was read; what was appended since is taken later. Every
    digest on the way is compared; each era begins with a new table."""

    def __init__(self, role: str = "") -> None:
        self._stepper, self._digester = Stepper(), Digester()
        self.table, self._shown = Table(), _Shown(role)
        self.next_seq = 1  # the record that comes next

    def take(self, records: Iterator[Record]) -> Iterator[Told]:
        for record in records:
            fact = facts.decode(record.payload)
            before = Table() if isinstance(fact, facts.EraOpened) else self.table
            table = self.table = self._stepper.step(before, fact)
            if record.digest is not None and self._digester.of(table) != record.digest:
                raise ReplayDiverged(record.seq, "the table's digest is not the one that was written")
            self.next_seq = record.seq + 1
            self._shown.watch(table, fact)
            ended = table.previous
            if before.round is not None and table.round is None and ended is not None:
                yield self._shown.tell(ended, table)


class _Shown:
    """Lamps that changed, letters that were written and what was said since the last round ended."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._lamps: dict[str, str] = {}
        self._changes: list[str] = []
        self._letters: list[tuple[str, str]] = []
        self._written = 0
        self._events: list[str] = []
        self._noticed = 0

    def watch(self, table: Table, fact: facts.Fact) -> None:
        fact = redacted.fact_of(fact, self._role)
        at = datetime.fromtimestamp(fact.at.wall_ns // NS_PER_S, UTC).strftime("%H:%M:%S")
        if isinstance(fact, facts.Booted) and table.round is not None:
            self._events.append(f"{at} power: the table started again; {views.prompt(table)}")
        if isinstance(fact, facts.RulingMade):
            answer = f"{fact.person} answers {fact.question} with {fact.choice}"
            self._events.append(f"{at} ruling: {answer} ({fact.reason})")
        new_notices = [one for one in table.panel.notices if one.number > self._noticed]
        self._events += [f"{at} {one.kind}: {one.sentence}" for one in new_notices]
        self._noticed = table.panel.noticed
        lamps = views.lamps(table)
        self._changes += [
            f"{table.phase} {lamp} {pattern}"
            for lamp, pattern in lamps.items()
            if pattern != self._lamps.get(lamp) and not lamp.startswith("key.")
        ]
        self._lamps = lamps
        new = [mail for mail in views.mail(table) if mail.sequence > self._written]
        self._letters += [(mail.kind, mail.body) for mail in new]
        self._written = max(self._written, table.post.written)

    def tell(self, ended: Round, table: Table) -> Told:
        assert table.settings is not None
        currency = table.settings.terms.currency
        record, letters = views.record(ended, self._role), tuple(self._letters)
        told = Told(record, letters, tuple(self._changes), tuple(self._events), currency)
        self._changes, self._letters, self._events = [], [], []
        return told


def _print(told: Told, *, as_json: bool, whole: bool) -> None:
    if as_json:
        letters = [{"letter": kind, "body": json.loads(body)} for kind, body in told.letters]
        lines = [line._asdict() for line in told.record["lines"]]
        claims = [claim._asdict() for claim in told.record["claims"]]
        shown = {"letters": letters, "lamps": told.lamps, "events": told.events}
        print(json.dumps({**told.record, "lines": lines, "claims": claims, **shown}))
        return
    for text in told_round(told, whole=whole):
        print(text)
    if whole:
        for kind, body in told.letters:
            print(f"  letter {kind} {body}")
        for change in told.lamps:
            print(f"  lamp {change}")


def told_round(told: Told, *, whole: bool) -> Iterator[str]:
    """A round as people read it, here and at the console."""
    record = told.record
    paid = sum(line.paid or 0 for line in record["lines"])
    ending = f"void by {record['void']}" if record["void"] else f"paid {say(paid, told.currency)}"
    yield f"round {record['round']}: {record['rulebook']} {record['version']}, {len(record['lines'])} bets, {ending}"
    if whole:
        for line in record["lines"]:
            yield from say_line(line, told.currency)
        for target, cards, dealt in record["hands"]:
            hidden = [redacted.HIDDEN] * (dealt - len(cards))
            yield f"  {deal.say_target(target)}: {' '.join([*cards, *hidden])}"
        for finding in record["findings"]:
            yield f"  found {finding}"
        for event in told.events:
            yield f"  {event}"
