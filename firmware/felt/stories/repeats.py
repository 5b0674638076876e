"""Lines that are repeated for each of several cases: `for each NAME[, NAME]: VALUE[, VALUE]; …` to `end`. The lines
between are played once for each case, with every NAME replaced. Knows no sentence and no table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count

from felt.nouns.values import Value

_BEGIN = re.compile(r"for each (?P<names>[A-Z_]+(?:, [A-Z_]+)*): (?P<cases>.+)")
_END = "end"


class ScriptLine(Value):
    at: str  # file:line
    text: str


Complain = Callable[[str, str], Exception]


def told_out(lines: list[ScriptLine], complain: Complain) -> Iterator[ScriptLine]:
    """Every line in the order of play. `complain` makes the error from a sentence and a place."""
    place = 0
    while place < len(lines):
        line = lines[place]
        begins = _BEGIN.fullmatch(line.text)
        if begins is None:
            if line.text == _END:
                raise complain("`end` ends no `for each`", line.at)
            yield line
            place += 1
            continue
        after = _end_of(lines, place, complain)
        body = lines[place + 1 : after]
        for case in _cases(begins, line, complain):
            yield from told_out([_of_case(line, case) for line in body], complain)
        place = after + 1


def _end_of(lines: list[ScriptLine], begin: int, complain: Complain) -> int:
    open_ones = 0
    for place in count(begin):
        if place == len(lines):
            raise complain("`for each` has no `end`", lines[begin].at)
        open_ones += bool(_BEGIN.fullmatch(lines[place].text))
        open_ones -= lines[place].text == _END
        if not open_ones:
            return place
    raise AssertionError("a count has no end")


def _cases(begins: re.Match[str], line: ScriptLine, complain: Complain) -> Iterator[dict[str, str]]:
    names = begins["names"].split(", ")
    for case in begins["cases"].split("; "):
        values = case.split(", ") if len(names) > 1 else [case]
        if len(values) != len(names):
            raise complain(f"{case!r} has {len(values)} values for {len(names)} names", line.at)
        yield dict(zip(names, values, strict=True))


def _of_case(line: ScriptLine, case: dict[str, str]) -> ScriptLine:
    text = re.sub("|".join(rf"\b{name}\b" for name in case), lambda found: case[found[0]], line.text)
    named = ", ".join(case.values())
    return ScriptLine(f"{line.at} ({named})" if text != line.text else line.at, text)
