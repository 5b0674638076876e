"""Where a story is played: the production loop on virtual ports, with what the sentences need around it. Edges can be
planned around the lock, the link can be cut, and power can fail inside a write."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

from felt import __version__
from felt.config import ConfigError, demo_table, load
from felt.jackpot.books.acts import Act, Person
from felt.journal.record import JournalError
from felt.letters.from_table import Posted
from felt.loop.boot import BootRefused
from felt.loop.inbox import Answer
from felt.nouns.cards import DECK, Card
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import Value
from felt.ports import BoardLine, DiskError, Post
from felt.stories.errors import NothingToSee, StoryError
from felt.stories.evening import Evening
from felt.stories.head import EVERY_LINE, StoryHead
from felt.table.chart import Refusal
from felt.table.deal import DISCARD
from felt.table.facts import Fact
from felt.table.keys import LOCK_KEY
from felt.table.state import Round, Table
from felt.virtual.board import VirtualBoard
from felt.virtual.clock import VirtualClock
from felt.virtual.disk import PowerCut
from felt.virtual.passing import PassingPost
from felt.wire import jackpot
from felt.wiring import table_settings

SETTLED_MS = 60  # long enough to recognise any edge
FIRST_LOOK_MS = 100  # after a boot: the controller has answered and the levels are read


class Planned(Value):
    """An edge around the next lock; offsets from it in nanoseconds."""

    line: str
    level: bool
    stamped_ns: int
    delivered_ns: int


class MutedPost(PassingPost):
    """The way to the office, on which letters or answers can be lost."""

    def __init__(self, post: Post, stage: StoryEvening) -> None:
        super().__init__(post)
        self._stage = stage
        self._heard = False

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        def hear(answer: bytes) -> None:
            if not self._stage.answers_lost:
                self._heard = True
                on_answer(answer)

        self._post.start(hear)

    def meters(self) -> Mapping[str, int]:
        """A table that has just started knows no value until it hears one."""
        return self._post.meters() if self._heard else {}

    def send(self, letter: bytes) -> None:
        if not self._stage.letters_lost:
            self._post.send(letter)


class StoryEvening(Evening):
    def __init__(self, head: StoryHead) -> None:
        self.late_ms = head.late_ms
        self.letters_lost = False
        self.answers_lost = False
        self.deal_of: int | None = None  # the round whose deal the shuffler has begun
        self.left = 0  # its cards that have left
        self.table_file = table_file_of(head)
        super().__init__(head.seed, head.overrides, table_file=self.table_file)

    def new_board(self) -> VirtualBoard:
        settle_ms = self.config.board.settle_ms
        every = self.late_ms.get(EVERY_LINE, 0)
        lines = []
        for name in table_settings.line_names(self.config):
            late_ms = self.late_ms.get(name, every)
            lines.append(BoardLine(name, settle_ms, kernel_stamped=late_ms == 0, late_ms_max=late_ms))
        return VirtualBoard(lines, table_settings.lamp_names(self.config), self._lamp, self.clock.now_ns)

    def way_to_the_office(self, post: Post) -> Post:
        return MutedPost(post, self)

    def advance_to_ns(self, until_ns: int) -> None:
        """To the nanosecond. Runs the loop whenever something is due on the way."""
        while self.clock.now_ns() < until_ns:
            self.tick()
            step_ns = max(self.due_in_ns(), NS_PER_MS // 10)
            self.clock.advance_to(min(until_ns, self.clock.now_ns() + step_ns))
        self.tick()

    def due_in_ns(self) -> int:
        """How long until the table or its shuffler has something to do."""
        assert self.running is not None
        return min(self.running.loop.next_due_ns(), self.link.next_due_ns()) - self.clock.now_ns()

    def controllers_clock(self) -> VirtualClock:
        """A table with its own meters has the controller in its own process."""
        return self.clock

    def dispense(self, cards: tuple[Card, ...], laid_aside: tuple[Card, ...] = ()) -> None:
        """The shuffler deals exactly these cards and reports which it lays aside. Within a round they are one deal."""
        goes_on = self.begin_deal()
        self.device.stack((*cards, *(card for card in DECK if card not in cards)), laid_aside)
        self.device.dispense(1, len(cards), goes_on=goes_on)
        self.left += len(cards)

    def begin_deal(self) -> bool:
        """True if the deal of this round has begun. Before the lock a card belongs to no deal."""
        if self.running is None:
            return self.deal_of is not None  # the table is dark, and its deal goes on
        playing = self.table.round
        deal = playing.number if playing is not None and playing.plan else None
        goes_on = deal is not None and deal == self.deal_of
        if not goes_on:
            self.left = 0
        self.deal_of = deal
        return goes_on


class Letter(Value):
    sequence: int
    kind: str
    body: str


class StoryStage:
    """One table of a story."""

    def __init__(self, head: StoryHead, evening: StoryEvening) -> None:
        self.overrides = list(head.overrides)
        self.evening = evening
        self.name = evening.config.table.id
        self.all_tables: tuple[StoryStage, ...] = (self,)
        self.acting = False  # one of its sentences is being played
        self.planned: list[Planned] = []
        self.deck: tuple[Card, ...] = ()
        self.reports_discard = True  # the shuffler does, for the community cards that it deals
        self.stopped = ""  # why the controller is not running
        self.power_failed = False  # the clock of the next boot has begun already
        self.boot_refused = ""
        self.version = __version__
        self.reply = ""
        self.refused: list[Refusal] = []  # since the last sentence that did something
        self.letters_read = 0
        self.tables: list[Table] = []
        self.watch()

    def table_named(self, name: str) -> StoryStage:
        """By its number in the story's head or by its id."""
        for number, stage in enumerate(self.all_tables, 1):
            if name in (stage.name, str(number)):
                return stage
        known = ", ".join(stage.name for stage in self.all_tables)
        raise StoryError(f"there is no table {name}; tables are {known} (`tables: N` in the head makes more)")

    # --- looking -------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        if self.evening.running is None:
            raise NothingToSee(f"the table is dark ({self.stopped or 'power cut'}): boot it first")
        return self.evening.table

    @property
    def last_table(self) -> Table:
        """As it was when the power was cut, where the table is dark."""
        return self.tables[-1] if self.evening.running is None and self.tables else self.table

    @property
    def round(self) -> Round:
        """The round in play, or the last one."""
        found = self.table.round or self.table.previous
        if found is None:
            raise NothingToSee("no round has been played yet")
        return found

    def watch(self) -> None:
        """Remembers every table that was shown."""
        assert self.evening.running is not None
        self.evening.running.loop.on_turn = self._remember

    def _remember(self) -> None:
        assert self.evening.running is not None
        table = self.evening.table
        self.refused += self.evening.running.loop.refusals
        if not self.tables or self.tables[-1] is not table:
            self.tables.append(table)

    def letters(self) -> list[Letter]:
        """Every letter that left the table, once, in the order of writing."""
        heard: dict[int, Letter] = {}
        for content in self.evening.letters:
            message = jackpot.decode(content)
            if isinstance(message, Posted):
                heard.setdefault(message.sequence, Letter(message.sequence, message.kind, message.body))
        return [heard[sequence] for sequence in sorted(heard)]

    def configure(self, override: str) -> None:
        """Changes a setting in the middle of a story, for the next boot."""
        self.overrides.append(override)
        try:
            self.evening.config = load(self.evening.table_file, self.overrides)
        except ConfigError as error:
            raise StoryError(str(error)) from None

    # --- time and power ------------------------------------------------------------------------------

    def advance(self, ms: Decimal | int) -> None:
        self.require_power()
        self.evening.advance_to_ns(self.evening.clock.now_ns() + in_ns(ms))

    def require_power(self) -> None:
        _ = self.table

    def run(self, act: Callable[[], None]) -> None:
        """Plays one sentence. A power failure inside a write, or a disk that refuses, ends the controller here."""
        self.reply, self.refused = "", []
        self.acting = True
        try:
            act()
        except (PowerCut, DiskError, JournalError) as error:
            self.go_dark(error)
        finally:
            self.acting = False

    def go_dark(self, error: PowerCut | DiskError | JournalError) -> None:
        """A power failure inside a write, or a disk that refused, has ended the controller."""
        self._let_go_of_keys()
        if isinstance(error, PowerCut):
            self.evening.power_cut()
            self.stopped, self.power_failed = "the power failed inside a write", True
        else:
            self.evening.running = None
            self.stopped = str(error)

    def act_at_controller(self, act: Act, persons: tuple[Person, ...], reason: str) -> None:
        """Passes each answer of the controller to the table that it names."""
        now = self.evening.controllers_clock().stamp()
        for answer in self.evening.office.act(act, persons, reason, now):
            for stage in self.all_tables:
                if stage.name == answer.table and stage.evening.running is not None:
                    stage.evening.running.loop.inbox.put(Answer(jackpot.encode(answer)))
        self.settle_edges()

    def _let_go_of_keys(self) -> None:
        """Releases the keys that were pressed when the table went dark."""
        for line in self.evening.board.levels():
            if line.startswith("key."):
                self.evening.board.drive_unnoticed(line, False)

    def power_cut(self, off_ms: int) -> None:
        self.require_power()
        self.evening.power_cut(off_ms)
        self.stopped, self.power_failed = "the power was cut", True

    def boot(self) -> None:
        if self.evening.running is not None:
            raise StoryError("the table is running already: cut its power or stop it first")
        if not self.power_failed:
            self._begin_new_boot()
        self.power_failed = False
        try:
            self.evening.boot(self.version)
        except BootRefused as refusal:
            self.boot_refused = str(refusal)
            self.evening.running = None
            return
        self.boot_refused = self.stopped = ""
        self.watch()
        self.evening.advance(FIRST_LOOK_MS)

    def _begin_new_boot(self) -> None:
        """Stopped without a power cut: everything written stays, and the clock of the new boot starts."""
        self.evening.boots += 1
        self.evening.booted_ns += self.evening.clock.now_ns()
        self.evening.clock.reboot(f"{self.evening.boots:08x}", 0)

    def stop(self) -> None:
        self.require_power()
        assert self.evening.running is not None
        # As `TableLoop.stop` does; the office stays open, because its own evening goes on.
        self.evening.running.loop.close_books()
        self.evening.running = None
        self.stopped = "stopped in good order"

    # --- chips ---------------------------------------------------------------------------------------

    def drive(self, line: str, level: bool, stamp_ns: int | None = None) -> None:
        if line not in self.evening.board.levels():
            raise StoryError(f"{line} is no line of this table's board")
        if self.evening.running is None:
            self.evening.board.drive_unnoticed(line, level)
        else:
            self.evening.board.drive(line, level, stamp_ns)

    def settle_edges(self) -> None:
        if self.evening.running is not None:
            self.advance(SETTLED_MS)

    def lock(self, gaps: int = 0, bouncing_ns: int = 0) -> None:
        """Presses NO MORE BETS with every planned edge around it, each at its own time. The key may bounce: the lock is
        its first edge."""
        self.require_power()
        earliest = min((edge.stamped_ns for edge in self.planned), default=0)
        lock_ns = self.evening.clock.now_ns() + max(0, -earliest) + NS_PER_MS
        up_ns = bouncing_ns + SETTLED_MS * NS_PER_MS
        key = [(bouncing_ns * place // max(gaps, 1), place % 2 == 0) for place in range(gaps + 1)] + [(up_ns, False)]
        edges = [
            *((lock_ns + edge.delivered_ns, edge.line, edge.level, lock_ns + edge.stamped_ns) for edge in self.planned),
            *((lock_ns + ns, LOCK_KEY.line, level, lock_ns + ns) for ns, level in key),
        ]
        self.planned = []
        for delivered_ns, line, level, stamped_ns in sorted(edges):
            self.evening.advance_to_ns(delivered_ns)
            self.drive(line, level, stamped_ns)
        self.advance(SETTLED_MS)

    # --- cards ---------------------------------------------------------------------------------------

    def deal_on(self, cards: tuple[Card, ...]) -> None:
        """If one of three community cards is discarded, the shuffler reports it."""
        playing = self.last_table.round
        targets = zip(cards, playing.plan[len(playing.dealt) :] if playing else (), strict=False)
        self.dispense(cards, tuple(card for card, target in targets if target == DISCARD and self.reports_discard))

    def dispense(self, cards: tuple[Card, ...], laid_aside: tuple[Card, ...] = ()) -> None:
        self.evening.dispense(cards, laid_aside)
        if self.evening.running is None:
            return  # the shuffler keeps them until the table hears it again
        for _ in range(200):
            self.evening.advance(10)
            if self.evening.device.quiet() and self.evening.device.next_due_ns() > 0:
                return

    def missing_targets(self) -> tuple[str, ...]:
        playing = self.last_table.round
        if playing is None or not playing.plan:
            raise StoryError(f"there is no deal: the table is {self.last_table.phase}")
        out = self.evening.left if self.evening.deal_of == playing.number else 0
        return playing.plan[max(out, len(playing.dealt)) :]

    def next_ordinal(self) -> int:
        """The ordinal of a card that leaves by a fact instead of the device."""
        evening = self.evening
        evening.begin_deal()
        evening.left += 1
        evening.device.count_on_from(evening.left)
        return evening.left

    def rest_of_deck(self, used: set[Card]) -> list[Card]:
        playing = self.last_table.round
        out = used | {dealt.card for dealt in playing.dealt} | set(playing.strays) if playing else used
        rest = [card for card in DECK if card not in out]
        random.Random(self.evening.boots).shuffle(rest)
        return rest

    # --- facts as they are ---------------------------------------------------------------------------

    def take_fact(self, fact: Fact) -> None:
        """Puts a fact into a turn directly, without the intake: for what no device of the stage can do."""
        self.require_power()
        assert self.evening.running is not None
        self.refused += filter(None, self.evening.running.loop._turn.take([fact]))
        self.evening.tick()


def table_file_of(head: StoryHead) -> Path | None:
    return demo_table(head.game) if head.game else None


def in_ns(ms: Decimal | int) -> int:
    return int(Decimal(ms) * NS_PER_MS)
