"""A terminal that may be just a serial line: lines in, lines out, a hidden PIN, and a timeout. History and
completion if the terminal supports them; no cursor control otherwise."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from types import FrameType

LINE_MAX = 400  # the longest line that a person types; more is noise
SECRET_MAX = 64
DUMB = ("", "dumb", "unknown")
HISTORY_MAX = 100


class Idle(Exception):
    """Nobody typed anything for too long."""


class HungUp(Exception):
    """The line is gone."""


class TooLong(Exception):
    """The line is longer than any person would type."""


Completer = Callable[[str, str], list[str]]  # the line up to the cursor, and the word being typed


class Terminal:
    def __init__(self, idle_s: int) -> None:
        self._fd = sys.stdin.fileno()
        self._idle_s = idle_s
        self._waiting = b""
        self._is_tty = os.isatty(self._fd)
        self._comfortable = self._is_tty and os.environ.get("TERM", "") not in DUMB
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        self._ignore_flow_control()

    def _ignore_flow_control(self) -> None:
        """Turns off flow control: a Ctrl-S from noise would stop the output for ever."""
        if self._is_tty:
            with contextlib.suppress(termios.error):
                attributes = termios.tcgetattr(self._fd)
                attributes[0] &= ~termios.IXON
                termios.tcsetattr(self._fd, termios.TCSADRAIN, attributes)

    def say(self, text: str = "") -> None:
        try:
            print(text, flush=True)
        except OSError:
            raise HungUp from None

    # --- lines -------------------------------------------------------------------------------------------

    def complete_with(self, completer: Completer) -> None:
        if not self._comfortable:
            return
        import readline

        found: list[str] = []

        def complete(text: str, place: int) -> str | None:
            if place == 0:
                found[:] = completer(readline.get_line_buffer()[: readline.get_begidx()], text)
            return found[place] if place < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" ")
        readline.set_history_length(HISTORY_MAX)
        readline.parse_and_bind("tab: complete")
        # Disables bracketed paste, whose codes a plain terminal would show.
        readline.parse_and_bind("set enable-bracketed-paste off")
        readline.set_auto_history(False)

    def read_line(self, prompt: str, *, remember: bool = False) -> str:
        """Reads a line and keeps its printable characters."""
        if not self._comfortable:
            return self._plain_line(prompt, LINE_MAX)
        with self._alarmed():
            try:
                line = input(prompt)
            except EOFError:
                raise HungUp from None
            except ValueError:  # an embedded NUL
                return ""
            except OSError:
                raise HungUp from None
        if len(line) > LINE_MAX:
            raise TooLong
        line = printable(line)
        if remember and line.strip():
            import readline

            readline.add_history(line)
        return line

    def read_secret(self, prompt: str) -> str:
        with self._unechoed():
            secret = self._plain_line(prompt, SECRET_MAX)
        if self._is_tty:
            self.say()
        return secret

    def pressed_within(self, seconds: float) -> bool:
        """Whether Enter was pressed within this time. Earlier input is discarded."""
        if b"\n" not in self._waiting:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, seconds))
            if not ready:
                return False
            self._take()
        _, found, rest = self._waiting.partition(b"\n")
        self._waiting = rest if found else self._waiting[-LINE_MAX:]
        return bool(found)

    def wait(self, seconds: float) -> None:
        """Waits the full time; input cannot shorten it and is discarded."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.pressed_within(left)
        self._waiting = b""

    def _plain_line(self, prompt: str, longest: int) -> str:
        try:
            sys.stdout.write(prompt)
            sys.stdout.flush()
        except OSError:
            raise HungUp from None
        until, dropped = time.monotonic() + self._idle_s, False
        while b"\n" not in self._waiting:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise Idle
            self._take()
            if len(self._waiting) > longest * 4 and b"\n" not in self._waiting:
                self._waiting, dropped = b"", True
        line, _, self._waiting = self._waiting.partition(b"\n")
        text = line.decode("utf-8", "replace").removesuffix("\r")
        if dropped or len(text) > longest:
            raise TooLong
        return printable(text)

    def _take(self) -> None:
        try:
            content = os.read(self._fd, 4096)
        except OSError:
            raise HungUp from None
        if not content:
            raise HungUp
        self._waiting += content

    @contextlib.contextmanager
    def _alarmed(self) -> Iterator[None]:
        def ring(_signal: int, _frame: FrameType | None) -> None:
            raise Idle

        before = signal.signal(signal.SIGALRM, ring)
        signal.alarm(self._idle_s)
        try:
            yield
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    @contextlib.contextmanager
    def _unechoed(self) -> Iterator[None]:
        if not self._is_tty:
            yield
            return
        try:
            before = termios.tcgetattr(self._fd)
            silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
            termios.tcsetattr(self._fd, termios.TCSADRAIN, silent)
        except termios.error:
            raise HungUp from None
        try:
            yield
        finally:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._fd, termios.TCSADRAIN, before)


def printable(text: str) -> str:
    """Control characters never reach the grammar, the desk, or the screen of someone who reads a log."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
