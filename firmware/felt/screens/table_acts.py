"""What a person does at the virtual table as dealer, player and troublemaker: keys, chips, one box's cards, the
shuffler, and a menu of troubles. Orders in a person's name go to the desk like all others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from felt.screens.acts import PersonActs
from felt.screens.bench_line import BenchError, BenchLine
from felt.screens.feed import Feed, Message
from felt.screens.sessions import Session
from felt.screens.site import ActRefused

CARDS_EACH = 3
WORTH_MAX = 10**9
SWITCHES = ("supervisor",)
ACCEPTED = "accepted"
AFTER_THE_DEAL = ("DECIDING", "REVEALING", "SETTLING", "VERIFYING", "PAYING")
_AFTER_THE_LOCK = ("DEALING", "DECIDING", "REVEALING")


class TableActs:
    """Implements `site.Acts`. Knows spots and keys from the layout that the desk sends."""

    def __init__(self, people: PersonActs, bench: BenchLine, feed: Feed) -> None:
        self._people = people
        self._bench = bench
        self._feed = feed

    async def act(self, session: Session, words: Message) -> Message:
        try:
            match words:
                case {"do": "press", "key": str(key)}:
                    return await self._press(key)
                case {"do": "switch", "key": str(key), "on": bool(on)} if key in SWITCHES:
                    self._bench.turn_switch(key, on)
                case {"do": "place", "spot": str(spot), "worth": int(worth)} if 0 < worth <= WORTH_MAX:
                    self._bench.place(spot, worth, self._round(), sensed=self._is_sensed(spot))
                case {"do": "lift", "spot": str(spot)}:
                    self._bench.lift(spot, sensed=self._is_sensed(spot), all_of_it=bool(words.get("all")))
                case {"do": "clear"}:
                    for spot in list(self._bench.hands.chips):
                        self._bench.lift(spot, sensed=self._is_sensed(spot), all_of_it=True)
                case {"do": "deal"}:
                    await self._deal()
                case {"do": "look", "box": int(box)}:
                    return await self._look(box)
                case {"do": "trouble", "kind": str(kind)} if kind in _TROUBLES:
                    return {"said": await _TROUBLES[kind](self, str(words.get("spot", "")))}
                case _:
                    return await self._people.act(session, words)
        except BenchError as problem:
            raise ActRefused(str(problem)) from None
        return {}

    def _round(self) -> int:
        return int(self._feed.picture.get("round", 0)) + (self._phase() == "IDLE")

    def _phase(self) -> str:
        return str(self._feed.picture.get("phase", ""))

    def _is_sensed(self, spot: str) -> bool:
        """Raises `ActRefused` if the table has no such spot."""
        seat, _, kind = spot.partition(".")
        layout = self._feed.layout
        found = [wager for wager in layout.get("wagers", ()) if wager["name"] == kind]
        if not found or not seat.isdecimal() or not 1 <= int(seat) <= layout["seats"]:
            raise ActRefused("This table has no such spot.")
        return bool(found[0]["sensed"])

    # --- the dealer --------------------------------------------------------------------------------------

    async def _press(self, key: str) -> Message:
        layout = self._feed.layout
        seats = [f"seat_{seat}" for seat in range(1, layout.get("seats", 0) + 1)]
        if key not in (*layout.get("keys", ()), *seats):
            raise ActRefused("This panel has no such key.")
        await self._bench.press(key)
        if key == "collect":
            self._sweep()
        return {}

    def _sweep(self) -> None:
        """The dealer takes the coins of accepted bets into the tray. A late coin stays, to be handed back."""
        for spot, shows in self._feed.picture.get("lamps", {}).items():
            if shows == ACCEPTED and self._feed.picture["playing"]["collected"] and spot in self._bench.hands.chips:
                self._bench.lift(spot, sensed=True, all_of_it=True)

    async def _deal(self) -> None:
        shuffler = self._feed.picture.get("shuffler", {})
        phase = self._phase()
        if phase in AFTER_THE_DEAL or (phase == "DEALING" and shuffler.get("out")):
            raise ActRefused("The shuffler has dealt this round.")
        if phase != "DEALING" or not shuffler.get("of"):
            raise ActRefused("Nothing is dealt before bets are locked.")
        await self._bench.ask(deal=-(-int(shuffler["of"]) // CARDS_EACH))

    # --- a player ----------------------------------------------------------------------------------------

    async def _look(self, box: int) -> Message:
        """One box at a time: to look at another hand, a player puts the first one down (3.7)."""
        if not box:
            return {"box": 0, "cards": []}
        said = await self._bench.ask(peek=box)
        return {"box": box, "cards": said["cards"]}

    # --- troubles ----------------------------------------------------------------------------------------

    async def late_chip(self, spot: str) -> str:
        if self._phase() not in _AFTER_THE_LOCK:
            raise ActRefused("A chip is late only after NO MORE BETS: lock the bets first.")
        lamps = self._feed.picture["lamps"]
        coins = [spot for spot, shows in lamps.items() if spot[:1].isdigit() and shows == "off"]
        free = [spot for spot in coins if spot not in self._bench.hands.chips]
        late = spot if spot in free else next(iter(free), "")
        if not late:
            raise ActRefused("Every coin spot has its bet: there is no place for a late chip.")
        self._bench.place(late, int(self._feed.layout["prescribed"] or 1), self._round(), sensed=True)
        return f"A chip lies on {late} after the lock."

    async def stuck(self, spot: str) -> str:
        self._coin(spot)
        stuck = self._bench.hands.stuck
        if spot in stuck:
            stuck.discard(spot)
            self._bench.cover(spot, spot in self._bench.hands.chips, sensed=True)
            return f"The contact of {spot} moves again."
        stuck.add(spot)
        self._feed.retell()
        return f"The contact of {spot} follows no chip any more."

    async def chatter(self, spot: str) -> str:
        self._coin(spot)
        await self._bench.chatter(spot)
        return f"The contact of {spot} has chattered."

    async def lamp(self, spot: str) -> str:
        self._coin(spot)
        dark = self._bench.hands.dark
        broken = spot not in dark
        await self._bench.ask(lamp=spot, broken=broken)
        (dark.add if broken else dark.discard)(spot)
        self._feed.retell()
        return f"The lamp of {spot} is {'broken' if broken else 'repaired'}."

    async def unplug(self, _: str) -> str:
        gone = await self._lasts("unplugged", lambda now: self._bench.ask(plugged=not now))
        return "The shuffler's cable is out." if gone else "The shuffler's cable is in again."

    async def foreign_card(self, _: str) -> str:
        await self._bench.ask(misdeed="foreign_card")
        return "The first card of the next deal is none of the deck."

    async def repeated_card(self, _: str) -> str:
        await self._bench.ask(misdeed="duplicate_card")
        return "The second card of the next deal is its first once more."

    async def lose_link(self, _: str) -> str:
        gone = await self._lasts("link_lost", lambda now: self._bench.ask(linked=not now))
        return "The jackpot controller hears and says nothing." if gone else "The jackpot controller answers again."

    async def slow_disk(self, _: str) -> str:
        slow = await self._lasts("slow_disk", lambda now: self._bench.ask(disk_ms=400 if now else 0))
        return "The disk takes 0.4 s for each record." if slow else "The disk is as fast as before."

    async def cut_power(self, _: str) -> str:
        self._bench.say(power="cut")
        return "The power is off; it comes back in a few seconds."

    def _coin(self, spot: str) -> None:
        if spot not in self._feed.picture.get("lamps", {}) or not spot[:1].isdigit():
            raise ActRefused("Choose a box with a coin spot first.")

    async def _lasts(self, name: str, turn: Callable[[bool], Awaitable[object]]) -> bool:
        troubles = self._bench.hands.troubles
        now = name not in troubles
        await turn(now)
        (troubles.add if now else troubles.discard)(name)
        self._feed.retell()
        return now


_TROUBLES = {
    "late_chip": TableActs.late_chip,
    "stuck": TableActs.stuck,
    "chatter": TableActs.chatter,
    "lamp": TableActs.lamp,
    "unplug": TableActs.unplug,
    "foreign_card": TableActs.foreign_card,
    "repeated_card": TableActs.repeated_card,
    "link": TableActs.lose_link,
    "disk": TableActs.slow_disk,
    "power": TableActs.cut_power,
}
