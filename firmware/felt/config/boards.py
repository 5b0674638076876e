"""Board profiles: the spot, key or lamp on each line of each chip. A line has one owner. A chip is named by its
label, or by label@device if two chips share a label, as in mcp23017@1-0021."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from felt.config.bounds import Violation, worded
from felt.config.errors import ConfigError, key_of
from felt.config.reading import decoded, read_toml
from felt.nouns.values import Value, replace

# The chips behind the 40-pin header, by kernel label.
HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
HEADER_LINES = range(28)
LOCK_KEY = "key.no_more_bets"
IDENTITY_LINES = (0, 1)  # the identity memory of add-on boards
UART_LINES = (14, 15)
I2C_LINES = (2, 3)  # have pull-ups on the Pi itself
EXPANDER_LINES = range(16)
# According to the data sheet, the last line of each bank of an MCP23017 may only be an output.
EXPANDER_OUTPUTS_ONLY = (7, 15)
# A line that is sampled in the dark is read twice in this time; with less, its lamp would hardly be lit.
SAMPLED_LATE_MS_LEAST = 10

_INPUT_NAME = r"[1-9]\.[a-z][a-z0-9_]*|key\.[a-z][a-z0-9_]*"
_LINE_NAME = worded(f"(?:{_INPUT_NAME})", "the name of a spot (3.progressive) or of a key (key.open)")
_OUTPUT_NAME = worded(
    f"(?:{_INPUT_NAME}|buzzer)", "the name of a spot (3.progressive) or of a key (key.open), or buzzer"
)
_LABEL = worded(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}(?:@[A-Za-z0-9._-]{1,39})?",
    "the label of a chip, as in pinctrl-bcm2711, or label@device, as in mcp23017@1-0021",
)


class Pull(StrEnum):
    UP = "up"
    DOWN = "down"
    NONE = "none"


class Active(StrEnum):
    LOW = "low"
    HIGH = "high"


class ExpanderKind(StrEnum):
    MCP23017 = "mcp23017"


class InputLine(Value):
    name: Annotated[str, _LINE_NAME]
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Meta(ge=0, le=511)]
    pull: Pull
    active: Active
    settle_ms: Annotated[int, Meta(ge=1, le=1000)]
    late_ms_max: Annotated[int, Meta(ge=0, le=1000)]  # how late the stamp of an edge may be
    connector: str = ""
    colour: str = ""
    sampled_dark: bool = False  # a light sensor disturbed by the lamp of the same name; read only while that is dark


class FeedbackLine(Value):
    """Active while current flows through a lamp. It is polled: it has no edges and needs no interrupt."""

    chip: Annotated[str, _LABEL]
    line: Annotated[int, Meta(ge=0, le=511)]
    pull: Pull
    active: Active


class OutputLine(Value):
    name: Annotated[str, _OUTPUT_NAME]
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Meta(ge=0, le=511)]
    active: Active
    connector: str = ""
    colour: str = ""
    feedback: FeedbackLine | None = None  # for a coin spot's lamp only; without it the seat has no progressive play


class ReservedLine(Value):
    chip: Annotated[str, _LABEL]
    line: Annotated[int, Meta(ge=0, le=511)]
    owner: Annotated[str, worded(r".+", "what the line is reserved for")]


class Expander(Value):
    """A further chip on the header's I2C bus, which signals changes by pulling a header line low. A chip with only
    lamps and feedbacks signals nothing and needs no such line."""

    chip: Annotated[str, _LABEL]
    kind: ExpanderKind
    address: Annotated[int, Meta(ge=0x20, le=0x27)]
    interrupt_line: Annotated[int, Meta(ge=2, le=HEADER_LINES[-1])] | None = None


class BoardProfile(Value):
    name: Annotated[str, worded(r"[a-z0-9][a-z0-9-]{0,39}", "a name of small letters, digits and -")]
    console_uart: bool  # the maintenance console uses the header's serial port
    input: tuple[InputLine, ...]
    output: tuple[OutputLine, ...]
    reserved: tuple[ReservedLine, ...] = ()
    expander: tuple[Expander, ...] = ()

    def chips(self) -> tuple[str, ...]:
        """Each chip once, in order of the lines."""
        lines: tuple[InputLine | OutputLine, ...] = (*self.input, *self.output)
        every = (*(line.chip for line in lines), *(line.chip for line in self.feedbacks().values()))
        return tuple(dict.fromkeys(every))

    def feedbacks(self) -> dict[str, FeedbackLine]:
        """The feedback lines by lamp name."""
        return {line.name: line.feedback for line in self.output if line.feedback is not None}

    def settle_ms_max(self) -> int:
        return max((line.settle_ms for line in self._at_the_lock()), default=0)

    def late_ms_max(self) -> int:
        return max((line.late_ms_max for line in self._at_the_lock()), default=0)

    def _at_the_lock(self) -> Iterator[InputLine]:
        """The lines that decide who bet in time: the chips' and the lock key's."""
        return (line for line in self.input if not line.name.startswith("key.") or line.name == LOCK_KEY)


def load_profile(path: Path) -> BoardProfile:
    profile = decoded(BoardProfile, read_toml(path), lambda _: str(path))
    for check in _CHECKS:
        for found in check(profile):
            raise ConfigError(str(path), key_of(found.path), found.problem, found.remedy)
    return profile


_SHIPPED = (Path(__file__).resolve().parents[3] / "hw" / "boards", Path("/usr/share/felt/boards"))


def find_profile(name: str, folder: Path) -> Path:
    """A path relative to the table file's folder, or the name of a shipped profile."""
    if "/" in name or name.endswith(".toml"):
        return folder / name
    candidates = [place / f"{name}.toml" for place in (folder, *_SHIPPED)]
    return next((path for path in candidates if path.is_file()), candidates[-2])


