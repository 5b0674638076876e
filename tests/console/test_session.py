"""Every command of the console against a real table and its desk: what is shown, what is done, and in whose name."""

from __future__ import annotations

import pytest

from felt.console.all_commands import COMMANDS
from felt.console.ports import Gone
from felt.console.session import ConsoleSession
from felt.loop.inbox import Order
from felt.nouns.cards import DECK, parse_cards
from felt.nouns.values import replace
from felt.table import facts
from felt.table.state import Phase
from tests.console.desk_evening import PIN, DeskEvening, EmptyArchive, Line, Script, visited

ROYAL = parse_cards("As Ks Qs Js Ts 2d")
DECK_WITH_A_ROYAL = (*ROYAL, *(card for card in DECK if card not in ROYAL))


@pytest.fixture
def table() -> DeskEvening:
    return DeskEvening()


def betting(table: DeskEvening) -> None:
    visited(table, "Sam", "open")
    table.advance(1500)
    table.press("open")


def dealt(table: DeskEvening) -> None:
    betting(table)
    table.chip("1.ante")
    table.chip("1.progressive")
    table.advance(200)
    table.press("no_more_bets")
    table.until(lambda: table.phase is Phase.DEALING)
    table.deal()
    table.until(lambda: table.phase is Phase.DECIDING)


# --- looking ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["status", "spots", "spots 3", "panel", "round", "questions", "shuffler", "link",
                                     "mail", "meters", "versions", "clock", "faults", "faults all", "help", "config",
                                     "rounds", "rounds 17", "rounds last 3", "hits", "journal", "journal export 5"])
def test_everybody_may_look_and_looking_changes_nothing(table: DeskEvening, command: str) -> None:
    before = table.table
    shown = visited(table, "Vic", command)
    assert "Signed in: Vic, viewer." in shown
    assert "There is no" not in shown
    assert table.table == before


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(table: DeskEvening, name: str) -> None:
    assert f"example: {COMMANDS[name].example.splitlines()[0]}" in visited(table, "Vic", f"help {name}")


def test_meters_are_read_without_opening_anything(table: DeskEvening) -> None:
    assert "major: $50,000.00" in visited(table, "Vic", "meters")


def test_a_round_in_play_is_shown_without_its_cards(table: DeskEvening) -> None:
    dealt(table)
    shown = visited(table, "Sam", "round", "spots 1", "mail")
    assert "6 of 6 cards dealt" in shown
    assert "box 1 progressive: $5.00" in shown
    playing = table.table.round
    assert playing is not None
    assert not [card.card for card in playing.dealt if f" {card.card} " in shown]


def test_a_silent_shuffler_and_a_lost_link_are_alerts_with_remedies(table: DeskEvening) -> None:
    table.link.unplug()
    table.post.cut = True
    table.advance(40_000)
    shown = visited(table, "Tess", "shuffler", "link", "faults F-301")
    assert "! F-201 shuffler" in shown
    assert "! F-301 link" in shown
    assert "It clears by itself when its cause is gone." in shown


# --- acting ----------------------------------------------------------------------------------------------


def test_a_supervisor_opens_and_closes(table: DeskEvening) -> None:
    assert "The table is open." in visited(table, "Sam", "open")
    assert table.table.phase == "IDLE"
    assert "The table is closed." in visited(table, "Sam", "close")
    assert table.table.phase == "CLOSED"


def test_bets_are_keyed_and_unkeyed(table: DeskEvening) -> None:
    betting(table)
    shown = visited(table, "Sam", "bet 3 ante 5000", "spots 3", "unbet 3 ante")
    assert "3.ante is keyed." in shown
    assert "$50.00 keyed" in shown
    assert "not keyed any more" in shown


def test_what_the_table_remarks_on_a_bet_is_shown_with_it(table: DeskEvening) -> None:
    betting(table)
    shown = visited(table, "Sam", "bet 2 ante 100")
    assert "2.ante is keyed. ! 2.ante: it is keyed, and no chip lies there: no bet (5.20)." in shown
    assert "! 2.ante: $1.00 is under the minimum of $25.00" in shown
    assert "(5.2)" in shown


