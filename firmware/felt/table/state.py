"""The table as one frozen value of numbers, texts and further values, so that one codec writes, digests and reads all
of it."""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from typing import Any

from felt.nouns.cards import Card
from felt.nouns.ids import Spot
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value, read, replace, to_bytes, to_text
from felt.rules.mishaps import Mishap
from felt.rules.rulebook import Line
from felt.table.settings import Settings


class Phase(StrEnum):
    """The states of the round's region."""

    CLOSED = "CLOSED"
    IDLE = "IDLE"
    BETTING = "BETTING"
    LOCKING = "LOCKING"
    DEALING = "DEALING"
    DECIDING = "DECIDING"
    REVEALING = "REVEALING"
    SETTLING = "SETTLING"  # waits for the controller to value a claim
    VERIFYING = "VERIFYING"  # waits for a supervisor to confirm or deny it
    PAYING = "PAYING"
    VOIDING = "VOIDING"  # bets go back
    INTERRUPTED = "INTERRUPTED"  # play is held for a ruling


EVERY_PHASE = tuple(Phase)
BEFORE_SETTLEMENT = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING)  # from the snapshot on
SETTLED = (Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)  # the settlement is made and the hands lie open
AFTER_SNAPSHOT = (*BEFORE_SETTLEMENT, *SETTLED)
# From the lock key to the end of paying, an interruption needs a ruling.
HELD_BY_INTERRUPTION = (Phase.LOCKING, *AFTER_SNAPSHOT)
BEFORE_REVEAL = (Phase.BETTING, Phase.LOCKING, Phase.DEALING, Phase.DECIDING)
HELD_FROM = (Phase.BETTING, *HELD_BY_INTERRUPTION)  # play can be held in these phases
IN_PLAY = (*HELD_FROM, Phase.INTERRUPTED)
AFTER_LOCK = (*HELD_BY_INTERRUPTION, Phase.INTERRUPTED)


class ServiceState(StrEnum):
    BOOTING = "BOOTING"
    IN_SERVICE = "IN_SERVICE"
    OUT_OF_SERVICE = "OUT_OF_SERVICE"
    TEST = "TEST"  # a closed table in a technician's hands: nothing counts


class LinkState(StrEnum):
    UP = "UP"
    LOST = "LOST"


class StandingFault(Value):
    """A fault that has not been cleared."""

    code: str
    where: str


class Service(Value):
    state: ServiceState = ServiceState.BOOTING
    faults: tuple[StandingFault, ...] = ()
    ordered_out: str = ""  # who ordered it out of service and why; empty: nobody
    acknowledged: tuple[tuple[StandingFault, str], ...] = ()  # standing faults that somebody takes care of, and who
    tested_by: str = ""  # who has the table in test mode
    trying: tuple[str, ...] = ()  # the lamps that are lit in test mode
    clock_early: bool = False  # no version of the rulebook is in force yet at this wall-clock time
    passed: tuple[StandingFault, ...] = ()  # alerts whose cause is gone, until a person acknowledges them


class Burst(Value):
    """One movement of a contact: edges closer together than its settle time."""

    edge_ns: int  # of the first edge
    last_ns: int
    present: bool  # the level after it; the one before it may be the same
    found: bool = False  # a reading found the level without an edge; the contact moved at the latest then
    ended: bool = True  # False: longer than four settle times and still going on
    later: bool = False  # a later boot than the lock's saw it, so it came after the lock, whatever its clock shows


class SpotState(Value):
    spot: Spot
    present: bool = False
    before: bool = False  # the level before the oldest remembered burst
    bursts: tuple[Burst, ...] = ()
    keyed: bool = False
    amount_minor: int | None = None
    unseen: int = 0  # rounds in a row without a chip while others had theirs
    proved_on: bool = False  # covered cleanly since its last fault; with proved_off the test is passed
    proved_off: bool = False
    stakes: tuple[tuple[str, int], ...] = ()  # by player, if several have bet on the box


class Bet(Value):
    """One bet of the snapshot."""

    seat: int
    wager: str
    amount_minor: int | None
    keyed: bool
    coin: bool  # on the coin spot: contributes to the progressive
    accepted: bool  # False: handed back, takes no part
    rule: str  # why it was handed back
    stakes: tuple[tuple[str, int], ...] = ()  # by player, if several have bet on the box
    by_word: bool = False  # keyed, and no sensor saw a chip


UNREAD = Card("")  # a card that left the shoe unread: it has a place, but no face yet


class Dealt(Value):
    card: Card
    target: str  # a seat number, dealer, community, burn, discard
    arrived_ns: int
    uncertain_ns: int = 0  # how much earlier it may have left
    keyed: bool = False  # by a supervisor, because it was not read or did not arrive
    ordinal: int = 0  # as reported by the device; 0: not reported
    untold: bool = False  # keyed, and the shoe may still count it as unheard


