"""Turns raw edges, bytes and orders into facts. It decides nothing about the game; it recognises noise and repeats,
and knows which key means which fact."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.loop.inbox import Answer, Arrival, Edge, Order, ShufflerBytes, ShufflerState
from felt.loop.outward import ControllerClock
from felt.loop.shuffler_intake import ShufflerIntake
from felt.nouns.ids import CODE_DIGITS, Spot
from felt.nouns.stamps import DELIVERY_MS, NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.texts import says_something
from felt.nouns.values import ShapeError, Value, from_plain
from felt.ports import BoardLine
from felt.table import facts, panel, views
from felt.table.facts import Fact
from felt.table.keys import DOOR_SWITCH, KEYS, LOCK_KEY, SEAT_KEYS, SUPERVISOR_SWITCH
from felt.table.maintenance import KEY_CAME_UP
from felt.table.settings import code_digest
from felt.table.state import StandingFault, Table
from felt.wire import debounce, jackpot

# The lock has a row of its own: its time is its key's own edge.
_PRESSED: dict[str, type[Fact]] = {key.line: key.pressed for key in KEYS if key is not LOCK_KEY}
ORDER_TEXT_MAX = 200
BEHIND_MAX = 5  # answers in a row that know less than an earlier one
ORDER_NUMBER_MAX = 10**12  # in minor units; no bet, seat or claim is larger
HELD_NS = 10 * NS_PER_S  # a key down for longer is stuck, or something lies on it
HELD_KEY, RESTLESS_KEY = "F-106", "F-112"
# A device's messages wait while an earlier key is still moving, but no longer than this.
BEHIND_A_KEY_NS = 200 * NS_PER_MS

ORDERS: tuple[type[Fact], ...] = (
    facts.CardKeyed, facts.CardStruck, facts.DeckChanged, facts.DeckVerified, facts.StubChecked,
    facts.TableOpened, facts.TableClosed, facts.VoidOrdered, facts.RulingMade, facts.ClaimConfirmed,
    facts.ClaimDenied, facts.BetKeyed, facts.BetUnkeyed, facts.FaultCleared, facts.OutOfServiceOrdered,
    facts.BackInServiceOrdered, facts.BetsReturned, facts.SeatBarred, facts.DealerSignedIn,
    facts.AmountFound, facts.ProgressiveSwitched, facts.RevealRefused, facts.HandEstablished, facts.DiscardSaid,
    facts.TestModeEntered, facts.TestModeLeft, facts.LampsTried, facts.EntryLogged, facts.AlertAcknowledged,
    # Only the desk and the controller create these facts; nobody may order them.
    facts.SignInNoted, facts.MeterAdjusted, facts.FaultRaised,
    facts.IrregularityDeclared, facts.PlayerChose, facts.CorrectionRecorded, facts.HitReported,
    # A small panel may lack keys, so their effects can be ordered. The lock cannot, because its time is its key's own
    # edge.
    *_PRESSED.values(), facts.SeatPressed,
)
_ORDERS = {kind.__name__: kind for kind in ORDERS}

Reply = Callable[[str], None]


class Asked(Value):
    """An order and the position of its fact in the turn."""

    place: int
    reply: Reply


class Taken:
    """The results of one turn's intake."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.asked: list[Asked] = []
        self.refused: list[tuple[Reply, str]] = []  # orders that became no fact
        self.answers: list[bytes] = []  # what to send to the shuffler once the turn is durable
        self.heard = False  # the jackpot controller has answered


