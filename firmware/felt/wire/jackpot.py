"""Bytes into words and back, between a table and the jackpot controller. One message is one JSON object.
This room knows no transport, no ledger and no clock; whatever is not a message is a `WireError`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from felt.nouns.cards import CardError, parse_card
from felt.nouns.plain import write_plain
from felt.nouns.shapes import ShapeError, decoder_of
from felt.table import letters
from felt.table.letters import (
    LETTERS,
    NAME_OF,
    BetsReturnedLetter,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    Contribution,
    DealtHand,
    HitReportedLetter,
    Letter,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
)
from felt.wire import as_written
from felt.wire.strict_json import WHOLE_MAX, brief, read_json

# The jackpot room may not import from the table's: it meets the letters here.
__all__ = [
    "AWARD_MINOR_MAX",
    "GAP",
    "LETTERS",
    "MESSAGE_BYTES_MAX",
    "NAME_OF",
    "Acked",
    "BetsReturnedLetter",
    "Claim",
    "ClaimConfirmedLetter",
    "ClaimDeniedLetter",
    "Contribution",
    "DealtHand",
    "HitReportedLetter",
    "Letter",
    "Message",
    "Ping",
    "Pong",
    "Posted",
    "Refused",
    "RoundDealtLetter",
    "RoundEndedLetter",
    "RoundLockedLetter",
    "RoundResultLetter",
    "RoundVoidedLetter",
    "Valued",
    "WireError",
    "decode",
    "encode",
    "letter_text",
    "read_letter",
]

SCHEMA = 1
MESSAGE_BYTES_MAX = 64 * 1024
STAKE_MINOR_MAX = 1_000_000_000  # no chip is worth more; keeps every sum far inside 64 bits
AWARD_MINOR_MAX = 1_000_000_000_000  # the same for awards, in micro-units too
SHARE_DEN_MAX = 1_000_000
GAP = "gap"  # the reason of a refusal that an earlier letter cures: post from the oldest unanswered one

# Remembered, because the same few tables write all evening.
_is_name = lru_cache(1024)(re.compile(r"[A-Za-z0-9_.-]{1,64}").fullmatch)


class WireError(ValueError):
    """Bytes that are no message, or a text that is no letter, in one sentence."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A letter on its way. Its identity is table, nonce and sequence; the journal's head is evidence."""

    table: str
    nonce: str
    sequence: int
    kind: str
    body: str
    head_sequence: int
    head_hash: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for the meters, the claims valued and not yet resolved, and the latest letter known. It also is one half
    of a clock sample: when it was sent by the table's own clock, and which Pong was heard last, and when. A table
    that states its times early for what it sends and late for what it heard never narrows the truth away."""

    table: str
    nonce: str
    last_sequence: int
    boot: str = ""  # of the table's clock; empty: no sample
    sent_ns: int = 0  # monotonic in that boot, read before sending
    card_late_ns: int = 0  # how long after the card itself its stamp may be
    heard_boot: str = ""  # the controller's boot in the last Pong heard in this boot; empty: none yet
    heard_controller_ns: int = 0  # that Pong's controller_ns
    heard_ns: int = 0  # when it was heard, monotonic in the table's boot


@dataclass(slots=True)  # not frozen, which costs five times as much: there is one for every letter
class Acked:
    """The letter is in the ledger. Where it told totals, `differs` says what the ledger counts otherwise."""

    table: str
    nonce: str
    sequence: int
    highest_seen: int
    differs: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    table: str
    nonce: str
    sequence: int
    reason: str


@dataclass(frozen=True, slots=True)
class Valued:
    table: str
    nonce: str
    claim: str
    value_micro: int
    award_minor: int
    level: str = ""  # as persons may have corrected it; empty: told by an older controller
    share_num: int = 0
    share_den: int = 0


@dataclass(frozen=True, slots=True)
class Pong:
    table: str
    nonce: str
    highest_seen: int
    meters: dict[str, int]
    controller_boot: str = ""  # of the controller's clock; empty: it was given none
    controller_ns: int = 0  # monotonic in that boot, not later than the sending


Message = Posted | Ping | Acked | Refused | Valued | Pong

_MESSAGES: dict[str, type[Message]] = {kind.__name__: kind for kind in (Posted, Ping, Acked, Refused, Valued, Pong)}
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in _MESSAGES.values()
}
_HEADS: dict[type, bytes] = {
    kind: f'{{"message":"{name}","v":{SCHEMA},'.encode("ascii") for name, kind in _MESSAGES.items()
}
_READERS = {_HEADS[kind]: as_written.reader_of(kind) for kind in _MESSAGES.values() if kind is not Pong}
_REQUIRED: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING)
    for kind in _MESSAGES.values()
}
_NUMBERED = ("sequence", "round")  # these count from one; every other whole number may be nought
_COUNTS: dict[type, tuple[tuple[str, int], ...]] = {
    kind: tuple(
        (field.name, 1 if field.name in _NUMBERED else 0)
        for field in dataclasses.fields(kind)
        if field.type in (int, "int")
    )
    for kind in _MESSAGES.values()
}

# --- messages ----------------------------------------------------------------------------------------


def encode(message: Message) -> bytes:
    kind = type(message)
    content = as_written.write_simple(message)
    if content is None:
        content = write_plain({name: getattr(message, name) for name in _FIELDS[kind]}).encode("ascii")
    data = _HEADS[kind] + content[1:]
    if len(data) > MESSAGE_BYTES_MAX:
        raise WireError(f"A {kind.__name__} of {len(data)} bytes is longer than the limit of {MESSAGE_BYTES_MAX}.")
    return data


def decode(data: bytes) -> Message:
    """The message that `encode` wrote. Anything else is a `WireError`."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise WireError(f"A message of {len(data)} bytes is longer than the limit of {MESSAGE_BYTES_MAX}.")
    try:
        message = _as_written(data)
        if message is None:
            message = _message_of(read_json(data.decode("utf-8")))
        _check_names(message)
        _check_counts(message)
    except RecursionError:
        raise WireError("The message is nested too deeply.") from None
    except (ValueError, CardError) as error:
        raise WireError(f"The message cannot be read: {brief(error)}.") from None
    return message