class Finding(Value):
    """Something wrong with the cards. The sentence names no card; `cards` is for readers who may see them."""

    mishap: Mishap
    where: str  # a box number, dealer, community, burn, or empty
    evidence: str
    cards: tuple[Card, ...] = ()


class Decision(Value):
    seat: int
    choice: str  # play, fold, walk_away or refuse_reveal
    left: bool = False  # the player walked away, before or after the decision


class ClaimState(Value):
    claim: str
    seat: int
    level: str
    value_micro: int | None = None
    award_minor: int | None = None
    verdict: str = ""  # confirmed, denied
    person: str = ""
    frozen: bool = False  # the controller told the value before the system failed, if it failed
    by_registered_value: bool = False
    registered_micro: int = 0  # registered with the lock; pays if the system failed in this round
    by_hand: bool = False  # a card of its hand was keyed, or a person reported the hit: verify it by hand
    reported_by: str = ""  # who saw a hit that the settlement had not found
    hand: str = ""  # of a denied claim: misread or stands


class Offer(Value):
    """One lawful answer to a question: its paragraph and who may give it. After it the boxes in `players` choose for
    themselves: to play on by one paragraph, or to take their bets back by another."""

    choice: str
    rule: str
    who: str = "supervisor"
    players: tuple[int, ...] = ()
    goes_on_by: str = ""
    returns_by: str = ""
    choose_by: str = ""  # the paragraph that gives boxes the choice, if it is a separate one


class Remedied(Value):
    """What a person chose after something went wrong."""

    mishap: str
    place: str
    choice: str
    rule: str
    person: str
    role: str  # player: the box chose for itself
    reason: str = ""  # of a correction: what was paid and what was due


class Round(Value):
    number: int
    opened_at: Stamp
    rulebook: str
    version: str
    readings: str  # all readings in force, as name=value
    progressive_open: bool  # progressive bets count; False for good once the coin spots were closed
    lock_ns: int | None = None
    locked_at: Stamp | None = None
    drained: bool = False
    registered: tuple[tuple[str, int], ...] = ()
    edition: int = 0  # of the controller's answer that told them
    rulings: tuple[tuple[Spot, bool], ...] = ()  # undetermined chips, as ruled by a supervisor
    chattered: tuple[Spot, ...] = ()  # found chattering only after the lock key: too late to close the spot
    bets: tuple[Bet, ...] = ()
    plan: tuple[str, ...] = ()
    dealt: tuple[Dealt, ...] = ()
    strays: tuple[Card, ...] = ()
    counted: int = 0  # cards of the deal that are known to have left, including those set aside
    broken_at: int | None = None  # the count was lost after so many cards: later ones may lie further on
    exposed: tuple[str, ...] = ()  # where a card was declared exposed, once for each declaration
    declared: tuple[str, ...] = ()  # the mishaps that people declared
    findings: tuple[Finding, ...] = ()
    discarded: int = 0  # which of three community cards, in the order of the deal; 0: not said yet
    discarded_by: str = ""  # who said it
    dealt_at: Stamp | None = None
    seen: bool = False
    collected: bool = False
    collected_ns: int = 0  # chips on coin spots at this instant are on their way to the tray
    decisions: tuple[Decision, ...] = ()
    unshown: tuple[int, ...] = ()  # boxes whose player does not show his hand
    open_hands: tuple[tuple[int, str], ...] = ()  # open before the settlement, and who saw it
    returned: tuple[int, ...] = ()  # boxes whose bets went back after the snapshot
    found: tuple[tuple[Spot, int], ...] = ()  # amounts that a person found to differ from the record
    spots_closed: tuple[str, ...] = ()  # the house's choices that closed coin spots after bets were opened
    malfunction: str = ""  # how the progressive system failed while this round was in play
    returned_by: tuple[tuple[int, str], ...] = ()  # the paragraphs by which they went back
    moved: int = 0  # how often a ruling moved cards to other hands
    remedied: tuple[Remedied, ...] = ()
    linked: tuple[tuple[int, ...], ...] = ()  # boxes that belong to one player
    revealed: bool = False
    lines: tuple[Line, ...] = ()
    settled_at: Stamp | None = None
    claims: tuple[ClaimState, ...] = ()
    held_from: Phase | None = None  # the phase that an interruption holds
    void_rule: str = ""
    void_reason: str = ""
    dealer: str = ""  # who was signed in
    parts: tuple[tuple[str, int], ...] = ()  # by level: equal parts, as told before the system failed, or as paid
    ended: bool = False
    dealing: str = ""  # the dealing method in force when the round was opened
    interruptions: tuple[str, ...] = ()  # that needed no ruling, in a sentence each


