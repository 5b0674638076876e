"""The catalogue is whole: every message in every language that must have it, with the same fields, and none unused."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from string import Formatter

import pytest

import felt
from felt.nouns.faults import CATALOGUE, Weight
from felt.wording.messages import ENGLISH, ENGLISH_ONLY, LANGUAGES, messages, say

TRANSLATIONS = tuple(language for language in LANGUAGES if language != ENGLISH)
FELT = Path(felt.__file__).parent
FOR_COMMANDS = {f"fault.{code}" for code, fault in CATALOGUE.items() if fault.weight is Weight.INPUT}


def must_be_translated(message: str) -> bool:
    return not message.startswith(ENGLISH_ONLY) and message not in FOR_COMMANDS


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_language_has_every_message_that_players_and_dealers_see_and_no_other(language: str) -> None:
    wanted = {message for message in messages(ENGLISH) if must_be_translated(message)}
    assert set(messages(language)) == wanted


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_fields_of_its_message(language: str) -> None:
    for message, text in messages(language).items():
        assert fields_of(text) == fields_of(messages(ENGLISH)[message]), message


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_is_a_text_without_stray_blanks(language: str) -> None:
    for message, text in messages(language).items():
        assert text, message
        assert "  " not in text, message
        if message != "options.or":
            assert text == text.strip(), message


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_is_written_twice_in_a_file(language: str) -> None:
    content = (FELT / "wording" / f"{language}.json").read_text(encoding="utf-8")
    names = [name for name, _ in json.loads(content, object_pairs_hook=list)]
    assert len(names) == len(set(names))


def test_every_message_is_used() -> None:
    """A message is used if its id stands in the code, or if an f-string of the code can give it."""
    literal, composed = _ids_in_the_code()
    unused = [
        message
        for message in messages(ENGLISH)
        if message not in literal and not any(pattern.fullmatch(message) for pattern in composed)
    ]
    assert unused == []


def test_every_fault_of_the_catalogue_has_its_texts_and_no_other_code_has_any() -> None:
    codes = {match[1] for message in messages(ENGLISH) if (match := re.match(r"(?:fault|remedy)\.(F-\d{3})", message))}
    assert codes == set(CATALOGUE)
    for fault in CATALOGUE.values():
        steps = {message for message in messages(ENGLISH) if message.startswith(f"remedy.{fault.code}.")}
        assert len(steps) == len(fault.steps) + bool(fault.note)
        assert fault.remedy


def test_fields_are_filled_in() -> None:
    assert say(ENGLISH, "fault.F-107") == CATALOGUE["F-107"].sentence
    assert CATALOGUE["F-107"].told("de") == messages("de")["fault.F-107"]
    assert CATALOGUE["F-601"].told("de") == CATALOGUE["F-601"].sentence


def _ids_in_the_code() -> tuple[set[str], list[re.Pattern[str]]]:
    literal: set[str] = set()
    composed: list[re.Pattern[str]] = []
    for file in FELT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literal.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in node.values]
                if re.fullmatch(r"[a-z_.]*[a-z]{3,}[a-z_.]*|(?:fault|remedy)\..*", "".join(parts)):
                    composed.append(re.compile("".join(re.escape(part) or ".+" for part in parts)))
    return literal, composed
