"""`felt jackpot backup` and `restore`: copy the ledger to a file while the controller runs, and back while none
runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from felt.config.jackpot_file import JackpotConfig
from felt.jackpot.ledger import backup
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.reading import open_for_reading
from felt.nouns.values import to_plain


def take_backup(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    if not arguments.what:
        print("felt jackpot: name the file: felt jackpot backup FILE", file=sys.stderr)
        return 2
    ledger = open_for_reading(config.ledger_place())
    try:
        made = backup.write_backup(ledger, Path(arguments.what), today=arguments.today)
    finally:
        ledger.close()
    _tell(made, f"{arguments.what} holds the ledger, was read back and adds up", arguments)
    return 0


def put_back(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    if not arguments.what:
        print("felt jackpot: name the file: felt jackpot restore FILE", file=sys.stderr)
        return 2
    from felt.jackpot.controller.standby import while_nobody_leads

    _refuse_a_running_controller(config)
    _refuse_a_kept_file(config)
    with while_nobody_leads(config.ledger_place()):
        made = backup.put_back(config.ledger_place(), Path(arguments.what), config.procedure_terms())
    _tell(made, "the ledger is restored and adds up", arguments)
    if not arguments.json:
        print("tables that went on after this backup will say F-304: see firmware/JACKPOT.md before betting opens")
    return 0


def _refuse_a_running_controller(config: JackpotConfig) -> None:
    from felt.wiring.sockets import controller_answers

    if controller_answers(config.path(config.controller.control)):
        raise LedgerError("A controller is running on this ledger: stop it first.")


def _refuse_a_kept_file(config: JackpotConfig) -> None:
    """Checked before opening, which would change the file."""
    where = config.ledger_place()
    if "://" not in where and any(Path(where + ending).exists() for ending in ("", "-wal", "-witness")):
        raise LedgerError(
            f"{where}, {where}-wal or {where}-witness is there: a backup is only put back where there is no ledger; "
            "move them aside and keep them as evidence."
        )


def _tell(made: backup.Made, sentence: str, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(to_plain(made)))
    else:
        print(f"{sentence}: {made.entries} entries, {made.letters} letters, sha256 {made.digest}")
