"""The tables of a story. A single table keeps its own meters. Several tables are linked: they share one jackpot
controller (the production daemon, exchange and office behind a virtual broker) and one clock."""

from __future__ import annotations

import dataclasses
from itertools import count

from felt.config import load
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.jackpot.books.acts import Adjustment, AdjustMeter, Person, Purse
from felt.jackpot.controller.daemon import REFRESH_NS, Daemon
from felt.jackpot.controller.exchange import Exchange
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.journal.record import JournalError
from felt.nouns.keyring import Keyring, LinkKey
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_MS, NS_PER_S
from felt.ports import DiskError, Post
from felt.stories.evening import NoWatchdog
from felt.stories.head import EVERY_LINE, HeadError, StoryHead
from felt.stories.script import EVERY_TABLE
from felt.stories.stage import FIRST_LOOK_MS, StoryEvening, StoryStage, table_file_of
from felt.virtual.broker import VirtualBroker, VirtualClient
from felt.virtual.clock import VirtualClock
from felt.virtual.disk import PowerCut
from felt.wire import bulletin
from felt.wiring import table_settings

LINK = "main"
SIGN_KEYS = Keyring(LinkKey("s1", b"\x22" * 32))
CONTROLLERS_BOOT = "c0000001"
_EXCHANGES = 4  # messages between tables and controller at one instant
_LEAST_STEP_NS = NS_PER_MS // 10
_TWO_PERSONS = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))


class Tables:
    def __init__(self, head: StoryHead) -> None:
        numbers = [str(number) for number, _ in enumerate(head.tables, 1)]
        for name in head.at_table:
            if name not in (*head.tables, *numbers):
                raise HeadError(f"`at table {name}:` names none of the tables of `tables:` in the head")
        self.link = JackpotLink(head) if head.tables else None
        if self.link is None:
            self.stages: tuple[StoryStage, ...] = (StoryStage(head, StoryEvening(head)),)
            self.stages[0].evening.advance(FIRST_LOOK_MS)
        else:
            self.stages = self.link.open_tables(head)
        for stage in self.stages:
            stage.all_tables = self.stages
        lines = [line for stage in self.stages for line in table_settings.line_names(stage.evening.config)]
        for line in head.late_ms:
            if line not in (EVERY_LINE, *lines):
                raise HeadError(f"`late {line}`: the table has no such line")
        self.here = self.stages[0]  # where a sentence without a table happens
        for name, reserve_minor in head.reserves.items():
            self._fill_reserve(name, reserve_minor)

    def _fill_reserve(self, meter: str, amount_minor: int) -> None:
        """As the house opens a link: two persons adjust the reserve, and the ledger records it."""
        act = AdjustMeter(meter, Purse.RESERVE, amount_minor * MICRO_PER_MINOR, Adjustment.DOCUMENTED)
        self.stages[0].act_at_controller(act, _TWO_PERSONS, "the reserve's opening value")

    def named(self, name: str) -> tuple[StoryStage, ...]:
        """By its number in the head or by its id; empty: the present table of the story."""
        if not name:
            return (self.here,)
        if name == EVERY_TABLE:
            return self.stages
        return (self.here.table_named(name),)


class TableClient(VirtualClient):
    """A table's connection to the broker, which can be cut."""

    def __init__(self, broker: VirtualBroker, will: tuple[str, bytes], evening: LinkedEvening) -> None:
        super().__init__(broker, will)
        self._evening = evening

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        if not self._evening.letters_lost:
            super().publish(topic, content, retain=retain)

    def hear(self, topic: str, content: bytes) -> None:
        if not self._evening.answers_lost:
            super().hear(topic, content)


