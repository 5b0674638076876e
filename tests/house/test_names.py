"""No name is met twice, and the check sees a breach."""

from __future__ import annotations

from tests.house.import_graph import firmware_sources
from tests.house.names import classes_met_twice, functions_met_twice

# The table and the jackpot controller each do their half of it.
HALVES = {"value_claim is in felt.jackpot.claims and in felt.table.claims"}


def test_no_class_of_the_table_has_the_name_of_another() -> None:
    assert classes_met_twice(firmware_sources()) == []


def test_no_two_modules_of_one_name_have_functions_of_one_name() -> None:
    assert set(functions_met_twice(firmware_sources())) <= HALVES


def test_a_name_that_is_met_twice_is_found() -> None:
    sources = {"felt.a.x": "class Row: ...\ndef tell(): ...", "felt.b.x": "class Row: ...\ndef tell(): ..."}
    assert classes_met_twice(sources) == ["class Row is in felt.a.x and in felt.b.x"]
    assert functions_met_twice(sources) == ["tell is in felt.a.x and in felt.b.x"]


def test_rooms_apart_private_names_and_other_modules_pass() -> None:
    assert classes_met_twice({"felt.a.x": "class Row: ...", "felt.jackpot.y": "class Row: ..."}) == []
    assert functions_met_twice({"felt.a.x": "def _tell(): ...", "felt.b.x": "def _tell(): ..."}) == []
    assert functions_met_twice({"felt.a.x": "def tell(): ...", "felt.b.y": "def tell(): ..."}) == []
