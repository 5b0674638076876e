"""Errors that a person can cause end in one sentence on standard error and an exit status, never in a traceback."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from felt.config import ConfigError
from felt.config.errors import UnknownGame
from felt.jackpot.books.terms import TermsError
from felt.jackpot.ledger.port import LedgerError
from felt.journal.record import JournalError
from felt.loop.boot import BootRefused
from felt.nouns.values import ShapeError
from felt.ports import BoardUnavailable, DiskError, LinkUnavailable

_CAUSED_BY_A_PERSON = (
    ConfigError,
    LedgerError,
    TermsError,
    JournalError,
    DiskError,
    BootRefused,
    BoardUnavailable,
    LinkUnavailable,
    ShapeError,
)


WRONG_USE = 2  # the same status as argparse uses
INTERRUPTED = 130  # the exit status that shells use for Ctrl-C


class WrongUse(ConfigError):
    """The command line makes no sense; nothing was read yet."""


class Stopped(SystemExit):
    """The work failed, and the sentence was printed."""


def status_of(error: Exception) -> int:
    """2 for an error on the command line itself, 1 for an error in a file or elsewhere."""
    typed = isinstance(error, WrongUse) or (isinstance(error, UnknownGame) and error.typed)
    return WRONG_USE if typed else 1


@contextlib.contextmanager
def one_sentence(command: str) -> Iterator[None]:
    try:
        yield
    except _CAUSED_BY_A_PERSON as error:
        print(f"{command}: {error}", file=sys.stderr)
        raise Stopped(status_of(error)) from None
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        raise Stopped(INTERRUPTED) from None
