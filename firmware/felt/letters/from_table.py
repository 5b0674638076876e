"""The table's messages to the jackpot controller: letters, the envelope of a letter, and the ping. A letter stays in
the table until its answer is journaled; until then the table posts it again with the same id. A letter holds no
cards of a round in play, and no meter value that the table computed."""

from __future__ import annotations

from typing import get_args

from felt.letters.addressed import Addressed, Count, Number
from felt.nouns.cards import Card
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value, to_text

STAKE_MINOR_MAX = 1_000_000_000  # no chip is worth more; keeps every sum well within 64 bits
AWARD_MINOR_MAX = 1_000_000_000_000  # the same limit for awards, in micro-units too
SHARE_DEN_MAX = 1_000_000


class Contribution(Value, array_like=True):
    seat: int
    stake_minor: int


class DealtHand(Value, array_like=True):
    seat: int
    last_card_ns: int  # monotonic, in the boot of the letter's own stamp
    uncertain_ns: int = 0  # the card may have been dealt this much earlier


class Claim(Value):
    """A share of a meter, never a sum: only the controller knows its value."""

    claim: str
    seat: int
    level: str
    share_num: int
    share_den: int
    rank: str
    cards: tuple[Card, ...]
    dealt_ns: int
    registered_micro: int = 0  # the meter as journaled with the lock; pays the award if the system failed in this round
    uncertain_ns: int = 0
    by_hand: bool = False  # a card of the hand was keyed, so a person must verify it
    dealer: str = ""  # who was signed in when the round opened
    shoe: str = ""  # which shuffler dealt the cards, and in which of its sessions


class _Letter(Value, tag=lambda name: name.removesuffix("Letter"), tag_field="is"):
    """Tagged with the name of its kind."""

    round: int


class RoundLockedLetter(_Letter):
    """Contributions are pending from here on."""

    locked_at: Stamp
    contributions: tuple[Contribution, ...]
    edition: Count = 0  # of the Pong whose values the table registered; 0: it has heard none


class RoundDealtLetter(_Letter):
    dealt_at: Stamp
    hands: tuple[DealtHand, ...]


class RoundResultLetter(_Letter):
    """Commits the round's contributions, drops those of boxes whose bets were returned, and claims shares."""

    decided_at: Stamp
    claims: tuple[Claim, ...]
    returned: tuple[int, ...] = ()


class HitReportedLetter(_Letter):
    """A share that persons claim after the result, because the table's own settlement missed the hit."""

    claim: Claim
    reported_by: str
    person: str  # who ruled that it is claimed
    evidence: str
    claimed_at: Stamp


class BetsReturnedLetter(_Letter):
    """After the result, a hand was found invalid. A typed correction takes its box's contribution back."""

    seats: tuple[int, ...]
    rule: str
    person: str
    returned_at: Stamp


class ClaimConfirmedLetter(_Letter):
    claim: str
    award_minor: int
    by_registered_value: bool  # the link was lost, so the meter journaled with the lock gave the value
    person: str
    confirmed_at: Stamp


class ClaimDeniedLetter(_Letter):
    claim: str
    person: str
    reason: str
    denied_at: Stamp


class RoundVoidedLetter(_Letter):
    """Before the result it drops the pending contributions; after the result it is a typed correction."""

    reason: str
    rule: str
    person: str
    voided_at: Stamp
    after_result: bool


class RoundEndedLetter(_Letter):
    """Totals for reconciliation."""

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

LETTERS: dict[str, type[Letter]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Letter)}
NAME_OF: dict[type, str] = {kind: name for name, kind in LETTERS.items()}


def write(letter: Letter) -> str:
    """The text that is stored and posted; every posting sends the same text."""
    return to_text(letter)


class Posted(Addressed):
    """A letter in transit. Table, nonce and sequence identify it; the journal's head is evidence."""

    sequence: Number
    kind: str
    body: str
    head_sequence: Count
    head_hash: str


class Ping(Addressed):
    """Asks for the meters, the claims that are valued but not resolved, and the highest letter known. It is also
    half of a clock sample: the table's time of sending, and the latest Pong with its time of arrival. The table
    reads the first time early and the second late, so the interval always contains the true offset."""

    last_sequence: Count
    boot: str = ""  # boot of the table's clock; empty: no sample
    sent_ns: Count = 0  # monotonic in that boot, read before the ping is sent
    card_late_ns: Count = 0  # how long after the card itself its stamp may be
    heard_boot: str = ""  # the controller's boot in the latest Pong of this boot; empty: none yet
    heard_controller_ns: Count = 0  # that Pong's controller_ns
    heard_ns: Count = 0  # when it arrived, monotonic in the table's boot
