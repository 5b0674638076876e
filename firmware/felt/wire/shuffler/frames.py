"""Frames of Felt's shuffler protocol: cuts them from the byte stream and checks that they are whole. This module does
not know what a frame says.

A frame on the line is `7E <stuffed body> 7E`. Within the body `7E` is written `7D 5E` and `7D` is written `7D 5D`, so a
bare `7E` is always the edge of a frame, and a reader is in sync again at the next one, whatever came before. One `7E`
may close a frame and open the next.

    body = version (1)  kind (1)  sequence (2)  payload length (1)  payload  crc (2)

Numbers are big-endian; the CRC is CRC-16/CCITT-FALSE (0x1021, start 0xFFFF) over all that precedes it.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Iterator

from felt.nouns.values import Value

VERSION = 1
FLAG = b"\x7e"
ESCAPE = b"\x7d"
ESCAPED_FLAG = b"\x7d\x5e"
ESCAPED_ESCAPE = b"\x7d\x5d"

HEAD_BYTES = 5
CRC_BYTES = 2
CRC_START = 0xFFFF
PAYLOAD_BYTES_MAX = 192
STUFFED_BYTES_MAX = 2 * (HEAD_BYTES + PAYLOAD_BYTES_MAX + CRC_BYTES)
RAW_KEPT_BYTES_MAX = 64  # this many bytes of an unreadable frame are kept as evidence
SEQUENCE_MAX = 0xFFFF
UNNUMBERED = 0


class FrameError(Value):
    """The bytes are not a message. The reader is already in sync again."""

    reason: str
    raw: bytes
    damaged: bool = True  # by the line or a faulty device; False: a valid frame of an unknown kind
    sequence: int = UNNUMBERED  # of a valid frame that must be acknowledged, or the device never goes on


class Frame(Value):
    kind: int
    sequence: int
    payload: bytes
    body: bytes  # as received, unstuffed


def encode_frame(kind: int, sequence: int, payload: bytes) -> bytes:
    assert len(payload) <= PAYLOAD_BYTES_MAX, f"a payload of {len(payload)} bytes does not fit a frame"
    assert 0 <= sequence <= SEQUENCE_MAX, f"{sequence} is no sequence number"
    head = bytes((VERSION, kind)) + sequence.to_bytes(2, "big") + bytes((len(payload),))
    body = head + payload
    return FLAG + _stuff(body + crc_hqx(body, CRC_START).to_bytes(CRC_BYTES, "big")) + FLAG


def _stuff(body: bytes) -> bytes:
    return body.replace(ESCAPE, ESCAPED_ESCAPE).replace(FLAG, ESCAPED_FLAG)


def decode_frame(stuffed: bytes) -> Frame | FrameError:
    body = stuffed
    escapes = stuffed.count(ESCAPE)
    if escapes:
        if escapes != stuffed.count(ESCAPED_ESCAPE) + stuffed.count(ESCAPED_FLAG):
            return wire_error("an escape byte is not followed by 5D or 5E", stuffed)
        body = stuffed.replace(ESCAPED_FLAG, FLAG).replace(ESCAPED_ESCAPE, ESCAPE)
    if len(body) < HEAD_BYTES + CRC_BYTES:
        return wire_error(f"{len(body)} bytes are too few for a frame", stuffed)
    if crc_hqx(body, CRC_START) != 0:  # the CRC over content and CRC is 0
        return wire_error("the CRC does not match", stuffed)
    if body[0] != VERSION:
        return wire_error(f"protocol version {body[0]} is not {VERSION}", stuffed, damaged=False)
    payload = body[HEAD_BYTES:-CRC_BYTES]
    if body[4] != len(payload):
        return wire_error(f"the length says {body[4]} but the payload has {len(payload)} bytes", stuffed)
    return Frame(body[1], int.from_bytes(body[2:4], "big"), payload, body)


def wire_error(reason: str, raw: bytes, *, damaged: bool = True, sequence: int = UNNUMBERED) -> FrameError:
    return FrameError(reason, raw[:RAW_KEPT_BYTES_MAX], damaged, sequence)


class FrameCutter:
    """Cuts bytes into frames. Holds at most one unfinished frame."""

    def __init__(self) -> None:
        self._partial = b""
        self._overlong = False  # the current frame was already reported as too long

    def receive(self, data: bytes) -> Iterator[Frame | FrameError]:
        *whole, rest = (self._partial + data).split(FLAG)
        self._partial = b""  # consumed even if the caller stops half-way
        for stuffed in whole:
            if self._overlong:
                self._overlong = False
            elif len(stuffed) > STUFFED_BYTES_MAX:
                yield _too_long(stuffed)
            elif stuffed:
                yield decode_frame(stuffed)
        if self._overlong:
            return
        if len(rest) > STUFFED_BYTES_MAX:
            self._overlong = True
            yield _too_long(rest)
        else:
            self._partial = rest


def _too_long(stuffed: bytes) -> FrameError:
    return wire_error(f"more than {STUFFED_BYTES_MAX} bytes without the end of a frame", stuffed)


def next_sequence(sequence: int) -> int:
    return sequence + 1 if sequence < SEQUENCE_MAX else 1
