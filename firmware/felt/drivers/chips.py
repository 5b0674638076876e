"""Finds this machine's GPIO chips by kernel label. Their numbers change with the kernel and with the order of
overlays, so a profile uses labels.

Two expanders of one kind share a label. Such a chip is named label@device, with its place on the bus:
`mcp23017@1-0021` is the MCP23017 at address 0x21 of bus 1. This module does not know what a line is for.
"""

from __future__ import annotations

import fcntl
import grp
import os
import pwd
import re
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from felt.nouns.values import Value
from felt.ports import BoardUnavailable

# struct gpiochip_info of the kernel's linux/gpio.h: name, label, number of lines; and the request that fills it.
_CHIP_INFO = struct.Struct("=32s32sI")
_GET_CHIP_INFO = 0x8044B401


class ChipInfo(Value):
    label: str
    lines: int


class Chip(Value):
    number: int
    label: str
    lines: int
    device: str  # the device behind it, as in 1-0021 for address 0x21 of I2C bus 1

    @property
    def full_name(self) -> str:
        return f"{self.label}@{self.device}"


InfoReader = Callable[[Path], ChipInfo]


def read_info(device: Path) -> ChipInfo:
    """Asks the kernel about one /dev/gpiochip. Raises OSError."""
    answer = bytearray(_CHIP_INFO.size)
    handle = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(handle, _GET_CHIP_INFO, answer)
    finally:
        os.close(handle)
    _, label, lines = _CHIP_INFO.unpack(answer)
    return ChipInfo(label.rstrip(b"\0").decode(errors="replace"), lines)


def find_chip(name: str, root: Path = Path("/"), read: InfoReader = read_info) -> Chip:
    """The only chip with that label, or with that label at that device. Raises BoardUnavailable if there is none, or
    more than one."""
    chips, closed = _installed(root, read)
    fitting = [chip for chip in chips if name in (chip.label, chip.full_name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        choice = " or ".join(chip.full_name for chip in fitting)
        raise BoardUnavailable(f"{len(fitting)} chips have the label {name}: write {choice} in the board's profile")
    if closed:
        raise BoardUnavailable(
            f"the chip {name} is not found, and {', '.join(closed)} may not be opened: run as a user of the group "
            "gpio; where a device belongs to another group, udevadm trigger --subsystem-match=gpio"
        )
    if not chips:
        raise BoardUnavailable(f"the chip {name} is not found; this machine has no GPIO chip: run on a Raspberry Pi")
    there = ", ".join(chip.full_name if _is_twin(chip, chips) else chip.label for chip in chips)
    raise BoardUnavailable(
        f"the chip {name} is not found, this machine has {there}: "
        "correct the label in the board's profile, or load the chip's overlay (dtoverlay= in config.txt) and restart"
    )


def _installed(root: Path, read: InfoReader) -> tuple[list[Chip], list[str]]:
    """The chips by number, and the devices that could not be opened."""
    chips: list[Chip] = []
    closed: list[str] = []
    for device in sorted((root / "dev").glob("gpiochip*"), key=_number_of):
        if device.is_symlink():  # some systems give the header's chip a second, older name
            continue
        try:
            info = read(device)
        except OSError:
            closed.append(f"/dev/{device.name} ({_rights_of(device)})")
            continue
        parent = (root / "sys/bus/gpio/devices" / device.name).resolve().parent.name
        chips.append(Chip(_number_of(device), info.label, info.lines, parent))
    return chips, closed


def _rights_of(device: Path) -> str:
    """Owner, group and mode, as in root:gpio 0660."""
    status = device.stat()
    return f"{_name(pwd.getpwuid, status.st_uid)}:{_name(grp.getgrgid, status.st_gid)} {status.st_mode & 0o7777:04o}"


def _name(find: Callable[[int], Sequence[Any]], number: int) -> str:
    """The name of a user or group; the number where it has no name."""
    try:
        return str(find(number)[0])
    except KeyError:
        return str(number)


def _number_of(device: Path) -> int:
    digits = re.search(r"\d+$", device.name)
    return int(digits.group()) if digits else -1


def _is_twin(chip: Chip, chips: list[Chip]) -> bool:
    return sum(other.label == chip.label for other in chips) > 1
