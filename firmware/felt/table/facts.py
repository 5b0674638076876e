"""What can happen to a table, in the past tense. A fact is frozen, carries its stamp and is all that the journal
keeps. Nothing here decides anything."""

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
    """"Place your Bets"."""


class NoMoreBetsPressed(Fact):
    edge_ns: int
    meters: Meters  # the value registered with the lock


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
    """The dealer's VOID key calls the supervisor; it voids nothing by itself."""


class MisdealPressed(Fact):
    """The dealer declares that something went wrong with the cards."""


class OtherModePressed(Fact):
    """The next of the rarer things that a seat key can do."""


class CountMismatchPressed(Fact):
    """The chips collected are not as many as the progressive bets accepted."""


class SupervisorTurned(Fact):
    on: bool  # the key switch


class DealerSignedIn(Fact):
    """By a code on the seat keys, or by name at the desk; an empty name signs out. No code is ever a fact."""

    name: str
    person: str


class WrongCodeEntered(Fact):
    pass


# chips and bets. A contact moves in bursts: edges nearer to one another than its settle time. A fact of a burst has
# its first and last edge, in this boot's monotonic time; without the last one it had only one edge.


class ChipSeen(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipLifted(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipFlickered(Fact):
    """A burst that ended on the level on which it began: it has changed nothing."""

    spot: Spot
    edge_ns: int
    last_ns: int  # when the old level was back


class ChipChattered(Fact):
    """A burst has become longer than four settle times and goes on."""

    spot: Spot
    edge_ns: int


class LevelFound(Fact):
    """A level that no single movement tells of: where chatter came to rest, or what was read again when the edge was
    lost. A level that was read has no edge; it had that level at the latest when it was read."""

    spot: Spot
    present: bool
    edge_ns: int | None = None  # of the chatter that came to rest
    last_ns: int | None = None
    read_ns: int | None = None  # when the level was read


class BetKeyed(Fact):
    """A bet told by a person: where nothing senses it, or to make its amount known. None = merely present."""

    spot: Spot
    amount_minor: int | None
    person: str
    player: str = ""  # whose bet it is, where the game lets several players bet on one box


class BetUnkeyed(Fact):
    spot: Spot
    person: str


class AmountFound(Fact):
    """After the lock the dealer finds what a bet really amounts to. The snapshot stays; the settlement heeds it."""

    spot: Spot  # also that of a bet which lies there since the decision, as in 3.play
    amount_minor: int
    person: str


# --- the shuffler and its cards ----------------------------------------------------------------------


class CardDealt(Fact):
    card: Card
    arrived_ns: int
    sequence: int  # of the shuffler's message, which it repeats until it is acknowledged
    uncertain_ns: int = 0  # how much earlier than it arrived the card may have left
    face_up: bool = False  # found face up by the device
    burnt: bool = False  # the device says that it laid the card aside; one that cannot tell says nothing
    together: bool = False  # left at the same time as the card before it
    ordinal: int | None = None  # in its deal, from 1; None: the device does not count by deals, or does not know
    age_ns: int = 0  # it had left at least so long before it arrived, as the device says; 0: it does not say


class CardUnread(Fact):
    """A card left the shuffler and could not be read, or was read and is none of the deck."""

    arrived_ns: int
    sequence: int
    uncertain_ns: int = 0
    foreign: bool = False
    ordinal: int | None = None
    age_ns: int = 0
    missing: bool = False  # nobody heard of it: a count shows that it left


class CardKeyed(Fact):
    """A card that was not read, entered by hand under a supervisor's authority."""

    card: Card
    person: str
    role: str


class CardStruck(Fact):
    """A card is taken out of the inventory, by a person with authority: it is not in play."""

    card: Card
    person: str
    role: str
    reason: str


class DiscardSaid(Fact):
    """Which of three community cards is discarded, from 1 in the order of the deal."""

    place: int
    person: str


class DeckReported(Fact):
    """What the shuffler says of its deck, when it has changed."""

    cards: int
    shuffled: bool
    sets: int  # hand sets dispensed since the shuffle
    face_up_next: bool
    jammed: bool
    door_open: bool


class DeckChanged(Fact):
    """A new deck was put in."""

    person: str
    role: str


class DeckVerified(Fact):
    """The deck was put in order and counted: its 52 cards are there, and no others."""

    person: str
    role: str


class StubChecked(Fact):
    """The cards left after a deal were counted."""

    cards: int
    person: str


class DealCountLost(Fact):
    """Nobody can say how many cards have left the shuffler: some may be missing."""

    reason: str


class FrameKept(Fact):
    """Something the shuffler sent that nobody understands, kept as it came."""

    reason: str
    raw: str  # hexadecimal


class FramesCounted(Fact):
    """So many more such frames came within the minute and were not kept."""

    count: int


class ShufflerLost(Fact):
    pass


class ShufflerFound(Fact):
    pass


class ShufflerGreeted(Fact):
    """The shuffler itself started anew: its message numbers begin again."""

    session: int
    identity: str = ""
    version: int = 1  # of the protocol, as both ends agreed


# --- people ------------------------------------------------------------------------------------------


class BetsReturned(Fact):
    """A box is out of the round: its hand is invalid and its bets go back."""

    seat: int
    person: str
    role: str = "supervisor"


class SeatBarred(Fact):
    """A box is taken out of play, or brought back, until somebody says otherwise."""

    seat: int
    out: bool
    person: str


class ProgressiveSwitched(Fact):
    """The house plays on without progressive bets, or with them again, from the next round on."""

    off: bool
    person: str
    reason: str


class RevealRefused(Fact):
    """A player will not show his cards."""

    seat: int
    person: str


class HandEstablished(Fact):
    """A player's hand lies open before it is settled: he laid it down, or somebody has seen it who says so."""

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
    """A supervisor's answer to an open question."""

    question: str
    choice: str
    person: str
    reason: str
    role: str = "supervisor"


class IrregularityDeclared(Fact):
    """The dealer or a supervisor says what went wrong, where no device can know it."""

    mishap: str
    where: str  # a box, the dealer, the community, or empty
    evidence: str
    person: str
    role: str
    other: str = ""  # where the cards of `where` came to instead
    count: int = 0  # of cards that were counted there; 0: nobody said
    reconstructable: str = ""  # yes or no, where somebody has judged it already


class PlayerChose(Fact):
    """What the player of a box chose where the rules let each player choose."""

    question: str
    seat: int
    choice: str  # continue or return
    person: str  # who recorded it


class CorrectionRecorded(Fact):
    """What was wrong with an earlier round and what was done about it, as a record of its own: no round changes."""

    round: int
    what: str
    person: str
    role: str
    reason: str


class HitReported(Fact):
    """Somebody sees a jackpot hand on the layout that the settlement has not found."""

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
    hand: str = "misread"  # or stands: the hand lies there, and the claim is denied for another reason


# --- the jackpot controller and its link -------------------------------------------------------------


class LetterAcked(Fact):
    sequence: int


class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int
    level: str = ""  # as it stands at the controller, where persons may have corrected it; empty: not told
    share_num: int = 0
    share_den: int = 0


class LinkLost(Fact):
    pass


class LinkFound(Fact):
    pass


# --- the house: settings, starts, eras, faults, service, the clock -----------------------------------


class Configured(Fact):
    """The settings in force from here on, in full."""

    settings: Settings
    digest: str


class Booted(Fact):
    """A start of the firmware: a new boot's clock, and every level as it was read."""

    firmware: str
    levels: tuple[tuple[Spot, bool], ...]


class EraClosed(Fact):
    """The last record of an era. Its hand-over is all that another version reads."""

    handover: dict[str, Any]


class EraOpened(Fact):
    """The first fact of an era: a born table, or what the era before handed over."""

    nonce: str
    firmware: str
    handover: dict[str, Any]


class SnapshotTaken(Fact):
    digest: str


class DeadlinePassed(Fact):
    name: str


class StepFailed(Fact):
    """A fact that the core could not work through, kept as text so that it is never stepped again."""

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
    by_ns: int  # the wall clock was set while the table ran; nothing is ordered by it


class ClockJudged(Fact):
    early: bool  # by the wall clock no version of the rulebook is in force yet


class LampFound(Fact):
    """A coin spot's lamp whose current is fed back, judged anew."""

    lamp: Spot
    state: str  # good, open or short


class DoorMoved(Fact):
    is_open: bool  # the cabinet's door, as its contact tells


# --- those who care for the table --------------------------------------------------------------------


class TestModeEntered(Fact):
    person: str


class TestModeLeft(Fact):
    person: str


class LampsTried(Fact):
    """In test mode: exactly these lamps are lit."""

    lamps: tuple[str, ...]
    person: str


class EntryLogged(Fact):
    """Somebody opened or touched a part of the table."""

    part: str
    reason: str
    person: str
    licence: str


class AlertAcknowledged(Fact):
    """Somebody has seen a fault that stands and takes care of it."""

    code: str
    where: str
    person: str


class SignInNoted(Fact):
    """Somebody came to the desk, or failed to. A name that nobody has is not kept: it may be a PIN."""

    person: str  # empty: nobody who is known
    role: str
    outcome: str  # in, wrong or locked
    wait_s: int = 0  # of a lock-out that began with it


class MeterAdjusted(Fact):
    """Two persons adjusted a meter of the table's own jackpot ledger, which has the entry."""

    meter: str
    purse: str
    amount_minor: int  # negative: taken out
    type: str
    person: str
    reason: str


# --- as text -----------------------------------------------------------------------------------------

SCHEMA = 1  # of the facts; a journal's segments name it in their headers
# Every kind is known here: the package imports its families before this module.
FACTS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
_ANY: Any = Union[tuple(FACTS.values())]  # noqa: UP007 # made from a list


def encode(fact: Fact) -> str:
    """One line of JSON, the same for the same fact always."""
    return to_text(fact)


def decode(text: str) -> Fact:
    """The fact that `encode` wrote. Anything else is a `ShapeError`."""
    fact: Fact = read(_ANY, text)
    return fact
