"""What each box is paid and loses: one short line a box for the dealer, and every line with its paragraph for
questions."""

from __future__ import annotations

import textwrap

from felt.nouns.money import Currency, say
from felt.rules.rulebook import Line
from felt.table import redacted
from felt.table.state import Round

WIDTH = 78
_ITEMS_FROM = 25  # column where the bets of a box begin


def box_rows(playing: Round, currency: Currency) -> list[str]:
    """The cards; before the settlement the decision, after it what is paid and lost. Some rows may be folded."""
    cards = {hand.target: _say_cards(hand) for hand in redacted.hands_of(playing)}
    lines: dict[str, list[Line]] = {}
    for line in redacted.lines_of(playing):
        lines.setdefault(str(line.seat), []).append(line)
    decided = {str(decided_box.seat): decided_box.choice for decided_box in playing.decisions}
    targets = [*cards, *(seat for seat in lines if seat not in cards)]
    rows: list[str] = []
    for target in targets:
        start = f"{f'box {target}' if target.isdigit() else target:<7}{cards.get(target, ''):<9}"
        if len(start) > _ITEMS_FROM:
            rows.append(start)
        elif target in lines:
            rows += _settled(start, lines[target], currency)
        else:
            rows.append(f"{start} {decided.get(target, '')}".rstrip())
    return rows


def _say_cards(hand: redacted.Hand) -> str:
    return " ".join(hand.cards) if hand.cards else " ".join("##" for _ in range(hand.dealt))


def _settled(start: str, lines: list[Line], currency: Currency) -> list[str]:
    """Payments come first, so that only losses are cut off."""
    paid_first = sorted(lines, key=lambda line: line.paid == 0)
    items = ", ".join(f"{line.bet} {_say_result(line, currency)}".replace(" ", "\0") for line in paid_first)
    room = textwrap.wrap(items.replace(",\0", ", "), WIDTH - _ITEMS_FROM) or [""]
    first, *more = (row.replace("\0", " ") for row in room)
    net = _say_net(lines, currency)
    return [f"{start:<16}{net:>8} {first}", *(" " * _ITEMS_FROM + row for row in more)]


def _say_net(lines: list[Line], currency: Currency) -> str:
    """The player's net result; empty if an amount is unknown."""
    net = 0
    for line in lines:
        if line.paid is None or (line.lost is None and line.stake is None):
            return ""
        net += line.paid - (line.lost or 0)
    return _signed(net, currency)


def _say_result(line: Line, currency: Currency) -> str:
    if line.paid:
        return _signed(line.paid, currency)
    if line.paid is None:
        return f"{line.outcome} {line.odds}".rstrip()
    return _signed(-line.lost, currency) if line.lost else line.outcome


def _signed(amount_minor: int, currency: Currency) -> str:
    return f"{'-' if amount_minor < 0 else '+'}{short(abs(amount_minor), currency)}" if amount_minor else "0"


def short(amount_minor: int, currency: Currency) -> str:
    """`$25` if there are no cents."""
    unit = 10**currency.minor_digits
    said = say(amount_minor, currency)
    return said if amount_minor % unit or not currency.minor_digits else said.partition(".")[0]


def in_full(ended: Round | None, currency: Currency) -> list[str]:
    """Every line of a settled round with paragraph and reason."""
    if ended is None or not ended.lines:
        return []
    void = f" (void by {ended.void_rule})" if ended.void_rule else ""
    rows = [row for line in redacted.lines_of(ended) for row in say_line(line, currency)]
    return [f"verdict of round {ended.number}{void}:", *rows]


def say_line(line: Line, currency: Currency) -> list[str]:
    """Puts the reason beside the verdict if it fits, otherwise below."""
    stake = "" if not line.stake else say(line.stake, currency)
    if line.paid:
        result = f"+{say(line.paid, currency)}"
    elif line.paid is None:
        result = line.odds
    else:
        result = f"-{say(line.lost, currency)}" if line.lost else ""
    text = f"  box {line.seat} {line.bet:<12} {stake:>9} {line.outcome:<8} {result:<12} {line.rule:<7}"
    if len(text) + 1 + len(line.because) <= WIDTH:
        return [f"{text} {line.because}".rstrip()]
    return [text.rstrip(), *textwrap.wrap(line.because, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)]
