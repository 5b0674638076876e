"""The key that the controller signs its ledger with."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from felt.config import ConfigError
from felt.config.jackpot_file import JackpotConfig, load_jackpot
from felt.config.link_folder import LEDGER_KEY
from felt.evidence.signing import new_key_text, write_new_key
from felt.jackpot.ledger.port import LedgerError
from felt.wiring.jackpot_controller import open_office
from tests.jackpot.evening import Sender
from tests.real.linked import controller_file


@pytest.fixture
def config(tmp_path: Path) -> JackpotConfig:
    file = tmp_path / "jackpot.toml"
    file.write_text(controller_file(1, ("T1",)))
    (tmp_path / "link").mkdir()
    return load_jackpot(file)


def play(config: JackpotConfig) -> None:
    with closing(open_office(config)) as office:
        Sender(office).play(1, 1)


def test_a_controller_without_its_key_does_not_start_and_makes_none(config: JackpotConfig, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="provision it with felt jackpot provision"):
        play(config)
    assert not (tmp_path / "link" / LEDGER_KEY).exists()


def test_a_key_that_others_may_read_is_refused(config: JackpotConfig, tmp_path: Path) -> None:
    write_new_key(tmp_path / "link" / LEDGER_KEY)
    (tmp_path / "link" / LEDGER_KEY).chmod(0o640)
    with pytest.raises(ConfigError, match="users other than the owner"):
        play(config)


def test_systemd_may_hold_the_key_as_a_credential(
    config: JackpotConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / f"link_{LEDGER_KEY}").write_text(new_key_text())
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    play(config)


def test_another_key_does_not_open_the_ledger(config: JackpotConfig, tmp_path: Path) -> None:
    write_new_key(tmp_path / "link" / LEDGER_KEY)
    play(config)
    (tmp_path / "link" / LEDGER_KEY).unlink()
    write_new_key(tmp_path / "link" / LEDGER_KEY)
    with pytest.raises(LedgerError, match="is not what this controller's key has signed"):
        play(config)
