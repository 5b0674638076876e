"""JSON as a program of ours writes it, by a compiled reader and writer. Nothing is decided here: whatever is not to the
last byte what we would have written is left to the careful reader, who accepts it or says what is wrong with it. This
room knows no message and no letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import msgspec

from felt.nouns.plain import write_plain

T = TypeVar("T")

DELETE = b"\x7f"  # the one character of ASCII that the careful writer escapes and the compiled one does not

_encode = msgspec.json.Encoder().encode
_NOUGHTS_FOR_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_TWENTY_DIGITS = b"0" * 20
_NINE_AND_EIGHTEEN = re.compile(rb"9[0-9]{18}")


def reader_of(shape: type[T]) -> Callable[[bytes], T | None]:
    """For records of whole numbers, texts and further records. None: the careful reader must look. How large a number
    may be, whoever asks must see to: here it may have any length."""
    decode = msgspec.json.Decoder(shape).decode

    def read(data: bytes) -> T | None:
        if not _is_simple(data):
            return None
        try:
            value = decode(data)
        except (msgspec.MsgspecError, RecursionError):
            return None
        # The compiled reader forgives blanks, strange keys, parts that lack and parts that are there twice. What is
        # written back as the very same bytes had none of them.
        return value if _encode(value) == data else None

    return read


def may_exceed_64_bits(data: bytes) -> bool:
    """Whether some number has twenty digits, or nineteen with a nine in front, as no honest one has before 2255."""
    return _TWENTY_DIGITS in data.translate(_NOUGHTS_FOR_DIGITS) or _NINE_AND_EIGHTEEN.search(data) is not None


def write(value: object) -> str:
    """The text that `write_plain` gives, sooner, of what `write_plain` takes: of other things the compiled writer has
    ideas of its own."""
    data = write_simple(value)
    return write_plain(value) if data is None else data.decode("ascii")


def write_simple(value: object) -> bytes | None:
    """A dataclass is written as an object of its fields. None: the careful writer must write it."""
    try:
        data = _encode(value)
    except UnicodeEncodeError:
        return None
    return data if data.isascii() and DELETE not in data else None


def _is_simple(data: bytes) -> bool:
    """Nothing that the two writers write differently, and no nought character, which is refused."""
    return data.isascii() and DELETE not in data and b"u0000" not in data
