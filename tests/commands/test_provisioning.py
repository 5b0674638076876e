"""Keys for both ends of a link where the disk is full or a folder cannot be made: both halves change, or neither."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from felt.commands import provisioning
from felt.commands.provisioning import provision
from felt.config import ConfigError
from felt.config.jackpot_file import JackpotConfig, load_jackpot
from felt.nouns.keyring import read_keyring
from tests.real.linked import controller_file


@pytest.fixture
def config(tmp_path: Path) -> JackpotConfig:
    path = tmp_path / "jackpot.toml"
    path.write_text(controller_file(1, ("T1",)))
    return load_jackpot(path)


def texts_in(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def fill_the_disk_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is made there, and nothing fits into it."""
    write = provisioning._write_synced

    def write_elsewhere(path: Path, text: str) -> None:
        if path.parent == folder:
            path.touch()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, text)

    monkeypatch.setattr(provisioning, "_write_synced", write_elsewhere)


@pytest.mark.parametrize("full", ["T1", "link"])
def test_keys_that_do_not_fit_on_a_disk_change_neither_half(
    config: JackpotConfig, tmp_path: Path, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision(config, "T1", tmp_path / "T1", rotate=False, finish=False)
    before = texts_in(tmp_path)
    with monkeypatch.context() as patched:
        fill_the_disk_of(tmp_path / full, patched)
        with pytest.raises(ConfigError, match="No space left on device") as refused:
            provision(config, "T1", tmp_path / "T1", rotate=True, finish=False)
    assert refused.value.file.endswith(".keys")
    assert Path(refused.value.file).parent == tmp_path / full
    assert texts_in(tmp_path) == before, "no empty .new either"
    provision(config, "T1", tmp_path / "T1", rotate=True, finish=False)
    assert read_keyring((tmp_path / "T1/own.keys").read_text()).ids() == ("k2", "k1")


def test_the_broker_s_certificate_has_every_name_by_which_tables_reach_it(tmp_path: Path) -> None:
    path = tmp_path / "jackpot.toml"
    plain = controller_file(1, ("T1",), tls=True)
    certificate = tmp_path / "link/broker.crt"
    told = []
    for names in ("", '"10.0.2.100", "broker.felt.example"'):
        path.write_text(plain.replace("names = []", f"names = [{names}]"))
        provision(load_jackpot(path), "T1", tmp_path / "T1", rotate=False, finish=False)
        words = ["openssl", "x509", "-in", str(certificate), "-noout", "-ext", "subjectAltName"]
        told.append(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")[1].strip())
    assert told == ["IP Address:127.0.0.1", "IP Address:127.0.0.1, IP Address:10.0.2.100, DNS:broker.felt.example"]
    before = certificate.read_bytes()
    provision(load_jackpot(path), "T1", tmp_path / "T1", rotate=True, finish=False)
    assert certificate.read_bytes() == before, "the same names need no other certificate"


@pytest.mark.parametrize("full", ["deep/T1", "link"])
def test_folders_that_nothing_came_into_are_taken_away_again(
    config: JackpotConfig, tmp_path: Path, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_the_disk_of(tmp_path / full, monkeypatch)
    with pytest.raises(ConfigError, match="No space left"):
        provision(config, "T1", tmp_path / "deep" / "T1", rotate=False, finish=False)
    assert [path.name for path in tmp_path.iterdir()] == ["jackpot.toml"]


def test_a_folder_that_cannot_be_made_is_named(config: JackpotConfig, tmp_path: Path) -> None:
    (tmp_path / "T1").write_text("no folder")
    with pytest.raises(ConfigError, match=f"{tmp_path}/T1: it cannot be written"):
        provision(config, "T1", tmp_path / "T1", rotate=False, finish=False)
    assert not (tmp_path / "link").exists()


def test_a_refused_rotation_makes_no_folder(config: JackpotConfig, tmp_path: Path) -> None:
    provision(config, "T1", tmp_path / "T1", rotate=False, finish=False)
    provision(config, "T1", tmp_path / "T1", rotate=True, finish=False)
    with pytest.raises(ConfigError, match="under way already"):
        provision(config, "T1", tmp_path / "other", rotate=True, finish=False)
    assert not (tmp_path / "other").exists()


def test_a_missing_openssl_changes_no_keys(
    config: JackpotConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision(config, "T1", tmp_path / "T1", rotate=False, finish=False)
    before = texts_in(tmp_path)
    secured = tmp_path / "jackpot.toml"
    secured.write_text(controller_file(1, ("T1",), tls=True))
    before[secured] = secured.read_text()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="openssl"):
        provision(load_jackpot(secured), "T1", tmp_path / "T1", rotate=True, finish=False)
    assert texts_in(tmp_path) == before
