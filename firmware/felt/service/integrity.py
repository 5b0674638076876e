"""Is the software on this box the one that its package brought? Every file that the package lists is compared with its
digest there, and nothing else may lie in the folder from which it runs. It finds what went wrong by accident or by a
careless hand; that nobody changed the list as well is shown by `felt verify` and the package's signature."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

MANIFEST = "usr/share/felt/manifest"  # of the package, in the form of sha256sum
COMPILED = "opt/felt/compiled.manifest"  # bytecode that was made on this box
HOME = "opt/felt"
NAMED_MAX = 3


def changed_software(root: Path = Path("/")) -> str:
    """What is not as it was delivered, in one sentence; empty: nothing, or there is no package here."""
    try:
        found = list(_differences(root))
    except OSError as error:
        found = [f"{error.filename or HOME} cannot be read ({error.strerror})"]
    more = f" and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
    return ", ".join(found[:NAMED_MAX]) + more


def _differences(root: Path) -> Iterator[str]:
    if not (root / MANIFEST).is_file():
        return
    listed = {**_listed(root / MANIFEST), **_listed(root / COMPILED)}
    for name, digest in listed.items():
        file = root / name
        if not file.is_file():
            yield f"/{name} is missing"
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            yield f"/{name} was changed"
    for file in sorted((root / HOME).rglob("*")):
        name = str(file.relative_to(root))
        # Bytecode too: it is run without a look at its source.
        if file.is_file() and not file.is_symlink() and name not in listed and name != COMPILED:
            yield f"/{name} does not belong there"


def _listed(file: Path) -> dict[str, str]:
    """Digests by path below the root."""
    if not file.is_file():
        return {}
    lines = (line.partition("  ") for line in file.read_text("utf-8", "replace").splitlines())
    return {name.lstrip("/"): digest for digest, _, name in lines if name}
