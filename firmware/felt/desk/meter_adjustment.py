"""Adjusts a meter of the table's own ledger at the desk, by two persons: typed, with a reason, and under the same
rules as at a jackpot controller. The ledger is written first, with both names; the table's journal follows. If power
fails between the two, the ledger alone has the entry, and the ledger is what counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from felt.config.people import Role
from felt.jackpot.books.acts import Person, read_act
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.jackpot.ledger.port import LedgerError
from felt.loop.intake import read_order
from felt.loop.picture import Picture
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.values import ShapeError
from felt.table import facts
from felt.table.state import ServiceState

LINKED = (
    "The meters of this table are a jackpot controller's: they are adjusted there, by two persons, with felt jackpot "
    "act AdjustMeter."
)

Signers = list[tuple[str, Role]]
Adjust = Callable[[Picture, dict[str, Any], Signers], str]


def adjuster(post: EmbeddedPost | None) -> Adjust:
    """Asks the ledger. Returns the sentence of a refusal, or an empty string."""

    def adjust(picture: Picture, fields: dict[str, Any], signers: Signers) -> str:
        if post is None:
            return LINKED
        if picture.table.service.state is ServiceState.TEST:
            return "In test mode no meter moves: leave it first."
        if picture.table.round is not None:
            return f"Round {picture.table.round.number} is in play: a meter is adjusted between rounds."
        try:
            wanted = read_order("MeterAdjusted", {**fields, "person": "two persons"}, picture.at)
            assert isinstance(wanted, facts.MeterAdjusted)
            act = read_act("AdjustMeter", {
                "meter": wanted.meter, "purse": wanted.purse, "type": wanted.type,
                "amount_micro": wanted.amount_minor * MICRO_PER_MINOR,
            })  # fmt: skip
            post.act(act, [Person(name, role.value) for name, role in signers], wanted.reason)
        except (ShapeError, RefusedError, LedgerError) as error:
            return str(error)
        return ""

    return adjust
