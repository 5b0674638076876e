"""tools/bench works. How fast anything is belongs there and not in a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.real import postgres

ROOT = Path(__file__).resolve().parents[2]


def test_the_bench_prints_and_writes_every_figure_with_its_reference(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, str(ROOT / "tools" / "bench"), "--quick", "--json", str(file), "--folder", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    figures = {figure["name"]: figure for figure in json.loads(file.read_text())["figures"]}
    barred = {name for name, figure in figures.items() if figure["bar"]}
    assert barred == {
        "live turn of the core",
        "replay of one record",
        "durable turn",
        "start to ready",
        "settled chip to pixel, less a frame",
        "idle memory",
        "edge to inbox, mock pins",
        "idle with blinking lamps",
        "a kilobyte of the shuffler's read",
        "bet to the signs of 1 table",
        "bet to the signs of 1 table, ledger on disk",
        "bet to the signs of 10 tables",
        "bet to the signs of 10 tables, ledger on disk",
        "letter on SQLite, 16 a commit",
        "letter on SQLite, 64 a commit",
        *(f"letter on PostgreSQL, {size} a commit" for size in (16, 64) if postgres.is_installed()),
        "a fact in a storm",
        "all wagers of all games, on two cores",
        "all sets of six cards",
        "memory of one felt odds",
        "a fact in a storm without weather",
    }
    for name, figure in figures.items():
        assert name in ran.stdout
        assert figure["measured"] > 0
        assert figure["reference"]["measured"] > 0
