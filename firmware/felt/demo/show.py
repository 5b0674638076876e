"""The demo's loop: tick, act, draw; at the end, the totals of the evening."""

from __future__ import annotations

import shutil
import sys
from typing import Any

from felt.demo.keyboard import NOTICES_MAX, Keyboard, Page, letters_as_typed, typed
from felt.demo.legend import HELP, keys_now
from felt.demo.people import People
from felt.demo.screen import Wanted, draw, top
from felt.demo.settlement import in_full
from felt.demo.stage import DemoStage
from felt.nouns.money import MICRO_PER_MINOR, say
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value
from felt.table import settle, views
from felt.table.state import Phase, Round, Table

LOOK_S = 0.05
STILL_S = 20
ACT_SHARE = 9  # a result is looked at so many times as long as any other act
HOME_AND_CLEAR = "\x1b[H\x1b[J"


class ShowOptions(Value):
    autoplay: bool
    rounds: int | None
    quiet: bool  # no picture of the table
    pace_ms: int  # how long people who play by themselves look at a result; 0: nobody waits


class EveningTotals:
    """Totals counted outside the table's own books."""

    def __init__(self, table: Table) -> None:
        self.ended = 0
        self.voided = 0
        self.bets = 0
        self.staked_minor = 0
        self.returned_minor = 0
        self.lost_minor = 0
        self.paid_minor = 0
        self.contributions_minor = 0
        self.stalled = ""  # why the demo gave up
        # A round that was open in the stored state belongs to this evening.
        self._last = table.tally.rounds - (1 if table.round is not None else 0)

    def watch(self, table: Table) -> bool:
        """Returns True when a round has just ended."""
        ended = table.previous
        if ended is None or ended.number <= self._last:
            return False
        self._last = ended.number
        self.ended += 1
        self._add(ended)
        return True

    def _add(self, ended: Round) -> None:
        self.bets += len(ended.bets)
        for line in ended.lines:
            self.staked_minor += line.stake or 0
            self.returned_minor += line.returned or 0
            self.lost_minor += line.lost or 0
            self.paid_minor += line.paid or 0
        if ended.void_rule:
            self.voided += 1
        else:
            self.contributions_minor += settle.staked_minor(ended)

    def balanced(self) -> bool:
        return self.staked_minor == self.returned_minor + self.lost_minor


