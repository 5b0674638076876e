"""Bytes into words and back, between a table and the jackpot controller. One message is one JSON object.
This room knows no transport, no ledger and no clock; whatever is not a message is a `WireError`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta

from felt.nouns.cards import CardError, parse_card
from felt.nouns.values import WHOLE_MAX, ShapeError, Value, read, read_message, to_bytes
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
    "brief",
    "decode",
    "encode",
    "letter_text",
    "read_letter",
]

MESSAGE_BYTES_MAX = 64 * 1024
STAKE_MINOR_MAX = 1_000_000_000  # no chip is worth more; keeps every sum far inside 64 bits
AWARD_MINOR_MAX = 1_000_000_000_000  # the same for awards, in micro-units too
SHARE_DEN_MAX = 1_000_000
PROBLEM_CHARACTERS_MAX = 240
GAP = "gap"  # the reason of a refusal that an earlier letter cures: post from the oldest unanswered one

_NAME = Meta(
    pattern=r"\A[A-Za-z0-9_.-]{1,64}\Z", description="a name of 1 to 64 letters, digits, dots, dashes or underscores"
)
Name = Annotated[str, _NAME]
_is_name = re.compile(_NAME.pattern or "").match
Count = Annotated[int, Meta(ge=0, le=WHOLE_MAX)]
Number = Annotated[int, Meta(ge=1, le=WHOLE_MAX)]  # these count from one


class WireError(ValueError):
    """Bytes that are no message, or a text that is no letter, in one sentence."""


class _Message(Value, tag=True, tag_field="is"):
    table: Name
    nonce: Name


class Posted(_Message):
    """A letter on its way. Its identity is table, nonce and sequence; the journal's head is evidence."""

    sequence: Number
    kind: str
    body: str
    head_sequence: Count
    head_hash: str


class Ping(_Message):
    """Asks for the meters, the claims valued and not yet resolved, and the latest letter known. It also is one half
    of a clock sample: when it was sent by the table's own clock, and which Pong was heard last, and when. A table
    that states its times early for what it sends and late for what it heard never narrows the truth away."""

    last_sequence: Count
    boot: str = ""  # of the table's clock; empty: no sample
    sent_ns: Count = 0  # monotonic in that boot, read before sending
    card_late_ns: Count = 0  # how long after the card itself its stamp may be
    heard_boot: str = ""  # the controller's boot in the last Pong heard in this boot; empty: none yet
    heard_controller_ns: Count = 0  # that Pong's controller_ns
    heard_ns: Count = 0  # when it was heard, monotonic in the table's boot


class Acked(_Message):
    """The letter is in the ledger. Where it told totals, `differs` says what the ledger counts otherwise."""

    sequence: Number
    highest_seen: Count
    differs: str = ""


class Refused(_Message):
    sequence: Number
    reason: str


class Valued(_Message):
    """The frozen value of a claim's meter and the award, with level and share as they stand at the controller, where
    persons may have corrected them."""

    claim: str
    value_micro: Count
    award_minor: Count
    level: str = ""
    share_num: Count = 0
    share_den: Count = 0


class Pong(_Message):
    highest_seen: Count
    meters: dict[str, int]
    controller_boot: str = ""  # of the controller's clock; empty: it was given none
    controller_ns: Count = 0  # monotonic in that boot, not later than the sending


Message = Posted | Ping | Acked | Refused | Valued | Pong
_ANY: Any = Message

# --- messages ----------------------------------------------------------------------------------------


def encode(message: Message) -> bytes:
    data = to_bytes(message)
    if len(data) > MESSAGE_BYTES_MAX:
        kind = type(message).__name__
        raise WireError(f"A {kind} of {len(data)} bytes is longer than the limit of {MESSAGE_BYTES_MAX}.")
    return data


def decode(data: bytes) -> Message:
    """The message that `encode` wrote, its keys in any order. Anything else is a `WireError`."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise WireError(f"A message of {len(data)} bytes is longer than the limit of {MESSAGE_BYTES_MAX}.")
    try:
        message: Message = read_message(_ANY, data)
        if isinstance(message, Posted) and message.kind not in LETTERS:
            raise ShapeError("names no letter", ("kind",))
    except ShapeError as error:
        raise WireError(f"The message cannot be read: {brief(error)}.") from None
    return message


def brief(problem: object) -> str:
    text = str(problem).encode("ascii", "backslashreplace").decode("ascii").rstrip(".")
    return text if len(text) <= PROBLEM_CHARACTERS_MAX else text[:PROBLEM_CHARACTERS_MAX] + "…"


# --- letters -----------------------------------------------------------------------------------------


def letter_text(letter: Letter) -> str:
    """The one text of a letter. The table keeps it, so that a resend is identical to the last byte."""
    return letters.write(letter)


def read_letter(kind: str, text: str) -> Letter:
    """The letter that `letter_text` wrote; a `WireError` for any other text, even one of the same meaning."""
    shape = LETTERS.get(kind)
    if shape is None:
        raise WireError(f"{brief(repr(kind))} names no letter.")
    try:
        letter = read(shape, text)
        _check_letter(letter)
    except (ShapeError, CardError) as error:
        raise WireError(f"The {kind} letter cannot be read: {brief(error)}.") from None
    return letter


def _check_letter(letter: Letter) -> None:
    if letter.round < 1:
        raise ShapeError("rounds count from one", ("round",))
    check = _LETTER_CHECKS.get(type(letter))
    if check is not None:
        check(letter)


def _check_locked(letter: RoundLockedLetter) -> None:
    seats = []
    for one in letter.contributions:
        if one.seat < 1 or not 1 <= one.stake_minor <= STAKE_MINOR_MAX:
            raise ShapeError(f"{one.stake_minor} on box {one.seat} is no stake of a box", ("contributions",))
        seats.append(one.seat)
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
        raise ShapeError(f"a claim has {_NAME.description}", ("claim",))


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

