"""The wheels that the firmware needs, pinned by version and digest in tools/debian/wheels.lock. They are fetched once
into the user's cache for each architecture and Python, and unpacked. This module does not know what a Debian package
looks like."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "tools" / "debian" / "wheels.lock"
PYTHONS = ("3.13", "3.11")  # Debian 13 and Debian 12, the newest first: the launcher tries them in this order
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
# Both Debians have a newer C library than these wheels ask for.
PLATFORMS = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
# The jackpot controller's database. Debian 12 has an older psycopg than the ledger needs, so the package includes one.
EXTRAS = ("postgresql", "screens")
# colorzero names it and never imports it; here it builds the firmware's own wheel.
BUILDS_ONLY = "setuptools"

_HEADING = """\
# Wheels of which the Debian package is made, pinned by version and digest; tools/package --lock writes this.
# Whatever is fetched and has another digest is refused.
"""


class PackagingError(Exception):
    """One sentence: what is wrong, and what to do."""


class Target(NamedTuple):
    arch: str  # Debian's name for it
    python: str

    def __str__(self) -> str:
        return f"{self.arch}-{self.python}"


def targets(archs: Iterable[str]) -> list[Target]:
    return [Target(arch, python) for arch in archs for python in PYTHONS]


def wanted(root: Path = ROOT) -> list[str]:
    """The requirements of pyproject.toml, with the extras that are packaged."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [extra for name in EXTRAS for extra in project["optional-dependencies"][name]]
    return [*project["dependencies"], *extras, BUILDS_ONLY]


def fetch(chosen: Sequence[Target]) -> dict[Target, Path]:
    """The folder of wheels of each target, from the cache or from the package index that pip is set up for."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(chosen, pool.map(_fetched, chosen), strict=True))


def lock(archs: Iterable[str]) -> str:
    """A new lock: what today's index has for pyproject.toml."""
    found: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for target in targets(archs):
            place = Path(folder) / str(target)
            _download(target, place, wanted())
            for wheel in place.glob("*.whl"):
                found.setdefault(pinned_name(wheel), set()).add(_digest(wheel))
    lines = [
        " \\\n".join([name, *(f"    --hash=sha256:{digest}" for digest in sorted(digests))])
        for name, digests in sorted(found.items())
    ]
    return _HEADING + "\n".join(lines) + "\n"


def pinned_name(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    return f"{name.replace('_', '-').lower()}=={version}"


def unpack(wheel: Path, site_packages: Path) -> None:
    """Unpacks as pip would, without scripts and without bytecode. A wheel that wants files elsewhere is refused."""
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        strange = [name for name in names if ".data/" in name.partition("/")[0] + "/"]
        if strange:
            raise PackagingError(f"{wheel.name} wants {strange[0]} outside the environment: this cannot be packaged")
        content.extractall(site_packages)


def build_firmware(folder: Path, builder: Path, root: Path = ROOT) -> Path:
    """The firmware's own wheel, from a copy of its sources: an earlier build's files in the clone stay out."""
    source = folder / "source"
    shutil.copytree(root / "firmware", source / "firmware", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, source / name)
    _pip("wheel", "--no-deps", "--no-index", "--find-links", str(builder), "--wheel-dir", str(folder), str(source))
    shutil.rmtree(source)
    return next(folder.glob("felt-*.whl"))


def _fetched(target: Target) -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "felt" / "wheels"
    place = home / _digest(LOCK)[:16] / str(target)
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            coming = Path(folder) / "wheels"
            _download(target, coming, ["--require-hashes", "--no-deps", "-r", str(LOCK)])
            if not place.exists():  # somebody else may have been quicker
                coming.rename(place)
    _refuse_changed(place)
    return place


def _refuse_changed(place: Path) -> None:
    """The cache is no safer than the network."""
    known = set(re.findall(r"sha256:([0-9a-f]{64})", LOCK.read_text(encoding="utf-8")))
    for wheel in place.glob("*.whl"):
        if _digest(wheel) not in known:
            raise PackagingError(f"{wheel} is not what wheels.lock says: remove {place} and try again")


def _download(target: Target, place: Path, what: Sequence[str]) -> None:
    machine = MACHINES[target.arch]
    platforms = [word for name in PLATFORMS for word in ("--platform", f"{name}_{machine}")]
    options = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", target.python]
    _pip("download", *options, *platforms, "--dest", str(place), *what)


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-3:]
        problem = "\n".join([f"pip {words[0]} failed:", *last])
        raise PackagingError(f"{problem}\ncheck the network and the package index, then try again")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
