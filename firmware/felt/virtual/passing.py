"""A post around another post: it passes everything on. Whoever listens in or stands in the way changes what it must."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from felt.ports import Post


class PassingPost:
    """Fills `ports.Post`."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._post.start(on_answer)

    def send(self, letter: bytes) -> None:
        self._post.send(letter)

    def meters(self) -> Mapping[str, int]:
        return self._post.meters()

    def problem(self) -> str:
        return self._post.problem()

    def intruder(self) -> str:
        return self._post.intruder()

    def alive(self) -> bool:
        return self._post.alive()

    def close(self) -> None:
        self._post.close()
