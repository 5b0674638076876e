"""What systemd itself says of the units."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"
MISSING = "systemd-analyze is missing: run tools/test where it may install packages, or 'sudo apt install systemd'"


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """Their program is not installed where tests run, so another one stands in its place."""
    if shutil.which("systemd-analyze") is None:
        pytest.fail(MISSING)
    copies = []
    for unit in sorted(UNITS.glob("*.service")):
        copy = tmp_path / unit.name.replace("@", "@ttyAMA0")
        copy.write_text(re.sub(r"/opt/felt/bin/felt", "/bin/true", unit.read_text()))
        copies.append(str(copy))
    assert len(copies) >= 3
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *copies], capture_output=True, text=True, timeout=60, check=False
    )
    own = [line for line in (verified.stdout + verified.stderr).splitlines() if str(tmp_path) in line or "felt" in line]
    assert own == []
    assert verified.returncode == 0, verified.stderr