def test_while_play_is_held_no_bet_is_keyed_and_the_question_is_named(table: DeskEvening) -> None:
    betting(table)
    shown = visited(table, "Sam", "out-of-service smoke", "back-in-service", "round", "bet 1 ante 5000")
    assert "HELD (not locked; see questions)" in shown
    assert "Play is held: the supervisor answers q1 first." in shown


def test_a_void_is_asked_about_twice_and_signed(table: DeskEvening) -> None:
    dealt(table)
    assert "Nothing was done." in visited(table, "Sam", "void a card fell", "no")
    assert table.table.phase == "DECIDING"
    assert "Void: a card fell" in visited(table, "Sam", "void a card fell", "yes")
    assert table.phase is Phase.VOIDING


def test_an_amount_is_found_and_a_box_returned(table: DeskEvening) -> None:
    dealt(table)
    assert "1.ante amounts to $26.00." in visited(table, "Sam", "amount 1 ante 2600")
    assert "The bets of box 1 go back." in visited(table, "Max", "return 1")


def test_a_mishap_is_declared_and_a_player_chooses(table: DeskEvening) -> None:
    dealt(table)
    shown = visited(table, "Sam", "declare exposed_card 1 seen by the dealer", "questions")
    assert "Declared: exposed_card." in shown
    assert "Box 1 chooses: choose q1 BOX continue|return" in shown
    assert "rule q1" not in shown, "players answer it"
    assert "Command: choose q1 1 continue|return, as in choose q1 1 continue." in visited(table, "Sam", "status")
    assert "Box 1 chose continue." in visited(table, "Sam", "choose q1 1 continue")
    assert table.table.irregularity.questions == ()


def test_a_ruling_takes_a_reason(table: DeskEvening) -> None:
    dealt(table)
    visited(table, "Tess", "out-of-service smoke")
    visited(table, "Tess", "back-in-service")
    question = table.table.irregularity.questions[0]
    options = "|".join(question.options)
    shown = visited(table, "Sam", "status")
    assert f"Command: rule {question.id} {options} REASON, as in rule {question.id} {question.proposal} seen" in shown
    assert "Say why." in visited(table, "Sam", f"rule {question.id} void")
    assert f"{question.id}: void." in visited(table, "Sam", f"rule {question.id} void smoke at the table")
    assert table.phase is Phase.VOIDING


def test_seats_and_the_progressive_go_out_and_come_back(table: DeskEvening) -> None:
    shown = visited(table, "Sam", "seat 2 out", "status", "seat 2 in", "progressive off a dark sign", "status",
                    "progressive on lit again")
    assert "Out of play: box 2. Command: seat 2 in." in shown
    assert "No progressive bets by order: Sam" in shown
    assert table.table.barred == ()
    assert table.table.progressive_off == ""


def test_a_dealer_signs_in_and_out(table: DeskEvening) -> None:
    assert "Dealer: Kim." in visited(table, "Sam", "dealer Kim")
    assert table.table.panel.dealer == "Kim"
    assert "Dealer: nobody." in visited(table, "Sam", "dealer -")


def test_out_of_service_and_back(table: DeskEvening) -> None:
    visited(table, "Tess", "out-of-service smoke from the shoe")
    assert table.table.service.ordered_out == "Tess: smoke from the shoe"
    visited(table, "Tess", "back-in-service")
    assert table.table.service.ordered_out == ""


def test_an_entry_names_person_licence_part_and_reason(table: DeskEvening) -> None:
    visited(table, "Tess", "entry cabinet a sensor was replaced")
    assert table.table.panel.notices[-1].sentence == "Entry: cabinet (Tess, licence L-1: a sensor was replaced)."


@pytest.mark.parametrize("command", ["open now", "void", "rule q1", "deny 1.1", "seat 2", "progressive off", "bet 3",
                                     "out-of-service", "entry cabinet", "test-mode", "lamps shine", "journal burn",
                                     "faults clear F-101", "clear", "hit 3", "acknowledge F-107", "dealer", "rounds x",
                                     "declare", "choose q1", "amount 3 ante", "return", "keys", "calibrate"])
def test_an_incomplete_command_is_one_sentence(table: DeskEvening, command: str) -> None:
    shown = visited(table, "Max", command, "exit")
    assert "Signed out." in shown
    assert "Traceback" not in shown


# --- a jackpot -------------------------------------------------------------------------------------------


