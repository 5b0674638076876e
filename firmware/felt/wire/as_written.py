"""JSON as a program of ours writes it, by a compiled reader and writer. Nothing is decided here: whatever is not to the
last byte what we would have written is left to the careful reader, who accepts it or says what is wrong with it. This
room knows no message and no letter. The compiled half is taken by whoever has many letters to read, the controller: of
a table's few, the memory for it would be the greater price."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from felt.nouns.plain import write_plain

T = TypeVar("T")

DELETE = 0x7F  # the one character of ASCII that the careful writer escapes and the compiled one does not
BACKSLASH = 0x5C
NOUGHT = b"u0000"  # a text with it is refused; of one that only says so, the careful reader finds out

_NOUGHTS_FOR_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_TWENTY_DIGITS = b"0" * 20
_NINE_AND_EIGHTEEN = re.compile(rb"9[0-9]{18}")


class _Compiled:
    """What is loaded, once it is. What is read and written is the same with it and without."""

    __slots__ = ("decoders", "encode")

    def __init__(self) -> None:
        self.encode: Callable[[object], bytes] | None = None
        self.decoders: dict[type, Callable[[bytes], Any]] = {}


_compiled = _Compiled()
_shapes: list[type] = []


def take_compiled() -> None:
    import msgspec

    _compiled.decoders = {shape: msgspec.json.Decoder(shape).decode for shape in _shapes}
    _compiled.encode = msgspec.json.Encoder().encode


def leave_compiled() -> None:
    _compiled.encode = None


def reader_of(shape: type[T]) -> Callable[[bytes], T | None]:
    """For records of whole numbers, texts and further records. None: the careful reader must look. How large a number
    may be, whoever asks must see to: here it may have any length."""
    _shapes.append(shape)

    def read(data: bytes) -> T | None:
        decode, encode = _compiled.decoders.get(shape), _compiled.encode
        if decode is None or encode is None:
            return None
        # Beyond these there is nothing that the two writers write differently, and nothing that a text may not hold.
        if not data.isascii() or DELETE in data or (BACKSLASH in data and NOUGHT in data):
            return None
        try:
            value: T = decode(data)
        except (ValueError, RecursionError):  # as which the compiled reader says all that is wrong
            return None
        # The compiled reader forgives blanks, strange keys, parts that lack and parts that are there twice. What is
        # written back as the very same bytes had none of them.
        return value if encode(value) == data else None

    return read


def may_exceed_64_bits(data: bytes) -> bool:
    """Whether some number has twenty digits, or nineteen with a nine in front, as no honest one has before 2255."""
    return _TWENTY_DIGITS in data.translate(_NOUGHTS_FOR_DIGITS) or _NINE_AND_EIGHTEEN.search(data) is not None


def write(value: object) -> str:
    """The text that `write_plain` gives, of what `write_plain` takes: of other things the compiled writer has ideas of
    its own."""
    data = write_simple(value)
    return write_plain(value) if data is None else data.decode("ascii")


def write_simple(value: object) -> bytes | None:
    """A dataclass is written as an object of its fields. None: the careful writer must write it."""
    encode = _compiled.encode
    if encode is None:
        return None
    try:
        data = encode(value)
    except UnicodeEncodeError:
        return None
    return data if data.isascii() and DELETE not in data else None
