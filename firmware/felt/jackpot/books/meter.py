"""One meter, exactly: what each event does to its accounts. Every rule is a function of one frozen value that gives the
next one and the transfers between. Whole numbers only: micro-units of a minor unit. It knows nothing of tables, rounds
or whose turn it is."""

from __future__ import annotations

from felt.jackpot.books.accounts import AWARDS, OUTSIDE_THE_METER, WAYS, Account, Code, Transfer
from felt.jackpot.books.terms import FractionalCent, MeterTerms, OnHit, PartialWin, VoidAfterAward
from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.nouns.values import Value, replace

PEAKS_MAX = 64  # a table that was silent for longer is bounded by what is known


class Agreed(Value):
    """Terms that come into force with the next cycle's seed."""

    terms: MeterTerms
    persons: str
    reason: str
    at_clear_only: bool = False  # by a reading: a cycle that begins with a hit still has the former terms


class Frozen(Value):
    """The value of the hit whose turn it is. Equal parts are one place in the queue with several boxes."""

    value_micro: int
    parts: int = 1
    paid: int = 0


class Peak(Value):
    """The meter showed this value at the end of an edition: then it fell."""

    edition: int
    value_micro: int


class Meter(Value):
    """Its accounts, of which the sum is nought, and what its rules need beside them."""

    terms: MeterTerms
    players: int = 0
    pending: int = 0
    waiting: int = 0
    display: int = 0
    reserve: int = 0
    overflow: int = 0
    winners: int = 0
    house: int = 0
    pending_stake: int = 0  # minor units
    wagers: int = 0  # these three are plain counts, since the meter was opened
    stakes: int = 0
    hits: int = 0
    stretch: int = 0  # of what is settled: each award and each clear closes one
    laid_up: int = 0  # of the overflow, by bets of this stretch
    folds: int = 0  # how often the reserve was folded
    falls: int = 0  # how often it showed less than before
    frozen: Frozen | None = None
    agreed: Agreed | None = None
    former_terms: tuple[MeterTerms, ...] = ()
    peaks: tuple[Peak, ...] = ()  # falling values of former times, the oldest and highest first

    @property
    def name(self) -> str:
        return self.terms.name

    @property
    def wins(self) -> int:
        """In minor units."""
        return self.winners // MICRO_PER_MINOR


class Share(Value):
    """How a round's bets were counted on a meter: what a void needs to take them back from where they are."""

    meter: str
    rate_bp: int
    reserve_bp: int
    stretch: int
    folds: int


class Moved(Value):
    meter: Meter
    transfers: tuple[Transfer, ...] = ()