def verifying() -> DeskEvening:
    jackpot = DeskEvening([DECK_WITH_A_ROYAL])
    dealt(jackpot)
    jackpot.press("play")
    jackpot.press("seat_1")
    jackpot.press("reveal")
    jackpot.press("settle")
    jackpot.until(lambda: jackpot.phase is Phase.VERIFYING)
    return jackpot


def test_a_jackpot_is_confirmed_by_a_checklist_and_two_persons() -> None:
    jackpot = verifying()
    waits = "Jackpot claim 1.1 of box 1 waits. Command: confirm 1.1, or deny 1.1 misread|stands REASON."
    assert waits in visited(jackpot, "Sam", "status")
    assert "Nothing was done." in visited(jackpot, "Sam", "confirm", "yes", "no")
    shown = visited(jackpot, "Sam", "confirm", "yes", "yes", "yes", "Sam", PIN["Sam"])
    assert "The whole deck was put in order and counted." in shown
    assert jackpot.phase is Phase.VERIFYING, "one person is not two"
    assert "Claim 1.1 is confirmed." in visited(jackpot, "Sam", "confirm 1.1", "yes", "yes", "yes", "Shu", PIN["Shu"])
    playing = jackpot.table.round
    assert playing is not None
    assert playing.claims[0].person == "Sam and Shu"


def test_a_hit_that_the_table_has_not_found_is_reported_ruled_on_and_claimed(table: DeskEvening) -> None:
    dealt(table)
    for key in ("play", "seat_1", "reveal", "settle"):
        table.press(key)
    assert table.table.phase == "PAYING"
    shown = visited(table, "Sam", "hit 1 royal_flush a card was misread", "questions")
    assert "Box 1: royal_flush is reported; leave the cards as they lie." in shown
    assert "claim|reject" in shown
    assert table.phase is Phase.INTERRUPTED
    visited(table, "Sam", "rule q1 claim the camera shows it")
    table.until(lambda: table.phase is Phase.VERIFYING)
    assert "Jackpot claim 1.1 of box 1 waits." in visited(table, "Sam", "status")


def test_a_denial_takes_a_reason_and_two_persons() -> None:
    jackpot = verifying()
    shown = visited(jackpot, "Sam", "deny 1.1 stands the deck is not whole", "Shu", PIN["Shu"])
    assert "This takes two persons" in shown
    assert "Claim 1.1 is denied." in shown


@pytest.mark.parametrize("command", ["confirm 9.9", "deny 9.9 stands the deck is not whole"])
def test_a_claim_that_does_not_wait_is_named_before_anybody_affirms_anything(table: DeskEvening, command: str) -> None:
    shown = visited(table, "Sam", command, "exit")
    assert "There is no claim '9.9' to decide; open: none." in shown
    assert "Type yes" not in shown
    assert "second person" not in shown


# --- faults ----------------------------------------------------------------------------------------------


def test_a_fault_is_cleared_step_by_step_and_only_when_it_tests_good(table: DeskEvening) -> None:
    table.board.drive("key.door", True)
    table.advance(200)
    assert "close the door first" in visited(table, "Tess", "acknowledge F-107", "faults clear F-107", "")
    shown = visited(table, "Tess", "status")
    assert "F-107 door: The cabinet's door was opened. (Tess takes care of it)" in shown
    table.board.drive("key.door", False)
    table.advance(200)
    assert "Nothing was cleared." in visited(table, "Tess", "clear F-107", "n")
    assert "F-107 door is cleared." in visited(table, "Tess", "clear F-107", "")
    assert table.table.service.faults == ()


def test_a_fault_that_keeps_evidence_takes_two(table: DeskEvening) -> None:
    assert table.running is not None
    stamp = table.clock.stamp()
    table.running.loop._turn.take([facts.FaultRaised(stamp, "F-302", "letter 9")])
    table.tick()
    shown = visited(table, "Max", "clear F-302", "", "", "Shu", PIN["Shu"])
    assert "This takes two persons" in shown
    assert "F-302 letter 9 is cleared." in shown


# --- tests of a closed table -----------------------------------------------------------------------------


