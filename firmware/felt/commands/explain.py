"""`felt explain F-nnn`: what a fault means and what to do."""

from __future__ import annotations

import argparse
import json
import sys

from felt.nouns.faults import CATALOGUE

EPILOG = """example:
  felt explain F-402"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("code", nargs="?", help="the fault's code; without one, all are listed")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    wanted = [arguments.code.upper()] if arguments.code else list(CATALOGUE)
    if wanted[0] not in CATALOGUE:
        known = ", ".join(CATALOGUE)
        print(f"felt explain: {arguments.code} is not a fault code; known: {known}", file=sys.stderr)
        return 2
    faults = [CATALOGUE[code] for code in wanted]
    if arguments.json:
        print(json.dumps([fault._asdict() for fault in faults]))
        return 0
    for fault in faults:
        print(f"{fault.code} ({fault.weight}): {fault.sentence}\n  {fault.remedy}")
    return 0
