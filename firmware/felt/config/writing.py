"""Writes settings as the text of a table file that can be loaded again."""

from __future__ import annotations

import json

from felt.config.errors import key_of
from felt.config.reading import Plain


def to_toml(plain: Plain) -> str:
    return "\n".join(_section((), plain)).strip("\n") + "\n"


def _section(path: tuple[str, ...], plain: Plain) -> list[str]:
    values = [f"{key_of((name,))} = {_value(value)}" for name, value in plain.items() if not isinstance(value, dict)]
    sections = [(name, value) for name, value in plain.items() if isinstance(value, dict)]
    # An empty section is written too, because it overrides a default that is not empty.
    heading = ["", f"[{key_of(path)}]"] if path and (values or not sections) else []
    inside = [line for name, value in sections for line in _section((*path, name), value)]
    return [*heading, *values, *inside]


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"{value!r} has no place in a table file")
