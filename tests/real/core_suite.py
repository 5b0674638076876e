"""Runs the core of the suite in a clean Debian against the firmware that is installed there, not against the clone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.debian_root import DebianRoot
from tools.packaging.wheels import MACHINES, PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
# Rules, deal, lock, hand-over and journal; no long random searches.
ROOMS = {
    "rules": ("progressive_3_card_poker", "stax_three_card", "shelf"),
    "table": ("deal", "handover", "lock"),
    "journal": ("store", "reading", "snapshot"),
    "nouns": ("values",),
}
CORE = tuple(f"tests/{room}/test_{name}.py" for room, names in ROOMS.items() for name in names)
SUITE_S = 900.0
PYTHON = {"debian-12": "3.11", "debian-13": "3.13"}
# The packages that the core needs, of those that pyproject.toml lists for the tests.
NEEDED = ("pytest>=9,<10", "pytest-timeout>=2.4,<3", "hypothesis>=6.150,<7")


def run_core_suite(root: DebianRoot, debian: str) -> None:
    python = PYTHON[debian]
    place = root.path("/var/tmp/clone")
    # Copy only the tests: whatever they import as felt is the installed firmware.
    shutil.copytree(ROOT / "tests", place / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place / "pyproject.toml")
    _bring_pytest(python, place / "libraries")
    words = ["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *CORE]
    command = f"cd /var/tmp/clone && PYTHONPATH=libraries exec /opt/felt/python{python}/bin/python3 {' '.join(words)}"
    root.patience_s = SUITE_S
    done = root.run("sh", "-c", command)
    assert done.returncode == 0, done.stdout[-4000:]
    print(f"{debian}: {done.stdout.strip().splitlines()[-1]}")


def _bring_pytest(python: str, to: Path) -> None:
    arch = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    platforms = [word for name in PLATFORMS for word in ("--platform", f"{name}_{MACHINES[arch]}")]
    with tempfile.TemporaryDirectory() as folder:
        words = ["install", "-q", "--only-binary", ":all:", "--python-version", python, *platforms, "--target", folder]
        subprocess.run([sys.executable, "-m", "pip", *words, *NEEDED], check=True, timeout=300)
        shutil.copytree(folder, to)
