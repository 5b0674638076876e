"""The Disk port on a real folder. It uses the operating system's own calls, because convenient wrappers hide
durability. Does not know what the files mean."""

from __future__ import annotations

import errno
import fcntl
import os
from dataclasses import dataclass

from felt.ports import DiskError, refuse_path

_FILE_MODE = 0o600  # the files hold live cards
_FOLDER_MODE = 0o700
_LOCK_NAME = ".lock"
_UNFINISHED = ".new"

_CAUSES = {
    errno.ENOSPC: "the disk is full; free space or replace it",
    errno.EDQUOT: "the quota is used up; free space",
    errno.EROFS: "the file system is mounted read-only; check the disk, then mount it for writing",
    errno.EACCES: "permission is denied; the folder must belong to the user that runs felt",
    errno.EPERM: "permission is denied; the folder must belong to the user that runs felt",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it is not a folder",
    errno.EIO: "the hardware reported an error; replace the disk",
}


@dataclass(slots=True)
class _Appending:
    fd: int
    is_dirty: bool = False
    # False until the first sync: a crash may have come between creating the file and syncing the folder.
    has_durable_name: bool = False


class FolderDisk:
    """One folder for one process. With `read_only` it takes no lock, changes nothing and may share the folder."""

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self._path = os.fspath(path)
        self._read_only = read_only
        self._appending: dict[str, _Appending] = {}
        self._lock_fd = self._folder_fd = -1
        try:
            if not read_only:
                _make_folder(self._path)
            self._folder_fd = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._refusal("open", self._path, error) from error
        if not read_only:
            try:
                self._take()
            except BaseException:
                self.close()
                raise

    def names(self) -> tuple[str, ...]:
        try:
            return tuple(sorted(name for name in os.listdir(self._folder_fd) if not name.startswith(".")))
        except OSError as error:
            raise self._refusal("list", self._path, error) from error

    def read(self, name: str) -> bytes:
        return self.beginning(name, -1)

    def beginning(self, name: str, size: int) -> bytes:
        refuse_path(name)
        try:
            fd = self._open(name, os.O_RDONLY)
            with open(fd, "rb") as file:
                return file.read(size)
        except OSError as error:
            raise self._refusal("read", name, error) from error

    def append(self, name: str, data: bytes) -> None:
        try:
            file = self._appending.get(name) or self._begin_appending(name, os.O_CREAT)
            file.is_dirty = True
            _write_all(file.fd, data)
        except OSError as error:
            raise self._refusal("write", name, error) from error

    def sync(self, name: str) -> None:
        try:
            file = self._appending.get(name) or self._begin_appending(name)
            os.fdatasync(file.fd)
            if not file.has_durable_name:
                self._make_name_durable(file)
        except OSError as error:
            raise self._refusal("sync", name, error) from error
        file.is_dirty = False

    def truncate(self, name: str, size: int) -> None:
        try:
            file = self._appending.get(name) or self._begin_appending(name)
            present = os.fstat(file.fd).st_size
            if not 0 <= size <= present:
                raise ValueError(f"{name} has {present} bytes and cannot be cut to {size}")
            os.ftruncate(file.fd, size)
            os.fsync(file.fd)
            self._make_name_durable(file)
        except OSError as error:
            raise self._refusal("cut", name, error) from error
        file.is_dirty = False

    def replace(self, name: str, data: bytes) -> None:
        self._refuse_writing(name)
        unfinished = f".{name}{_UNFINISHED}"
        try:
            fd = self._open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            try:
                _write_all(fd, data)
                os.fsync(fd)
            finally:
                os.close(fd)
            os.rename(unfinished, name, src_dir_fd=self._folder_fd, dst_dir_fd=self._folder_fd)
            self._forget(name)  # its descriptor still points to the old content
            os.fsync(self._folder_fd)
        except OSError as error:
            raise self._refusal("replace", name, error) from error

    def remove(self, name: str) -> None:
        self._refuse_writing(name)
        self._forget(name)
        try:
            os.unlink(name, dir_fd=self._folder_fd)
            os.fsync(self._folder_fd)
        except OSError as error:
            raise self._refusal("remove", name, error) from error

    def free_bytes(self) -> int:
        try:
            room = os.fstatvfs(self._folder_fd)
        except OSError as error:
            raise self._refusal("measure", self._path, error) from error
        return room.f_bavail * room.f_frsize

    def close(self) -> None:
        """Releases the folder. Closing makes nothing durable; a second call has no effect."""
        for name in tuple(self._appending):
            self._forget(name)
        for fd in (self._lock_fd, self._folder_fd):
            if fd >= 0:
                os.close(fd)
        self._lock_fd = self._folder_fd = -1

    def _take(self) -> None:
        try:
            self._lock_fd = self._open(_LOCK_NAME, os.O_RDWR | os.O_CREAT)
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in os.listdir(self._folder_fd):
                if name.startswith(".") and name.endswith(_UNFINISHED):  # a replacement that never completed
                    os.unlink(name, dir_fd=self._folder_fd)
        except BlockingIOError as error:
            raise DiskError(
                f"{self._path} is in use by another process; stop that one first, or give this one another folder"
            ) from error
        except OSError as error:
            raise self._refusal("lock", self._path, error) from error

    def _open(self, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE_MODE, dir_fd=self._folder_fd)

    def _begin_appending(self, name: str, create: int = 0) -> _Appending:
        self._refuse_writing(name)
        for other in [other for other, file in self._appending.items() if not file.is_dirty]:
            self._forget(other)  # a journal writes one segment at a time; close the descriptors of the old ones
        file = self._appending[name] = _Appending(self._open(name, os.O_WRONLY | os.O_APPEND | create))
        return file

    def _make_name_durable(self, file: _Appending) -> None:
        os.fsync(self._folder_fd)
        file.has_durable_name = True

    def _forget(self, name: str) -> None:
        file = self._appending.pop(name, None)
        if file is not None:
            os.close(file.fd)

    def _refuse_writing(self, name: str) -> None:
        refuse_path(name)
        if self._read_only:
            raise DiskError(f"{name} cannot be written: {self._path} was opened for reading only")

    def _refusal(self, verb: str, name: str, error: OSError) -> DiskError:
        if isinstance(error, DiskError):
            return error
        cause = _CAUSES.get(error.errno or 0, error.strerror or str(error))
        where = "" if name == self._path else f" in {self._path}"
        return DiskError(f"cannot {verb} {name}{where}: {cause}")


def _make_folder(path: str) -> None:
    if not os.path.isdir(path):
        os.makedirs(path, _FOLDER_MODE, exist_ok=True)
        parent = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    if os.stat(path).st_mode & 0o077:
        os.chmod(path, _FOLDER_MODE)


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    while written < len(data):  # a disk that fills up may accept only a part
        written += os.write(fd, data[written:])
