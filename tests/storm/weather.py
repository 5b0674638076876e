"""Everything that goes wrong around a table without anybody's will. Each seed has its own mix."""

from __future__ import annotations

import random
from collections.abc import Callable

from felt.nouns.ids import spot_of
from felt.nouns.stamps import NS_PER_S
from felt.virtual.shuffler import Misbehaviour
from tests.storm.world import World

# On the line, where nothing may be lost by them; what is wrong with cards is another story.
_MISDEEDS = (
    Misbehaviour.REPEAT, Misbehaviour.DROP, Misbehaviour.NOISE, Misbehaviour.DAMAGE, Misbehaviour.TRUNCATE,
    Misbehaviour.UNKNOWN, Misbehaviour.DUPLICATE_CARD,
)  # fmt: skip


class Weather:
    def __init__(self, world: World, chance: random.Random, *, wild: bool = False) -> None:
        """`wild`: everything at once, for those who want to meet it soon."""
        self._world = world
        self._chance = chance
        kinds: list[Callable[[], None]] = [
            self._cut_in_a_disk_call, self._cut_now, self._cut_between_effects, self._stop_in_good_order,
            self._fail_a_sync, self._fill_the_disk, self._deafen_the_board, self._chatter, self._flicker,
            self._lose_letters, self._lose_answers, self._slow_answers, self._repeat_letters, self._pull_the_cable,
            self._unplug_the_shuffler, self._restart_the_shuffler, self._misbehave, self._step_the_wall_clock,
        ]  # fmt: skip
        self._kinds = [kind for kind in kinds if wild or chance.random() < 0.5]
        self._rate = 0.25 if wild else chance.choice((0.02, 0.08, 0.25))
        world.edges_lost = chance.choice((0, 0, 2, 8))
        world.edges_delayed = chance.choice((0, 0, 3, 10))

    def blow(self) -> None:
        if self._kinds and self._chance.random() < self._rate:
            self._chance.choice(self._kinds)()

    def calm(self) -> None:
        world = self._world
        world.tell("the weather is over")
        self._kinds = []
        world.edges_lost = world.edges_delayed = world.answer_delay_ms = 0
        world.letters_lost = world.letters_repeated = world.answers_lost = False
        world.post.cut = False
        world.disk.capacity_bytes = None
        world.disk.fail_syncs(0)
        world.disk.cut_at(1 << 60)
        world.cut_after_effects(0)
        world.link.plug()
        world.board.dead = False
        world.device.behave()

    # --- power and disk ------------------------------------------------------------------------------

    def _cut_in_a_disk_call(self) -> None:
        self._world.fire("cut in a disk call", "the power will fail inside a disk call")
        self._world.disk.cut_at(self._chance.randrange(1, 25))

    def _cut_now(self) -> None:
        self._world.lights_out()
        if self._chance.random() < 0.3:
            self._world.disk.cut_at(self._chance.randrange(1, 4))

    def _cut_between_effects(self) -> None:
        self._world.cut_after_effects(self._chance.randrange(1, 60))

    def _stop_in_good_order(self) -> None:
        self._world.fire("stopped in good order", "the firmware is stopped and started")
        self._world.stop_and_start()

    def _fail_a_sync(self) -> None:
        self._world.fire("failed sync", "the next sync fails")
        self._world.disk.fail_syncs(1)

    def _fill_the_disk(self) -> None:
        self._world.fire("full disk", "the disk is nearly full")
        self._world.disk.capacity_bytes = self._world.disk.used_bytes() + self._chance.randrange(2_000)

    # --- contacts ------------------------------------------------------------------------------------

    def _spot(self) -> str:
        kind = self._chance.choice(("progressive", "progressive", "ante"))
        return spot_of(self._chance.randrange(1, self._world.seats + 1), kind)

    def _deafen_the_board(self) -> None:
        self._world.fire("board dead", "the board's input thread dies")
        self._world.board.dead = True
        self._world.at(self._chance.choice((300, 4_000)), self._heal_the_board)

    def _heal_the_board(self) -> None:
        self._world.board.dead = False

    def _chatter(self) -> None:
        spot = self._spot()
        self._world.fire("chatter", f"{spot} chatters")
        self._world.shake(spot, self._chance.uniform(90, 400), 9)

    def _flicker(self) -> None:
        spot = self._spot()
        self._world.fire("flicker", f"{spot} flickers")
        self._world.shake(spot, self._chance.uniform(2, 15), 5)

    # --- the office ----------------------------------------------------------------------------------

    def _for_a_while(self, name: str, value: object, calm: object) -> None:
        setattr(self._world, name, value)
        self._world.at(self._chance.choice((200, 1_000, 4_000, 9_000)), lambda: setattr(self._world, name, calm))

    def _lose_letters(self) -> None:
        self._world.fire("letters lost", "letters get lost")
        self._for_a_while("letters_lost", True, False)

    def _lose_answers(self) -> None:
        self._world.fire("answers lost", "answers get lost")
        self._for_a_while("answers_lost", True, False)

    def _slow_answers(self) -> None:
        self._world.fire("answers late", "answers are slow")
        self._for_a_while("answer_delay_ms", self._chance.choice((50, 900, 6_000)), 0)

    def _repeat_letters(self) -> None:
        self._world.fire("letters repeated", "letters come twice")
        self._for_a_while("letters_repeated", True, False)

    def _pull_the_cable(self) -> None:
        self._world.fire("link cut", "the link is cut")
        self._world.post.cut = True
        self._world.at(self._chance.choice((500, 2_000, 6_000)), self._plug_the_cable)

    def _plug_the_cable(self) -> None:
        self._world.post.cut = False

    # --- the shuffler --------------------------------------------------------------------------------

    def _unplug_the_shuffler(self) -> None:
        self._world.fire("shuffler unplugged", "the shuffler is unplugged")
        self._world.link.unplug()
        self._world.at(self._chance.choice((100, 900, 5_000)), self._plug_the_shuffler)

    def _plug_the_shuffler(self) -> None:
        self._world.link.plug()  # a start in between has made another link

    def _restart_the_shuffler(self) -> None:
        self._world.fire("shuffler restarted", "the shuffler restarts")
        self._world.device.restart()

    def _misbehave(self) -> None:
        misdeed = self._chance.choice(_MISDEEDS)
        self._world.fire(f"shuffler: {misdeed.value}", f"the shuffler will {misdeed.value}")
        self._world.device.misbehave(misdeed)

    # --- the clock -----------------------------------------------------------------------------------

    def _step_the_wall_clock(self) -> None:
        step_s = self._chance.choice((-3_600, -2, 2, 86_400))
        self._world.fire("wall clock stepped", f"the wall clock steps by {step_s} s")
        self._world.clock.step_wall(step_s * NS_PER_S)
