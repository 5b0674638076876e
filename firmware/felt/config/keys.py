"""The table's own key: a file that only its owner reads, or under systemd the credential `journal.key`. Its content is
for others to read; no secret is ever part of a sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from felt.config.errors import ConfigError
from felt.config.loading import Config

CREDENTIAL = "journal.key"
KEY_FILE_BYTES_MAX = 1024


def signing_key_file(config: Config, environment: Mapping[str, str] | None = None) -> Path | None:
    """Where the key is, or ought to be; None: the house has set none."""
    if config.journal.key:
        return config.path(config.journal.key)
    given = (os.environ if environment is None else environment).get("CREDENTIALS_DIRECTORY", "")
    credential = Path(given) / CREDENTIAL if given else None
    # Where no credential can be made, as in a container, systemd leaves a folder that only root may look into.
    return credential if credential is not None and os.access(credential, os.R_OK) else None


def key_content(file: Path, *, is_credential: bool = False) -> bytes:
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
        with file.open("rb") as opened:
            content = opened.read(KEY_FILE_BYTES_MAX)
    except OSError as error:
        problem = f"the key cannot be read ({error.strerror or error})"
        raise ConfigError(str(file), "journal.key", problem, "make one with felt verify --new-key") from None
    if mode & 0o077 and not is_credential:
        problem = "others than its owner may read this secret"
        raise ConfigError(str(file), "journal.key", problem, f"run chmod 600 {file}")
    return content
