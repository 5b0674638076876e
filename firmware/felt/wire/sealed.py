"""The sealed envelope between a table and the jackpot controller: direction, sender, key, session, and a MAC over
all of these and the content. A broker can drop, delay or repeat an envelope, but cannot forge, alter or redirect
one. No transport, no clock, no ledger; the caller supplies the keys."""

from __future__ import annotations

import hmac
import re
from enum import StrEnum

from felt.nouns.keyring import Keyring, LinkKey
from felt.nouns.values import Value
from felt.wire.jackpot import MESSAGE_BYTES_MAX

VERSION = 1
HEADER_BYTES_MAX = 256
SEALED_BYTES_MAX = MESSAGE_BYTES_MAX + HEADER_BYTES_MAX

_HEADER = re.compile(
    rb"(felt/1 (up|down|sign|here) ([A-Za-z0-9_.-]{1,64}) ([a-z0-9][a-z0-9-]{0,15}) ([0-9a-f]{16}) ([0-9]{1,15}))"
    rb" ([0-9a-f]{64})\n"
)
_ANY_VERSION = re.compile(rb"felt/([0-9]{1,6}) ")


class Purpose(StrEnum):
    """The purpose of a message. The MAC covers it, so an answer can never pass as a letter."""

    UP = "up"  # a table to the controller
    DOWN = "down"  # the controller to one table
    SIGN = "sign"  # the controller to everyone: the meters on the sign
    HERE = "here"  # a table's presence, and its last will


class Breach(StrEnum):
    """Why an envelope was refused; the counter for such refusals has this name."""

    OVERSIZED = "oversized"
    MALFORMED = "malformed"
    OTHER_VERSION = "other_version"
    MISDIRECTED = "misdirected"
    UNKNOWN_KEY = "unknown_key"
    FORGED = "forged"


class SealError(ValueError):
    def __init__(self, breach: Breach, sentence: str) -> None:
        super().__init__(sentence)
        self.breach = breach


class OpenedEnvelope(Value):
    key_id: str
    session: str  # chosen by the table each time it connects; every answer echoes it
    number: int  # counts the table's messages in that session, or the signs; an answer names the latest one received
    content: bytes


def seal(way: Purpose, name: str, key: LinkKey, session: str, number: int, content: bytes) -> bytes:
    """Seals the content. `name` is the table, or the link for a broadcast."""
    header = f"felt/{VERSION} {way} {name} {key.id} {session} {number}".encode("ascii")
    return b"%b %b\n%b" % (header, _mac(key, header, content), content)


def open_sealed(data: bytes, way: Purpose, name: str, keyring: Keyring) -> OpenedEnvelope:
    if len(data) > SEALED_BYTES_MAX:
        raise SealError(Breach.OVERSIZED, f"An envelope of {len(data)} bytes is longer than {SEALED_BYTES_MAX}.")
    found = _HEADER.match(data)
    if found is None:
        raise _unreadable(data)
    header, mac = found[1], found[7]
    said_way, said_name, key_id, session, number = (part.decode() for part in found.groups()[1:6])
    if (said_way, said_name) != (way, name):
        raise SealError(Breach.MISDIRECTED, f"An envelope of {said_name} ({said_way}) came as {name}'s ({way}).")
    key = keyring.named(key_id)
    if key is None:
        raise SealError(Breach.UNKNOWN_KEY, f"An envelope of {name} names the key {key_id}, which is not valid.")
    content = data[found.end() :]
    if not hmac.compare_digest(mac, _mac(key, header, content)):
        raise SealError(Breach.FORGED, f"An envelope of {name} is forged or altered: its MAC does not match.")
    return OpenedEnvelope(key.id, session, int(number), content)


def _unreadable(data: bytes) -> SealError:
    version = _ANY_VERSION.match(data)
    if version is not None and int(version[1]) != VERSION:
        sentence = f"An envelope is of version {int(version[1])}; this program speaks version {VERSION}."
        return SealError(Breach.OTHER_VERSION, sentence)
    return SealError(Breach.MALFORMED, "The bytes are not an envelope.")


def _mac(key: LinkKey, header: bytes, content: bytes) -> bytes:
    return hmac.digest(key.secret, b"%b\n%b" % (header, content), "sha256").hex().encode("ascii")
