"""The one way to write a value as JSON here: ASCII, no spaces, keys as they come, so that the same value is the same
text always. Digests, journal lines and letters all hang on it."""

from __future__ import annotations

from collections.abc import Callable
from json import encoder


def _refuse(value: object) -> object:
    raise TypeError(f"{value!r} cannot be written as JSON")


def _standard() -> Callable[[object], str]:
    return encoder.JSONEncoder(
        check_circular=False, allow_nan=False, separators=(",", ":"), ensure_ascii=True, default=_refuse
    ).encode


def _compiled() -> Callable[[object], str]:
    """The standard encoder makes its compiled half anew for every value, which costs more than a small value does.
    Ours is made once. Values here are trees without cycles, so it needs no memory of what it has seen."""
    make = getattr(encoder, "c_make_encoder", None)
    if make is None:
        return _standard()
    write_chunks = make(None, _refuse, encoder.encode_basestring_ascii, None, ":", ",", False, False, False)

    def write_value(value: object) -> str:
        return "".join(write_chunks(value, 0))

    return write_value


write_plain = _compiled()
