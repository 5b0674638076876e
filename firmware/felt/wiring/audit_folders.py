"""Folders that a box keeps beside play, built from the drivers: the audit's results and the journal's witness."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from felt.config import Config, ConfigError
from felt.drivers.disk import FolderDisk
from felt.evidence.audit_result import KNOWN, Audit, LastAudit, last_good, leave_result, nobody_audits, read_result
from felt.evidence.witness import Witness, WitnessDisagrees
from felt.host.audit import Expected

AUDITS = "audit"


def witness_folder(config: Config) -> Path | None:
    """The witness's folder; None if none is configured. A folder that would be restored together with the state is
    refused, because it would prove nothing."""
    if not config.journal.witness:
        return None
    folder = config.path(config.journal.witness)
    for name, kept in (("journal", config.journal.folder), ("ledger", config.jackpot.ledger)):
        state = config.path(kept).resolve().parent
        if folder.resolve().is_relative_to(state):
            problem = f"{folder} is inside of {state}, where the {name} is: it would be put back together with it"
            remedy = "name a folder outside of it, best on another disk"
            raise ConfigError(str(config.source or ""), "journal.witness", problem, remedy)
    return folder


def witness_of(config: Config) -> Witness | None:
    folder = witness_folder(config)
    return None if folder is None else Witness(partial(FolderDisk, folder), config.table.id, str(folder))


def audit_folder(config: Config) -> Path:
    """Beside the journal, not in it: an audit may not write there."""
    return config.path(config.journal.folder).parent / AUDITS


def keep_audit(config: Config, audit: Audit) -> None:
    folder = FolderDisk(audit_folder(config))
    try:
        leave_result(folder, audit)
    finally:
        folder.close()


def expected_of(config: Config, public: str) -> Expected:
    """The configured keys of the journal, and the last good audit. `public` is the available key's public half;
    empty: none is available."""
    known = config.journal.public_keys
    keys = (*known, public) if public else known
    rounds = config.journal.checkpoint_rounds if keys or config.journal.key else 0
    try:
        witness = witness_of(config)
        seen = None if witness is None else witness.seen()
    except WitnessDisagrees as error:
        raise ConfigError(config.journal.witness, "journal.witness", str(error), "see F-412 in REMEDIES.md") from None
    place = audit_folder(config)
    if not place.is_dir():
        return Expected(keys, rounds, None, seen)
    folder = FolderDisk(place, read_only=True)
    try:
        return Expected(keys, rounds, last_good(folder), seen)
    except ValueError as error:
        problem = f"what the last good audit saw cannot be read ({error})"
        raise ConfigError(str(place / KNOWN), "", problem, "keep it as evidence, and move it away") from None
    finally:
        folder.close()


def last_audit_of(config: Config) -> LastAudit:
    """The last audit. Without the folder, as on a bench, nobody audits and nobody misses it."""
    place = audit_folder(config)
    try:
        begun_ns = place.stat().st_mtime_ns
        folder = FolderDisk(place, read_only=True)
    except OSError:
        return nobody_audits
    return lambda: read_result(folder, begun_ns)