def shipped_profiles() -> list[str]:
    return sorted(path.stem for place in _SHIPPED for path in place.glob("*.toml"))


def _names_twice(profile: BoardProfile) -> Iterator[Violation]:
    # A key and its lamp share a name, so inputs and outputs are counted separately.
    inputs, outputs = [line.name for line in profile.input], [line.name for line in profile.output]
    for section, names in (("input", inputs), ("output", outputs)):
        places: dict[str, int] = {}
        for place, name in enumerate(names):
            first = places.setdefault(name, place)
            if first != place:
                problem = f"{name} is already the name of {section}.{first}"
                yield Violation((section, str(place), "name"), problem, "rename one of them")


def _two_headers(profile: BoardProfile) -> Iterator[Violation]:
    headers = [chip for chip in profile.chips() if chip in HEADER_CHIPS]
    if len(headers) > 1:
        problem = f"the profile uses {' and '.join(headers)}, but a Raspberry Pi has one header"
        yield Violation(("input",), problem, "give every line of the header the label of its own chip")


def _off_the_header(profile: BoardProfile) -> Iterator[Violation]:
    for where, line, _ in _owners(profile):
        if line.chip in HEADER_CHIPS and line.line not in HEADER_LINES:
            problem = f"{line.chip} has no line {line.line} on the header"
            yield Violation((*where, "line"), problem, f"choose one from 2 to {HEADER_LINES[-1]}")
    for where, sensed, _ in _owners(profile):
        if not isinstance(sensed, InputLine | FeedbackLine):
            continue
        if sensed.chip in HEADER_CHIPS and sensed.line in I2C_LINES and sensed.pull is not Pull.UP:
            problem = f"{sensed.pull.value}, but line {sensed.line} has a pull-up resistor on the Pi itself"
            yield Violation((*where, "pull"), problem, 'write "up" or choose another line')


def _wrong_expanders(profile: BoardProfile) -> Iterator[Violation]:
    """What an expander cannot do, and conflicts between two expanders."""
    chips: dict[str, int] = {}
    addresses: dict[str, int] = {}
    for place, expander in enumerate(profile.expander):
        here = ("expander", str(place))
        device = expander.chip.partition("@")[2]
        if device not in ("", f"1-{expander.address:04x}"):
            problem = f"{expander.chip} is not at address 0x{expander.address:02x}"
            yield Violation((*here, "chip"), problem, f"write {expander.kind.value}@1-{expander.address:04x}")
        for key, seen, value in (("chip", chips, expander.chip), ("address", addresses, f"0x{expander.address:02x}")):
            first = seen.setdefault(value, place)
            if first != place:
                yield Violation((*here, key), f"{value} is already expander.{first}", "give each its own")
    for where, line, owner in _owners(profile):
        if line.chip in chips:
            yield from _beyond_expander(where, line, owner)
            yield from _never_called(where, line, profile.expander[chips[line.chip]], owner)


def _never_called(where: tuple[str, ...], line: AnyLine, expander: Expander, owner: str) -> Iterator[Violation]:
    if isinstance(line, InputLine) and not line.sampled_dark and expander.interrupt_line is None:
        problem = f"{owner} has edges, but {line.chip} has no interrupt_line to signal them"
        yield Violation((*where, "chip"), problem, "give the expander one, or choose another chip")


