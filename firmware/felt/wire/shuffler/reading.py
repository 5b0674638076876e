"""The two readers of the shuffler protocol: one for the device's messages, one for the table's. They track message
numbers and recognise repetitions. They never answer: only the table may acknowledge a card, and only when the card is
durable.

Messages that must not get lost are numbered 1 to 65535, then 1 again. The device repeats each until it is acknowledged,
and only then sends the next. Number 0 marks a message that needs no answer. A device that starts draws a new session
number and says HELLO with it. If a device restarts without HELLO, its numbers collide with remembered ones: the reader
refuses such a message the first time and accepts its repetition, since the device would repeat it for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from felt.nouns.values import replace
from felt.wire.shuffler.frames import (
    UNNUMBERED,
    Frame,
    FrameCutter,
    FrameError,
    next_sequence,
    wire_error,
)
from felt.wire.shuffler.messages import (
    NUMBERED,
    CommandEvent,
    DeviceEvent,
    Hello,
    MessageKind,
    PayloadError,
    command_event,
    device_event,
)

REPEATS_REMEMBERED = 16  # numbered messages that are recognised as repetitions
_AGE_PLACE = slice(6, 8)  # position in the body of a card message; the age grows with every repetition


class ShufflerReader:
    """Reads the device's messages. Iterate, or call `next_event` until it returns None."""

    def __init__(self) -> None:
        self._cutter = FrameCutter()
        self._events: deque[DeviceEvent] = deque()
        self._session: int | None = None
        self._last_sequence: int | None = None
        self._contents: dict[int, bytes] = {}  # of the latest numbered messages, oldest first
        self._refused = b""  # the last content that reused a number with different bytes

    def receive(self, data: bytes) -> None:
        for frame in self._cutter.receive(data):
            if isinstance(frame, FrameError):
                self._events.append(frame)
            else:
                self._events.extend(self._read(frame))

    def next_event(self) -> DeviceEvent | None:
        return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[DeviceEvent]:
        while self._events:
            yield self._events.popleft()

    def _read(self, frame: Frame) -> Iterator[DeviceEvent]:
        content = _content(frame)
        repeat = self._contents.get(frame.sequence) == content
        try:
            event = device_event(frame, repeat)
        except PayloadError as error:
            yield wire_error(str(error), frame.body)
            return
        if isinstance(event, Hello) and event.session != self._session:
            self._begin_session(event.session)
            event = replace(event, repeat=False)
        elif frame.sequence in self._contents and not repeat:
            if content != self._refused:
                self._refused = content
                yield wire_error(f"number {frame.sequence} was reused for a different message", frame.body)
                return
            self._contents.clear()
        if frame.sequence != UNNUMBERED and not event_is_repeat(event):
            yield from self._missing_before(frame)
            self._remember(frame.sequence, content)
        yield event

    def _begin_session(self, session: int) -> None:
        self._session = session
        self._last_sequence = None
        self._contents.clear()

    def _missing_before(self, frame: Frame) -> Iterator[FrameError]:
        if self._last_sequence is None:
            return
        expected = next_sequence(self._last_sequence)
        if frame.sequence != expected:
            reason = f"number {frame.sequence} came instead of {expected}: messages are missing"
            yield wire_error(reason, frame.body)

    def _remember(self, sequence: int, content: bytes) -> None:
        self._last_sequence = sequence
        self._refused = b""
        self._contents[sequence] = content
        if len(self._contents) > REPEATS_REMEMBERED:
            del self._contents[next(iter(self._contents))]


def _content(frame: Frame) -> bytes:
    """The bytes that every repetition of a message has in common."""
    if frame.kind not in (MessageKind.CARD, MessageKind.PACKET):
        return frame.body
    return frame.body[: _AGE_PLACE.start] + frame.body[_AGE_PLACE.stop : -2]


def event_is_repeat(event: DeviceEvent) -> bool:
    return isinstance(event, NUMBERED) and event.repeat


class CommandReader:
    """Reads the table's messages."""

    def __init__(self) -> None:
        self._cutter = FrameCutter()
        self._events: deque[CommandEvent] = deque()

    def receive(self, data: bytes) -> None:
        self._events.extend(map(command_event, self._cutter.receive(data)))

    def next_event(self) -> CommandEvent | None:
        return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[CommandEvent]:
        while self._events:
            yield self._events.popleft()
