"""The change statement: what this version changes against the previous one, in words from the changelog and in digests
of every file, as text that is signed with the package. And the signatures, by openssl."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tools.packaging.payload import MANIFEST
from tools.packaging.wheels import PackagingError


class Package(NamedTuple):
    """A finished package, as it is read back from its file."""

    version: str
    arch: str
    manifest: dict[str, str]  # digests by path


def read_package(file: Path) -> Package:
    fields = run("dpkg-deb", "-f", str(file), "Version", "Architecture").decode()
    version, arch = re.findall(r": (.*)", fields)
    return Package(version, arch, _manifest_in(file))


def write_statement(file: Path, previous: Path | None, changelog: str, date: int) -> Path:
    now = read_package(file)
    before = read_package(previous) if previous else None
    if before is not None and before.arch != now.arch:
        raise PackagingError(
            f"{previous} is for {before.arch}, {file.name} for {now.arch}: name the one before of {now.arch}"
        )
    text = "\n".join([*_head(file, now, before, date), "", *_told(changelog, before), "", *_changed(now, before)])
    statement = file.with_suffix(".statement.txt")
    listed = "".join(f"{digest}  {path}\n" for path, digest in sorted(now.manifest.items()))
    statement.write_text(f"{text}\n\n# Everything that is installed\n\n{listed}", encoding="utf-8")
    return statement


def sign(file: Path, key: Path) -> Path:
    """A detached Ed25519 signature beside the file. The key is the manufacturer's and in no clone."""
    signature = file.with_name(file.name + ".sig")
    run("openssl", "pkeyutl", "-sign", "-inkey", str(key), "-rawin", "-in", str(file), "-out", str(signature))
    return signature


def changes_since(changelog: str, version: str | None) -> str:
    """The parts of the changelog above that of `version`; without one, the newest part."""
    parts = re.split(r"(?m)^(?=## \[)", changelog)[1:]
    known = [re.match(r"## \[([^\]]+)\]", part) for part in parts]
    names = [found[1] if found else "" for found in known]
    if version is None:
        return parts[0].strip() if parts else ""
    newer = parts[: names.index(version)] if version in names else parts
    return "\n".join(part.strip() for part in newer) or "(the changelog says nothing of it)"


def _head(file: Path, now: Package, before: Package | None, date: int) -> list[str]:
    return [
        "# Felt: change statement",
        "",
        f"version: {now.version}",
        f"previous version: {before.version if before else 'none'}",
        f"architecture: {now.arch}",
        f"date: {datetime.fromtimestamp(date, UTC).strftime('%Y-%m-%d')}",
        f"package: {file.name}",
        f"package sha256: {hashlib.sha256(file.read_bytes()).hexdigest()}",
    ]


def _told(changelog: str, before: Package | None) -> list[str]:
    return ["# What changed, in words", "", changes_since(changelog, before.version if before else None)]


def _changed(now: Package, before: Package | None) -> list[str]:
    heading = ["# Files that changed", ""]
    if before is None:
        return [*heading, "all: there is no version before this one"]
    paths = sorted({*now.manifest, *before.manifest})
    lines = [
        f"{before.manifest.get(path, 'new')} -> {now.manifest.get(path, 'removed')}  {path}"
        for path in paths
        if before.manifest.get(path) != now.manifest.get(path)
    ]
    return [*heading, *(lines or ["none"])]


def _manifest_in(file: Path) -> dict[str, str]:
    archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(file)], stdout=subprocess.PIPE)
    done = subprocess.run(["tar", "-xO", f"./{MANIFEST}"], stdin=archive.stdout, capture_output=True, check=False)
    assert archive.stdout is not None
    archive.stdout.close()
    archive.wait()
    if done.returncode:
        raise PackagingError(f"{file} is no package of Felt: it has no {MANIFEST}")
    pairs = (line.split("  ", 1) for line in done.stdout.decode().splitlines())
    return {path: digest for digest, path in pairs}


def run(*words: str, **environment: str) -> bytes:
    """The output of a program, or a sentence on why it failed."""
    done = subprocess.run(words, capture_output=True, check=False, env={**os.environ, **environment})
    if done.returncode:
        raise PackagingError(f"{' '.join(words[:2])} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
