"""The table as one frozen value. Nested NamedTuples of numbers and texts, so that it can be written as
JSON, digested and read back without a special case."""

from __future__ import annotations

import json
from binascii import hexlify
from enum import StrEnum
from hashlib import sha256
from itertools import compress, count
from operator import is_not
from typing import Any

from felt.nouns.cards import Card
from felt.nouns.ids import Spot
from felt.nouns.named import NamedTuple
from felt.nouns.plain import write_plain
from felt.nouns.shapes import from_plain
from felt.nouns.stamps import Stamp
from felt.rules.mishaps import Mishap
from felt.rules.rulebook import Line
from felt.table.irregular.offers import Offer, Remedied
from felt.table.irregular.statement import Statement
from felt.table.settings import Settings


class Phase(StrEnum):
    """The round's region."""

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


class ServiceState(StrEnum):
    BOOTING = "BOOTING"
    IN_SERVICE = "IN_SERVICE"
    OUT_OF_SERVICE = "OUT_OF_SERVICE"
    TEST = "TEST"  # a closed table in a technician's hands: nothing counts


class LinkState(StrEnum):
    UP = "UP"
    LOST = "LOST"


class IrregularityState(StrEnum):
    CLEAR = "CLEAR"
    ASKED = "ASKED"


class Standing(NamedTuple):
    """A fault that has not been cleared."""

    code: str
    where: str


class Service(NamedTuple):
    state: ServiceState = ServiceState.BOOTING
    faults: tuple[Standing, ...] = ()
    ordered_out: str = ""  # who and why, when a person took the table out of service
    acknowledged: tuple[tuple[Standing, str], ...] = ()  # who takes care of a fault that stands
    tested_by: str = ""  # who has the table in test mode
    trying: tuple[str, ...] = ()  # the lamps that are lit in test mode
    passed: tuple[Standing, ...] = ()  # alerts that come and go by themselves, until somebody acknowledges them


class Change(NamedTuple):
    edge_ns: int
    present: bool
    found: bool = False  # by reading the level: no edge was seen


class SpotState(NamedTuple):
    spot: Spot
    present: bool = False
    before: bool = False  # the level before the oldest change that is remembered
    changes: tuple[Change, ...] = ()
    keyed: bool = False
    amount_minor: int | None = None
    unseen: int = 0  # rounds in a row without a chip while other boxes had theirs
    proved_on: bool = False  # a clean cover and a clean uncover since the last fault: it tests good
    proved_off: bool = False
    stakes: tuple[tuple[str, int], ...] = ()  # by player, where several have bet on the box


class Bet(NamedTuple):
    """One bet of the snapshot."""

    seat: int
    wager: str
    amount_minor: int | None
    keyed: bool
    coin: bool  # on the coin spot: contributes to the progressive
    accepted: bool  # False: handed back, takes no part
    rule: str  # why it was handed back
    stakes: tuple[tuple[str, int], ...] = ()  # by player, where several have bet on the box


UNREAD = Card("")  # a card that left the shoe and could not be read: it has its place, and no face yet


class Dealt(NamedTuple):
    card: Card
    target: str  # a seat number, dealer, community, burn, discard
    arrived_ns: int
    uncertain_ns: int = 0  # how much earlier it may have left
    keyed: bool = False  # by a supervisor, because it was not read or did not come


class Finding(NamedTuple):
    """Something wrong with the cards. The sentence names none; those that show it are for whoever may see them."""

    mishap: Mishap
    where: str  # a box number, dealer, community, burn, or empty
    evidence: str
    cards: tuple[Card, ...] = ()


class Decision(NamedTuple):
    seat: int
    choice: str  # play, fold or walk_away
    left: bool = False  # the player walked away, before the decision or after it


