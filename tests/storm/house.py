"""A whole house in one process and one thread: tables, broker, jackpot controller and true time. It advances time to
the next event and gives each part its turn. It decides nothing else."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.jackpot.books.accounts import Entry
from felt.jackpot.books.terms import Procedure
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.jackpot.controller.exchange import Keys
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import StoredLetter
from felt.nouns.keyring import Keyring, LinkKey
from felt.ports import Post
from felt.virtual.passing import PassingPost
from felt.wire import bulletin
from tests.storm.air import Air, Guest
from tests.storm.checkers import Checkers
from tests.storm.controller import LINK, Controller, Terms
from tests.storm.hours import NEVER_NS, Hours
from tests.storm.ledger import Books
from tests.storm.office_checks import OfficeChecks
from tests.storm.place import Place
from tests.storm.plan import Plan, config_of, group_of, purses_of, terms_of
from tests.storm.ports import Overheard, Road
from tests.storm.signs import LinkWithSigns
from tests.storm.tally import Tally
from tests.storm.true_order import UNKNOWN, Deal, RoundKey

if TYPE_CHECKING:
    from felt.config import Config

CLAIM_WAIT_S = 20
SIGN_KEYS = Keyring(LinkKey("s1", b"\x22" * 32))


class Rough:
    """Handles the letters of a table that keeps its own meters."""

    def __init__(self) -> None:
        self.cut = self.letters_lost = self.letters_repeated = self.answers_lost = False
        self.answer_delay_ms = 0


class House:
    def __init__(self, plan: Plan, story: list[str] | None = None) -> None:
        """`story` receives the story of the evening, if one is wanted."""
        self.plan = plan
        self.story = story
        self.hours = Hours()
        self.chance = random.Random(plan.seed * 7 + 6)
        self.fired: Counter[str] = Counter()
        self.rough = Rough()
        self._digest = hashlib.sha256()
        self._walkers: list[Iterator[float]] = []
        self._guests: dict[str, Guest] = {}
        self._keys = {f"T{index + 1}": _keys(index) for index in range(len(plan.games))}
        self._checkers: dict[str, Checkers] = {}
        configs = {index: config_of(plan, index) for index in plan.tables}
        self.links = _links(plan, configs, self)
        self.checks = OfficeChecks(self)
        self.controller: Controller | None = None
        self.books = Books()
        if plan.embedded:
            self._meter_terms = terms_of(configs[0], "")
            self.office = Office(self.books.open(), self._meter_terms)
        else:
            self.air = Air(self.hours, random.Random(plan.seed * 7 + 8))
            chance = random.Random(plan.seed * 7 + 9)
            self.controller = Controller(self, self.air, _terms(configs, self._keys), chance)
            self.books = self.controller.books
        self.books.on_commit = self._committed
        self._tally = Tally(self.link_of)
        self.places = [
            Place(self, index, config, plan.seed * 1_009 + index, lies=plan.lies) for index, config in configs.items()
        ]
        self._by_name = {place.name: place for place in self.places}

    # --- telling -------------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """Adds to the evening's digest."""
        self._digest.update(text.encode())

    def tell(self, text: str, place: Place | None = None) -> None:
        self.note(text)
        self.remark(text, place)

    def remark(self, text: str, place: Place | None = None) -> None:
        """Only for the reader of a story."""
        if self.story is not None:
            where = place.name if place else "house"
            phase = (place.phase or "dark") if place else ""
            self.story.append(f"{self.hours.now_ns / 1e9:10.4f} s  {where:<5} {phase:<11}  {text}")

    def fire(self, fault: str, text: str, place: Place | None = None) -> None:
        self.fired[fault] += 1
        self.tell(f"~ {text}", place)

    def digest(self) -> str:
        return self._digest.hexdigest()

    # --- who is there --------------------------------------------------------------------------------

    def checkers_of(self, place: Place) -> Checkers:
        return self._checkers.setdefault(place.name, Checkers(reads_the_disk=not self.plan.outside))

    def post_for(self, place: Place) -> Post:
        if self.controller is None:
            if place.boots > 1:
                self.office = Office(self.books.open(), self._meter_terms)  # it lives in the same process
            return Road(Checked(EmbeddedPost(self.office, place.clock.stamp), self), place)
        keys = self._keys[place.name]
        names = LinkNames(LINK, place.name, place.config.link.group)
        will = (bulletin.here_topic(LINK, place.name), last_will(names, keys))
        guest = self._guests[place.name] = self.air.guest(place.name, will, _nothing)
        session = random.Random(f"{self.plan.seed} {place.name} {place.boots}")
        post = MqttPost(
            guest, names, keys, now_s=place.clock.now_s, session=lambda: f"{session.getrandbits(64):016x}"
        )
        return Overheard(post, place)

    def left(self, place: Place) -> None:
        guest = self._guests.pop(place.name, None)
        if guest is not None:
            guest.vanish()

    def table_named(self, name: str) -> Place:
        return self._by_name[name]

    def link_of(self, table: str) -> LinkWithSigns:
        return self.links["" if self.plan.embedded else group_of(self.plan.games[int(table[1:]) - 1])]

    # --- what is true ---------------------------------------------------------------------------------

    def deal_of(self, key: RoundKey) -> Deal:
        return self._checkers[key[0]].deals.get(key[1], UNKNOWN)

    def hand_of(self, table: str, claim: str) -> int | None:
        return self._checkers[table].truths.get(claim)

    # --- what was counted ----------------------------------------------------------------------------

    def _committed(self, entries: Sequence[Entry], letters: Sequence[StoredLetter]) -> None:
        for letter in letters:
            self._checkers[letter.table].witness.is_counted(letter)
            self.note(letter.body)
        self._tally.commit(entries, letters)

    def counted(self, office: Office) -> None:
        self.checks.compare(office)

    # --- time ----------------------------------------------------------------------------------------

    def walks(self, walker: Iterator[float]) -> None:
        """Runs a person's act. The act yields how many milliseconds he waits."""
        self._go_on(walker)

    def _go_on(self, walker: Iterator[float]) -> None:
        wait_ms = next(walker, None)
        if wait_ms is not None:
            self.hours.after(wait_ms, partial(self._go_on, walker))

    def advance(self, ms: float) -> None:
        self._run_until(self.hours.now_ns + int(ms * 1_000_000))

    def _run_until(self, until_ns: int) -> None:
        hours = self.hours
        while hours.now_ns < until_ns:
            hours.pass_on(until_ns)
            if hours.now_ns >= hours.turn_ns:
                self._give_turns()

    def _give_turns(self) -> None:
        """Gives a turn to each part that has something to do. Most events give nobody a turn."""
        hours, controller, due_ns = self.hours, self.controller, NEVER_NS
        for place in self.places:
            if hours.now_ns >= place.due_ns:
                place.run()
        if controller is not None:
            controller.run()
            due_ns = controller.due_ns()
        hours.turn_ns = min([due_ns, *[place.due_ns for place in self.places]])