def play(stage: DemoStage, wishes: ShowOptions) -> EveningTotals:
    stage.loop.start()
    total = EveningTotals(stage.table)
    people = People(stage, wishes.pace_ms // ACT_SHARE, wishes.pace_ms)
    keyboard = Keyboard(stage)
    stillness = Stillness(stage)
    picture: list[str] = []
    with letters_as_typed():
        while not keyboard.quit and not _enough(stage, wishes, total):
            stage.tick(LOOK_S)
            total.watch(stage.table)
            if wishes.autoplay:
                people.play()
                total.stalled = stillness.problem()
                if total.stalled:
                    break
            if not wishes.autoplay or sys.stdin.isatty():
                _read_keyboard(keyboard, wishes)
            if not wishes.quiet:
                picture = _show(stage, wishes, keyboard, picture)
    return total


class Stillness:
    """Detects that automatic players are stuck, since nobody would end such an evening."""

    def __init__(self, stage: DemoStage) -> None:
        self._stage = stage
        self._seen: object = None
        self._moved_ns = stage.now_ns()

    def problem(self) -> str:
        """Empty while the round makes progress. Notices and refusals are not progress."""
        table, now_ns = self._stage.table, self._stage.now_ns()
        seen = (table.phase, table.round, table.tally, table.irregularity.questions)
        if seen != self._seen:
            self._seen, self._moved_ns = seen, now_ns
        if now_ns - self._moved_ns < STILL_S * NS_PER_S:
            return ""
        stands = f"the table is {table.phase.value} and says: {views.prompt(table)}"
        return f"nothing has moved for {STILL_S} s, so the demo ends; {stands}"


def _enough(stage: DemoStage, wishes: ShowOptions, total: EveningTotals) -> bool:
    """The last round counts when it has ended and its letters are answered."""
    done = wishes.rounds is not None and total.ended >= wishes.rounds
    return done and stage.table.phase is Phase.IDLE and not stage.table.post.unanswered


def _read_keyboard(keyboard: Keyboard, wishes: ShowOptions) -> None:
    letters = typed()
    if letters is None:
        keyboard.quit = keyboard.quit or not wishes.autoplay
        return
    for letter in letters:
        if not wishes.autoplay or letter == "q":
            keyboard.take(letter)


def _show(stage: DemoStage, wishes: ShowOptions, keyboard: Keyboard, before: list[str]) -> list[str]:
    on_terminal = sys.stdout.isatty()
    columns, rows = shutil.get_terminal_size()
    picture = _picture(stage, wishes, keyboard, rows - 1 if on_terminal else None)
    if picture == before:
        return before
    if on_terminal:
        print(HOME_AND_CLEAR + "\n".join(line[: columns - 1] for line in picture), flush=True)
    else:
        new = [line for line in picture if line.strip() and line not in before]
        print("\n".join(new), flush=True)
    return picture


def _picture(stage: DemoStage, wishes: ShowOptions, keyboard: Keyboard, rows: int | None) -> list[str]:
    table, meters = stage.table, stage.running.office.meters()
    notices = table.panel.notices
    if wishes.autoplay:
        legend = "q quit" if sys.stdin.isatty() else ""
        return draw(table, meters, Wanted(rows, legend=legend, notices=notices[-NOTICES_MAX:]))
    fresh, now = keyboard.fresh(notices), keys_now(table, keyboard.kind)
    wanted = Wanted(rows, keyboard.hint, keyboard.said, now, letters=True, notices=fresh)
    if keyboard.page is Page.HELP:
        return [*top(table, meters, wanted), "", *HELP, "", "any key: back to the table"][:rows]
    if keyboard.page is Page.FULL:
        page = _page_of_verdict(table, keyboard, top(table, meters, wanted), rows)
        if page:
            return page
        keyboard.page = Page.TABLE
    return draw(table, meters, wanted)


def _page_of_verdict(table: Table, keyboard: Keyboard, heading: list[str], rows: int | None) -> list[str]:
    """Empty after the last page."""
    assert table.settings is not None
    lines = in_full(table.round or table.previous, table.settings.terms.currency)
    room = len(lines) if rows is None else max(1, rows - len(heading) - 2)
    shown = lines[keyboard.turned * room : (keyboard.turned + 1) * room]
    more = "w more" if lines[(keyboard.turned + 1) * room :] else "w back to the table"
    return [*heading, "", *shown, f"{more} | q quit"] if shown else []


def summary(stage: DemoStage, total: EveningTotals) -> dict[str, Any]:
    report = stage.running.office.report()
    differs = _difference(stage.table, total, report.contributions_minor)
    return {
        "game": stage.config.game.id,
        "rounds": total.ended,
        "voided": total.voided,
        "bets": total.bets,
        "staked": total.staked_minor,
        "returned": total.returned_minor,
        "lost": total.lost_minor,
        "contributions": report.contributions_minor,
        "paid": total.paid_minor,
        "jackpots": report.awards_minor,
        "meters": {
            meter.name: {
                "before": _exact(meter.before_micro),
                "after": _exact(meter.after_micro),
                "reserve": _exact(meter.reserve_micro),
                "hits": meter.hits,
            }
            for meter in report.meters
        },
        "conserved": report.conserved and total.balanced() and not differs,
        "problem": report.problem or differs,
    }


def _difference(table: Table, total: EveningTotals, office_minor: int) -> str:
    """The difference between the controller's books and the ended rounds. A round in play may already have its
    result in the books."""
    playing = table.round
    open_minor = 0
    if playing is not None and playing.settled_at is not None and not playing.void_rule:
        open_minor = sum(bet.amount_minor or 0 for bet in playing.bets if bet.coin and bet.accepted)
    if office_minor == total.contributions_minor + open_minor:
        return ""
    return f"the office has {office_minor} minor units of contributions, the ended rounds {total.contributions_minor}"


def _exact(micro: int) -> int | str:
    """Minor units; a fraction is a text, as everywhere."""
    if micro % MICRO_PER_MINOR == 0:
        return micro // MICRO_PER_MINOR
    return f"{micro}/{MICRO_PER_MINOR}"


def say_summary(stage: DemoStage, facts: dict[str, Any]) -> list[str]:
    currency = stage.table.settings
    assert currency is not None
    money = currency.terms.currency
    return [
        "",
        f"rounds         {facts['rounds']} ({facts['voided']} void)",
        f"bets           {facts['bets']}, known stakes {say(facts['staked'], money)}",
        f"contributions  {say(facts['contributions'], money)} of progressive bets",
        f"paid           {say(facts['paid'], money)} (jackpots {say(facts['jackpots'], money)})",
        *(
            f"meter {name:<9}{_say_meter(meter['before'], money)} -> {_say_meter(meter['after'], money)}"
            for name, meter in facts["meters"].items()
        ),
        f"money          {'conserved' if facts['conserved'] else 'NOT CONSERVED: ' + facts['problem']}",
    ]


def _say_meter(value: int | str, money: Any) -> str:
    if isinstance(value, int):
        return say(value, money)
    micro = int(value.partition("/")[0])
    return f"{say(micro // MICRO_PER_MINOR, money)} and {micro % MICRO_PER_MINOR}/{MICRO_PER_MINOR}"
