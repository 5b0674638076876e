"""A second count of the jackpots from the counted letters. Three things that no letter says come from the controller's
entries: whether a round comes before or after an open claim, whether it still does when that claim is resolved, and
when a claim has its turn. They are compared with the true times of the cards. Every amount is the tally's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.ledger.port import StoredLetter
from tests.storm.purse import MICRO, Claim, Purse, Violation
from tests.storm.true_order import NobodyKnows, RoundKey, Truth, check_brought_in, check_counted_later, check_waited_for

Body = dict[str, Any]  # of a letter or of a claim in it, as in the JSON


class Played:
    """A round as its letters describe it."""

    def __init__(self, key: RoundKey, stakes: dict[int, int]) -> None:
        self.key = key
        self.stakes = stakes  # by seat
        self.stage = "pending"
        self.dealt = False  # as far as the controller knows
        self.held: list[str] = []  # levels whose contributions wait for its claims
        self.counted: list[str] = []  # levels to which its bets contribute
        self.paid: list[str] = []  # levels
        self.parts_paid: list[tuple[str, int | None]] = []  # levels, each with the value it shares
        self.awards = 0
        self.parts: dict[str, int] = {}  # by level: how many hits shared equally when the first was paid
        self.shared: dict[str, list[tuple[int, int]]] = {}  # by level: a value, and what one part of it paid
        self.left: dict[str, int] = {}  # by level: the value from which its last claim was paid

    @property
    def stake(self) -> int:
        return sum(self.stakes.values())


class Link:
    """The meters that several tables feed, and the rounds of those tables."""

    def __init__(self, purses: Mapping[str, Purse], truth: Truth | None = None) -> None:
        self.purses = dict(purses)  # by level
        self._truth = truth or NobodyKnows()
        self.met: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}  # for each valued claim: those open then
        self._gone: set[tuple[str, str]] = set()  # claims that were not paid
        self._released: set[tuple[str, str]] = set()  # claims that a person released before all results arrived
        self.rounds: dict[RoundKey, Played] = {}
        self.claims: dict[tuple[str, str], Claim] = {}
        self.stakes_of: dict[str, int] = {}
        self.wins_of: dict[str, int] = {}
        self._later: frozenset[str] = frozenset()

    def receives(self, table: str, kind: str, body: Body, later: frozenset[str]) -> None:
        """`later`: the meters for which this contribution comes after an open claim."""
        self._later = later
        getattr(self, f"_{kind}")(table, body["round"], body)

    def brings_in(self, key: RoundKey, meter: str, amount: int) -> None:
        """Contributions that waited for another claim come before the claim that has its turn."""
        next(purse for purse in self.purses.values() if purse.name == meter).comes_in(key, amount)

    def values(self, table: str, name: str, value: int) -> None:
        if (table, name) in self._gone and (table, name) not in self.claims:
            return  # it was valued and resolved by two letters with one stamp
        claim = self.claims[table, name]
        purse = self.purses[claim.level]
        purse.is_valued(claim, value)
        self.met[table, name] = frozenset(self.claims)
        if (table, name) not in self._released:
            pending = [one for one in self.rounds.values() if one.stage == "pending"]
            check_waited_for(self._truth, claim, [one.key for one in pending if one.dealt and one.stake])
        check_brought_in(self._truth, claim, [key for key, micro in purse.waiting.items() if micro])

    def releases(self, table: str, name: str) -> None:
        self._released.add((table, name))

    def all_is_settled(self) -> None:
        left = [key for key, played in self.rounds.items() if played.stage == "pending" or played.held]
        left += [claim.round for purse in self.purses.values() for claim in purse.claims]
        pending = {name: purse.pending for name, purse in self.purses.items() if purse.pending}
        if left or pending or self.claims:
            raise Violation(f"left open: rounds {left}, {pending} pending, claims {list(self.claims)}")

    # --- the life of a round -------------------------------------------------------------------------

    def _RoundLocked(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        key = (table, number)
        if key in self.rounds:
            raise Violation(f"round {number} of {table} is locked twice")
        played = self.rounds[key] = Played(key, dict(body["contributions"]))
        for purse in self.purses.values():
            purse.pends(played.stake)

    def _RoundDealt(self, table: str, number: int, _: Body) -> None:  # noqa: N802
        self._pending(table, number, "is dealt").dealt = True

    def _pending(self, table: str, number: int, does: str) -> Played:
        played = self.rounds[table, number]
        if played.stage != "pending":
            raise Violation(f"round {number} of {table} is {played.stage} and {does}")
        return played

    def _RoundResult(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        claims: list[Body] = body["claims"]
        played = self._pending(table, number, "has a result")
        played.stage = "committed"
        back = sum(played.stakes.pop(seat) for seat in body["returned"])
        self.stakes_of[table] = self.stakes_of.get(table, 0) + played.stake
        for level, purse in self.purses.items():
            purse.pends(-back)
            if claims and purse.waits:
                played.held.append(level)
            else:
                self._count(played, level)
        self._queue(table, number, claims)

    def _count(self, played: Played, level: str) -> None:
        purse = self.purses[level]
        later = purse.name in self._later
        if later and purse.valued() is None:
            check_counted_later(self._truth, played.key, [claim.round for claim in purse.claims], purse.name)
        purse.counts(played.key, played.stake, len(played.stakes), later=later)
        played.counted.append(level)

    def _queue(self, table: str, number: int, claims: list[Body], parts: int = 1) -> None:
        for body in claims:
            claim = Claim(table, number, body, parts)
            if self.purses[claim.level].splits and not claim.is_whole:
                claim.parts = 0  # only whole hits share
            self.claims[table, claim.name] = claim
            self.purses[claim.level].claims.append(claim)
        for level in {body["level"]: None for body in claims}:
            self._share(table, number, level)

    def _share(self, table: str, number: int, level: str) -> None:
        """The hits of one level in one round, while none of them is valued or paid."""
        purse = self.purses[level]
        same = [claim for claim in purse.claims if claim.round == (table, number) and claim.parts]
        played = self.rounds[table, number]
        if not purse.splits or not same or level in played.paid:
            return
        played.parts[level] = len(same)
        if all(claim.value is None for claim in same):
            for claim in same:
                claim.parts = len(same)

    def _RoundVoided(self, table: str, number: int, _: Body) -> None:  # noqa: N802
        played = self.rounds.get((table, number))
        if played is None:
            return  # void before the lock: nothing to count
        stage, played.stage = played.stage, "void"
        if stage == "void" or played.paid:
            raise Violation(f"round {number} of {table} is {stage}, paid {played.awards}, and is void again")
        held, played.held = (list(self.purses), []) if stage == "pending" else (played.held, [])
        if stage == "committed":
            self.stakes_of[table] -= played.stake
        self._take_back(played, played.stakes, held)
        for claim in [one for one in self.claims.values() if one.round == (table, number)]:
            self._comes_to_nothing(claim)

    def _take_back(self, played: Played, seats: Iterable[int], held: list[str]) -> None:
        stakes = [played.stakes[seat] for seat in seats]
        for level, purse in self.purses.items():
            if level in held:
                purse.pends(-sum(stakes))
            elif level in played.counted:  # otherwise a hit was paid, and by one reading its round added nothing
                purse.takes_back(played.key, sum(stakes), len(stakes))

    def _BetsReturned(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        seats: list[int] = body["seats"]
        played = self.rounds[table, number]
        if played.stage != "committed":
            raise Violation(f"bets of round {number} of {table} go back, which is {played.stage}")
        self._take_back(played, seats, played.held)
        self.stakes_of[table] -= sum(played.stakes.pop(seat) for seat in seats)

    def _RoundEnded(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        told = (body["contributions_minor"], body["awards_minor"], body["accepted"])
        played = self.rounds[table, number]
        own = (played.stake, played.awards, len(played.stakes))
        if own != told or played.stage != "committed":
            raise Violation(f"round {number} of {table} ends with {told}, the tally has {own}")

    # --- claims --------------------------------------------------------------------------------------

    def _HitReported(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        played = self.rounds[table, number]
        if played.stage != "committed":
            raise Violation(f"a hit of round {number} of {table} is reported, which is {played.stage}")
        for level, purse in self.purses.items():
            if purse.waits and level in played.counted:
                purse.takes_back(played.key, played.stake, len(played.stakes))
                purse.forgets(played.key)
                purse.pends(played.stake)
                played.counted.remove(level)
                played.held.append(level)
        self._queue(table, number, [body["claim"]], parts=0)

    def _ClaimConfirmed(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        name, award = body["claim"], body["award_minor"]
        claim = self.claims.pop((table, name))
        purse, played = self.purses[claim.level], self.rounds[table, number]
        if body["by_registered_value"]:
            value, dues = self._registered(played, claim)
        else:
            value, dues = claim.value or 0, [purse.award_of(claim)]
        if award not in dues:
            raise Violation(f"claim {name} of {table} is paid {award} and is worth {' or '.join(map(str, dues))}")
        self._note_left(played, claim, value, award)
        played.paid.append(claim.level)
        if claim.parts > 1:
            played.parts_paid.append((claim.level, claim.value))
        if body["by_registered_value"] and claim.value is None:
            claim.stated = award  # for its round it is resolved; its meter pays when it has its turn
        else:
            purse.pays(claim, award, all_paid=self._parts_paid(claim) == claim.parts)
        played.awards += award
        self.wins_of[table] = self.wins_of.get(table, 0) + award
        self._count_held(table, number)

    def _registered(self, played: Played, claim: Claim) -> tuple[int, list[int]]:
        """The value that pays without a link, and what it pays. No letter says whether the table received its part
        before others were denied. If it did, the claim has that part; otherwise the remaining claims share."""
        purse, level = self.purses[claim.level], claim.level
        shared = played.shared.get(level, [])
        if claim.parts and shared:
            value, award = shared[-1]
            return value, [award]
        if shared and level not in played.left:
            value, award = shared[-1]
            still_open = sum(one.round == claim.round and one.parts > 0 for one in purse.claims)
            value = max(value - (len(shared) + still_open) * award * MICRO, purse.reset)
        else:
            value = played.left.get(level, purse.registered(claim, played.stake))
        parts = {claim.parts, played.parts.get(level, 1)} if claim.parts else {1}
        return value, [purse.share_of(value, claim, some) for some in sorted(parts)]

    def pays_stated(self, table: str, name: str, micro: int) -> None:
        for purse in self.purses.values():
            for claim in [one for one in purse.claims if (one.table, one.name) == (table, name)]:
                if claim.stated is not None and claim.stated * MICRO != micro:
                    raise Violation(f"claim {name} of {table} was paid {claim.stated} and its meter pays {micro}")
                purse.pays(claim, micro // MICRO, all_paid=self._parts_paid(claim) == claim.parts)

    def _note_left(self, played: Played, claim: Claim, value: int, award: int) -> None:
        """The value from which the next winner of the round is paid while the link is lost."""
        purse, level = self.purses[claim.level], claim.level
        if claim.parts and award != purse.share_of(value, claim, 1):
            played.shared.setdefault(level, []).append((value, award))
        else:
            played.left[level] = purse.left_of(value, claim, award)

    def _ClaimDenied(self, table: str, number: int, body: Body) -> None:  # noqa: N802
        self._comes_to_nothing(self.claims[table, body["claim"]])
        self._count_held(table, number)

    def _comes_to_nothing(self, claim: Claim) -> None:
        del self.claims[claim.table, claim.name]
        self._gone.add((claim.table, claim.name))
        purse = self.purses[claim.level]
        purse.claims.remove(claim)
        if claim.parts > 1 and claim.value is not None:
            purse.ends_sharing(claim, paid=self._parts_paid(claim) > 0, all_paid=False)
        else:
            purse.joins_next_cycle()
        self._share(*claim.round, claim.level)

    def _parts_paid(self, claim: Claim) -> int:
        """Counts the parts of this level that were paid: of the shared value, or by the registered one."""
        of_level = [value for level, value in self.rounds[claim.round].parts_paid if level == claim.level]
        return sum(value in (None, claim.value) for value in of_level)

    def _count_held(self, table: str, number: int) -> None:
        """The contributions that waited for the last claim of a round."""
        played = self.rounds[table, number]
        if not played.held or any(claim.round == (table, number) for claim in self.claims.values()):
            return
        held, played.held = played.held, []
        for level in held:
            if played.paid and self.purses[level].only_if_not_won:
                self.purses[level].pends(-played.stake)
            else:
                self._count(played, level)


class Tally:
    """Follows the ledger, commit by commit."""

    def __init__(self, link_of: Callable[[str], Link]) -> None:
        self._link_of = link_of

    def commit(self, entries: Sequence[Entry], letters: Sequence[StoredLetter]) -> None:
        groups = [(at, list(some)) for at, some in groupby(entries, attrgetter("at_wall_ns"))]
        bodies = [json.loads(letter.body) for letter in letters]
        stamps = [next(at[2] for name, at in body.items() if name.endswith("_at")) for body in bodies]
        for place, (letter, body, stamp) in enumerate(zip(letters, bodies, stamps, strict=True)):
            led_to: list[Entry] = []
            if any(at == stamp for at, _ in groups):
                while groups[0][0] != stamp:
                    self._values(groups.pop(0)[1])
                led_to = groups[0][1]
            behind = [entry for entry in led_to if entry.credit is Account.WAITING]
            later = frozenset([entry.meter for entry in behind if entry.code is Code.COMMITTED])
            self._link_of(letter.table).receives(letter.table, letter.kind, body, later)
            if led_to and stamp not in stamps[place + 1 : place + 2]:
                self._values(groups.pop(0)[1])
        for _, some in groups:
            self._values(some)

    def _values(self, entries: list[Entry]) -> None:
        for entry in entries:
            match entry.code:
                case Code.MOVED_UP:
                    self._link_of(entry.table).brings_in((entry.table, entry.round), entry.meter, entry.amount)
                case Code.RELEASED:
                    self._link_of(entry.table).releases(entry.table, entry.claim)
                case Code.VALUED:
                    self._link_of(entry.table).values(entry.table, entry.claim, entry.amount)
                case Code.AWARDED_AS_REGISTERED:
                    self._link_of(entry.table).pays_stated(entry.table, entry.claim, entry.amount)