class Checked(PassingPost):
    """An office in the table's own process, checked after each letter."""

    def __init__(self, post: Post, house: House) -> None:
        super().__init__(post)
        self._house = house

    def send(self, letter: bytes) -> None:
        self._post.send(letter)
        self._house.counted(self._house.office)


def _nothing() -> None:
    """A table's own post counts its effects."""


def _keys(index: int) -> LinkKeys:
    return LinkKeys(Keyring(LinkKey("k1", bytes([index + 1]) * 32)), SIGN_KEYS)


def _links(plan: Plan, configs: dict[int, Config], house: House) -> dict[str, LinkWithSigns]:
    """Tables of one game share their meters."""
    links: dict[str, LinkWithSigns] = {}
    for index, config in configs.items():
        group = "" if plan.embedded else group_of(plan.games[index])
        if group not in links:
            links[group] = LinkWithSigns(purses_of(config, f"{group}/" if group else ""), house.hours, house)
    return links


def _terms(configs: dict[int, Config], keys: dict[str, LinkKeys]) -> Terms:
    meters = {}
    groups = []
    for config in configs.values():
        group = config.link.group
        groups.append((config.table.id, group))
        for terms in terms_of(config, f"{group}/"):
            meters[terms.name] = terms
    procedure = Procedure(claim_wait_s=CLAIM_WAIT_S, links=tuple(groups))
    tables = {config.table.id: keys[config.table.id].own for config in configs.values()}
    return Terms(tuple(meters.values()), procedure, Keys(tables, SIGN_KEYS))