class ClaimState(NamedTuple):
    claim: str
    seat: int
    level: str
    value_micro: int | None = None
    award_minor: int | None = None
    verdict: str = ""  # confirmed, denied
    person: str = ""
    by_registered_value: bool = False
    registered_micro: int = 0  # the value registered with the lock: what pays if the system failed in this round
    by_hand: bool = False  # a card of its hand was keyed, or a person reported it: to be verified by hand
    reported_by: str = ""  # who saw the hit, where the settlement had not found it


class Round(NamedTuple):
    number: int
    opened_at: Stamp
    rulebook: str
    version: str
    readings: str  # every reading in force, as name=value
    progressive_open: bool
    lock_ns: int | None = None
    locked_at: Stamp | None = None
    drained: bool = False
    registered: tuple[tuple[str, int], ...] = ()
    rulings: tuple[tuple[Spot, bool], ...] = ()  # undetermined chips, as a supervisor decided
    bets: tuple[Bet, ...] = ()
    plan: tuple[str, ...] = ()
    dealt: tuple[Dealt, ...] = ()
    strays: tuple[Card, ...] = ()
    findings: tuple[Finding, ...] = ()
    dealt_at: Stamp | None = None
    seen: bool = False
    collected: bool = False
    collected_ns: int = 0  # chips that lie on their coin spots at this instant are on their way to the tray
    decisions: tuple[Decision, ...] = ()
    returned: tuple[int, ...] = ()  # boxes whose bets went back after the snapshot
    found: tuple[tuple[Spot, int], ...] = ()  # amounts that a person found to be others than recorded, or unknown
    malfunction: str = ""  # how the progressive system failed while this round was in play
    returned_by: tuple[tuple[int, str], ...] = ()  # with the paragraph, where it was not the general one
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
    parts: tuple[tuple[str, int], ...] = ()  # by level: equal parts, as told before the system failed, or paid
    ended: bool = False
    dealing: str = ""  # the dealing method, as it was in force when the round was opened


class Question(NamedTuple):
    """Something only a person may decide. `holds` stops play until it is answered."""

    id: str
    kind: str
    where: str
    rule: str
    options: tuple[str, ...]
    proposal: str
    because: str
    holds: bool
    statement: Statement | None = None  # of the adjudicator, where an interruption is asked about
    mishap: str = ""
    place: str = ""  # the box, dealer or community; empty: no hand in particular
    other: str = ""
    counted: int = 0
    cards: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    players: tuple[int, ...] = ()  # boxes that have still to choose
    round: int = 0  # of a round that has ended; 0: the one in play
    drawn: tuple[int, ...] = ()  # which cards of the deal were drawn together, counted from the first
    reported_by: str = ""  # who saw a hit that the settlement has not found; `other` is the hand


class Ruling(NamedTuple):
    question: Question
    choice: str
    person: str
    reason: str


class Irregularity(NamedTuple):
    state: IrregularityState = IrregularityState.CLEAR
    asked: int = 0
    questions: tuple[Question, ...] = ()
    ruled: Ruling | None = None  # the ruling that the fact in hand brought, if it was a good one


class Notice(NamedTuple):
    number: int
    kind: str  # refused, noted
    sentence: str


class Panel(NamedTuple):
    mode: str = ""  # what a seat key does: fold, play or one of the other modes
    linking: int = 0  # the first of two boxes to be linked
    mishap: str = ""  # what MISDEAL has lit
    supervisor: bool = False  # the key switch is on
    door_open: bool = False
    dealer: str = ""
    noticed: int = 0
    notices: tuple[Notice, ...] = ()


class Mail(NamedTuple):
    """A letter that has no answer yet, as the text it was first written in."""

    sequence: int
    kind: str
    body: str


class Post(NamedTuple):
    written: int = 0
    unanswered: tuple[Mail, ...] = ()


class Deck(NamedTuple):
    """As the shuffler last reported it."""

    cards: int
    shuffled: bool
    sets: int
    face_up_next: bool
    jammed: bool
    door_open: bool


