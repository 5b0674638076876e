"""`felt explain F-nnn`: explains a fault and its remedy."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import textwrap

from felt.nouns.faults import CATALOGUE
from felt.nouns.values import to_plain

WIDTH = 80
EPILOG = """example:
  felt explain F-402"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("code", nargs="?", metavar="CODE", help="the code, such as F-402; without it, all are listed")
    parser.add_argument("--json", action="store_true", help="print a JSON list, for a program")


def run(arguments: argparse.Namespace) -> int:
    wanted = [arguments.code.upper()] if arguments.code else list(CATALOGUE)
    if wanted[0] not in CATALOGUE:
        near = ", ".join(_nearest(wanted[0]))
        sentence = f"{arguments.code} is not a fault code; nearest: {near}; felt explain alone lists all"
        print(f"felt explain: {sentence}", file=sys.stderr)
        return 2
    faults = [CATALOGUE[code] for code in wanted]
    if arguments.json:
        print(json.dumps([to_plain(fault) for fault in faults]))
        return 0
    for fault in faults:
        print(textwrap.fill(f"{fault.code} ({fault.weight}): {fault.sentence}", WIDTH, subsequent_indent="    "))
        print(textwrap.fill(fault.remedy, WIDTH, initial_indent="  ", subsequent_indent="  "))
    return 0


def _nearest(code: str) -> list[str]:
    """The codes that begin with it, otherwise similar ones, otherwise those of the same hundred."""
    code = code if code.startswith("F-") else f"F-{code}"
    begun = [known for known in CATALOGUE if known.startswith(code) and len(code) > len("F-4")]
    if begun:
        return begun[:3]
    found = difflib.get_close_matches(code, CATALOGUE, n=3, cutoff=0.7)
    return found or [code_begun for code_begun in CATALOGUE if code_begun[:3] == code[:3]][:3] or [max(CATALOGUE)]
