"""Each adapter against a recorded line: bytes with their times, and beside them the events that they mean."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.config.shufflers import GROUP, models
from felt.wire.adapters.adapter import (
    Adapter,
    Alive,
    CardLeft,
    CardsLeft,
    CountLost,
    DeckTold,
    Greeted,
    NotUnderstood,
    Unsupported,
)
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.adapters.simple_shoe import SimpleShoe, encode_line
from felt.wire.shuffler import (
    ORDINAL_UNKNOWN,
    OneCard,
    encode_ack,
    encode_card,
    encode_frame,
    encode_hello,
    encode_packet,
    encode_welcome,
)

ROOT = Path(__file__).resolve().parents[2]
TRACES = Path(__file__).with_name("traces")
HOUSE: dict[str, type[Adapter]] = {"felt-1": Felt1, "simple-shoe": SimpleShoe}


def recorded(model: str) -> Iterator[tuple[str, bytes]]:
    for line in (TRACES / f"{model}.trace").read_text().splitlines():
        if not line.startswith("#"):
            ms, _, octets = line.partition(" ")
            yield ms, bytes.fromhex(octets)


def expected(model: str) -> list[str]:
    return (TRACES / f"{model}.events").read_text().splitlines()


@pytest.mark.parametrize("model", HOUSE)
def test_a_recorded_line_means_the_events_beside_it(model: str) -> None:
    adapter: Adapter = HOUSE[model]()
    heard = [f"{ms} {event!r}" for ms, content in recorded(model) for event in adapter.receive(content)]
    assert heard == expected(model)


@pytest.mark.parametrize("model", HOUSE)
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
def test_it_means_the_same_in_pieces_of_any_size(model: str, size: int) -> None:
    adapter: Adapter = HOUSE[model]()
    line = b"".join(content for _, content in recorded(model))
    pieces = [line[place : place + size] for place in range(0, len(line), size)]
    heard = [repr(event) for piece in pieces for event in adapter.receive(piece)]
    assert heard == [event.partition(" ")[2] for event in expected(model)]


def test_the_models_of_the_house_are_registered_like_those_of_others() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == {name: models()[name] for name in HOUSE}
    for name, adapter in HOUSE.items():
        assert models()[name] == f"{adapter.__module__}:{adapter.__name__}"


# --- felt-1 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("versions", "agreed"), [((1, 1), 1), ((1, 9), 1), ((0, 1), 1)])
def test_a_device_that_also_speaks_our_version_is_welcomed_in_it(versions: tuple[int, int], agreed: int) -> None:
    (greeted,) = Felt1().receive(encode_hello(3, 77, "new", versions))
    assert greeted == Greeted(77, "new", agreed, encode_welcome(3, agreed))


def test_a_device_that_speaks_only_other_versions_is_not_answered() -> None:
    (refused,) = Felt1().receive(encode_hello(3, 77, "newest", (2, 3)))
    assert refused == Unsupported("it speaks versions 2 to 3; this table speaks 1 to 1")


def test_an_unknown_kind_is_kept_and_passed_over_and_a_malformed_known_one_is_not() -> None:
    unknown, broken = Felt1().receive(encode_frame(0x33, 9, b"?") + encode_frame(0x02, 10, b"?"))
    assert isinstance(unknown, NotUnderstood)
    assert (unknown.damaged, unknown.answer) == (False, encode_ack(9))
    assert isinstance(broken, NotUnderstood)
    assert (broken.damaged, broken.answer) == (True, b"")


def test_every_card_comes_with_its_ordinal() -> None:
    first_card, two = OneCard(None), OneCard(None)
    adapter = Felt1()
    first, _, second = adapter.receive(encode_packet(4, 1, [first_card, two], 10) + encode_card(6, 5, two, 20))
    assert first == CardsLeft(4, (CardLeft(None, 10),) * 2, False, encode_ack(4), 1)
    assert second == CardsLeft(6, (CardLeft(None, 20),), False, encode_ack(6), 5)


def test_a_device_that_does_not_know_its_ordinal_has_lost_count_with_every_card() -> None:
    adapter = Felt1()
    first = encode_card(4, ORDINAL_UNKNOWN, OneCard(None), 10)
    lost, cards = adapter.receive(first)
    assert isinstance(lost, CountLost)
    assert cards == CardsLeft(4, (CardLeft(None, 10),), False, encode_ack(4), None)
    assert [type(event) for event in adapter.receive(first)] == [CardsLeft]  # the same message again
    assert [type(event) for event in adapter.receive(encode_card(5, 0, OneCard(None)))] == [CountLost, CardsLeft]


# --- the simple shoe -------------------------------------------------------------------------------------


def test_a_line_lost_at_the_shoe_shows_in_its_count_even_when_the_count_wraps() -> None:
    shoe = SimpleShoe()
    shoe.receive(encode_line("S98010"))
    missing, card = shoe.receive(encode_line("C01As"))
    assert isinstance(missing, CardsLeft)
    assert isinstance(card, CardsLeft)
    assert [(left.card, left.missing) for left in (*missing.cards, *card.cards)] == [
        (None, True), (None, True), ("As", False),
    ]  # fmt: skip


def test_a_count_that_jumps_by_more_than_a_deck_is_not_believed() -> None:
    shoe = SimpleShoe()
    shoe.receive(encode_line("S10052"))
    lost, told = shoe.receive(encode_line("S08044"))
    assert isinstance(lost, CountLost)
    assert told == DeckTold(44, shuffled=False)


@pytest.mark.parametrize("before", ["", "ISHOE", "S--052"])
def test_a_card_whose_number_cannot_be_compared_has_lost_count(before: str) -> None:
    shoe = SimpleShoe()
    shoe.receive(encode_line(before) if before else b"")
    assert [type(event) for event in shoe.receive(encode_line("C05As"))] == [CountLost, CardsLeft]
    assert [type(event) for event in shoe.receive(encode_line("C06Ks"))] == [CardsLeft]
    assert [type(event) for event in shoe.receive(encode_line("C--Qs"))] == [CountLost, CardsLeft]


@pytest.mark.parametrize("before", ["", "ISHOE", "S--052"])
def test_a_count_that_returns_does_not_say_that_nothing_was_drawn_before(before: str) -> None:
    shoe = SimpleShoe()
    shoe.receive(encode_line(before) if before else b"")
    assert [type(event) for event in shoe.receive(encode_line("S05047"))] == [CountLost, DeckTold]
    assert [type(event) for event in shoe.receive(encode_line("S05047"))] == [DeckTold]
    assert [type(event) for event in shoe.receive(encode_line("C06Ks"))] == [CardsLeft]


def test_the_same_line_twice_is_one_card() -> None:
    shoe = SimpleShoe()
    shoe.receive(encode_line("S04048"))
    assert [type(event) for event in shoe.receive(encode_line("C05As") * 2)] == [CardsLeft, Alive]


def test_a_line_without_an_end_is_kept_once_and_the_one_after_it_is_read() -> None:
    shoe = SimpleShoe()
    heard = [event for _ in range(30) for event in shoe.receive(b"x" * 20)]
    assert [type(event) for event in heard] == [NotUnderstood]
    assert shoe.receive(b"\n" + encode_line("S00052R"))[-1] == DeckTold(52, shuffled=True)
    assert shoe.receive(b"\r\n\n" + encode_line("S00051").replace(b"\n", b"\r\n")) == [DeckTold(51, shuffled=False)]