def _message_of(plain: object) -> Message:
    if not isinstance(plain, dict):
        raise ShapeError("it is not an object")
    name = plain.pop("message", None)
    kind = _MESSAGES.get(name) if isinstance(name, str) else None
    version = plain.pop("v", None)
    if kind is None or type(version) is not int or version != SCHEMA:
        raise ShapeError(f"it names no message of version {SCHEMA}")
    missing = [field for field in _REQUIRED[kind] if field not in plain]
    if missing:
        raise ShapeError("missing", (missing[0],))
    message: Message = decoder_of(kind)(plain)
    return message


def _as_written(data: bytes) -> Message | None:
    for head, read in _READERS.items():
        if data.startswith(head):
            return read(b"{" + data[len(head) :])
    return None


def _check_names(message: Message) -> None:
    if not (_is_name(message.table) and _is_name(message.nonce)):
        field = "nonce" if _is_name(message.table) else "table"
        raise ShapeError("a name has 1 to 64 letters, digits, dots, dashes or underscores", (field,))
    if isinstance(message, Posted) and message.kind not in LETTERS:
        raise ShapeError("names no letter", ("kind",))


def _check_counts(message: Message) -> None:
    for field, least in _COUNTS[type(message)]:
        value = getattr(message, field)
        if not least <= value <= WHOLE_MAX:
            raise ShapeError(f"{value} is too {'small' if value < least else 'large'}", (field,))


# --- letters -----------------------------------------------------------------------------------------


def letter_text(letter: Letter) -> str:
    """The one text of a letter. The table keeps it, so that a resend is identical to the last byte."""
    return letters.write(letter)


def read_letter(kind: str, text: str) -> Letter:
    """The letter that `letter_text` wrote, now or in a version before; a `WireError` for any other text, even one of
    the same meaning."""
    shape = LETTERS.get(kind)
    if shape is None:
        raise WireError(f"{brief(repr(kind))} names no letter.")
    try:
        letter = _letter_as_written(kind, text) if text.isascii() else None
        if letter is None:
            letter = _letter_of(kind, shape, text)
        _check_letter(letter)
    except RecursionError:
        raise WireError(f"The {kind} letter is nested too deeply.") from None
    except (ValueError, CardError) as error:
        raise WireError(f"The {kind} letter cannot be read: {brief(error)}.") from None
    return letter


_READ_LETTER: dict[str, Callable[[bytes], Letter | None]] = {
    kind: as_written.reader_of(shape) for kind, shape in LETTERS.items()
}


def _letter_as_written(kind: str, text: str) -> Letter | None:
    data = text.encode("ascii")
    letter = _READ_LETTER[kind](data)
    return None if letter is None or as_written.may_exceed_64_bits(data) else letter


