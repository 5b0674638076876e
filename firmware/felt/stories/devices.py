"""Sentences about what the shuffler, the jackpot controller, the disk, the clock and the power do; and facts as such,
for what no device of the stage can do."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from re import Match
from typing import Any

from felt.jackpot.books.acts import Act, ClaimName, CorrectClaim, OrderClaims, Person, ReleaseClaim
from felt.jackpot.books.draft import RefusedError
from felt.journal.segment import segment_name
from felt.letters.from_controller import Acked, Pong, Refused
from felt.loop.inbox import Answer, ShufflerBytes
from felt.nouns.cards import INDEX_OF, RANKS, SUITS, Card, CardError, parse_card, parse_cards
from felt.nouns.faults import CATALOGUE
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import ShapeError, from_plain
from felt.stories.amounts import SPOT
from felt.stories.errors import StoryError, Unmet
from felt.stories.script import fields_in, hints, says
from felt.stories.stage import SETTLED_MS, StoryStage
from felt.table import facts
from felt.table.deal import COMMUNITY, DISCARD
from felt.table.discards import PLACES
from felt.table.state import Phase
from felt.virtual.shuffler import Misbehaviour
from felt.wire import jackpot
from felt.wire.shuffler import encode_heartbeat

FLOOD_PIECES = 8

# --- cards -------------------------------------------------------------------------------------------

_HAND = r"(?:box [1-9]|dealer|burn|community|discard): [2-9TJQKA][cdhs](?: [2-9TJQKA][cdhs])*"


@says("deal box N: CARDS; dealer: CARDS[; community: CARDS][; discard: CARD][; burn: CARD]",
      rf"deal ({_HAND}(?:; {_HAND})*)")
def deal_hands(stage: StoryStage, found: Match[str]) -> None:
    """The rest of the deal by its plan. Hands that are not named get what is left of the deck."""
    hands: dict[str, list[str]] = {}
    for hand in found[1].split("; "):
        target, _, cards = hand.partition(": ")
        hands.setdefault(target.removeprefix("box "), []).extend(cards.split())
    targets = stage.missing_targets()
    for target in hands:
        if target not in targets:
            raise StoryError(f"{target} gets no card: the plan goes on with {' '.join(targets)}")
    named_three = len(hands.get(COMMUNITY, ())) == len(PLACES) and DISCARD in targets and DISCARD not in hands
    if named_three:  # all three are named, and the discard is not known yet
        hands[DISCARD] = [hands[COMMUNITY].pop()]
    rest = stage.rest_of_deck({parse_card(card) for cards in hands.values() for card in cards})
    order = [parse_card(hands[target].pop(0)) if hands.get(target) else rest.pop() for target in targets]
    left = [card for cards in hands.values() for card in cards]
    if left:
        raise StoryError(f"{' '.join(left)} are more cards than the plan has room for")
    (stage.dispense if named_three else stage.deal_on)(tuple(order))


@hints(r"(?:cards? |deal .*?: |card )(?P<cards>.+)")
def no_card(found: Match[str]) -> str:
    """In the rest of a deal the cards stand after each colon."""
    hands = [hand.rpartition(":")[2] for hand in found["cards"].split(";")]
    words = [word.strip(",.") for hand in hands for word in hand.split()]
    wrong = [word for word in words if len(word) <= 3 and any(map(str.isdigit, word)) and word not in INDEX_OF]
    return f"{wrong[0]} is no card: write rank ({RANKS}) then suit ({SUITS}), as in As or Td" if wrong else ""


@says("deal", r"deal")
def deal(stage: StoryStage, found: Match[str]) -> None:
    """The rest of the deal from the top of the deck."""
    count = len(stage.missing_targets())
    cards = [*stage.deck, *stage.rest_of_deck(set(stage.deck))][:count]
    stage.deck = stage.deck[count:]
    stage.deal_on(tuple(cards))


@says("the shuffler reports no discard", r"the shuffler (?:reports no|does not report its) discard")
def report_no_discard(stage: StoryStage, found: Match[str]) -> None:
    stage.reports_discard = False


@says("deck: CARDS", r"deck: (.+)")
def put_deck(stage: StoryStage, found: Match[str]) -> None:
    stage.deck = _cards(found[1])


@says("card CARD / cards CARDS", r"cards? ((?:[2-9TJQKA][cdhs] ?)+)")
def cards(stage: StoryStage, found: Match[str]) -> None:
    """Exactly these cards leave the shuffler, whether anybody waits for them or not."""
    stage.deal_on(_cards(found[1]))


@says("a card leaves the shuffler unread", r"a card leaves the shuffler unread")
def unread_card(stage: StoryStage, found: Match[str]) -> None:
    now, sequence = stage.evening.clock.stamp(), stage.table.shuffler.sequence + 1
    stage.take_fact(facts.CardUnread(now, now.mono_ns, sequence, ordinal=stage.next_ordinal()))


@says("card CARD leaves face up | burnt | together with the last",
      r"card ([2-9TJQKA][cdhs]) leaves (face up|burnt|together with the last)")
def marked_card(stage: StoryStage, found: Match[str]) -> None:
    """The card with the marks that a capable device reports."""
    now, sequence = stage.evening.clock.stamp(), stage.table.shuffler.sequence + 1
    face_up, burnt, together = (found[2].startswith(mark) for mark in ("face up", "burnt", "together"))
    stage.take_fact(
        facts.CardDealt(
            now, parse_card(found[1]), now.mono_ns, sequence, 0, face_up, burnt, together, stage.next_ordinal()
        )
    )


_STATES = ("shuffled", "jammed", "door open", "next card face up")


@says("the shuffler reports N cards[, shuffled][, jammed][, door open][, next card face up]",
      rf"the shuffler reports (\d+) cards?((?:, (?:{'|'.join(_STATES)}))*)")
def deck_reported(stage: StoryStage, found: Match[str]) -> None:
    shuffled, jammed, door_open, face_up_next = (state in found[2] for state in _STATES)
    now = stage.evening.clock.stamp()
    stage.take_fact(facts.DeckReported(now, int(found[1]), shuffled, 0, face_up_next, jammed, door_open))


def _cards(text: str) -> tuple[Card, ...]:
    try:
        return parse_cards(text)
    except CardError as error:
        raise StoryError(str(error)) from None


_ON_THE_LINE = {
    "repeat a message": Misbehaviour.REPEAT,
    "drop a message": Misbehaviour.DROP,
    "damage a message": Misbehaviour.DAMAGE,
    "break off a message": Misbehaviour.TRUNCATE,
    "leave out a message": Misbehaviour.SKIP,
    "send noise": Misbehaviour.NOISE,
    "send an unknown message": Misbehaviour.UNKNOWN,
}
_WITH_A_CARD = {
    "a card twice": Misbehaviour.DUPLICATE_CARD,
    "a foreign card": Misbehaviour.FOREIGN_CARD,
    "an unread card": Misbehaviour.UNREAD_CARD,
    "a card face up": Misbehaviour.FACE_UP,
    "two cards at once": Misbehaviour.TOGETHER,
}
_AT_ONCE = {
    "jams": Misbehaviour.JAM,
    "falls silent": Misbehaviour.SILENCE,
    "slows down": Misbehaviour.SLOW,
    "opens its door": Misbehaviour.DOOR_OPEN,
    "lacks a card": Misbehaviour.SHORT_DECK,
}


@says(f"the shuffler will {' | '.join(_ON_THE_LINE)}", rf"the shuffler will ({'|'.join(_ON_THE_LINE)})")
def misbehave_on_the_line(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.device.misbehave(_ON_THE_LINE[found[1]])


@says(f"the shuffler will deal {' | '.join(_WITH_A_CARD)}", rf"the shuffler will deal ({'|'.join(_WITH_A_CARD)})")
def misbehave_with_a_card(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.device.misbehave(_WITH_A_CARD[found[1]])


@says(f"the shuffler {' | '.join(_AT_ONCE)}", rf"the shuffler ({'|'.join(_AT_ONCE)})")
def misbehave_at_once(stage: StoryStage, found: Match[str]) -> None:
    """A jam comes with the next deal, after its first card."""
    stage.require_power()
    stage.evening.device.misbehave(_AT_ONCE[found[1]])
    stage.advance(SETTLED_MS)


@says("the shuffler is unplugged | plugged in | restarted | restarted and has lost count | mended",
      r"the shuffler is (unplugged|plugged in|restarted(?: and has lost count)?|mended)")
def plug_shuffler(stage: StoryStage, found: Match[str]) -> None:
    """A cable that was pulled stays pulled over a power cut."""
    if found[1].startswith("restarted"):
        stage.evening.device.restart(forgets=found[1].endswith("count"))
    elif found[1] == "mended":
        stage.evening.device.mend()
    elif found[1] == "unplugged":
        stage.evening.link.unplug()
    else:
        stage.evening.link.plug()
    stage.settle_edges()


@says("the shuffler hears nothing", r"the shuffler hears nothing")
def deafen_shuffler(stage: StoryStage, found: Match[str]) -> None:
    """Loses acknowledgements, so the device repeats its message until the next boot reopens the line."""
    stage.require_power()
    stage.evening.link.send = lambda data: None  # type: ignore[method-assign]


@says("the shuffler floods its line", r"the shuffler floods its line")
def flood_line(stage: StoryStage, found: Match[str]) -> None:
    """In a moment it sends more than an honest device sends in a minute."""
    stage.require_power()
    assert stage.evening.running is not None
    for _ in range(FLOOD_PIECES):
        stage.evening.running.loop.inbox.put(ShufflerBytes(encode_heartbeat() * 400, stage.evening.clock.now_ns()))
    stage.advance(SETTLED_MS)


# --- the jackpot controller --------------------------------------------------------------------------


@says("the link is cut | restored", r"the link is (cut|restored)")
def cut_link(stage: StoryStage, found: Match[str]) -> None:
    """Nothing gets through. The table notices it only after its timeout."""
    stage.evening.letters_lost = stage.evening.answers_lost = found[1] == "cut"


@says("the controller's answers are lost | heard again", r"the controller's answers are (lost|heard again)")
def lose_answers(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.answers_lost = found[1] == "lost"


@says("the link is lost / the link is found", r"the link is (lost|found)")
def lose_link(stage: StoryStage, found: Match[str]) -> None:
    """Cuts the link and waits until the table notices; then restores it and waits until letters are posted again."""
    lost = found[1] == "lost"
    stage.evening.letters_lost = stage.evening.answers_lost = lost
    stage.advance(stage.evening.config.link.lost_s * 1000 + 100 if lost else 2_100)


@says("the controller has seen letter N", r"the controller has seen letter (\d+)")
def has_seen(stage: StoryStage, found: Match[str]) -> None:
    """Its next answer names a higher letter than this table may remember."""
    _answer(stage, Pong(*_origin(stage), int(found[1]), {}))


@says("the controller counts letter N otherwise: HOW", r"the controller counts letter (\d+) otherwise: (.+)")
def counts_otherwise(stage: StoryStage, found: Match[str]) -> None:
    """It has the letter, but its ledger has another sum."""
    _answer(stage, Acked(*_origin(stage), int(found[1]), int(found[1]), found[2]))


@says("the controller refuses letter N because REASON", r"the controller refuses letter (\d+) because (.+)")
def refuses(stage: StoryStage, found: Match[str]) -> None:
    _answer(stage, Refused(*_origin(stage), int(found[1]), found[2]))


@says("two persons correct claim CLAIM to A/B of LEVEL at the controller",
      r"two persons correct claim (\S+) to (\d+)/(\d+) of (\S+) at the controller")
def correct_claim(stage: StoryStage, found: Match[str]) -> None:
    """The table hears the claim's value again."""
    table, nonce = _origin(stage)
    act = CorrectClaim(ClaimName(table, found[1], nonce), found[4], int(found[2]), int(found[3]))
    persons = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
    _act_at_controller(stage, act, persons, "a rank was misread")


