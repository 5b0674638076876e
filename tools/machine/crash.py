"""What a disk holds at any moment at which the power could have failed. QEMU logs every write and every flush of a run
(blklogwrites). A disk may lose whatever was written after its last flush. So the log is replayed up to a flush, the
file system is recovered as a boot would, and the journal on it is read. This module knows no rules of the game."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from felt.drivers.disk import FolderDisk
from felt.evidence.audit_result import Audit
from felt.evidence.retelling import Retelling, RetoldStep
from felt.host.audit import audit_journal
from felt.journal.reading import read_records
from tools.machine.image import MachineError, run

SECTOR = 512
_SUPER = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")  # sector, sectors, flags, length of data
_MAGIC = 0x6A736677736872
_FLUSH, _DISCARD = 1, 4
_STATE = "/var/lib/felt"


def logged(disk: Path, log: Path) -> list[str]:
    """QEMU's options for the disk as the machine's first drive, with a log of its writes."""
    log.write_bytes(b"")
    return [
        "-blockdev", f"driver=file,filename={disk},node-name=plain",
        "-blockdev", f"driver=file,filename={log},node-name=log",
        "-blockdev", f"driver=blklogwrites,node-name=logged,file=plain,log=log,log-sector-size={SECTOR}",
        "-device", "virtio-blk-pci,drive=logged",
    ]  # fmt: skip


class Entry(NamedTuple):
    end: int  # where the entry ends in the log
    is_flush: bool
    is_discard: bool
    place: int  # on the disk
    length: int
    data: int  # where its data begin in the log


def entries(log: Path) -> Iterator[Entry]:
    """Every whole entry of the log."""
    size = log.stat().st_size
    with log.open("rb") as file:
        magic, _, _, sector = _SUPER.unpack(file.read(_SUPER.size))
        if (magic, sector) != (_MAGIC, SECTOR):
            raise MachineError(f"{log} is no log of writes")
        place = SECTOR
        while place + SECTOR <= size:
            file.seek(place)
            at, count, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
            is_discard = bool(flags & _DISCARD)
            data, length = place + SECTOR, count * SECTOR
            place = data + (0 if is_discard else length)
            if place <= size:
                yield Entry(place, bool(flags & _FLUSH), is_discard, at * SECTOR, length, data)


class Replayed:
    """A disk that goes on from flush to flush."""

    def __init__(self, disk: Path, log: Path) -> None:
        """`disk` is as it was when the log began, and will be changed."""
        self._disk = disk
        self._log = log
        self._entries = entries(log)

    def go_to(self, flush_end: int) -> None:
        """Applies everything up to the flush that ends there."""
        with self._disk.open("r+b") as disk, self._log.open("rb") as log:
            for entry in self._entries:
                if entry.length and not entry.is_discard:
                    log.seek(entry.data)
                    disk.seek(entry.place)
                    disk.write(log.read(entry.length))
                if entry.end >= flush_end:
                    return


class Found:
    """The journal that a boot would find, and its content."""

    def __init__(self, folder: Path) -> None:
        disk = FolderDisk(folder)
        self.audit: Audit = audit_journal(disk, "the machine's", 0)
        self.steps: list[RetoldStep] = list(Retelling().steps(read_records(disk)))
        self.letters = {
            mail.sequence: (mail.kind, mail.body) for step in self.steps for mail in step.after.post.unanswered
        }

    @property
    def last(self) -> int:
        return self.steps[-1].seq if self.steps else 0


def journal_on(disk: Path, work: Path) -> Path:
    """Recovers a copy of the file system, as a boot would, and takes the journal from it. Raises MachineError if the
    file system cannot be recovered."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    copy = work / "disk.img"
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", str(disk), str(copy)], check=True)
    done = subprocess.run(["e2fsck", "-fy", str(copy)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: it was repaired
        raise MachineError(f"e2fsck ended with {done.returncode}: {done.stdout[-500:]}")
    run("debugfs", "-R", f"rdump {_STATE}/journal {work}", copy)
    copy.unlink()
    if not (work / "journal").is_dir():
        raise MachineError("there is no journal on the disk")
    return work / "journal"
