"""Accidents around tables, broker and controller. Each seed has its own mix. Each gust has its own random numbers, so
leaving one out does not change the others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from felt.nouns.ids import spot_of
from felt.nouns.stamps import NS_PER_S
from felt.table.state import Phase
from felt.virtual.shuffler import Misbehaviour
from felt.wire.feedback import OPEN, SHORT
from felt.wire.shuffler import FLAG, UNNUMBERED, encode_frame, encode_heartbeat

if TYPE_CHECKING:
    from tests.storm.house import House
    from tests.storm.place import Place

# Troubles of the line that must not lose anything.
_ON_THE_LINE = (
    Misbehaviour.REPEAT, Misbehaviour.DROP, Misbehaviour.NOISE, Misbehaviour.DAMAGE, Misbehaviour.TRUNCATE,
    Misbehaviour.UNKNOWN,
)  # fmt: skip
_WITH_CARDS = (
    Misbehaviour.DUPLICATE_CARD, Misbehaviour.FOREIGN_CARD, Misbehaviour.UNREAD_CARD, Misbehaviour.TOGETHER,
    Misbehaviour.FACE_UP, Misbehaviour.SHORT_DECK, Misbehaviour.JAM, Misbehaviour.SILENCE, Misbehaviour.SLOW,
    Misbehaviour.DOOR_OPEN,
)  # fmt: skip
_POURED = (
    ("heartbeats", encode_heartbeat()),
    ("words that nobody knows", encode_frame(0x6F, UNNUMBERED, b"what")),
    ("noise", FLAG + bytes(range(0x20, 0x7C)) + FLAG),
)
Gust = Callable[["House", "Place", random.Random], None]
GUSTS: dict[str, Gust] = {}


def gust(name: str) -> Callable[[Gust], Gust]:
    def known(blow: Gust) -> Gust:
        GUSTS[name] = blow
        return blow

    return known


class Weather:
    def __init__(self, house: House) -> None:
        self._house = house
        self._kinds = tuple(GUSTS)
        self.gusts = 0
        self._over = False
        chance = random.Random(house.plan.seed * 7 + 7)
        for place in house.places:
            if "lost edges" in house.plan.weather:
                place.edges_lost = chance.choice((2, 8))
            if "delayed edges" in house.plan.weather:
                place.edges_delayed = chance.choice((3, 10))

    def blows(self) -> Iterator[float]:
        plan, house = self._house.plan, self._house
        pace = random.Random(plan.seed * 7 + 4)
        while plan.weather and not self._over:
            yield pace.uniform(60, 260) / len(house.places)
            if self._over or pace.random() >= plan.rate:
                continue
            self.gusts += 1
            if self.gusts > plan.gusts_max or self.gusts in plan.dropped:
                continue
            lot = random.Random(plan.seed * 1_000_003 + self.gusts)
            place = lot.choice(house.places)
            kind = lot.choice(plan.weather)
            if place.running is not None:
                GUSTS[kind](house, place, lot)

    def calm(self) -> None:
        house = self._house
        house.tell("the weather is over")
        self._over = True
        rough = house.rough
        rough.cut = rough.letters_lost = rough.letters_repeated = rough.answers_lost = False
        rough.answer_delay_ms = 0
        for place in house.places:
            _calm(place)
        if house.controller is not None:
            air = house.air
            air.lost = air.doubled = air.reordered = 0.0
            air.slow_ms = 0
            air.cut_off.clear()
            if not air.running:
                air.restart()
            house.controller.calm()


def _calm(place: Place) -> None:
    place.edges_lost = place.edges_delayed = place.sync_ms = 0
    place.disk.capacity_bytes = None
    place.disk.fail_syncs(0)
    place.disk.cut_at(1 << 60)
    place.cut_after_effects(0)
    place.cable.plug()
    place.board.dead = False
    for spot in sorted(place.board.stuck):
        place.unstick(spot)
    for lamp in place.board.lamps:
        if lamp[:1].isdigit():
            place.board.repair_lamp(lamp)
    place.device.behave()
    place.end_floods()


# --- power and disk ----------------------------------------------------------------------------------


@gust("cut in a disk call")
def _cut_in_a_disk_call(_: House, place: Place, lot: random.Random) -> None:
    place.fire("cut in a disk call", "the power will fail inside a disk call")
    place.disk.cut_at(lot.randrange(1, 25))


@gust("cut between ticks")
def _cut_now(_: House, place: Place, lot: random.Random) -> None:
    place.lights_out()
    if lot.random() < 0.3:
        place.disk.cut_at(lot.randrange(1, 4))


@gust("cut between effects")
def _cut_between_effects(_: House, place: Place, lot: random.Random) -> None:
    place.cut_after_effects(lot.randrange(1, 60))


@gust("stopped in good order")
def _stop_in_good_order(_: House, place: Place, lot: random.Random) -> None:
    place.fire("stopped in good order", "the firmware is stopped and started")
    place.stop_and_start()


@gust("version upgrade")
def _upgrade(_: House, place: Place, lot: random.Random) -> None:
    place.fire("version upgrade", "the firmware is stopped, and another version is started")
    place.stop_and_start(upgrade=True)


@gust("failed sync")
def _fail_a_sync(_: House, place: Place, lot: random.Random) -> None:
    place.fire("failed sync", "the next sync fails")
    place.disk.fail_syncs(1)


@gust("slow sync")
def _slow_syncs(_: House, place: Place, lot: random.Random) -> None:
    place.fire("slow sync", "the disk is slow")
    place.sync_ms = lot.choice((4, 30, 150))
    place.hours.after(lot.choice((200, 900)), lambda: setattr(place, "sync_ms", 0))


@gust("full disk")
def _fill_the_disk(_: House, place: Place, lot: random.Random) -> None:
    place.fire("full disk", "the disk is nearly full")
    place.disk.capacity_bytes = place.disk.used_bytes() + lot.randrange(2_000)


@gust("bit rot")
def _rot(_: House, place: Place, lot: random.Random) -> None:
    """Flips one durable bit while the table is off: before the last turn, or in a snapshot."""
    place.fire("bit rot", "the power fails, and a bit rots")
    place.lights_out()
    names = [name for name in place.disk.durable_names() if len(place.disk.durable(name)) > 1_500]
    if names and not place.disk.rotten:
        name = lot.choice(names)
        whole = len(place.disk.durable(name))
        place.disk.rot(name, lot.randrange(whole if name.startswith("snapshot") else whole - 1_400), lot.randrange(8))


# --- contacts and lamps ------------------------------------------------------------------------------


def _spot(place: Place, lot: random.Random) -> str:
    kind = lot.choice((place.config.board.sensed[0], place.config.board.sensed[-1]))
    return spot_of(lot.randrange(1, place.seats + 1), kind)


@gust("board dead")
def _deafen_the_board(_: House, place: Place, lot: random.Random) -> None:
    place.fire("board dead", "the board's input thread dies")
    place.board.dead = True
    place.hours.after(lot.choice((300, 4_000)), lambda: setattr(place.board, "dead", False))


@gust("chatter")
def _chatter(_: House, place: Place, lot: random.Random) -> None:
    spot = _spot(place, lot)
    place.fire("chatter", f"{spot} chatters")
    place.shake(spot, lot.uniform(90, 400), 9)


@gust("flicker")
def _flicker(_: House, place: Place, lot: random.Random) -> None:
    spot = _spot(place, lot)
    place.fire("flicker", f"{spot} flickers")
    place.shake(spot, lot.uniform(2, 15), 5)


@gust("stuck sensor")
def _stick(_: House, place: Place, lot: random.Random) -> None:
    spot = _spot(place, lot)
    place.fire("stuck sensor", f"{spot} shows what it shows")
    place.stick(spot, lot.choice((500, 3_000, 15_000)))


@gust("broken lamp")
def _break_a_lamp(_: House, place: Place, lot: random.Random) -> None:
    lamps = [lamp for lamp in place.board.lamps if lamp[:1].isdigit()]
    if lamps:
        lamp = lot.choice(lamps)
        place.fire("broken lamp", f"the lamp {lamp} breaks")
        place.board.break_lamp(lamp, lot.choice((OPEN, SHORT)))
        place.hours.after(lot.choice((1_000, 8_000)), lambda: place.board.repair_lamp(lamp))


@gust("lost edges")
def _lose_edges(_: House, place: Place, lot: random.Random) -> None:
    """All evening, some edges never arrive."""


@gust("delayed edges")
def _delay_edges(_: House, place: Place, lot: random.Random) -> None:
    """All evening, some edges arrive late."""


# --- the way to the office ---------------------------------------------------------------------------


def _for_a_while(house: House, lot: random.Random, whose: object, name: str, value: object, calm: object) -> None:
    setattr(whose, name, value)
    house.hours.after(lot.choice((200, 1_000, 4_000, 9_000)), lambda: setattr(whose, name, calm))


@gust("messages lost")
def _lose_messages(house: House, place: Place, lot: random.Random) -> None:
    house.fire("messages lost", "messages get lost")
    if house.controller is None:
        _for_a_while(house, lot, house.rough, lot.choice(("letters_lost", "answers_lost")), True, False)
    else:
        _for_a_while(house, lot, house.air, "lost", lot.choice((0.1, 0.5, 1.0)), 0.0)


@gust("messages late")
def _slow_messages(house: House, place: Place, lot: random.Random) -> None:
    house.fire("messages late", "messages are slow")
    if house.controller is None:
        _for_a_while(house, lot, house.rough, "answer_delay_ms", lot.choice((50, 900, 6_000)), 0)
    else:
        _for_a_while(house, lot, house.air, "slow_ms", lot.choice((50, 900, 6_000)), 0)


@gust("messages repeated")
def _repeat_messages(house: House, place: Place, lot: random.Random) -> None:
    house.fire("messages repeated", "messages come twice")
    if house.controller is None:
        _for_a_while(house, lot, house.rough, "letters_repeated", True, False)
    else:
        _for_a_while(house, lot, house.air, "doubled", lot.choice((0.2, 1.0)), 0.0)


@gust("messages overtake")
def _reorder_messages(house: House, place: Place, lot: random.Random) -> None:
    if house.controller is not None:
        house.fire("messages overtake", "messages overtake one another")
        house.air.slow_ms = max(house.air.slow_ms, 40)
        _for_a_while(house, lot, house.air, "reordered", 0.5, 0.0)
        house.hours.after(9_000, lambda: setattr(house.air, "slow_ms", 0))


@gust("link cut")
def _cut_the_link(house: House, place: Place, lot: random.Random) -> None:
    place.fire("link cut", "the link is cut")
    if house.controller is None:
        _for_a_while(house, lot, house.rough, "cut", True, False)
        return
    name = lot.choice((place.name, place.name, "controller"))
    house.air.cut_off.add(name)
    house.hours.after(lot.choice((500, 2_000, 6_000)), lambda: house.air.cut_off.discard(name))


@gust("broker restarted")
def _restart_the_broker(house: House, place: Place, lot: random.Random) -> None:
    if house.controller is not None and house.air.running:
        house.fire("broker restarted", "the broker dies")
        house.air.stop()
        house.hours.after(lot.choice((100, 2_500)), house.air.restart)


@gust("controller killed")
def _kill_the_controller(house: House, place: Place, lot: random.Random) -> None:
    if house.controller is not None:
        house.controller.kill_soon(lot.randrange(1, 12))


@gust("fail-over")
def _stall_the_controller(house: House, place: Place, lot: random.Random) -> None:
    if house.controller is not None and house.controller.node is not None:
        house.fire("fail-over", "the jackpot controller stalls, and another takes over")
        house.controller.stall(lot.choice((1_000, 4_000, 8_000)))


# --- the shuffler ------------------------------------------------------------------------------------


@gust("shuffler unplugged")
def _unplug_the_shuffler(_: House, place: Place, lot: random.Random) -> None:
    place.fire("shuffler unplugged", "the shuffler is unplugged")
    place.cable.unplug()
    place.hours.after(lot.choice((100, 900, 5_000)), lambda: place.cable.plug())  # noqa: PLW0108 # a restart in between makes another cable


@gust("shuffler restarted")
def _restart_the_shuffler(_: House, place: Place, lot: random.Random) -> None:
    place.fire("shuffler restarted", "the shuffler restarts")
    place.device.restart()


@gust("packets lost")
def _lose_packets(_: House, place: Place, lot: random.Random) -> None:
    """Cards leave the device, and it never reports them."""
    place.fire("packets lost", "the shuffler loses what it has to say of cards")
    place.device.losing = lot.choice((0.1, 0.3))
    place.hours.after(lot.choice((2_500, 9_000)), lambda: setattr(place.device, "losing", 0.0))


@gust("restart in the deal")
def _restart_in_the_deal(_: House, place: Place, lot: random.Random) -> None:
    """The table, the shuffler or both lose power during the deal; the shuffler may lose its count."""
    if place.table.phase is not Phase.DEALING:
        return
    who = lot.choice(("shuffler", "shuffler that has lost count", "table", "both", "both, and the count is lost"))
    place.fire("restart in the deal", f"in the middle of the deal power is lost: {who}")
    if who != "table":
        place.device.restart(forgets="count" in who)
    if who == "table" or who.startswith("both"):
        place.lights_out()


@gust("noisy line")
def _misbehave(_: House, place: Place, lot: random.Random) -> None:
    misdeed = lot.choice((*_ON_THE_LINE, None))
    if misdeed is None:
        place.fire("shuffler: overtaken", "a frame of the shuffler will be overtaken by the next")
        place.cable.hold_back()
        return
    place.fire(f"shuffler: {misdeed.value}", f"the shuffler will {misdeed.value}")
    place.device.misbehave(misdeed)


@gust("shuffler floods")
def _flood(_: House, place: Place, lot: random.Random) -> None:
    """Bursts of valid frames and noise between the device's own messages. They have no number, so none is acknowledged
    by mistake. Some are small enough that the table must tolerate them."""
    name, piece = lot.choice(_POURED)
    kib, every_ms, times = lot.choice((1, 4, 40)), lot.choice((5, 100)), lot.choice((1, 20, 100))
    place.fire("shuffler floods", f"the shuffler floods with {name}: {times} times {kib} KiB")
    place.flood(piece * (kib * 1024 // len(piece)), times, every_ms)


@gust("cards go wrong")
def _spoil_the_deal(_: House, place: Place, lot: random.Random) -> None:
    misdeed = lot.choice(_WITH_CARDS)
    place.fire(f"shuffler: {misdeed.value}", f"the shuffler will {misdeed.value}")
    place.device.misbehave(misdeed)
    place.hours.after(lot.choice((600, 2_500, 6_000)), place.device.mend)


# --- the clock ---------------------------------------------------------------------------------------


@gust("wall clock stepped")
def _step_the_wall_clock(house: House, place: Place, lot: random.Random) -> None:
    step_s = lot.choice((-3_600, -2, 2, 86_400))
    if house.controller is not None and house.controller.node is not None and lot.random() < 0.3:
        house.fire("wall clock stepped", f"the controller's wall clock steps by {step_s} s")
        house.controller.node.clock.step_wall(step_s * NS_PER_S)
        return
    place.fire("wall clock stepped", f"the wall clock steps by {step_s} s")
    place.clock.step_wall(step_s * NS_PER_S)
