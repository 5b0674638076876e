"""What a person can cause ends in one sentence on standard error and an exit status, never in a traceback."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from felt.config import ConfigError
from felt.jackpot.ledger import LedgerError
from felt.jackpot.terms import TermsError
from felt.journal.record import JournalError
from felt.nouns.shapes import ShapeError
from felt.ports import BoardUnavailable, DiskError, LinkUnavailable
from felt.service.boot import BootRefused

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


@contextlib.contextmanager
def one_sentence(command: str) -> Iterator[None]:
    try:
        yield
    except _CAUSED_BY_A_PERSON as error:
        print(f"{command}: {error}", file=sys.stderr)
        raise Stopped(WRONG_USE if isinstance(error, WrongUse) else 1) from None
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        raise Stopped(INTERRUPTED) from None
