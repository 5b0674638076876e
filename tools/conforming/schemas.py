"""The link's messages as JSON Schema, from the values that read them. A reader takes no key twice, no unknown key, and
no message with a key missing. So every property is required, even one with a default in the code."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from felt.letters.from_controller import Acked, Pong, Refused, Valued
from felt.letters.from_table import LETTERS, Ping, Posted
from felt.wire.bulletin import Presence, Sign

MESSAGES = (Posted, Ping, Acked, Refused, Valued, Pong, Sign, Presence)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """Each file's text by its name."""
    kinds = {**{kind.__name__: kind for kind in MESSAGES}, **LETTERS}
    return {f"{name}.schema.json": _schema(name, kind) for name, kind in kinds.items()}


def _schema(name: str, kind: type) -> str:
    (_,), parts = msgspec.json.schema_components([kind])
    own = _strict(parts.pop(kind.__name__))
    others = {other: _strict(part) for other, part in sorted(parts.items())}
    whole = {"$schema": DIALECT, **own, "title": name, **({"$defs": others} if others else {})}
    return json.dumps(whole, indent=2) + "\n"


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == "object":
        properties = {key: _without_default(value) for key, value in part["properties"].items()}
        return {**part, "properties": properties, "required": list(properties)}
    if "prefixItems" in part:
        parts = [_without_default(value) for value in part["prefixItems"]]
        return {**part, "prefixItems": parts, "minItems": len(parts)}
    return part


def _without_default(value: dict[str, Any]) -> dict[str, Any]:
    """Writes a pattern's beginning and end as every other language does."""
    said = {key: setting for key, setting in value.items() if key != "default"}
    if "pattern" in said:
        said["pattern"] = str(said["pattern"]).replace(r"\A", "^").replace(r"\Z", "$")
    return said