class Intake:
    def __init__(
        self,
        lines: tuple[BoardLine, ...],
        levels: Mapping[str, bool],
        shuffler: ShufflerIntake,
    ) -> None:
        self._debouncer = debounce.Debouncer(lines, levels)
        self._shuffler = shuffler
        self._behind = 0
        self._controller_clock = ControllerClock()
        # What may pay a jackpot without a controller: its own answer to this table, and never what a sign shows.
        self._answer: Pong | None = None
        self._switches = {name: levels.get(name, False) for name in _names(lines, (SUPERVISOR_SWITCH, DOOR_SWITCH))}
        # Keys that are down, and since when; None: since before the boot.
        self._down: dict[str, int | None] = {name: None for name, level in levels.items() if level and _is_key(name)}
        self._code = ""
        self._has_lock_key = any(line.name == LOCK_KEY.line for line in lines)
        self._held_back: list[debounce.Event] = []  # of contacts that began to chatter while the lock key went down
        self._behind_a_key: deque[Arrival] = deque()

    def take(self, arrivals: list[Arrival], table: Table, now: Stamp, *, shuffler_waits: bool) -> Taken:
        """Converts one turn's arrivals. Every waiting edge is included, so every edge older than the usual delivery
        is present. Movements, other arrivals and passed deadlines are taken in the order of their stamps.
        `shuffler_waits`: the inbox holds more from the shuffler."""
        taken = Taken()
        self._shuffler.begin_turn(table, taken.facts, now)
        others: list[Arrival] = []
        for arrival in arrivals:
            match arrival.item:
                case Edge(line, level, ns):
                    self._debouncer.edge(line, level, ns)
                case ShufflerBytes() | ShufflerState():
                    self._behind_a_key.append(arrival)
                case _:
                    others.append(arrival)
        settled = _dated(self._lock_first(self._debouncer.advance(now.mono_ns - DELIVERY_MS * NS_PER_MS)))
        waiting = (others, self._not_behind_a_key(now))
        arrived = [[(arrival.ns, arrival.item) for arrival in stream] for stream in waiting]
        streams: list[list[tuple[int, Any]]] = [[*settled], [*_due(table, now, settled)], *arrived]
        for _, happened in heapq.merge(*streams, key=_ns):
            self._take_one(happened, table, now, taken)
        self._take_levels(table, now, taken)
        self._shuffler.pass_time(table, now, unread=shuffler_waits or bool(self._behind_a_key))
        return taken

    def _take_one(self, happened: Any, table: Table, now: Stamp, taken: Taken) -> None:
        match happened:
            case ShufflerBytes(content, ns):
                taken.answers.extend(self._shuffler.take_bytes(content, ns, table, now))
            case ShufflerState(connected):
                self._shuffler.take_state(connected, table, now)
            case Answer(content):
                taken.heard = self._take_answer(content, table, now, taken) or taken.heard
            case Order():
                self._take_order(happened, now, taken)
            case facts.DeadlinePassed():
                taken.facts.append(happened)
            case _:
                self._take_settled(happened, table, now, taken)

    def _not_behind_a_key(self, now: Stamp) -> list[Arrival]:
        """The shuffler's messages from before any key that is still moving: a card never overtakes a key that was
        pressed before it."""
        moving_ns = self._debouncer.moving_since_ns(_is_key)
        free: list[Arrival] = []
        while self._behind_a_key:
            ns = self._behind_a_key[0].ns
            if moving_ns is not None and ns >= moving_ns and now.mono_ns - ns < BEHIND_A_KEY_NS:
                break
            free.append(self._behind_a_key.popleft())
        return free

    def reread(self, levels: Mapping[str, bool], now: Stamp) -> None:
        """Edges are hints, levels are truth: a disagreement becomes a fact."""
        self._debouncer.resync_all(levels, now.mono_ns)

    def keys_down(self) -> tuple[str, ...]:
        return tuple(self._down)

    def controller_clock(self) -> ControllerClock:
        return self._controller_clock

    def next_due_ns(self) -> int | None:
        due_ns = self._debouncer.next_due_ns()
        settles_ns = None if due_ns is None else due_ns + DELIVERY_MS * NS_PER_MS
        if not self._behind_a_key:
            return settles_ns
        freed_ns = self._behind_a_key[0].ns + BEHIND_A_KEY_NS
        return freed_ns if settles_ns is None else min(settles_ns, freed_ns)

    # --- edges ---------------------------------------------------------------------------------------

    def _lock_first(self, events: list[debounce.Event]) -> list[debounce.Event]:
        """If a contact chatters while the lock key goes down, its event follows the key's, however long the key
        bounces. So the lock comes first, and a burst across it counts as a movement of the chip."""
        events, self._held_back = [*self._held_back, *events], []
        began_ns = self._debouncer.burst_began_ns(LOCK_KEY.line) if self._has_lock_key else None
        told: list[debounce.Event] = []
        for place, event in enumerate(events):
            to_come = [later.first_edge_ns for later in events[place:] if _is_of_the_lock_key(later)]
            to_come += [] if began_ns is None else [began_ns]
            waits = isinstance(event, debounce.Chattered) and any(ns <= event.last_edge_ns for ns in to_come)
            if event.line != LOCK_KEY.line and (waits or any(held.line == event.line for held in self._held_back)):
                self._held_back.append(event)
                continue
            told.append(event)
            if event.line == LOCK_KEY.line and began_ns is None:
                told += self._held_back
                self._held_back = []
        return told

    def _take_settled(self, event: debounce.Event, table: Table, now: Stamp, taken: Taken) -> None:
        if event.line.startswith("key."):
            if isinstance(event, debounce.Settled | debounce.Disagreed):
                self._note_level(event, now)
            if isinstance(event, debounce.Settled) and event.level:
                self._take_key(event, table, now, taken)
            elif isinstance(event, debounce.Chattered):
                _once(taken, table, facts.FaultRaised(now, RESTLESS_KEY, event.line))
            return
        spot = Spot(event.line)
        match event:
            case debounce.Settled(after_chatter=True):
                edges = event.first_edge_ns, event.last_edge_ns
                taken.facts.append(facts.LevelFound(now, spot, event.level, *edges))
            case debounce.Settled():
                kind = facts.ChipSeen if event.level else facts.ChipLifted
                taken.facts.append(kind(now, spot, event.first_edge_ns, event.last_edge_ns))
            case debounce.Flickered():
                taken.facts.append(facts.ChipFlickered(now, spot, event.first_edge_ns, event.last_edge_ns))
            case debounce.Chattered():
                taken.facts.append(facts.ChipChattered(now, spot, event.first_edge_ns))
            case debounce.Disagreed():
                taken.facts.append(facts.LevelFound(now, spot, event.level, read_ns=event.ns))
                taken.facts.append(facts.FaultRaised(now, "F-102", spot))

    def _note_level(self, event: debounce.Settled | debounce.Disagreed, now: Stamp) -> None:
        if event.line in self._switches:
            self._switches[event.line] = event.level
        elif event.level:
            self._down[event.line] = now.mono_ns
        else:
            self._down.pop(event.line, None)

    def _take_levels(self, table: Table, now: Stamp, taken: Taken) -> None:
        """Switches and stuck keys are levels, not presses: the table's belief is compared with reality."""
        supervisor, door = self._switches.get(SUPERVISOR_SWITCH), self._switches.get(DOOR_SWITCH)
        if supervisor is not None and supervisor != table.panel.supervisor:
            taken.facts.append(facts.SupervisorTurned(now, supervisor))
        if door is not None and door != table.panel.door_open:
            taken.facts.append(facts.DoorMoved(now, door))
        for key, since_ns in self._down.items():
            if since_ns is None:
                self._down[key] = now.mono_ns
            elif now.mono_ns - since_ns > HELD_NS:
                _once(taken, table, facts.FaultRaised(now, HELD_KEY, key))
        for fault in table.service.faults:
            if fault.code == HELD_KEY and fault.where not in self._down:
                taken.facts.append(facts.FaultCleared(now, HELD_KEY, fault.where, KEY_CAME_UP))

    def _take_key(self, event: debounce.Settled, table: Table, now: Stamp, taken: Taken) -> None:
        if event.line == LOCK_KEY.line:
            told = self._answer
            meters = () if told is None else tuple(sorted(told.meters.items()))
            edition = 0 if told is None else told.edition
            taken.facts.append(facts.NoMoreBetsPressed(now, event.first_edge_ns, meters, edition))
        elif event.line.startswith(SEAT_KEYS):
            digit = event.line.removeprefix(SEAT_KEYS)
            if _mode(table, taken) == panel.SIGN_IN:
                self._take_digit(digit, table, now, taken)
            else:
                taken.facts.append(facts.SeatPressed(now, int(digit)))
        elif event.line in _PRESSED:
            self._code = ""
            taken.facts.append(_PRESSED[event.line](now))

    def _take_digit(self, digit: str, table: Table, now: Stamp, taken: Taken) -> None:
        """A code goes no further than here: the journal only learns whose code it was, or that it was wrong."""
        assert table.settings is not None
        self._code += digit
        digest = code_digest(table.settings.table_id, self._code)
        name = next((dealer for dealer, known in table.settings.dealers if known == digest), None)
        if name is not None:
            taken.facts.append(facts.DealerSignedIn(now, name, name))
        elif len(self._code) >= CODE_DIGITS[1]:
            taken.facts.append(facts.WrongCodeEntered(now))
        else:
            return
        self._code = ""

    # --- the jackpot controller ----------------------------------------------------------------------

    def _take_answer(self, content: bytes, table: Table, now: Stamp, taken: Taken) -> bool:
        try:
            message = jackpot.decode(content)
        except jackpot.WireError:
            return False
        settings = table.settings
        if settings is None or (message.table, message.nonce) != (settings.table_id, table.nonce):
            return False
        match message:
            case Acked(sequence=sequence, highest_seen=highest, differs=differs):
                if any(mail.sequence == sequence for mail in table.post.unanswered):
                    taken.facts.append(facts.LetterAcked(now, sequence))
                    if differs:
                        _once(taken, table, facts.FaultRaised(now, "F-306", f"letter {sequence}: {differs}"))
                self._check_highest(highest, table, now, taken)
            case Pong(highest_seen=highest):
                self._answer = message
                self._controller_clock = ControllerClock(message.controller_boot, message.controller_ns, now.mono_ns)
                self._check_highest(highest, table, now, taken)
                self._check_forgotten(highest, table, now, taken)
            case Valued():
                self._take_value(message, table, now, taken)
            case Refused(sequence=sequence, reason=reason):
                if reason != GAP:
                    _once(taken, table, facts.FaultRaised(now, "F-303", f"letter {sequence}: {reason}"))
            case _:
                return False
        return True

    def _take_value(self, told: Valued, table: Table, now: Stamp, taken: Taken) -> None:
        """Takes one of several claims at a time; the next Pong repeats the rest."""
        share = (told.level, told.share_num, told.share_den)
        valued = facts.ClaimValued(now, told.claim, told.value_micro, told.award_minor, *share)
        of_this_turn = [fact for fact in taken.facts if isinstance(fact, facts.ClaimValued)]
        others = [fact for fact in of_this_turn if fact.claim != told.claim]
        if not others and valued not in taken.facts and views.is_awaited_value(table, valued):
            taken.facts.append(valued)

    def _check_highest(self, highest: int, table: Table, now: Stamp, taken: Taken) -> None:
        if highest > table.post.written:
            _once(taken, table, facts.FaultRaised(now, "F-302", f"letter {highest}"))

    def _check_forgotten(self, highest: int, table: Table, now: Stamp, taken: Taken) -> None:
        """One late answer may be outdated. Several in a row mean a controller with an older ledger."""
        unanswered = table.post.unanswered
        answered = unanswered[0].sequence - 1 if unanswered else table.post.written
        self._behind = self._behind + 1 if highest < answered else 0
        if self._behind >= BEHIND_MAX:
            _once(taken, table, facts.FaultRaised(now, "F-304", f"letter {highest + 1}"))

    # --- people --------------------------------------------------------------------------------------

    def _take_order(self, order: Order, now: Stamp, taken: Taken) -> None:
        try:
            fact = read_order(order.kind, order.fields, now)
        except ShapeError as error:
            taken.refused.append((order.reply, str(error)))
            return
        taken.asked.append(Asked(len(taken.facts), order.reply))
        taken.facts.append(fact)


