"""The three roles at a table. A higher role may do everything that a lower one may. This module knows no persons."""

from __future__ import annotations

from enum import StrEnum


class Authority(StrEnum):
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SHIFT_MANAGER = "shift_manager"


_RANKS = {role.value: rank for rank, role in enumerate(Authority)}


def may(role: str, least: str) -> bool:
    """True if the role has at least that authority. An unknown role has none."""
    return role in _RANKS and _RANKS[role] >= _RANKS[least]
