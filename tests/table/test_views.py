"""What the world may see: no card too early, exactly the keys that do something, and lamps for everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from felt.nouns.stamps import Stamp
from felt.nouns.values import fields_of, replace
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import WIN
from felt.stories.playing import play_file
from felt.table import facts, views
from felt.table.facts import Fact
from felt.table.keys import KEYS, LOCK_KEY, Key, seat_keys
from felt.table.redacted import BLANK
from felt.table.state import Phase, Round, Table
from tests.table.bench import METERS, STEPPER, WAYS, Bench, booting_table, table_at

ROUNDS = Path(__file__).parent.parent / "rounds"
AFTER_SETTLEMENT = (Phase.SETTLING, Phase.VERIFYING, Phase.PAYING, Phase.VOIDING, Phase.INTERRUPTED)
AFTER_REVEAL = (Phase.REVEALING, *AFTER_SETTLEMENT)


def _story_tables() -> Iterator[Table]:
    for path in sorted(ROUNDS.rglob("*.round")):
        yield from play_file(path).tables


def _face_up(table: Table) -> int:
    """How many of the dealer's cards the game deals face up."""
    assert table.settings is not None
    return PROCEDURES[table.settings.game].method(table.settings.dealing).dealer_face_up


def _refused(table: Table, fact: Fact) -> bool:
    after = STEPPER.after(table, fact)
    new = [notice for notice in after.panel.notices if notice.number > table.panel.noticed]
    return any(notice.kind == "refused" for notice in new)


def _press(table: Table, key: Key) -> Fact:
    at = Stamp(table.boot, 10**12, 1_800_000_100 * 10**9)
    if key is LOCK_KEY:
        return facts.NoMoreBetsPressed(at, 10**12, METERS)
    return key.pressed(at)


# --- lamps of the coin spots ---------------------------------------------------------------------------


def _without_the_rest(table: Table) -> Table:
    """The table reduced to the parts by which the lamps of its coin spots are remembered."""
    rest: dict[str, Any] = {name: None for name in fields_of(Table) if name not in ("round", *views.PARTS_SHOWN)}
    if table.round is not None:
        unknown: dict[str, Any] = {name: None for name in fields_of(Round) if name not in views.PARTS_SHOWN_OF_ROUND}
        rest["round"] = replace(table.round, **unknown)
    return replace(table, **rest)


def test_the_lamps_of_the_coin_spots_depend_only_on_what_they_are_remembered_by() -> None:
    for table in (*map(table_at, WAYS), *list(_story_tables())[::20]):
        if table.settings is not None:
            assert views.coin_lamps_anew(_without_the_rest(table)) == views.coin_lamps_anew(table)


def test_remembered_lamps_are_the_ones_that_a_fresh_computation_shows() -> None:
    for table in (*map(table_at, WAYS), *list(_story_tables())[::5]):
        if table.settings is not None and not table.service.trying:
            anew = views.coin_lamps_anew(table)
            assert {name: views.lamps(table)[name] for name in anew} == anew


# --- keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_keys_lit_are_exactly_those_that_are_not_refused(way: str) -> None:
    table = table_at(way)
    accepted = {key.name for key in KEYS if not _refused(table, _press(table, key))}
    assert set(views.keys_lit(table)) == accepted


def test_the_keys_lit_are_exactly_those_that_are_not_refused_in_every_story() -> None:
    for table in list(_story_tables())[::20]:
        accepted = {key.name for key in KEYS if not _refused(table, _press(table, key))}
        assert set(views.keys_lit(table)) == accepted, table.phase


def test_every_key_has_a_line_a_fact_and_a_letter_of_its_own() -> None:
    for part in ("name", "pressed", "letter"):
        assert len({getattr(key, part) for key in KEYS}) == len(KEYS)
    told = {name for name in facts.FACTS if name.endswith("Pressed")}
    assert {key.pressed.__name__ for key in KEYS} == told - {"SeatPressed"}