def read_order(name: str, fields: dict[str, Any], now: Stamp) -> Fact:
    """The fact that an order becomes. Raises `ShapeError` with one sentence if it becomes none."""
    kind = _ORDERS.get(name)
    if kind is None:
        raise ShapeError(f"{name} is not an order; known: {', '.join(_ORDERS)}", ())
    try:
        _refuse_unfit(fields)
        fact = from_plain(kind, {**fields, "at": now})
    except ShapeError as error:
        raise ShapeError(f"{name}: {error}", ()) from None
    return fact


# What persons say with an order. The desk and the table judge whether it may be missing.
_SAID_WITH_ORDERS = ("person", "reason", "what", "part", "evidence")


def _refuse_unfit(fields: dict[str, Any]) -> None:
    """What a person says goes into the journal and into letters for ever, so it must be short, printable and
    complete."""
    if "at" in fields:
        raise ShapeError("an order is dated by the table, not by who gives it", ("at",))
    for name, value in fields.items():
        said = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and (len(text) > ORDER_TEXT_MAX or not text.isprintable()) for text in said):
            raise ShapeError(f"a text has at most {ORDER_TEXT_MAX} printable characters", (str(name),))
        if isinstance(value, str) and value and name in _SAID_WITH_ORDERS and not says_something(value):
            raise ShapeError("nothing in it can be read: write it in words", (str(name),))
        if isinstance(value, int) and abs(value) > ORDER_NUMBER_MAX:
            raise ShapeError(f"a number is at most {ORDER_NUMBER_MAX}", (str(name),))


