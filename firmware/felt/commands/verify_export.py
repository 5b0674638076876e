"""Exports a table's evidence into a folder, for `felt verify`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from felt import __version__
from felt.commands.verify_digests import OVERALL, parts_of
from felt.config import Config, ConfigError
from felt.config.keys import CREDENTIAL
from felt.evidence.changes import software_changes
from felt.evidence.checkpoints import read_attested
from felt.evidence.digests import identity_of
from felt.evidence.export import Signing, Texts, export_files
from felt.evidence.felt_check import listing
from felt.host.checkpoint_key import signing_key
from felt.nouns.values import Value, to_plain
from felt.ports import Disk
from felt.wiring.devices import read_only_disk

JOURNAL = "journal"
# Run as root, this passes the key to the command as systemd passes it to the service.
WITH_CREDENTIAL = f"systemd-run --pipe --wait -p LoadCredential={CREDENTIAL}:felt.{CREDENTIAL} /opt/felt/bin/felt"


class Written(Value):
    files: int
    size_bytes: int
    is_signed: bool


def export_to(folder: Path, config: Config, role: str, now_ns: int) -> Written:
    disk, signing = (
        read_only_disk(config.path(config.journal.folder)),
        Signing(signing_key(config), config.journal.public_keys),
    )
    parts = parts_of(config)
    if parts.head is None:
        raise ConfigError(str(config.path(config.journal.folder)), "", "there is no journal here", "play a round first")
    if signing.key is None:
        _refuse_without_key(disk, config, folder, role)
    about: dict[str, object] = {
        "format": 2,
        "table": config.table.id,
        "firmware": __version__,
        "identity": identity_of(parts.software, parts.packages),
        "exported_ns": now_ns,
        "software_changes": [to_plain(change) for change in software_changes(disk)],
    }
    digests = {name: digest for name, digest in parts.answers().items() if name not in (JOURNAL, OVERALL)}
    texts = Texts(listing(parts.software), listing(parts.packages), parts.configuration, parts.rules, digests, about)
    made = _make_empty(folder)
    files, size_bytes = 0, 0
    try:
        for name, content in export_files(disk, texts, role, signing):
            _write(folder / name, content)
            files, size_bytes = files + 1, size_bytes + len(content)
    except BaseException:
        _unmake(folder, made)
        raise
    return Written(files, size_bytes, signing.key is not None)


def _refuse_without_key(disk: Disk, config: Config, folder: Path, role: str) -> None:
    """A table that signs checkpoints has a key, and an unsigned export of it would prove nothing."""
    attested = read_attested(disk)
    if not attested.signed_seq and not config.journal.public_keys:
        return
    words = [WITH_CREDENTIAL, "verify", "--config", config.source, *(["--role", role] if role else []), "--export"]
    line = " ".join(str(word) for word in (*words, folder.absolute()))
    problem = "this table's checkpoints are signed, but its key is not available here, so the export would be unsigned"
    raise ConfigError(str(folder), "", problem, f"run as root: {line}; or name the key with --set journal.key=FILE")


def _make_empty(folder: Path) -> Path | None:
    """Creates a private, empty folder, so evidence is never mixed with other files. Returns the topmost created
    folder; None if none was created."""
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConfigError(str(folder), "", "this folder is not empty", "name a new one")
    return missing[-1] if missing else None


def _unmake(folder: Path, made: Path | None) -> None:
    for path in folder.iterdir() if made is None else [made]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as opened:
        opened.write(content)
