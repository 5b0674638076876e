"""The prompt, the lamp of OPEN and the answer to OPEN agree, whatever is wrong with the table."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from felt.nouns.stamps import Stamp
from felt.nouns.values import parts_of, replace
from felt.stories.playing import play_file
from felt.table import facts, opening, views
from felt.table.charts import REGIONS
from felt.table.settings import MAIL_MAX
from felt.table.state import Deck, Mail, Outbox, Phase, ServiceState, Shuffler, Table
from tests.table.bench import STEPPER, WAYS, Bench, samples, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"
SET_NS, NEVER_SET_NS = 1_800_000_100 * 10**9, 1
WHOLE = Deck(52, shuffled=True, sets=0, face_up_next=False, jammed=False, door_open=False)

Change = Callable[[Bench], object]


def _with_deck(deck: Deck) -> Change:
    return lambda bench: bench.do(facts.DeckReported, **parts_of(deck))


def _full_mail(bench: Bench) -> None:
    mail = tuple(Mail(sequence, "RoundEnded", "[]") for sequence in range(1, MAIL_MAX + 1))
    bench.table = replace(bench.table, post=Outbox(MAIL_MAX, mail))


def _doubt(bench: Bench) -> None:
    bench.table = replace(bench.table, shuffler=replace(bench.table.shuffler, doubt="it was short of a card"))


# Whatever can prevent a round, and some things that must not.
OBSTACLES: dict[str, Change] = {
    "a person took it out of service": Bench.out_of_service,
    "a fault stops it": lambda bench: bench.do(facts.FaultRaised, code="F-702", where="inbox"),
    "a question about the last round": lambda bench: bench.declare("wrong_count", "1"),
    "full mail": _full_mail,
    "the clock was never set": lambda bench: bench.do(facts.ClockJudged, early=True),
    "the shuffler is lost": lambda bench: bench.do(facts.ShufflerLost),
    "the shuffler speaks another version": lambda bench: bench.do(facts.FaultRaised, code="F-203", where="version 9"),
    "the shuffler is jammed": _with_deck(replace(WHOLE, jammed=True)),
    "the shuffler's door is open": _with_deck(replace(WHOLE, door_open=True)),
    "a card is missing": _with_deck(replace(WHOLE, cards=51)),
    "too few cards": _with_deck(replace(WHOLE, cards=5, shuffled=False, sets=9)),
    "the deck is doubted": _doubt,
}
HARMLESS: dict[str, Change] = {
    "the link is lost": lambda bench: bench.do(facts.LinkLost),
    "a fault of a seat": lambda bench: bench.do(facts.FaultRaised, code="F-101", where="1.progressive"),
    "the progressive is off": lambda bench: bench.do(facts.ProgressiveSwitched, off=True, person="s", reason="x"),
    "a box is out of play": lambda bench: bench.do(facts.SeatBarred, seat=1, out=True, person="s"),
    "a whole deck": _with_deck(WHOLE),
}


def _opens(table: Table, wall_ns: int) -> bool:
    after = STEPPER.after(table, facts.OpenPressed(Stamp(table.boot, 10**12, wall_ns)))
    return after.tally.rounds > table.tally.rounds


def _prompt_says_open(table: Table) -> bool:
    return "open" in _keys_asked_for(table)


_KEYS_NAMED = {"no more bets": "no_more_bets", "reveal": "reveal", "settle": "settle", "open": "open"}


def _keys_asked_for(table: Table) -> list[str]:
    said = views.prompt(table).lower()
    asked = [key for words, key in _KEYS_NAMED.items() if f"press {words}" in said]
    return asked + [key for words, key in _KEYS_NAMED.items() if f"{words} drücken" in said]


def _agree(table: Table) -> bool:
    """Whether OPEN opens a round by the clock that the table believes in. The lamp and the prompt must agree."""
    opens = _opens(table, NEVER_SET_NS if table.service.clock_early else SET_NS)
    assert ("open" in views.keys_lit(table)) == opens
    assert _prompt_says_open(table) == opens, views.prompt(table)
    return opens


@pytest.mark.parametrize("names", [*combinations(OBSTACLES, 1), *combinations(OBSTACLES, 2)], ids=" and ".join)
def test_an_obstacle_is_refused_and_named(names: tuple[str, ...]) -> None:
    bench = Bench().ended()
    for name in names:
        OBSTACLES[name](bench)
    assert not _agree(bench.table)
    after = STEPPER.after(bench.table, facts.OpenPressed(bench.stamp()))
    refused = [notice for notice in after.panel.notices if notice.number > bench.table.panel.noticed]
    assert [notice.kind for notice in refused] == ["refused"]
    assert refused[0].sentence == opening.why_not_open(bench.table)
    if bench.table.service.state is ServiceState.IN_SERVICE:
        assert refused[0].sentence == views.prompt(bench.table)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_obstacle_is_not_refused(name: str) -> None:
    bench = Bench().ended()
    HARMLESS[name](bench)
    assert _agree(bench.table)


@pytest.mark.parametrize("way", WAYS)
def test_prompt_lamp_and_answer_agree_at_every_kind_of_table(way: str) -> None:
    _agree(table_at(way))


@pytest.mark.parametrize("way", WAYS)
def test_a_prompt_asks_for_no_key_that_would_be_refused(way: str) -> None:
    table = table_at(way)
    assert set(_keys_asked_for(table)) <= set(views.keys_lit(table)), views.prompt(table)


def test_no_prompt_of_any_story_asks_for_a_key_that_would_be_refused() -> None:
    for path in sorted(ROUNDS.rglob("*.round")):
        for table in play_file(path).tables:
            if table.phase is Phase.IDLE or _prompt_says_open(table):
                _agree(table)
            assert set(_keys_asked_for(table)) <= set(views.keys_lit(table)), views.prompt(table)


@pytest.mark.parametrize("code", ["F-201", "F-203"])
@pytest.mark.parametrize("way", ["CLOSED", "IDLE", "BETTING", "LOCKING", "DEALING"])
def test_a_shuffler_that_cannot_deal_is_what_the_dealer_reads_first(way: str, code: str) -> None:
    bench = WAYS[way](Bench())
    if code == "F-201":
        bench.do(facts.ShufflerLost)
    else:
        bench.do(facts.FaultRaised, code=code, where="version 9")
    assert views.prompt(bench.table).startswith(f"{code}: ")


def test_a_table_that_never_had_a_shuffler_says_so_from_its_first_turn() -> None:
    """No fact reports a device that was never there."""
    table = replace(Bench().table, shuffler=Shuffler())
    assert views.prompt(table).startswith("F-201: ")


def test_all_obstacles_are_named_at_once() -> None:
    bench = Bench().ended().do(facts.ShufflerLost).do(facts.ClockJudged, early=True)
    _with_deck(replace(WHOLE, jammed=True))(bench)
    prompt = views.prompt(bench.table)
    assert "F-201" in prompt
    assert "set the clock" in prompt
    assert "jammed" in prompt


def test_a_repeated_refusal_stands_once_among_the_notices() -> None:
    bench = Bench().idle().do(facts.ShufflerLost)
    for _ in range(5):
        bench.do(facts.OpenPressed)
    refused = [notice.sentence for notice in bench.table.panel.notices if notice.kind == "refused"]
    assert len(refused) == 1
    assert bench.table.panel.notices[-1].number == bench.table.panel.noticed


def test_no_fact_is_refused_or_reported_twice() -> None:
    kinds = dict.fromkeys(kind for region in REGIONS for kind in region.alphabet)
    for way in list(WAYS)[::3]:
        table = table_at(way)
        for kind in kinds:
            if kind in (facts.EraOpened, facts.Configured):
                continue
            for fact in samples(kind, table):
                after = STEPPER.after(table, fact)
                new = [notice for notice in after.panel.notices if notice.number > table.panel.noticed]
                assert sum(notice.kind == "refused" for notice in new) <= 1, (way, fact, new)
                assert len({notice.sentence for notice in new}) == len(new), (way, fact, new)


def test_open_itself_notices_a_clock_that_was_just_set_back() -> None:
    table = table_at("IDLE")
    assert not _opens(table, NEVER_SET_NS)
    assert _opens(table, SET_NS)


def test_a_table_without_a_fault_is_not_told_to_clear_one() -> None:
    """Its fault was cleared, or a person took it out of service: only the order to serve again is missing."""
    for way in ("idle, its fault cleared and not back in service", "idle and out of service"):
        sentence = opening.why_not_open(table_at(way))
        assert "puts it back in service" in sentence
        assert "F-" not in sentence