class _Posting:
    """The transfers of one event, each posted as it is made. The only place where a balance changes."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self._transfers: list[Transfer] = []

    def post(self, code: Code, debit: Account, credit: Account, micro: int) -> None:
        if micro:
            self.count(code, debit, credit, micro)

    def count(self, code: Code, debit: Account, credit: Account, micro: int, stake: int = 0, wagers: int = 0) -> None:
        """Also of nought, because somebody counts it: a bet at a rate of nought, an award of less than a cent."""
        name = self.meter.name
        assert micro >= 0 and (debit, credit) in WAYS[code], f"{micro} of {code} from {debit} to {credit} of {name}"
        left = getattr(self.meter, debit.value) - micro
        assert left >= 0 or debit in OUTSIDE_THE_METER, f"the {debit} of the meter {name} went below nought"
        self.change(**{debit.value: left, credit.value: getattr(self.meter, credit.value) + micro})
        self._transfers.append(Transfer(code, debit, credit, micro, stake, wagers))

    def change(self, **fields: object) -> None:
        self.meter = replace(self.meter, **fields)

    def moved(self) -> Moved:
        return Moved(self.meter, tuple(self._transfers))

    # --- parts of several events -------------------------------------------------------------------

    def raise_display(self, code: Code, source: Account, micro: int) -> int:
        """Onto the display as far as the limit lets it, and beyond that into the overflow; so much went there."""
        room = _room(self.meter)
        above = 0 if room is None else max(0, micro - room)
        self.post(code, source, Account.DISPLAY, micro - above)
        if source is not Account.OVERFLOW:
            self.post(code, source, Account.OVERFLOW, above)
        return above

    def take_out(self, code: Code, source: Account, micro: int) -> int:
        """To the players, as much as is there; so much is missing."""
        held: int = getattr(self.meter, source.value)
        part = min(micro, held)
        self.post(code, source, Account.PLAYERS, part)
        return micro - part

    def seed(self, micro: int) -> None:
        terms = self.meter.terms
        assert micro <= max(terms.base_minor, terms.reset_minor) * MICRO_PER_MINOR, "a seed is bounded by the terms"
        self.post(Code.SEED, Account.HOUSE, Account.DISPLAY, micro)

    def close_stretch(self) -> None:
        self.change(stretch=self.meter.stretch + 1, laid_up=0)

    def fold(self, *, reserve: bool) -> None:
        terms = self.meter.terms
        if terms.overflow_on_hit is OnHit.ADDED:
            self.raise_display(Code.FOLDED, Account.OVERFLOW, self.meter.overflow)
        if reserve and terms.reserve_on_hit is OnHit.ADDED:
            self.raise_display(Code.FOLDED, Account.RESERVE, self.meter.reserve)
            self.change(folds=self.meter.folds + 1)

    def begin_cycle(self, *, whole: bool = False, cleared: bool = False) -> None:
        """Agreed terms come into force with the seed. After a win of the whole the seed is the whole reset value; else
        it tops up to it."""
        agreed = self.meter.agreed
        if agreed is not None and (cleared or not agreed.at_clear_only):
            self.take_up(agreed.terms)
        reset = self.meter.terms.reset_minor * MICRO_PER_MINOR
        self.seed(reset if whole else max(0, reset - self.meter.display))
        limit = self.meter.terms.limit_minor * MICRO_PER_MINOR
        if limit:
            self.post(Code.SPILLED, Account.DISPLAY, Account.OVERFLOW, max(0, self.meter.display - limit))
        if not cleared:
            self.fold(reserve=whole)

    def take_up(self, terms: MeterTerms) -> None:
        """What pends is re-rated; what is committed keeps what its own terms made of it."""
        meter = self.meter
        faster = growth_micro(meter.pending_stake, terms.rate_bp - meter.terms.rate_bp)
        if faster > 0:
            self.post(Code.RERATED, Account.PLAYERS, Account.PENDING, faster)
        else:
            self.post(Code.RERATED, Account.PENDING, Account.PLAYERS, -faster)
        self.change(terms=terms, agreed=None, former_terms=(*meter.former_terms, meter.terms))


# --- bets --------------------------------------------------------------------------------------------


def open_meter(terms: MeterTerms) -> Moved:
    """A new meter begins at its base value, put in by the house."""
    posting = _Posting(Meter(terms))
    posting.seed((terms.base_minor or terms.reset_minor) * MICRO_PER_MINOR)
    return posting.moved()


def pend(meter: Meter, stake_minor: int) -> Moved:
    posting = _Posting(replace(meter, pending_stake=meter.pending_stake + stake_minor))
    growth = growth_micro(stake_minor, meter.terms.rate_bp)
    posting.post(Code.PENDED, Account.PLAYERS, Account.PENDING, growth)
    return posting.moved()


def drop(meter: Meter, stake_minor: int) -> Moved:
    posting = _Posting(replace(meter, pending_stake=meter.pending_stake - stake_minor))
    growth = growth_micro(stake_minor, meter.terms.rate_bp)
    posting.post(Code.DROPPED, Account.PENDING, Account.PLAYERS, growth)
    return posting.moved()


def add_nothing(meter: Meter, stake_minor: int) -> Moved:
    posting = _Posting(replace(meter, pending_stake=meter.pending_stake - stake_minor))
    growth = growth_micro(stake_minor, meter.terms.rate_bp)
    posting.count(Code.ADDED_NOTHING, Account.PENDING, Account.PLAYERS, growth)
    return posting.moved()


def share_of(meter: Meter) -> Share:
    terms = meter.terms
    return Share(terms.name, terms.rate_bp, terms.reserve_bp, meter.stretch, meter.folds)


def rise_of(share: Share, stake_minor: int) -> int:
    """What a stake brings the display, or the waiting bets; the rest is the reserve's."""
    return growth_micro(stake_minor, share.rate_bp - share.reserve_bp)