def _beyond_expander(where: tuple[str, ...], line: AnyLine, owner: str) -> Iterator[Violation]:
    if line.line not in EXPANDER_LINES:
        problem = f"{line.chip} has no line {line.line}"
        yield Violation((*where, "line"), problem, f"choose one from 0 to {EXPANDER_LINES[-1]}")
    if isinstance(line, InputLine | FeedbackLine) and line.line in EXPANDER_OUTPUTS_ONLY:
        problem = f"{owner} is on line {line.line} of {line.chip}, which may only be an output"
        yield Violation((*where, "line"), problem, "choose another line for it and put a lamp there")
    if isinstance(line, InputLine | FeedbackLine) and line.pull is Pull.DOWN:
        # The kernel ignores a pull that the chip lacks, and the line would float.
        remedy = 'write "up" and let the contact close to ground'
        yield Violation((*where, "pull"), f"{line.chip} has no pull-downs", remedy)


def _wrong_sampling(profile: BoardProfile) -> Iterator[Violation]:
    lamps = {line.name for line in profile.output}
    for place, line in enumerate(profile.input):
        if line.sampled_dark and line.name not in lamps:
            problem = f"{line.name} has no lamp, so it cannot be sampled in the dark"
            yield Violation(("input", str(place), "sampled_dark"), problem, "remove the setting or add the output")
        if line.sampled_dark and line.late_ms_max < SAMPLED_LATE_MS_LEAST:
            problem = f"{line.late_ms_max} is too short for a line that is sampled"
            yield Violation(("input", str(place), "late_ms_max"), problem, f"write {SAMPLED_LATE_MS_LEAST} or more")


def _wrong_feedback(profile: BoardProfile) -> Iterator[Violation]:
    for place, line in enumerate(profile.output):
        if line.feedback is not None and not line.name[0].isdigit():
            problem = f"{line.name} is not a coin spot's lamp, so no seat depends on its current"
            yield Violation(("output", str(place), "feedback"), problem, "remove the setting")


def _lines_twice(profile: BoardProfile) -> Iterator[Violation]:
    owners = _kept_lines(profile)
    for where, line, owner in _owners(profile):
        first = owners.setdefault((line.chip, line.line), owner)
        if first != owner:
            problem = f"line {line.line} of {line.chip} is assigned to {owner} but belongs to {first}"
            yield Violation((*where, "line"), problem, "give one of the two another line")


def _kept_lines(profile: BoardProfile) -> dict[tuple[str, int], str]:
    """Reserved lines of the header. Which chip the header is follows from the lines in use."""
    kept = dict.fromkeys(IDENTITY_LINES, "the identity memory of add-on boards")
    if profile.console_uart:
        kept |= dict.fromkeys(UART_LINES, "the maintenance console (console_uart = true)")
    named = (*profile.chips(), *(expander.chip for expander in profile.expander))
    further = [chip for chip in named if chip not in HEADER_CHIPS]
    if further:
        kept |= dict.fromkeys(I2C_LINES, f"the I2C bus of {further[0]}")
    kept |= {
        expander.interrupt_line: f"the interrupt of {expander.chip}"
        for expander in profile.expander
        if expander.interrupt_line is not None
    }
    return {(chip, line): owner for chip in HEADER_CHIPS for line, owner in kept.items()}


def _interrupts_twice(profile: BoardProfile) -> Iterator[Violation]:
    owners = _kept_lines(replace(profile, expander=()))
    for place, expander in enumerate(profile.expander):
        if expander.interrupt_line is None:
            continue
        owner = f"the interrupt of {expander.chip}"
        first = owners.setdefault((HEADER_CHIPS[0], expander.interrupt_line), owner)
        if first != owner:
            problem = f"line {expander.interrupt_line} is assigned to {owner} but belongs to {first}"
            where = ("expander", str(place), "interrupt_line")
            yield Violation(where, problem, "give each expander a line of its own")


AnyLine = ReservedLine | InputLine | OutputLine | FeedbackLine


def _owners(profile: BoardProfile) -> Iterator[tuple[tuple[str, ...], AnyLine, str]]:
    for place, kept in enumerate(profile.reserved):
        yield ("reserved", str(place)), kept, f"reserved.{place} ({kept.owner})"
    for place, sensed in enumerate(profile.input):
        yield ("input", str(place)), sensed, f"input {sensed.name}"
    for place, driven in enumerate(profile.output):
        yield ("output", str(place)), driven, f"output {driven.name}"
        if driven.feedback is not None:
            yield ("output", str(place), "feedback"), driven.feedback, f"the feedback of {driven.name}"


_CHECKS: tuple[Callable[[BoardProfile], Iterator[Violation]], ...] = (
    _names_twice, _two_headers, _off_the_header, _wrong_expanders, _wrong_sampling, _wrong_feedback,
    _interrupts_twice, _lines_twice,
)
