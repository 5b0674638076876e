"""Secrets for the two ends of a link: keys, and with TLS certificates, made here and written to files that only their
owner may read. What is told is where they are, never what they are."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from felt.config.errors import ConfigError
from felt.config.jackpot_file import JackpotConfig
from felt.config.link_folder import (
    AUTHORITY,
    CERTIFICATE,
    CERTIFICATE_KEY,
    LEDGER_KEY,
    OWN_KEYS,
    SIGN_KEYS,
    TABLE_KEYS,
    LinkFolder,
)
from felt.evidence.signing import new_key_text
from felt.nouns.keyring import SECRET_BYTES, Key, Keyring, write_keyring

AUTHORITY_KEY = "authority.key"
BROKER = "broker"
CONTROLLER_IDENTITY = "felt.controller"  # a dot: no table can have this name
DAYS = "3650"
_ELLIPTIC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def provision(config: JackpotConfig, table: str, target: Path, *, rotate: bool, finish: bool) -> list[str]:
    """Make or change what `table` shares with the controller, and write the table's half to `target`. Whatever can be
    refused is refused before anything is made, and the controller's keys are the last to change: a half that could not
    be written changes nothing."""
    home = config.path(config.broker.folder)
    if table not in config.tables:
        remedy = f"add [tables.{table}] to it first"
        raise ConfigError(str(config.source), f"tables.{table}", "the controller knows no such table", remedy)
    if home.resolve() == target.resolve():
        raise ConfigError(str(target), "", "this is the controller's own folder", "name a folder for the table's half")
    folder = LinkFolder(home, {})
    sign = _sign_keys(folder, home)
    ours, theirs = _table_keys(folder, home, table, rotate=rotate, finish=finish)
    told = [f"{target}: the half of table {table}, key {theirs.current.id}; take it there as its link folder"]
    if theirs.other is not None:
        command = f"felt jackpot provision {table} --finish --to {_typed(target)} --config {_typed(config.source)}"
        told.append(f"the former key {theirs.other.id} stays good until {command}")
    with _folders(home, target):
        if config.broker.tls:
            told.append(_certify(home, target, table, config.broker.host))
        known = (home / SIGN_KEYS).exists()
        shared = [target / SIGN_KEYS, *(() if known else (home / SIGN_KEYS,))]
        write_secrets({
            target / OWN_KEYS: write_keyring(theirs),
            **dict.fromkeys(shared, write_keyring(sign)),
            home / TABLE_KEYS.format(table): write_keyring(ours),
            **({} if (home / LEDGER_KEY).exists() else {home / LEDGER_KEY: new_key_text()}),
        })  # fmt: skip
    use = f"felt jackpot keys --config {_typed(config.source)}"
    return [*told, f"{home}: the controller's half; {use}, or a restart, brings it into use"]


def write_secret(path: Path, text: str) -> None:
    """All or nothing, and never readable by others, not even for a moment."""
    write_secrets({path: text})


def write_secrets(texts: Mapping[Path, str]) -> None:
    """The same for several: all of them are on the disk before the first takes its place."""
    fresh = {path: path.with_name(path.name + ".new") for path in texts}
    try:
        for path, text in texts.items():
            with _failing_at(path):
                fresh[path].unlink(missing_ok=True)
                _write_synced(fresh[path], text)
        for path, written in fresh.items():
            with _failing_at(path):
                written.replace(path)
    except BaseException:
        for written in fresh.values():
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)
        raise


def _write_synced(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _failing_at(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "see to its folder and its disk, then provision again"
        raise ConfigError(str(path), "", f"it cannot be written ({error.strerror or error})", remedy) from None


@contextlib.contextmanager
def _folders(*paths: Path) -> Iterator[None]:
    """Made where they are missing; those that nothing came into are taken away again."""
    missing = [folder for path in paths for folder in (path, *path.parents) if not folder.exists()]
    try:
        for path in paths:
            with _failing_at(path):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:  # each before the one that it is in
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _typed(path: Path) -> str:
    return shlex.quote(str(path))


def _sign_keys(folder: LinkFolder, home: Path) -> Keyring:
    return folder.keyring(SIGN_KEYS) if (home / SIGN_KEYS).exists() else Keyring(_new_key("s1"))


def _table_keys(folder: LinkFolder, home: Path, table: str, *, rotate: bool, finish: bool) -> tuple[Keyring, Keyring]:
    """The controller's ring and the table's. In a rotation each end goes on sealing with what the other surely knows:
    the controller with the old key, the table, once it has its new folder, with the new one."""
    name = TABLE_KEYS.format(table)
    known = folder.keyring(name) if (home / name).exists() else None
    if finish:
        if known is None or known.other is None:
            raise ConfigError(str(home / name), "", "no rotation is under way", "begin one with --rotate")
        return Keyring(known.other), Keyring(known.other)
    if known is None:
        first = Keyring(_new_key("k1"))
        return first, first
    if rotate:
        if known.other is not None:
            raise ConfigError(str(home / name), "", "a rotation is under way already", "end it first with --finish")
        fresh = _new_key(_next_id(known.current.id))
        return Keyring(known.current, fresh), Keyring(fresh, known.current)
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
    with _failing_at(target / AUTHORITY):
        (target / AUTHORITY).write_bytes((home / AUTHORITY).read_bytes())
    return f"{home}: {BROKER}.crt and {BROKER}.key are the broker's, {AUTHORITY} everybody's, {AUTHORITY_KEY} nobody's"


def _sign(home: Path, folder: Path, stem: str, identity: str, extensions: str) -> None:
    """A key and its certificate, which take their places together: one without the other is worth nothing."""
    fresh = {kind: (folder / f"{stem}.{kind}.new").resolve() for kind in ("key", "csr", "ext", "crt")}
    key, request, details, certificate = map(str, fresh.values())
    try:
        _openssl(home, "req", *_ELLIPTIC, "-subj", f"/CN={identity}", "-keyout", key, "-out", request)
        with _failing_at(fresh["ext"]):
            fresh["ext"].write_text(extensions, encoding="ascii")
        _openssl(
            home, "x509", "-req", "-in", request, "-CA", AUTHORITY, "-CAkey", AUTHORITY_KEY, "-CAcreateserial",
            "-days", DAYS, "-extfile", details, "-out", certificate,
        )  # fmt: skip
        for kind in ("key", "crt"):
            with _failing_at(folder / f"{stem}.{kind}"):
                fresh[kind].replace(folder / f"{stem}.{kind}")
    finally:
        for path in fresh.values():
            path.unlink(missing_ok=True)


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
