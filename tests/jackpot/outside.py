"""A second reading of firmware/JACKPOT.md: what every letter and every act does to the meters of one link.

It keeps plain numbers in micro-units and knows the true order of all deals. It shares no code with the books: no
transfers, no stages, no moments, no refusals. Whoever plays a history on it asks for nothing that the page forbids."""

from __future__ import annotations

from dataclasses import dataclass, field

MICRO = 1_000_000
ALONE, OUTSIDE = 1, 0  # how many boxes share a value equally


@dataclass(frozen=True)
class Rules:
    """What a house has agreed for a meter, in the words of its file."""

    reset: int
    rate: int  # in hundredths of a per cent
    reserve: int
    limit: int = 0
    base: int = 0
    partial: str = "deduct"
    reserve_joins: bool = False
    overflow_joins: bool = True
    nearest: bool = False
    splits: bool = False
    timing: str = "before_settlement"
    takes_back: bool = False

    def whole_growth(self, stake: int) -> int:
        return stake * self.rate * 100

    def reserve_growth(self, stake: int) -> int:
        return stake * self.reserve * 100


@dataclass
class Counted:
    """A round's bets on a meter: by which rates, and where they are."""

    rules: Rules
    stretch: int
    folds: int
    behind: int | None = None  # what is left of them behind a hit; none: they are settled

    def rise(self, stake: int) -> int:
        return self.rules.whole_growth(stake) - self.rules.reserve_growth(stake)


@dataclass
class Round:
    table: int
    deal: int  # its place in the true order of all deals
    bets: dict[int, int]  # stakes by seat, in the order of the deal
    seats: tuple[int, ...] = ()
    dealt: bool = False
    pending: bool = True
    left: bool = False  # its table has begun another journal
    counted: dict[str, Counted] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)  # meters that wait for its claims, each with its timing
    splits: set[str] = field(default_factory=set)
    paid: list[int] = field(default_factory=list)

    @property
    def stake(self) -> int:
        return sum(self.bets.values())


@dataclass
class Claimed:
    round: Round
    seat: int
    meter: str
    num: int
    den: int
    boxes: int = ALONE
    value: int | None = None
    award: int | None = None
    stated: int | None = None

    @property
    def is_whole(self) -> bool:
        return self.num == self.den

    @property
    def order(self) -> tuple[int, int]:
        return self.round.deal, self.round.seats.index(self.seat)


@dataclass
class Account:
    """One meter."""

    rules: Rules
    players: int = 0
    pending: int = 0
    waiting: int = 0
    display: int = 0
    reserve: int = 0
    overflow: int = 0
    winners: int = 0
    house: int = 0
    stake: int = 0  # that pends
    stretch: int = 0
    laid_up: int = 0
    folds: int = 0
    frozen: int | None = None
    boxes: int = 1
    boxes_paid: int = 0
    agreed: Rules | None = None

    @property
    def shown(self) -> int:
        return self.display if self.frozen is None else self.frozen

    def seed(self, micro: int) -> None:
        self.house -= micro
        self.display += micro

    def raise_by(self, micro: int) -> int:
        """What the limit keeps off the display."""
        room = max(0, self.rules.limit * MICRO - self.display) if self.rules.limit else micro
        self.display += min(micro, room)
        return micro - min(micro, room)

    def settle(self, micro: int) -> None:
        above = self.raise_by(micro)
        self.overflow += above
        self.laid_up += above

    def pend(self, stake: int) -> None:
        growth = self.rules.whole_growth(stake)
        self.stake += stake
        self.pending += growth
        self.players -= growth

    def begin_cycle(self, *, whole: bool, cleared: bool = False) -> None:
        if self.agreed is not None:
            change = self.agreed.whole_growth(self.stake) - self.rules.whole_growth(self.stake)
            self.pending += change
            self.players -= change
            self.rules, self.agreed = self.agreed, None
        reset = self.rules.reset * MICRO
        self.seed(reset if whole else max(0, reset - self.display))
        if self.rules.limit:
            spilled = max(0, self.display - self.rules.limit * MICRO)
            self.display -= spilled
            self.overflow += spilled
        if not cleared:
            self.fold_overflow()
            if whole and self.rules.reserve_joins:
                joining, self.reserve = self.reserve, 0
                self.overflow += self.raise_by(joining)
                self.folds += 1

    def fold_overflow(self) -> None:
        if self.rules.overflow_joins:
            joining, self.overflow = self.overflow, 0
            self.overflow += self.raise_by(joining)

    def take_back(self, counted: Counted, stake: int) -> None:
        growth, rise = counted.rules.whole_growth(stake), counted.rise(stake)
        from_reserve = min(growth - rise, self.reserve) if counted.folds == self.folds else 0
        self.reserve -= from_reserve
        gone = from_reserve
        if counted.behind is not None:
            part = min(rise, counted.behind)
            self.waiting -= part
            counted.behind -= part
            gone += part
        elif counted.stretch == self.stretch:
            laid_up = min(rise, self.laid_up, self.overflow)
            self.overflow -= laid_up
            self.laid_up -= laid_up
            part = min(rise - laid_up, self.display)
            self.display -= part
            gone += laid_up + part
        elif self.rules.takes_back:
            part = min(rise, self.display)
            self.display -= part
            gone += part
        self.house -= growth - gone
        self.players += growth


