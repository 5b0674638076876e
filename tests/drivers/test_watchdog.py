from __future__ import annotations

import socket
from pathlib import Path

import pytest

from felt.drivers.watchdog import SystemdWatchdog


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_hears_ready_pats_and_stopping(abstract: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = str(tmp_path / "notify")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind("\0" + name if abstract else name)
    listener.settimeout(10)
    monkeypatch.setenv("NOTIFY_SOCKET", "@" + name if abstract else name)
    watchdog = SystemdWatchdog()
    watchdog.ready()
    watchdog.pat()
    watchdog.stopping()
    assert [listener.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]
    watchdog.close()
    listener.close()


def test_without_systemd_nothing_is_said_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    watchdog = SystemdWatchdog()
    watchdog.ready()
    watchdog.pat()
    watchdog.stopping()
    watchdog.close()


def test_a_socket_nobody_listens_to_does_not_stop_the_service(tmp_path: Path) -> None:
    watchdog = SystemdWatchdog(str(tmp_path / "nobody"))
    watchdog.pat()
    watchdog.close()
