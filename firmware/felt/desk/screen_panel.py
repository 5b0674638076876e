"""A screen that is part of the dealer's panel, because the table file says so. It proves its identity with a secret;
the table file holds the secret's digest. After that its keys are the panel's: an edge down, an edge up, with the
same debouncing and the same charts behind them."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Mapping

from felt.desk.pin_lockout import Lockout
from felt.loop.inbox import Edge
from felt.nouns.stamps import KEY_MARGIN_MS

KEY = "key."
NO_PANEL = "The table file makes no screen part of this table's panel (desk.panel)."
NOT_THIS_ONE = "This screen is not the one that the table file names."
_COUNTED = ":panel"  # wrong secrets are counted like wrong PINs, as those of one person


class PanelRefused(Exception):
    """One sentence."""


class ScreenPanel:
    def __init__(
        self, digest: str, settle_ms: Mapping[str, int], put: Callable[[Edge], object], lockout: Lockout
    ) -> None:
        """`digest`: SHA-256 of the device's secret, in hex; empty: there is no such screen. `settle_ms`: the inputs
        that the board has, and how long each takes to settle."""
        self._digest = digest
        self._settle_ms = settle_ms
        self._put = put
        self._lockout = lockout
        self._one_finger = threading.Lock()

    def admit(self, secret: str) -> None:
        """The caller must allow only one attempt after another."""
        if not self._digest:
            raise PanelRefused(NO_PANEL)
        wait_s = self._lockout.wait_s(_COUNTED)
        if wait_s:
            raise PanelRefused(f"Too many wrong secrets: wait {wait_s} seconds.")
        given = hashlib.sha256(secret.encode()).hexdigest()
        if not hmac.compare_digest(given, self._digest):
            self._lockout.note_wrong(_COUNTED)
            raise PanelRefused(NOT_THIS_ONE)
        self._lockout.note_right(_COUNTED)

    def press(self, key: str) -> None:
        """Down, held, up and at rest again. Two presses follow each other: the panel has one dealer."""
        line = KEY + key
        if line not in self._settle_ms:
            raise PanelRefused(f"This table's panel has no key {key[:20]!r}.")
        hold_s = (self._settle_ms[line] + KEY_MARGIN_MS) / 1000
        with self._one_finger:
            for level in (True, False):
                self._put(Edge(line, level, time.monotonic_ns()))
                time.sleep(hold_s)