class LinkedEvening(StoryEvening):
    def __init__(self, head: StoryHead, link: JackpotLink) -> None:
        self._jackpot = link
        self._client: TableClient | None = None
        self._sessions = count(1)
        super().__init__(head)

    def new_office(self) -> Office:
        return self._jackpot.office

    def new_post(self) -> Post:
        """A new connection for each boot."""
        self.leave_link()
        table = self.config.table.id
        names, keys = LinkNames(LINK, table), self._jackpot.keys[table]
        will = (bulletin.here_topic(LINK, table), last_will(names, keys))
        self._client = TableClient(self._jackpot.broker, will, self)
        return MqttPost(
            self._client, names, keys,
            now_s=lambda: self.clock.now_ns() / NS_PER_S, session=lambda: f"{next(self._sessions):016x}",
        )  # fmt: skip

    def way_to_the_office(self, post: Post) -> Post:
        return post  # letters and answers are lost at the broker

    def leave_link(self) -> None:
        if self._client is not None:
            self._client.close()

    def power_cut(self, off_ms: int = 5_000) -> None:
        """The other tables play on while this one is off."""
        self.leave_link()
        super().power_cut(0)
        self._jackpot.pass_time(off_ms * NS_PER_MS)

    def advance(self, ms: int) -> None:
        self._jackpot.pass_time(ms * NS_PER_MS)

    def advance_to_ns(self, until_ns: int) -> None:
        self._jackpot.pass_time(max(0, until_ns - self.clock.now_ns()))

    def controllers_clock(self) -> VirtualClock:
        return self._jackpot.clock


class JackpotLink:
    """The controller, the broker, and the clock that all tables share."""

    def __init__(self, head: StoryHead) -> None:
        self.keys = {
            name: LinkKeys(Keyring(LinkKey("k1", bytes([number]) * 32)), SIGN_KEYS)
            for number, name in enumerate(head.tables, 1)
        }
        config = load(table_file_of(head), head.overrides)
        self.broker = VirtualBroker()
        self.clock = VirtualClock(mono_ns=1_000 * NS_PER_MS, boot=CONTROLLERS_BOOT)
        self.office = Office(MemoryLedger(), table_settings.meter_terms_of(config))
        keyrings = {name: keys.own for name, keys in self.keys.items()}
        exchange = Exchange(self.office, LINK, keyrings, SIGN_KEYS)
        will = (bulletin.controller_topic(LINK), bulletin.write_presence(False))
        own_end = self.broker.client(will)
        self._daemon = Daemon(self.office, exchange, own_end, LINK, self.clock, NoWatchdog(), serve)
        self._daemon.begin()
        self._due_ns = self.clock.now_ns()
        self._stages: list[StoryStage] = []

    def open_tables(self, head: StoryHead) -> tuple[StoryStage, ...]:
        for number, name in enumerate(head.tables, 1):
            own_lines = [*head.at_table.get(name, ()), *head.at_table.get(str(number), ())]
            overrides = [*head.overrides, f'table.id="{name}"', "link.kind=mqtt", *own_lines]
            own = dataclasses.replace(head, overrides=overrides)
            self._stages.append(StoryStage(own, LinkedEvening(own, self)))
        self.pass_time(FIRST_LOOK_MS * NS_PER_MS)
        return tuple(self._stages)

    def pass_time(self, ns: int) -> None:
        """Lets time pass for every table and the controller, and runs each whenever something is due."""
        until_ns = self.clock.now_ns() + ns
        while True:
            self._give_turns()
            left_ns = until_ns - self.clock.now_ns()
            if left_ns <= 0:
                return
            dues = [running.evening.due_in_ns() for running in self._running()]
            due_ns = min([self._due_ns - self.clock.now_ns(), *dues])
            self._step(min(left_ns, max(due_ns, _LEAST_STEP_NS)))

    def _step(self, ns: int) -> None:
        self.clock.advance(ns)
        for stage in self._stages:
            stage.evening.clock.advance(ns)

    def _running(self) -> list[StoryStage]:
        return [stage for stage in self._stages if stage.evening.running is not None]

    def _give_turns(self) -> None:
        for _ in range(_EXCHANGES):
            for stage in self._running():
                self._tick(stage)
            if not self._daemon.tray.holds_letters() and self.clock.now_ns() < self._due_ns:
                return
            self._daemon.turn(0)
            self._due_ns = self.clock.now_ns() + REFRESH_NS

    @staticmethod
    def _tick(stage: StoryStage) -> None:
        """A power failure inside a write at a table that is not acting concerns only that table."""
        try:
            stage.evening.tick()
        except (PowerCut, DiskError, JournalError) as error:
            if stage.acting:
                raise
            stage.go_dark(error)