def _is_of_the_lock_key(event: debounce.Event) -> TypeGuard[debounce.Settled | debounce.Flickered]:
    return event.line == LOCK_KEY.line and isinstance(event, debounce.Settled | debounce.Flickered)


_Settled = list[tuple[int, debounce.Event]]


def _dated(settled: list[debounce.Event]) -> _Settled:
    """By the first edge of each; the order of events is kept."""
    dated: _Settled = []
    latest_ns = 0
    for event in settled:
        began_ns = event.ns if isinstance(event, debounce.Disagreed) else event.first_edge_ns
        latest_ns = max(latest_ns, began_ns)
        dated.append((latest_ns, event))
    return dated


def _due(table: Table, now: Stamp, settled: _Settled) -> list[tuple[int, facts.DeadlinePassed]]:
    """Deadlines concern edges: a deadline passes after every known movement, and before later messages of a device."""
    last_ns = settled[-1][0] if settled else 0
    passed = [
        (max(deadline.due_ns, last_ns), facts.DeadlinePassed(now, deadline.name))
        for deadline in table.deadlines
        if now.mono_ns >= deadline.due_ns
    ]
    return sorted(passed, key=_ns)


def _ns(dated: tuple[int, Any]) -> int:
    return dated[0]


def _is_key(name: str) -> bool:
    return name.startswith("key.") and name not in (SUPERVISOR_SWITCH, DOOR_SWITCH)


def _names(lines: tuple[BoardLine, ...], wanted: tuple[str, ...]) -> list[str]:
    return [line.name for line in lines if line.name in wanted]


def _mode(table: Table, taken: Taken) -> str:
    """The mode of a seat key, from the keys before it, including those of this turn."""
    mode = table.panel.mode
    for fact in taken.facts:
        if isinstance(fact, facts.OtherModePressed):
            mode = panel.mode_after(mode)
        elif isinstance(fact, facts.DealerSignedIn | facts.FoldModePressed | facts.PlayModePressed):
            mode = ""
    return mode


def _once(taken: Taken, table: Table, fault: facts.FaultRaised) -> None:
    """Does not raise a fault that stands or is about to be raised."""
    standing = StandingFault(fault.code, fault.where) in table.service.faults
    if not standing and fault not in taken.facts:
        taken.facts.append(fault)
