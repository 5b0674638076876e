"""The sums of a report are the table's own: after every story they are its tally, whatever was voided or corrected once
a round had ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.evidence.retelling import Retelling, rounds_of
from felt.evidence.table_report import TableReport, report_of
from felt.evidence.wagered import Sum
from felt.journal.reading import read_records
from felt.nouns.values import replace
from felt.stories.playing import play, play_file
from felt.stories.script import parse_story
from felt.stories.stage import StoryStage
from felt.table import settle
from felt.table.state import Table, TableTotals

ROUNDS = Path(__file__).parent.parent / "rounds"
FILES = sorted(ROUNDS.rglob("*.round"))
SAMPLED = 20  # one story in so many
AFTER_THE_END = [
    "progressive_3_card_poker/void_after_the_end.round",
    "progressive_3_card_poker/invalid_after_the_settlement_contributes_nothing.round",
]
EVER = (0, 2**62)




def reported(stage: StoryStage, from_ns: int = 0, until_ns: int = EVER[1]) -> TableReport:
    return report_of(Retelling().steps(read_records(stage.evening.disk)), from_ns, until_ns)


def tally_of_ended_rounds(table: Table) -> TableTotals:
    """Without what the round in play has brought so far."""
    tally, playing = table.tally, table.round
    if playing is None:
        return tally
    if playing.void_rule:
        return replace(tally, voided=tally.voided - 1)
    staked = settle.staked_minor(playing) if playing.settled_at is not None else 0
    return replace(tally, contributions_minor=tally.contributions_minor - staked)


def sums_are_the_tally(path: Path) -> None:
    stage = play_file(path)
    if stage.boot_refused:
        return  # there is no table, and the journal is damaged
    made, table = reported(stage), stage.evening.table
    tally = tally_of_ended_rounds(table)
    assert (made.settled, len(made.voided)) == (tally.settled, tally.voided), path.name
    assert made.staked_minor == tally.contributions_minor, path.name
    awarded = sum(jackpot.award_minor or 0 for jackpot in made.jackpots if jackpot.verdict == "confirmed")
    assert awarded == tally.awards_minor, path.name
    rounds = list(rounds_of(read_records(stage.evening.disk)))
    assert sum(not ended.record["void"] for ended in rounds) == tally.settled, path.name
    assert [ended.record["round"] for ended in rounds] == made.numbers, path.name


BEGIN = "supervisor opens the table\n"
ROUND = """press open
bets box 1: ante $25, progressive
press no more bets
deal box 1: 2c 7d 9h; dealer: Qd Jc 4s
play box 1
press reveal
press settle
press settle
"""
RESTART = "stop in good order\nboot\n"
VOID = "Sam voids the round as shift manager because wrong cards\n"


def played(told: str) -> StoryStage:
    return play(parse_story(f"story: Sums\n{told}", "sums"), "sums")


def test_a_void_after_a_restart_takes_the_round_out_of_the_same_report() -> None:
    made = reported(played(BEGIN + ROUND + RESTART + VOID))
    assert (made.settled, [voided.round for voided in made.voided], made.staked_minor) == (0, [1], 0)
    ante = made.wagers["ante"]
    assert (ante.bets, ante.handle, ante.lost.known, ante.returned.known) == (0, Sum(0, 0), 0, 2500)
    assert not made.problems


def ended_at(stage: StoryStage) -> int:
    return next(rounds_of(read_records(stage.evening.disk))).ended_ns


def test_a_void_in_the_next_shift_is_taken_out_there_and_two_reports_add_up() -> None:
    stage = played(f"{BEGIN}{ROUND}{VOID}")
    change_ns = ended_at(stage) + 1
    first, second, whole = reported(stage, 0, change_ns), reported(stage, change_ns), reported(stage)
    assert (first.settled, second.settled, whole.settled) == (1, -1, 0)
    assert first.staked_minor + second.staked_minor == whole.staked_minor == 0
    assert first.wagers["ante"].handle.known + second.wagers["ante"].handle.known == 0
    assert "an earlier report counts it" in second.voided[0].how
    assert "an earlier report" not in whole.voided[0].how


def test_a_void_whose_verdicts_were_not_read_is_said() -> None:
    stage = played(f"{BEGIN}{ROUND}{RESTART}{VOID}")
    era = [record.seq for record in read_records(stage.evening.disk) if '"EraOpened"' in record.payload][-1]
    made = report_of(Retelling("", None, era).steps(read_records(stage.evening.disk, era)), *EVER)
    assert (made.settled, made.staked_minor) == (-1, -500)
    assert "an earlier report still counts its bets" in made.problems[0]


@pytest.mark.parametrize("name", AFTER_THE_END)
def test_what_is_voided_or_invalid_after_the_end_of_a_round_is_not_in_the_sums(name: str) -> None:
    sums_are_the_tally(ROUNDS / name)


def test_the_sums_of_every_story_are_the_tables_tally(full: bool) -> None:
    for path in FILES if full else FILES[::SAMPLED]:
        sums_are_the_tally(path)
