"""Board profiles: which line of which chip is which spot, key or lamp. A line has one owner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from felt.config.bounds import Violation, Whole, Worded, violations
from felt.config.errors import ConfigError, key_of
from felt.config.reading import decoded, read_toml

# The chips that drive the 40-pin header, by the label the kernel gives them.
HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
HEADER_LINES = range(28)
IDENTITY_LINES = (0, 1)  # the identity memory of an add-on board
UART_LINES = (14, 15)

_LINE_NAME = Worded(
    r"(?:[1-9]\.[a-z][a-z0-9_]*|key\.[a-z][a-z0-9_]*)",
    "the name of a spot (3.progressive) or of a key (key.open)",
)
_LABEL = Worded(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", "the label of a chip, as in pinctrl-bcm2711")


class Pull(StrEnum):
    UP = "up"
    DOWN = "down"
    NONE = "none"


class Active(StrEnum):
    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class InputLine:
    name: Annotated[str, _LINE_NAME]
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Whole(0, 511)]
    pull: Pull
    active: Active
    settle_ms: Annotated[int, Whole(1, 1000)]
    late_ms_max: Annotated[int, Whole(0, 1000)]  # how late the stamp of an edge can be
    connector: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class OutputLine:
    name: Annotated[str, _LINE_NAME]
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Whole(0, 511)]
    active: Active
    connector: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class ReservedLine:
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Whole(0, 511)]
    owner: Annotated[str, Worded(r".+", "what the line is kept for")]


@dataclass(frozen=True, slots=True)
class BoardProfile:
    name: Annotated[str, Worded(r"[a-z0-9][a-z0-9-]{0,39}", "a name of small letters, digits and -")]
    console_uart: bool  # the maintenance console uses the header's serial port
    input: tuple[InputLine, ...]
    output: tuple[OutputLine, ...]
    reserved: tuple[ReservedLine, ...] = ()

    def settle_ms_max(self) -> int:
        return max((line.settle_ms for line in self.input), default=0)

    def late_ms_max(self) -> int:
        return max((line.late_ms_max for line in self.input), default=0)


def load_profile(path: Path) -> BoardProfile:
    profile = decoded(BoardProfile, read_toml(path), lambda _: str(path))
    for check in (violations, _names_twice, _off_the_header, _lines_twice):
        for found in check(profile):
            raise ConfigError(str(path), key_of(found.path), found.problem, found.remedy)
    return profile


def find_profile(name: str, folder: Path) -> Path:
    """A file relative to the table file's folder, or a bare name that is looked up among the shipped ones."""
    if "/" in name or name.endswith(".toml"):
        return folder / name
    shipped = (Path(__file__).resolve().parents[3] / "hw" / "boards", Path("/usr/share/felt/boards"))
    candidates = [place / f"{name}.toml" for place in (folder, *shipped)]
    return next((path for path in candidates if path.is_file()), candidates[-2])


def _names_twice(profile: BoardProfile) -> Iterator[Violation]:
    # A key and the lamp in it share a name: inputs and outputs are counted apart.
    inputs, outputs = [line.name for line in profile.input], [line.name for line in profile.output]
    for section, names in (("input", inputs), ("output", outputs)):
        places: dict[str, int] = {}
        for place, name in enumerate(names):
            first = places.setdefault(name, place)
            if first != place:
                problem = f"{name} is already the name of {section}.{first}"
                yield Violation((section, str(place), "name"), problem, "rename one of them")


def _off_the_header(profile: BoardProfile) -> Iterator[Violation]:
    for where, line, _ in _owners(profile):
        if line.chip in HEADER_CHIPS and line.line not in HEADER_LINES:
            problem = f"{line.chip} has no line {line.line} on the header"
            yield Violation((*where, "line"), problem, f"choose one from 2 to {HEADER_LINES[-1]}")


def _lines_twice(profile: BoardProfile) -> Iterator[Violation]:
    owners: dict[tuple[str, int], str] = {}
    for chip in HEADER_CHIPS:
        owners |= {(chip, line): "the identity memory of add-on boards" for line in IDENTITY_LINES}
        if profile.console_uart:
            owners |= {(chip, line): "the maintenance console (console_uart = true)" for line in UART_LINES}
    for where, line, owner in _owners(profile):
        first = owners.setdefault((line.chip, line.line), owner)
        if first != owner:
            problem = f"line {line.line} of {line.chip} is wanted by {owner} and already belongs to {first}"
            yield Violation((*where, "line"), problem, "give one of the two another line")


def _owners(
    profile: BoardProfile,
) -> Iterator[tuple[tuple[str, str], ReservedLine | InputLine | OutputLine, str]]:
    for place, kept in enumerate(profile.reserved):
        yield ("reserved", str(place)), kept, f"reserved.{place} ({kept.owner})"
    for place, sensed in enumerate(profile.input):
        yield ("input", str(place)), sensed, f"input {sensed.name}"
    for place, driven in enumerate(profile.output):
        yield ("output", str(place)), driven, f"output {driven.name}"
