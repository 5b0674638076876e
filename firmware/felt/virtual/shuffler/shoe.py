"""An emulated simple shoe: one ASCII line per card, sent once and never acknowledged."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence

from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_S
from felt.virtual.shuffler.deck import NOISE_BYTES, SLOW_NS, Dealer, Misbehaviour, State
from felt.wire.adapters.simple_shoe import CARDS_COUNTED, QUESTION, UNKNOWN, encode_line
from felt.wire.shuffler import OneCard

IDLE_NS = 1 * NS_PER_S


class ShoeDevice:
    """Implements `SimulatedDevice`. It takes no orders: the dealer draws cards from it."""

    def __init__(self, chance: random.Random, decks: Sequence[Sequence[Card]] = (), identity: str = "SHOE 1") -> None:
        self._dealer = Dealer(chance, decks)
        self._identity = identity
        self._heard = b""
        self._now_ns = 0
        self._drawn = 0  # survives a restart unless it was forgotten
        self._knows_count = True
        self.restart()

    def restart(self, *, forgets: bool = False) -> None:
        self._outgoing: deque[bytes] = deque()
        self._pause_ns = 0
        self._knows_count = self._knows_count and not forgets
        self._say(f"I{self._identity}")
        self._say_state()

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self._dealer.misdeeds.append(misdeed)
        if misdeed is Misbehaviour.SHORT_DECK:
            self.load(self._dealer.deck)
        if misdeed is Misbehaviour.JAM:
            self._dealer.jammed = True
        if misdeed in (Misbehaviour.JAM, Misbehaviour.FACE_UP, Misbehaviour.DOOR_OPEN):
            self._say_state()

    def mend(self) -> None:
        self._dealer.mend()
        self._say_state()

    def load(self, deck: Sequence[Card]) -> None:
        self._dealer.decks.appendleft(tuple(deck))
        self._dealer.new_deck()
        self._say_state()

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        """Draws this many cards by hand; then a fresh deck goes in."""
        if self._dealer.jammed:
            return ()
        self._knows_count = self._knows_count or not goes_on
        dealt = self._dealer.draw(sets, cards_each)
        for cards in dealt:
            for card in self._dealer.as_told(cards):
                self._say_card(card)
        self._dealer.new_deck()
        self._say_state()
        return dealt

    def burn(self) -> None:
        """Draws a card; the shoe cannot recognise a burn card."""
        for cards in self._dealer.draw(1, 1):
            self._say_card(self._dealer.as_told(cards)[0])

    def eject(self) -> None:
        self._dealer.new_deck()
        self._say_state()

    def receive(self, received: bytes) -> None:
        self._heard += received
        asked = self._heard.count(QUESTION)
        self._heard = self._heard.rpartition(b"\n")[2][:8]
        if asked:
            self._say_state()

    def tick(self, now_ns: int) -> bytes:
        self._now_ns = now_ns
        if Misbehaviour.SILENCE in self._dealer.misdeeds:
            self._outgoing.clear()  # nobody hears it, and it repeats nothing
        sent = b""
        while self._outgoing and now_ns >= self._pause_ns:
            sent += self._misdone(self._outgoing.popleft())
            if Misbehaviour.SLOW in self._dealer.misdeeds:
                self._pause_ns = now_ns + SLOW_NS
        return sent

    def next_due_ns(self) -> int:
        return self._pause_ns if self._outgoing else self._now_ns + IDLE_NS

    def quiet(self) -> bool:
        return not self._outgoing

    def state(self) -> State:
        return self._dealer.state(shuffled=True)

    def _say(self, text: str) -> None:
        self._outgoing.append(encode_line(text))

    def _say_card(self, card: OneCard) -> None:
        self._drawn = (self._drawn + 1) % CARDS_COUNTED
        name = card.card or card.letters.decode("ascii") or "??"
        self._say(f"C{self._count()}{name}{'F' * card.face_up}{'T' * card.together}")

    def _say_state(self) -> None:
        state = self.state()
        letters = "R" * state.shuffled + "F" * state.face_up_next + "J" * state.jammed + "D" * state.door_open
        self._say(f"S{self._count()}{state.cards:03}{letters}")

    def _count(self) -> str:
        return f"{self._drawn:02}" if self._knows_count else UNKNOWN

    def _misdone(self, line: bytes) -> bytes:
        take = self._dealer.take
        if take(Misbehaviour.DROP) or take(Misbehaviour.SKIP):
            return b""
        if take(Misbehaviour.DAMAGE):
            return bytes((line[0] ^ 0x01,)) + line[1:]
        if take(Misbehaviour.TRUNCATE):
            return line[: len(line) // 2] + b"\n"
        if take(Misbehaviour.REPEAT):
            line += line
        if take(Misbehaviour.UNKNOWN):
            line = encode_line("X?") + line
        if take(Misbehaviour.NOISE):
            line = self._dealer.chance.randbytes(NOISE_BYTES) + b"\n" + line
        return line
