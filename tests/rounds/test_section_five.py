"""Every paragraph of the irregularities of three books, and a few beside them, is played by a story of that book in
every phase in which it can occur. The table below was gone through paragraph by paragraph with the books; the trace's
catalogue keeps it complete."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from felt.stories.heard import heard_in
from felt.stories.playing import play_file
from felt.trace.catalogue import load_books

HERE = Path(__file__).parent
FOLDERS = {
    "000": "progressive_3_card_poker",
    "001": "lucky_three_pictures",
    "002": "multi_link_3_card_poker",
}
BESIDE = {"000": ("3.7", "3.9", "4.5"), "001": ("3.11",), "002": ("3.7", "3.9", "4.5", "4.7.1")}

# Phases by their first letters: Betting, Locking, Dealing, deCiding, Revealing, Settling, Verifying, Paying, Idle,
# cLosed (x). Where the word is no letters but a sentence, no table can play it, and the sentence says why.
PHASES = {
    "B": "BETTING", "L": "LOCKING", "D": "DEALING", "C": "DECIDING", "R": "REVEALING", "S": "SETTLING",
    "V": "VERIFYING", "P": "PAYING", "I": "IDLE", "x": "CLOSED",
}  # fmt: skip
_HEADING = "a heading: its parts are played"
_BY_HAND = "staff place a player's bet: it is keyed as any other, and whose wish it was no table can know"

_POKER = {
    "3.7": "BLDCRP",
    "3.9": "LDCRSVP",
    "4.5": "R",
    "5.1": "B",
    "5.1.1": "DCRP",
    "5.2": "B",
    "5.2.1": "DCRP",
    "5.3": _HEADING,
    "5.3.1": "P",
    "5.3.2": "P",
    "5.4": "LDP",
    "5.5": "CRP",  # he leaves with a decision to make
    "5.6": "CRP",
    "5.7": _HEADING,
    "5.7.1": "CRSVP",  # no bet has won or lost before the first decision
    "5.7.2": "LDC",
    "5.8": "I",
    "5.8.1": "BLDCRSVP",
    "5.8.2": "DCR",  # nobody has seen cards; in REVEALING where nobody had to decide
    "5.8.3": "BLDCRSVP",
    "5.8.4": "BLD",  # a complete deal had cards enough
    "5.8.5": "BLDCRSVP",
    "5.8.6": "BLDCR",
    "5.8.7": "DCRSVPI",  # until the next round opens
    "5.9": "DCRSVP",
    "5.10": "DCR",  # after the settlement nobody can go on
    "5.10.1": "DCR",
    "5.10.2": "DCR",
    "5.10.3": "DCR",
    "5.11": "LDCRP",
    "5.12": "DCRSVP",
    "5.13": "DCRSVP",
    "5.14": "DCR",
    "5.14.1": "DCR",
    "5.15": "DCRSVPI",
    "5.16": "BLDC",
    "5.17": _HEADING,
    "5.17.1": "CRSVP",
    "5.17.2": "LDI",
    "5.17.2 a": "x",
    "5.17.2 b": "BLDI",
    "5.17.2 c": "BLDCRPI",
    "5.18": "DCRSVP",
    "5.19": "BLDCRSVP",
    "5.20": "DCRSVP",
    "5.21": "BLDCRSVP",
    "5.22": _BY_HAND,
    "5.23": "BLDCRSVP",
}
# No decisions and no jackpot in this book: from DEALING to REVEALING to PAYING.
_PICTURES = {
    "3.11": "LDRP",
    "5.1": "B",
    "5.1.1": "DRP",
    "5.1.2": "how a box is shared out among its bettors is arithmetic: the verdicts of the rulebook show it",
    "5.2": "B",
    "5.2.1": "DRP",
    "5.3": "RP",
    "5.4": _HEADING,
    "5.4.1": "RP",
    "5.4.2": "LDR",
    "5.5": "I",
    "5.5.1": "BLDRP",
    "5.5.2": "BLDRP",
    "5.5.3": "BLDRP",
    "5.5.4": "BLDR",
    "5.5.5": "BLD",
    "5.5.6": "DRPI",
    "5.6": "DR",
    "5.6.1": "DR",
    "5.6.2": "DR",
    "5.6.3": "DR",
    "5.7": "LDRP",
    "5.8": "DRPI",
    "5.8.1": "DR",
    "5.9": "DRP",
    "5.10": "DR",
    "5.10.1": "DR",
    "5.11": "BLDRP",
    "5.12": "DRP",
    "5.13": "LDP",
    "5.14": "BLDRP",
    "5.15": _BY_HAND,
    "5.16": "BLDRP",
}
OCCURS = {"000": _POKER, "001": _PICTURES, "002": {**_POKER, "4.7.1": "V"}}


def phases_of(book: str, paragraph: str) -> tuple[str, ...]:
    letters = OCCURS[book][paragraph]
    return () if " " in letters else tuple(PHASES[letter] for letter in letters)


@cache
def stories_of(book: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """By paragraph and phase, the stories that play it."""
    played: dict[tuple[str, str], tuple[str, ...]] = {}
    for path in sorted((HERE / FOLDERS[book]).glob("*.round")):
        for heard in heard_in(play_file(path).tables):
            played[heard] = (*played.get(heard, ()), path.stem)
    return played


def _cells() -> Iterator[tuple[str, str]]:
    for book, paragraphs in OCCURS.items():
        yield from ((book, paragraph) for paragraph in paragraphs if phases_of(book, paragraph))


@pytest.mark.parametrize("book", FOLDERS)
def test_every_paragraph_of_the_catalogue_has_its_phases_or_the_reason_why_not(book: str) -> None:
    catalogue = next(known for known in load_books() if known.key == book)
    wanted = [entry.id for entry in catalogue.entry if entry.id.startswith("5.") or entry.id in BESIDE[book]]
    assert sorted(OCCURS[book]) == sorted(wanted)


@pytest.mark.parametrize(("book", "paragraph"), list(_cells()))
def test_a_story_plays_the_paragraph_in_every_phase_in_which_it_can_occur(book: str, paragraph: str) -> None:
    unplayed = [phase for phase in phases_of(book, paragraph) if (paragraph, phase) not in stories_of(book)]
    assert unplayed == []
