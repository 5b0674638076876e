"""The codec between a table and the jackpot controller. One message is one JSON object. Knows no transport, ledger
or clock. Anything that is not a message is a `WireError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from felt.letters.addressed import NAME_MEANING, is_name
from felt.letters.from_controller import Acked, Pong, Refused, Valued
from felt.letters.from_table import (
    AWARD_MINOR_MAX,
    LETTERS,
    SHARE_DEN_MAX,
    STAKE_MINOR_MAX,
    BetsReturnedLetter,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    HitReportedLetter,
    Letter,
    Ping,
    Posted,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
)
from felt.nouns.cards import CardError, parse_card
from felt.nouns.values import ShapeError, fit, read, read_message, to_bytes

MESSAGE_BYTES_MAX = 64 * 1024
PROBLEM_CHARACTERS_MAX = 240


class WireError(ValueError):
    """The bytes are no message, or the text is no letter. The message is one sentence."""


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
    """Decodes what `encode` wrote, with keys in any order. Anything else is a `WireError`."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise WireError(f"A message of {len(data)} bytes is longer than the limit of {MESSAGE_BYTES_MAX}.")
    try:
        message: Message = read_message(_ANY, data)
        if isinstance(message, Posted) and message.kind not in LETTERS:
            raise ShapeError("is not a kind of letter", ("kind",))
    except ShapeError as error:
        raise WireError(f"The message cannot be read: {brief(error)}.") from None
    return message


def brief(problem: object) -> str:
    text = str(problem).encode("ascii", "backslashreplace").decode("ascii").rstrip(".")
    return text if len(text) <= PROBLEM_CHARACTERS_MAX else text[:PROBLEM_CHARACTERS_MAX] + "…"


# --- letters -----------------------------------------------------------------------------------------


def read_letter(kind: str, text: str) -> Letter:
    """Decodes what `from_table.write` wrote. Any other text is a `WireError`, even one with the same meaning."""
    shape = LETTERS.get(kind)
    if shape is None:
        raise WireError(f"{brief(repr(kind))} is not a kind of letter.")
    try:
        letter = read(shape, text)
        _check_letter(letter)
    except (ShapeError, CardError) as error:
        raise WireError(f"The {kind} letter cannot be read: {brief(error)}.") from None
    return letter


def _check_letter(letter: Letter) -> None:
    if fit(letter) != letter:
        raise ShapeError("a text holds a control character or another that no ledger can keep")
    if letter.round < 1:
        raise ShapeError("rounds count from one", ("round",))
    check = _LETTER_CHECKS.get(type(letter))
    if check is not None:
        check(letter)


def _check_locked(letter: RoundLockedLetter) -> None:
    seats = []
    for contribution in letter.contributions:
        if contribution.seat < 1 or not 1 <= contribution.stake_minor <= STAKE_MINOR_MAX:
            raise ShapeError(f"{contribution.stake_minor} is no stake of box {contribution.seat}", ("contributions",))
        seats.append(contribution.seat)
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
        raise ShapeError(f"{claim.share_num}/{claim.share_den} is not a valid share of a meter", ("claims",))
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
    if not is_name(claim):
        raise ShapeError(f"a claim has {NAME_MEANING}", ("claim",))


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

