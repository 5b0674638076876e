"""The period of a report: a shift, a day, or from a time until a time, by this host's wall clock. A day begins with
its first shift."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from felt.commands.failing import WrongUse
from felt.jackpot.controller.reports import Period
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import replace

NOW = "now"
_Day = TypeVar("_Day", bound=date)
YEARS = range(1971, 9999)  # years for which the day before and after can be computed in any zone


def add_period_arguments(shown: argparse._ArgumentGroup) -> None:
    shift = "a shift, such as 2026-11-16/2 for the second of that day; without DAY/NUMBER the current one"
    day = "a day, such as 2026-11-16; without DAY today. It begins with its first shift, at 06:00 unless set"
    shown.add_argument("--shift", nargs="?", const=NOW, metavar="DAY/NUMBER", help=shift)
    shown.add_argument("--day", nargs="?", const=NOW, metavar="DAY", help=day)
    shown.add_argument("--from", dest="since", metavar="TIME", help="from this time on, such as 2026-11-16T06:00")


def period_of(shifts: Sequence[str], arguments: argparse.Namespace, now: datetime) -> Period:
    named = _named(shifts, arguments, now)
    return replace(named, is_open=named.until_ns > int(now.timestamp()) * NS_PER_S)


def _named(shifts: Sequence[str], arguments: argparse.Namespace, now: datetime) -> Period:
    chosen = [bool(arguments.shift), bool(arguments.day), bool(arguments.since or arguments.to)]
    if sum(chosen) != 1:
        problem = "no period is named, or more than one"
        raise WrongUse("", "", problem, "name one period: --shift, --day, or --from and --to")
    begins = [time.fromisoformat(text) for text in shifts]
    if arguments.shift:
        return _shift(arguments.shift, begins, now)
    if arguments.day:
        day = _day_of(begins, now) if arguments.day == NOW else _read_day(arguments.day)
        whole = _between(_at(day, begins[0]), _at(day + timedelta(days=1), begins[0]))
        return replace(whole, day=day.isoformat())
    until = _read_time(arguments.to) if arguments.to else now
    if not arguments.since or _read_time(arguments.since) >= until:
        raise WrongUse("--from", "", "it is missing or not before --to", "name an earlier time, 2026-11-16T06:00")
    return _between(_read_time(arguments.since), until)


def _shift(text: str, begins: list[time], now: datetime) -> Period:
    if text == NOW:
        day = _day_of(begins, now)
        number = sum(1 for place in range(len(begins)) if _begin(day, begins, place) <= now)
    else:
        day_text, _, number_text = text.partition("/")
        day, number = _read_day(day_text), _read_number(number_text)
    if not 1 <= number <= len(begins):
        raise WrongUse("--shift", "", f"{text[:40]} is not a shift", f"write a day and a number up to {len(begins)}")
    return _between(_begin(day, begins, number - 1), _begin(day, begins, number))


def _begin(day: date, begins: list[time], place: int) -> datetime:
    """The start of a day's shift. Shifts after midnight belong to the same day, and the last one ends where the next
    day begins."""
    if place == len(begins):
        return _at(day + timedelta(days=1), begins[0])
    return _at(day + timedelta(days=1 if begins[place] < begins[0] else 0), begins[place])


def _day_of(begins: list[time], now: datetime) -> date:
    return now.date() if now >= _at(now.date(), begins[0]) else now.date() - timedelta(days=1)


def _at(day: date, moment: time) -> datetime:
    return datetime.combine(day, moment).astimezone()


def _between(since: datetime, until: datetime) -> Period:
    return Period(int(since.timestamp()) * NS_PER_S, int(until.timestamp()) * NS_PER_S)


def _read_number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= 4 else 0


def _read_day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise WrongUse("--day or --shift", "", f"{text[:40]!r} is not a day", "write it as 2026-11-16") from None
    return _reckonable(day, "--day or --shift")


def _read_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse("--from or --to", "", f"{text[:40]!r} is not a time", "write it as 2026-11-16T06:00") from None
    return _reckonable(moment, "--from or --to").astimezone()


def _reckonable(found: _Day, where: str) -> _Day:
    if found.year not in YEARS:
        raise WrongUse(where, "", f"no table played in the year {found.year}", "name a day after 1970")
    return found
