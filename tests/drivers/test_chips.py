"""Turns labels into chip numbers, on a made-up /dev and /sys: a device file holds its label and the number of its
lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt.drivers.chips import Chip, ChipInfo, find_chip, read_info
from felt.ports import BoardUnavailable

HEADER = ("pinctrl-bcm2711", 58, "fe200000.gpio")
FIRST = ("mcp23017", 16, "1-0020")
SECOND = ("mcp23017", 16, "1-0021")


def machine(root: Path, *chips: tuple[str, int, str]) -> Path:
    (root / "dev").mkdir()
    (root / "sys/bus/gpio/devices").mkdir(parents=True)
    for number, (label, lines, device) in enumerate(chips):
        name = f"gpiochip{number}"
        (root / "dev" / name).write_text(f"{label} {lines}", encoding="utf-8")
        (root / "sys/devices" / device / name).mkdir(parents=True)
        (root / "sys/bus/gpio/devices" / name).symlink_to(root / "sys/devices" / device / name)
    return root


def written_info(device: Path) -> ChipInfo:
    label, lines = device.read_text(encoding="utf-8").split()
    return ChipInfo(label, int(lines))


def test_a_chip_is_found_by_its_label_whatever_its_number(tmp_path: Path) -> None:
    root = machine(tmp_path, ("raspberrypi-exp-gpio", 8, "soc"), FIRST, HEADER)
    assert find_chip("pinctrl-bcm2711", root, written_info) == Chip(2, *HEADER)
    assert find_chip("mcp23017", root, written_info) == Chip(1, *FIRST)


def test_chip_ten_comes_after_chip_nine(tmp_path: Path) -> None:
    root = machine(tmp_path, *((f"chip{number}", 8, f"soc{number}") for number in range(11)))
    assert find_chip("chip10", root, written_info).number == 10


def test_two_chips_of_one_label_are_told_apart_by_their_device(tmp_path: Path) -> None:
    root = machine(tmp_path, HEADER, SECOND, FIRST)
    assert find_chip("mcp23017@1-0020", root, written_info).number == 2
    assert find_chip("mcp23017@1-0021", root, written_info).number == 1


def test_a_label_of_two_chips_is_refused_with_both_full_names(tmp_path: Path) -> None:
    root = machine(tmp_path, HEADER, FIRST, SECOND)
    with pytest.raises(BoardUnavailable) as caught:
        find_chip("mcp23017", root, written_info)
    assert str(caught.value) == (
        "2 chips have the label mcp23017: write mcp23017@1-0020 or mcp23017@1-0021 in the board's profile"
    )


def test_another_older_name_of_a_chip_is_not_a_second_chip(tmp_path: Path) -> None:
    root = machine(tmp_path, HEADER)
    (root / "dev/gpiochip4").symlink_to("gpiochip0")
    assert find_chip("pinctrl-bcm2711", root, written_info).number == 0


def test_a_missing_chip_is_refused_with_the_ones_that_are_there(tmp_path: Path) -> None:
    root = machine(tmp_path, ("pinctrl-rp1", 54, "1f000d0000.gpio"), FIRST)
    with pytest.raises(BoardUnavailable) as caught:
        find_chip("pinctrl-bcm2711", root, written_info)
    assert str(caught.value) == (
        "the chip pinctrl-bcm2711 is not found, this machine has pinctrl-rp1, mcp23017: correct the label in the "
        "board's profile, or load the chip's overlay (dtoverlay= in config.txt) and restart"
    )


def test_a_machine_without_chips_says_so(tmp_path: Path) -> None:
    with pytest.raises(BoardUnavailable, match="this machine has no GPIO chip"):
        find_chip("pinctrl-bcm2711", tmp_path, written_info)


def test_a_device_without_access_is_named_with_its_owner_and_mode(tmp_path: Path) -> None:
    def refuse(device: Path) -> ChipInfo:
        raise PermissionError(13, "no")

    root = machine(tmp_path, HEADER)
    device = root / "dev/gpiochip0"
    device.chmod(0o600)
    owner = f"{device.owner()}:{device.group()}"
    with pytest.raises(BoardUnavailable, match=rf"/dev/gpiochip0 \({owner} 0600\) may not be opened: run as a user of"):
        find_chip("pinctrl-bcm2711", root, refuse)


def test_a_file_that_is_no_gpio_chip_cannot_be_asked(tmp_path: Path) -> None:
    root = machine(tmp_path, HEADER)
    with pytest.raises(OSError, match="Inappropriate ioctl"):
        read_info(root / "dev/gpiochip0")
    with pytest.raises(BoardUnavailable, match="may not be opened"):
        find_chip("pinctrl-bcm2711", root)
