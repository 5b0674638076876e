"""What a box does for itself besides play, put together from the drivers: the folder in which an audit leaves what it
found, and outputs made safe by somebody who is not the controller."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from felt.config import BoardProfile, Config, ConfigError
from felt.config.settings import BoardKind
from felt.drivers.disk import FolderDisk
from felt.ports import BoardUnavailable
from felt.service.audit import (
    KNOWN,
    Audit,
    Expected,
    LastAudit,
    last_good,
    leave_result,
    nobody_audits,
    read_result,
)

AUDITS = "audit"


def audit_folder(config: Config) -> Path:
    """Beside the journal, and not in it: an audit may write nothing there."""
    return config.path(config.journal.folder).parent / AUDITS


def keep_audit(config: Config, audit: Audit) -> None:
    folder = FolderDisk(audit_folder(config))
    try:
        leave_result(folder, audit)
    finally:
        folder.close()


def expected_of(config: Config, public: str) -> Expected:
    """What the house has said of the journal's keys, and what the last good audit saw. `public` is of the key at hand;
    empty: there is none."""
    known = config.journal.public_keys
    keys = (*known, public) if public else known
    rounds = config.journal.checkpoint_rounds if keys or config.journal.key else 0
    place = audit_folder(config)
    if not place.is_dir():
        return Expected(keys, rounds)
    folder = FolderDisk(place, read_only=True)
    try:
        return Expected(keys, rounds, last_good(folder))
    except ValueError as error:
        problem = f"what the last good audit saw cannot be read ({error})"
        raise ConfigError(str(place / KNOWN), "", problem, "keep it as evidence, and move it away") from None
    finally:
        folder.close()


def last_audit_of(config: Config) -> LastAudit:
    """Where no such folder was made, as on a bench, nobody audits and nobody misses it."""
    place = audit_folder(config)
    try:
        begun_ns = place.stat().st_mtime_ns
        folder = FolderDisk(place, read_only=True)
    except OSError:
        return nobody_audits
    return lambda: read_result(folder, begun_ns)


def make_safe(kind: BoardKind, profile: BoardProfile) -> list[str]:
    """Each output by itself, so that a chip that is gone does not keep the others lit. What could not be done."""
    from felt.service.wiring import gpio_board

    problems = []
    for line in profile.output:
        alone = dataclasses.replace(profile, input=(), output=(dataclasses.replace(line, feedback=None),))
        try:
            gpio_board(kind, alone).close()  # an output is taken at its safe level, and left there
        except BoardUnavailable as error:
            problems.append(str(error))
    return list(dict.fromkeys(problems))
