"""From what was asked of a lamp and whether current flowed, again and again, to a judgement: good, open or short.
Sans-IO and without a clock: whoever compares says when. It must not know which lamp is whose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from felt.nouns.values import Value, replace

GOOD, OPEN, SHORT = "good", "open", "short"
# Comparisons in a row that must agree before anything is said: one bad reading of a bus takes no seat out of play, and
# one good one of a loose wire brings none back.
BELIEVED_AFTER = 3


class _Tally(Value):
    """Comparisons in a row, those of the lit lamp apart from those of the dark one."""

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
    """Any number of lamps. Open: lit, and no current flows. Short: dark, and current flows. Good: it was right both lit
    and dark; a lamp that was found wrong stays so until then."""

    def __init__(self, lamps: Iterable[str]) -> None:
        self._tallies = dict.fromkeys(lamps, _Tally())
        self._found: dict[str, str] = {}

    def compare(self, lamp: str, *, lit: bool, flows: bool) -> None:
        tally = self._tallies[lamp].counted(lit=lit, flows=flows)
        if lit != flows and (tally.lit_wrong if lit else tally.dark_wrong) == BELIEVED_AFTER:
            self._found[lamp] = OPEN if lit else SHORT
            # What was right before the fault proves nothing after it.
            tally = replace(tally, lit_right=0, dark_right=0)
        elif tally.lit_right == tally.dark_right == BELIEVED_AFTER:
            self._found[lamp] = GOOD
        self._tallies[lamp] = tally

    def found(self) -> Mapping[str, str]:
        """Lamps of which nothing is known yet are not in it."""
        return dict(self._found)
