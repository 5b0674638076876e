"""Secrets for the two ends of a link: keys, and with TLS certificates, made here and written to files that only their
owner may read. What is told is where they are, never what they are."""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

from felt.config.errors import ConfigError
from felt.config.jackpot_file import JackpotConfig
from felt.config.link_folder import (
    AUTHORITY,
    CERTIFICATE,
    CERTIFICATE_KEY,
    OWN_KEYS,
    SIGN_KEYS,
    TABLE_KEYS,
    LinkFolder,
)
from felt.nouns.keyring import SECRET_BYTES, Key, Keyring, write_keyring

AUTHORITY_KEY = "authority.key"
BROKER = "broker"
CONTROLLER_IDENTITY = "felt.controller"  # a dot: no table can have this name
DAYS = "3650"
_ELLIPTIC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def provision(config: JackpotConfig, table: str, target: Path, *, rotate: bool, finish: bool) -> list[str]:
    """Make or change what `table` shares with the controller, and write the table's half to `target`."""
    home = config.path(config.broker.folder)
    if table not in config.tables:
        remedy = f"add [tables.{table}] to it first"
        raise ConfigError(str(config.source), f"tables.{table}", "the controller knows no such table", remedy)
    _make_folder(home)
    _make_folder(target)
    if home.resolve() == target.resolve():
        raise ConfigError(str(target), "", "this is the controller's own folder", "name a folder for the table's half")
    folder = LinkFolder(home, {})
    sign = _sign_keys(folder, home)
    ours, theirs = _table_keys(folder, home, table, rotate=rotate, finish=finish)
    write_secret(home / TABLE_KEYS.format(table), write_keyring(ours))
    write_secret(target / OWN_KEYS, write_keyring(theirs))
    write_secret(target / SIGN_KEYS, write_keyring(sign))
    told = [f"{target}: the half of table {table}, key {theirs.current.id}; take it there as its link folder"]
    if theirs.other is not None:
        told.append(f"the former key {theirs.other.id} stays good until felt jackpot provision {table} --finish")
    if config.broker.tls:
        told.append(_certify(home, target, table, config.broker.host))
    return [*told, f"{home}: the controller's half; felt jackpot keys, or a restart, brings it into use"]


def write_secret(path: Path, text: str) -> None:
    """All or nothing, and never readable by others, not even for a moment."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _make_folder(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def _sign_keys(folder: LinkFolder, home: Path) -> Keyring:
    if not (home / SIGN_KEYS).exists():
        write_secret(home / SIGN_KEYS, write_keyring(Keyring(_new_key("s1"))))
    return folder.keyring(SIGN_KEYS)


def _table_keys(
    folder: LinkFolder, home: Path, table: str, *, rotate: bool, finish: bool
) -> tuple[Keyring, Keyring]:
    """The controller's ring and the table's. In a rotation each end goes on sealing with what the other surely knows:
    the controller with the old key, the table, once it has its new folder, with the new one."""
    name = TABLE_KEYS.format(table)
    if not (home / name).exists():
        first = Keyring(_new_key("k1"))
        return first, first
    known = folder.keyring(name)
    if rotate:
        if known.other is not None:
            raise ConfigError(str(home / name), "", "a rotation is under way already", "end it first with --finish")
        fresh = _new_key(_next_id(known.current.id))
        return Keyring(known.current, fresh), Keyring(fresh, known.current)
    if finish and known.other is not None:
        return Keyring(known.other), Keyring(known.other)
    return known, known if known.other is None else Keyring(known.other, known.current)


def _new_key(name: str) -> Key:
    return Key(name, secrets.token_bytes(SECRET_BYTES))


def _next_id(name: str) -> str:
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyz-")
    return f"k{int(digits) + 1 if digits.isdecimal() else 2}"


# --- certificates --------------------------------------------------------------------------------------


def _certify(home: Path, target: Path, table: str, host: str) -> str:
    """The authority, the broker and the controller once; the table each time."""
    if not (home / AUTHORITY).exists():
        _openssl(
            home, "req", "-x509", *_ELLIPTIC, "-days", DAYS, "-subj", "/CN=felt link authority",
            "-keyout", AUTHORITY_KEY, "-out", AUTHORITY,
        )  # fmt: skip
    if not (home / f"{BROKER}.crt").exists():
        kind = "IP" if host.replace(".", "").isdecimal() or ":" in host else "DNS"
        _sign(home, home, BROKER, host, f"subjectAltName={kind}:{host}\nextendedKeyUsage=serverAuth\n")
    if not (home / CERTIFICATE).exists():
        _sign(home, home, Path(CERTIFICATE).stem, CONTROLLER_IDENTITY, "extendedKeyUsage=clientAuth\n")
    _sign(home, target, Path(CERTIFICATE_KEY).stem, table, "extendedKeyUsage=clientAuth\n")
    (target / AUTHORITY).write_bytes((home / AUTHORITY).read_bytes())
    return f"{home}: {BROKER}.crt and {BROKER}.key are the broker's, {AUTHORITY} everybody's, {AUTHORITY_KEY} nobody's"


def _sign(home: Path, folder: Path, stem: str, identity: str, extensions: str) -> None:
    key, request, certificate = (str((folder / f"{stem}.{kind}").resolve()) for kind in ("key", "csr", "crt"))
    _openssl(home, "req", *_ELLIPTIC, "-subj", f"/CN={identity}", "-keyout", key, "-out", request)
    details = folder / f"{stem}.ext"
    details.write_text(extensions, encoding="ascii")
    _openssl(
        home, "x509", "-req", "-in", request, "-CA", AUTHORITY, "-CAkey", AUTHORITY_KEY, "-CAcreateserial",
        "-days", DAYS, "-extfile", str(details.resolve()), "-out", certificate,
    )  # fmt: skip
    Path(request).unlink()
    details.unlink()


def _openssl(folder: Path, *words: str) -> None:
    try:
        done = subprocess.run(
            ["openssl", *words], cwd=folder, umask=0o077, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise ConfigError("openssl", "", "the program is not installed", "run 'sudo apt install openssl'") from None
    if done.returncode:
        # What openssl says of a failure names files and reasons; keys it writes to their files alone.
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ConfigError("openssl", "", f"it failed: {said[-1] if said else done.returncode}", "correct that first")