def test_lamps_are_walked_in_test_mode_alone(table: DeskEvening) -> None:
    assert "close the table, then test-mode on" in visited(table, "Tess", "lamps walk")
    before = table.table
    visited(table, "Tess", "test-mode on")
    lit: list[str] = []
    shown = visited(table, "Tess", "lamps test 3.progressive", "!look", "", look=lambda: lit.extend(_lit(table)))
    assert "*** TEST MODE ***" in shown
    assert lit == ["3.progressive"]
    visited(table, "Tess", "lamps walk", "")
    visited(table, "Tess", "test-mode off")
    after = table.table
    assert replace(after, panel=before.panel) == before, "everything but what was noted is as it was"


def _lit(table: DeskEvening) -> list[str]:
    return [lamp for lamp, shows in table.lamps.items() if shows != "off"]


def test_contacts_are_watched_as_they_move(table: DeskEvening) -> None:
    def cover() -> None:
        table.chip("3.progressive")
        table.advance(100)

    shown = visited(table, "Tess", "sensors watch", "!cover", "!wait", "", cover=cover, wait=lambda: table.advance(10))
    assert "3.progressive: covered" in shown


def test_keys_are_tested_one_by_one(table: DeskEvening) -> None:
    def press() -> None:
        table.press("reveal")

    visited(table, "Tess", "test-mode on")
    shown = visited(table, "Tess", "keys test", "!press", "!wait", "", press=press, wait=lambda: table.advance(10))
    assert "key.reveal: down key.reveal: up" in shown
    assert "key.reveal" not in shown.partition("not heard:")[2]


def test_cards_are_told_as_they_come(table: DeskEvening) -> None:
    betting(table)
    table.chip("1.ante")
    table.advance(200)
    table.press("no_more_bets")
    table.until(lambda: table.phase is Phase.DEALING)

    def deal() -> None:
        table.deal()
        table.until(lambda: table.phase is Phase.DECIDING)

    shown = visited(table, "Tess", "cards tail", "!deal", "!wait", "", deal=deal, wait=lambda: table.advance(10))
    assert "card 6 of 6 to dealer" in shown


# --- nobody there ----------------------------------------------------------------------------------------


def test_without_a_controller_the_disk_is_read_and_nothing_is_done(table: DeskEvening) -> None:
    table.running = None
    shown = visited(table, "Tess", "open", "rounds", "journal tail 3", "faults F-107")
    assert "The table controller does not answer" in shown
    assert "T1 Tess NO CONTROLLER>" in shown
    assert "the last 10 for viewer" in shown
    assert "Close the door." in shown


# --- coming and going ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [("quit",), ("exit",), ()])
def test_a_person_who_is_not_signed_in_can_leave_and_is_told_so(table: DeskEvening, lines: tuple[str, ...]) -> None:
    script = Script(*lines, *(("never", "read") if lines else ()))
    ConsoleSession(script, lambda: Line(table), EmptyArchive(), COMMANDS, "T1").run()
    assert "quit or Ctrl-D leaves" in script.text
    assert script.text.endswith("name: Console closed.")


def test_quit_leaves_when_signed_in_too(table: DeskEvening) -> None:
    script = Script("Sam", PIN["Sam"], "quit", "never", "read")
    ConsoleSession(script, lambda: Line(table), EmptyArchive(), COMMANDS, "T1").run()
    assert "There is no command" not in script.text
    assert script.text.endswith("Console closed.")


def test_where_nobody_is_listed_sign_in_says_so(table: DeskEvening) -> None:
    table.known = {}
    assert "no people are listed: felt console add-person" in visited(table, "Sam")


def test_long_records_are_wrapped_and_exports_are_not(table: DeskEvening) -> None:
    class LongArchive(EmptyArchive):
        def tail(self, last: int, role: str) -> list[str]:
            return ["word " * 40]

        def export(self, last: int, role: str) -> list[str]:
            return ["word " * 40]

    for way, longest in (("tail", 80), ("export", 200)):
        script = Script("Vic", PIN["Vic"], f"journal {way}")
        ConsoleSession(script, lambda: Line(table), LongArchive(), COMMANDS, "T1").run()
        said = [line for text in script.shown for line in text.splitlines() if "word" in line]
        assert max(map(len, said)) <= longest
        assert (len(said) == 1) == (way == "export")


# --- what passed, what is adjusted, what fits ------------------------------------------------------------


