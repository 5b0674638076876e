"""Does the same actions to the production controller: every step of a trace goes to a real `Office` on a ledger, and
what it then holds is compared with the model, part by part."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from felt.jackpot.books.accounts import PURSES, Account, Code, Entry
from felt.jackpot.books.acts import Act, ClaimName, DropPending, OrderClaims, Person, ReleaseClaim
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.order import place_in_order
from felt.jackpot.books.standing import Origin, journal_of, rounds_in
from felt.jackpot.books.terms import MeterTerms, Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerError, StoredLetter, SumKey
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters import from_table as letters
from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.letters.from_table import Ping, Posted, write
from felt.nouns.cards import parse_cards
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.wire.jackpot import Message, decode, encode
from tests.model.words import BETS, NAMES, NO_VALUE, RESET, SHARES, Action, Letter, Playing, Purse, State, playing

METER = MeterTerms("major", RESET, 100)
STAKE = 100  # of each of two boxes: at one per cent they raise the meter by one unit each
PROCEDURE = Procedure(claim_wait_s=0, pending_alert_s=0, drift_ppm=0, card_late_ms=1000)
PERSONS = (Person("Ada", "supervisor"), Person("Bob", "supervisor"))
NONCE = "n"
ROYAL = parse_cards("As Ks Qs Js Ts")


class Held(NamedTuple):
    """What can be asked of both sides."""

    heard: tuple[int, int]
    rounds: tuple[tuple[object, ...], ...]  # table, number, stage, whether its deal is known, awards
    claims: tuple[tuple[object, ...], ...]  # table, round, seat, late, place by the house, released, value
    purse: Purse


def held_by_model(state: State) -> Held:
    rounds = [
        (round_.table, round_.number, round_.stage, round_.stage in _ASKED and round_.dealt is not None, round_.awards)
        for round_ in state.standing.rounds
    ]
    claims = [(*claim[:3], claim.late, claim.house, claim.released, claim.value) for claim in state.standing.claims]
    return Held(state.standing.heard, tuple(rounds), tuple(claims), state.standing.purse)


_ASKED = ("pending", "dropped")
_STAGES = {"voided": "void"}


def purse_of(meter: Meter, sums: Mapping[SumKey, int]) -> Purse:
    """As a ledger has it, in micro-units."""

    def summed(code: Code, debits: Collection[Account], credits: Collection[Account]) -> int:
        return sum(
            amount
            for key, amount in sums.items()
            if (key.meter, key.code) == (meter.name, code) and key.debit in debits and key.credit in credits
        )

    every = tuple(Account)
    return Purse(
        meter.display,
        meter.waiting,
        summed(Code.PENDED, every, every),
        summed(Code.COMMITTED, (Account.PENDING,), every),
        summed(Code.DROPPED, every, every),
        summed(Code.CORRECTED, PURSES, every) + summed(Code.MADE_GOOD, every, (Account.PLAYERS,)),
        sum(summed(code, (Account.HOUSE,), every) for code in (Code.SEED, Code.MADE_GOOD, Code.ROUNDING)),
        meter.winners,
    )


class FailingLedger(MemoryLedger):
    """Its power fails during a commit when it is told to."""

    power = True

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        if not self.power:
            raise LedgerError("The power is gone.")
        super().commit(entries, rows, letters)


class Replay:
    def __init__(self) -> None:
        self.ledger = FailingLedger()
        self.office = Office(self.ledger, [METER], PROCEDURE)
        self.boot = 0
        self.due: bytes | None = None  # taken by the model's controller, and not committed

    def held(self) -> Held:
        standing = self.office.standing
        heard = [journal_of(standing, Origin(name, NONCE)).highest for name in NAMES]
        rounds = [
            (NAMES.index(round_.table), round_.number, stage, stage in _ASKED and round_.dealt is not None,
             round_.awards_minor)
            for round_ in rounds_in(standing)
            for stage in [_STAGES.get(round_.stage, str(round_.stage))]
        ]
        claims = [
            (NAMES.index(claim.table), claim.round, int(claim.claim.partition(".")[2]), claim.late,
             place_in_order(claim),
             claim.released, NO_VALUE if claim.valuation is None else claim.valuation.value_micro // MICRO_PER_MINOR)
            for claim in standing.claims
        ]  # fmt: skip
        return Held((heard[0], heard[1]), tuple(sorted(rounds)), tuple(claims), self.purse())

    def purse(self) -> Purse:
        (meter,) = self.office.standing.meters
        return Purse(*(amount // MICRO_PER_MINOR for amount in purse_of(meter, self.ledger.sums())))

    # --- steps ---------------------------------------------------------------------------------------

    def do(self, before: State, action: Action, after: State) -> None:
        now = self.now(before)
        match action.name:
            case "letter arrives":
                self.letter_arrives(before, action, after)
            case "commit":
                assert self.due is not None
                assert before.staged is not None
                self.taken(self.due, now, before.staged.number)
                self.due = None
            case "ping":
                self.ping(before, action.table, now)
            case "value arrives":
                self.value_arrives(before, action, after, now)
            case "controller crashes":
                self.crash(now)
            case "order first" | "release" | "drop":
                act, signed = self.act_of(before, action)
                self.office.act(act, signed, "as the model says", now)
        assert self.held() == held_by_model(after)

    def letter_arrives(self, before: State, action: Action, after: State) -> None:
        content = posted(before, action.table, action.number)
        now, heard = self.now(before), before.standing.heard[action.table]
        if action.number == heard + 1 and after.staged is not None:
            self.due = content
        elif action.number == heard + 1:
            self.taken(content, now, action.number)
        elif action.number <= heard:
            answer = self.said(content, now)[0]
            assert isinstance(answer, Acked)
            assert (answer.sequence, answer.highest_seen) == (action.number, heard)
        else:
            answer = self.said(content, now)[0]
            assert isinstance(answer, Refused)
            assert answer.reason == GAP

    def taken(self, content: bytes, now: Stamp, number: int) -> None:
        answer = self.said(content, now)[0]
        assert isinstance(answer, Acked), answer
        assert (answer.sequence, answer.differs) == (number, "")

    def said(self, content: bytes, now: Stamp) -> list[Message]:
        return [decode(answer) for answer in self.office.receive(content, now)]

    def ping(self, before: State, table: int, now: Stamp) -> None:
        """There and back, and once more to tell how long it took."""
        name, boot = NAMES[table], _boot(table, before.tables[table].boot)
        at = _mono(table, before.tables[table].boot, before.time)
        pong = self.said(encode(Ping(name, NONCE, 0, boot, at)), now)[0]
        assert isinstance(pong, Pong)
        heard = (pong.controller_boot, pong.controller_ns, at)
        self.said(encode(Ping(name, NONCE, 0, boot, at, 0, *heard)), now)
        self.office.look_again(now)

    def value_arrives(self, before: State, action: Action, after: State, now: Stamp) -> None:
        told = self.said(encode(Ping(NAMES[action.table], NONCE, 0)), now)
        number = playing(before.tables[action.table].mail).round
        claim = f"{number}.{action.seat}"
        awards = [answer.award_minor for answer in told if isinstance(answer, Valued) and answer.claim == claim]
        assert awards == [value for seat, value in after.tables[action.table].valued if seat == action.seat]

    def crash(self, now: Stamp) -> None:
        """The power fails in the middle of a commit where one was due."""
        if self.due is not None:
            self.ledger.power = False
            try:
                self.office.receive(self.due, now)
                raise AssertionError("a commit without power was answered")
            except LedgerError:
                self.ledger.power = True
            self.due = None
        self.boot += 1
        self.office = Office(self.ledger, [METER], PROCEDURE)

    def act_of(self, before: State, action: Action) -> tuple[Act, Sequence[Person]]:
        table = NAMES[action.table]
        if action.name == "drop":
            return DropPending(table, NONCE, action.number), PERSONS
        if action.name == "release":
            return ReleaseClaim(ClaimName(table, f"{action.number}.{action.seat}", NONCE)), PERSONS[:1]
        key = (action.table, action.number, action.seat)
        ordered = sorted(before.standing.claims, key=lambda claim: claim[:3] != key)
        named = [ClaimName(NAMES[claim.table], f"{claim.round}.{claim.seat}", NONCE) for claim in ordered]
        return OrderClaims("major", tuple(named)), PERSONS[:1]

    def now(self, state: State) -> Stamp:
        return Stamp(f"controller-{self.boot}", (1000 + state.time) * NS_PER_S, state.time * NS_PER_S)


# --- letters -----------------------------------------------------------------------------------------


def posted(state: State, table: int, number: int) -> bytes:
    mail = state.tables[table].mail[:number]
    letter = real_letter(table, mail[-1], playing(mail), [letter for letter in mail if letter.kind == "dealt"])
    kind, body = letters.NAME_OF[type(letter)], write(letter)
    return encode(Posted(NAMES[table], NONCE, number, kind, body, number, "ab" * 32))


def real_letter(table: int, letter: Letter, now: Playing, deals: list[Letter]) -> letters.Letter:
    number, at = letter.round, Stamp(_boot(table, letter.boot), _mono(table, letter.boot, letter.time), 0)
    match letter.kind:
        case "locked":
            bets = tuple(letters.Contribution(seat, STAKE) for seat in range(1, BETS + 1))
            return letters.RoundLockedLetter(number, at, bets)
        case "dealt":
            hands = tuple(letters.DealtHand(seat, at.mono_ns) for seat in range(1, BETS + 1))
            return letters.RoundDealtLetter(number, at, hands)
        case "result":
            dealt_ns = _mono(table, deals[-1].boot, deals[-1].time)
            claims = [
                letters.Claim(f"{number}.{seat}", seat, "major", 1, SHARES[table], "royal_flush", ROYAL, dealt_ns)
                for seat in range(1, letter.claims + 1)
            ]
            return letters.RoundResultLetter(number, at, tuple(claims))
        case "confirmed":
            return letters.ClaimConfirmedLetter(number, f"{number}.{letter.seat}", letter.amount, False, "Ada", at)
        case "denied":
            return letters.ClaimDeniedLetter(number, f"{number}.{letter.seat}", "Ada", "no straight flush", at)
        case "voided":
            return letters.RoundVoidedLetter(number, "misdeal", "5.8.7", "Ada", at, letter.after)
        case _:
            accepted = BETS if letter.staked else 0
            return letters.RoundEndedLetter(number, at, accepted * STAKE, letter.amount, accepted)


def _boot(table: int, boot: int) -> str:
    return f"table-{NAMES[table]}-{boot}"


def _mono(table: int, boot: int, time: int) -> int:
    """Each boot of each table counts from a zero of its own."""
    return (time + 100 * (table + 1) + 1000 * boot) * NS_PER_S
