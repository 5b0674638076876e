"""`felt settle`: reads rounds as JSON lines and writes their settlement as JSON lines."""

from __future__ import annotations

import argparse
import sys

DESCRIPTION = (
    "Settles rounds given as JSON lines on standard input: one request a line, one answer a line, in the same order. "
    "Money is in minor units (cents). A bad line gets an error object in its place and makes the exit status 1."
)
EPILOG = """example:
  echo '{"id": 1, "game": "progressive-3-card-poker",
  "dealer": ["Js","Td","8c"], "boxes": [{"box": 1, "player": "A",
  "cards": ["Qh","4h","2s"], "decision": "play",
  "bets": {"ante": 5000, "play": 5000}}]}' | tr -d '\\n' | felt settle
"""
JOBS_MAX = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--jobs", type=_jobs, default=1, metavar="N", help="how many processor cores to use (default: 1)"
    )


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= JOBS_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of jobs: use 1 to {JOBS_MAX}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    # Imported here, so that other commands start without the JSON library.
    from felt.settling.stream import settle_stream

    return settle_stream(sys.stdin.buffer, sys.stdout.buffer, arguments.jobs)
