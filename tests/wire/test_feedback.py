from __future__ import annotations

from felt.wire.feedback import BELIEVED_AFTER, GOOD, OPEN, SHORT, LampJudge

LAMP = "3.progressive"


def looked(judge: LampJudge, times: int, *, lit: bool, flows: bool) -> str | None:
    for _ in range(times):
        judge.compare(LAMP, lit=lit, flows=flows)
    return judge.found().get(LAMP)


def test_one_wrong_look_is_no_fault_and_a_right_one_in_between_restarts_the_count() -> None:
    judge = LampJudge([LAMP])
    for _ in range(10):
        assert looked(judge, BELIEVED_AFTER - 1, lit=True, flows=False) is None
        assert looked(judge, 1, lit=True, flows=True) is None


def test_a_lit_lamp_without_current_is_open_and_a_dark_one_with_current_is_short() -> None:
    assert looked(LampJudge([LAMP]), BELIEVED_AFTER, lit=True, flows=False) == OPEN
    assert looked(LampJudge([LAMP]), BELIEVED_AFTER, lit=False, flows=True) == SHORT


def test_dark_looks_between_do_not_save_an_open_lamp() -> None:
    judge = LampJudge([LAMP])
    for _ in range(BELIEVED_AFTER):
        looked(judge, 5, lit=False, flows=False)
        looked(judge, 1, lit=True, flows=False)
    assert judge.found() == {LAMP: OPEN}


def test_right_looks_before_the_fault_do_not_help_to_clear_it() -> None:
    judge = LampJudge([LAMP])
    looked(judge, 9, lit=True, flows=True)
    assert looked(judge, 9, lit=False, flows=False) == GOOD
    assert looked(judge, BELIEVED_AFTER, lit=False, flows=True) == SHORT
    assert looked(judge, 9, lit=False, flows=False) == SHORT
    assert looked(judge, BELIEVED_AFTER - 1, lit=True, flows=True) == SHORT
    assert looked(judge, 1, lit=True, flows=True) == GOOD
