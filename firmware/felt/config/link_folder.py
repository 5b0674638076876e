"""The folder of a link: keys, and certificates if TLS is used. Under systemd its files are credentials,
`link_own.keys` for `link/own.keys`; elsewhere only their owner may read them. No secret ever appears in a sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from felt.config.errors import ConfigError
from felt.nouns.keyring import Keyring, KeyringError, read_keyring

KEY_FILE_BYTES_MAX = 4096
OWN_KEYS, SIGN_KEYS = "own.keys", "sign.keys"
AUTHORITY, CERTIFICATE, CERTIFICATE_KEY = "authority.crt", "own.crt", "own.key"
TABLE_KEYS = "table-{}.keys"
LEDGER_KEY = "ledger.key"  # the controller signs its ledger with it


class LinkFolder:
    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        given = (os.environ if environment is None else environment).get("CREDENTIALS_DIRECTORY", "")
        self._folder = folder
        self._credentials = Path(given) if given else None

    def file(self, name: str) -> Path:
        """The path of a file, whether it exists or not."""
        if self._credentials is not None:
            credential = self._credentials / f"{self._folder.name}_{name}"
            if credential.exists():
                return credential
        return self._folder / name

    def keyring(self, name: str) -> Keyring:
        text = self.secret(name)
        try:
            return read_keyring(text)
        except KeyringError as error:
            remedy = "provision it again with felt jackpot provision"
            raise ConfigError(str(self.file(name)), "", str(error), remedy) from None

    def secret(self, name: str) -> str:
        path = self.file(name)
        return _secret_text(path, is_credential=path.parent == self._credentials)

    def readable(self, name: str) -> str:
        """The path of an existing file that TLS needs."""
        path = self.file(name)
        if not path.is_file() or not os.access(path, os.R_OK):
            raise ConfigError(str(path), "", "this file cannot be read", "provision it, or set link.tls to false")
        if name == CERTIFICATE_KEY:
            _refuse_open_file(path, is_credential=path.parent == self._credentials)
        return str(path)


def problems_of_a_table(link: LinkFolder, *, tls: bool) -> list[ConfigError]:
    """Every file that a linked table needs and cannot use."""
    problems = []
    for name in (OWN_KEYS, SIGN_KEYS, *((AUTHORITY, CERTIFICATE, CERTIFICATE_KEY) if tls else ())):
        try:
            if name in (OWN_KEYS, SIGN_KEYS):
                link.keyring(name)
            else:
                link.readable(name)
        except ConfigError as error:
            problems.append(error)
    return problems


def _secret_text(path: Path, *, is_credential: bool) -> str:
    try:
        _refuse_open_file(path, is_credential=is_credential)
        with path.open("rb") as file:
            content = file.read(KEY_FILE_BYTES_MAX + 1)
    except OSError as error:
        remedy = "provision it with felt jackpot provision, or check its rights"
        raise ConfigError(str(path), "", f"the keys cannot be read ({error.strerror or error})", remedy) from None
    if len(content) > KEY_FILE_BYTES_MAX:
        raise ConfigError(str(path), "", "this file is too long for keys", "provision it again")
    return content.decode("ascii", "replace")


def _refuse_open_file(path: Path, *, is_credential: bool) -> None:
    """systemd guards its own credentials folder; any other file must be readable by its owner only."""
    if not is_credential and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ConfigError(str(path), "", "users other than the owner may read this secret", f"run chmod 600 {path}")
