"""What a driver outside the table has heard, and what must therefore stay true. It believes only what left the table:
letters, lamp lines, answers to orders and the phase that the table reported."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from felt.letters.from_table import Posted
from felt.wire import jackpot
from tests.real.killable import Said

STAKE_MINOR = 500
PLAYED = ("BETTING", "LOCKING", "DEALING", "DECIDING", "REVEALING", "SETTLING", "VERIFYING", "PAYING", "INTERRUPTED")


class Heard(NamedTuple):
    """One letter as it was first said."""

    kind: str
    body: str

    @property
    def parts(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


class Order(NamedTuple):
    kind: str
    fields: dict[str, Any]
    round: int


class Tally:
    def __init__(self) -> None:
        self.where: Said = {}
        self.lamps: dict[str, str] = {}
        self.nonces: set[str] = set()
        self.letters: dict[int, Heard] = {}
        self.accepted_lamps: set[tuple[int, int]] = set()  # (round, seat)
        self.locked_with: dict[int, list[int]] = {}  # the seats whose chips lay there when the driver locked
        self.ended: set[int] = set()
        self.opened = False
        self.ruled: set[str] = set()
        self.confirmed: set[str] = set()
        self.denied: set[str] = set()
        self.void_ordered: set[int] = set()
        self.pending: dict[int, Order] = {}
        self.refusals: list[str] = []
        self.may_stop = False  # whether it may go out of service

    # --- hearing -------------------------------------------------------------------------------------

    def hear(self, said: Said) -> None:
        match said:
            case {"letter": str(text)}:
                self._hear_letter(text)
            case {"lamp": str(lamp), "shows": str(shows)}:
                self._hear_lamp(lamp, shows)
            case {"reply": int(number), "refused": str(refused)}:
                self._hear_reply(number, refused)
            case {"phase": str()}:
                self._hear_where(said)
            case _:
                raise AssertionError(f"the table said something unknown: {said}")

    def _hear_letter(self, text: str) -> None:
        message = jackpot.decode(text.encode())
        if not isinstance(message, Posted):
            return
        self.nonces.add(message.nonce)
        heard = Heard(message.kind, message.body)
        first = self.letters.setdefault(message.sequence, heard)
        assert first == heard, f"letter {message.sequence} was said with another body: {first} and then {heard}"

    def _hear_lamp(self, lamp: str, shows: str) -> None:
        self.lamps[lamp] = shows
        if shows == "accepted":
            self.accepted_lamps.add((int(self.where["round"]), int(lamp.partition(".")[0])))

    def _hear_reply(self, number: int, refused: str) -> None:
        order = self.pending.pop(number)
        if refused:
            self.refusals.append(f"{order}: {refused}")
            return
        match order.kind:
            case "TableOpened":
                self.opened = True
            case "RulingMade":
                self.ruled.add(order.fields["question"])
            case "ClaimConfirmed":
                self.confirmed.add(order.fields["claim"])
            case "ClaimDenied":
                self.denied.add(order.fields["claim"])
            case "VoidOrdered":
                self.void_ordered.add(order.round)

    def _hear_where(self, where: Said) -> None:
        number, phase, before = int(where["round"]), where["phase"], self.where
        assert self.may_stop or where["service"] == "IN_SERVICE", f"the table went out of service: {where}"
        assert not (self.opened and phase == "CLOSED"), "an opened table is closed again"
        again = self.ruled & {question["id"] for question in where["questions"]}
        assert not again, f"answered questions are open again: {again}"
        assert not (phase in PLAYED and number in self.ended), f"round {number} had ended and is played again"
        if before:
            assert number >= int(before["round"]), f"round {before['round']} is forgotten: {where}"
            assert where["tally"]["rounds"] >= before["tally"]["rounds"], "a round is no longer counted"
        for claim in where["claims"]:
            if claim["claim"] in self.confirmed:
                assert claim["verdict"] == "confirmed", f"a confirmed claim is open again: {claim}"
        if phase == "IDLE" and number:
            self.ended.add(number)
        self.where = where

    # --- adding up -----------------------------------------------------------------------------------

    def of_kind(self, kind: str) -> dict[int, dict[str, Any]]:
        """Letters of one kind by their round. Only letters about claims may come more than once a round."""
        return {letter.parts["round"]: letter.parts for letter in self.letters.values() if letter.kind == kind}

    def count(self, kind: str) -> int:
        return sum(letter.kind == kind for letter in self.letters.values())

    def contributions_minor(self) -> int:
        """Locked stakes of the rounds that have their result, without those that were voided after it."""
        locked, results, voided = self.of_kind("RoundLocked"), self.of_kind("RoundResult"), self.of_kind("RoundVoided")
        standing = [number for number in results if number not in voided]
        return sum(
            stake
            for number in standing
            for seat, stake in locked[number]["contributions"]
            if seat not in results[number]["returned"]
        )

    def awards_minor(self) -> int:
        return sum(letter.parts["award_minor"] for letter in self.letters.values() if letter.kind == "ClaimConfirmed")

    # --- at the end ----------------------------------------------------------------------------------

    def check(self, *, link_was_lost: bool = False) -> None:
        """Everything that was said is consistent, whatever happened between. A link that is lost while bets are open
        closes the coin spots: then no progressive bet of that round counts."""
        assert len(self.nonces) == 1, f"letters came from several journals: {self.nonces}"
        assert sorted(self.letters) == list(range(1, len(self.letters) + 1)), "letters are missing"
        locked = self.of_kind("RoundLocked")
        ending = [letter for letter in self.letters.values() if letter.kind in ("RoundEnded", "RoundVoided")]
        ends = [letter.parts["round"] for letter in ending]
        assert sorted(ends) == sorted(locked), f"each locked round ends once: {sorted(ends)} of {sorted(locked)}"
        for kind in ("RoundLocked", "RoundDealt", "RoundResult"):
            assert self.count(kind) == len(self.of_kind(kind)), f"a {kind} was written twice for one round"
        for number, seat in self.accepted_lamps:
            seats = [contribution[0] for contribution in locked[number]["contributions"]]
            assert seat in seats, f"box {seat} was lit in round {number}, not recorded"
        for number, letter in locked.items():
            contributions = letter["contributions"]
            expected = [[seat, STAKE_MINOR] for seat in self.locked_with[number]]
            allowed = [expected, []] if link_was_lost else [expected]
            assert contributions in allowed, f"round {number} was locked with {expected} and recorded {contributions}"
        self._check_orders()

    def _check_orders(self) -> None:
        confirmed = [letter.parts["claim"] for letter in self.letters.values() if letter.kind == "ClaimConfirmed"]
        denied = [letter.parts["claim"] for letter in self.letters.values() if letter.kind == "ClaimDenied"]
        claimed = [claim["claim"] for parts in self.of_kind("RoundResult").values() for claim in parts["claims"]]
        assert len({*confirmed, *denied}) == len(confirmed) + len(denied), "a claim was decided twice"
        assert {*confirmed, *denied} <= {*claimed}
        assert self.confirmed <= {*confirmed}, "a confirmation was answered and is lost"
        assert self.denied <= {*denied}, "a denial was answered and is lost"
        assert self.void_ordered <= {*self.of_kind("RoundVoided")}, "a void was answered and is lost"