def _act_at_controller(stage: StoryStage, act: Act, persons: tuple[Person, ...], reason: str) -> None:
    try:
        stage.act_at_controller(act, persons, reason)
    except RefusedError as error:
        stage.reply = str(error)


_OF_TABLE = r"(?: of table (?P<{0}>\S+?))?"


@says("PERSON releases claim CLAIM [of table TABLE] at the controller because REASON",
      rf"(?P<person>\w+) releases claim (?P<claim>[\d.]+){_OF_TABLE.format('table')} at the controller"
      r" because (?P<reason>.+)")
def release_claim(stage: StoryStage, found: Match[str]) -> None:
    """The claim is valued without the rounds that it waits for."""
    act = ReleaseClaim(_claim_name(stage, found["claim"], found["table"]))
    _act_at_controller(stage, act, (Person(found["person"], "supervisor"),), found["reason"])


@says("PERSON orders claim CLAIM of table TABLE before claim CLAIM of table TABLE on METER at the controller because "
      "REASON",
      r"(?P<person>\w+) orders claim (?P<first>[\d.]+) of table (?P<first_table>\S+) before claim "
      r"(?P<second>[\d.]+) of table (?P<second_table>\S+) on (?P<meter>\w+) at the controller because (?P<reason>.+)")
def order_claims(stage: StoryStage, found: Match[str]) -> None:
    """The house says which hand was dealt first."""
    names = tuple(_claim_name(stage, found[which], found[f"{which}_table"]) for which in ("first", "second"))
    persons = (Person(found["person"], "supervisor"),)
    _act_at_controller(stage, OrderClaims(found["meter"], names), persons, found["reason"])


