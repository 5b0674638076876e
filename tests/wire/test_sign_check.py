"""The sign against what the controller tells one table."""

from __future__ import annotations

from felt.wire.sign_check import DIFFERS_MS, SignCheck


def test_a_sign_that_agrees_or_runs_ahead_of_the_answers_is_no_problem() -> None:
    check = SignCheck()
    for second in range(60):
        check.answered({"major": second * 100}, 1_000 * second)
        check.shown({"major": second * 100 + 50})
    assert check.problem == ""


def test_a_false_sign_is_reported_after_the_stated_time_and_no_sooner() -> None:
    check = SignCheck()
    check.shown({"major": 9_000})
    told_at = None
    for second in range(30):
        check.answered({"major": 100 + second}, 1_000 * second)
        if check.problem and told_at is None:
            told_at = second
    assert told_at == DIFFERS_MS // 1_000 + 1, "the first sign is compared when the second answer comes"
    assert "9000 on the sign" in check.problem


def test_false_signs_between_true_ones_are_reported_too() -> None:
    """The controller's own signs go on, but the false one is always the last."""
    check = SignCheck()
    for second in range(30):
        check.shown({"major": 100 + second})
        check.shown({"major": 0 if second % 2 else 10**9})
        check.answered({"major": 100 + second}, 1_000 * second)
    assert check.problem


def test_a_hit_between_two_answers_is_no_problem() -> None:
    check = SignCheck()
    for second in range(60):
        check.answered({"major": 1_000 if second < 20 else 100}, 1_000 * second)
        check.shown({"major": 1_050 if second == 19 else 1_000 if second < 20 else 100})
    assert check.problem == ""


def test_a_problem_ends_when_sign_and_answers_agree_again() -> None:
    check = SignCheck()
    check.shown({"major": 9_000})
    for second in range(20):
        check.answered({"major": 100}, 1_000 * second)
    assert check.problem
    check.shown({"major": 100})
    for second in range(20, 23):
        check.answered({"major": 100}, 1_000 * second)
    assert check.problem == ""


def test_meters_that_only_one_side_names_are_not_compared() -> None:
    check = SignCheck()
    check.shown({"west": 5})
    for second in range(30):
        check.answered({"major": 100}, 1_000 * second)
    assert check.problem == ""
