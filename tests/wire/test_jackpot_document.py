"""A stranger builds an end of the link from hw/jackpot-protocol.md. The code reads its examples, and writes the schemas
beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from felt.letters.from_table import LETTERS, write
from felt.nouns.keyring import Keyring, LinkKey
from felt.wire import bulletin
from felt.wire.jackpot import MESSAGE_BYTES_MAX, decode, encode, read_letter
from felt.wire.sealed import HEADER_BYTES_MAX, Purpose, open_sealed, seal
from tools.conforming.schemas import MESSAGES, schemas

HW = Path(__file__).resolve().parents[2] / "hw"
DOCUMENT = (HW / "jackpot-protocol.md").read_text(encoding="utf-8")


def examples(kind: str) -> list[str]:
    return [line for block in re.findall(rf"```{kind}\n(.*?)```", DOCUMENT, re.DOTALL) for line in block.splitlines()]


LETTER_EXAMPLES = {json.loads(line)["is"]: line for line in examples("letter")}
MESSAGE_EXAMPLES = {json.loads(line)["is"]: line for line in (*examples("message"), *examples("bulletin"))}


@pytest.mark.parametrize("kind", sorted(LETTERS))
def test_every_letter_has_an_example_that_is_read_and_written_again(kind: str) -> None:
    assert write(read_letter(kind, LETTER_EXAMPLES[kind])) == LETTER_EXAMPLES[kind]


@pytest.mark.parametrize("line", examples("message"))
def test_every_message_of_the_page_is_read_and_written_again(line: str) -> None:
    assert encode(decode(line.encode())).decode() == line


def test_every_kind_of_message_has_an_example() -> None:
    assert set(MESSAGE_EXAMPLES) == {kind.__name__ for kind in MESSAGES}
    presence, sign = examples("bulletin")
    assert bulletin.read_presence(presence.encode())
    assert bulletin.write_sign(bulletin.read_sign(sign.encode())).decode() == sign


def test_the_envelope_of_the_page_is_sealed_as_it_says() -> None:
    header, content = examples("envelope")
    key = LinkKey("k1", b"\x01" * 32)
    sealed = f"{header}\n{content}".encode()
    opened = open_sealed(sealed, Purpose.UP, "T1", Keyring(key))
    assert seal(Purpose.UP, "T1", key, opened.session, opened.number, opened.content) == sealed


def test_the_limits_of_the_page_are_the_codecs() -> None:
    assert f"at most {HEADER_BYTES_MAX} bytes, the content at most {MESSAGE_BYTES_MAX:,}" in DOCUMENT


def test_the_schemas_are_made_from_the_code() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in (HW / "jackpot-schemas").iterdir()}
    assert found == schemas(), "run tools/make_schemas"


@pytest.mark.parametrize("name", sorted([*LETTER_EXAMPLES, *MESSAGE_EXAMPLES]))
def test_the_examples_fit_their_schemas_and_altered_ones_do_not(name: str) -> None:
    schema = json.loads((HW / "jackpot-schemas" / f"{name}.schema.json").read_text())
    example = json.loads(LETTER_EXAMPLES.get(name) or MESSAGE_EXAMPLES[name])
    assert fits(example, schema, schema)
    assert not fits({**example, "more": 1}, schema, schema)
    for key in example:
        assert not fits({other: value for other, value in example.items() if other != key}, schema, schema)


TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
    "enum", "items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "pattern",
}  # fmt: skip


def fits(value: Any, schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    """The part of JSON Schema that the files use. A keyword that it does not know fails the test."""
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        return fits(value, whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "enum" in schema:
        return value in schema["enum"]
    kind = TYPES[schema["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return False
    if isinstance(value, dict):
        return _fits_object(value, schema, whole)
    if isinstance(value, list):
        parts = schema.get("prefixItems", [schema.get("items")] * len(value))
        long_enough = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return long_enough and all(fits(item, part, whole) for item, part in zip(value, parts, strict=False))
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _fits_object(value: dict[str, Any], schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    properties, others = schema.get("properties", {}), schema["additionalProperties"]
    if not set(schema.get("required", ())) <= set(value):
        return False
    return all(
        fits(item, properties[key], whole) if key in properties else bool(others) and fits(item, others, whole)
        for key, item in value.items()
    )
