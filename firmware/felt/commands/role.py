"""The argument that names the reader's role, which may allow every card."""

from __future__ import annotations

import argparse

from felt.table import redacted

HELP = (
    "show every card that this role may see; no PIN is asked: whoever may read the journal's files "
    "(the service's user and root) may see its cards"
)


def add_role_argument(parser: argparse.ArgumentParser, only_with: str = "") -> None:
    told = f"with {only_with}: {HELP}" if only_with else HELP
    parser.add_argument("--role", choices=redacted.MAY_SEE_CARDS, default="", help=told)