def _claim_name(stage: StoryStage, claim: str, table: str | None) -> ClaimName:
    named = stage.table_named(table) if table else stage
    table, nonce = _origin(named)
    return ClaimName(table, claim, nonce)


@says('expect controller alert "TEXT" / expect no controller alert',
      r'expect (?:no controller alert|controller alert "(.+)")')
def controller_alert(stage: StoryStage, found: Match[str]) -> None:
    """What the controller reports to the house."""
    given = stage.evening.office.alerts(stage.evening.controllers_clock().stamp())
    wanted = found[1]
    if wanted is None and given:
        raise Unmet("no alert at the controller", given)
    if wanted is not None and not any(wanted in sentence for sentence in given):
        raise Unmet(f"an alert with {wanted!r} at the controller", given or "no alert")


@says("an answer comes that nobody understands", r"an answer comes that nobody understands")
def garbled_answer(stage: StoryStage, found: Match[str]) -> None:
    stage.require_power()
    assert stage.evening.running is not None
    stage.evening.running.loop.inbox.put(Answer(b"\xff{]"))
    stage.advance(SETTLED_MS)


def _origin(stage: StoryStage) -> tuple[str, str]:
    assert stage.table.settings is not None
    return stage.table.settings.table_id, stage.table.nonce


def _answer(stage: StoryStage, message: jackpot.Message) -> None:
    assert stage.evening.running is not None
    stage.evening.running.loop.inbox.put(Answer(jackpot.encode(message)))
    stage.advance(SETTLED_MS)


