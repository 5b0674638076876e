"""`felt settle` as a test laboratory drives it: examples, linked tables, and everything a line can say wrongly."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.cards import DECK
from felt.nouns.faults import CATALOGUE, Weight
from felt.rules import shelf
from felt.settling.stream import settle_stream

EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "rules" / "settle_examples.jsonl").read_text(encoding="utf-8").splitlines()
]


def settle(*lines: bytes | dict[str, Any], jobs: int = 1) -> tuple[list[dict[str, Any]], int]:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    sink = io.BytesIO()
    status = settle_stream(io.BytesIO(b"".join(line + b"\n" for line in raw)), sink, jobs)
    return [json.loads(line) for line in sink.getvalue().splitlines()], status


def request(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": "r",
        "game": "progressive-3-card-poker",
        "dealer": ["Js", "Ts", "2d"],
        "boxes": [
            {
                "box": 1,
                "player": "A",
                "cards": ["As", "Ks", "Qs"],
                "decision": "play",
                "bets": {"ante": 5000, "play": 5000, "progressive": 500},
            }
        ],
        "table": {"progressive": {"stake": 500, "reset": {"major": 5_000_000}}},
        "meters": {"major": 20_000_000},
    }
    return {name: value for name, value in {**base, **changes}.items() if value is not ...}


def with_box(**changes: Any) -> dict[str, Any]:
    box = {**request()["boxes"][0], **changes}
    return request(boxes=[{name: value for name, value in box.items() if value is not ...}])


def disagreements(wanted: Any, given_: Any, path: str = "") -> Iterator[str]:
    """Every place where an answer does not say what is wanted; more than is wanted may be there."""
    if isinstance(wanted, dict):
        for name, value in wanted.items():
            yield from disagreements(value, given_.get(name), f"{path}.{name}")
    elif isinstance(wanted, list):
        if len(wanted) != len(given_ or []):
            yield f"{path}: {len(wanted)} wanted, {given_}"
            return
        for place, (part, other) in enumerate(zip(wanted, given_, strict=True)):
            yield from disagreements(part, other, f"{path}[{place}]")
    elif wanted != given_:
        yield f"{path}: {wanted!r} wanted, {given_!r} given"


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["request"]["id"] for example in EXAMPLES])
def test_every_worked_example_agrees(example: dict[str, Any]) -> None:
    (answer,), status = settle(example["request"])
    assert status == 0
    assert list(disagreements(example["answer"], answer)) == []


def test_an_answer_names_its_rulebook_its_reasons_and_the_net() -> None:
    (answer,), _ = settle(request())
    assert answer["rulebook"] == "progressive-3-card-poker 5"
    assert answer["dealer_qualifies"] is False
    (box,) = answer["boxes"]
    assert box["net"] == sum(line["paid"] - line["lost"] for line in box["lines"])
    assert all(line["rule"] and line["because"] for line in box["lines"])
    assert box["lines"][-1]["cards"] == ["As", "Ks", "Qs", "Js", "Ts"]


def test_a_bad_line_gets_its_error_in_its_place_and_the_others_are_settled() -> None:
    answers, status = settle(request(id=1), b"{", request(id=3))
    assert [("error" in answer, answer["id"]) for answer in answers] == [(False, 1), (True, None), (False, 3)]
    assert status == 1


REFUSED: list[tuple[str, bytes | dict[str, Any], str]] = [
    ("an empty line", b"", "F-601"),
    ("no JSON", b"hello", "F-601"),
    ("two objects", b"{}{}", "F-601"),
    ("NaN", json.dumps(with_box(dealt_at=float("nan"))).encode(), "F-601"),
    ("no UTF-8", b'{"id": "\xff"}', "F-601"),
    ("no UTF-8 inside the table", b'{"game": "stax-three-card", "table": {"\xff": 1}}', "F-601"),
    ("a key twice", b'{"id": 1, "id": "\\u003a", "game": "stax-three-card", "dealer": [], "boxes": []}', "F-601"),
    ("a key twice", b'{"id": 1, "id": 2, "game": "stax-three-card", "dealer": [], "boxes": []}', "F-601"),
    (
        "a bet twice",
        json.dumps(request()).replace('"ante": 5000', '"ante": 5000, "ante": 1').encode(),
        "F-601",
    ),
    ("a term twice", json.dumps(request()).replace('"stake": 500', '"stake": 500, "stake": 1').encode(), "F-601"),
    ("deep nesting", b"[" * 100_000 + b"]" * 100_000, "F-60"),
    ("a deep id", b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "F-601"),
    ("a line without end", b'{"id": "' + b"x" * 1_100_000 + b'"}', "F-601"),
    ("an array", b"[1, 2]", "F-602"),
    ("a list as id", request(id=[1]), "F-602"),
    ("no game", request(game=...), "F-602"),
    ("no boxes", request(boxes=...), "F-602"),
    ("an unknown key", request(colour="red"), "F-602"),
    ("an unknown key in a box", with_box(hat="red"), "F-602"),
    ("an unknown key in the table", request(table={"limit": {}}), "F-602"),
    ("an unknown key in a limit", request(table={"limits": {"ante": {"mean": 1}}}), "F-602"),
    ("a negative bet", with_box(bets={"ante": -1}), "F-602"),
    ("a bet as text", with_box(bets={"ante": "5000"}), "F-602"),
    ("a bet with a part of a cent", with_box(bets={"ante": 50.5}), "F-602"),
    ("true as a bet", with_box(bets={"ante": True}), "F-602"),
    ("nothing as a bet", with_box(bets={"ante": None}), "F-602"),
    ("a huge bet", with_box(bets={"ante": 10**16}), "F-602"),
    ("a bet of a thousand digits", json.dumps(request()).replace("5000", "9" * 1000).encode(), "F-602"),
    ("one as void", request(void=1), "F-602"),
    (
        "a box twice",
        request(boxes=[*request()["boxes"], {**request()["boxes"][0], "cards": ["2h", "3h", "4h"]}]),
        "F-602",
    ),
    ("a box without player", with_box(player=...), "F-602"),
    ("bettors in a game of one player a box", with_box(bettors=[]), "F-602"),
    ("player in a game with bettors", request(game="lucky-three-pictures", meters=..., table=...), "F-602"),
    ("community cards where there are none", request(community=["3c", "4c"]), "F-602"),
    ("a reset beside a single table", request(reset={"major": 1}), "F-602"),
    ("a reading that is no text", request(readings={"pj_stake_on_win": 1}), "F-602"),
    ("an unknown game", request(game="baccarat"), "F-603"),
    ("established as a text", with_box(established="no"), "F-602"),
    ("established as a number", with_box(established=0), "F-602"),
    ("established as nothing", with_box(established=None), "F-602"),
    ("no such card", request(dealer=["Js", "Ts", "1d"]), "F-604"),
    ("a card in small letters", request(dealer=["js", "Ts", "2d"]), "F-604"),
    ("a card twice", request(dealer=["As", "Ts", "2d"]), "F-604"),
    ("two cards for the dealer", request(dealer=["Js", "Ts"]), "F-604"),
    ("no cards for the dealer", request(dealer=...), "F-604"),
    ("four cards in a box", with_box(cards=["As", "Ks", "Qs", "9s"]), "F-604"),
    ("no cards in a box", with_box(cards=...), "F-604"),
    ("no community cards", request(game="multi-link-3-card-poker"), "F-604"),
    ("an unknown bet", with_box(bets={"ante": 1, "insurance": 5}), "F-605"),
    ("a bet of another game", with_box(bets={"ante": 1, "player_bonus": 5}), "F-605"),
    ("an unknown decision", with_box(decision="raise"), "F-605"),
    ("an Ante without a decision", with_box(decision=...), "F-605"),
    ("an unknown reading", request(readings={"moon": "full"}), "F-606"),
    ("a reading of another game", request(readings={"stax_hand": "player_three"}), "F-606"),
    ("an unknown value of a reading", request(readings={"pj_stake_on_win": "burnt"}), "F-606"),
    ("a limit for no bet", request(table={"limits": {"insurance": {"max": 1}}}), "F-607"),
    ("a maximum below the minimum", request(table={"limits": {"ante": {"min": 2, "max": 1}}}), "F-607"),
    ("a meter of another game under reset", request(table={"progressive": {"reset": {"star": 1}}}), "F-607"),
    ("no reset value where one is needed", request(table={}), "F-607"),
    ("a reserve above its rate", request(table={"progressive": {"reserve_bp": {"major": 1}}}), "F-607"),
    ("envy where the book prints it", request(table={"progressive": {"envy": 1}}), "F-607"),
    ("a pay table where the book prints it", request(table={"pay_tables": {"pair_plus": "A"}}), "F-607"),
    ("a meter of another game", request(meters={"star": 1}), "F-608"),
    ("a meter divided by nothing", request(meters={"major": "1/0"}), "F-608"),
    ("a meter in words", request(meters={"major": "plenty"}), "F-608"),
]


@pytest.mark.parametrize(
    ("line", "code"), [(line, code) for _, line, code in REFUSED], ids=[name for name, _, _ in REFUSED]
)
def test_what_is_wrong_is_refused_with_its_code_and_a_sentence(line: bytes | dict[str, Any], code: str) -> None:
    (answer,), status = settle(line)
    assert answer["error"]["code"].startswith(code), answer
    assert CATALOGUE[answer["error"]["code"]].weight is Weight.INPUT
    assert answer["error"]["message"]
    assert "\n" not in answer["error"]["message"]
    assert status == 1


def test_a_refused_line_keeps_its_id() -> None:
    (answer,), _ = settle(request(id="round 7", game="baccarat"))
    assert answer["id"] == "round 7"


def test_a_colon_written_as_an_escape_is_no_repeated_key() -> None:
    line = json.dumps(request(id="a-b")).replace("a-b", "a\\u003ab").encode()
    (answer,), status = settle(line)
    assert (answer["id"], status) == ("a:b", 0)


def test_void_and_invalidated_hands_may_have_any_number_of_cards_and_no_decision() -> None:
    void, status = settle(request(void=True, dealer=["Js"], boxes=[{**request()["boxes"][0], "cards": []}]))
    assert status == 0
    assert {line["outcome"] for line in void[0]["boxes"][0]["lines"]} == {"returned"}
    (invalid,), status = settle(with_box(invalidated=True, cards=["As"], decision=...))
    assert status == 0
    assert invalid["boxes"][0]["net"] == 0
    assert invalid["meters_after"] == {"major": 20_000_000}


def test_a_meter_may_hold_a_fraction_and_is_told_as_one() -> None:
    red = with_box(cards=["Ah", "Kh", "Qh"])
    red["dealer"] = ["Jh", "Th", "2d"]
    (answer,), _ = settle({**red, "meters": {"major": "160025/2"}})
    assert answer["boxes"][0]["lines"][-1]["paid"] == 20_003
    assert answer["meters_after"] == {"major": "120019/2"}


def test_both_royals_of_california_are_told_in_one_line() -> None:
    line = with_box(cards=["Ah", "Kh", "Qh"], bets={"ante": 5000, "play": 5000, "progressive": 100})
    line |= {"game": "california-three-card-poker", "dealer": ["Jh", "Th", "2d"], "readings": {"both_royals": "both"}}
    (answer,), _ = settle(line)
    assert [line["paid"] for line in answer["boxes"][0]["lines"] if line["bet"] == "progressive"] == [20_250_000]


def test_the_stax_reserves_are_told_beside_the_meters() -> None:
    line = {
        "id": 1,
        "game": "stax-three-card",
        "dealer": ["9s", "9h", "2c"],
        "boxes": [{"box": 1, "player": "A", "cards": ["Jd", "Kd", "Qd"], "bets": {"progressive": 500}}],
        "table": {"progressive": {"rate_bp": {"heart": 700}, "reserve_bp": {"heart": 200}}},
        "meters": {"heart": 60_000},
        "reserves": {"heart": 100},
    }
    (answer,), _ = settle(line)
    assert answer["boxes"][0]["lines"][0]["paid"] == 60_025
    assert (answer["meters_after"], answer["reserves_after"]) == ({"heart": 40_000}, {"heart": 110})


def linked(times: tuple[Any, Any, Any], **more: Any) -> dict[str, Any]:
    """A straight flush and a royal on one table, a straight flush on another."""

    def box(number: int, cards: str, time: Any) -> dict[str, Any]:
        bets = {"ante": 5000, "play": 5000, "progressive": 500}
        made = {"box": number, "player": f"P{number}", "cards": cards.split(), "decision": "play", "bets": bets}
        return made if time is None else {**made, "dealt_at": time}

    first, second, third = times
    return {
        "id": "linked",
        "game": "multi-link-3-card-poker",
        "tables": [
            {
                "dealer": ["7d", "5h", "2c"],
                "community": ["Ts", "Js"],
                "boxes": [box(1, "7s 8s 9s", first), box(2, "As Ks Qs", second)],
            },
            {"dealer": ["7d", "5h", "2c"], "community": ["Th", "Jh"], "boxes": [box(1, "7h 8h 9h", third)]},
        ],
        "meters": {"major": 50_000_000},
        "reset": {"major": 10_000_000},
        **more,
    }


def jackpots(answer: dict[str, Any]) -> list[int]:
    return [
        line["paid"]
        for table in answer["tables"]
        for box in table["boxes"]
        for line in box["lines"]
        if line["bet"] == "progressive"
    ]


def test_4_7_2_linked_majors_are_paid_by_the_time_each_hand_was_dealt() -> None:
    (answer,), status = settle(linked((1, 3, 2.5)))
    assert status == 0
    assert jackpots(answer) == [5_000_000, 40_500_000, 4_500_000]
    assert answer["meters_after"] == {"major": 10_000_000}
    (answer,), _ = settle(linked((2, 3, 1)))
    assert jackpots(answer) == [4_500_000, 40_500_000, 5_000_000]
    (answer,), _ = settle(linked((1, 2, 3)))
    assert jackpots(answer) == [5_000_000, 45_000_000, 1_000_000]


def test_linked_majors_can_be_read_table_by_table() -> None:
    (answer,), _ = settle(linked((1, 3, 2), readings={"majors_across_tables": "tables_together"}))
    assert jackpots(answer) == [5_000_000, 45_000_000, 1_000_000]


def test_linked_tables_all_raise_the_meter_before_it_pays() -> None:
    terms = {"progressive": {"stake": 500, "rate_bp": {"major": 2000}}}
    (answer,), _ = settle(linked((1, 3, 2), table=terms))
    assert jackpots(answer)[0] == 5_000_030


def test_a_linked_major_without_its_time_is_refused() -> None:
    (answer,), status = settle(linked((1, None, 2)))
    assert (answer["error"]["code"], status) == ("F-602", 1)


def test_linked_tables_must_play_one_game_and_share_their_meters() -> None:
    other = linked((1, 2, 3))
    other["tables"][0]["game"] = "stax-three-card"
    own_meters = linked((1, 2, 3))
    own_meters["tables"][0]["meters"] = {"major": 1}
    pictures = {"id": 1, "game": "lucky-three-pictures", "tables": []}
    empty = linked((1, 2, 3), tables=[])
    answers, _ = settle(other, own_meters, pictures, empty)
    assert [answer["error"]["code"] for answer in answers] == ["F-602", "F-608", "F-602", "F-602"]


def test_ten_thousand_malformed_lines_give_ten_thousand_errors() -> None:
    chance = random.Random(10)
    good = json.dumps(request()).encode()
    lines: list[bytes] = []
    while len(lines) < 10_000:
        cut = chance.randrange(1, len(good) - 1)
        kind = len(lines) % 4
        if kind == 0:
            lines.append(good[:cut])
        elif kind == 1:
            lines.append(bytes(chance.choices(range(11, 256), k=30)))
        elif kind == 2:
            lines.append(good[:cut] + b"\x00" + good[cut:])
        else:
            lines.append(json.dumps(with_box(bets={chance.choice(["ante", "x"]): -chance.randrange(1, 99)})).encode())
    answers, status = settle(*lines)
    assert len(answers) == 10_000
    assert all("error" in answer for answer in answers)
    assert status == 1


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(DECK),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*path, number))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_a_request_with_anything_anywhere_gets_an_answer_or_a_refusal(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([*(example["request"] for example in EXAMPLES), linked((1, 2, 3))]))
    broken = replaced(whole, data.draw(st.sampled_from(list(places(whole)))), data.draw(JSON_VALUES))
    answers, _ = settle(json.dumps(broken).encode())
    assert len(answers) == 1
    error = answers[0].get("error")
    assert error is None or error["code"] not in ("F-699",), error


def test_several_jobs_answer_in_the_same_order() -> None:
    lines = [request(id=number) if number % 7 else b"{" for number in range(2_000)]
    alone, together = settle(*lines), settle(*lines, jobs=2)
    assert alone == together
    assert [answer["id"] for answer in together[0] if "error" not in answer] == [n for n in range(2_000) if n % 7]


class Endless(io.RawIOBase):
    """A source that makes its lines as they are read."""

    def __init__(self, line: bytes, count: int) -> None:
        self.line = line
        self.left = count

    def read1(self, _: int) -> bytes:
        some = min(self.left, 50)
        self.left -= some
        return self.line * some


class Counting(io.RawIOBase):
    lines = 0

    def write(self, answer: Any) -> int:
        self.lines += answer.count(b"\n")
        return len(answer)


@pytest.mark.parametrize("piece", [json.dumps(request()).encode() + b"\n", b"x" * 2_000])
def test_memory_stays_the_same_however_long_the_input(piece: bytes) -> None:
    tracemalloc.start()
    sink = Counting()
    settle_stream(Endless(piece, 500), sink)  # type: ignore[arg-type]
    tracemalloc.reset_peak()
    begun, _ = tracemalloc.get_traced_memory()
    settle_stream(Endless(piece, 6_000), sink)  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sink.lines in (6_500, 2)
    assert peak - begun < 6_000_000


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_reading_and_value_is_accepted_by_its_name(game: str) -> None:
    book = shelf.rulebook(game)
    lines = [
        {"id": f"{reading.name}={value}", "game": game, "void": True, "boxes": [], "readings": {reading.name: value}}
        for reading in book.readings
        for value in reading.values
    ]
    answers, status = settle(*lines)
    assert status == 0, [answer for answer in answers if "error" in answer]


@pytest.mark.parametrize("name", ["x" * 10_000, "a\nb\r\n c", "\u2028"])
def test_a_refusal_stays_one_short_sentence_whatever_the_request_calls_things(name: str) -> None:
    answers, _ = settle(
        request(game=name), {**request(), name: 1}, with_box(bets={name: 1}), request(readings={name: "x"})
    )
    for answer in answers:
        assert len(answer["error"]["message"]) <= 400
        assert not set("\n\r") & set(answer["error"]["message"])
