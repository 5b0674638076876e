"""What can happen to a table, named in the past tense. A fact is frozen, carries its stamp, and is all that the journal
stores. Nothing here decides anything."""

from __future__ import annotations

from typing import Any, Union

from felt.nouns.cards import Card
from felt.nouns.ids import Spot
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value, read, to_text
from felt.table.settings import Settings


class Fact(Value, tag=True, tag_field="is"):
    at: Stamp


# --- the panel ---------------------------------------------------------------------------------------

Meters = tuple[tuple[str, int], ...]  # meter name, displayed value in micro-units


class OpenPressed(Fact):
    """The dealer calls "Place your Bets"."""


class NoMoreBetsPressed(Fact):
    edge_ns: int
    meters: Meters  # the value registered with the lock
    edition: int = 0  # of the controller's answer that told it


class CollectPressed(Fact):
    pass


class CardsSeenPressed(Fact):
    pass


class FoldModePressed(Fact):
    pass


class PlayModePressed(Fact):
    pass


class SeatPressed(Fact):
    seat: int


class RevealPressed(Fact):
    pass


class SettlePressed(Fact):
    """The SETTLE/END key: settles after the reveal, ends the round after paying."""


class VoidPressed(Fact):
    """The dealer's VOID key calls the supervisor. It does not void anything itself."""


class MisdealPressed(Fact):
    """The dealer declares that something is wrong with the cards."""


class OtherModePressed(Fact):
    """Selects the next of the less common modes of the box keys."""


class CountMismatchPressed(Fact):
    """The number of collected chips differs from the number of accepted progressive bets."""


class SupervisorTurned(Fact):
    on: bool  # of the key switch


class DealerSignedIn(Fact):
    """A dealer signs in by a code on the box keys, or by name at the desk. An empty name signs out. A code is never
    journaled."""

    name: str
    person: str


class WrongCodeEntered(Fact):
    pass


# Chips and bets. A contact moves in bursts: edges closer together than its settle time. The fact of a burst has its
# first and last edge in this boot's monotonic time; without a last one there was only one edge.


