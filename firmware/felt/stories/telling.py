"""Plays a story so that a person can follow it: on a thread of its own, at a pace, with pause, step and restart. Each
moment leaves a picture that the screens draw like any table's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from felt.desk import screen_pages
from felt.loop.picture import Picture
from felt.nouns.ids import kind_of
from felt.nouns.values import replace
from felt.rules import shelf
from felt.stories.bookcase import Bookcase, NoSuchStory
from felt.stories.errors import StoryError
from felt.stories.playing import play
from felt.stories.repeats import ScriptLine
from felt.stories.script import Story
from felt.stories.stage import StoryStage
from felt.stories.training import NAME_MAX, Score, answer_to, keep, reason_for
from felt.table import settle, views
from felt.table.state import SpotState, Table

Answer = dict[str, Any]
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
HOLD_S, GLANCE_S, RESULT_S = 1.6, 0.7, 3.5  # after an act, an expectation, a result
FRAME_S = 0.14  # between two moments of one line
FRAMES_MAX = 48  # of one line
LINES_BEFORE, LINES_AFTER = 40, 60  # of the text, around the present line
NEWS_S = 1.0
CHIPS = (1000, 500, 100, 25, 5, 1)  # the chips that make up an amount, in whole units
CHIPS_MAX = 12
_RESULTS = ("press settle", "press reveal", "supervisor confirms", "shift manager confirms")


class _Enough(Exception):
    """Another story was chosen, or none."""


class Telling:
    def __init__(self, bookcase: Bookcase, *, trains: bool = False, scores: Path | None = None) -> None:
        """`trains`: it stops before each act of the dealer and asks for it. `scores`: where results are stored."""
        self.bookcase = bookcase
        self._trains, self._scores = trains, scores
        self._trainee, self._score, self._answer = "", Score(), ""
        self._news = threading.Condition()
        self._wanted = ""  # the story to play next
        self._leaving = False
        self._paused = False
        self._steps = 0
        self._speed = 1.0
        self._told: Answer = {}
        self._number = 0
        self._moment = 0  # number of the picture, so that a page recognises a new one
        self._frames: list[Picture] = []
        self._where: Answer = {"name": "", "state": "none", "title": "", "lines": [], "first": 0, "at": -1, "of": 0}
        self._about: Answer = {"layout": None, "picture": None, "hands": None}
        self._thread = threading.Thread(target=self._run, name="felt-story", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        with self._news:
            self._leaving = True
            self._news.notify_all()
        self._thread.join(5)

    # --- for those who look and choose, from their own threads -------------------------------------------

    def told(self, after: int) -> Answer:
        with self._news:
            self._news.wait_for(lambda: self._number != after, NEWS_S)
            playing = {"paused": self._paused, "speed": self._speed, "trainee": self._trainee}
            return {"number": self._number, **self._about, "story": {**self._where, **playing}}

    def choose(self, name: str) -> None:
        self.bookcase.open(name)  # if this story cannot be played, the present one continues
        with self._change():
            self._wanted, self._paused, self._steps = name, False, 0

    def pause(self, paused: bool) -> None:
        with self._change():
            self._paused, self._steps = paused, 0

    def step(self) -> None:
        with self._change():
            self._paused, self._steps = True, 1

    def pace(self, speed: float) -> None:
        with self._change():
            self._speed = min(SPEEDS, key=lambda known: abs(known - speed))

    def answer(self, key: str) -> None:
        """The dealer in training answers what he would do now."""
        with self._change():
            self._answer = key

    def name_trainee(self, name: str) -> None:
        with self._change():
            self._trainee = " ".join(name.split())[:NAME_MAX]

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._news:
            yield
            self._number += 1
            self._news.notify_all()

    # --- the thread that tells ---------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._wanted or self._leaving)
                if self._leaving:
                    return
                name, self._wanted = self._wanted, ""
            try:
                self._tell(name, self.bookcase.open(name))
            except _Enough:
                pass
            except NoSuchStory as error:
                self._say(state="failed", problem=str(error))
            except StoryError as error:
                self._say(state="failed", problem=f"The story does not hold: {error}.")

    def _tell(self, name: str, story: Story) -> None:
        texts, place = [line.text for line in story.lines], 0
        self._about = {"layout": None, "picture": None, "hands": None}
        self._say(
            name=name, title=self.bookcase.title(name), state="told", problem="", at=-1, of=len(texts), first=0,
            lines=[] if self._trains else texts[:LINES_AFTER], table="", dark="", ask=None, score=[0, 0],
        )  # fmt: skip

        def watch(line: ScriptLine, stage: StoryStage) -> None:
            nonlocal place
            while story.lines[place] is not line:
                place += 1
            first = max(0, place - LINES_BEFORE)
            # A lesson does not show the next line.
            until = place + 1 if self._trains else place + LINES_AFTER
            self._say(at=place, first=first, lines=texts[first:until])
            self._show(stage)
            self._hold(_hold_s(line.text))
            if self._trains and place + 1 < len(texts):
                self._ask(stage, texts[place + 1])

        self._score = Score()
        play(story, name, watch)
        keep(self._scores, self._trainee, name, self._score)
        self._say(state="ended", at=len(texts))

    def _ask(self, stage: StoryStage, text: str) -> None:
        """Waits for the right answer to the next line, if the dealer acts in it."""
        if stage.evening.running is None:
            return
        wanted = answer_to(text, views.lamps(stage.table))
        if not wanted:
            return
        self._answer, tries = "", 0
        self._say(ask={"why": "", "wrong": ""})
        while True:
            with self._news:
                self._news.wait_for(lambda: self._answer or self._wanted or self._leaving)
                if self._wanted or self._leaving:
                    raise _Enough
                given, self._answer = self._answer, ""
            tries += 1
            if given == wanted:
                break
            self._say(ask={"why": reason_for(stage, wanted), "wrong": given, "right": wanted})
        self._score = Score(self._score.asked + 1, self._score.right + (tries == 1))
        self._say(ask=None, score=[self._score.right, self._score.asked])

    def _show(self, stage: StoryStage) -> None:
        """Shows the moments of the line one after another, and then its result."""
        loop = stage.evening.running.loop if stage.evening.running is not None else None
        moments, self._frames = self._frames, []
        for picture in moments[:-1]:
            self._picture(stage, picture)
            self._hold(FRAME_S, steps=False)
        self._say(table=stage.name, dark="" if loop else stage.stopped or stage.boot_refused)
        if loop is None:
            return
        self._picture(stage, loop.picture())

        def keep() -> None:
            if len(self._frames) < FRAMES_MAX:
                self._frames.append(loop.picture())

        loop.on_turn = keep

    def _picture(self, stage: StoryStage, picture: Picture) -> None:
        self._moment += 1
        numbered = replace(picture, number=self._moment)
        about = {
            "layout": screen_pages.layout(numbered),
            "picture": screen_pages.table_page(numbered),
            "hands": _hands(numbered.table),
        }
        with self._change():
            self._about = about

    def _say(self, **words: Any) -> None:
        with self._change():
            self._where = {**self._where, **words}

    def _hold(self, hold_s: float, *, steps: bool = True) -> None:
        """Waits as long as the pace says, or until a person steps on."""
        with self._news:
            left_s = hold_s
            while True:
                if self._wanted or self._leaving:
                    raise _Enough
                if self._paused and steps:
                    if self._steps:
                        self._steps -= 1
                        return
                    self._news.wait()
                    continue
                if left_s <= 0:
                    return
                began_s, speed = time.monotonic(), self._speed
                self._news.wait(left_s / speed)
                left_s -= (time.monotonic() - began_s) * speed


def _hold_s(text: str) -> float:
    if any(text.startswith(result) for result in _RESULTS):
        return RESULT_S
    return GLANCE_S if " expect " in f" {text}" else HOLD_S


# --- what lies on the felt ---------------------------------------------------------------------------------


def _hands(table: Table) -> Answer:
    settings = table.settings
    assert settings is not None
    coin, digits = settle.coin_wager(settings), settings.terms.currency.minor_digits
    prescribed = None if coin is None else shelf.rulebook(settings.game).prescribed_stake(settings.terms)
    chips = {}
    for spot in table.spots:
        if spot.present or spot.keyed:
            is_coin = coin is not None and kind_of(spot.spot) == coin.name
            chips[spot.spot] = [prescribed] if is_coin else _chips(spot, digits)
    return {"chips": chips, "since": {}, "stuck": [], "dark": [], "down": [], "troubles": []}


def _chips(spot: SpotState, digits: int) -> list[int | None]:
    """A known amount in as few chips as possible; an unknown one as one chip of unknown value."""
    if not spot.amount_minor:
        return [None]
    left = spot.amount_minor
    chips: list[int | None] = []
    for units in CHIPS:
        worth = units * 10**digits
        while left >= worth and len(chips) < CHIPS_MAX:
            chips.append(worth)
            left -= worth
    return [*chips, left] if left and len(chips) < CHIPS_MAX else chips
