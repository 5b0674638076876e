"""The table file names the model of its shuffler. A maker's own model is a package and nothing else."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from felt.config import ConfigError, load
from felt.loop.boot import BootRefused
from felt.nouns.cards import DECK
from felt.stories.evening import Evening
from felt.table.state import Phase
from felt.virtual.shuffler import Misbehaviour, ShoeDevice, ShufflerDevice

ACME = '''
"""The whole of a maker's adapter: a card is its two letters and a full stop."""
from felt.nouns.cards import Card
from felt.wire.adapters.adapter import CardLeft, CardsLeft, Greeted, DeckTold

class Acme:
    numbers, silent_after_ms, ask_every_ms = 1, 0, 0

    def __init__(self):
        self.partial = ""

    def receive(self, received):
        *whole, self.partial = (self.partial + received.decode("latin-1")).split(".")
        return [self.told(word) for word in whole]

    def told(self, word):
        if word == "hello":
            return Greeted(None, "Acme")
        return DeckTold(52, True) if word == "ready" else CardsLeft(None, (CardLeft(Card(word)),))

    def question(self, *, greeted):
        return b"?"

    def dispense(self, origin, order, sets, cards_each):
        return b""
'''


class AcmeDevice:
    """The least that a virtual line needs at its other end."""

    def __init__(self) -> None:
        self.waiting = b"hello.ready."

    def receive(self, received: bytes) -> None: ...

    def tick(self, now_ns: int) -> bytes:
        said, self.waiting = self.waiting, b""
        return said

    def next_due_ns(self) -> int:
        return 0 if self.waiting else 1 << 62

    def dispense(self, sets: int, cards_each: int) -> None:
        self.waiting += b"".join(card.encode() + b"." for card in DECK[: sets * cards_each])


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package as pip leaves it: the module, and beside it what it registers."""
    (tmp_path / "acme_shoe.py").write_text(ACME)
    about = tmp_path / "acme_shoe-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-shoe\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[felt.shufflers]\nacme = acme_shoe:Acme\nbroken = acme_shoe:Nothing\nfelt-1 = acme_shoe:Acme\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    sys.modules.pop("acme_shoe", None)


def dealt_round(evening: Evening) -> Evening:
    evening.place_antes(1, 2)
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    evening.deal()
    evening.until(lambda: evening.phase is Phase.DECIDING)
    return evening


def cards_of(evening: Evening) -> tuple[Any, ...]:
    assert evening.table.round is not None
    return tuple(dealt.card for dealt in evening.table.round.dealt)


def test_a_makers_own_adapter_needs_only_a_package(acme: Path) -> None:
    device = cast(ShufflerDevice, AcmeDevice())
    evening = dealt_round(Evening(overrides=["shuffler.model=acme", "shuffler.url=/dev/acme"], device=device))
    assert cards_of(evening) == DECK[:9]
    assert evening.table.shuffler.identity == "Acme"
    assert evening.table.service.faults == ()


def test_a_package_that_cannot_be_loaded_is_one_sentence(acme: Path) -> None:
    with pytest.raises(BootRefused, match="'broken' cannot be loaded"):
        Evening(overrides=["shuffler.model=broken", "shuffler.url=/dev/acme"])


def test_a_package_cannot_replace_a_model_of_the_house(acme: Path) -> None:
    evening = Evening(overrides=["shuffler.model=felt-1"], decks=[DECK])
    evening.until(lambda: evening.table.shuffler.identity == "Felt virtual shuffler")


def test_a_model_without_an_emulator_needs_a_device(acme: Path) -> None:
    with pytest.raises(ConfigError, match=r"shuffler.url: there is no emulator of the model acme"):
        load(None, ["shuffler.model=acme"])


def test_an_unknown_model_is_refused_with_the_known_ones_named(acme: Path) -> None:
    with pytest.raises(ConfigError, match=r"'shufflemaster' is not an installed .* acme, broken, felt-1, simple-shoe"):
        load(None, ["shuffler.model=shufflemaster"])


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        (["shuffler.model=simple-shoe", "shuffler.deal_ordered_by=table"], "the model simple-shoe takes no orders"),
        (["game.dealing=one_by_one", "shuffler.deal_ordered_by=table"], "one_by_one does not deal in sets of three"),
        (["shuffler.deal_ordered_by=nobody"], "deal_ordered_by"),
        (["shuffler.model=../x"], "as in felt-1"),
    ],
)
def test_orders_that_cannot_be_given_are_refused_when_the_file_is_read(overrides: list[str], sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(None, overrides)
    assert sentence in str(refused.value)


def test_a_round_is_dealt_from_a_simple_shoe() -> None:
    device = ShoeDevice(random.Random(1), [DECK])
    evening = Evening(overrides=["shuffler.model=simple-shoe"], device=cast(ShufflerDevice, device))
    dealt_round(evening)
    assert cards_of(evening) == DECK[:9]
    assert evening.table.shuffler.identity == "SHOE 1"
    assert evening.table.service.faults == ()


def test_a_silent_simple_shoe_is_noticed_because_it_is_asked() -> None:
    device = ShoeDevice(random.Random(1), [DECK])
    evening = Evening(overrides=["shuffler.model=simple-shoe"], device=cast(ShufflerDevice, device))
    evening.advance(20_000)
    assert evening.table.shuffler.connected
    device.misbehave(Misbehaviour.SILENCE)
    evening.advance(9_000)
    assert not evening.table.shuffler.connected
    device.mend()
    evening.advance(3_000)
    assert evening.table.shuffler.connected
