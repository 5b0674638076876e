"""A temporary Debian: a root folder under a layer of memory, in its own namespaces, with its own systemd running. It
needs root and changes nothing outside. The folder is this host's own root, or a clean Debian that mmdebstrap made from
the mirror of this host's apt."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BOOT = Path(__file__).with_name("boot_root.sh")
PATIENCE_S = 60.0
_NAMESPACES = ("--mount", "--pid", "--uts", "--ipc")
# What a table needs from Debian beside its own package.
_INCLUDED = "python3,systemd,openssl"


class DebianRoot:
    def __init__(self, lower: Path) -> None:
        self.patience_s = PATIENCE_S * 3  # with one command inside
        self._folder = tempfile.mkdtemp(prefix="felt-root-")
        self._group = _own_group()
        enter = f"echo $$ >{self._group}/cgroup.procs; " if self._group else ""
        isolated = " ".join(["exec unshare", *_NAMESPACES, "--cgroup --fork --kill-child", 'sh "$@"'])
        self._outer = subprocess.Popen(
            ["sh", "-c", enter + isolated, "sh", str(BOOT), str(lower), self._folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._first = 0
        try:
            self._wait_until_booted()
        except BaseException:
            self.close()
            raise

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command inside as root. Standard error goes to standard output."""
        settings = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}
        enter = ["nsenter", "-t", str(self._first), *_NAMESPACES, "--root", "--wd"]
        return subprocess.run(
            [*enter, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**settings, **environment}, timeout=self.patience_s, check=False,
        )  # fmt: skip

    def good(self, *words: str, **environment: str) -> str:
        done = self.run(*words, **environment)
        assert done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def bad(self, *words: str, **environment: str) -> str:
        done = self.run(*words, **environment)
        assert done.returncode != 0, f"{' '.join(words)} was expected to fail:\n{done.stdout}"
        return done.stdout

    def path(self, inside: str) -> Path:
        """A file inside, as a path outside."""
        return Path(f"/proc/{self._first}/root") / inside.lstrip("/")

    def close(self) -> None:
        if self._first:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._first, signal.SIGKILL)  # its end ends all the others inside
        else:
            self._outer.kill()
        self._outer.communicate(timeout=PATIENCE_S)
        with contextlib.suppress(OSError):
            os.rmdir(self._folder)
        if self._group:
            _remove_group(self._group)

    def _wait_until_booted(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if self._outer.poll() is not None:
                _, said = self._outer.communicate()
                raise AssertionError(f"no Debian could be started in {self._folder}: {said}")
            children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children").read_text().split()
            if children and _is_systemd(int(children[0])):
                self._first = int(children[0])
                if self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"):
                    return
            time.sleep(0.05)
        raise AssertionError("systemd did not come up in time")


@contextlib.contextmanager
def debian_root(lower: Path) -> Iterator[DebianRoot]:
    root = DebianRoot(lower)
    try:
        yield root
    finally:
        root.close()


def may_be_started() -> bool:
    """Whether this user can have namespaces and mounts on this host."""
    words = ["unshare", *_NAMESPACES, "--cgroup", "--fork", "mount", "--make-rprivate", "/"]
    return os.geteuid() == 0 and subprocess.run(words, capture_output=True, check=False).returncode == 0


def clean_debian(suite: str) -> Path:
    """A minimal root of that Debian, made once and kept in the user's cache."""
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "felt" / "roots" / suite
    if not place.is_dir():
        assert shutil.which("mmdebstrap"), "mmdebstrap is missing: apt install mmdebstrap"
        place.parent.mkdir(parents=True, exist_ok=True)
        coming = Path(tempfile.mkdtemp(dir=place.parent)) / suite
        words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={_INCLUDED}", suite, str(coming), _mirror()]
        done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, f"mmdebstrap failed: {done.stderr[-2000:]}"
        coming.rename(place)
        coming.parent.rmdir()
    return place


def _mirror() -> str:
    """The mirror from which this host's apt gets Debian."""
    for file in (Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))):
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if found := re.search(r"(?m)^(?:deb (?:\[.*\] )?|URIs: *)(\S+/debian/?)(?:\s|$)", text):
            return found[1]
    raise AssertionError("no mirror of Debian in this host's own apt sources: add one, or run this on Debian")


def _is_systemd(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == "systemd"
    return False


def _own_group() -> Path | None:
    """A control group of its own, so that the systemd inside does not move this host's processes."""
    for hierarchy in (Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup")):
        if (hierarchy / "cgroup.procs").exists():
            return Path(tempfile.mkdtemp(prefix="felt-root-", dir=hierarchy))
    return None


def _remove_group(group: Path) -> None:
    deadline = time.monotonic() + 5
    while group.exists() and time.monotonic() < deadline:
        for folder, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        time.sleep(0.02)
