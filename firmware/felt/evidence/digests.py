"""Digests of everything installed: each file of the software and of its packages, by name. Names and format are
those of `felt_check`, so equal files give equal answers. Compiled bytecode is left out because every installation
compiles anew; `bytecode` compares it with its source."""

from __future__ import annotations

import csv
import hashlib
import hmac
import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from felt.evidence.felt_check import digest_of, listing

# The packages that pyproject.toml names and those that an extra or a system package may bring. Their own requirements
# are found from there.
PACKAGES = ("gpiozero", "pyserial", "transitions", "msgspec", "paho-mqtt", "cryptography")
EXTRA_PACKAGES = ("RPi.GPIO", "psycopg", "psycopg-binary", "aiohttp")
INSTALLERS = ("setuptools", "pip", "wheel")  # some packages require these, but nothing runs them
PIECE_BYTES = 64 * 1024
_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_REQUIRES = "Requires-Dist: "
_COMPILED = (".pyc", ".pyo")

Digests = dict[str, str]  # by name
HERE = Path(__file__).parents[2]  # the folder that contains the package


def software(challenge: bytes = b"", root: Path = HERE) -> Digests:
    """Every file of the package `felt`."""
    names = sorted(name for name in _names_below(root, "felt") if _is_source(name))
    return {name: digest_of_file(os.path.join(root, name), challenge) for name in names}


def packages(challenge: bytes = b"", root: Path | None = None) -> Digests:
    """Every file of the installed packages that the software uses: the files that the installer recorded, and
    everything else in their folders."""
    found: Digests = {}
    for installed in _distributions(root):
        for name, file in sorted(_files_of(installed)):
            if _is_source(name):
                found[name] = digest_of_file(file, challenge)
    return found


def every_file() -> Iterator[tuple[str, str]]:
    """Every file of software and packages, compiled ones included, by name."""
    yield from ((name, str(HERE / name)) for name in sorted(_names_below(HERE, "felt")))
    for installed in _distributions(None):
        yield from sorted(_files_of(installed))


def versions() -> list[str]:
    """The same packages with their versions, for people."""
    return sorted(f"{installed.metadata['Name']} {installed.version}" for installed in _distributions(None))


def whole(digests: Digests, challenge: bytes = b"") -> str:
    """One digest over many."""
    return digest_of(listing(digests).encode(), challenge)


@cache
def software_identity() -> str:
    """One digest of everything installed, computed once per process."""
    return identity_of(software(), packages())


def identity_of(felt: Digests, others: Digests) -> str:
    return whole({"software": whole(felt), "packages": whole(others)})


def digest_of_file(file: Path | str, challenge: bytes) -> str:
    """Like `digest_of`, but piece by piece, because some libraries are very large. A folder that is a symbolic link
    is identified by its target."""
    found = hmac.new(challenge, digestmod=hashlib.sha256) if challenge else hashlib.sha256()
    try:
        with open(file, "rb", buffering=0) as opened:
            while piece := opened.read(PIECE_BYTES):
                found.update(piece)
    except IsADirectoryError:
        return digest_of(os.fsencode(f"-> {os.readlink(file)}"), challenge)
    return found.hexdigest()


def _names_below(root: Path | str, folder: str) -> Iterator[str]:
    """Every file, and every folder that is a symbolic link, by its path from the root."""
    try:
        entries = os.scandir(os.path.join(root, folder))
    except OSError:
        return  # recorded but missing
    with entries:
        for entry in entries:
            name = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _names_below(root, name)
            elif entry.is_file(follow_symlinks=False) or (entry.is_symlink() and _leads_somewhere(entry.path)):
                yield name


def _leads_somewhere(link: str) -> bool:
    return os.path.isfile(link) or os.path.isdir(link)


def _is_source(name: str) -> bool:
    return not name.endswith(_COMPILED) and "__pycache__" not in name.split("/")


def _distributions(root: Path | None) -> list[metadata.Distribution]:
    wanted, found = [*PACKAGES, *EXTRA_PACKAGES], dict[str, metadata.Distribution]()
    while wanted:
        name = _normal(wanted.pop())
        package = None if name in found or name in INSTALLERS else _installed(name, root)
        if package is not None:
            found[name] = package
            wanted += [_required(text) for text in _requirements(package) if "extra ==" not in text]
    return [found[name] for name in sorted(found)]


def _requirements(installed: metadata.Distribution) -> list[str]:
    """The value of `installed.requires`, read from the header lines only: parsing the whole description would take
    longer than all digests."""
    head, _, _ = (installed.read_text("METADATA") or "").partition("\n\n")
    if not head:
        return installed.requires or []
    return [line.removeprefix(_REQUIRES) for line in head.splitlines() if line.startswith(_REQUIRES)]


def _required(text: str) -> str:
    """The name at the start of a requirement such as "six>=1.10; python_version<'4'"."""
    match = _REQUIRED.match(text)
    return match[0] if match else text


def _installed(name: str, root: Path | None) -> metadata.Distribution | None:
    if root is None:
        try:
            return metadata.distribution(name)
        except metadata.PackageNotFoundError:
            return None
    return next(iter(metadata.distributions(name=name, path=[str(root)])), None)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _files_of(installed: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """The files that the installer recorded and everything else in their folders. Of the installer's metadata only
    the description counts, which holds the version. Scripts outside are skipped because they name their interpreter."""
    root = str(installed.locate_file(""))
    folders = dict[str, None]()
    for recorded in _recorded(installed):
        first, *others = recorded.split("/")
        is_note = first.endswith((".dist-info", ".egg-info"))
        if others and not is_note and first not in ("..", "__pycache__"):
            folders[first] = None
        elif (not others or others in (["METADATA"], ["PKG-INFO"])) and os.path.isfile(os.path.join(root, recorded)):
            yield recorded, os.path.join(root, recorded)
    for folder in folders:
        yield from ((name, os.path.join(root, name)) for name in _names_below(root, folder))


def _recorded(installed: metadata.Distribution) -> list[str]:
    """The names in `installed.files`, without creating an object with size and hash for each."""
    record = installed.read_text("RECORD")
    if record is None:
        return [str(file) for file in installed.files or ()]
    return [row[0] for row in csv.reader(record.splitlines()) if row]
