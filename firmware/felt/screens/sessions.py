"""Browsers that have opened a page, each known by a secret in a cookie that no script and no foreign page can send. A
session alone grants nothing: to act in a person's name, that person must sign in at the desk."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from felt.screens.desk_line import DeskLine

COOKIE = "felt-session"
SESSIONS_MAX = 256  # above it the least recently used one is dropped
IDLE_S = 12 * 3600.0


@dataclass
class Session:
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used_s: float = field(default_factory=time.monotonic)
    line: DeskLine | None = None  # set if a person signed in on this browser
    panel: DeskLine | None = None  # set if this browser is part of the dealer's panel
    person: str = ""
    role: str = ""

    def leave_panel(self) -> None:
        if self.panel is not None:
            self.panel.close()
        self.panel = None

    def sign_out(self) -> None:
        if self.line is not None:
            self.line.close()
        self.line, self.person, self.role = None, "", ""


class Sessions:
    def __init__(self) -> None:
        self._known: OrderedDict[str, Session] = OrderedDict()

    def find(self, key: str | None) -> Session | None:
        session = self._known.get(key or "")
        if session is None:
            return None
        if time.monotonic() - session.used_s > IDLE_S:
            self._drop(session)
            return None
        session.used_s = time.monotonic()
        self._known.move_to_end(session.key)
        return session

    def begin(self) -> Session:
        while len(self._known) >= SESSIONS_MAX:
            self._drop(next(iter(self._known.values())))
        session = Session()
        self._known[session.key] = session
        return session

    def signed_in(self) -> int:
        return sum(session.line is not None for session in self._known.values())

    def panels(self) -> int:
        return sum(session.panel is not None for session in self._known.values())

    def _drop(self, session: Session) -> None:
        session.sign_out()
        session.leave_panel()
        self._known.pop(session.key, None)