@pytest.mark.parametrize("mode", [facts.FoldModePressed, facts.PlayModePressed])
def test_each_lit_box_has_a_decision_to_make_once_a_mode_is_lit(mode: type[Fact]) -> None:
    bench = Bench().betting().chip("3.ante", "5.pair_plus").lock().do(facts.DeadlinePassed, name="drain")
    bench.cards("2c 7d 9h 3c 8d Th 4c 6d 9s Qd Jc 4s").do(mode)
    assert views.seats_lit(bench.table) == (1, 3)
    for seat in range(1, 8):
        refused = _refused(bench.table, facts.SeatPressed(bench.stamp(), seat))
        assert refused == (seat not in views.seats_lit(bench.table))
    bench.do(facts.SeatPressed, seat=1)
    assert views.seats_lit(bench.table) == (3,)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["walk_away", "return_bet", "seat_out", "link_boxes"])
@pytest.mark.parametrize("supervisor", [False, True])
def test_the_boxes_lit_in_another_mode_are_exactly_those_that_it_acts_on(way: str, mode: str, supervisor: bool) -> None:
    table = table_at(way)
    table = replace(table, panel=replace(table.panel, mode=mode, linking=0, supervisor=supervisor))
    at = Stamp(table.boot, 10**12, 1_700_000_100 * 10**9)
    accepted = tuple(seat for seat in range(1, 8) if not _refused(table, facts.SeatPressed(at, seat)))
    assert views.seats_lit(table) == accepted


# --- cards ---------------------------------------------------------------------------------------------


def test_no_hidden_card_is_ever_visible_before_the_rules_allow() -> None:
    """Over every table that a story ever shows: the dealer's cards appear after the reveal, except those that the game
    deals face up; a player's cards after the settlement; a folded hand only if it wins; and never a card other than the
    dealt one."""
    seen = 0
    for table in _story_tables():
        playing = table.round
        for hand in views.hands(table):
            assert playing is not None
            assert hand.dealt == sum(dealt.target == hand.target for dealt in playing.dealt)
            if not hand.cards:
                continue
            seen += 1
            laid_open = hand.target in [str(seat) for seat, _ in playing.open_hands]
            folded = hand.target in [str(decision.seat) for decision in playing.decisions if decision.choice == "fold"]
            if folded and not laid_open:
                assert any(str(line.seat) == hand.target and line.outcome == WIN for line in playing.lines)
            cards = tuple(dealt.card or BLANK for dealt in playing.dealt if dealt.target == hand.target)
            if hand.target == "dealer" and hand.cards == cards[: _face_up(table)]:
                continue
            assert hand.cards == cards
            if laid_open:
                continue
            claimed = [str(line.seat) for line in playing.lines if line.level]
            assert hand.target in claimed or hand.target not in map(str, playing.unshown)
            allowed = AFTER_SETTLEMENT if hand.target.isdigit() else AFTER_REVEAL
            assert table.phase in allowed
            assert playing.revealed
            assert playing.settled_at is not None or not hand.target.isdigit()
    assert seen > 100


def test_nothing_that_people_read_names_a_card_before_the_reveal() -> None:
    """The whole table reads prompts, notices and lamps. A card that came twice is named, because it is void anyway."""
    for table in _story_tables():
        playing = table.round
        if playing is None or playing.revealed:
            continue
        secret = {dealt.card for dealt in playing.dealt} - set(playing.strays)
        said = " ".join([views.prompt(table), *(notice.sentence for notice in table.panel.notices)]).split()
        if not any(question.kind == "misdeal" for question in table.irregularity.questions):
            fresh = " ".join(notice.sentence for notice in table.panel.notices[-1:]).split()
            assert not secret & set(fresh), said


def test_a_record_of_a_round_leaves_folded_hands_out() -> None:
    bench = Bench().betting().chip("2.ante").lock().do(facts.DeadlinePassed, name="drain")
    bench.cards("2c 7d 9h 3c 8d Th Qd Jc 4s")
    bench.do(facts.FoldModePressed).do(facts.SeatPressed, seat=1)
    bench.do(facts.PlayModePressed).do(facts.SeatPressed, seat=2)
    bench.do(facts.RevealPressed).do(facts.SettlePressed).do(facts.SettlePressed)
    assert bench.table.previous is not None
    record = views.record(bench.table.previous)
    shown = {line.seat: line.cards for line in record["lines"] if line.bet == "ante"}
    assert shown[1] == ()
    assert shown[2] != ()


# --- lamps, prompts, mail ------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_every_table_shows_every_lamp_and_a_prompt(way: str) -> None:
    table = table_at(way)
    assert table.settings is not None
    seats = range(1, table.settings.seats + 1)
    wanted = {f"{seat}.progressive" for seat in seats} | {*seat_keys(table.settings.seats)}
    wanted |= {key.line for key in KEYS} | {"buzzer"}
    assert set(views.lamps(table)) == wanted
    assert views.prompt(table)


