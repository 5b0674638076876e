"""The kernel's side of GPIO character devices, as far as it can be simulated without one. It reads and fills the
structures of linux/gpio.h, described here a second time with ctypes, and returns pipes as requests, so that polling,
reading and hanging up are real. The machine (tests/machine) shows what a real kernel does."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from felt.drivers import chips, gpiochip
from felt.drivers.chips import ChipInfo

IOWR, GPIO = 3 << 30, 0xB4 << 8
INPUT, OUTPUT, RISING, FALLING, PULL_UP, PULL_DOWN, NO_PULL = (1 << bit for bit in (2, 3, 4, 5, 8, 9, 10))


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint32), ("padding", ctypes.c_uint32), ("value", ctypes.c_uint64)]


class ConfigAttribute(ctypes.Structure):
    _fields_ = [("attr", Attribute), ("mask", ctypes.c_uint64)]


class LineConfig(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("num_attrs", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("attrs", ConfigAttribute * 10),
    ]


class LineRequest(ctypes.Structure):
    _fields_ = [
        ("offsets", ctypes.c_uint32 * 64),
        ("consumer", ctypes.c_char * 32),
        ("config", LineConfig),
        ("num_lines", ctypes.c_uint32),
        ("event_buffer_size", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("fd", ctypes.c_int32),
    ]


class LineValues(ctypes.Structure):
    _fields_ = [("bits", ctypes.c_uint64), ("mask", ctypes.c_uint64)]


class LineInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 32),
        ("consumer", ctypes.c_char * 32),
        ("offset", ctypes.c_uint32),
        ("num_attrs", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("attrs", Attribute * 10),
        ("padding", ctypes.c_uint32 * 4),
    ]


class LineEvent(ctypes.Structure):
    _fields_ = [
        ("timestamp_ns", ctypes.c_uint64),
        ("id", ctypes.c_uint32),
        ("offset", ctypes.c_uint32),
        ("seqno", ctypes.c_uint32),
        ("line_seqno", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 6),
    ]


def number_of(number: int, kind: type[ctypes.Structure]) -> int:
    return IOWR | ctypes.sizeof(kind) << 16 | GPIO | number


class Held:
    """One requested line."""

    def __init__(self, chip: SimulatedChip, request: LineRequest) -> None:
        self.chip, self.line = chip, request.offsets[0]
        self.flags, self.events_kept = request.config.flags, request.event_buffer_size
        self.reading, self.writing = os.pipe()
        self._hung_up = False

    def hang_up(self) -> None:
        if not self._hung_up:
            self._hung_up = True
            os_close(self.writing)


class SimulatedChip:
    def __init__(self, label: str, lines: int, device: str) -> None:
        self.label, self.lines, self.device = label, lines, device
        self.levels = dict.fromkeys(range(lines), True)
        self.holders: dict[int, str] = {}  # lines that others use
        self.present = True
        self.requested: list[tuple[int, int, int]] = []  # line, flags and first level of every request


class SimulatedKernel:
    def __init__(self, root: Path, *there: SimulatedChip) -> None:
        self.root = root
        self.chips = {chip.label: chip for chip in there}
        self._held: dict[int, Held] = {}  # by file descriptor
        self._guard = threading.Lock()
        (root / "dev").mkdir()
        (root / "sys/bus/gpio/devices").mkdir(parents=True)
        for number, chip in enumerate(there):
            self.install(chip, number)

    def install(self, chip: SimulatedChip, number: int) -> None:
        chip.present = True
        (self.root / f"sys/devices/{chip.device}/gpiochip{number}").mkdir(parents=True, exist_ok=True)
        (self.root / f"sys/bus/gpio/devices/gpiochip{number}").symlink_to(
            self.root / f"sys/devices/{chip.device}/gpiochip{number}"
        )
        (self.root / "coming").write_text(chip.label)
        (self.root / "coming").rename(self.root / f"dev/gpiochip{number}")  # the device is complete

    def unbind(self, chip: SimulatedChip) -> None:
        """As when a driver is unbound: the device is gone, and every holder of a line is hung up."""
        with self._guard:
            chip.present = False
            for device in (self.root / "dev").iterdir():
                if device.read_text() == chip.label:
                    device.unlink()
                    (self.root / "sys/bus/gpio/devices" / device.name).unlink()
            for held in self._held.values():
                if held.chip is chip:
                    held.hang_up()

    def read_info(self, device: Path) -> ChipInfo:
        chip = self.chips[device.read_text()]
        return ChipInfo(chip.label, chip.lines)

    def drive(self, chip: SimulatedChip, line: int, level: bool) -> int:
        """Drive an input from outside. Returns the stamp of the edge."""
        ns = time.monotonic_ns()
        with self._guard:
            chip.levels[line] = level
            for held in self._held.values():
                if held.chip is chip and held.line == line and held.flags & (RISING | FALLING):
                    os.write(held.writing, bytes(LineEvent(ns, 1 if level else 2, line)))
        return ns

    def held(self, chip: SimulatedChip) -> list[int]:
        return sorted(held.line for held in self._held.values() if held.chip is chip)

    def ioctl(self, handle: int, number: int, answer: bytearray) -> int:
        with self._guard:
            if number == number_of(7, LineRequest):
                self._request(self._chip_of(handle), LineRequest.from_buffer(answer))
            elif number == number_of(5, LineInfo):
                info = LineInfo.from_buffer(answer)
                info.consumer = self._chip_of(handle).holders.get(info.offset, "").encode()
            else:
                held = self._held[handle]
                if not held.chip.present:
                    raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
                values = LineValues.from_buffer(answer)
                assert values.mask == 1
                if number == number_of(14, LineValues):
                    values.bits = held.chip.levels[held.line]
                elif number == number_of(15, LineValues):
                    held.chip.levels[held.line] = bool(values.bits)
                else:
                    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return 0

    def close(self, handle: int) -> None:
        with self._guard:
            held = self._held.pop(handle, None)
            if held is not None:
                held.hang_up()
        os_close(handle)

    def _chip_of(self, handle: int) -> SimulatedChip:
        return self.chips[os.pread(handle, 99, 0).decode()]

    def _request(self, chip: SimulatedChip, request: LineRequest) -> None:
        line, flags = request.offsets[0], request.config.flags
        assert (request.num_lines, request.consumer) == (1, b"felt")
        if line in chip.holders:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        first = -1
        if flags & OUTPUT:
            (attribute,) = request.config.attrs[: request.config.num_attrs]
            assert (attribute.attr.id, attribute.mask) == (2, 1)
            first = int(attribute.attr.value)
            chip.levels[line] = bool(first)
        chip.requested.append((line, flags, first))
        held = Held(chip, request)
        self._held[held.reading] = held
        request.fd = held.reading


os_close = os.close


def put_in(kernel: SimulatedKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connect the driver's calls to this kernel."""

    def find(name: str, where: Path) -> chips.Chip:
        return chips.find_chip(name, where, kernel.read_info)

    def ioctl(handle: int, number: int, answer: Any) -> int:
        return kernel.ioctl(handle, number, answer)

    monkeypatch.setattr(gpiochip, "find_chip", find)
    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(os, "close", kernel.close)
