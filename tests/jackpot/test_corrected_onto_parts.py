"""A claim that two persons correct onto a level whose equal parts are told already comes after them, with a link and
without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.letters.from_controller import Acked
from felt.letters.from_table import Contribution, Letter, Posted, RoundLockedLetter, RoundResultLetter, write
from felt.nouns.stamps import Stamp
from felt.stories.playing import play
from felt.stories.repeats import ScriptLine
from felt.stories.script import read_story
from felt.stories.stage import StoryStage
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import claim

STORY = """story: Boxes 1 and 2 share the diamond; box 3 waits for the heart behind another table, and is a diamond too
game: stax-three-card
reading same_level_hits = split_equally
set link.lost_s = 5
supervisor opens the table
press open
bets box 1: ante $10, progressive; box 2: ante $10, progressive; box 3: ante $10, progressive
press no more bets
deal box 1: 5h 6h 7h; box 2: 8c 9c Tc; box 3: 2d 3d 4d; dealer: Qs Js 3h
play box 1, 2, 3
press reveal
wait 1 ms                    # here the other table claims the heart
press settle
wait 500 ms
expect claim 1.1 level diamond value $250.96 award $125.48 open
expect claim 1.3 level heart unvalued
two persons correct claim 1.3 to 1/1 of diamond at the controller
wait until VERIFYING
supervisor confirms claim 1.1
wait until VERIFYING
supervisor confirms claim 1.2
wait until VERIFYING
{before}
supervisor confirms claim 1.3
expect claim 1.3 level diamond award $250 confirmed
"""
ANOTHERS_TURN = "wait 1 ms"


def another_table_claims(line: ScriptLine, stage: StoryStage) -> None:
    if ANOTHERS_TURN not in str(line):
        return
    at = stage.evening.clock.stamp()
    _post(stage, 1, "RoundLocked", RoundLockedLetter(1, at, (Contribution(1, 100),)), at)
    _post(stage, 2, "RoundResult", RoundResultLetter(1, at, (claim(1, 1, level="heart"),)), at)


def _post(stage: StoryStage, number: int, kind: str, letter: Letter, at: Stamp) -> None:
    posted = encode(Posted("T9", "n9", number, kind, write(letter), 1, "ab"))
    answers = [decode(answer) for answer in stage.evening.office.receive(posted, at)]
    assert isinstance(answers[0], Acked), answers


@pytest.mark.parametrize("before", ["wait 2 ms", "the link is lost"])
def test_it_is_paid_what_the_parts_have_left(tmp_path: Path, before: str) -> None:
    story = tmp_path / "corrected.round"
    story.write_text(STORY.format(before=before), encoding="utf-8")
    play(read_story(story), story.name, another_table_claims)
