"""The sentences that people read are complete in every language, and short."""

from __future__ import annotations

from string import Formatter

import pytest

from felt.config.settings import Language
from felt.rules.authority import Authority
from felt.rules.mishaps import Mishap
from felt.rules.remedies import CHOICES, RETURN
from felt.table import reported_hits, views
from felt.table.charts import REGIONS
from felt.table.misdeals import mishaps_on_the_key
from felt.table.prompts import tell_mishap
from felt.table.questions import NOTED, SEAT
from felt.wording.messages import LANGUAGES, messages, say
from tests.table.bench import WAYS, table_at

ENGLISH = messages("en")


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_language_of_the_settings_has_its_sentences() -> None:
    assert {language.value for language in Language} == set(LANGUAGES)


def test_every_row_that_refuses_with_a_key_names_a_sentence_without_fields() -> None:
    keys = {row.why for region in REGIONS for row in region.rows if isinstance(row.why, str)}
    assert len(keys) > 40
    assert [key for key in keys if key not in ENGLISH or _fields(ENGLISH[key])] == []


@pytest.mark.parametrize("way", WAYS)
def test_the_dealer_is_prompted_in_the_language_of_the_house(way: str) -> None:
    prompts = {views.prompt(table_at(way, f'table.language="{language}"')) for language in LANGUAGES}
    assert len(prompts) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mishap_choice_and_office_has_its_words(language: str) -> None:
    for key in (
        *(f"mishap.{mishap}" for mishap in Mishap),
        *(f"choice.{choice}" for choice in (*CHOICES, RETURN)),
        *(f"role.{role}" for role in Authority),
        *(f"word.{choice}" for choice in (*CHOICES, RETURN, SEAT, NOTED, reported_hits.CLAIM, reported_hits.REJECT)),
    ):
        assert say(language, key, place="box 1", other="box 2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_longer_than_a_panel_can_show(language: str) -> None:
    assert [key for key, text in messages(language).items() if len(text) > 130 and not key.startswith("remedy.")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_misdeal_lights_fits_a_line(language: str) -> None:
    names = [text for key, text in messages(language).items() if key.startswith("name.")]
    said = [say(language, "panel.declare", mishap=name) for name in names]
    assert [sentence for sentence in said if len(sentence) > 80] == []


def test_a_table_speaks_the_language_of_its_house() -> None:
    for language, said in (
        ("en", "a card was exposed (box 2)"),
        ("de", "eine Karte wurde aufgedeckt (Box 2)"),
        ("zh", "有一张牌被亮出（2 号位）"),
        ("ms", "sekeping kad terdedah (petak 2)"),
    ):
        table = table_at("DECIDING", f'table.language="{language}"')
        assert tell_mishap(table, "exposed_card", "2") == said


def test_every_mishap_that_the_key_can_light_has_a_name() -> None:
    for mishap in mishaps_on_the_key(table_at("DECIDING", 'game.dealing="one_by_one"')):
        assert f"name.{mishap}" in ENGLISH


def test_a_held_table_says_so_in_the_language_of_its_house_with_the_word_to_type() -> None:
    held = views.prompt(table_at("held in dealing", 'table.language="de"'))
    assert held.startswith("Angehalten (")
    assert held.endswith("Vorschlag: ungültig (void).")
    assert "Proposed" not in held
    assert views.prompt(table_at("held in dealing")).endswith("Proposed: void.")