def _letter_of(kind: str, shape: type[Letter], text: str) -> Letter:
    plain = read_json(text)
    letter: Letter = decoder_of(shape)(_completed(kind, plain))
    if write_plain(plain) != text:
        raise ShapeError("it is not in its canonical form")
    return letter


# Where a letter lists what has grown parts since it was first written.
_GROWN: dict[str, tuple[int, type[DealtHand] | type[Claim]]] = {"RoundDealt": (2, DealtHand), "RoundResult": (2, Claim)}


def _completed(kind: str, plain: object) -> object:
    """A table that was given new firmware still posts what the old one wrote and nobody answered: the parts that it did
    not know have their defaults."""
    if kind not in _GROWN or not isinstance(plain, list):
        return plain
    place, shape = _GROWN[kind]
    if len(plain) <= place or not isinstance(plain[place], list):
        return plain
    whole = len(shape._fields)
    if not [one for one in plain[place] if not isinstance(one, list) or len(one) != whole]:
        return plain
    return [*plain[:place], [_grown(shape, one) for one in plain[place]], *plain[place + 1 :]]


def _grown(shape: type[DealtHand] | type[Claim], one: object) -> object:
    defaults = list(shape._field_defaults.values())
    first = len(shape._fields) - len(defaults)  # as many as it had when it was first written
    return [*one, *defaults[len(one) - first :]] if isinstance(one, list) and len(one) >= first else one


def _check_letter(letter: Letter) -> None:
    if letter.round < 1:
        raise ShapeError("rounds count from one", ("round",))
    check = _LETTER_CHECKS.get(type(letter))
    if check is not None:
        check(letter)


def _check_locked(letter: RoundLockedLetter) -> None:
    seats = []
    for seat, stake_minor in letter.contributions:
        if seat < 1 or not 1 <= stake_minor <= STAKE_MINOR_MAX:
            raise ShapeError(f"{(seat, stake_minor)} is no seat with a stake", ("contributions",))
        seats.append(seat)
    _check_unique(seats, "seat")


def _check_result(letter: RoundResultLetter) -> None:
    if letter.returned:
        _check_unique(list(letter.returned), "seat")
    if letter.claims:
        _check_claims(letter)


def _check_claims(letter: RoundResultLetter) -> None:
    _check_unique([claim.claim for claim in letter.claims], "claim")
    for claim in letter.claims:
        _check_claim(claim)


def _check_claim(claim: Claim) -> None:
    _check_identity(claim.claim)
    if not 1 <= claim.share_num <= claim.share_den <= SHARE_DEN_MAX:
        raise ShapeError(f"{claim.share_num}/{claim.share_den} is no share of a meter", ("claims",))
    for card in claim.cards:
        parse_card(card)


def _check_reported(letter: HitReportedLetter) -> None:
    _check_claim(letter.claim)


def _check_returned(letter: BetsReturnedLetter) -> None:
    _check_unique(list(letter.seats), "seat")
    if not letter.seats:
        raise ShapeError("it names no box", ("seats",))


def _check_confirmed(letter: ClaimConfirmedLetter) -> None:
    _check_identity(letter.claim)
    if not 0 <= letter.award_minor <= AWARD_MINOR_MAX:
        raise ShapeError(f"an award is 0 to {AWARD_MINOR_MAX} minor units", ("award_minor",))


def _check_ended(letter: RoundEndedLetter) -> None:
    if min(letter.contributions_minor, letter.awards_minor, letter.accepted) < 0:
        raise ShapeError("a total is never negative")


def _check_identity(claim: str) -> None:
    if not _is_name(claim):
        raise ShapeError("a claim's name has 1 to 64 letters, digits, dots, dashes or underscores", ("claim",))


def _check_unique(names: list[Any], noun: str) -> None:
    if len(set(names)) == len(names):
        return
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ShapeError(f"the {noun} {name} is named twice")


_LETTER_CHECKS: dict[type, Callable[[Any], None]] = {
    RoundLockedLetter: _check_locked,
    RoundResultLetter: _check_result,
    HitReportedLetter: _check_reported,
    BetsReturnedLetter: _check_returned,
    ClaimConfirmedLetter: _check_confirmed,
    ClaimDeniedLetter: lambda letter: _check_identity(letter.claim),
    RoundEndedLetter: _check_ended,
}

