"""What a person can cause ends in one sentence on standard error and an exit status, never in a traceback."""

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


WRONG_USE = 2  # as the parser of arguments says it
INTERRUPTED = 130  # as a shell says it of Ctrl-C


class WrongUse(ConfigError):
    """What was typed cannot be meant; nothing was looked at."""


class Stopped(SystemExit):
    """The work failed; the sentence has been said."""


def status_of(error: Exception) -> int:
    """2 for what is wrong on the command line itself, 1 for what is wrong in a file or in the world."""
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
