"""Speaks: compares what the table projects with what the world was last told, and sends only the difference. Nothing
here is durable or needs to be: after a crash everything is projected and sent again."""

from __future__ import annotations

from collections.abc import Callable

from felt.journal.store import Head
from felt.letters.from_table import Ping, Posted
from felt.loop.shuffler_intake import LINE_MS
from felt.loop.shuffler_talk import ShufflerTalk
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.values import Value
from felt.ports import Board, Post
from felt.table import views
from felt.table.state import Mail, Table
from felt.wire import jackpot

RESEND_NS = 2 * NS_PER_S
PING_NS = 1 * NS_PER_S


class ControllerClock(Value):
    """The jackpot controller's clock from its last answer, and the table's own time when it arrived."""

    boot: str = ""  # empty: no answer yet
    controller_ns: int = 0
    heard_ns: int = 0


class Outward:
    def __init__(
        self, board: Board, shuffler: ShufflerTalk, post: Post, controller_clock: Callable[[], ControllerClock]
    ) -> None:
        self._board = board
        self._shuffler = shuffler
        self._post = post
        self._controller_clock = controller_clock
        self._shown: dict[str, str] = {}
        self._seen: Table | None = None
        self._posted: dict[int, int] = {}  # letter -> when it was last posted
        self._mail: tuple[Mail, ...] = ()  # those letters, and when the first of them is due again
        self._resend_ns = 0
        self._pinged_ns: int | None = None

    def speak(self, table: Table, head: Head, now: Stamp, answers: list[bytes]) -> None:
        if table is not self._seen:
            self._show(table)
            self._seen = table
        self._shuffler.speak(table, now, answers)
        self._post_mail(table, head, now)
        self._ping(table, now)

    def _show(self, table: Table) -> None:
        lamps = views.lamps(table)
        if lamps == self._shown:  # true after most facts
            return
        changes = {lamp: pattern for lamp, pattern in lamps.items() if self._shown.get(lamp) != pattern}
        if changes:
            self._shown.update(changes)
            self._board.show(changes)

    def _post_mail(self, table: Table, head: Head, now: Stamp) -> None:
        unanswered = views.mail(table)
        if not unanswered:
            self._posted.clear()
            return
        if unanswered is self._mail and now.mono_ns < self._resend_ns:
            return
        self._posted = {mail.sequence: self._posted.get(mail.sequence, -1) for mail in unanswered}
        for mail in unanswered:
            last_ns = self._posted[mail.sequence]
            if last_ns < 0 or now.mono_ns - last_ns >= RESEND_NS:
                self._posted[mail.sequence] = now.mono_ns
                self._post.send(jackpot.encode(_envelope(table, head, mail)))
        self._mail, self._resend_ns = unanswered, min(self._posted.values()) + RESEND_NS

    def _ping(self, table: Table, now: Stamp) -> None:
        if table.settings is None:
            return
        if self._pinged_ns is None or now.mono_ns - self._pinged_ns >= PING_NS:
            self._pinged_ns = now.mono_ns
            # The turn began before the sending, and the answer came before the turn, so a sample is never too narrow.
            heard = self._controller_clock()
            ping = Ping(
                table.settings.table_id,
                table.nonce,
                table.post.written,
                boot=now.boot,
                sent_ns=now.mono_ns,
                card_late_ns=LINE_MS * NS_PER_MS,
                heard_boot=heard.boot,
                heard_controller_ns=heard.controller_ns,
                heard_ns=heard.heard_ns,
            )
            self._post.send(jackpot.encode(ping))

    def next_due_ns(self) -> int:
        return 0 if self._pinged_ns is None else self._pinged_ns + PING_NS


def _envelope(table: Table, head: Head, mail: Mail) -> Posted:
    assert table.settings is not None
    return Posted(
        table.settings.table_id, table.nonce, mail.sequence, mail.kind, mail.body, head.seq, head.chain
    )
