"""A mistake with the cards is found at the card where it happens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from felt.letters.from_table import Claim, RoundResultLetter
from felt.nouns.cards import DECK, Card
from felt.nouns.values import replace
from felt.rules.mishaps import Mishap
from felt.rules.procedure import PROCEDURES
from felt.table import deal, facts, inventory
from felt.table.handover import hand_over, taken_over
from felt.table.state import Finding, Round, Table
from felt.wire.jackpot import read_letter
from tests.table.bench import NOTHING, WAYS, Bench, samples, table_at


def _playing(bench: Bench) -> Round:
    assert bench.table.round is not None
    return bench.table.round


def _posted_claim(bench: Bench) -> Claim:
    result = next(mail for mail in bench.table.post.unanswered if mail.kind == "RoundResult")
    letter = read_letter(result.kind, result.body)
    assert isinstance(letter, RoundResultLetter)
    return letter.claims[0]


def _card(bench: Bench, card: str, **marks: Any) -> Bench:
    sequence = bench.table.shuffler.sequence + 1
    return bench.do(
        facts.CardDealt, card=Card(card), arrived_ns=bench.stamp().mono_ns, sequence=sequence, **marks
    )


def _report(bench: Bench, cards: int, **states: Any) -> Bench:
    fields = {"shuffled": True, "sets": 0, "face_up_next": False, "jammed": False, "door_open": False, **states}
    return bench.do(facts.DeckReported, cards=cards, **fields)


def _found(bench: Bench) -> list[tuple[Mishap, str]]:
    return [(finding.mishap, finding.where) for finding in _playing(bench).findings]


# --- cards ---------------------------------------------------------------------------------------------


def test_a_card_that_fits_finds_nothing() -> None:
    assert _found(Bench().deciding()) == []


def test_a_card_while_bets_are_open_is_found_but_locks_nothing() -> None:
    bench = _card(Bench().betting(), "As")
    assert _found(bench) == [(Mishap.CARD_BEFORE_LOCK, "")]
    assert _playing(bench).lock_ns is None
    assert _playing(bench).strays == ("As",)


def test_a_card_that_comes_twice_lies_in_its_place_without_a_face() -> None:
    bench = _card(Bench().dealing().cards("2c 7d"), "2c")
    assert _found(bench) == [(Mishap.DUPLICATE_CARD, "1")]
    assert _playing(bench).findings[0].cards == ("2c",)
    assert [(card.card, card.target) for card in _playing(bench).dealt] == [("2c", "1"), ("7d", "1"), ("", "1")]
    assert [(card.card, card.target) for card in _playing(_card(bench, "9h")).dealt][3:] == [("9h", "dealer")]


def test_a_card_of_no_deck_is_foreign() -> None:
    bench = _card(Bench().dealing(), "Zz")
    assert _found(bench) == [(Mishap.FOREIGN_CARD, "1")]
    assert [card.card for card in _playing(bench).dealt] == [""]


def test_a_card_that_was_struck_out_is_foreign_when_it_comes() -> None:
    bench = Bench().dealing()
    bench.do(facts.CardStruck, card=Card("As"), person="Sam", role="supervisor", reason="it is bent")
    assert _found(_card(bench, "As")) == [(Mishap.FOREIGN_CARD, "1")]


def test_a_card_after_the_deal_is_one_too_many() -> None:
    bench = _card(Bench().deciding(), "5h")
    assert _found(bench) == [(Mishap.EXCESS_CARD, "dealer")]


def test_two_cards_at_once_keep_their_places_and_are_found_with_both() -> None:
    bench = _card(Bench().dealing().cards("2c"), "7d", together=True)
    assert _found(bench) == [(Mishap.SIMULTANEOUS_CARDS, "1")]
    assert _playing(bench).findings[0].cards == ("2c", "7d")
    assert [card.card for card in _playing(bench).dealt] == ["2c", "7d"]


def test_a_face_up_card_is_the_next_card_and_holds_nothing() -> None:
    bench = _card(Bench().dealing(), "2c", face_up=True)
    assert _found(bench) == [(Mishap.FACE_UP_CARD, "1")]
    assert bench.table.phase == "DEALING"
    assert _playing(bench).dealt[0].card == "2c"


def test_another_device_is_not_held_to_what_the_former_one_marked() -> None:
    bench = Bench().idle().do(facts.ShufflerGreeted, session=1, identity="S-100")
    bench.table = replace(bench.table, shuffler=replace(bench.table.shuffler, marks_burns=True))
    assert bench.do(facts.ShufflerGreeted, session=2, identity="S-100").table.shuffler.marks_burns
    assert not bench.do(facts.ShufflerGreeted, session=3, identity="S-200").table.shuffler.marks_burns


def test_a_missed_burn_is_found_only_by_a_device_that_marks_burns() -> None:
    unmarked = _card(Bench("game.dealing=one_by_one").dealing(), "2c")
    assert _found(unmarked) == []
    assert _playing(unmarked).dealt[0].target == deal.BURN
    bench = Bench("game.dealing=one_by_one").dealing()
    bench.table = replace(bench.table, shuffler=replace(bench.table.shuffler, marks_burns=True))
    _card(bench, "2c")
    assert _found(bench) == [(Mishap.MISSED_BURN, deal.BURN)]
    assert _playing(bench).dealt[0].target == "1"  # nothing was burnt: the card belongs to the first box
    assert deal.BURN not in _playing(bench).plan


def test_a_burn_that_comes_late_is_found_and_set_aside() -> None:
    bench = _card(Bench("game.dealing=one_by_one").dealing().cards("2c"), "3c", burnt=True)
    assert _found(bench) == [(Mishap.MISSED_BURN, "1")]
    assert _playing(bench).strays == ("3c",)
    assert bench.table.shuffler.marks_burns


def test_a_burn_that_the_method_does_not_know_is_set_aside() -> None:
    bench = _card(Bench().dealing(), "3c", burnt=True)
    assert _found(bench) == [(Mishap.OTHER, "1")]
    assert _playing(bench).strays == ("3c",)


def test_an_unread_card_has_its_place_and_no_face() -> None:
    bench = Bench().dealing().unread()
    assert _found(bench) == [(Mishap.UNREAD_CARD, "1")]
    assert _playing(bench).dealt[0].card == ""


def test_a_deal_that_the_deck_cannot_fill_is_short() -> None:
    bench = _report(Bench().dealing().cards("2c 7d"), 1, shuffled=False, sets=1)
    assert _found(bench) == [(Mishap.SHORT_DEAL, "1")]


def test_no_evidence_names_a_card() -> None:
    for way in WAYS:
        table = table_at(way)
        for kind in (facts.CardDealt, facts.CardUnread, facts.StubChecked, facts.DeckReported, facts.CardStruck):
            for fact in samples(kind, table):
                for finding in inventory.found_by(table, fact):
                    assert isinstance(finding, Finding)
                    assert not set(finding.evidence.replace(",", " ").split()) & set(DECK)


def test_a_card_that_is_set_aside_in_the_deal_holds_play() -> None:
    """Otherwise the deal would go on without it, or end one card short."""
    for way in ("DEALING", "dealing half"):
        table = table_at(way)
        for fact in samples(facts.CardDealt, table):
            found = inventory.found_by(table, fact)
            if inventory.is_set_aside(found):
                bench = Bench()
                bench.table = table
                bench.step(fact)
                assert bench.table.phase == "INTERRUPTED", found


# --- cards by hand -------------------------------------------------------------------------------------


def _keyed(bench: Bench, card: str, role: str = "supervisor") -> Bench:
    return bench.do(facts.CardKeyed, card=Card(card), person="Sam", role=role)


def test_a_keyed_card_takes_the_place_of_the_unread_one_and_is_marked() -> None:
    bench = _keyed(Bench().dealing().unread(), "2c")
    first = _playing(bench).dealt[0]
    assert (first.card, first.target, first.keyed) == ("2c", "1", True)


@pytest.mark.parametrize("role", ["dealer", "technician", ""])
def test_a_card_is_keyed_with_a_supervisors_authority_alone(role: str) -> None:
    bench = _keyed(Bench().dealing().unread(), "2c", role)
    assert bench.table.panel.notices[-1].kind == "refused"
    assert _playing(bench).dealt[0].card == ""


def test_a_card_that_is_not_missing_is_not_keyed() -> None:
    bench = _keyed(Bench().dealing().cards("2c"), "7d")
    assert bench.table.panel.notices[-1].kind == "refused"
    assert len(_playing(bench).dealt) == 1


def test_the_rest_of_a_deal_is_keyed_when_the_shuffler_is_gone() -> None:
    bench = Bench().dealing().cards("2c 7d 9h Qd Jc").do(facts.ShufflerLost)
    _keyed(bench, "4s")
    assert bench.table.phase == "DECIDING"
    assert _playing(bench).dealt[-1].keyed


def test_a_jackpot_with_a_keyed_card_is_verified_by_hand() -> None:
    bench = Bench().dealing().cards("As Ks").unread()
    for question in bench.table.irregularity.questions:
        bench.do(facts.RulingMade, question=question.id, choice="continue", person="Sam", reason="")
    _keyed(bench, "Qs").cards("Js Ts 2d")
    bench.do(facts.PlayModePressed).do(facts.SeatPressed, seat=1).do(facts.RevealPressed).do(facts.SettlePressed)
    assert [claim.by_hand for claim in _playing(bench).claims] == [True]
    assert _posted_claim(bench).by_hand
    bench.do(facts.ClaimValued, claim="1.1", value_micro=10**12, award_minor=10**6)
    assert any("verified by hand" in notice.sentence for notice in bench.table.panel.notices)


def test_a_claim_tells_who_dealt_and_from_which_shoe() -> None:
    bench = Bench().idle().do(facts.DealerSignedIn, name="Kim", person="Kim")
    bench.do(facts.ShufflerGreeted, session=7, identity="S-100").dealing().cards("As Ks Qs Js Ts 2d")
    bench.do(facts.PlayModePressed).do(facts.SeatPressed, seat=1).do(facts.RevealPressed).do(facts.SettlePressed)
    claim = _posted_claim(bench)
    assert (claim.dealer, claim.shoe) == ("Kim", "S-100 session 7")


def test_a_jackpot_with_cards_that_were_read_is_not_marked() -> None:
    claims = _playing(Bench().settling()).claims
    assert [claim.by_hand for claim in claims] == [False]


def test_a_struck_card_loses_its_place_in_the_hand_and_the_next_round_waits_for_a_deck() -> None:
    bench = Bench().deciding()
    bench.do(facts.CardStruck, card=Card("2c"), person="Sam", role="supervisor", reason="it is bent")
    assert _playing(bench).dealt[0].card == ""
    assert inventory.unfit_deck(bench.table)


# --- the deck ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "states", "problem"),
    [
        (52, {"jammed": True}, "jammed"),
        (52, {"door_open": True}, "door is open"), (20, {"shuffled": False, "sets": 3}, "may need 24"),
    ],
)  # fmt: skip
def test_no_round_opens_with_an_unfit_deck(cards: int, states: dict[str, Any], problem: str) -> None:
    bench = _report(Bench().idle(), cards, **states).do(facts.OpenPressed)
    assert bench.table.phase == "IDLE"
    assert problem in bench.table.panel.notices[-1].sentence
    _report(bench, 52).do(facts.OpenPressed)
    assert bench.table.phase == "BETTING"


@pytest.mark.parametrize("cards", [51, 53])
@pytest.mark.parametrize("good", [facts.DeckChanged, facts.DeckVerified])
def test_a_deck_counted_wrongly_by_the_shuffler_needs_a_supervisor(cards: int, good: type[facts.Fact]) -> None:
    bench = _report(_report(Bench().idle(), cards), 52).do(facts.OpenPressed)
    assert bench.table.phase == "IDLE"
    assert f"counts {cards} cards" in bench.table.panel.notices[-1].sentence
    bench.do(good, person="Kim", role="dealer").do(facts.OpenPressed)
    assert bench.table.phase == "IDLE"
    bench.do(good, person="Sam", role="supervisor").do(facts.OpenPressed)
    assert bench.table.phase == "BETTING"


def test_the_lock_is_refused_when_the_deck_cannot_serve_the_boxes_that_bet() -> None:
    bench = _report(Bench().betting(), 5, shuffled=False, sets=4).lock()
    assert bench.table.phase == "BETTING"
    assert "has 5 cards and the deal may need 6" in bench.table.panel.notices[-1].sentence
    bench.do(facts.DeckChanged, person="Sam", role="supervisor").lock()
    assert bench.table.phase == "LOCKING"


def test_a_wrong_stub_blocks_the_next_round_until_the_deck_is_changed() -> None:
    bench = Bench().ended().do(facts.StubChecked, cards=45, person="Sam").do(facts.OpenPressed)
    assert bench.table.phase == "IDLE"
    bench.do(facts.DeckChanged, person="Sam", role="supervisor").do(facts.OpenPressed)
    assert bench.table.phase == "BETTING"


def test_a_stub_is_due_after_the_interval_of_the_house() -> None:
    bench = Bench("diagnosis.stub_check_rounds=1").ended()
    assert inventory.stub_is_due(bench.table)
    bench.do(facts.StubChecked, cards=46, person="Sam")
    assert not inventory.stub_is_due(bench.table)
    assert not inventory.stub_is_due(Bench().ended().table)


def test_a_doubt_about_the_deck_outlives_an_era() -> None:
    table = Bench().ended().do(facts.StubChecked, cards=45, person="Sam").table
    plain = json.loads(json.dumps(hand_over(table)))
    assert taken_over(plain, table.settings).shuffler.doubt == table.shuffler.doubt != ""


# --- methods -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "method", "plan"),
    [
        ("progressive-3-card-poker", "one_by_one", "burn 1 3 dealer 1 3 dealer 1 3 dealer"),  # 3.10
        ("progressive-3-card-poker", "packets", "1 1 1 3 3 3 dealer dealer dealer"),  # 3.11
        (
            "multi-link-3-card-poker", "one_by_one",  # 3.10.1
            "burn 1 3 dealer 1 3 dealer 1 3 dealer community community",
        ),
        (
            "multi-link-3-card-poker", "community_last",  # 3.11.1
            "1 1 1 3 3 3 dealer dealer dealer community community discard",
        ),
        ("multi-link-3-card-poker", "community_first", "community community 1 1 1 3 3 3 dealer dealer dealer"),
        ("lucky-three-pictures", "one_by_one", "1 3 dealer 1 3 dealer 1 3 dealer"),  # 3.12: it burns nothing
        ("lucky-three-pictures", "packets", "1 1 1 3 3 3 dealer dealer dealer"),  # 3.12.1
        ("california-three-card-poker", "card_room", "1 1 1 3 3 3 dealer dealer dealer"),
        ("stax-three-card", "packets", "1 1 1 3 3 3 dealer dealer dealer"),
    ],
)  # fmt: skip
def test_every_method_is_dealt_as_its_book_says(game: str, method: str, plan: str) -> None:
    assert " ".join(deal.plan(PROCEDURES[game].method(method), (1, 3))) == plan


def test_the_time_of_a_hand_is_its_last_card_with_what_is_uncertain_of_it() -> None:
    bench = Bench().dealing()
    for place, card in enumerate(NOTHING.split()):
        _card(bench, card, uncertain_ns=place)
    playing = _playing(bench)
    assert deal.time_of_hand(playing, "1") == (playing.dealt[2].arrived_ns, 2)
    letter = next(mail for mail in bench.table.post.unanswered if mail.kind == "RoundDealt")
    assert json.loads(letter.body)["hands"] == [[1, playing.dealt[2].arrived_ns, 2]]


def test_a_table_without_a_round_finds_nothing() -> None:
    assert inventory.found_by(Table(), facts.CardUnread(Bench().stamp(), 1, 1)) == ()
