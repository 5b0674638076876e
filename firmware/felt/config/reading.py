"""Reads TOML files and converts plain values into settings. Each failure is one sentence."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from felt.config.errors import ConfigError, key_of
from felt.nouns.values import MissingField, OutOfBounds, ShapeError, UnknownField, from_plain

FILE_BYTES_MAX = 1_000_000

T = TypeVar("T")
Plain = dict[str, object]


def read_toml(path: Path) -> Plain:
    name = str(path)
    content = _content_of(path)
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} is not UTF-8"
        raise ConfigError(name, "", problem, "save the file with the encoding UTF-8") from None
    except RecursionError:
        raise ConfigError(name, "", "lists or tables are nested too deeply", "flatten them") from None
    except ValueError as error:
        if isinstance(error, tomllib.TOMLDecodeError):
            raise ConfigError(name, "", f"this is not TOML: {error}", "correct the file there") from None
        # The other error: Python refuses to parse a number with thousands of digits.
        raise ConfigError(name, "", "a number has thousands of digits", "correct it") from None


def _content_of(path: Path) -> bytes:
    name = str(path)
    try:
        if path.is_dir():
            raise ConfigError(name, "", "this is a folder", "name the file in it")
        if path.exists() and not path.is_file():
            raise ConfigError(name, "", "this is not a regular file", "name a TOML file")
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror or error})"
        raise ConfigError(name, "", problem, "check its name and permissions") from None
    except ValueError as error:
        raise ConfigError(name, "", f"this names no file ({error})", "correct the name") from None
    if len(content) > FILE_BYTES_MAX:
        problem = f"the file has more than {FILE_BYTES_MAX} bytes"
        raise ConfigError(name, "", problem, "name a table file or a board profile")
    return content


def decoded(shape: type[T], plain: object, origin_of: Callable[[tuple[str, ...]], str]) -> T:
    """Converts `plain` into a `shape`. `origin_of` names the file or override that a path came from."""
    try:
        return from_plain(shape, plain)
    except ShapeError as error:
        raise ConfigError(origin_of(error.path), key_of(error.path), error.problem, _remedy(error)) from None
    except RecursionError:
        raise ConfigError(origin_of(()), "", "lists or tables are nested too deeply", "flatten them") from None


def _remedy(error: ShapeError) -> str:
    match error:
        case MissingField():
            return "add it"
        case UnknownField():
            near = difflib.get_close_matches(error.path[-1], error.known, n=1)
            return f"did you mean {near[0]}?" if near else "remove it"
        case OutOfBounds():
            return error.wanted
    return "correct the value"
