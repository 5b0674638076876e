"""The key that signs the checkpoints of a table's journal, and their writer."""

from __future__ import annotations

from felt.config import Config, ConfigError
from felt.config.keys import key_content, signing_key_file
from felt.evidence.checkpoints import AttestedJournal, CheckpointWriter
from felt.evidence.signing import KeyUnusable, SigningKey, read_key
from felt.evidence.witness import Witness
from felt.ports import Disk


def signing_key(config: Config) -> SigningKey | None:
    """None if no key is configured; checkpoints and exports are then unsigned."""
    file = signing_key_file(config)
    if file is None:
        return None
    try:
        return read_key(key_content(file, is_credential=not config.journal.key))
    except KeyUnusable as error:
        raise ConfigError(str(file), "journal.key", str(error), "make one with felt verify --new-key") from None


def checkpoint_writer_of(
    config: Config, disk: Disk, genesis: str, software: str, key: SigningKey | None, witness: Witness | None
) -> CheckpointWriter:
    journal = AttestedJournal(config.table.id, genesis, software)
    return CheckpointWriter(disk, journal, key, config.journal.checkpoint_rounds, witness)
