"""Broadcast messages of a link: the meters that the sign shows, and who is online. Defines the topic names. Nothing
here moves money; awards and contributions travel only as letters and answers."""

from __future__ import annotations

from typing import TypeVar

from felt.letters.addressed import Count
from felt.nouns.money import METERS_MAX
from felt.nouns.values import ShapeError, Value, read_message, to_bytes
from felt.wire.jackpot import WireError, brief

T = TypeVar("T", "Sign", "Presence")

SUBTOPICS = ("up", "here")


def up_topic(link: str, table: str) -> str:
    return f"felt/{link}/up/{table}"


def down_topic(link: str, table: str) -> str:
    return f"felt/{link}/down/{table}"


def here_topic(link: str, table: str) -> str:
    return f"felt/{link}/here/{table}"


def is_presence(topic: str) -> bool:
    """Presence is sent once and never answered."""
    return "/here/" in topic


def sign_topic(link: str) -> str:
    return f"felt/{link}/sign"


def controller_topic(link: str) -> str:
    return f"felt/{link}/controller"


def table_of(topic: str, link: str) -> tuple[str, str]:
    """The part of the link and the table that a topic belongs to; empty if the topic carries neither letters nor
    presence."""
    parts = topic.split("/")
    if len(parts) == 4 and parts[:2] == ["felt", link] and parts[2] in SUBTOPICS:
        return parts[2], parts[3]
    return "", ""


class Sign(Value, tag=True, tag_field="is"):
    meters: dict[str, Count]  # micro-units


class Presence(Value, tag=True, tag_field="is"):
    here: bool


def write_sign(meters: dict[str, int]) -> bytes:
    return to_bytes(Sign(meters))


def read_sign(content: bytes) -> dict[str, int]:
    meters = _read(Sign, content).meters
    if len(meters) > METERS_MAX:
        raise WireError(f"The sign has more than {METERS_MAX} meters.")
    return meters


def write_presence(here: bool) -> bytes:
    return to_bytes(Presence(here))


def read_presence(content: bytes) -> bool:
    return _read(Presence, content).here


def _read(kind: type[T], content: bytes) -> T:
    try:
        return read_message(kind, content)
    except ShapeError as error:
        raise WireError(f"The bulletin cannot be read: {brief(error)}.") from None