# --- power, disk, time -------------------------------------------------------------------------------


@says("power cut [of table and shuffler] [for N s]", r"power cut( of table and shuffler)?(?: for (\d+) s)?")
def power_cut(stage: StoryStage, found: Match[str]) -> None:
    stage.power_cut(int(found[2] or 5) * 1000)
    if found[1]:
        stage.evening.device.restart(forgets=False)


@says("power cut at the next write / at write N from now", r"power cut at (?:the next write|write (\d+) from now)")
def power_cut_in_write(stage: StoryStage, found: Match[str]) -> None:
    stage.require_power()
    stage.evening.disk.cut_at(int(found[1] or 1))


@says("boot", r"boot")
def boot(stage: StoryStage, found: Match[str]) -> None:
    stage.boot()


@says("power cut and boot", r"power cut and boot")
def power_cut_and_boot(stage: StoryStage, found: Match[str]) -> None:
    stage.power_cut(5_000)
    stage.boot()


@says("stop in good order", r"stop in good order")
def stop(stage: StoryStage, found: Match[str]) -> None:
    stage.stop()


@says("set SETTING = VALUE", r"set ([\w.]+) = (.+)")
def set_setting(stage: StoryStage, found: Match[str]) -> None:
    stage.configure(f"{found[1]}={found[2]}")


@says("reading NAME = VALUE", r"reading (\w+) = (\w+)")
def set_reading(stage: StoryStage, found: Match[str]) -> None:
    stage.configure(f"game.readings.{found[1]}={found[2]}")


@says("firmware VERSION is installed", r"firmware (\S+) is installed")
def install(stage: StoryStage, found: Match[str]) -> None:
    stage.version = found[1]


