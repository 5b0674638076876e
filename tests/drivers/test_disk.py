"""What only a real folder can show: modes, the lock, and the operating system's refusals as sentences."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.drivers.disk import FolderDisk
from felt.ports import DiskError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def disk(folder: Path) -> Iterator[FolderDisk]:
    made = FolderDisk(folder)
    yield made
    made.close()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_and_folder_are_for_their_owner_alone(disk: FolderDisk, folder: Path) -> None:
    disk.append("appended", b"x")
    disk.replace("replaced", b"x")
    assert mode_of(folder) == 0o700
    assert {mode_of(path) for path in folder.iterdir()} == {0o600}


def test_a_folder_that_is_too_open_is_closed(folder: Path) -> None:
    folder.mkdir(mode=0o755)
    FolderDisk(folder).close()
    assert mode_of(folder) == 0o700


def test_the_content_is_there_for_the_next_process(disk: FolderDisk, folder: Path) -> None:
    disk.append("a", b"one")
    disk.sync("a")
    disk.close()
    again = FolderDisk(folder)
    assert again.read("a") == b"one"
    again.close()


def test_a_second_opener_is_refused_with_a_sentence(disk: FolderDisk, folder: Path) -> None:
    with pytest.raises(DiskError, match="in use by another process"):
        FolderDisk(folder)


def test_the_folder_is_free_again_when_its_process_dies(folder: Path) -> None:
    script = "import sys, felt.drivers.disk as d; x = d.FolderDisk(sys.argv[1]); print('held', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DiskError, match="in use"):
            FolderDisk(folder)
        holder.kill()
        holder.wait()
    FolderDisk(folder).close()


def test_a_reader_shares_the_folder_and_writes_nothing(disk: FolderDisk, folder: Path) -> None:
    disk.append("a", b"one")
    reader = FolderDisk(folder, read_only=True)
    assert reader.read("a") == b"one"
    with pytest.raises(DiskError, match="reading only"):
        reader.append("a", b"x")
    with pytest.raises(DiskError, match="reading only"):
        reader.replace("a", b"x")
    with pytest.raises(DiskError, match="reading only"):
        reader.remove("a")
    assert disk.read("a") == b"one"
    reader.close()


def test_a_reader_does_not_create_a_folder(folder: Path) -> None:
    with pytest.raises(DiskError, match="it does not exist"):
        FolderDisk(folder, read_only=True)
    assert not folder.exists()


def test_an_unfinished_replacement_is_cleared_away(disk: FolderDisk, folder: Path) -> None:
    disk.append("a", b"one")
    disk.close()
    (folder / ".a.new").write_bytes(b"half")
    again = FolderDisk(folder)
    assert again.names() == ("a",)
    assert not (folder / ".a.new").exists()
    again.close()


def test_a_symbolic_link_is_not_followed(disk: FolderDisk, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (folder / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DiskError, match="cannot write a in"):
        disk.append("a", b"x")
    assert (tmp_path / "elsewhere").read_bytes() == b""


def test_a_file_where_the_folder_should_be_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "journal").write_bytes(b"")
    with pytest.raises(DiskError, match=r"cannot open .*journal"):
        FolderDisk(tmp_path / "journal")


def test_descriptors_of_old_segments_do_not_pile_up(disk: FolderDisk) -> None:
    def open_now() -> int:
        return len(os.listdir("/proc/self/fd"))

    disk.append("first", b"x")
    disk.sync("first")
    before = open_now()
    for number in range(50):
        disk.append(f"segment-{number}", b"x")
        disk.sync(f"segment-{number}")
    assert open_now() == before


def test_a_write_beyond_the_limit_is_a_refusal_and_not_a_crash(disk: FolderDisk) -> None:
    """A file size limit makes the kernel take a part of the write and refuse the rest, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        with pytest.raises(DiskError, match="cannot write a in"):
            disk.append("a", b"x" * 1500)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert disk.read("a") == b"x" * 1000


def test_a_full_disk_is_named_as_full(disk: FolderDisk) -> None:
    """The file's descriptor is replaced by /dev/full, the one device that is always full."""
    disk.append("a", b"")
    with open("/dev/full", "wb") as full:
        os.dup2(full.fileno(), disk._appending["a"].fd)
    with pytest.raises(DiskError, match="the disk is full; free space"):
        disk.append("a", b"x")
