"""Is the software on this box the one that its package brought? Every file that the package lists is compared with its
digest there, every link with where it leads, and nothing else may lie in the folder from which it runs. It finds what
went wrong by accident or by a careless hand; that nobody changed the list as well is shown by `felt verify` and the
package's signature."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from felt.evidence.bytecode import foreign_bytecode

MANIFEST = "usr/share/felt/manifest"  # of the package, in the form of sha256sum
LINKS = "usr/share/felt/links"  # of the package: each symbolic link and where it leads
COMPILED = "opt/felt/compiled.manifest"  # bytecode that was made on this box
HOME = "opt/felt"
DPKG_RECORD = "var/lib/dpkg/info/felt.prerm"  # there as long as the package is
NAMED_MAX = 3


def changed_software(root: Path = Path("/"), *, with_bytecode: bool = False) -> str:
    """What is not as it was delivered, in one sentence; empty: nothing, or there is no package here. With bytecode:
    what runs is also compiled anew and compared, which takes seconds."""
    try:
        found = list(_differences(root))
    except OSError as error:
        found = [f"{error.filename or HOME} cannot be read ({error.strerror})"]
    if with_bytecode:
        found += [f"{name} is not the code of its source" for name in foreign_bytecode()]
    more = f" and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
    return ", ".join(found[:NAMED_MAX]) + more


def strangers(root: Path, folder: str, listed: Iterable[str]) -> Iterator[str]:
    """What lies in that folder and is neither in the list nor made by the package's installation: files, links and
    whatever else is no folder. On a box bytecode too, because it is run without a look at its source; elsewhere anybody
    may have made it."""
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
    """The folders that a list fills alone: a package's home, or those of the Python packages that it names."""
    names = list(listed)
    if any(name.startswith(f"{HOME}/") for name in names):
        return [HOME]
    return sorted({name.partition("/")[0] for name in names if name.endswith(".py") and "/" in name})


def links_of(root: Path) -> dict[str, str]:
    """Where each link of the package leads, by its path below the root."""
    file = root / LINKS
    if not file.is_file():
        return {}
    lines = (line.partition(" -> ") for line in file.read_text("utf-8", "replace").splitlines())
    return {name.lstrip("/"): target for name, _, target in lines if target}


def _differences(root: Path) -> Iterator[str]:
    if not (root / MANIFEST).is_file():
        # Installed by hand, or a package whose list was taken away: then nothing could be compared any more.
        if (root / DPKG_RECORD).is_file():
            yield f"/{MANIFEST} is missing"
        return
    listed = _listed(root / MANIFEST)
    for name, digest in {**listed, **_listed(root / COMPILED)}.items():
        file = root / name
        if not file.is_file():
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