def portion(value: int, num: int, den: int, *, nearest: bool) -> int:
    exact, unit = value * num, den * MICRO
    return (2 * exact + unit) // (2 * unit) if nearest else exact // unit


class Outside:
    def __init__(self, rules: dict[str, Rules]) -> None:
        self.meters = {name: Account(known) for name, known in sorted(rules.items())}
        self.rounds: list[Round] = []
        self.claims: list[Claimed] = []  # in the order in which they came
        self.paid: list[tuple[str, int]] = []  # by its meter, in the order in which it paid
        for meter in self.meters.values():
            meter.seed((meter.rules.base or meter.rules.reset) * MICRO)

    # --- whose turn it is ----------------------------------------------------------------------------

    def turn(self, name: str) -> Claimed | None:
        mine = [claim for claim in self.claims if claim.meter == name]
        valued = [claim for claim in mine if claim.value is not None]
        if valued:
            return valued[0]
        sharing = [claim.round.deal for claim in mine if claim.boxes != OUTSIDE]
        first = [claim for claim in mine if claim.boxes != OUTSIDE or claim.round.deal not in sharing]
        return min(first, key=lambda claim: claim.order, default=None)

    def is_behind(self, name: str, played: Round) -> bool:
        first = self.turn(name)
        return first is not None and (first.value is not None or played.deal > first.round.deal)

    def move_up(self, name: str) -> None:
        first, meter = self.turn(name), self.meters[name]
        if first is not None and first.value is not None:
            return
        for played in self.rounds:
            counted = played.counted.get(name)
            if counted is None or counted.behind is None or (first is not None and played.deal > first.round.deal):
                continue
            micro, counted.behind = counted.behind, None
            meter.waiting -= micro
            meter.settle(micro)
            counted.stretch = meter.stretch

    def look(self) -> None:
        for name in self.meters:
            while self._value(name):
                pass

    def _value(self, name: str) -> bool:
        first, meter = self.turn(name), self.meters[name]
        if first is None or first.value is not None or self._waits(first):
            return False
        self.move_up(name)
        meter.frozen, meter.boxes, meter.boxes_paid = meter.display, max(1, first.boxes), 0
        place = self._place_of(first)
        for claim in place:
            if claim.stated is None:
                self._tell(claim, meter.display)
        for claim in place:
            if claim.stated is not None:
                self._pay(claim, claim.stated)
        return meter.frozen is None

    def _waits(self, claim: Claimed) -> bool:
        return any(
            played.pending and played.dealt and not played.left and played.bets
            and played.table != claim.round.table and played.deal < claim.round.deal
            for played in self.rounds
        )  # fmt: skip

    def _place_of(self, claim: Claimed) -> list[Claimed]:
        if claim.boxes <= 1:
            return [claim]
        key = (claim.round.deal, claim.meter, claim.boxes)
        return [other for other in self.claims if (other.round.deal, other.meter, other.boxes) == key]

    def _tell(self, claim: Claimed, value: int) -> None:
        num, den = (1, claim.boxes) if claim.boxes > 1 else (claim.num, claim.den)
        claim.value = value
        claim.award = portion(value, num, den, nearest=self.meters[claim.meter].rules.nearest)

    # --- rounds --------------------------------------------------------------------------------------

    def lock(self, played: Round) -> None:
        self.rounds.append(played)
        for meter in self.meters.values():
            meter.pend(played.stake)

    def decide(self, played: Round, returned: tuple[int, ...], claims: list[Claimed]) -> None:
        for meter in self.meters.values():
            meter.pend(-sum(played.bets[seat] for seat in returned))
        played.bets = {seat: stake for seat, stake in played.bets.items() if seat not in returned}
        played.pending = False
        for name, meter in self.meters.items():
            if claims and meter.rules.splits:
                played.splits.add(name)
            if claims and played.bets and meter.rules.timing != "before_settlement":
                played.held[name] = meter.rules.timing
        for name in self.meters:
            if played.bets and name not in played.held:
                self._count(played, name)
        for claim in claims:
            splits = claim.meter in played.splits
            claim.boxes = ALONE if not splits or claim.is_whole else OUTSIDE
        self.claims += claims
        for name in dict.fromkeys(claim.meter for claim in claims):
            self._share(played, name)
        self.look()

    def _count(self, played: Round, name: str) -> None:
        meter = self.meters[name]
        counted = Counted(meter.rules, meter.stretch, meter.folds)
        rise = counted.rise(played.stake)
        meter.stake -= played.stake
        meter.pending -= meter.rules.whole_growth(played.stake)
        meter.reserve += meter.rules.reserve_growth(played.stake)
        if self.is_behind(name, played):
            counted.behind = rise
            meter.waiting += rise
        else:
            meter.settle(rise)
        played.counted[name] = counted

    def _share(self, played: Round, name: str) -> None:
        """Whole hits of one round share, as long as none has its value or is paid."""
        same = [claim for claim in self.claims if claim.round is played and claim.meter == name]
        whole = [claim for claim in same if claim.boxes != OUTSIDE and claim.is_whole and name in played.splits]
        told = any(claim.value is not None or claim.stated is not None for claim in whole)
        if not told and (name, played.deal) not in self.paid:
            for claim in whole:
                claim.boxes = len(whole)

    def void(self, played: Round) -> None:
        was_pending, played.pending = played.pending, False
        for name, meter in self.meters.items():
            if was_pending or name in played.held:
                meter.pend(-played.stake)
            elif name in played.counted:
                self._take_off(played, name, played.stake)
        played.held.clear()
        played.counted.clear()
        for claim in [claim for claim in self.claims if claim.round is played]:
            self._drop(claim)
        self.look()

    def give_back(self, played: Round, seats: tuple[int, ...]) -> None:
        gone = sum(played.bets.pop(seat) for seat in seats)
        for name, meter in self.meters.items():
            if name in played.held:
                meter.pend(-gone)
            elif name in played.counted:
                self._take_off(played, name, gone)

    def _take_off(self, played: Round, name: str, stake: int) -> None:
        self.meters[name].take_back(played.counted[name], stake)

    def report(self, claim: Claimed) -> None:
        played = claim.round
        for name, meter in self.meters.items():
            timing = meter.rules.timing
            if played.bets and name in played.counted and timing != "before_settlement":
                self._take_off(played, name, played.stake)
                del played.counted[name]
                meter.pend(played.stake)
                played.held[name] = timing
        claim.boxes = OUTSIDE if claim.meter in played.splits else ALONE
        self.claims.append(claim)
        self.look()

    def leave_journal(self, table: int) -> None:
        for played in self.rounds:
            played.left = played.left or played.table == table
        self.look()

    # --- claims --------------------------------------------------------------------------------------

    def confirm(self, claim: Claimed) -> None:
        assert claim.award is not None
        claim.round.paid.append(claim.seat)
        self._pay(claim, claim.award)
        self._settle_held(claim.round)
        self.look()

    def state(self, claim: Claimed, award: int) -> None:
        claim.round.paid.append(claim.seat)
        claim.stated = award
        if claim.value is not None:
            self._pay(claim, award)
        self._settle_held(claim.round)
        self.look()

    def deny(self, claim: Claimed) -> None:
        self._drop(claim)
        self._settle_held(claim.round)
        self.look()

    def correct(self, claim: Claimed, name: str, num: int, den: int) -> None:
        former = claim.meter
        claim.num, claim.den = num, den
        if name != former:
            claim.meter, claim.boxes = name, OUTSIDE if name in claim.round.splits else ALONE
            self.move_up(former)
            self._share(claim.round, former)
        elif claim.value is not None:
            self._tell(claim, claim.value)
        self.look()

    def _drop(self, claim: Claimed) -> None:
        self.claims.remove(claim)
        meter = self.meters[claim.meter]
        if claim.value is not None and not self._others_of_its_place(claim):
            self._end_boxes(meter)
        self.move_up(claim.meter)
        self._share(claim.round, claim.meter)

    def _others_of_its_place(self, claim: Claimed) -> bool:
        return claim.boxes > 1 and bool(self._place_of(claim))

    def _pay(self, claim: Claimed, award: int) -> None:
        meter, micro = self.meters[claim.meter], award * MICRO
        self.claims.remove(claim)
        self.paid.append((claim.meter, claim.round.deal))
        meter.seed(max(0, micro - meter.display))
        meter.display -= micro
        meter.winners += micro
        meter.stretch, meter.laid_up = meter.stretch + 1, 0
        meter.boxes_paid += 1
        if not self._others_of_its_place(claim):
            if meter.boxes > 1:
                self._end_boxes(meter)
            else:
                self._end_hit(meter, whole=claim.is_whole)
        self.move_up(claim.meter)

    def _end_boxes(self, meter: Account) -> None:
        meter.frozen = None
        if meter.boxes_paid:
            meter.begin_cycle(whole=meter.boxes_paid == meter.boxes)

    def _end_hit(self, meter: Account, *, whole: bool) -> None:
        meter.frozen = None
        if whole:
            meter.begin_cycle(whole=True)
        elif meter.rules.partial == "reset":
            meter.reserve, meter.display = meter.reserve + meter.display, 0
            meter.begin_cycle(whole=False)
        else:
            if meter.rules.partial == "deduct_not_below_reset":
                meter.seed(max(0, meter.rules.reset * MICRO - meter.display))
            meter.fold_overflow()

    def _settle_held(self, played: Round) -> None:
        if not played.held or any(claim.round is played and claim.stated is None for claim in self.claims):
            return
        held = dict(played.held)
        played.held.clear()
        for name, timing in held.items():
            if timing == "only_if_not_won" and played.paid:
                self.meters[name].pend(-played.stake)
            else:
                self._count(played, name)

    # --- persons -------------------------------------------------------------------------------------

    def adjust(self, name: str, purse: str, micro: int) -> None:
        meter = self.meters[name]
        setattr(meter, purse, getattr(meter, purse) + micro)
        meter.house -= micro

    def clear(self, name: str) -> None:
        meter = self.meters[name]
        meter.reserve += meter.display + meter.overflow
        meter.display = meter.overflow = 0
        meter.stretch, meter.laid_up = meter.stretch + 1, 0
        meter.begin_cycle(whole=False, cleared=True)
