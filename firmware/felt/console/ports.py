"""What the console needs of the world, as shapes: the desk of a running table, and what lies on its disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

Words = dict[str, Any]


class Gone(Exception):
    """Nobody answers at the desk. One sentence."""


class Desk(Protocol):
    def ask(self, words: Words) -> Words:
        """One request and its answer. A `Gone` when there is nobody."""

    def close(self) -> None: ...


class Archive(Protocol):
    """What can be read from the disk, whether the table runs or not. It tells of cards what the role may see."""

    def rounds(self, last: int, role: str) -> Iterable[str]: ...

    def round(self, number: int, role: str) -> Iterable[str]: ...

    def hits(self, last: int) -> Iterable[str]: ...

    def tail(self, last: int, role: str) -> Iterable[str]: ...

    def export(self, last: int, role: str) -> Iterable[str]: ...

    def configuration(self) -> Iterable[str]: ...

    def versions(self) -> Iterable[str]: ...

    def free_bytes(self) -> int: ...

    def has_people(self) -> bool:
        """Whether the file of people lists anybody."""

    def role_of(self, name: str, pin: str) -> str:
        """The role of a person whose PIN this is, from the file of people; empty for anybody else."""


OpenDesk = Callable[[], Desk]  # raises Gone
