"""What must hold at one table in any weather. It is judged from outside: by what left the table, by what truly happened
at the contacts, and by what is durable on the disk, and never by the product's own books alone."""

from __future__ import annotations

from felt.letters.from_table import Posted
from felt.nouns.ids import Spot, kind_of, seat_of, spot_of
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.rules.mishaps import Mishap
from felt.table import views
from felt.table.state import Phase, Round, Table
from felt.wire import jackpot
from tests.storm.copyist import Copyist
from tests.storm.place import UNHEARD_NS, Act, Place, Press
from tests.storm.purse import Violation
from tests.storm.secrecy import HIDING, check_secrecy
from tests.storm.true_order import Deal
from tests.storm.witness import Witness

COIN = ".progressive"
SPOKEN_FOR = (views.ACCEPTED, views.WINNER)
CLEAR_OF_LOCK_NS = 60 * NS_PER_MS
# What tells of the meters is six seconds on its way at most; then it takes turns to be heard and registered, and slow
# syncs.
PLACELESS = (
    Mishap.STRAY_CARD, Mishap.EXCESS_CARD, Mishap.MISSED_BURN, Mishap.OTHER, Mishap.CARD_BEFORE_SNAPSHOT,
)  # fmt: skip
FRESH_NS = 12_000 * NS_PER_MS
RECOVERED_NS = 3_000 * NS_PER_MS  # after this long, rereading the level has found a lost edge
_POSTED = b'{"is":"Posted"'