def commit(meter: Meter, stake_minor: int, wagers: int, *, behind: bool) -> Moved:
    """What pends becomes the meter's: settled at once, or behind a hit."""
    counted = replace(
        meter,
        pending_stake=meter.pending_stake - stake_minor,
        stakes=meter.stakes + stake_minor,
        wagers=meter.wagers + wagers,
    )
    posting, share = _Posting(counted), share_of(meter)
    reserve, rise = growth_micro(stake_minor, share.reserve_bp), rise_of(share, stake_minor)
    posting.count(Code.COMMITTED, Account.PENDING, Account.RESERVE, reserve, stake_minor, wagers)
    if behind:
        posting.post(Code.COMMITTED, Account.PENDING, Account.WAITING, rise)
    else:
        _lay_up(posting, Code.COMMITTED, Account.PENDING, rise)
    return posting.moved()


def move_up(meter: Meter, micro: int) -> Moved:
    """Bets that stood behind a hit are settled."""
    posting = _Posting(meter)
    _lay_up(posting, Code.MOVED_UP, Account.WAITING, micro)
    return posting.moved()


def _lay_up(posting: _Posting, code: Code, source: Account, micro: int) -> None:
    above = posting.raise_display(code, source, micro)
    posting.change(laid_up=posting.meter.laid_up + above)


def take_back(meter: Meter, share: Share, stake_minor: int, wagers: int, *, waiting: int | None = None) -> Moved:
    """Bets that became void leave from where they are: behind a hit (`waiting` is what is left of them there), or an
    open stretch, first the overflow that its bets have laid up and then the display. From a closed stretch nothing
    leaves, unless the reading takes back what the display has left: the house makes good. So it is with a reserve that
    was folded since, and with what is not there any more."""
    posting = _Posting(replace(meter, stakes=meter.stakes - stake_minor, wagers=meter.wagers - wagers))
    reserve, rise = growth_micro(stake_minor, share.reserve_bp), rise_of(share, stake_minor)
    there = min(reserve, meter.reserve) if share.folds == meter.folds else 0
    posting.count(Code.CORRECTED, Account.RESERVE, Account.PLAYERS, there, -stake_minor, -wagers)
    missing = reserve - there
    if waiting is not None:
        posting.post(Code.CORRECTED, Account.WAITING, Account.PLAYERS, min(rise, waiting))
        missing += rise - min(rise, waiting)
    elif share.stretch == meter.stretch:
        laid_up = min(rise, meter.laid_up, meter.overflow)
        posting.post(Code.CORRECTED, Account.OVERFLOW, Account.PLAYERS, laid_up)
        posting.change(laid_up=meter.laid_up - laid_up)
        missing += posting.take_out(Code.CORRECTED, Account.DISPLAY, rise - laid_up)
    elif meter.terms.void_after_award is VoidAfterAward.TAKE_BACK_WHAT_IS_LEFT:
        missing += posting.take_out(Code.CORRECTED, Account.DISPLAY, rise)
    else:
        missing += rise
    posting.post(Code.MADE_GOOD, Account.HOUSE, Account.PLAYERS, missing)
    return posting.moved()


# --- hits --------------------------------------------------------------------------------------------


def award_of(value_micro: int, share_num: int, share_den: int, rounding: FractionalCent = FractionalCent.DOWN) -> int:
    """A share in whole minor units; the fraction stays on the meter, or the house adds what it lacks."""
    exact, parts = value_micro * share_num, share_den * MICRO_PER_MINOR
    return (2 * exact + parts) // (2 * parts) if rounding is FractionalCent.NEAREST else exact // parts


def freeze(meter: Meter, parts: int = 1) -> Meter:
    """The hit whose turn it is has this value, and the sign shows it until it is resolved."""
    return replace(meter, frozen=Frozen(meter.display, parts))


