"""What makes a change behind the controller's back visible. Each commit is chained to the one before, by a digest of
everything that it brings; the standing that it leads to has a sum of its own, which is carried on row by row; and the
controller signs the head."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from felt.jackpot.books.accounts import Entry
from felt.jackpot.ledger.port import Closing, StoredLetter
from felt.nouns.values import replace, to_bytes

NO_HEAD = "0" * 64
_MODULUS = 2**256


class RowsSum:
    """The digests of all rows, added up: one row costs no more than itself."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._digests = {key: _digest_of_row(key, text) for key, text in rows.items()}
        self.value = sum(self._digests.values()) % _MODULUS

    def changed(self, rows: Mapping[str, str | None]) -> int:
        """What the sum becomes."""
        value = self.value
        for key, text in rows.items():
            value += (0 if text is None else _digest_of_row(key, text)) - self._digests.get(key, 0)
        return value % _MODULUS

    def take(self, rows: Mapping[str, str | None]) -> None:
        self.value = self.changed(rows)
        for key, text in rows.items():
            if text is None:
                self._digests.pop(key, None)
            else:
                self._digests[key] = _digest_of_row(key, text)


def hexed(value: int) -> str:
    return f"{value:064x}"


def _digest_of_row(key: str, text: str) -> int:
    return int.from_bytes(hashlib.sha256(to_bytes([key, text])).digest())


def next_head(
    head: str,
    number: int,
    written_ns: int,
    entries: Sequence[Entry],
    letters: Sequence[StoredLetter],
    rows_sum: str,
    closing: str = "",
) -> str:
    link = to_bytes([head, number, written_ns, entries, letters, rows_sum, closing])
    return hashlib.sha256(link).hexdigest()


def digest_of_closing(closing: Closing) -> str:
    """Where its entries have gone since is no part of it."""
    return hashlib.sha256(to_bytes(replace(closing, archived=""))).hexdigest()


def broken_closings(closings: Iterable[Closing]) -> str:
    """Each names the digest of the one before."""
    former: Closing | None = None
    for closing in closings:
        if former is not None and closing.former != digest_of_closing(former):
            return f"the closing of the period {closing.day} does not follow the one before"
        former = closing
    return ""


def sum_of_rows(rows: Mapping[str, str]) -> str:
    return hexed(RowsSum(rows).value)


def attested(head: str, number: int) -> bytes:
    """What the controller signs."""
    return f"felt jackpot ledger, commit {number}, head {head}".encode()
