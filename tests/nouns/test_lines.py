"""JSON lines of the local sockets: what a request may be, and what an answer may be."""

from __future__ import annotations

import pytest

from felt.nouns.lines import LINE_BYTES_MAX, LineError, read_answer, read_request, write_line


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"order":"clear_fault","order":"void"}', "is duplicated"),
        (b'{"order":"x","fields":{"claim":1,"claim":2}}', "is duplicated"),
        (b'{"amount_minor":9223372036854775808}', "a number is longer than 64 bits"),
        (b'{"amount_minor":1.5}', "1.5 is not a whole number"),
        (b'{"amount_minor":NaN}', "NaN is not a whole number"),
        (b'{"reason":"\\ud800"}', "a lone surrogate"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "longer than|nested too deeply|at most"),
        (b"[1]", "it is not an object"),
    ],
)
def test_a_request_that_two_readers_may_read_differently_is_refused(line: bytes, problem: str) -> None:
    with pytest.raises(LineError, match=problem):
        read_request(line)


def test_a_request_is_read_with_its_keys_in_any_order() -> None:
    assert read_request(b' {"id": 1, "ask": "status"} ') == {"ask": "status", "id": 1}
    assert read_request(write_line({"ask": "caf\u00e9"})) == {"ask": "caf\u00e9"}


def test_a_line_has_a_limit() -> None:
    with pytest.raises(LineError, match="at most"):
        read_request(b" " * (LINE_BYTES_MAX + 1))


def test_an_answer_may_hold_fractions() -> None:
    assert read_answer(write_line({"house_edge_percent": 2.5})) == {"house_edge_percent": 2.5}
    with pytest.raises(LineError, match="not a JSON object"):
        read_answer(b"[]")
