"""The interfaces to the outside world. `drivers/` implements them on a Raspberry Pi, `virtual/` on any host, and
both pass the same contract tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from felt.nouns.stamps import Stamp
from felt.nouns.values import Value


class BoardLine(Value):
    """One input line of a board: how accurate its stamps are, and how long it must be quiet before a level counts."""

    name: str  # a spot (3.progressive) or a key (key.no_more_bets)
    settle_ms: int
    kernel_stamped: bool  # False: stamped on arrival in user space
    late_ms_max: int  # how much later than the real edge a stamp can be


class Clock(Protocol):
    def stamp(self) -> Stamp: ...


class BoardUnavailable(Exception):
    """The board cannot be used. The message is one sentence for a technician."""


class Board(Protocol):
    """The pins. Edges go to `on_edge(line, level, mono_ns)` from any thread; the callback must return at once."""

    def lines(self) -> tuple[BoardLine, ...]: ...

    def start(self, on_edge: Callable[[str, bool, int], None]) -> None: ...

    def levels(self) -> Mapping[str, bool]: ...

    def show(self, lamps: Mapping[str, str]) -> None:
        """Sets each named lamp to a pattern. Lamps that are not named keep their pattern."""

    def lamps_found(self) -> Mapping[str, str]:
        """The latest verdict on each lamp with current feedback: good, open or short. Lamps without feedback, or not
        yet seen both lit and dark, are missing."""

    def alive(self) -> bool:
        """Whether its threads are running and responsive. A dead or hung thread is a reason to restart."""

    def problem(self) -> str:
        """What cannot be read or written, in one sentence; empty if everything answers. An unplugged expander is a
        fault, because a restart would not bring it back."""

    def close(self) -> None:
        """Leaves every output in its safe state."""


class Link(Protocol):
    """A byte stream to and from the shuffler. Bytes go to `on_bytes(data, mono_ns)` from any thread; connection
    changes go to `on_state`."""

    def start(self, on_bytes: Callable[[bytes, int], None], on_state: Callable[[bool], None]) -> None: ...

    def send(self, data: bytes) -> None:
        """Sends without waiting for the device, best effort. The owner of the codec repeats what is not
        acknowledged."""

    def unread(self) -> bool:
        """Whether the device has read nothing for some seconds although bytes wait for it."""

    def alive(self) -> bool:
        """Whether its threads are running and responsive, with or without a device."""

    def close(self) -> None: ...


class Post(Protocol):
    """Sends letters to the jackpot controller and receives its answers. Nothing here is durable: the table keeps
    every letter until its answer is in the journal."""

    def start(self, on_answer: Callable[[bytes], None]) -> None: ...

    def send(self, letter: bytes) -> None: ...

    def meters(self) -> Mapping[str, int]:
        """The displayed value of each meter in micro-units, as last heard. It is for eyes; nothing is paid by it."""

    def sign_problem(self) -> str:
        """Where the sign has differed from the controller's answers for a while. Empty: nowhere."""

    def problem(self) -> str:
        """What prevents this end from sending or answering, in one sentence; empty if nothing does."""

    def intruder(self) -> str:
        """A short count of messages that the controller did not send; its text changes with each new message. Empty:
        none."""

    def alive(self) -> bool: ...

    def close(self) -> None: ...


class LinkUnavailable(Exception):
    """A link cannot start: its certificates, socket or port cannot be used. The message is one sentence."""


class Broker(Protocol):
    """Carries messages between tables and the jackpot controller, by topic. It may lose, delay and repeat them, and
    be gone for hours. Its users resend what matters and trust only sealed messages."""

    def start(
        self, topics: Sequence[str], on_message: Callable[[str, bytes], None], on_state: Callable[[bool], None]
    ) -> None:
        """Messages of these topics go to `on_message(topic, content)`, connection changes to `on_state`, from any
        thread; both must return at once. An absent broker is retried until it is there."""

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        """Best effort: dropped without a connection."""

    def alive(self) -> bool:
        """Whether its receiving part is running, connected or not."""

    def close(self) -> None:
        """Disconnects in good order and publishes the last will."""


class DiskError(OSError):
    """The disk refused an operation. A failed sync is never retried."""


def refuse_path(name: str) -> None:
    """A disk is one flat folder."""
    if not name or "/" in name or name.startswith("."):
        raise ValueError(f"{name!r} cannot be the name of a file in the folder")


class Disk(Protocol):
    """One flat folder of files that belongs to the table alone."""

    def names(self) -> tuple[str, ...]: ...

    def read(self, name: str) -> bytes: ...

    def beginning(self, name: str, size: int) -> bytes:
        """The first `size` bytes, or the whole file if it is shorter."""

    def append(self, name: str, data: bytes) -> None:
        """Appends to the file and creates it if needed. Not durable before `sync`."""

    def sync(self, name: str) -> None:
        """Makes the file's content and its name durable."""

    def truncate(self, name: str, size: int) -> None:
        """Cuts the file to `size` bytes, durably."""

    def replace(self, name: str, data: bytes) -> None:
        """Replaces the whole content, durably and atomically."""

    def remove(self, name: str) -> None: ...

    def free_bytes(self) -> int: ...

    def close(self) -> None: ...


class Watchdog(Protocol):
    def ready(self) -> None: ...

    def pat(self) -> None: ...

    def stopping(self) -> None: ...