class Statement(Value):
    causes: tuple[str, ...]  # what happened while the question was open, in order
    phase: str  # the phase of the round
    established: bool  # a bet has certainly won or lost
    why: str  # the act or the open cards; or why not
    seen: bool  # a player has seen his cards
    progressive_bets: int  # that stand
    registered: tuple[tuple[str, int], ...]  # the meters in micro-units, as journaled before the malfunction
    rule: str
    proposal: str
    readings: tuple[str, ...] = ()  # the readings that decided it, as name=value


class Question(Value):
    """Something that only a person may decide. `holds`: play stops until it is answered."""

    id: str
    kind: str
    where: str
    rule: str
    options: tuple[str, ...]
    proposal: str
    because: str
    holds: bool
    statement: Statement | None = None  # the adjudicator's, for an interruption
    mishap: str = ""
    place: str = ""  # the box, dealer or community; empty: no particular hand
    other: str = ""
    counted: int = 0
    cards: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    players: tuple[int, ...] = ()  # boxes that still have to choose
    round: int = 0  # of an ended round; 0: the round in play
    drawn: tuple[int, ...] = ()  # cards of the deal that were drawn together, counted from the first
    reported_by: str = ""  # who saw a hit that the settlement did not find; `other` is the hand


class Ruling(Value):
    question: Question
    choice: str
    person: str
    reason: str


class Irregularity(Value):
    asked: int = 0
    questions: tuple[Question, ...] = ()
    ruled: Ruling | None = None  # the last accepted ruling


class Notice(Value):
    number: int
    kind: str  # refused, noted
    sentence: str


class Panel(Value):
    mode: str = ""  # what a box key does: fold, play or a rarer mode
    linking: int = 0  # the first of two boxes to be linked
    mishap: str = ""  # the mishap that MISDEAL has lit
    supervisor: bool = False  # the key switch is on
    door_open: bool = False
    dealer: str = ""
    noticed: int = 0
    notices: tuple[Notice, ...] = ()


class Mail(Value):
    """An unanswered letter, as the text in which it was first written."""

    sequence: int
    kind: str
    body: str


class Outbox(Value):
    written: int = 0
    unanswered: tuple[Mail, ...] = ()


class Deck(Value):
    """The deck in the shuffler's last report."""

    cards: int
    shuffled: bool
    sets: int
    face_up_next: bool
    jammed: bool
    door_open: bool


class Shuffler(Value):
    connected: bool = False
    session: int = 0
    identity: str = ""
    version: int = 0
    deck: Deck | None = None
    sequence: int = 0  # of its last message with a card: a repeated one was dealt already
    ordinal: int | None = None  # in the deal, of the first card of that message; None: the device does not count
    told: Card = UNREAD  # the first card of that message, to recognise a repetition
    marks_burns: bool = False  # it has marked a burnt card, so an unmarked card is not burnt
    struck: tuple[Card, ...] = ()  # taken out of the inventory until the deck is changed
    doubt: str = ""  # why no round opens until a supervisor has changed or verified the deck
    unchecked: int = 0  # rounds since the stub was last counted


class Deadline(Value):
    name: str
    due_ns: int  # in the clock of the table's boot


class TableTotals(Value):
    """Totals since the journal began."""

    rounds: int = 0
    settled: int = 0
    voided: int = 0
    contributions_minor: int = 0
    awards_minor: int = 0


class Table(Value):
    nonce: str = ""
    firmware: str = ""
    settings: Settings | None = None
    configuration: str = ""  # the digest of the settings in force
    boot: str = ""
    service: Service = Service()
    link: LinkState = LinkState.LOST
    phase: Phase = Phase.CLOSED
    irregularity: Irregularity = Irregularity()
    panel: Panel = Panel()
    spots: tuple[SpotState, ...] = ()
    quarantined: tuple[Spot, ...] = ()
    barred: tuple[int, ...] = ()  # boxes out of play
    progressive_off: str = ""  # who plays on without the progressive, and why
    round: Round | None = None
    previous: Round | None = None
    post: Outbox = Outbox()
    shuffler: Shuffler = Shuffler()
    deadlines: tuple[Deadline, ...] = ()
    tally: TableTotals = TableTotals()


def with_round(table: Table, **changes: Any) -> Table:
    assert table.round is not None
    return replace(table, round=replace(table.round, **changes))


def write_table(table: Table) -> str:
    return to_text(table)


def read_table(text: str) -> Table:
    """Reads what `write_table` wrote. Raises `ShapeError` for anything else."""
    return read(Table, text)


def digest_of(table: Table) -> str:
    """The digest of the table's canonical bytes."""
    return sha256(to_bytes(table)).hexdigest()


def phase_of_play(table: Table) -> Phase:
    """The phase of the round, even while play is held."""
    if table.phase is Phase.INTERRUPTED and table.round is not None and table.round.held_from is not None:
        return table.round.held_from
    return table.phase


def without_mode(panel: Panel) -> Panel:
    return replace(panel, mode="", linking=0, mishap="")
