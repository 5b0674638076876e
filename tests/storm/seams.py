"""The interface between the storm's checkers and what they check. A table in virtual time and a table in a real process
both implement it, so the same checkers judge both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from felt.config import Config
from felt.jackpot.books.accounts import Code, Entry
from felt.nouns.cards import Card
from tests.storm.purse import Purse

if TYPE_CHECKING:
    from tests.storm.controller import Controller

# Properties, so that an implementation may use a narrower type.


class KeptDisk(Protocol):
    def durable(self, name: str) -> bytes:
        """The durable content of a file; empty if the file does not exist."""


class Dealt(Protocol):
    """A shuffler that remembers what it dealt."""

    @property
    def dealt(self) -> Counter[Card]: ...

    @property
    def acknowledged(self) -> int: ...


class Listener(Protocol):
    @property
    def story(self) -> list[str] | None: ...

    def note(self, text: str) -> None: ...

    def remark(self, text: str, place: Any = None) -> None: ...


class Copied(Protocol):
    """A table whose journal is copied."""

    @property
    def disk(self) -> KeptDisk: ...

    @property
    def device(self) -> Dealt: ...

    @property
    def house(self) -> Listener: ...

    @property
    def config(self) -> Config: ...

    @property
    def replied(self) -> Mapping[str, int]: ...

    def live_digest(self) -> str:
        """The events of the table itself, which copies nothing."""


class Following(Protocol):
    """The second count of a link's meters."""

    @property
    def purses(self) -> Mapping[str, Purse]: ...

    @property
    def met(self) -> Mapping[tuple[str, str], Collection[tuple[str, str]]]:
        """For each valued claim, by table and name: the claims that were open when it was valued."""


class Truthful(Protocol):
    @property
    def truths(self) -> Mapping[str, int]:
        """For each claim: when the last card of its hand truly left."""


class Entries(Protocol):
    def entries(self, code: Code | None = None) -> Iterator[Entry]: ...


class Remembered(Protocol):
    @property
    def memory(self) -> Entries: ...


class Watched(Protocol):
    """A house whose jackpot office is checked."""

    @property
    def links(self) -> Mapping[str, Following]: ...

    @property
    def books(self) -> Remembered: ...

    @property
    def controller(self) -> Controller | None:
        """A controller whose clock can be compared with true time."""

    def table_named(self, name: str) -> Any: ...

    def checkers_of(self, place: Any) -> Truthful: ...
