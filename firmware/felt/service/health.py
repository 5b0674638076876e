"""What the loop itself notices: a silent jackpot controller, dead driver threads, a full inbox. The watchdog is
patted while turns complete and driver threads live; an unplugged device is a fault, not a restart."""

from __future__ import annotations

from felt.nouns.stamps import NS_PER_S, Stamp
from felt.ports import Board, Link, Post
from felt.service.inbox import Inbox
from felt.table import facts
from felt.table.facts import Fact
from felt.table.state import LinkState, Table


class Health:
    def __init__(self, board: Board, link: Link, post: Post, inbox: Inbox, lost_s: int) -> None:
        self._board = board
        self._link = link
        self._post = post
        self._inbox = inbox
        self._lost_ns = lost_s * NS_PER_S
        self._heard_ns: int | None = None
        self._began_ns: int | None = None
        self._refused = 0

    def heard(self, now: Stamp) -> None:
        self._heard_ns = now.mono_ns

    def noticed(self, table: Table, now: Stamp) -> list[Fact]:
        return [*self._of_the_link(table, now), *self._of_the_house(table, now)]

    def _of_the_link(self, table: Table, now: Stamp) -> list[Fact]:
        if self._began_ns is None:
            self._began_ns = now.mono_ns
        since_ns = self._began_ns if self._heard_ns is None else self._heard_ns
        silent = now.mono_ns - since_ns >= self._lost_ns
        if silent and table.link is LinkState.UP:
            return [facts.LinkLost(now)]
        if not silent and self._heard_ns is not None and table.link is LinkState.LOST:
            return [facts.LinkFound(now)]
        return []

    def _of_the_house(self, table: Table, now: Stamp) -> list[Fact]:
        noticed: list[Fact] = []
        standing = {fault.code for fault in table.service.faults}
        if not self._board.alive() and "F-103" not in standing:
            noticed.append(facts.FaultRaised(now, "F-103", "board"))
        if self._inbox.refused > self._refused and "F-703" not in standing:
            noticed.append(facts.FaultRaised(now, "F-703", f"{self._inbox.refused} items refused"))
        self._refused = self._inbox.refused
        return noticed

    def well(self) -> bool:
        return self._board.alive() and self._link.alive()
