"""What the tests of evidence share: a table with its own key that has played, in a folder as commands see it."""

from __future__ import annotations

from pathlib import Path

from felt.evidence.signing import SigningKey, write_new_key
from felt.stories.playing import play
from felt.stories.script import parse_story
from felt.stories.stage import StoryStage

ROUND = """press open
bets box 1: ante $25, pair_plus $5, progressive
press no more bets
deal box 1: As Ks Qs; dealer: Js Ts 2d
fold box 1
press reveal
press settle
lift 1.ante
lift 1.pair_plus
lift 1.progressive
press settle
"""
BEGIN = "supervisor opens the table\n"
STOP = "stop in good order\nboot\n"


class SignedTable:
    """A key, a table file and the journal of a story under it."""

    def __init__(self, folder: Path, told: str = BEGIN + ROUND * 2 + STOP, *, with_key: bool = True) -> None:
        self.folder = folder
        self.key_file = folder / "journal.key"
        self.key: SigningKey | None = write_new_key(self.key_file) if with_key else None
        key = f'set journal.key = "{self.key_file}"\n' if with_key else ""
        settings = f"story: Evidence\nset journal.checkpoint_rounds = 1\n{key}"
        self.stage: StoryStage = play(parse_story(settings + told, "evidence"), "evidence")
        self.journal = folder / "journal"
        self.config_file = folder / "table.toml"
        named = f'key = "{self.key_file}"\n' if with_key else ""
        self.config_file.write_text(f'[journal]\ncheckpoint_rounds = 1\n{named}[dealers]\nKim = "1231"\n')
        self.write_out()

    def write_out(self) -> None:
        self.journal.mkdir(mode=0o700, exist_ok=True)
        for name in self.stage.evening.disk.names():
            (self.journal / name).write_bytes(self.stage.evening.disk.read(name))


def flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
