"""The export of a table's evidence into a folder, for `felt verify`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from felt import __version__
from felt.commands.verify_parts import parts_of
from felt.config import Config, ConfigError
from felt.evidence.changes import software_changes
from felt.evidence.digests import identity_of
from felt.evidence.export import Texts, export_files
from felt.evidence.felt_check import listing
from felt.service.notary import signing_key
from felt.service.wiring import read_only_disk
from felt.table import redacted


class Written(NamedTuple):
    files: int
    size_bytes: int
    is_signed: bool


def export_to(folder: Path, config: Config, role: str, now_ns: int) -> Written:
    disk, key = read_only_disk(config.path(config.journal.folder)), signing_key(config)
    parts = parts_of(config)
    if parts.head is None:
        raise ConfigError(str(config.path(config.journal.folder)), "", "there is no journal here", "play a round first")
    about: dict[str, object] = {
        "format": 1,
        "table": config.table.id,
        "firmware": __version__,
        "identity": identity_of(parts.software, parts.packages),
        "exported_ns": now_ns,
        "redacted": role not in redacted.MAY_SEE_CARDS,
        "digests": parts.answers(),
        "software_changes": [one._asdict() for one in software_changes(disk)],
    }
    texts = Texts(listing(parts.software), listing(parts.packages), parts.configuration, parts.rules, about)
    _make_empty(folder)
    files, size_bytes = 0, 0
    for name, content in export_files(disk, texts, role, key):
        _write(folder / name, content)
        files, size_bytes = files + 1, size_bytes + len(content)
    return Written(files, size_bytes, key is not None)


def _make_empty(folder: Path) -> None:
    """Evidence is its owner's alone, and never mixed with what was there before."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConfigError(str(folder), "", "something is in this folder already", "name a new one")
    for inner in ("journal", "rules"):
        (folder / inner).mkdir(mode=0o700)


def _write(file: Path, content: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as opened:
        opened.write(content)
