"""What a person can cause ends in one sentence on standard error and an exit status, never in a traceback."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from felt.config import ConfigError
from felt.jackpot.ledger import LedgerError
from felt.jackpot.meters import TermsError
from felt.journal.record import JournalError
from felt.ports import BoardUnavailable, DiskError
from felt.service.boot import BootRefused


class Stopped(SystemExit):
    """The work failed; the sentence has been said."""


@contextlib.contextmanager
def one_sentence(command: str) -> Iterator[None]:
    try:
        yield
    except (ConfigError, LedgerError, TermsError, JournalError, DiskError, BootRefused, BoardUnavailable) as error:
        print(f"{command}: {error}", file=sys.stderr)
        raise Stopped(1) from None
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        raise Stopped(1) from None
