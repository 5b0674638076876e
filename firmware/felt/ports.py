"""The only shapes of the outside world. `drivers/` fills them on a Raspberry Pi, `virtual/` on any host,
and both pass the same contract tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from felt.nouns.stamps import Stamp
from felt.nouns.values import Value


class Line(Value):
    """One input line of a board: how honest its stamps are and how long it must be quiet to be believed."""

    name: str  # a spot (3.progressive) or a key (key.no_more_bets)
    settle_ms: int
    kernel_stamped: bool  # False: stamped on arrival in user space
    late_ms_max: int  # how much later than the real edge a stamp can be


class Clock(Protocol):
    def stamp(self) -> Stamp: ...


class BoardUnavailable(Exception):
    """The board cannot be had. The text is one sentence for a technician."""


class Board(Protocol):
    """Pins. Edges go to `on_edge(line, level, mono_ns)` from any thread, which must return at once."""

    def lines(self) -> tuple[Line, ...]: ...

    def start(self, on_edge: Callable[[str, bool, int], None]) -> None: ...

    def levels(self) -> Mapping[str, bool]: ...

    def show(self, lamps: Mapping[str, str]) -> None:
        """Set each named lamp to a pattern. Lamps that are not named keep theirs."""

    def lamps_found(self) -> Mapping[str, str]:
        """Where a lamp's current is fed back: good, open or short, as last judged. Lamps without feedback, and those
        that have not been seen lit and dark yet, are not in it."""

    def alive(self) -> bool:
        """Whether its threads are at work and respond. One that died or hangs is a reason to start again."""

    def problem(self) -> str:
        """What of it cannot be written or read, in one sentence; empty while all of it answers. An expander that was
        unplugged is a fault, and starting again would not bring it back."""

    def close(self) -> None:
        """Leave every output in its safe state."""


class Link(Protocol):
    """A byte stream with the shuffler. Bytes go to `on_bytes(data, mono_ns)` from any thread; a change
    between connected and not goes to `on_state`."""

    def start(self, on_bytes: Callable[[bytes, int], None], on_state: Callable[[bool], None]) -> None: ...

    def send(self, data: bytes) -> None:
        """Best effort, and at once: the device is not waited for. What is not acknowledged is sent again by the codec's
        owner."""

    def unread(self) -> bool:
        """Whether the device has taken nothing of what was sent for some seconds."""

    def alive(self) -> bool:
        """Whether its threads are at work and respond, with a device at the other end or without."""

    def close(self) -> None: ...


class Post(Protocol):
    """Letters to the jackpot controller and its answers. Nothing here is durable: the table keeps every
    letter until its answer is in the journal."""

    def start(self, on_answer: Callable[[bytes], None]) -> None: ...

    def send(self, letter: bytes) -> None: ...

    def meters(self) -> Mapping[str, int]:
        """The displayed value of each meter in micro-units, as last heard."""

    def problem(self) -> str:
        """What keeps this end from answering or sending, in one sentence; empty while it can do its part."""

    def intruder(self) -> str:
        """What came that is not the controller's, counted, in few words that change when more comes; empty: nothing."""

    def alive(self) -> bool: ...

    def close(self) -> None: ...


class LinkUnavailable(Exception):
    """A link cannot even begin: its certificates, its socket or its port cannot be used. One sentence."""


class Broker(Protocol):
    """A carrier of messages between tables and the jackpot controller, by topic. It may lose, delay and repeat them,
    and be gone for hours; whoever uses it resends what matters and believes only what is sealed."""

    def start(
        self, topics: Sequence[str], on_message: Callable[[str, bytes], None], on_state: Callable[[bool], None]
    ) -> None:
        """Messages of these topics go to `on_message(topic, content)`, a change between connected and not to
        `on_state`, from any thread; both must return at once. A broker that is not there yet is waited for."""

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        """Best effort: without a connection it is dropped."""

    def alive(self) -> bool:
        """Whether the part of it that listens is still at work, connected or not."""

    def close(self) -> None:
        """Leave in good order: the last will is said, not left to be found."""


class DiskError(OSError):
    """The disk refused. A failed sync is never retried."""


class Disk(Protocol):
    """One flat folder of files that belong to the table alone."""

    def names(self) -> tuple[str, ...]: ...

    def read(self, name: str) -> bytes: ...

    def beginning(self, name: str, size: int) -> bytes:
        """The first `size` bytes, or fewer where there are no more."""

    def append(self, name: str, data: bytes) -> None:
        """Add to the end, creating the file when it is not there. Not durable before `sync`."""

    def sync(self, name: str) -> None:
        """Make the file's content and its name durable."""

    def truncate(self, name: str, size: int) -> None:
        """Cut to `size` bytes, durably."""

    def replace(self, name: str, data: bytes) -> None:
        """Put a whole new content in place of the old, durably and all or nothing."""

    def remove(self, name: str) -> None: ...

    def free_bytes(self) -> int: ...

    def close(self) -> None: ...


class Watchdog(Protocol):
    def ready(self) -> None: ...

    def pat(self) -> None: ...

    def stopping(self) -> None: ...
