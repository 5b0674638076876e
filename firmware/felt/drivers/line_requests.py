"""Requests for lines of a GPIO chip: version 2 of the kernel's interface to its GPIO character devices, as
linux/gpio.h describes it. A request is a file descriptor that holds one line until it is closed. The kernel stamps
each edge itself, on the monotonic clock. This module does not know pins or what a line is for."""

from __future__ import annotations

import errno
import fcntl
import os
import struct

from felt.nouns.values import Value

SINCE_KERNEL = (5, 10)  # the first kernel with this version of the interface

# struct gpio_v2_line_request: 64 offsets, consumer, config (flags, number of attributes, padding, 10 attributes with
# their masks), number of lines, event buffer size, padding, file descriptor.
_REQUEST = struct.Struct("=64I32s" + "QI20x" + "II8sQ" * 10 + "II20xi")
_VALUES = struct.Struct("=QQ")  # struct gpio_v2_line_values: bits, mask
_EVENT = struct.Struct("=QIIII24x")  # struct gpio_v2_line_event: stamp, id, offset, sequence numbers
_LINE_INFO = struct.Struct("=32s32sII" + "Q" + "16s" * 10 + "16x")  # struct gpio_v2_line_info

_GET_LINE_INFO = 0xC100B405
_GET_LINE = 0xC250B407
_GET_VALUES = 0xC010B40E
_SET_VALUES = 0xC010B40F

_INPUT, _OUTPUT = 1 << 2, 1 << 3
_BOTH_EDGES = 1 << 4 | 1 << 5
_PULLS = {"up": 1 << 8, "down": 1 << 9, "floating": 1 << 10}
_OUTPUT_VALUES = 2  # the attribute that holds the level an output starts with
_RISING = 1

# The kernel keeps this many edges of a line for a process that is busy, and then drops the oldest. Its own default of
# 16 is less than one bouncing contact can make.
EVENTS_KEPT = 1024
EVENTS_AT_ONCE = 64
EVENT_BYTES = _EVENT.size
CONSUMER = "felt"  # the name that gpioinfo shows


class LineEdge(Value):
    ns: int  # when, on the monotonic clock
    level: bool  # high after a rising edge


def request_input(chip: int, line: int, pull: str, *, edges: bool) -> int:
    """The file descriptor of an input. With `edges` it becomes readable at each change. Raises OSError, and KeyError
    for a pull that does not exist."""
    flags = _INPUT | _PULLS[pull] | (_BOTH_EDGES if edges else 0)
    return _request(chip, line, flags, [], EVENTS_KEPT if edges else 0)


def request_output(chip: int, line: int, level: bool) -> int:
    """The file descriptor of an output that has this level from its first instant. Raises OSError."""
    return _request(chip, line, _OUTPUT, [_OUTPUT_VALUES, 0, struct.pack("=Q", level), 1], 0)


def _request(chip: int, line: int, flags: int, attribute: list[int | bytes], events: int) -> int:
    attributes = [*attribute, *[0, 0, b"", 0] * 10][:40]
    offsets = [line, *[0] * 63]
    packed = _REQUEST.pack(*offsets, CONSUMER.encode(), flags, 1 if attribute else 0, *attributes, 1, events, 0)
    answer = bytearray(packed)
    fcntl.ioctl(chip, _GET_LINE, answer)
    request: int = _REQUEST.unpack(answer)[-1]
    os.set_blocking(request, False)
    return request


def read_level(request: int) -> bool:
    """Raises OSError: ENODEV after the chip went away."""
    answer = bytearray(_VALUES.pack(0, 1))
    fcntl.ioctl(request, _GET_VALUES, answer)
    bits, _ = _VALUES.unpack(answer)
    return bool(bits & 1)


def write_level(request: int, level: bool) -> None:
    fcntl.ioctl(request, _SET_VALUES, bytearray(_VALUES.pack(level, 1)))


def read_edges(request: int) -> list[LineEdge]:
    """The edges that wait, the oldest first; none if none waits. Raises OSError."""
    try:
        read = os.read(request, EVENT_BYTES * EVENTS_AT_ONCE)
    except BlockingIOError:
        return []
    return [LineEdge(ns, kind == _RISING) for ns, kind, _, _, _ in _EVENT.iter_unpack(read)]


def consumer_of(chip: int, line: int) -> str:
    """The program or driver that holds the line; empty if nobody does. Raises OSError."""
    packed = _LINE_INFO.pack(b"", b"", line, 0, 0, *[b""] * 10)
    answer = bytearray(packed)
    fcntl.ioctl(chip, _GET_LINE_INFO, answer)
    consumer: bytes = _LINE_INFO.unpack(answer)[1]
    return consumer.rstrip(b"\0").decode(errors="replace")


def is_held(error: OSError) -> bool:
    return error.errno == errno.EBUSY