class Checkers:
    def __init__(self, *, reads_the_disk: bool = True) -> None:
        self.copyist = Copyist(reads_the_disk)
        self.witness = Witness()
        self.boxes = 0
        self.judged = 0  # the latest round whose bets were checked
        self.settled = 0  # the latest round whose cards were checked
        self.truths: dict[str, int] = {}  # for each claim: when the last card of its hand truly left
        self.deals: dict[int, Deal] = {}  # of each round
        self._seen: Table | None = None
        self._coins: dict[str, int] | None = None  # the box of each coin-spot lamp
        self._looked_at: tuple[int, int, bool, Phase] | None = None

    def looked(self, place: Place) -> None:
        """Called after every turn."""
        if place.letters:
            self.heard(place)
        table = place.table
        if table is self._seen:
            return
        before, self._seen = self._seen, table
        self._check_lamps(place, table)
        playing = table.round
        if playing is not None:
            self._judge_bets(place, table, playing)
            if playing.claims and (before is None or before.round is None or before.round.claims != playing.claims):
                self._note_claims(place, playing)
            if playing.dealt_at is not None and playing.number not in self.deals:
                self.deals[playing.number] = _true_deal(place, playing)
            if playing.settled_at is not None and playing.number > self.settled:
                self.settled = playing.number
                _judge_cards(place, playing)
            self._check_secrecy(place, table, playing)
        elif before is not None and before.round is not None:
            self.round_ended(place)

    def heard(self, place: Place) -> None:
        for content in place.letters:
            if content.startswith(_POSTED):
                message = jackpot.decode(content)
                assert isinstance(message, Posted)
                self.witness.hears(message)
                place.house.note(message.body)
        place.letters.clear()

    def booted(self, place: Place) -> None:
        self._seen = None
        place.disk.restore()  # the start did not need the rotten bytes; put the copy back
        self.copyist.compare(place, anew=True)
        self._judge_values(place)
        self.heard(place)
        self._check_lamps(place, place.table)
        if place.table.round is not None:
            self._judge_bets(place, place.table, place.table.round)

    def round_ended(self, place: Place) -> None:
        self.copyist.compare(place)
        self._judge_values(place)

    def at_rest(self, place: Place) -> None:
        """Called when the weather is over, the table is idle and all its mail is answered."""
        self.round_ended(place)
        self.witness.all_is_said()

    # --- lamps ---------------------------------------------------------------------------------------

    def _check_lamps(self, place: Place, table: Table) -> None:
        shown, projected = place.board.shown(), views.lamps(table)
        if shown != projected:
            wrong = [name for name in shown if shown[name] != projected.get(name)]
            raise Violation(f"lamps {wrong} show {[shown[name] for name in wrong]}, not what the table projects")
        if table.round is not None and table.round.plan:
            if self._coins is None:
                self._coins = {name: seat_of(Spot(name)) for name in shown if COIN in name}
            promised = {seat for name, seat in self._coins.items() if shown[name] in SPOKEN_FOR}
            self.witness.sees(table.round.number, promised)

    # --- meters --------------------------------------------------------------------------------------

    def _judge_values(self, place: Place) -> None:
        """What a lock registers was on the sign, and while the link was up it still was so shortly before the table was
        last told of it. A link is up by any answer: several may come with nothing about the meters."""
        signs, locks = place.house.link_of(place.name).signs, self.copyist.judge.locks
        for lock in locks:
            press = _press_of(place, lock.fact.at.boot, lock.fact.edge_ns)
            if lock.link_is_up and _is_out_of_hearing(place, lock.fact.at):
                raise Violation("the link is up at a lock, and nothing was heard of it for a long time")
            for level, micro in lock.fact.meters:
                until_ns = signs[level].shown_until_ns(micro)
                if until_ns is None:
                    raise Violation(f"{level} is registered at {micro} with the lock, which it has never shown")
                late_ns = press.told_ns - until_ns if press else 0
                if lock.link_is_up and late_ns > FRESH_NS:
                    raise Violation(f"{level} is registered at {micro}, which it showed {late_ns / 1e9:.1f} s before")
        locks.clear()

    # --- cards ---------------------------------------------------------------------------------------

    def _check_secrecy(self, place: Place, table: Table, playing: Round) -> None:
        """No card leaves that the room may not see. Checked in each phase with cards and at each notice."""
        if not playing.dealt or table.phase not in HIDING:
            return
        looked_at = (playing.number, table.panel.noticed, playing.revealed, table.phase)
        if looked_at != self._looked_at:
            self._looked_at = looked_at
            assert place.running is not None
            check_secrecy(place.running.loop.picture(), table, playing)

    def _note_claims(self, place: Place, playing: Round) -> None:
        for claim in playing.claims:
            cards = [one for one in playing.dealt if one.target == str(claim.seat)]
            if claim.claim not in self.truths and not any(one.keyed for one in cards):
                known = _all_known([place.device.left_ns(one.card) for one in cards])
                if known:
                    self.truths[claim.claim] = max(known)

    # --- the lock ------------------------------------------------------------------------------------

    def _judge_bets(self, place: Place, table: Table, playing: Round) -> None:
        if playing.number <= self.judged or not playing.plan or playing.locked_at is None:
            return
        self.judged = playing.number
        self.boxes += len({target for target in playing.plan if target.isdigit()})
        lock_ns = _true_lock_ns(place, playing)
        sensed = place.config.board.sensed
        recorded = {(bet.seat, bet.wager) for bet in playing.bets}
        for bet in playing.bets:
            spot = spot_of(bet.seat, bet.wager)
            if bet.keyed and spot in table.quarantined:
                continue  # no sensor here: a person reported it
            if bet.accepted and bet.wager in sensed and not _may_be_accepted(place, playing, spot, lock_ns):
                raise Violation(f"round {playing.number}: {spot} is accepted and was not there at the lock")
        for name, acts in place.acts.items():
            seen = (seat_of(Spot(name)), kind_of(Spot(name))) in recorded or (playing.number, name) in place.handed_back
            if not seen and _must_be_recorded(place, name, acts, lock_ns):
                raise Violation(f"round {playing.number}: {name} was there at the lock and is not recorded")
        accepted = {bet.seat for bet in playing.bets if bet.coin and bet.accepted}
        self.witness.expects(playing.number, accepted)


