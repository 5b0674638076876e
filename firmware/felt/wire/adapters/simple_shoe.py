"""A plain electronic shoe. It reads each card that is drawn and reports it once, in a line of ASCII with a checksum
letter. It takes no acknowledgement, repeats nothing, and reports its state on request.

    I<name>                     it was switched on
    C<nn><card>[F][T]           a card was drawn, the nn-th (00 to 99, then 00; -- it has lost count);
                                ?? could not be read; F face up, T together with the previous card
    S<nn><ccc>[R][F][J][D]      nn cards drawn so far, ccc left; R shuffled, F next card face up, J jam, D door open

Every line ends with its checksum letter, `A` + the sum of the bytes before it modulo 26, and a line feed; a carriage
return before that is ignored. The table asks with `?` and a line feed. A gap in the numbers shows that a line was lost
or damaged: that card left and was not read. The numbers count cards drawn, not cards dealt. After an interruption of a
deal, or if a number does not follow the previous number, a person says what lies on the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from felt.nouns.cards import INDEX_OF, Card
from felt.wire.adapters.adapter import (
    AGE_UNKNOWN_MS,
    RAW_KEPT_BYTES_MAX,
    Alive,
    CardLeft,
    CardsLeft,
    CountLost,
    DeckTold,
    Event,
    Greeted,
    NotUnderstood,
)

LINE_BYTES_MAX = 48
CARDS_COUNTED = 100
CARDS_MISSING_MAX = 52  # no more than a deck leaves between two lines; beyond that the count is not credible
QUESTION = b"?\n"
UNKNOWN = "--"  # stands for a number that the shoe does not know

_CARD = re.compile(r"C(\d\d|--)(..)(F?)(T?)")
_STATE = re.compile(r"S(\d\d|--)(\d\d\d)(R?)(F?)(J?)(D?)")
_NAME = re.compile(r"I([ -~]{1,40})")


def checksum(line: bytes) -> int:
    return ord("A") + sum(line) % 26


def encode_line(text: str) -> bytes:
    """The device's end of the protocol."""
    line = text.encode("ascii")
    return line + bytes((checksum(line),)) + b"\n"


class SimpleShoe:
    """Implements `Adapter`."""

    numbers = CARDS_COUNTED
    silent_after_ms = 6_000
    counts_the_deal = False
    ask_every_ms = 2_000

    def __init__(self) -> None:
        self._partial = b""
        self._overlong = False
        self._drawn: int | None = None  # as the last line reported; None: unknown
        self._last_card = b""

    def question(self, *, greeted: bool) -> bytes:
        return QUESTION

    def dispense(self, origin: int, order: int, sets: int, cards_each: int) -> bytes:
        return b""

    def receive(self, received: bytes) -> Sequence[Event]:
        *lines, rest = (self._partial + received).split(b"\n")
        found = [event for line in lines for event in self._take(line)]
        self._partial = rest
        if len(rest.removesuffix(b"\r")) > LINE_BYTES_MAX:
            if not self._overlong:
                found.append(_too_long(rest))
            self._partial, self._overlong = b"", True
        return found

    def _take(self, line: bytes) -> Iterator[Event]:
        if self._overlong:
            self._overlong = False
            return
        line = line.removesuffix(b"\r")
        if not line:
            return
        if len(line) > LINE_BYTES_MAX:
            yield _too_long(line)
        elif line[-1] != checksum(line[:-1]):
            yield _kept("the checksum letter does not match", line)
        else:
            yield from self._read(line[:-1].decode("latin-1"), line)

    def _read(self, text: str, line: bytes) -> Iterator[Event]:
        if found := _CARD.fullmatch(text):
            if line == self._last_card and found[1] != UNKNOWN:
                yield Alive()  # a repeated line; the next card has the next number
                return
            self._last_card = line
            yield from self._card_drawn(*found.groups())
        elif found := _STATE.fullmatch(text):
            number = _number(found[1])
            if self._drawn is None and number is not None:
                yield CountLost("the shoe's count was not known before, so a card may have been drawn unheard")
            yield from self._counted_up_to(number)
            self._drawn = number
            shuffled, face_up, jammed, door = (bool(letter) for letter in found.groups()[2:])
            yield DeckTold(min(int(found[2]), 255), shuffled, 0, face_up, jammed, door)
        elif found := _NAME.fullmatch(text):
            self._drawn, self._last_card = None, b""
            yield Greeted(None, found[1])
        else:
            yield Alive()
            yield NotUnderstood("a line of no known kind", line[:RAW_KEPT_BYTES_MAX], damaged=False)

    def _card_drawn(self, count: str, name: str, face_up: str, together: str) -> Iterator[Event]:
        read = Card(name) if name in INDEX_OF else None
        foreign = read is None and name != "??"
        if foreign:
            yield NotUnderstood("a reported card is not in the deck", name.encode("latin-1"), damaged=False)
        number = _number(count)
        if number is None or self._drawn is None:
            yield CountLost("the shoe's count does not show whether a card was drawn before")
        else:
            yield from self._counted_up_to((number - 1) % CARDS_COUNTED)
        self._drawn = number
        yield CardsLeft(None, (CardLeft(read, 0, bool(face_up), False, bool(together), foreign),))

    def _counted_up_to(self, number: int | None) -> Iterator[Event]:
        """Cards that were counted but never reported; when they left is unknown. A count of more than a deck is not
        credible."""
        if self._drawn is None or number is None:
            return
        missing = (number - self._drawn) % CARDS_COUNTED
        if missing > CARDS_MISSING_MAX:
            yield CountLost("the shoe's count does not follow its previous count")
        elif missing:
            yield CardsLeft(None, (CardLeft(None, AGE_UNKNOWN_MS, missing=True),) * missing)


def _number(count: str) -> int | None:
    return None if count == UNKNOWN else int(count)


def _too_long(line: bytes) -> NotUnderstood:
    """The same event whether the line came at once or in pieces."""
    return _kept("a line that is too long", line[:LINE_BYTES_MAX])


def _kept(reason: str, line: bytes) -> NotUnderstood:
    return NotUnderstood(reason, line[:RAW_KEPT_BYTES_MAX])
