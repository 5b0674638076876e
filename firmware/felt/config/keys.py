"""The table's own key: a file that only its owner may read, or the credential `journal.key` under systemd. Other
rooms parse its content; no secret ever appears in a sentence."""

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
    """The path of the key, whether it exists or not; None if none is configured."""
    if config.journal.key:
        return config.path(config.journal.key)
    given = (os.environ if environment is None else environment).get("CREDENTIALS_DIRECTORY", "")
    credential = Path(given) / CREDENTIAL if given else None
    # Where systemd cannot create credentials, as in a container, it leaves a folder that only root may enter.
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
        problem = "users other than the owner may read this secret"
        raise ConfigError(str(file), "journal.key", problem, f"run chmod 600 {file}")
    return content
