"""What a table tells the jackpot controller. A letter stays in the table until its answer is journaled
and is posted again with the same id for as long as it takes. No cards of living hands, no meter values of
the table's own making."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.nouns.named import NamedTuple
from felt.nouns.plain import write_plain
from felt.nouns.stamps import Stamp


class Contribution(NamedTuple):
    seat: int
    stake_minor: int


class DealtHand(NamedTuple):
    seat: int
    last_card_ns: int  # monotonic, in the boot of the letter's own stamp
    uncertain_ns: int = 0  # how much earlier it may have been


class Claim(NamedTuple):
    """A share of a meter, never a sum: only the controller knows what it is worth."""

    claim: str
    seat: int
    level: str
    share_num: int
    share_den: int
    rank: str
    cards: tuple[Card, ...]
    dealt_ns: int
    registered_micro: int = 0  # the display as journaled with the lock: what pays if the system failed in this round
    uncertain_ns: int = 0
    by_hand: bool = False  # a card of the hand was keyed: to be verified by hand
    dealer: str = ""  # who was signed in when the round was opened
    shoe: str = ""  # the shuffler that the cards came from, and which of its sessions


class RoundLockedLetter(NamedTuple):
    """Contributions pend from here."""

    round: int
    locked_at: Stamp
    contributions: tuple[Contribution, ...]


class RoundDealtLetter(NamedTuple):
    round: int
    dealt_at: Stamp
    hands: tuple[DealtHand, ...]


class RoundResultLetter(NamedTuple):
    """Commits the round's contributions, drops those of boxes whose bets went back, and claims shares."""

    round: int
    decided_at: Stamp
    claims: tuple[Claim, ...]
    returned: tuple[int, ...] = ()


class HitReportedLetter(NamedTuple):
    """A share that persons claim after the result, because the table's own settlement had not found the hit."""

    round: int
    claim: Claim
    reported_by: str
    person: str  # who ruled that it is claimed
    evidence: str
    claimed_at: Stamp


class BetsReturnedLetter(NamedTuple):
    """After the result a hand was found invalid: what its box contributed is taken back, as a typed correction."""

    round: int
    seats: tuple[int, ...]
    rule: str
    person: str
    returned_at: Stamp


class ClaimConfirmedLetter(NamedTuple):
    round: int
    claim: str
    award_minor: int
    by_registered_value: bool  # valued by the meter journaled with the lock, because the link was lost
    person: str
    confirmed_at: Stamp


class ClaimDeniedLetter(NamedTuple):
    round: int
    claim: str
    person: str
    reason: str
    denied_at: Stamp


class RoundVoidedLetter(NamedTuple):
    """Before the result it drops what is pending; after it, it is a typed correction."""

    round: int
    reason: str
    rule: str
    person: str
    voided_at: Stamp
    after_result: bool


class RoundEndedLetter(NamedTuple):
    """Totals for reconciliation."""

    round: int
    ended_at: Stamp
    contributions_minor: int
    awards_minor: int
    accepted: int  # progressive bets


Letter = (
    RoundLockedLetter
    | RoundDealtLetter
    | RoundResultLetter
    | HitReportedLetter
    | BetsReturnedLetter
    | ClaimConfirmedLetter
    | ClaimDeniedLetter
    | RoundVoidedLetter
    | RoundEndedLetter
)

LETTERS: dict[str, type[Letter]] = {
    "RoundLocked": RoundLockedLetter,
    "RoundDealt": RoundDealtLetter,
    "RoundResult": RoundResultLetter,
    "HitReported": HitReportedLetter,
    "BetsReturned": BetsReturnedLetter,
    "ClaimConfirmed": ClaimConfirmedLetter,
    "ClaimDenied": ClaimDeniedLetter,
    "RoundVoided": RoundVoidedLetter,
    "RoundEnded": RoundEndedLetter,
}
NAME_OF: dict[type, str] = {kind: name for name, kind in LETTERS.items()}

def write(letter: Letter) -> str:
    """The text that is kept and posted, the same at every posting."""
    return write_plain(letter)
