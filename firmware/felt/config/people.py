"""The people who may act at a table: name, role, and a scrypt digest of the PIN, in a file of its own that nobody
else may read. It is read at every sign-in, so a new person needs no restart."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import stat
from enum import StrEnum
from pathlib import Path

from felt.config.errors import ConfigError
from felt.config.reading import decoded, read_toml
from felt.config.writing import to_toml
from felt.nouns.values import Value

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
PIN = re.compile(r"[0-9]{4,12}")
LICENCE = re.compile(r"[A-Za-z0-9 ./_-]{0,40}")
PEOPLE_MAX = 500
_MODE = 0o600


class Role(StrEnum):
    VIEWER = "viewer"
    TECHNICIAN = "technician"
    SUPERVISOR = "supervisor"
    SHIFT_MANAGER = "shift_manager"


class ListedPerson(Value):
    role: Role
    pin: str  # scrypt$salt$digest
    licence: str = ""


class Cost(Value):
    """16 MiB and some tens of milliseconds for each attempt."""

    n: int = 2**14
    r: int = 8
    p: int = 1


People = dict[str, ListedPerson]
_NOBODY = "scrypt$" + "A" * 22 + "==$" + "A" * 43 + "="


def read_people(path: Path) -> People:
    """Everybody in the file; nobody if it does not exist. A file that others may read is refused."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(str(path), "", f"the file cannot be read ({error.strerror})", "check its folder") from None
    if stat.S_IMODE(mode) & 0o077:
        raise ConfigError(str(path), "", "others may read this file", f"chmod 600 {path}")
    people = decoded(dict[str, ListedPerson], read_toml(path), lambda _: str(path))
    for name, person in people.items():
        if not NAME.fullmatch(name):
            raise ConfigError(str(path), name, "this is not a valid name", "use letters, digits, - and _")
        if not _parts(person.pin):
            raise ConfigError(
                str(path), f"{name}.pin", "this is not the digest of a PIN", "use felt console add-person"
            )
        if not LICENCE.fullmatch(person.licence):
            raise ConfigError(
                str(path), f"{name}.licence", "this is not a valid licence number", "use letters and digits"
            )
    return people


def write_people(path: Path, people: People) -> None:
    plain: dict[str, object] = {
        name: {"role": person.role.value, "pin": person.pin, "licence": person.licence}
        for name, person in sorted(people.items())
    }
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    with os.fdopen(file, "w", encoding="utf-8") as open_file:
        open_file.write("# Written by felt console add-person: people, their roles and digests of their PINs.\n")
        open_file.write(to_toml(plain))
        open_file.flush()
        os.fsync(file)
    beside.replace(path)


def digest_of(pin: str) -> str:
    salt = secrets.token_bytes(16)
    return f"scrypt${_text(salt)}${_text(_scrypt(pin, salt))}"


def is_pin_of(person: ListedPerson | None, pin: str) -> bool:
    """Takes as long for an unknown person as for a wrong PIN."""
    parts = _parts(person.pin if person else _NOBODY)
    assert parts is not None, "checked when the file was read"
    same = hmac.compare_digest(_scrypt(pin, parts[0]), parts[1])
    return same and person is not None


def _scrypt(pin: str, salt: bytes) -> bytes:
    cost = Cost()
    return hashlib.scrypt(pin.encode("utf-8", "replace"), salt=salt, n=cost.n, r=cost.r, p=cost.p, dklen=32)


def _parts(text: str) -> tuple[bytes, bytes] | None:
    kind, _, rest = text.partition("$")
    salt, _, digest = rest.partition("$")
    try:
        parts = base64.b64decode(salt, validate=True), base64.b64decode(digest, validate=True)
    except ValueError:
        return None
    return parts if kind == "scrypt" and len(parts[0]) == 16 and len(parts[1]) == 32 else None


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
