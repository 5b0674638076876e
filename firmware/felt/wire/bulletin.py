"""What stands on a board for whoever looks: the meters as the sign shows them, and who is there. Topics have their
names here. Nothing on the board is money: awards and contributions travel as letters and answers alone."""

from __future__ import annotations

from felt.nouns.plain import write_plain
from felt.nouns.shapes import ShapeError
from felt.wire.jackpot import SCHEMA, WireError
from felt.wire.strict_json import brief, read_json

METERS_MAX = 16
SUBTOPICS = ("up", "here")


def up_topic(link: str, table: str) -> str:
    return f"felt/{link}/up/{table}"


def down_topic(link: str, table: str) -> str:
    return f"felt/{link}/down/{table}"


def here_topic(link: str, table: str) -> str:
    return f"felt/{link}/here/{table}"


def is_presence(topic: str) -> bool:
    """Said once, and not again."""
    return "/here/" in topic


def sign_topic(link: str) -> str:
    return f"felt/{link}/sign"


def controller_topic(link: str) -> str:
    return f"felt/{link}/controller"


def table_of(topic: str, link: str) -> tuple[str, str]:
    """Which part of the link and which table a topic belongs to; empty where it is neither letter nor presence."""
    parts = topic.split("/")
    if len(parts) == 4 and parts[:2] == ["felt", link] and parts[2] in SUBTOPICS:
        return parts[2], parts[3]
    return "", ""


def write_sign(meters: dict[str, int]) -> bytes:
    return write_plain({"message": "Sign", "v": SCHEMA, "meters": meters}).encode("ascii")


def read_sign(content: bytes) -> dict[str, int]:
    plain = _read(content, "Sign", "meters")
    if not isinstance(plain, dict) or len(plain) > METERS_MAX:
        raise WireError("The sign's meters cannot be read.")
    for micro in plain.values():
        if type(micro) is not int or micro < 0:
            raise WireError("A meter on the sign is no amount.")
    return plain


def write_presence(here: bool) -> bytes:
    return write_plain({"message": "Presence", "v": SCHEMA, "here": here}).encode("ascii")


def read_presence(content: bytes) -> bool:
    plain = _read(content, "Presence", "here")
    if not isinstance(plain, bool):
        raise WireError("A presence is true or false.")
    return plain


def _read(content: bytes, message: str, field: str) -> object:
    try:
        plain = read_json(content.decode("utf-8"))
        if not isinstance(plain, dict) or set(plain) != {"message", "v", field}:
            raise ShapeError(f"it is no {message}")
        if (plain["message"], plain["v"]) != (message, SCHEMA):
            raise ShapeError(f"it names no {message} of version {SCHEMA}")
    except RecursionError:
        raise WireError("The bulletin is nested too deeply.") from None
    except ValueError as error:
        raise WireError(f"The bulletin cannot be read: {brief(error)}.") from None
    value: object = plain[field]
    return value
