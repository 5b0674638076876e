"""The diagrams in the documentation are those of the charts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


def test_the_diagrams_are_drawn_from_the_charts() -> None:
    command = [sys.executable, str(TOP / "tools" / "draw_charts"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_state_is_in_a_diagram() -> None:
    from felt.table.charts import REGIONS

    drawn = (TOP / "firmware" / "CHARTS.md").read_text(encoding="utf-8")
    assert [state for region in REGIONS for state in region.states if f"| {state.value} |" not in drawn] == []
