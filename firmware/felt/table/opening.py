"""Why OPEN would be refused. The chart, the lamp of the key and the dealer's prompt ask this one module, so they cannot
disagree. Whatever else keeps a round from opening belongs into `why_not_open`."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.faults import CATALOGUE
from felt.rules import shelf
from felt.table import facts, inventory
from felt.table import reasons as why
from felt.table.prompts import tell
from felt.table.settings import MAIL_MAX
from felt.table.state import Phase, ServiceState, Table

SHUFFLER_SILENT, SHUFFLER_UNSUPPORTED = "F-201", "F-203"
FLOODS, ADAPTER_FAILED = "F-206", "F-208"  # the shuffler is left alone while one of these stands


def why_not_open(table: Table) -> str:
    """What keeps an idle table from opening a round, a sentence for the dealer each; empty where OPEN opens one."""
    if table.service.state is not ServiceState.IN_SERVICE:
        return why.out_of_service(table)
    return " ".join(reason for find in _OBSTACLES if (reason := find(table)))


def why_no_deal(table: Table) -> str:
    """What is wrong with the shuffler itself: it cannot be heard, or nothing that it says is understood."""
    standing = [fault.code for fault in table.service.faults]
    found = next((code for code in (SHUFFLER_UNSUPPORTED, ADAPTER_FAILED) if code in standing), "")
    if found:
        return _say_fault(found)
    if FLOODS in standing:
        return ""  # a flood stops no table: the dealer deals by hand, and the cards are keyed
    return "" if table.shuffler.connected else _say_fault(SHUFFLER_SILENT)


def left_alone(table: Table) -> bool:
    """Whether the shuffler is out of order in a way that nobody listens to it."""
    return any(fault.code in (FLOODS, ADAPTER_FAILED) for fault in table.service.faults)


def round_may_open(table: Table, fact: facts.Fact) -> bool:
    """The usual press of OPEN: there is nothing to be answered, mended or waited for."""
    return not why_not_open(table) and rulebook_is_in_force(table, fact.at.wall_ns)


def refusal(table: Table, _: facts.Fact) -> str:
    """The table may not know yet that its clock was set to a time before the rulebook: then OPEN is the first to meet
    it."""
    return why_not_open(table) or tell(table, why.CLOCK_TOO_EARLY)


def no_bets_open(table: Table, _: facts.Fact) -> str:
    """Why nothing can be done to bets outside the time in which they are open."""
    if table.phase is Phase.CLOSED:
        return tell(table, why.CLOSED)
    if table.phase is Phase.VOIDING:
        return tell(table, why.RETURN_EVERY_BET)
    reason = why_not_open(table)
    return tell(table, "refused.no_bets_open", reason=reason) if reason else tell(table, "refused.open_first")


def rulebook_is_in_force(table: Table, wall_ns: int) -> bool:
    return table.settings is not None and shelf.rulebook_at(table.settings.game, wall_ns) is not None


def _question(table: Table) -> str:
    return tell(table, why.ANSWER_BEFORE_OPENING) if table.irregularity.questions else ""


def _mail(table: Table) -> str:
    return tell(table, why.MAIL_FULL) if len(table.post.unanswered) >= MAIL_MAX else ""


def _clock(table: Table) -> str:
    return tell(table, why.CLOCK_TOO_EARLY) if table.service.clock_early else ""


def _say_fault(code: str) -> str:
    fault = CATALOGUE[code]
    return f"{code}: {fault.sentence} {fault.remedy}"


# In the order in which they are said: whoever mends the first should not meet the second only then.
_OBSTACLES: tuple[Callable[[Table], str], ...] = (why_no_deal, _clock, _question, _mail, inventory.unfit_deck)