class Shuffler(NamedTuple):
    connected: bool = False
    session: int = 0
    identity: str = ""
    version: int = 0
    deck: Deck | None = None
    sequence: int = 0  # of its last message that brought a card: what comes again with it was dealt already
    marks_burns: bool = False  # it has marked a burnt card, so a card without the mark is none
    struck: tuple[Card, ...] = ()  # taken out of the inventory, until the deck is changed
    doubt: str = ""  # why no round opens before the deck is changed or found whole
    unchecked: int = 0  # rounds since the stub was last counted


class Deadline(NamedTuple):
    name: str
    due_ns: int  # in the boot of the table


class Tally(NamedTuple):
    """Counted since the journal was born."""

    rounds: int = 0
    settled: int = 0
    voided: int = 0
    contributions_minor: int = 0
    awards_minor: int = 0


class Table(NamedTuple):
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
    post: Post = Post()
    shuffler: Shuffler = Shuffler()
    deadlines: tuple[Deadline, ...] = ()
    tally: Tally = Tally()


_new_tuple = tuple.__new__  # what `_make` calls; the number of parts is right here
_PARTS = {name: place for place, name in enumerate(Table._fields)}
_PARTS_OF_ROUND = {name: place for place, name in enumerate(Round._fields)}


def with_parts(table: Table, **changes: Any) -> Table:
    """What `_replace` does in general, by hand: every fact of an evening comes through here."""
    whole = list(table)
    for name, value in changes.items():
        whole[_PARTS[name]] = value
    return _new_tuple(Table, whole)


def with_round(table: Table, **changes: Any) -> Table:
    return with_parts(table, round=changed_round(table, **changes))


def changed_round(table: Table, **changes: Any) -> Round:
    """By hand as well: every card and every key comes through here."""
    assert table.round is not None
    parts = list(table.round)
    for name, value in changes.items():
        parts[_PARTS_OF_ROUND[name]] = value
    return _new_tuple(Round, parts)


def write_table(table: Table) -> str:
    return write_plain(table)


def read_table(text: str) -> Table:
    return from_plain(Table, json.loads(text))


LONG_TEXT = 256  # a longer part is joined by its own digest


class Digester:
    """The digest of a table. Parts that are the same object as last time are not written again: most facts
    touch one or two parts of them all, and of a round or of the spots again only one."""

    def __init__(self) -> None:
        a_round = _Parts({_PARTS_OF_ROUND["dealt"]: _Parts()})
        # A round that has ended is all but the same as the one in play before: what was written of it still holds.
        self._whole = _Parts({_PARTS["spots"]: _Parts(), _PARTS["round"]: a_round, _PARTS["previous"]: a_round})

    def of(self, table: Table) -> str:
        return self._whole.digest(table).hex()


class _Parts:
    """The digest of a tuple by the texts of its parts, those that `inner` knows by their digests in turn. A part is
    written anew only when it is another object than last time."""

    def __init__(self, inner: dict[int, _Parts] | None = None) -> None:
        self._inner = inner or {}
        self._parts: tuple[object, ...] = ()
        self._texts: list[bytes] = []

    def digest(self, whole: tuple[object, ...]) -> bytes:
        texts, before = self._texts, self._parts
        if len(before) > len(whole):
            del texts[len(whole) :]
        for place in compress(count(), map(is_not, whole, before)):  # a loop would look at every part by hand
            texts[place] = self._text_of(place, whole[place])
        if len(before) < len(whole):
            texts += [self._text_of(place, whole[place]) for place in range(len(texts), len(whole))]
        self._parts = whole
        # No text holds a line's end, so the joined texts cannot be read in two ways.
        return sha256(b"\n".join(texts)).digest()

    def _text_of(self, place: int, part: object) -> bytes:
        inner = self._inner.get(place)
        if inner is not None and isinstance(part, tuple):
            return hexlify(inner.digest(part))
        text = write_plain(part).encode()
        return text if len(text) <= LONG_TEXT else sha256(text).hexdigest().encode()