def _judge_cards(place: Place, playing: Round) -> None:
    """A settled round has the cards that the shuffler dealt for it, each in its place. Where cards came that belong to
    no place, or a person moved or keyed them, or let two deals out, or said what lies there when the shuffler had lost
    count, only people know."""
    lock_ns = _true_lock_ns(place, playing)
    deals = [cards for began_ns, cards in place.device.deals if began_ns > lock_ns]
    if playing.moved or len(deals) != 1 or place.device.unjammed_ns > lock_ns:
        return
    if any(one.mishap in PLACELESS for one in playing.findings) or any(not one.ordinal for one in playing.dealt):
        return
    for at, (lying, dealt) in enumerate(zip(playing.dealt, deals[0], strict=False), 1):
        if lying.card and not lying.keyed and lying.card != dealt:
            raise Violation(
                f"round {playing.number} is settled with another card for {lying.target} than the {at}. of its deal"
            )


def _true_deal(place: Place, playing: Round) -> Deal:
    """The controller learns when the table had the last card and, for a hand, how much earlier the card may have
    left."""
    hands: dict[str, list[int | None]] = {}
    for one in playing.dealt:
        if one.target.isdigit():
            hands.setdefault(one.target, []).append(None if one.keyed else place.device.left_ns(one.card))
    known = [max(times) for times in (_all_known(hand) for hand in hands.values()) if times]
    at = playing.dealt_at
    ended_ns = place.clock.world_ns(at.mono_ns) if at is not None and at.boot == place.clock.boot else None
    return Deal(min(known) if known and len(known) == len(hands) else None, ended_ns)


def _all_known(times: list[int | None]) -> list[int]:
    known = [at for at in times if at is not None]
    return known if len(known) == len(times) else []


def _true_lock_ns(place: Place, playing: Round) -> int:
    """When the lock key of this round was truly pressed."""
    assert playing.locked_at is not None
    assert playing.lock_ns is not None
    press = _press_of(place, playing.locked_at.boot, playing.lock_ns)
    if press is None:
        raise Violation(f"round {playing.number} was locked and nobody pressed the key")
    return press.world_ns


def _is_out_of_hearing(place: Place, at: Stamp) -> bool:
    if at.boot != place.clock.boot:
        return False
    at_ns = place.clock.world_ns(at.mono_ns)
    return any(one.begun_ns + UNHEARD_NS < at_ns < one.ended_ns - NS_PER_MS for one in place.silences())


def _press_of(place: Place, boot: str, stamp_ns: int) -> Press | None:
    """The true press of the lock key with this stamp; None if there was none, or if it is too long ago."""
    return next((one for one in reversed(place.presses) if one.boot == boot and one.stamp_ns <= stamp_ns), None)


def _may_be_accepted(place: Place, playing: Round, spot: str, lock_ns: int) -> bool:
    if (playing.number, spot) in place.seated or place.stuck_until_ns.get(spot, 0) > lock_ns - RECOVERED_NS:
        return True
    acts = place.acts.get(spot, [])
    before = [act for act in acts if act.world_ns <= lock_ns]
    if before and (before[-1].present or before[-1].lost or before[-1].blurred):
        return True
    after = next((act for act in acts if act.world_ns > lock_ns), None)
    return after is not None and after.blurred


def _must_be_recorded(place: Place, spot: str, acts: list[Act], lock_ns: int) -> bool:
    if any(abs(act.world_ns - lock_ns) < CLEAR_OF_LOCK_NS for act in acts):
        return False
    before = [act for act in acts if act.world_ns <= lock_ns]
    if not before or not before[-1].present or before[-1].blurred:
        return False
    if place.stuck_until_ns.get(spot, 0) > lock_ns - RECOVERED_NS:
        return False
    return not any(act.lost and act.world_ns > lock_ns - RECOVERED_NS for act in before)


def stuck(table: Table) -> str:
    """Why the table is not at rest, in words; empty when it is idle and everything is answered."""
    if table.phase is not Phase.IDLE:
        return f"the table is still {table.phase} ({views.prompt(table)})"
    if table.post.unanswered:
        return f"letters {[mail.sequence for mail in table.post.unanswered]} are unanswered"
    if table.irregularity.questions:  # including a question about the ended round, which its answer may void
        return f"question {table.irregularity.questions[0].id} is open"
    return ""
