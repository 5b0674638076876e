"""The console's language: unique beginnings of words, typing mistakes, help, and an example for every command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.console.all_commands import COMMANDS
from felt.console.grammar import Misspelt, number_in, whole_word
from felt.console.session import completions, understand
from felt.console.terminal import printable
from felt.nouns.faults import CATALOGUE


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_an_example_that_is_understood(name: str) -> None:
    command = COMMANDS[name]
    assert command.about.endswith(".")
    assert command.usage.startswith(name)
    for line in command.example.splitlines():
        understood = understand(line, COMMANDS)
        assert understood is not None
        assert understood.name == name


def test_a_unique_beginning_of_a_word_is_enough() -> None:
    understood = understand("stat", COMMANDS)
    assert understood is not None
    assert understood.name == "status"


def test_a_beginning_of_several_words_asks_for_more() -> None:
    with pytest.raises(Misspelt, match="may be"):
        understand("s", COMMANDS)


def test_a_typing_mistake_is_answered_with_what_was_meant() -> None:
    with pytest.raises(Misspelt, match="did you mean spots"):
        understand("sposts", COMMANDS)
    with pytest.raises(Misspelt, match="type help"):
        understand("xyzzy", COMMANDS)


def test_an_empty_line_does_nothing() -> None:
    assert understand("   ", COMMANDS) is None


def test_tab_completes_commands_and_their_second_words() -> None:
    assert completions("", "stat", COMMANDS) == ["status "]
    assert completions("lamps ", "w", COMMANDS) == ["walk"]
    assert "F-101" in completions("faults ", "F-1", COMMANDS)
    assert completions("status ", "x", COMMANDS) == []


@pytest.mark.parametrize("text", ["0", "-1", "x", "1e3", "٣", "99999999999999999999", ""])
def test_a_word_where_a_number_belongs_is_named(text: str) -> None:
    with pytest.raises(Misspelt, match="is not a number"):
        number_in([text], 0, 1, 1000)


@given(st.text())
def test_any_line_is_a_command_or_one_sentence(text: str) -> None:
    try:
        understood = understand(printable(text), COMMANDS)
    except Misspelt as error:
        assert str(error)
        assert str(error).isprintable()
    else:
        assert understood is None or understood.name in COMMANDS


@given(st.text())
def test_no_control_character_passes(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_fault_has_steps_of_whole_sentences(code: str) -> None:
    steps = CATALOGUE[code].steps
    assert steps
    for step in steps:
        assert step[0].isupper() or step[0] in "'`"
        assert step.endswith(".")
        assert len(step) > 5


def test_a_word_is_found_among_known_ones() -> None:
    assert whole_word("F-10", ("F-101", "F-201"), "fault") == "F-101"


# What the console must be able to do, each with a line that does it.
ASKED_FOR = (
    "status", "spots", "spots 3", "sensors watch", "lamps walk", "lamps test 3.progressive", "keys test", "calibrate",
    "cards tail", "shuffler", "link", "mail", "meters", "rounds", "rounds 17", "hits", "faults", "faults F-101",
    "faults clear F-101 3.progressive", "journal tail 50", "journal export 50", "config", "versions", "clock",
    "void cards exposed", "confirm 17.3", "adjust major display -5000 malfunction seed twice",
    "out-of-service wet layout", "back-in-service", "test-mode on", "test-mode off", "bet 3 ante 5000", "dealer Kim",
    "entry cabinet sensor replaced", "acknowledge F-107",
)  # fmt: skip


@pytest.mark.parametrize("line", ASKED_FOR)
def test_every_command_that_was_asked_for_is_there_with_help_and_an_example(line: str) -> None:
    understood = understand(line, COMMANDS)
    assert understood is not None
    assert understood.name == line.split(maxsplit=1)[0]
    command = COMMANDS[understood.name]
    assert command.about
    assert command.example
    second = line.split()[1] if len(line.split()) > 1 else ""
    assert not command.second_words or not second or second in command.second_words or second.isdigit()


def test_help_lists_every_command() -> None:
    class Screen:
        commands = COMMANDS
        shown = ""

        def say(self, text: str) -> None:
            self.shown += f" {text}"

    screen = Screen()
    COMMANDS["help"].act(screen, [])  # type: ignore[arg-type]
    words = screen.shown.replace(",", " ").replace(":", " ").split()
    assert [name for name in COMMANDS if name not in words] == []
