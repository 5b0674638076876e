"""No text that leaves the table names a card that nobody may see yet."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import pytest

from felt.commands import replay
from felt.evidence.retelling import rounds_of
from felt.journal import read_records
from felt.nouns.cards import DECK, Card
from felt.nouns.stamps import Stamp
from felt.nouns.values import parts_of, replace, to_text
from felt.rules.mishaps import Mishap
from felt.stories.playing import play_file
from felt.table import facts, redacted, views
from felt.table.state import UNREAD, Dealt, Finding, Round, Table, write_table
from tests.table.bench import NOTHING, WAYS, Bench, samples, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"
FILES = sorted(ROUNDS.rglob("*.round"))
NAME = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")
AT = Stamp("00000001", 1, 1)


def _hidden(playing: Round) -> set[str]:
    """Found from the dealt cards and the phase alone, without the view under test."""
    hidden: set[str] = {card for card in playing.strays if card != UNREAD}
    face_up = 1 if playing.dealing == "card_room" else 0
    folded = {str(decision.seat) for decision in playing.decisions if decision.choice in ("fold", "walk_away")}
    paid = {str(line.seat) for line in playing.lines if line.outcome == "win" and line.cards}
    laid_open = {str(seat) for seat, _ in playing.open_hands}
    kept = {str(seat) for seat in playing.unshown} - {str(line.seat) for line in playing.lines if line.level}
    place = 0
    for dealt in playing.dealt:
        if dealt.target == "dealer":
            place += 1
        is_open = {
            "dealer": playing.revealed or place <= face_up,
            "community": playing.revealed,
            "burn": False,
            "discard": False,
        }.get(dealt.target, playing.settled_at is not None and (dealt.target not in folded or dealt.target in paid))
        if dealt.target in laid_open or dealt.target in kept:
            is_open = dealt.target in laid_open
        if not is_open and dealt.card != UNREAD:
            hidden.add(dealt.card)
    return hidden


def _said(table: Table) -> str:
    """Everything that a screen, the desk, a lamp or a letter could take from this table."""
    number = table.round.number if table.round else None
    letters = [mail.body for mail in views.mail(table) if json.loads(mail.body)["round"] == number]
    asked = (redacted.question_of(question) for question in table.irregularity.questions)
    questions = [str(part) for question in asked for part in parts_of(question).values()]
    return "\n".join(
        [
            views.prompt(table), *(notice.sentence for notice in table.panel.notices), *questions, *letters,
            json.dumps(views.lamps(table)), to_text(views.hands(table)), write_table(redacted.table_of(table)),
            to_text(views.record(table.round)) if table.round else "",
        ]
    )  # fmt: skip


def _assert_kept(table: Table) -> None:
    if table.round is None or table.settings is None:
        return
    shown = redacted.table_of(table)
    for view in (views.prompt, views.lamps, views.hands, views.keys_lit, views.players_notices, views.mail):
        assert view(shown) == view(table), f"{view.__name__} tells something else of the table that others receive"
    leaked = _hidden(table.round) & set(NAME.findall(_said(table)))
    assert not leaked, f"{sorted(leaked)} in {table.phase}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROUNDS)))
def test_no_story_tells_a_hidden_card_at_any_moment(path: Path) -> None:
    told: tuple[object, ...] = ()
    for table in play_file(path).tables:  # every table that was shown to the world
        parts = (table.round, table.panel, table.irregularity, table.post)
        if told and all(part is before for part, before in zip(parts, told, strict=True)):
            continue
        _assert_kept(table)
        told = parts


@pytest.mark.parametrize("way", WAYS)
def test_no_table_of_the_bench_shows_a_hidden_card(way: str) -> None:
    _assert_kept(table_at(way))


@pytest.mark.parametrize("seed", range(25))
def test_no_random_evening_tells_a_hidden_card(seed: int) -> None:
    chance, bench = Random(seed), Bench()
    bench.betting().chip("2.ante").lock().do(facts.DeadlinePassed, name="drain")
    for _ in range(14):
        card = chance.choice(DECK)
        marks = {mark: chance.random() < 0.2 for mark in ("face_up", "together", "burnt")}
        if chance.random() < 0.1:
            bench.unread()
        else:
            sequence = bench.table.shuffler.sequence + 1
            bench.do(facts.CardDealt, card=card, arrived_ns=bench.stamp().mono_ns, sequence=sequence, **marks)
        _assert_kept(bench.table)
        if chance.random() < 0.2:
            bench.do(facts.CardKeyed, card=chance.choice(DECK), person="Sam", role="supervisor")
        if chance.random() < 0.1:
            bench.do(facts.CardStruck, card=chance.choice(DECK), person="Sam", role="supervisor", reason="bent")
        _assert_kept(bench.table)
        for question in bench.table.irregularity.questions:
            bench.do(facts.RulingMade, question=question.id, choice=question.proposal, person="Sam", reason="so")
            _assert_kept(bench.table)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROUNDS)))
def test_replay_without_a_role_tells_no_hidden_card(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = play_file(path)
    if stage.boot_refused:
        return
    ended = {table.previous.number: table.previous for table in stage.tables if table.previous is not None}
    for told in rounds_of(read_records(stage.evening.disk)):
        playing = ended.get(told.record["round"])
        for as_json in (False, True):
            replay._print(told, as_json=as_json, whole=True)
            printed = capsys.readouterr().out
            assert printed
            assert playing is None or not _hidden(playing) & set(NAME.findall(printed))


def test_replay_for_a_supervisor_tells_the_folded_hand(capsys: pytest.CaptureFixture[str]) -> None:
    stage = play_file(ROUNDS / "progressive_3_card_poker" / "late_chip.round")
    for role, seen in (("", False), ("supervisor", True)):
        for told in rounds_of(read_records(stage.evening.disk), role):
            replay._print(told, as_json=False, whole=True)
        printed = capsys.readouterr().out
        folded = next(hand for hand in redacted.hands_of(stage.round, "supervisor") if hand.target == "1")
        assert all((card in printed) is seen for card in folded.cards)


# --- facts ---------------------------------------------------------------------------------------------


def test_a_fact_is_read_without_its_card() -> None:
    cases = (
        facts.CardDealt(AT, Card("As"), 1, 1),
        facts.CardKeyed(AT, Card("As"), "Sam", "supervisor"),
        facts.CardStruck(AT, Card("As"), "Sam", "supervisor", "As is bent"),
        facts.FrameKept(AT, "card As twice", "7e4173"),
        facts.IrregularityDeclared(AT, "wrong_box", "2", "As lies in box 3", "Kim", "dealer"),
        facts.RulingMade(AT, "q1", "void", "Sam", "the As was exposed"),
        facts.VoidOrdered(AT, "Sam", "the As was exposed"),
        facts.ClaimDenied(AT, "1.1", "Sam", "the As is bent"),
        facts.HitReported(AT, 1, "royal_flush", "the As lies there", "Sam", "dealer"),
        facts.CorrectionRecorded(AT, 3, "the As lay in box 2", "Sam", "supervisor", "the As was seen"),
        facts.StepFailed(AT, facts.encode(facts.CardDealt(AT, Card("As"), 1, 1)), "KeyError: 'As'"),
        facts.StepFailed(AT, "{As", "ValueError: As"),
    )
    for fact in cases:
        text = redacted.payload_of(facts.encode(fact))
        assert not NAME.findall(text), text
        assert "7e4173" not in text
        assert redacted.payload_of(facts.encode(fact), "supervisor") == facts.encode(fact)


# The content of these comes from a list, or names a person, a place or a device. Nobody describes a card in them.
NEVER_A_CARD = (
    "boot", "choice", "claim", "code", "digest", "firmware", "hand", "identity", "lamp", "level", "licence", "meter",
    "mishap", "name", "nonce", "other", "outcome", "person", "player", "purse", "question", "reconstructable", "role",
    "spot", "state", "type", "where",
)  # fmt: skip


@pytest.mark.parametrize("kind", facts.FACTS.values(), ids=list(facts.FACTS))
def test_free_text_in_a_fact_is_read_without_its_card(kind: type[facts.Fact]) -> None:
    """Of every text of every kind of fact: a new field is redacted, or its name is added above."""
    fact = next(iter(samples(kind, table_at("dealing half"))))
    texts = [name for name, hint in get_type_hints(kind).items() if hint in (str, Card) and name not in NEVER_A_CARD]
    for name in texts:
        with_card: dict[str, Any] = {name: "the As was seen"}
        told = replace(fact, **with_card)
        assert "As" not in getattr(redacted.fact_of(told), name), f"{kind.__name__}.{name}"


def test_a_question_is_read_without_the_cards_that_its_cause_names() -> None:
    table = Bench().dealing().cards("5h").do(facts.DealCountLost, reason="the device said: As twice").table
    (asked,) = redacted.table_of(table).irregularity.questions
    assert asked.statement is not None
    assert not NAME.findall(" ".join((asked.because, asked.statement.why, *asked.statement.causes)))


def test_a_fact_without_cards_is_read_as_it_is() -> None:
    fact = facts.SeatPressed(AT, 3)
    assert redacted.fact_of(fact) is fact


# --- tables --------------------------------------------------------------------------------------------


def test_a_table_is_written_down_without_hidden_cards_and_whole_for_a_supervisor() -> None:
    table = Bench().deciding().cards("5h").table
    hidden = set(NOTHING.split()) | {"5h"}
    assert not hidden & set(NAME.findall(write_table(redacted.table_of(table))))
    assert write_table(redacted.table_of(table, "supervisor")) == write_table(table)


def test_a_finding_shows_a_card_only_once_it_lies_open() -> None:
    table = table_at("DECIDING")
    assert table.round is not None
    finding = Finding(Mishap.SIMULTANEOUS_CARDS, "dealer", "two cards left together", (Card("Qd"), Card("Jc")))
    held = replace(table.round, findings=(finding,))
    shown = redacted.table_of(replace(table, round=held)).round
    assert shown is not None
    assert shown.findings[0].cards == (redacted.HIDDEN, redacted.HIDDEN)
    shown = redacted.table_of(replace(table, round=replace(held, revealed=True))).round
    assert shown is not None
    assert shown.findings[0].cards == ("Qd", "Jc")


def test_an_open_card_that_was_not_read_is_shown_as_such() -> None:
    table = table_at("revealing, a card unread")
    assert table.round is not None
    settled = replace(table.round, settled_at=AT)
    assert redacted.hands_of(settled)[0].cards == ("2c", "7d", redacted.BLANK)
    assert Dealt(UNREAD, "1", 1).card == ""


# --- what a person writes ------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "seen"), [("", False), ("dealer", False), ("viewer", False), ("supervisor", True)])
def test_evidence_stands_in_the_question_for_whoever_may_see_cards(role: str, seen: bool) -> None:
    bench = Bench().deciding()
    bench.do(
        facts.IrregularityDeclared,
        mishap="wrong_box", where="1", evidence="the Ah lies there", person="Kim", role="dealer", other="2",
    )  # fmt: skip
    (asked,) = bench.table.irregularity.questions
    assert "the Ah lies there" in asked.because
    assert ("Ah" in redacted.question_of(asked, role).because) is seen
    assert ("Ah" in write_table(redacted.table_of(bench.table, role))) is seen
    assert "Ah" not in views.prompt(bench.table) + "".join(notice.sentence for notice in bench.table.panel.notices)


def test_the_reason_of_a_void_is_written_down_without_its_cards() -> None:
    bench = Bench().deciding().do(facts.VoidOrdered, person="Sam", reason="the Ah was flashed")
    assert "Ah" not in write_table(redacted.table_of(bench.table))
    assert "Ah" not in bench.table.post.unanswered[-1].body
    playing = bench.table.round
    assert playing is not None
    assert playing.void_reason == "the Ah was flashed"


@pytest.mark.parametrize("text", ["AsKs", "QdJdTd", "10s", "a 10h there", "As", "A♠", "K♥\ufe0f", "the Ace of Spades",
                                  "two nines of hearts", "10 of clubs", "saw As, Ks."])  # fmt: skip
def test_text_that_reads_like_a_card_is_scrubbed(text: str) -> None:
    scrubbed = redacted.scrubbed(text)
    assert redacted.HIDDEN in scrubbed
    for part in ("As", "Ks", "Qd", "10", "♠", "♥", "pades", "eart", "club"):
        assert part not in scrubbed


@pytest.mark.parametrize("text", ["as he asks", "Asked twice", "Tess had 100 chips", "box 3", "5.8.7", "10 seconds",
                                  "9th", "the 2nd card", "King of the house", "3 of them", "1000s"])  # fmt: skip
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert redacted.scrubbed(text) == text


def test_an_entry_names_no_card_in_its_part() -> None:
    shown = redacted.fact_of(facts.EntryLogged(AT, "shoe with As", "saw Kd", "Tess", "L1"))
    assert shown == facts.EntryLogged(AT, "shoe with ##", "saw ##", "Tess", "L1")
    whole = facts.EntryLogged(AT, "As", "", "Tess", "")
    assert redacted.fact_of(whole, "supervisor") == whole
