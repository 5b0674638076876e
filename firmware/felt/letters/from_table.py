"""What a table tells the jackpot controller: letters, the message that carries one, and the ping. A letter stays in
the table until its answer is journaled; until then the table posts it again with the same id. Letters hold no cards of
a round that is still played, and no meter values that the table computed."""

from __future__ import annotations

from typing import get_args

from felt.letters.addressed import Addressed, Count, Number
from felt.nouns.cards import Card
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value, to_text

STAKE_MINOR_MAX = 1_000_000_000  # no chip is worth more; keeps every sum far inside 64 bits
AWARD_MINOR_MAX = 1_000_000_000_000  # the same for awards, in micro-units too
SHARE_DEN_MAX = 1_000_000


class Contribution(Value, array_like=True):
    seat: int
    stake_minor: int


class DealtHand(Value, array_like=True):
    seat: int
    last_card_ns: int  # monotonic, in the boot of the letter's own stamp
    uncertain_ns: int = 0  # how much earlier it may have been


class Claim(Value):
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


class _Letter(Value, tag=lambda name: name.removesuffix("Letter"), tag_field="is"):
    """Known by its kind's name in its own text."""

    round: int


class RoundLockedLetter(_Letter):
    """Contributions pend from here."""

    locked_at: Stamp
    contributions: tuple[Contribution, ...]


class RoundDealtLetter(_Letter):
    dealt_at: Stamp
    hands: tuple[DealtHand, ...]


class RoundResultLetter(_Letter):
    """Commits the round's contributions, drops those of boxes whose bets went back, and claims shares."""

    decided_at: Stamp
    claims: tuple[Claim, ...]
    returned: tuple[int, ...] = ()


class HitReportedLetter(_Letter):
    """A share that persons claim after the result, because the table's own settlement had not found the hit."""

    claim: Claim
    reported_by: str
    person: str  # who ruled that it is claimed
    evidence: str
    claimed_at: Stamp


class BetsReturnedLetter(_Letter):
    """After the result a hand was found invalid: what its box contributed is taken back, as a typed correction."""

    seats: tuple[int, ...]
    rule: str
    person: str
    returned_at: Stamp


class ClaimConfirmedLetter(_Letter):
    claim: str
    award_minor: int
    by_registered_value: bool  # valued by the meter journaled with the lock, because the link was lost
    person: str
    confirmed_at: Stamp


class ClaimDeniedLetter(_Letter):
    claim: str
    person: str
    reason: str
    denied_at: Stamp


class RoundVoidedLetter(_Letter):
    """Before the result it drops what is pending; after it, it is a typed correction."""

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
    """The text that is kept and posted, the same at every posting."""
    return to_text(letter)


class Posted(Addressed):
    """A letter on its way. Its identity is table, nonce and sequence; the journal's head is evidence."""

    sequence: Number
    kind: str
    body: str
    head_sequence: Count
    head_hash: str


class Ping(Addressed):
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
