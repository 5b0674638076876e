"""The rules that give the shuffler its name: udev itself would pass over a line that it does not understand."""

from __future__ import annotations

import re
from pathlib import Path

HW = Path(__file__).resolve().parents[2] / "hw"
RULES = (HW / "udev" / "99-felt.rules").read_text()
PART = re.compile(r'(SUBSYSTEM|KERNEL|ENV\{\w+\}|SYMLINK|GROUP|MODE|TAG)(==|\+=|=)"([^"]*)"')


def rules() -> list[list[tuple[str, str, str]]]:
    lines = [line for line in RULES.splitlines() if line and not line.startswith("#")]
    read = [PART.findall(line) for line in lines]
    # Every character of a line belongs to a part of it: nothing is left over.
    assert [", ".join(f'{key}{sign}"{value}"' for key, sign, value in parts) for parts in read] == lines
    return [[(key, sign, value) for key, sign, value in parts] for parts in read]


def test_the_shuffler_has_one_name_wherever_it_is_plugged_in() -> None:
    (rule,) = [rule for rule in rules() if ("SYMLINK", "+=", "felt-shuffler") in rule]
    assert ("SUBSYSTEM", "==", "tty") in rule
    assert [sign for key, sign, _ in rule if key == "ENV{ID_SERIAL_SHORT}"] == ["=="]
    assert "/dev/felt-shuffler" in (HW / "shuffler-protocol.md").read_text()


def test_nobody_outside_the_group_reads_cards_or_moves_pins() -> None:
    for rule in rules():
        assert ("MODE", "=", "0660") in rule
        assert any(key == "GROUP" for key, _, _ in rule)
