"""Creates the secrets for both ends of a link: keys, and certificates if TLS is used, in files that only their owner
may read. The output names the files, never their content."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
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
from felt.nouns.keyring import SECRET_BYTES, Keyring, LinkKey, write_keyring

AUTHORITY_KEY = "authority.key"
BROKER = "broker"
CONTROLLER_IDENTITY = "felt.controller"  # contains a dot, so no table can have this name
DAYS = "3650"
_ELLIPTIC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def provision(config: JackpotConfig, table: str, target: Path, *, rotate: bool, finish: bool) -> list[str]:
    """Creates or changes what `table` shares with the controller, and writes the table's half to `target`. All
    checks come first, and the controller's keys change last, so a half that cannot be written changes nothing."""
    home = config.path(config.broker.folder)
    if table not in config.tables:
        remedy = f"add [tables.{table}] to it first"
        raise ConfigError(str(config.source), f"tables.{table}", "the controller has no such table", remedy)
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
            told.append(_certify(home, target, table, (config.broker.host, *config.broker.names)))
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
    """Writes atomically, and never readable by others, not even briefly."""
    write_secrets({path: text})


def write_secrets(texts: Mapping[Path, str]) -> None:
    """The same for several files: all of them are on the disk before the first one takes its place."""
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
    """Creates missing folders, and removes those that stayed empty."""
    missing = [folder for path in paths for folder in (path, *path.parents) if not folder.exists()]
    try:
        for path in paths:
            with _failing_at(path):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:  # each before its parent
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _typed(path: Path) -> str:
    return shlex.quote(str(path))


def _sign_keys(folder: LinkFolder, home: Path) -> Keyring:
    return folder.keyring(SIGN_KEYS) if (home / SIGN_KEYS).exists() else Keyring(_new_key("s1"))


def _table_keys(
    folder: LinkFolder, home: Path, table: str, *, rotate: bool, finish: bool
) -> tuple[Keyring, Keyring]:
    """The controller's ring and the table's. During a rotation each end seals with a key that the other end surely
    knows: the controller with the old key, the table, once it has its new folder, with the new one."""
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


def _new_key(name: str) -> LinkKey:
    return LinkKey(name, secrets.token_bytes(SECRET_BYTES))


def _next_id(name: str) -> str:
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyz-")
    return f"k{int(digits) + 1 if digits.isdecimal() else 2}"


# --- certificates --------------------------------------------------------------------------------------


def _certify(home: Path, target: Path, table: str, hosts: Sequence[str]) -> str:
    """Certifies authority and controller once, the broker again when it has another name, and the table each time."""
    if not (home / AUTHORITY).exists():
        _openssl(
            home, "req", "-x509", *_ELLIPTIC, "-days", DAYS, "-subj", "/CN=felt link authority",
            "-keyout", AUTHORITY_KEY, "-out", AUTHORITY,
        )  # fmt: skip
    broker = home / f"{BROKER}.crt"
    if not broker.exists() or not all(_names(broker, host) for host in hosts):
        names = ",".join(f"{'IP' if _is_address(host) else 'DNS'}:{host}" for host in dict.fromkeys(hosts))
        _sign(home, home, BROKER, hosts[0], f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")
    if not (home / CERTIFICATE).exists():
        _sign(home, home, Path(CERTIFICATE).stem, CONTROLLER_IDENTITY, "extendedKeyUsage=clientAuth\n")
    _sign(home, target, Path(CERTIFICATE_KEY).stem, table, "extendedKeyUsage=clientAuth\n")
    with _failing_at(target / AUTHORITY):
        (target / AUTHORITY).write_bytes((home / AUTHORITY).read_bytes())
    return f"{home}: {BROKER}.crt and {BROKER}.key are the broker's, {AUTHORITY} everybody's, {AUTHORITY_KEY} nobody's"


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdecimal() or ":" in host


def _names(certificate: Path, host: str) -> bool:
    """Whether the certificate is good for that host."""
    check = "-checkip" if _is_address(host) else "-checkhost"
    return "does match" in _openssl(certificate.parent, "x509", "-in", certificate.name, "-noout", check, host)


def _sign(home: Path, folder: Path, stem: str, identity: str, extensions: str) -> None:
    """Creates a key and its certificate and puts both in place together, since one is useless without the other."""
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


def _openssl(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["openssl", *words], cwd=folder, umask=0o077, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise ConfigError("openssl", "", "the program is not installed", "run 'sudo apt install openssl'") from None
    if done.returncode:
        # openssl's error names files and reasons; it writes keys to their files only.
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ConfigError("openssl", "", f"it failed: {said[-1] if said else done.returncode}", "correct that first")
    return done.stdout.decode("utf-8", "replace")
