"""Judges a lamp from repeated comparisons of what was ordered and whether current flowed: good, open or short.
Sans-IO; the caller decides when to compare. Does not know whose lamp it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from felt.nouns.values import Value, replace

GOOD, OPEN, SHORT = "good", "open", "short"
# This many comparisons in a row must agree: one bad reading of a bus takes no seat out of play, and one good reading of
# a loose wire brings none back.
BELIEVED_AFTER = 3


class _Tally(Value):
    """Comparisons in a row, counted separately for the lit and the dark lamp."""

    lit_right: int = 0
    lit_wrong: int = 0
    dark_right: int = 0
    dark_wrong: int = 0

    def counted(self, *, lit: bool, flows: bool) -> _Tally:
        right = lit == flows
        if lit:
            return replace(self, lit_right=_next(self.lit_right, right), lit_wrong=_next(self.lit_wrong, not right))
        return replace(self, dark_right=_next(self.dark_right, right), dark_wrong=_next(self.dark_wrong, not right))


def _next(count: int, again: bool) -> int:
    return min(count + 1, BELIEVED_AFTER) if again else 0


class LampJudge:
    """Judges any number of lamps. Open: lit without current. Short: dark with current. Good: right both lit and
    dark. A faulty lamp stays faulty until it was seen right both ways."""

    def __init__(self, lamps: Iterable[str]) -> None:
        self._tallies = dict.fromkeys(lamps, _Tally())
        self._found: dict[str, str] = {}

    def compare(self, lamp: str, *, lit: bool, flows: bool) -> None:
        tally = self._tallies[lamp].counted(lit=lit, flows=flows)
        if lit != flows and (tally.lit_wrong if lit else tally.dark_wrong) == BELIEVED_AFTER:
            self._found[lamp] = OPEN if lit else SHORT
            # Earlier good readings prove nothing after a fault.
            tally = replace(tally, lit_right=0, dark_right=0)
        elif tally.lit_right == tally.dark_right == BELIEVED_AFTER:
            self._found[lamp] = GOOD
        self._tallies[lamp] = tally

    def found(self) -> Mapping[str, str]:
        """The judgements so far. A lamp without a judgement is missing."""
        return dict(self._found)
