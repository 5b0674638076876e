"""Checks that the software on this box is what its package installed. It compares every listed file with its digest
and every link with its target, and refuses extra files in the program's folder. It finds accidents and careless
changes. Only `felt verify` and the package's signature show that the list itself is unchanged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from felt.evidence.bytecode import foreign_bytecode

MANIFEST = "usr/share/felt/manifest"  # of the package, in the format of sha256sum
LINKS = "usr/share/felt/links"  # of the package: each symbolic link and its target
COMPILED = "opt/felt/compiled.manifest"  # bytecode that was compiled on this box
HOME = "opt/felt"
DOCUMENTS = ("usr/share/doc/", "usr/share/man/")  # a system may be set up to install none of them (dpkg's path-exclude)
DPKG_RECORD = "var/lib/dpkg/info/felt.prerm"  # exists as long as the package is installed
NAMED_MAX = 3


def changed_software(root: Path = Path("/"), *, with_bytecode: bool = False) -> str:
    """What differs from the delivered software, in one sentence; empty if nothing does, or if there is no package.
    With bytecode, sources are also recompiled and compared, which takes seconds."""
    try:
        found = list(_differences(root))
    except OSError as error:
        found = [f"{error.filename or HOME} cannot be read ({error.strerror})"]
    if with_bytecode:
        found += [f"{name} is not the code of its source" for name in foreign_bytecode()]
    more = f" and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
    return ", ".join(found[:NAMED_MAX]) + more


def strangers(root: Path, folder: str, listed: Iterable[str]) -> Iterator[str]:
    """Entries of that folder that are neither listed nor created by the installation: files, links and anything else
    but folders. On a box this includes bytecode, because it runs without a look at its source; elsewhere anybody may
    have compiled it."""
    known, links = {*listed, *_listed(root / COMPILED), COMPILED}, links_of(root)
    for place, folders, names in os.walk(root / folder):
        for name in sorted((*folders, *names)):
            path = os.path.join(place, name)
            below = os.path.relpath(path, root)
            if os.path.islink(path):
                if links.get(below) != os.readlink(path):
                    yield below
            elif (
                name not in folders and below not in known and (folder == HOME or "__pycache__" not in below.split("/"))
            ):
                yield below


def whole_folders(listed: Iterable[str]) -> list[str]:
    """The folders that a list fills completely: a package's home, or those of the Python packages that it names."""
    names = list(listed)
    if any(name.startswith(f"{HOME}/") for name in names):
        return [HOME]
    return sorted({name.partition("/")[0] for name in names if name.endswith(".py") and "/" in name})


def links_of(root: Path) -> dict[str, str]:
    """The target of each link of the package, by its path below the root."""
    file = root / LINKS
    if not file.is_file():
        return {}
    lines = (line.partition(" -> ") for line in file.read_text("utf-8", "replace").splitlines())
    return {name.lstrip("/"): target for name, _, target in lines if target}


def _differences(root: Path) -> Iterator[str]:
    if not (root / MANIFEST).is_file():
        # Installed by hand, or the package's list was removed; then nothing can be compared.
        if (root / DPKG_RECORD).is_file():
            yield f"/{MANIFEST} is missing"
        return
    listed = _listed(root / MANIFEST)
    for name, digest in {**listed, **_listed(root / COMPILED)}.items():
        file = root / name
        if not file.is_file():
            if not name.startswith(DOCUMENTS):
                yield f"/{name} is missing"
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            yield f"/{name} was changed"
    for name, target in links_of(root).items():
        if not (root / name).is_symlink():
            yield f"/{name} is missing"
        elif os.readlink(root / name) != target and not name.startswith(f"{HOME}/"):
            yield f"/{name} was changed"
    yield from (f"/{name} does not belong there" for name in strangers(root, HOME, listed))


def _listed(file: Path) -> dict[str, str]:
    """Digests by path below the root."""
    if not file.is_file():
        return {}
    lines = (line.partition("  ") for line in file.read_text("utf-8", "replace").splitlines())
    return {name.lstrip("/"): digest for digest, _, name in lines if name}
