"""Who may decide what at a table: three offices, each of which may do what the lower ones may. Knows no persons."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SHIFT_MANAGER = "shift_manager"


_RANKS = {role.value: rank for rank, role in enumerate(Role)}


def may(role: str, least: str) -> bool:
    """Whether somebody in this office has at least that authority. An office nobody knows has none."""
    return role in _RANKS and _RANKS[role] >= _RANKS[least]


def say_role(role: str) -> str:
    return role.replace("_", " ")