def test_an_alert_that_passed_is_shown_until_it_is_acknowledged(table: DeskEvening) -> None:
    table.link.unplug()
    table.advance(3000)
    table.link.plug()
    table.advance(3000)
    shown = visited(table, "Tess", "status")
    assert "! F-201 shuffler: The shuffler is silent or unplugged. It has passed: acknowledge F-201." in shown
    assert "It does not stand now." in visited(table, "Tess", "faults F-201")
    assert "F-201 does not stand: nothing to clear." in visited(table, "Tess", "faults clear F-201")
    assert "F-201 shuffler is acknowledged by Tess." in visited(table, "Tess", "acknowledge F-201")
    assert "All is well" in visited(table, "Tess", "status")
    assert [acknowledged.person for acknowledged in table.journaled(facts.AlertAcknowledged)] == ["Tess"]


def test_a_table_that_nothing_stops_any_more_says_what_brings_it_back(table: DeskEvening) -> None:
    table.loop.inbox.put(Order("FaultRaised", {"code": "F-702", "where": "inbox"}, lambda _: None))
    table.tick()
    visited(table, "Sam", "clear F-702", "", "", "", "Shu", PIN["Shu"])
    shown = visited(table, "Sam", "status")
    assert "Service OUT OF SERVICE" in shown
    assert "! Out of service, and nothing stops it any more. Command: back-in-service." in shown
    assert "The table is in service." in visited(table, "Sam", "back-in-service")


@pytest.mark.parametrize(("way", "kind"), [("malfunction", "malfunction_corrected"), ("doc", "adjusted")])
def test_a_meter_is_adjusted_by_two_persons_after_a_question(table: DeskEvening, way: str, kind: str) -> None:
    line = f"adjust major display -5000 {way} the seed was entered twice"
    assert "Nothing was done." in visited(table, "Sam", line, "no")
    shown = visited(table, "Sam", line, "yes", "Shu", PIN["Shu"], "meters")
    assert "Take $50.00 out of the display of major" in shown
    assert "major is adjusted and written down." in shown
    (fact,) = table.journaled(facts.MeterAdjusted)
    assert (fact.person, fact.type, fact.amount_minor) == ("Sam and Shu", kind, -5000)


@pytest.mark.parametrize(
    "line",
    ["adjust", "adjust major", "adjust major display", "adjust major display 5", "adjust major display 5 doc",
     "adjust major display five documented why", "adjust major display - documented why",
     "adjust major display 5 whim why"],
)  # fmt: skip
def test_an_incomplete_adjustment_is_one_sentence(table: DeskEvening, line: str) -> None:
    shown = visited(table, "Sam", line)
    assert "Say meter, purse" in shown or "is not a number" in shown or "There is no type of adjustment" in shown
    assert table.journaled(facts.MeterAdjusted) == []


def test_no_question_and_no_refusal_is_wider_than_the_terminal(table: DeskEvening) -> None:
    dealt(table)
    script = Script(
        "Sam", PIN["Sam"], "adjust major display -5000 malfunction x", "yes", "Shu", PIN["Shu"],
        "out-of-service " + "a reason that goes on and on " * 5, "back-in-service", "questions",
        "rule q1 perhaps " + "why " * 30, "void " + "why " * 30, "no", "status",
    )  # fmt: skip
    ConsoleSession(script, lambda: Line(table), EmptyArchive(), COMMANDS, "T1").run()
    assert [line for text in script.shown for line in text.splitlines() if len(line) > 80] == []


def test_wrong_pins_without_a_controller_wait_longer_each_time_whatever_is_typed(table: DeskEvening) -> None:
    wrong = [word for _ in range(4) for word in ("Sam", "0000")]
    script = Script(*wrong, "Sam", PIN["Sam"], "exit", "Sam", "0000")

    def gone() -> Line:
        raise Gone("Nobody answers.")

    ConsoleSession(script, gone, EmptyArchive(), COMMANDS, "T1").run()
    assert script.waits == [3.0, 6.0, 12.0, 24.0, 3.0]


@pytest.mark.parametrize("answer", ["n", "exit", "status"])
def test_any_answer_but_yes_ends_the_steps_and_clears_nothing(table: DeskEvening, answer: str) -> None:
    table.loop.inbox.put(Order("FaultRaised", {"code": "F-702", "where": "inbox"}, lambda _: None))
    table.tick()
    assert "Nothing was cleared." in visited(table, "Tess", "clear F-702", answer)
    assert [fault.code for fault in table.table.service.faults] == ["F-702"]