def test_a_table_without_settings_shows_nothing() -> None:
    assert views.lamps(booting_table()) == {}


def test_views_change_nothing_and_always_say_the_same() -> None:
    for way in WAYS:
        table = table_at(way)
        assert (views.lamps(table), views.prompt(table), views.hands(table)) == (
            views.lamps(table), views.prompt(table), views.hands(table),
        )  # fmt: skip


def test_the_next_deadline_is_the_drain_while_locking_and_nothing_afterwards() -> None:
    deadline = views.next_deadline(table_at("LOCKING"))
    assert deadline is not None
    assert deadline.name == "drain"
    assert views.next_deadline(table_at("DEALING")) is None


def test_no_deadline_survives_its_boot() -> None:
    assert table_at("held in locking").deadlines == ()


def test_letters_wait_until_they_are_answered() -> None:
    bench = Bench().dealing()
    assert [mail.kind for mail in views.mail(bench.table)] == ["RoundLocked"]
    bench.do(facts.LetterAcked, sequence=7)
    assert len(views.mail(bench.table)) == 1
    bench.do(facts.LetterAcked, sequence=1)
    assert views.mail(bench.table) == ()


def test_only_a_claim_in_hand_is_awaited() -> None:
    assert views.awaited_claims(table_at("SETTLING")) == ("1.1",)
    assert views.awaited_claims(table_at("VERIFYING")) == ()
    assert views.awaited_claims(table_at("DEALING")) == ()


def test_a_hit_reported_after_a_denial_is_not_valued_as_the_denied_one_was() -> None:
    """Until the controller has heard of the denial, it sends the value of the claim that was denied."""
    bench = Bench().verifying().do(facts.ClaimDenied, claim="1.1", person="Sam", reason="wrong key")
    bench.do(facts.HitReported, seat=1, hand="royal_flush_spades", evidence="", person="Kim", role="dealer")
    bench.do(facts.RulingMade, question="q1", choice="claim", person="Sam", reason="")
    told = facts.ClaimValued(bench.stamp(), "1.1", 10**12, 10**6)
    assert views.awaited_claims(bench.table) == ("1.1",)
    assert not views.is_awaited_value(bench.table, told)
    denial = next(mail for mail in views.mail(bench.table) if mail.kind == "ClaimDenied")
    bench.do(facts.LetterAcked, sequence=denial.sequence)
    assert views.is_awaited_value(bench.table, told)


def test_alarms_are_the_spots_that_disagree_with_the_record() -> None:
    bench = Bench().dealing()
    bench.do(facts.ChipSeen, spot="2.progressive", edge_ns=10**12)
    bench.do(facts.ChipLifted, spot="1.progressive", edge_ns=10**12)
    assert views.alarms(bench.table) == (("1.progressive", "removed"), ("2.progressive", "late"))


@pytest.mark.parametrize("way", WAYS)
def test_the_buzzer_sounds_while_somebody_must_look(way: str) -> None:
    table = table_at(way)
    shown = views.lamps(table)
    spots = [pattern for name, pattern in shown.items() if name[0].isdigit()]
    waits = table.phase in (Phase.INTERRUPTED, Phase.VERIFYING) or "late" in spots or "removed" in spots
    if table.phase is not Phase.SETTLING:
        assert shown["buzzer"] == ("alarm" if waits else "off")


def test_the_buzzer_calls_the_supervisor_to_a_jackpot_that_nobody_can_value() -> None:
    assert views.lamps(table_at("SETTLING"))["buzzer"] == "off"
    assert views.lamps(table_at("settling with a lost link"))["buzzer"] == "alarm"


def test_a_record_names_the_dealer_and_the_players_who_left() -> None:
    bench = Bench().do(facts.DealerSignedIn, name="Kim", person="Kim").deciding().other(1)
    bench.do(facts.SeatPressed, seat=1).do(facts.RevealPressed).do(facts.SettlePressed).do(facts.SettlePressed)
    assert bench.table.previous is not None
    record = views.record(bench.table.previous)
    assert (record["dealer"], record["left"], record["returned"]) == ("Kim", [1], [])
