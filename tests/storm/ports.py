"""The virtual ports as a storm wants them: a disk that can show what is certain, a shuffler with rigged decks that
counts what was acknowledged, a board that can go deaf, and a rough road to the office."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from felt.nouns.cards import Card
from felt.ports import Post
from felt.service.inbox import Answer
from felt.virtual.board import VirtualBoard
from felt.virtual.disk import ForgetfulDisk
from felt.virtual.shuffler import ShufflerDevice

if TYPE_CHECKING:
    from tests.storm.world import World


class StormDisk(ForgetfulDisk):
    def certain(self) -> ForgetfulDisk:
        """A copy of what would be left for certain if the power failed now."""
        copy = ForgetfulDisk()
        for name, file in self._durable_names.items():
            copy.replace(name, file.durable)
        return copy

    def used_bytes(self) -> int:
        return sum(len(file.content) for file in self._files.values())


class RiggedShuffler(ShufflerDevice):
    def __init__(self, chance: random.Random, packets: bool) -> None:
        self._cards_in: dict[int, int] = {}
        super().__init__(chance, packets=packets)
        self.dealt: Counter[Card] = Counter()
        self.acknowledged = 0  # cards that the table has promised to remember

    def rig(self, deck: Sequence[Card]) -> None:
        self._dealer.deck = tuple(deck)

    def behave(self) -> None:
        self._dealer.misdeeds.clear()

    def restart(self) -> None:
        self._cards_in.clear()
        super().restart()

    def _queue_set(self, ordinal: int, cards: tuple[Card, ...]) -> None:
        queued = len(self._outgoing)
        super()._queue_set(ordinal, cards)
        messages = list(self._outgoing)[queued:]
        for message in messages:
            self._cards_in[message.sequence] = len(cards) // len(messages)

    def _acknowledged(self, sequence: int) -> None:
        waiting = len(self._outgoing)
        super()._acknowledged(sequence)
        if len(self._outgoing) < waiting:
            self.acknowledged += self._cards_in.pop(sequence, 0)

    def dispense(self, sets: int, cards_each: int) -> tuple[tuple[Card, ...], ...]:
        dealt = super().dispense(sets, cards_each)
        self.dealt.update(card for cards in dealt for card in cards)
        return dealt


class StormBoard(VirtualBoard):
    dead = False  # the thread that hears its edges has died

    def alive(self) -> bool:
        return super().alive() and not self.dead


class Road:
    """Between the table and the office: letters and answers get lost, come twice, come late."""

    def __init__(self, post: Post, world: World) -> None:
        self._post = post
        self._world = world
        self._on_answer: Callable[[bytes], None] = lambda _: None
        self.alive = post.alive
        self.problem = post.problem
        self.intruder = post.intruder
        self.close = post.close

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer
        self._post.start(self._answered)

    def meters(self) -> Mapping[str, int]:
        return self._post.meters()

    def send(self, letter: bytes) -> None:
        world = self._world
        world.effect()
        if world.letters_lost:
            return
        for _ in range(2 if world.letters_repeated else 1):
            self._post.send(letter)
            world.checkers.arrived(letter, world.office)
        world.effect()

    def _answered(self, answer: bytes) -> None:
        world = self._world
        if world.answers_lost:
            return
        if not world.answer_delay_ms:
            self._on_answer(answer)
            return
        delay_ms = world.chance.randrange(world.answer_delay_ms)
        world.at(delay_ms, lambda: world.put(Answer(answer)))
