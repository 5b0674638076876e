"""Every record of a journal as an event that a stranger can read: time, device, a code unique to this event, kind
and sentence. Facts are read as plain JSON, so facts of other versions get a sentence too. The redacting view hides
cards."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from felt.evidence.outcomes import FactOutcome
from felt.journal.header import read_header_text
from felt.journal.reading import beginnings
from felt.journal.record import Record
from felt.nouns.faults import CATALOGUE
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import ShapeError, Value, to_plain
from felt.ports import Disk
from felt.table import redacted
from felt.table.keys import KEYS

_WORDS = re.compile(r"[A-Z][a-z0-9]*")
# Fields whose content is too long for a line.
_LONG = ("failed", "handover", "settings", "levels")
_NOT_SAID = ("is", "at", "settings", "handover", "levels", "failed", "raw", "edge_ns", "last_ns", "arrived_ns")

# Braces hold a field of the fact. A kind without a sentence is shown by name and fields.
SENTENCES = {
    "CardDealt": "A card left the shuffler (message {sequence}): {card}.",
    "CardUnread": "A card left the shuffler and was not read (message {sequence}).",
    "CardKeyed": "{person} keyed a card that was not read: {card}.",
    "CardStruck": "{person} took a card out of the inventory: {card} ({reason}).",
    "DeckReported": "The shuffler reports {cards} cards.",
    "DeckChanged": "{person} changed the deck.",
    "DeckVerified": "{person} verified the deck: it is whole.",
    "StubChecked": "{person} counted the cards left: {cards}.",
    "FrameKept": "The shuffler sent something unreadable ({reason}): {raw}.",
    "FramesCounted": "The shuffler sent {count} more such frames.",
    "ShufflerLost": "The shuffler was lost.",
    "ShufflerFound": "The shuffler was found.",
    "DealCountLost": "The number of cards that left the shuffler is unknown: {reason}.",
    "ShufflerGreeted": "The shuffler restarted: {identity}.",
    "TestModeEntered": "{person} put the table into test mode.",
    "TestModeLeft": "{person} ended test mode.",
    "LampsTried": "{person} tried lamps.",
    "EntryLogged": "{person} ({licence}) opened or touched {part}: {reason}.",
    "AlertAcknowledged": "{person} acknowledged {code} {where}.",
    "SignInNoted": "Sign-in of {person} as {role}: {outcome}.",
    "MeterAdjusted": "{person} adjusted the {purse} of {meter} by {amount_minor} minor units ({type}): {reason}.",
    "ChipSeen": "A chip was seen on {spot}.",
    "ChipLifted": "A chip was lifted from {spot}.",
    "ChipFlickered": "The contact of {spot} flickered.",
    "ChipChattered": "The contact of {spot} chattered.",
    "LevelFound": "{spot} was read again: covered {present}.",
    "BetKeyed": "{person} keyed a bet on {spot}: {amount_minor} minor units.",
    "BetUnkeyed": "{person} took back the bet keyed on {spot}.",
    "AmountFound": "{person} found {amount_minor} minor units on {spot}.",
    "LetterAcked": "The jackpot controller has letter {sequence}.",
    "ClaimValued": "The jackpot controller valued claim {claim}: award {award_minor} minor units.",
    "LinkLost": "The link to the jackpot controller was lost.",
    "LinkFound": "The link to the jackpot controller was found.",
    "Configured": "Settings in force from here on.",
    "Booted": "The table started under firmware {firmware}.",
    "EraClosed": "The table was stopped in good order.",
    "EraOpened": "An era of the journal begins under firmware {firmware}.",
    "SnapshotTaken": "A snapshot of the table was saved.",
    "DeadlinePassed": "A deadline passed: {name}.",
    "StepFailed": "A fact could not be processed: {problem}.",
    "FaultRaised": "Fault {code} {where}: {fault}",
    "FaultCleared": "{person} cleared fault {code} {where}.",
    "OutOfServiceOrdered": "{person} took the table out of service: {reason}.",
    "BackInServiceOrdered": "{person} put the table back into service.",
    "ClockJudged": "No rulebook is in force yet by the wall clock: {early}.",
    "ClockStepped": "The wall clock was set by {by_ns} ns.",
    "LampFound": "The lamp of {lamp} is {state}.",
    "DoorMoved": "The cabinet's door is open: {is_open}.",
    **{key.pressed.__name__: key.sentence for key in KEYS},
    "SeatPressed": "Key of box {seat}.",
    "SupervisorTurned": "The supervisor's key switch is on: {on}.",
    "DealerSignedIn": "Dealer signed in: {name} ({person}).",
    "WrongCodeEntered": "A wrong code was entered.",
    "BetsReturned": "{person} returned the bets of box {seat}.",
    "SeatBarred": "{person} took box {seat} out of play: {out}.",
    "ProgressiveSwitched": "{person} switched the progressive off: {off} ({reason}).",
    "RevealRefused": "Box {seat} does not show its cards ({person}).",
    "DiscardSaid": "{person} said that community card {place} is discarded.",
    "HandEstablished": "{person} saw the hand of box {seat}.",
    "TableOpened": "{person} opened the table.",
    "TableClosed": "{person} closed the table.",
    "VoidOrdered": "{person} voided the round: {reason}.",
    "RulingMade": "{person} answered {question} with {choice}: {reason}.",
    "IrregularityDeclared": "{person} declared {mishap} {where}: {evidence}.",
    "PlayerChose": "The player of box {seat} chose to {choice} at {question} ({person}).",
    "CorrectionRecorded": "{person} recorded a correction of round {round}: {what} ({reason}).",
    "HitReported": "{person} saw {hand} in box {seat}, which the settlement missed: {evidence}.",
    "ClaimConfirmed": "{person} confirmed claim {claim}.",
    "ClaimDenied": "{person} denied claim {claim} (the hand: {hand}): {reason}.",
}


class JournalName(Value):
    """The table, and which of its journals."""

    table: str
    nonce: str

    def code(self, seq: int) -> str:
        return f"{self.table}:{self.nonce}:{seq}"


class Event(Value):
    code: str  # table, journal and sequence; unique to this event
    time: str
    device: str
    seq: int
    kind: str
    text: str
    refused: str | None  # why it was refused; empty: it was not; None: unknown to this version

    def line(self) -> str:
        return f"{self.time} {self.code} {self.kind}: {self.text}"


def device_of(disk: Disk) -> JournalName | None:
    first = next(beginnings(disk), None)
    if first is None:
        return None
    header = read_header_text(first.header)
    return JournalName(header.table, header.nonce)


def events_of(found: Iterable[FactOutcome], device: JournalName, role: str = "") -> Iterator[Event]:
    for outcome in found:
        record, refusal = outcome.record, outcome.refusal
        plain = shown(record.payload, role)
        at = iso_time(plain["at"][2])
        name = f"table {device.table}, journal {device.nonce}"
        text = sentence_of(plain)
        if refusal or _is_asked_for(plain):
            text = with_refusal(text, refusal)
        yield Event(device.code(record.seq), at, name, record.seq, plain["is"], text, refusal)


def exported(event: Event, record: Record, role: str = "") -> str:
    """An event with the content of its fact, as one line of JSON. The chain value is included only for roles that
    may see cards: it covers the record, so it would reveal a hidden card in 52 tries."""
    plain = shown(record.payload, role)
    told = {name: value for name, value in plain.items() if name not in ("is", "at", *_LONG)}
    chain = {"chain": record.chain} if role in redacted.MAY_SEE_CARDS else {}
    return json.dumps({**to_plain(event), **told, **chain}, separators=(",", ":"))


def shown(payload: str, role: str) -> dict[str, Any]:
    """A fact as plain JSON, reduced to what this role may see."""
    try:
        found: dict[str, Any] = json.loads(redacted.payload_of(payload, role))
    except ShapeError:  # of another version, whose secrets are unknown here
        plain = json.loads(payload)
        return {"is": plain["is"], "at": plain["at"]}
    if role not in redacted.MAY_SEE_CARDS:
        found.pop("digest", None)  # covers a whole table with its cards, or settings with the dealers' codes
    return found


def sentence_of(plain: dict[str, Any]) -> str:
    sentence = SENTENCES.get(plain["is"])
    if sentence is None:
        return _told_by_name(plain)
    said = defaultdict(str, {name: _said(value) for name, value in plain.items()})
    known = CATALOGUE.get(plain.get("code", ""))
    said["fault"] = known.sentence if known else ""
    return re.sub(r" +([:.])", r"\1", sentence.format_map(said))


def with_refusal(sentence: str, refusal: str | None) -> str:
    """The sentence of a fact, and why it was refused if it was."""
    if refusal is None:
        return f"{sentence} Only the version that wrote it can tell whether it was refused."
    return f"{sentence} REFUSED: {refusal}" if refusal else sentence


def _is_asked_for(plain: dict[str, Any]) -> bool:
    """Whether it is an order or a key press. A device's report is true whatever the table does with it."""
    kind = plain["is"]
    return "person" in plain or "{person}" in SENTENCES.get(kind, "") or kind.endswith("Pressed")


def _told_by_name(plain: dict[str, Any]) -> str:
    words = " ".join(_WORDS.findall(plain["is"])).capitalize()
    fields = ", ".join(f"{name} {_said(value)}" for name, value in plain.items() if name not in _NOT_SAID)
    return f"{words}: {fields}." if fields else f"{words}."


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)


def iso_time(wall_ns: int) -> str:
    whole, rest = divmod(wall_ns, NS_PER_S)
    return f"{datetime.fromtimestamp(whole, UTC).strftime('%Y-%m-%dT%H:%M:%S')}.{rest // 1_000_000:03d}Z"
