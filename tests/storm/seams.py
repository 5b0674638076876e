"""All that the checkers of a storm ask of what they check. A table in virtual time and one that is a real process both
answer; so one set of checkers judges both."""

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

# Mutable members are properties here: whoever fills a seam may know them more exactly.


class KeptDisk(Protocol):
    def durable(self, name: str) -> bytes:
        """What a file is known to keep whatever happens; nothing where it is not there."""


class Dealt(Protocol):
    """A shuffler that remembers what it did."""

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
        """Of the table itself, which has not copied anything."""


class Following(Protocol):
    """The meters of a link, counted a second time."""

    @property
    def purses(self) -> Mapping[str, Purse]: ...

    @property
    def met(self) -> Mapping[tuple[str, str], Collection[tuple[str, str]]]:
        """Of each claim with a value, by table and name, which ones were open when it got it."""


class Truthful(Protocol):
    @property
    def truths(self) -> Mapping[str, int]:
        """Of each claim, when the last card of its hand truly left."""


class Entries(Protocol):
    def entries(self, code: Code | None = None) -> Iterator[Entry]: ...


class Remembered(Protocol):
    @property
    def memory(self) -> Entries: ...


class Watched(Protocol):
    """A house whose jackpot office is looked at."""

    @property
    def links(self) -> Mapping[str, Following]: ...

    @property
    def books(self) -> Remembered: ...

    @property
    def controller(self) -> Controller | None:
        """Where its clock can be compared with true time."""

    def table_named(self, name: str) -> Any: ...

    def checkers_of(self, place: Any) -> Truthful: ...