def pay(meter: Meter, award_minor: int, code: Code, *, whole: bool, last: bool) -> Moved:
    """The award leaves the display. With the last box of a place the cycle ends, if its win was of the whole or the
    reading says so, and the next one begins with its seed."""
    assert code in AWARDS and meter.frozen is not None, "a hit is paid from the value that it has"
    posting, frozen = _Posting(meter), meter.frozen
    micro = award_minor * MICRO_PER_MINOR
    lacking = max(0, micro - meter.display)
    rounded = code is Code.AWARDED and 0 < lacking < MICRO_PER_MINOR
    posting.post(Code.ROUNDING if rounded else Code.MADE_GOOD, Account.HOUSE, Account.DISPLAY, lacking)
    posting.count(code, Account.DISPLAY, Account.WINNERS, micro)
    posting.change(hits=meter.hits + 1, frozen=replace(frozen, paid=frozen.paid + 1))
    posting.close_stretch()
    if last and frozen.parts > 1:
        _end_parts(posting)
    elif last:
        posting.change(frozen=None)
        _after_win(posting, whole=whole)
    return posting.moved()


def resolve_unpaid(meter: Meter) -> Moved:
    """The last box of the place that has its value is denied: where another one was paid, that ends the cycle. A part
    that nobody was paid stays on the meter."""
    posting = _Posting(meter)
    _end_parts(posting)
    return posting.moved()


def _end_parts(posting: _Posting) -> None:
    frozen = posting.meter.frozen
    posting.change(frozen=None)
    if frozen is not None and frozen.paid:
        posting.begin_cycle(whole=frozen.paid == frozen.parts)


def _after_win(posting: _Posting, *, whole: bool) -> None:
    terms = posting.meter.terms
    if whole:
        posting.begin_cycle(whole=True)
    elif terms.partial_win_meter is PartialWin.RESET:
        posting.post(Code.SWEPT, Account.DISPLAY, Account.RESERVE, posting.meter.display)
        posting.begin_cycle()
    else:
        if terms.partial_win_meter is PartialWin.DEDUCT_NOT_BELOW_RESET:
            posting.seed(max(0, terms.reset_minor * MICRO_PER_MINOR - posting.meter.display))
        posting.fold(reserve=False)


# --- persons -----------------------------------------------------------------------------------------


def adjust(meter: Meter, account: Account, micro: int, code: Code) -> Moved:
    """Whoever calls has seen to it that the purse stays between nought and its limit."""
    posting = _Posting(meter)
    if micro > 0:
        posting.post(code, Account.HOUSE, account, micro)
    else:
        posting.post(code, account, Account.HOUSE, -micro)
    return posting.moved()


def clear(meter: Meter) -> Moved:
    """An authorised clear: what the players built up goes to the reserve, and the meter begins again."""
    posting = _Posting(meter)
    posting.post(Code.CLEARED, Account.DISPLAY, Account.RESERVE, meter.display)
    posting.post(Code.CLEARED, Account.OVERFLOW, Account.RESERVE, meter.overflow)
    posting.close_stretch()
    posting.begin_cycle(cleared=True)
    return posting.moved()


# --- what is shown -----------------------------------------------------------------------------------


def total_micro(meter: Meter) -> int:
    """What the meter holds. Pending contributions are nobody's yet."""
    return meter.display + meter.reserve + meter.overflow + meter.waiting


def shown_micro(meter: Meter) -> int:
    return meter.display if meter.frozen is None else meter.frozen.value_micro


def remember_peak(former: Meter, meter: Meter, edition: int) -> Meter:
    """A meter that shows less than before: `edition` ends. Lower values before it are asked for by nobody any more."""
    shown = shown_micro(former)
    if shown <= shown_micro(meter):
        return meter
    higher = tuple(peak for peak in meter.peaks if peak.value_micro > shown)
    return replace(meter, falls=meter.falls + 1, peaks=(*higher, Peak(edition, shown))[-PEAKS_MAX:])


def highest_since(meter: Meter, edition: int) -> int:
    """The most that was shown in this edition and since."""
    return max(shown_micro(meter), *(peak.value_micro for peak in meter.peaks if peak.edition >= edition), 0)


def _room(meter: Meter) -> int | None:
    """How much the display may still rise; None without a limit."""
    if meter.terms.limit_minor == 0:
        return None
    return max(0, meter.terms.limit_minor * MICRO_PER_MINOR - meter.display)