@says("the disk fails the next sync", r"the disk fails the next sync")
def fail_sync(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.disk.fail_syncs()


@says("the disk is full / the disk has room again", r"the disk (is full|has room again)")
def fill_disk(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.disk.capacity_bytes = 0 if found[1] == "is full" else None


@says("the wall clock steps forward | back N s", r"the wall clock steps (forward|back) (\d+) s")
def step_clock(stage: StoryStage, found: Match[str]) -> None:
    stage.evening.clock.step_wall(int(found[2]) * NS_PER_S * (1 if found[1] == "forward" else -1))


@says("the wall clock is set to DATE", r"the wall clock is set to (\d{4}-\d\d-\d\d)")
def set_clock(stage: StoryStage, found: Match[str]) -> None:
    """Midnight of that day in UTC."""
    wanted_ns = int(datetime.fromisoformat(f"{found[1]}T00:00:00+00:00").timestamp()) * NS_PER_S
    stage.evening.clock.step_wall(wanted_ns - stage.evening.clock.stamp().wall_ns)


@says("wait N ms | s | minutes", r"wait (\d+(?:\.\d+)?) (ms|s|minutes?)")
def wait(stage: StoryStage, found: Match[str]) -> None:
    in_ms = {"ms": 1, "s": 1000}.get(found[2], 60_000)
    stage.advance(Decimal(found[1]) * in_ms)


@says("wait until PHASE", rf"wait until ({'|'.join(Phase)})")
def wait_until(stage: StoryStage, found: Match[str]) -> None:
    for _ in range(1_000):
        if stage.table.phase == found[1]:
            return
        stage.advance(10)
    raise StoryError(f"{found[1]} was not reached within 10 s; the table is {stage.table.phase}")


@says("the journal is damaged", r"the journal is damaged")
def damage_journal(stage: StoryStage, found: Match[str]) -> None:
    """Flips one bit in the middle of the first segment while the table is off."""
    if stage.evening.running is not None:
        raise StoryError("the journal of a running table cannot be damaged from outside: cut the power first")
    disk = stage.evening.disk
    disk.power_on()
    name = segment_name(1)
    content = bytearray(disk.read(name))
    content[len(content) // 2] ^= 1
    disk.replace(name, bytes(content))


# --- faults and facts as they are --------------------------------------------------------------------


@says("fault F-NNN at WHERE", r"fault (F-\d+) at (.+)")
def raise_fault(stage: StoryStage, found: Match[str]) -> None:
    if found[1] not in CATALOGUE:
        raise StoryError(f"{found[1]} is no fault of the product")
    stage.take_fact(facts.FaultRaised(stage.evening.clock.stamp(), found[1], found[2]))


@says("the lamp of SPOT is open | short | repaired", rf"the lamp of {SPOT} is (open|short|repaired)")
def break_lamp(stage: StoryStage, found: Match[str]) -> None:
    stage.require_power()
    board = stage.evening.board
    if found[1] not in board.lamps:
        raise StoryError(f"{found[1]} has no lamp")
    if found[2] == "repaired":
        board.repair_lamp(found[1])
    else:
        board.break_lamp(found[1], found[2])
    stage.advance(SETTLED_MS)


@says("the input thread dies", r"the input thread dies")
def input_thread_dies(stage: StoryStage, found: Match[str]) -> None:
    """No edge arrives until the next boot brings another board."""
    stage.require_power()
    stage.evening.board.alive = lambda: False  # type: ignore[method-assign]
    stage.advance(SETTLED_MS)


@says("the next fact cannot be worked through", r"the next fact cannot be worked through")
def fail_next_step(stage: StoryStage, found: Match[str]) -> None:
    """Acts as if the core had a mistake: the first step fails, later ones do not."""
    stage.require_power()
    assert stage.evening.running is not None
    stepper = stage.evening.running.loop._turn._stepper
    whole = stepper.step

    def step(table: Any, fact: facts.Fact) -> Any:
        stepper.step = whole  # type: ignore[method-assign]
        raise ArithmeticError("planted by the story")

    stepper.step = step  # type: ignore[method-assign]


@says("fact KIND {JSON}", r"fact (\w+)(?: (\{.*\}))?")
def fact(stage: StoryStage, found: Match[str]) -> None:
    kind = facts.FACTS.get(found[1])
    if kind is None:
        raise StoryError(f"{found[1]} is no fact; known: {', '.join(facts.FACTS)}")
    try:
        stage.take_fact(from_plain(kind, {"at": stage.evening.clock.stamp(), **fields_in(found[2] or "{}")}))
    except ShapeError as error:
        raise StoryError(f"{found[1]}: {error}") from None
