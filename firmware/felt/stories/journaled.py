"""The journal of a story, read back from its disk."""

from __future__ import annotations

from felt.journal import read_records
from felt.stories.stage import StoryStage
from felt.table import facts
from felt.table.facts import Fact


def journaled_facts(stage: StoryStage) -> list[Fact]:
    return [facts.decode(record.payload) for record in read_records(stage.evening.disk)]
