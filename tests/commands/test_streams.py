"""Standard streams that are closed or full end a command with one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FELT = f'"{sys.executable}" -m felt.cli'


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("settle >&-", "standard output is closed"),
        ("settle <&-", "standard input is closed"),
        ("settle > /dev/full", "No space left on device"),
        ("settle --jobs 2 > /dev/full", "No space left on device"),
        ("rules > /dev/full", "No space left on device"),
    ],
)
def test_an_unusable_stream_is_named(words: str, sentence: str, tmp_path: Path) -> None:
    example = json.loads((Path(__file__).parents[1] / "rules" / "settle_examples.jsonl").read_text().splitlines()[0])
    request = tmp_path / "request.jsonl"
    request.write_text(json.dumps(example["request"]))
    given = "" if "<&-" in words else f'< "{request}"'
    done = subprocess.run(
        f"{FELT} {words} {given}", shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_two_tables_that_dealt_at_the_same_instant_are_not_put_in_order() -> None:
    box = {"box": 1, "cards": ["As", "Ks", "Qs"], "decision": "play", "dealt_at": 7}
    bets = {"ante": 100, "play": 100, "progressive": 500}
    tables = [
        {"dealer": ["Js", "Ts", "2d"], "boxes": [{**box, "player": player, "bets": bets}]} for player in ("A", "B")
    ]
    request = {"id": 1, "game": "progressive-3-card-poker", "meters": {"major": 10}, "reset": {"major": 1}}
    done = subprocess.run(
        f"{FELT} settle", input=json.dumps({**request, "tables": tables}), shell=True, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the order is undetermined" in json.loads(done.stdout)["error"]["message"]