class ChipSeen(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipLifted(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipFlickered(Fact):
    """A burst ended on the level on which it began, so it changed nothing."""

    spot: Spot
    edge_ns: int
    last_ns: int  # when the contact was back on the old level


class ChipChattered(Fact):
    """A burst is longer than four settle times and still goes on."""

    spot: Spot
    edge_ns: int


class LevelFound(Fact):
    """A level without a movement of its own: chatter came to rest, or a reading found an edge that was lost. A level
    that was read has no edge; the contact changed at the latest when it was read."""

    spot: Spot
    present: bool
    edge_ns: int | None = None  # of the chatter that came to rest
    last_ns: int | None = None
    read_ns: int | None = None  # when the level was read


class BetKeyed(Fact):
    """A person keys a bet: because no sensor sees it, or to make its amount known. None: present, amount unknown."""

    spot: Spot
    amount_minor: int | None
    person: str
    player: str = ""  # whose bet it is, in games with back bettors


class BetUnkeyed(Fact):
    spot: Spot
    person: str


class AmountFound(Fact):
    """After the lock the dealer finds the true amount of a bet. The snapshot does not change; the settlement uses the
    amount."""

    spot: Spot  # may also be a bet placed with the decision, as in 3.play
    amount_minor: int
    person: str


# --- the shuffler and its cards ----------------------------------------------------------------------


class CardDealt(Fact):
    card: Card
    arrived_ns: int
    sequence: int  # of the shuffler's message, which it repeats until the table acknowledges it
    uncertain_ns: int = 0  # how much earlier the card may have left the shoe
    face_up: bool = False  # the device found it face up
    burnt: bool = False  # the device says that it laid the card aside; some devices cannot tell
    together: bool = False  # left at the same time as the card before it
    ordinal: int | None = None  # in its deal, from 1; None: the device does not count deals, or has lost count
    age_ns: int = 0  # the device says that the card left at least this long before it arrived; 0: it does not say


class CardUnread(Fact):
    """A card left the shuffler and could not be read, or was read and does not belong to the deck."""

    arrived_ns: int
    sequence: int
    uncertain_ns: int = 0
    foreign: bool = False
    ordinal: int | None = None
    age_ns: int = 0
    missing: bool = False  # no message reported it: a count shows that it left


class CardKeyed(Fact):
    """A person keys a card that was not read, under a supervisor's authority."""

    card: Card
    person: str
    role: str


class CardStruck(Fact):
    """A person with authority takes a card out of the inventory: it is not in play."""

    card: Card
    person: str
    role: str
    reason: str


class DiscardSaid(Fact):
    """Which of three community cards is discarded, counted from 1 in the order of the deal."""

    place: int
    person: str


class DeckReported(Fact):
    """The shuffler reports a change of its deck."""

    cards: int
    shuffled: bool
    sets: int  # hand sets dispensed since the shuffle
    face_up_next: bool
    jammed: bool
    door_open: bool


class DeckChanged(Fact):
    """A person put in a new deck."""

    person: str
    role: str


class DeckVerified(Fact):
    """A person put the deck in order and counted it: all 52 cards are there, and no others."""

    person: str
    role: str


class StubChecked(Fact):
    """A person counted the cards left after a deal."""

    cards: int
    person: str


class DealCountLost(Fact):
    """The number of cards that have left the shuffler is unknown: some may be missing."""

    reason: str


class FrameKept(Fact):
    """The shuffler sent a frame that the adapter does not understand. Its bytes are kept."""

    reason: str
    raw: str  # hexadecimal


class FramesCounted(Fact):
    """The number of further such frames within the minute, which were not kept."""

    count: int


class ShufflerLost(Fact):
    pass


class ShufflerFound(Fact):
    pass


class ShufflerGreeted(Fact):
    """The shuffler restarted: its message numbers begin again."""

    session: int
    identity: str = ""
    version: int = 1  # of the protocol, as agreed by both ends


# --- people ------------------------------------------------------------------------------------------


class BetsReturned(Fact):
    """A box leaves the round: its hand is invalid and its bets go back."""

    seat: int
    person: str
    role: str = "supervisor"


class SeatBarred(Fact):
    """A person takes a box out of play or brings it back. It lasts until it is changed again."""

    seat: int
    out: bool
    person: str


class ProgressiveSwitched(Fact):
    """The house plays on without progressive bets, or with them again, from the next round on."""

    off: bool
    person: str
    reason: str


class RevealRefused(Fact):
    """A player does not show his cards."""

    seat: int
    person: str


class HandEstablished(Fact):
    """A player's hand lies open before the settlement: he laid it down, or a person who saw it says so."""

    seat: int
    person: str  # who saw it


class TableOpened(Fact):
    person: str


class TableClosed(Fact):
    person: str


class VoidOrdered(Fact):
    person: str
    reason: str
    role: str = "supervisor"


class RulingMade(Fact):
    """A supervisor answers an open question."""

    question: str
    choice: str
    person: str
    reason: str
    role: str = "supervisor"


class IrregularityDeclared(Fact):
    """The dealer or a supervisor declares an irregularity that no device can detect."""

    mishap: str
    where: str  # a box, the dealer, the community, or empty
    evidence: str
    person: str
    role: str
    other: str = ""  # which hand got the cards of `where` instead
    count: int = 0  # cards that were counted there; 0: not counted
    reconstructable: str = ""  # yes or no, if a person has already judged it


class PlayerChose(Fact):
    """The choice of a box's player, where the rules let each player choose."""

    question: str
    seat: int
    choice: str  # continue or return
    person: str  # who recorded it


class CorrectionRecorded(Fact):
    """What was wrong with an earlier round and what was done about it. It is a record of its own: the round does not
    change."""

    round: int
    what: str
    person: str
    role: str
    reason: str


class HitReported(Fact):
    """A person sees a jackpot hand on the layout that the settlement did not find."""

    seat: int
    hand: str  # the row of the pay table, as in royal_flush
    evidence: str
    person: str
    role: str


class ClaimConfirmed(Fact):
    claim: str
    person: str


class ClaimDenied(Fact):
    claim: str
    person: str
    reason: str
    hand: str = "misread"  # misread, or stands: the hand is real, and the claim is denied for another reason


# --- the jackpot controller and its link -------------------------------------------------------------


class LetterAcked(Fact):
    sequence: int


class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int
    level: str = ""  # as recorded at the controller, where persons may have corrected it; empty: not told
    share_num: int = 0
    share_den: int = 0


class LinkLost(Fact):
    pass


class LinkFound(Fact):
    pass


# --- the house: settings, starts, eras, faults, service, the clock -----------------------------------


class Configured(Fact):
    """The settings in force from now on, in full."""

    settings: Settings
    digest: str


class Booted(Fact):
    """The firmware started: a new boot with its own clock, and every level as it was read."""

    firmware: str
    levels: tuple[tuple[Spot, bool], ...]


class EraClosed(Fact):
    """The last record of an era. Another version reads nothing but its hand-over."""

    handover: dict[str, Any]


class EraOpened(Fact):
    """The first fact of an era: a new table, or the hand-over of the previous era."""

    nonce: str
    firmware: str
    handover: dict[str, Any]


class SnapshotTaken(Fact):
    digest: str


class DeadlinePassed(Fact):
    name: str


class StepFailed(Fact):
    """A fact that the core could not step. It is kept as text, so that no replay steps it again."""

    failed: str
    problem: str


class FaultRaised(Fact):
    code: str
    where: str


class FaultCleared(Fact):
    code: str
    where: str
    person: str


class OutOfServiceOrdered(Fact):
    person: str
    reason: str


class BackInServiceOrdered(Fact):
    person: str


class ClockStepped(Fact):
    by_ns: int  # how far the wall clock was set while the table ran; nothing is ordered by it


class ClockJudged(Fact):
    early: bool  # no version of the rulebook is in force at this wall-clock time


class LampFound(Fact):
    """A new judgement of a coin spot's lamp from the current that is fed back."""

    lamp: Spot
    state: str  # good, open or short


class DoorMoved(Fact):
    is_open: bool  # the cabinet's door, as its contact reports


# --- those who care for the table --------------------------------------------------------------------


class TestModeEntered(Fact):
    person: str


class TestModeLeft(Fact):
    person: str


class LampsTried(Fact):
    """In test mode exactly these lamps are lit."""

    lamps: tuple[str, ...]
    person: str


class EntryLogged(Fact):
    """A person opened or touched a part of the table."""

    part: str
    reason: str
    person: str
    licence: str


class AlertAcknowledged(Fact):
    """A person has seen a fault that stands, and takes care of it."""

    code: str
    where: str
    person: str


class SignInNoted(Fact):
    """A person signed in at the desk, or failed to. An unknown name is not stored, because it may be a PIN."""

    person: str  # empty: not a known person
    role: str
    outcome: str  # in, wrong or locked
    wait_s: int = 0  # of the lock-out that began, if one did


class MeterAdjusted(Fact):
    """Two persons adjusted a meter of the table's own jackpot ledger, which holds the entry."""

    meter: str
    purse: str
    amount_minor: int  # negative: taken out
    type: str
    person: str
    reason: str


# --- as text -----------------------------------------------------------------------------------------

SCHEMA = 1  # of the facts; the headers of a journal's segments name it
# Every kind must be defined above this line.
FACTS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
_ANY: Any = Union[tuple(FACTS.values())]  # noqa: UP007 # made from a list


def encode(fact: Fact) -> str:
    """One line of JSON. The same fact always gives the same line."""
    return to_text(fact)


def decode(text: str) -> Fact:
    """Decodes what `encode` wrote. Raises `ShapeError` for anything else."""
    fact: Fact = read(_ANY, text)
    return fact
