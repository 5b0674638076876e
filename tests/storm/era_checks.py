"""What a new era must know about the old one. Compares the table that closed with the table that begins, so a field
that either end of the hand-over leaves out is noticed."""

from __future__ import annotations

from felt.rules import shelf
from felt.rules.rulebook import PLAY, REFUSE_REVEAL
from felt.table.state import Round, Table
from tests.storm.purse import Violation

OF_TABLE = ("post", "tally", "quarantined", "barred", "progressive_off")
OF_SERVICE = ("faults", "ordered_out", "passed")
OF_SHUFFLER = ("session", "identity", "version", "sequence", "ordinal", "doubt", "unchecked")
OF_LAST_ROUND = (
    "number", "rulebook", "version", "readings", "returned", "returned_by", "linked", "settled_at", "registered",
)  # fmt: skip


def check_handed_over(before: Table, after: Table) -> None:
    _compare(before, after, OF_TABLE)
    _compare(before.service, after.service, OF_SERVICE)
    _compare(before.shuffler, after.shuffler, OF_SHUFFLER)
    if after.irregularity.asked != before.irregularity.asked or after.panel.noticed != before.panel.noticed:
        raise Violation("a new era counts its questions or notices anew")
    _check_last_round(before.previous, after.previous)


def _compare(old: object, new: object, parts: tuple[str, ...]) -> None:
    for part in parts:
        was, now = getattr(old, part), getattr(new, part)
        if was != now:
            raise Violation(f"a new era begins with {part} {now!r} and not {was!r}")


def _check_last_round(old: Round | None, new: Round | None) -> None:
    """A restart does not change whether the last round can be voided, nor what would then be returned."""
    if old is None or old.void_rule or any(claim.verdict == "confirmed" for claim in old.claims):
        if new is not None:
            raise Violation(f"a new era opens the window in which round {new.number} can be voided")
        return
    if new is None:
        raise Violation(f"a new era closes the window in which round {old.number} can be voided")
    _compare(old, new, OF_LAST_ROUND)
    lost = sorted(_would_go_back(old) ^ {(bet.seat, bet.wager) for bet in new.bets})
    if lost:
        raise Violation(f"a new era begins with other bets of round {old.number}: {lost}")


def _would_go_back(ended: Round) -> set[tuple[int, str]]:
    wagers = [one for one in shelf.edition(ended.rulebook, ended.version).wagers if one.after_cards]
    played = [one.seat for one in ended.decisions if one.choice in (PLAY, REFUSE_REVEAL)]
    second = {
        (bet.seat, wager.name)
        for bet in ended.bets
        for wager in wagers
        if bet.accepted and bet.wager == wager.needs and bet.seat in played
    }
    return {(bet.seat, bet.wager) for bet in ended.bets} | second
