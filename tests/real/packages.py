"""Packages for the tests: two versions of this very tree, signed with a key of this run, made once for all workers."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from felt import __version__

ROOT = Path(__file__).resolve().parents[2]
NEXT = f"{__version__}.1"
# What a package is made from.
_SOURCES = (
    *("firmware", "hw", "systemd", "tools", "pyproject.toml"),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
)


class Made(NamedTuple):
    folder: Path
    trust: Path  # the folder of the public key
    arch: str  # this host's

    def deb(self, version: str = __version__, arch: str = "") -> Path:
        return self.folder / f"felt_{version}_{arch or self.arch}.deb"


def shared_packages(factory: pytest.TempPathFactory) -> Made:
    """The packages of this run, whichever worker needs them first."""
    base = factory.getbasetemp()
    return make((base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "felt-packages")


def make(folder: Path) -> Made:
    """Whoever comes first makes them; the others wait."""
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        arch = _run("dpkg", "--print-architecture").strip()
        made = Made(folder, folder / "trust", arch)
        if not (folder / "done").exists():
            _make(made)
            (folder / "done").touch()
        return made


def _make(made: Made) -> None:
    key = made.folder / "key.pem"
    made.trust.mkdir()
    _run("openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key))
    _run("openssl", "pkey", "-in", str(key), "-pubout", "-out", str(made.trust / "manufacturer.pem"))
    signed = ["--to", str(made.folder), "--compression", "none", "--sign", str(key)]
    _run(sys.executable, str(ROOT / "tools/package"), *signed)
    later = made.folder / "later"
    copy_with_version(later, NEXT)
    previous = ["--arch", made.arch, "--previous", str(made.deb())]
    _run(sys.executable, str(later / "tools/package"), *signed, *previous)
    shutil.rmtree(later)


def copy_with_version(to: Path, version: str) -> None:
    to.mkdir()
    for name in _SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, to / name)
    stated = to / "firmware/felt/__init__.py"
    stated.write_text(stated.read_text().replace(f'"{__version__}"', f'"{version}"'))
    changelog = to / "CHANGELOG.md"
    parts = changelog.read_text().partition("## [")
    changelog.write_text(f"{parts[0]}## [{version}] - 2026-12-01\n\n- A cent that was lost is found.\n\n## [{parts[2]}")


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{' '.join(words[:3])} failed: {done.stdout}{done.stderr}"
    return done.stdout
