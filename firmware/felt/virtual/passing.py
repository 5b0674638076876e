"""Wrappers around a Post and a Disk that forward every call. Subclasses override what they listen to, block or slow
down."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from felt.ports import Disk, Post


class PassingPost:
    """Implements `ports.Post`."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._post.start(on_answer)

    def send(self, letter: bytes) -> None:
        self._post.send(letter)

    def meters(self) -> Mapping[str, int]:
        return self._post.meters()

    def sign_problem(self) -> str:
        return self._post.sign_problem()

    def problem(self) -> str:
        return self._post.problem()

    def intruder(self) -> str:
        return self._post.intruder()

    def alive(self) -> bool:
        return self._post.alive()

    def close(self) -> None:
        self._post.close()


class CuttablePost(PassingPost):
    """A Post whose line can be cut: letters and answers are then lost silently."""

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self.is_cut = False

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._post.start(lambda answer: None if self.is_cut else on_answer(answer))

    def send(self, letter: bytes) -> None:
        if not self.is_cut:
            self._post.send(letter)


class SlowDisk:
    """Implements `ports.Disk`. Every sync takes longer by a fixed time."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.pause_s = 0.0

    def names(self) -> tuple[str, ...]:
        return self._disk.names()

    def read(self, name: str) -> bytes:
        return self._disk.read(name)

    def beginning(self, name: str, size: int) -> bytes:
        return self._disk.beginning(name, size)

    def append(self, name: str, data: bytes) -> None:
        self._disk.append(name, data)

    def sync(self, name: str) -> None:
        if self.pause_s:
            time.sleep(self.pause_s)
        self._disk.sync(name)

    def truncate(self, name: str, size: int) -> None:
        self._disk.truncate(name, size)

    def replace(self, name: str, data: bytes) -> None:
        self._disk.replace(name, data)

    def remove(self, name: str) -> None:
        self._disk.remove(name)

    def free_bytes(self) -> int:
        return self._disk.free_bytes()

    def close(self) -> None:
        self._disk.close()
