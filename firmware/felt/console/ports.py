"""What the console needs from outside, as protocols: the desk of a running table, and the archive on its disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

Words = dict[str, Any]


class Gone(Exception):
    """The desk does not answer. The message is one sentence."""


class DeskPort(Protocol):
    def ask(self, words: Words) -> Words:
        """One request and its answer. Raises `Gone` if nobody answers."""

    def close(self) -> None: ...


class Archive(Protocol):
    """What can be read from the disk, whether the table runs or not. Cards are shown as far as the role allows."""

    def rounds(self, last: int, role: str) -> Iterable[str]: ...

    def round(self, number: int, role: str) -> Iterable[str]: ...

    def hits(self, last: int) -> Iterable[str]: ...

    def tail(self, last: int, role: str) -> Iterable[str]: ...

    def export(self, last: int, role: str) -> Iterable[str]: ...

    def configuration(self) -> Iterable[str]: ...

    def versions(self) -> Iterable[str]: ...

    def free_bytes(self) -> int: ...

    def has_people(self) -> bool:
        """Whether the people file lists anybody."""

    def role_of(self, name: str, pin: str) -> str:
        """The role of the person with this PIN, from the people file; empty if name or PIN is wrong."""


OpenDesk = Callable[[], DeskPort]  # raises Gone
