"""The suite's core, run in a clean Debian against the firmware that is installed there, not against the clone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.debian_root import DebianRoot
from tools.packaging.wheels import MACHINES, PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
CORE = ("tests/nouns", "tests/table", "tests/journal", "tests/wire", "tests/config")
PYTHON = {"debian-12": "3.11", "debian-13": "3.13"}
# Of what pyproject.toml lists for the tests, those that the core needs.
NEEDED = ("pytest>=9,<10", "pytest-timeout>=2.4,<3", "hypothesis>=6.150,<7")


def run_core_suite(root: DebianRoot, debian: str) -> None:
    python = PYTHON[debian]
    place = root.path("/var/tmp/clone")
    for name in ("tests", "firmware", "hw", "tools", "systemd"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, place / name)
    # Whatever is imported as felt is the installed one.
    shutil.rmtree(place / "firmware")
    _bring_pytest(python, place / "libraries")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *CORE]
    command = f"cd /var/tmp/clone && PYTHONPATH=libraries exec /opt/felt/python{python}/bin/python3 {' '.join(words)}"
    done = root.run("sh", "-c", command)
    last = done.stdout.strip().splitlines()[-1:]
    assert done.returncode == 0, done.stdout[-4000:]
    print(f"{debian}: {last}")


def _bring_pytest(python: str, to: Path) -> None:
    arch = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    platforms = [word for name in PLATFORMS for word in ("--platform", f"{name}_{MACHINES[arch]}")]
    with tempfile.TemporaryDirectory() as folder:
        words = ["install", "-q", "--only-binary", ":all:", "--python-version", python, *platforms, "--target", folder]
        subprocess.run([sys.executable, "-m", "pip", *words, *NEEDED], check=True, timeout=300)
        shutil.copytree(folder, to)
