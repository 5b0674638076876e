"""`felt jackpot act`: what persons decide at the controller, said field by field in the units of people, shown before
and after, and done when somebody has typed yes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from felt.commands.failing import WrongUse
from felt.commands.paper import money
from felt.config.jackpot_file import JackpotConfig
from felt.nouns.money import MICRO_PER_MINOR

Ask = Callable[[dict[str, Any]], dict[str, Any]]
_EXAMPLE = """'{"meter": "major"}'"""
_AMOUNTS = {
    "amount": ("amount_micro", MICRO_PER_MINOR), "award": ("award_minor", 1), "reset": ("reset_minor", 1),
    "limit": ("limit_minor", 1), "base": ("base_minor", 1), "threshold": ("threshold_minor", 1),
}  # fmt: skip
_PERCENTS = {"rate": "rate_bp", "reserve": "reserve_bp"}
_NUMBERS = ("round", "odds_to_one")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="act: what it needs; repeat it"
    )
    parser.add_argument("--fields", default="{}", metavar="JSON", help="act: the same for a program, in whole numbers")
    parser.add_argument("--person", action="append", default=[], metavar="NAME:ROLE", help="act: who signs; repeat it")
    parser.add_argument("--reason", default="", help="act: why, in words that are kept for ever")
    parser.add_argument("--yes", action="store_true", help="act: do it without asking")


def act(config: JackpotConfig, arguments: argparse.Namespace, ask: Ask) -> int:
    name, digits = arguments.what, config.controller.minor_digits
    if not name:
        raise WrongUse("", "", "no act is named", "write it as in felt jackpot act ClearMeter: see felt jackpot --help")
    fields = {**_fields_in(arguments.fields), **fields_said(arguments.set, digits)}
    persons = [[who.strip(), role.strip()] for who, _, role in (text.partition(":") for text in arguments.person)]
    words = {"fields": fields, "persons": persons, "reason": arguments.reason}
    if not arguments.yes:
        shown = ask({"preview": name, **words})
        if "refused" in shown:
            return _refused(shown)
        print("\n".join(preview_lines(name, shown["preview"], digits)))
        if not _says_yes():
            print("felt jackpot: nothing was done.", file=sys.stderr)
            return 1
    answer = ask({"act": name, **words})
    if "refused" in answer:
        return _refused(answer)
    print(json.dumps(answer) if arguments.json else f"{name} is done and written down")
    return 0


def _refused(answer: dict[str, Any]) -> int:
    print(f"felt jackpot: {answer['refused']}", file=sys.stderr)
    return 1


def _says_yes() -> bool:
    print("Type yes to do it: ", end="", flush=True)
    return sys.stdin.readline().strip() == "yes"


def preview_lines(name: str, preview: dict[str, Any], digits: int) -> list[str]:
    """What would change, in the currency."""
    lines = [f"{name} would change:"]
    for meter, changes in preview["meters"].items():
        for field, (before, after) in changes.items():
            lines.append(f"  meter {meter}, {_said(field, before, after, digits)}")
    lines += [
        f"  written down: {entry['kind']} {entry['meter']} {entry['claim']} {entry['detail']}"
        for entry in preview["records"]
    ]
    return lines


def _said(field: str, before: Any, after: Any, digits: int) -> str:
    def said(value: Any) -> str:
        if field.endswith("_micro"):
            return money(value, digits)
        if field.endswith("_minor"):
            return money(value * MICRO_PER_MINOR, digits)
        return f"{Decimal(value) / 100} %" if field.endswith("_bp") else str(value) or "nothing"

    return f"{re.sub('_(micro|minor|bp)$', '', field).replace('_', ' ')}: {said(before)} becomes {said(after)}"


# --- fields ------------------------------------------------------------------------------------------


def fields_said(words: list[str], digits: int) -> dict[str, Any]:
    """`--set reset=5000.00 --set rate=3%` as the controller takes it."""
    fields: dict[str, Any] = {}
    for word in words:
        name, is_said, text = word.partition("=")
        if not is_said or not name:
            raise WrongUse("--set", "", f"{word[:40]!r} names no field", "write it as in --set meter=major")
        fields |= _field(name, text.strip(), digits)
    if "claim" in fields:
        claim = {"table": fields.pop("table", ""), "claim": fields.pop("claim"), "nonce": fields.pop("nonce", "")}
        fields["claim"] = claim
    return fields


def _field(name: str, text: str, digits: int) -> dict[str, Any]:
    if name in _AMOUNTS:
        field, units = _AMOUNTS[name]
        return {
            field: _whole(
                name,
                text,
                Decimal(10) ** digits * units,
                f"an amount of the currency, as 12{'.50'[: digits + 1] if digits else ''}",
            )
        }
    if name in _PERCENTS:
        return {_PERCENTS[name]: _whole(name, text.removesuffix("%").strip(), Decimal(100), "a percentage, as 3.25%")}
    if name in _NUMBERS:
        return {name: _whole(name, text, Decimal(1), "a whole number")}
    if name == "share":
        num, _, den = text.partition("/")
        wanted = "a share, as 1/10"
        return {
            "share_num": _whole(name, num, Decimal(1), wanted),
            "share_den": _whole(name, den or "1", Decimal(1), wanted),
        }
    if name == "claims":
        named = (claim.partition(":") for claim in text.split(","))
        return {name: [{"table": table, "claim": claim} for table, _, claim in named]}
    if name == "pay":
        if text not in ("yes", "no"):
            raise WrongUse("--set", name, f"{text[:40]!r} is neither yes nor no", "say which")
        return {name: text == "yes"}
    return {"nonce" if name == "journal" else name: text}


def _whole(name: str, text: str, units: Decimal, wanted: str) -> int:
    try:
        value = Decimal(text) * units
        if value == value.to_integral_value():
            return int(value)
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise WrongUse("--set", name, f"{text[:40]!r} is not {wanted}", "correct it")


def _fields_in(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text, parse_constant=_refuse_number, parse_float=_refuse_number)
    except json.JSONDecodeError as error:
        problem = f"this is not JSON: {error.msg} at character {error.pos + 1} of {len(text)}"
        raise WrongUse("--fields", "", problem, "correct it there") from None
    except RecursionError:
        raise WrongUse("--fields", "", "lists within lists go too deep", f"write it as {_EXAMPLE}") from None
    except ValueError as error:  # from a number, ours or Python's own for thousands of digits
        raise WrongUse("--fields", "", str(error), "write whole numbers") from None
    if not isinstance(fields, dict):
        raise WrongUse("--fields", "", "this is JSON, but not an object", f"write it as {_EXAMPLE}")
    return fields


def _refuse_number(text: str) -> NoReturn:
    """Refuses NaN and fractions: no act takes them, and some cannot even be sent."""
    raise ValueError(f"{text} is no whole number")
